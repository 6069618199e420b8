"""The files of URL seen: opened with their shard, written and merged beside the loop, rebuilt when they are not sound.

A file is written aside, synced and renamed before the memory rests on it; the next commit names it, and what it
replaces goes once that commit is durable. So at any moment the files that the last commit names are there and whole,
and what no commit names is left over from a crash and goes at the next opening.

All of it is the business of one task a worker. It merges in short steps on a thread, and rebuilds in short steps of
the loop (the store is read under the interpreter's lock, so that a thread would not help).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from gossamer.core.facts import SeenRebuilding, SeenRebuilt
from gossamer.core.files.recovery import DRAFT_PREFIX
from gossamer.core.limits import NEWEST_PRINTS_MAX, NEWEST_PRINTS_PER_SHARD_MIN, SEEN_TOUCHED_BYTES_MAX
from gossamer.core.seen.bloom import BloomFilter
from gossamer.core.seen.memory import FileDamaged, Rewrite
from gossamer.core.seen.prints import Prints, prints_of
from gossamer.core.seen.recent import RecentKeys
from gossamer.core.seen.run import Run, run_bytes
from gossamer.core.seen.runs import SeenRuns
from gossamer.core.seen.url_seen import LISTED_PREFIX, STATE_KEY, SeenState, UrlSeen
from gossamer.ports.store import Table

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator, Sequence

    from gossamer.core.seen.memory import Bytes, SeenMemory
    from gossamer.flow.pending import PendingStore
    from gossamer.flow.shard import Shard
    from gossamer.flow.worker import Worker
    from gossamer.ports.disk import Disk, Draft

EXACT: Final = "exact"
BLOOM: Final = "bloom"

ROWS_MAX: Final = 1_000_000
"""Rows of the table SEEN that are read at opening; each commit lists in one, and files are written long before."""
REBUILD_ROWS: Final = 1000
"""Page records read in one step of the loop: about a millisecond."""
REBUILD_REST_SECONDS: Final = 0.002
"""Between two such steps: a rebuilding takes half a core, and a hundred million URLs take six minutes."""

CHECKS_A_TOUCH: Final = 4
"""Steps of a check that read as much as one of a touch: 8 MiB."""

_NO_STEP: Final = object()
_END: Final = b"\xff" * 32
_OF_OLDER_RELEASES: Final = (b"added:", b"segment:")
"""Rows of releases that kept a Bloom filter in the store."""
_SUFFIXES: Final = {EXACT: ".run", BLOOM: ".bloom"}


@dataclass(frozen=True, slots=True)
class SeenRules:
    """How the shards of a worker remember URLs."""

    disk: Disk
    folder: Callable[[int], str]
    """Shard -> where its files lie, in the crawl folder."""
    mode: str = EXACT
    urls_expected: int = 1_000_000
    """In one shard; the size of its filter, if it has one."""
    listed_max: int = NEWEST_PRINTS_PER_SHARD_MIN
    """Prints of one shard that no file holds, before one is written: `newest_share`."""
    recent: RecentKeys = field(default_factory=RecentKeys)

    def name(self, number: int) -> str:
        """The name of a file by its number."""
        return f"{number:08}{_SUFFIXES[self.mode]}"

    def path(self, shard: int, name: str) -> str:
        """Where a file lies in the crawl folder."""
        return f"{self.folder(shard)}/{name}"


def newest_share(shards: int) -> int:
    """Prints that one of so many shards of a worker may keep in memory and list, before they go into a file."""
    return max(NEWEST_PRINTS_PER_SHARD_MIN, NEWEST_PRINTS_MAX // shards)


def open_seen(shard: int, rows: PendingStore, rules: SeenRules, *, is_new: bool) -> UrlSeen:
    """URL seen as of the last commit. `is_new`: the shard has never committed."""
    listed = rows.scan(Table.SEEN, LISTED_PREFIX, LISTED_PREFIX + _END, ROWS_MAX)
    value = rows.get(Table.SEEN, [STATE_KEY])[0]
    outdated: list[bytes] = []
    state = msgspec.msgpack.decode(value, type=SeenState) if value is not None else None
    if state is None and not is_new:
        state = SeenState([], b"")
        outdated = [row for prefix in _OF_OLDER_RELEASES for row in _rows(rows, prefix)]
    taken = state.files if state is not None else []
    memory, state = _memory(shard, rules, state)
    _sweep(rules, shard, state.files if state is not None else [])
    seen = UrlSeen(memory, rules.recent, rules.listed_max, state, outdated=outdated, taken=taken)
    seen.relist(listed)
    return seen


def closed_seen() -> UrlSeen:
    """For a shard into which nothing is admitted."""
    return UrlSeen(SeenRuns(), RecentKeys(), NEWEST_PRINTS_MAX, SeenState([]))


def bulk_run(rules: SeenRules, shard: int, columns: Sequence[Prints]) -> tuple[bytes, bytes]:
    """Write the one run of a shard made in bulk, with all prints of some ascending columns (`seen.prints`).

    The row of the table SEEN that names it, key and value: put it into the shard's first commit, whose page records are
    those of the prints. The store must have been opened before, for it makes the folder. In exact mode only.
    """
    name = rules.name(1)
    writing = _Writing(rules.disk.draft(rules.path(shard, name)), run_bytes(columns))
    while writing.step():
        pass
    return STATE_KEY, msgspec.msgpack.encode(SeenState([name]))


class SeenFiles:
    """The task that writes, checks and rebuilds the files of a worker's shards."""

    def __init__(self, worker: Worker, rules: SeenRules) -> None:
        self._worker = worker
        self._rules = rules
        self._positions: dict[int, bytes] = {}
        """Shard -> from where its page keys are yet to be taken in."""
        self._taken_in: dict[int, int] = {}
        """Shard -> page keys taken in."""
        self._numbers: dict[int, int] = {}
        """Shard -> the number of the last file written."""
        self._removable: list[str] = []

    async def keep(self) -> None:
        """Until cancelled."""
        await self.check()
        while True:
            await self._worker.clock.sleep(await self.turn())

    async def check(self) -> None:
        """Read the files that the shards were opened with; what is damaged is going to be made anew."""
        for shard in self._worker.shards:
            await self._check(shard)

    async def turn(self) -> float:
        """Do what there is to do; the seconds until the next time."""
        shards = self._worker.shards
        broken = next(iter([shard for shard in shards if not shard.url_seen.is_complete]), None)
        if broken is not None:
            await self._rebuild(broken)
        for shard in shards:
            rewrite = shard.url_seen.rewrite()
            if rewrite is not None:
                await self._write(shard, rewrite)
        await self._remove()
        return REBUILD_REST_SECONDS if broken is not None else self._worker.policy.commit_interval

    async def _check(self, shard: Shard) -> None:
        """Reading from beginning to end also brings the files into the page cache, quickly; close behind, the memory's
        own view of them is touched.
        """
        run, touching = self._worker.committer.offload.run, self._touching(shard)
        for name in shard.url_seen.state.files if self._rules.mode == EXACT else []:
            steps = Run(self._rules.disk.view(self._rules.path(shard.number, name))).check()
            try:
                while await run(partial(_steps, steps, CHECKS_A_TOUCH)):
                    await run(partial(_step, touching))
            except FileDamaged:
                shard.url_seen.distrust()
                return
        while await run(partial(_step, touching)):
            pass

    def _touching(self, shard: Shard) -> Iterator[None]:
        return shard.url_seen.touch(SEEN_TOUCHED_BYTES_MAX // len(self._worker.shards))

    async def _rebuild(self, shard: Shard) -> None:
        number = shard.number
        start = self._positions.get(number)
        if start is None:
            start = shard.url_seen.state.rebuilt_to or b""
            self._worker.note(SeenRebuilding(number))
        rows = shard.rows.store.scan(Table.PAGE, start, _END, REBUILD_ROWS)
        beyond = rows[-1][0] + b"\0" if len(rows) == REBUILD_ROWS else None
        self._positions[number] = beyond or b""
        self._taken_in[number] = self._taken_in.get(number, 0) + len(rows)
        rewrite = shard.url_seen.rebuild(prints_of([key for key, _ in rows]), beyond)
        if rewrite is not None:
            await self._write(shard, rewrite)
        if beyond is None:
            del self._positions[number]
            self._worker.note(SeenRebuilt(number, self._taken_in.pop(number)))

    async def _write(self, shard: Shard, rewrite: Rewrite) -> None:
        rules, offload = self._rules, self._worker.committer.offload
        name = self._next_name(shard)
        path = rules.path(shard.number, name)
        writing = _Writing(rules.disk.draft(path), rewrite.pieces)
        try:
            while await _to_its_end(offload.run(writing.step)):
                pass
        except BaseException:
            writing.discard()
            raise
        replaced = shard.url_seen.settle(rewrite, name, rules.disk.view(path, scattered=True))
        shard.after_commit.append(partial(self._may_go, [rules.path(shard.number, old) for old in replaced]))
        await offload.run(rewrite.replaced.clear)
        touching = self._touching(shard)
        while await offload.run(partial(_step, touching)):
            pass

    def _next_name(self, shard: Shard) -> str:
        """A name that no file has, and that no commit gives that a kill may bring back."""
        names = (path.rpartition("/")[2] for path in _found(self._rules, shard.number))
        numbers = [int(name.removeprefix(DRAFT_PREFIX).partition(".")[0]) for name in (*names, *shard.url_seen.taken)]
        number = self._numbers[shard.number] = 1 + max([*numbers, self._numbers.get(shard.number, 0)])
        return self._rules.name(number)

    def _may_go(self, paths: list[str]) -> None:
        self._removable += paths

    async def _remove(self) -> None:
        """On a thread: a file of a gigabyte takes a while to be deleted."""
        paths, self._removable = self._removable, []
        if paths:
            await self._worker.committer.offload.run(partial(self._delete, paths))

    def _delete(self, paths: list[str]) -> None:
        for path in paths:
            self._rules.disk.remove(path)


class _Writing:
    """A file being written in steps on a thread, one after another."""

    def __init__(self, draft: Draft, pieces: Iterator[tuple[int, Bytes]]) -> None:
        self._draft = draft
        self._pieces = pieces
        self._published = False

    def step(self) -> bool:
        """Write a piece; after the last one publish. Whether there is more to do."""
        piece = next(self._pieces, None)
        if piece is None:
            self._draft.publish()
            self._published = True
            return False
        self._draft.file.seek(piece[0])
        self._draft.file.write(piece[1])
        return True

    def discard(self) -> None:
        """Give up; harmless once published. Not while a step is under way."""
        if not self._published:
            self._draft.discard()


async def _to_its_end(work: Coroutine[Any, Any, bool]) -> bool:
    """Its result. A cancellation waits until it has ended: what it works on is nobody else's before."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _steps(steps: Iterator[None], number: int) -> bool:
    """Whether there were so many more."""
    return sum(1 for _ in islice(steps, number)) == number


def _step(steps: Iterator[None]) -> bool:
    """Whether there was one more."""
    return next(steps, _NO_STEP) is not _NO_STEP


def _memory(shard: int, rules: SeenRules, state: SeenState | None) -> tuple[SeenMemory, SeenState | None]:
    """The memory on the files that a state names; an empty one, to be rebuilt, when they are not sound."""
    files = state.files if state is not None else []
    try:
        views = [rules.disk.view(rules.path(shard, name), scattered=rules.mode == EXACT) for name in files]
        if rules.mode == EXACT:
            return SeenRuns(views), state
        for view in views:
            return BloomFilter.read(view), state
    except (FileDamaged, FileNotFoundError):
        state = SeenState([], b"")
    return (SeenRuns() if rules.mode == EXACT else BloomFilter(rules.urls_expected)), state


def _sweep(rules: SeenRules, shard: int, named: list[str]) -> None:
    """Remove what a crash left: files that no commit names, whole or not. Others than ours stay."""
    for path in _found(rules, shard):
        if path.rpartition("/")[2] not in named:
            rules.disk.remove(path)


def _found(rules: SeenRules, shard: int) -> list[str]:
    """Paths of the files that are ours by their names."""
    ours: list[str] = []
    for path in rules.disk.lengths([rules.folder(shard)]):
        stem, _, suffix = path.rpartition("/")[2].removeprefix(DRAFT_PREFIX).partition(".")
        if stem.isdigit() and f".{suffix}" in _SUFFIXES.values():
            ours.append(path)
    return ours


def _rows(rows: PendingStore, prefix: bytes) -> list[bytes]:
    return [key for key, _ in rows.scan(Table.SEEN, prefix, prefix + _END, ROWS_MAX)]
