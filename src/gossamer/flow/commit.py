"""The commit: everything durable changes together, every `commit_interval` seconds (architecture, section 5).

The order is the promise. First the bytes of archive and journals, then the batch of each shard that changed, which
names the lengths those bytes reach. A crash anywhere leaves a store that vouches only for bytes that are there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import msgspec

from gossamer.core.facts import CommitSlow, Committed
from gossamer.core.warc.location import FileMark, FileState
from gossamer.flow.disk_watch import DiskWatch
from gossamer.flow.shard import Shard
from gossamer.ports.archive import Archive
from gossamer.ports.clock import Clock
from gossamer.ports.datasets import Datasets
from gossamer.ports.facts import FactLog, Unheard
from gossamer.ports.offload import Offload
from gossamer.ports.store import StoreError

COMMIT_SLOW_SECONDS: Final = 1.0
"""A commit that takes longer is told of: a healthy disk needs milliseconds."""


def encode_mark(mark: FileMark) -> bytes:
    """The stored form of a file mark; its path is the key."""
    return msgspec.msgpack.encode((mark.length, mark.state.value))


def decode_mark(path: str, data: bytes) -> FileMark:
    """The mark of `data`; raises msgspec.DecodeError when it is none."""
    length, state = msgspec.msgpack.decode(data, type=tuple[int, str])
    return FileMark(path, length, FileState(state))


@dataclass(slots=True)
class Committer:
    """Commits the shards of one worker."""

    shards: Iterable[Shard]
    archive: Archive
    datasets: Datasets
    clock: Clock
    offload: Offload
    next_number: int
    """The number of the coming commit: what is archived and reported now belongs to it."""
    commits: int = 0
    seconds: list[float] = field(default_factory=list)
    """Durations of the last commits, for the summary."""
    facts: FactLog = field(default_factory=Unheard)
    disk: DiskWatch | None = None
    """None: nobody watches the disk."""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _failure: OSError | StoreError | None = None
    """What the disk said when it did not take a commit."""

    async def commit(self) -> None:
        """Make durable all that was reported before this call.

        A commit under way is carried to its end even when whoever asked for it is cancelled: half of one is none that
        another may follow.

        Raises OSError or StoreError when the disk will not take it, and the same at every later call: nobody knows what
        of a failed commit is on the disk, so none may follow it, and the crawl ends as of the one before.
        """
        await asyncio.shield(self._commit())

    async def _commit(self) -> None:
        async with self._lock:
            if self._failure is not None:
                raise self._failure
            await self.look_at_disks()
            began = self.clock.now()
            try:
                shards = await self._commit_once()
            except (OSError, StoreError) as failure:
                self._failure = failure
                raise
            if shards:
                self._tell(began, self.clock.now(), shards)
            elif self.facts.waiting:
                await self.offload.run(self.facts.flush)

    async def idle(self) -> None:
        """Return while no commit is under way."""
        async with self._lock:
            pass

    async def look_at_disks(self) -> None:
        """See that there is room, and pause or go on accordingly."""
        if self.disk is not None:
            self.disk.judge(await self.offload.run(self.disk.look), self.clock.now())

    async def _commit_once(self) -> int:
        """The number of shards that changed; 0 when there was nothing to commit."""
        marks = [*self.archive.marks(), *self.datasets.marks()]
        changed = [shard for shard in self.shards if shard.changed] or (list(self.shards)[:1] if marks else [])
        if not changed:
            return 0
        number = self.next_number
        batches = [(shard, shard.begin_commit(number, marks, encode_mark)) for shard in changed]
        self.next_number += 1
        await self.offload.run(self._sync_files)
        for shard, batch in batches:
            # The store writes under the interpreter's lock whatever thread it is called from: no use in a thread.
            shard.rows.store.write(batch)
        await self.offload.run(lambda: _sync_stores([shard for shard, _ in batches]))
        self.archive.acknowledge()
        self.datasets.acknowledge()
        for shard, _ in batches:
            shard.end_commit(number)
        return len(batches)

    def _sync_files(self) -> None:
        self.archive.sync()
        self.datasets.sync()
        self.facts.flush()

    def _tell(self, began: float, ended: float, shards: int) -> None:
        seconds = ended - began
        self.commits += 1
        self.seconds = [*self.seconds[-999:], seconds]
        self.facts.note(Committed(self.next_number - 1, round(seconds, 6), shards), ended)
        if seconds > COMMIT_SLOW_SECONDS:
            self.facts.note(CommitSlow(self.next_number - 1, round(seconds, 6)), ended)


def _sync_stores(shards: list[Shard]) -> None:
    for shard in shards:
        shard.rows.store.sync()


async def commit_regularly(committer: Committer, interval: float) -> None:
    """Commit every `interval` seconds until cancelled."""
    while True:
        await committer.clock.sleep(interval)
        await committer.commit()
