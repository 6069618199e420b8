"""The order of a commit is its promise: files first, then stores, then whoever waits. Fakes write down the calls."""

from __future__ import annotations

import asyncio
import errno
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from gossamer.core.warc.location import FileMark, FileState
from gossamer.flow.commit import Committer, commit_regularly, decode_mark, encode_mark
from gossamer.flow.shard import COMMIT_KEY
from gossamer.ports.store import StoreFull, Table
from gossamer.simulation.clock import EPOCH, SimClock
from tests.workers import Bench, run

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
FULL = OSError(errno.ENOSPC, "No space left on device")
MARK = FileMark("archive/1.warc.gz", 10, FileState.OPEN)


@dataclass
class Log:
    """What was called, in order, and where it shall fail."""

    calls: list[str] = field(default_factory=list[str])
    fails_at: str = ""
    failure: Exception = FULL

    def __call__(self, call: str) -> None:
        self.calls.append(call)
        if call == self.fails_at:
            raise self.failure


class LoggedFiles:
    """An archive or datasets, reduced to the rhythm of commits."""

    def __init__(self, name: str, log: Log, marks: list[FileMark]) -> None:
        self.name, self.log, self.next_marks = name, log, marks

    def marks(self) -> list[FileMark]:
        self.log(f"{self.name} marks")
        return list(self.next_marks)

    def sync(self) -> None:
        self.log(f"{self.name} sync")

    def acknowledge(self) -> None:
        self.log(f"{self.name} acknowledge")


class LoggedStore:
    """A store in front of the real stand-in."""

    def __init__(self, number: int, log: Log, store: Any) -> None:
        self.number, self.log, self.store = number, log, store

    def write(self, batch: Any) -> None:
        self.log(f"write {self.number}")
        self.store.write(batch)

    def sync(self) -> None:
        self.log(f"sync {self.number}")
        self.store.sync()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


class LoggedOffload:
    """Work takes a virtual tenth of a second."""

    def __init__(self, log: Log) -> None:
        self.log = log

    async def run(self, work: Callable[[], T]) -> T:
        self.log("away")
        await asyncio.sleep(0.1)
        result = work()
        self.log("back")
        return result


def committing(shards: int = 2, marks: tuple[FileMark, ...] = (MARK,), **log: Any) -> tuple[Bench, Committer, Log]:
    bench, calls = Bench(shards=shards), Log(**log)
    for shard in bench.worker.shards:
        shard.rows.store = LoggedStore(shard.number, calls, shard.rows.store)
    committer = Committer(
        shards=bench.worker.shards,
        archive=LoggedFiles("archive", calls, list(marks)),  # type: ignore[arg-type]
        datasets=LoggedFiles("datasets", calls, []),  # type: ignore[arg-type]
        clock=SimClock(),
        offload=LoggedOffload(calls),
        next_number=7,
    )
    return bench, committer, calls


def change(bench: Bench, number: int) -> None:
    shard = bench.worker.shards[number]
    shard.rows.put(Table.META, b"x", b"y")
    shard.after_commit.append(lambda: shard.rows.put(Table.META, b"told", b""))


def test_the_order_is_files_then_stores_then_those_who_wait() -> None:
    bench, committer, log = committing()
    for number in (0, 1):
        change(bench, number)
        bench.worker.shards[number].after_commit.append(lambda number=number: log(f"told {number}"))
    run(committer.commit())
    assert log.calls == [
        "archive marks",
        "datasets marks",
        "away",
        "archive sync",
        "datasets sync",
        "back",
        "write 0",
        "write 1",
        "away",
        "sync 0",
        "sync 1",
        "back",
        "archive acknowledge",
        "datasets acknowledge",
        "told 0",
        "told 1",
    ]
    assert (committer.commits, committer.next_number) == (1, 8)
    assert [shard.commit for shard in bench.worker.shards] == [7, 7]


def test_every_shard_that_changed_vouches_for_every_mark() -> None:
    bench, committer, _ = committing()
    change(bench, 0)
    change(bench, 1)
    run(committer.commit())
    for disk in bench.disks:
        assert decode_mark(MARK.path, disk.durable[Table.FILES].values[MARK.path.encode()]) == MARK
        assert disk.durable[Table.META].values[COMMIT_KEY] == (7).to_bytes(8, "big")


def test_idle_shards_cost_nothing() -> None:
    bench, committer, log = committing()
    change(bench, 1)
    run(committer.commit())
    assert [call for call in log.calls if call.startswith(("write", "sync"))] == ["write 1", "sync 1"]
    assert bench.worker.shards[0].commit == 0


def test_files_without_a_shard_that_changed_are_vouched_for_by_the_first() -> None:
    _, committer, log = committing()
    run(committer.commit())
    assert "write 0" in log.calls
    assert "write 1" not in log.calls


def test_nothing_changed_nothing_committed() -> None:
    _, committer, log = committing(marks=())
    run(committer.commit())
    assert log.calls == ["archive marks", "datasets marks"]
    assert (committer.commits, committer.next_number) == (0, 7)


def test_a_change_of_the_books_alone_is_a_change() -> None:
    """Links that are all refused change no row; their counts must not be lost."""
    bench, committer, log = committing(marks=())
    bench.worker.shards[1].ledger.found += 1
    run(committer.commit())
    assert "write 1" in log.calls
    log.calls.clear()
    run(committer.commit())
    assert "write 1" not in log.calls


def test_what_is_reported_meanwhile_belongs_to_the_next_commit() -> None:
    bench, committer, _ = committing(shards=1)
    shard = bench.shard
    told: list[str] = []

    async def work() -> None:
        shard.rows.put(Table.META, b"first", b"")
        shard.after_commit.append(lambda: told.append("first"))
        under_way = asyncio.ensure_future(committer.commit())
        await asyncio.sleep(0.05)
        assert committer.next_number == 8, "what happens now belongs to the next"
        shard.rows.put(Table.META, b"second", b"")
        shard.after_commit.append(lambda: told.append("second"))
        await under_way
        assert told == ["first"]
        assert b"second" not in bench.disks[0].durable[Table.META].values
        assert shard.rows.get(Table.META, [b"first", b"second"]) == [b"", b""]
        await committer.commit()
        assert told == ["first", "second"]

    run(work())


def test_commits_do_not_overlap() -> None:
    bench, committer, log = committing(shards=1)

    async def work() -> None:
        change(bench, 0)
        await asyncio.gather(*(committer.commit() for _ in range(3)))

    run(work())
    assert [call for call in log.calls if call in ("write 0", "sync 0")] == ["write 0", "sync 0"] * 3


@pytest.mark.parametrize("failure", [FULL, StoreFull("no space left")], ids=["file", "store"])
@pytest.mark.parametrize(
    "fails_at",
    ["archive marks", "archive sync", "datasets sync", "write 0", "write 1", "sync 0", "sync 1", "archive acknowledge"],
)
def test_a_failed_commit_is_the_last_one(fails_at: str, failure: Exception) -> None:
    """The same words at every later call, no further write, nobody is told, and the commit before stands."""
    bench, committer, log = committing(marks=())
    change(bench, 0)
    change(bench, 1)
    run(committer.commit())
    log.fails_at, log.failure = fails_at, failure
    told: list[int] = []
    for shard in bench.worker.shards:
        shard.rows.put(Table.META, b"lost", b"")
        shard.after_commit.append(lambda number=shard.number: told.append(number))
    for _ in range(2):
        with pytest.raises(type(failure)) as raised:
            run(committer.commit())
        assert raised.value is failure
    assert log.calls[-1] == fails_at, "nothing was tried again"
    log.fails_at = ""
    with pytest.raises(type(failure)):
        run(committer.commit())
    assert told == []
    assert [shard.commit for shard in bench.worker.shards] == [7, 7]


@pytest.mark.parametrize("fails_at", ["archive sync", "write 0", "sync 0"])
def test_after_a_failed_commit_the_folder_opens_at_the_one_before(fails_at: str) -> None:
    bench, committer, log = committing(shards=1, marks=())
    change(bench, 0)
    run(committer.commit())
    log.fails_at = fails_at
    bench.shard.rows.put(Table.META, b"lost", b"")
    with pytest.raises(OSError, match="No space left"):
        run(committer.commit())
    bench.reopen()
    assert bench.shard.commit == 7
    assert bench.shard.rows.get(Table.META, [b"x", b"lost"]) == [b"y", None]


def test_a_bug_in_the_way_is_no_word_of_the_disk() -> None:
    bench, committer, log = committing(fails_at="write 0", failure=KeyError("bug"))
    change(bench, 0)
    with pytest.raises(KeyError):
        run(committer.commit())
    log.fails_at = ""
    change(bench, 0)
    with pytest.raises(RuntimeError, match="under way"):
        run(committer.commit())


@pytest.mark.parametrize("state", [*FileState])
def test_marks_are_read_back(state: FileState) -> None:
    mark = FileMark("pages/1.parquet", 1 << 40, state)
    assert decode_mark(mark.path, encode_mark(mark)) == mark


def test_regular_commits_follow_each_other_at_their_interval() -> None:
    bench, committer, log = committing(shards=1, marks=())

    async def work() -> None:
        going = asyncio.ensure_future(commit_regularly(committer, 0.25))
        for _ in range(10):
            change(bench, 0)
            await asyncio.sleep(0.2)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going

    run(work())
    assert log.calls.count("write 0") == 4  # a commit takes 0.2 s after its interval of 0.25 s


def test_a_commit_under_way_is_carried_to_its_end_when_the_regular_ones_stop() -> None:
    bench, committer, log = committing(shards=1, marks=())

    async def work() -> float:
        change(bench, 0)
        going = asyncio.ensure_future(commit_regularly(committer, 0.25))
        await asyncio.sleep(0.3)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        assert "write 0" not in log.calls
        await committer.commit()
        return SimClock().now() - EPOCH

    assert run(work()) >= 0.45
    assert bench.shard.commit == committer.next_number - 1


def test_a_commit_is_carried_to_its_end_when_whoever_asked_for_it_is_cancelled() -> None:
    """By any task of a crawl that ends: the last commit follows it."""
    bench, committer, log = committing(shards=1, marks=())

    async def work() -> None:
        change(bench, 0)
        asking = asyncio.ensure_future(committer.commit())
        await asyncio.sleep(0.05)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        change(bench, 0)
        await committer.commit()

    run(work())
    assert log.calls.count("write 0") == 2
    assert bench.shard.commit == committer.next_number - 1


def test_a_failure_while_the_regular_commits_stop_is_told_by_the_last_one() -> None:
    bench, committer, _ = committing(shards=1, marks=(), fails_at="archive sync")

    async def work() -> None:
        change(bench, 0)
        going = asyncio.ensure_future(commit_regularly(committer, 0.25))
        await asyncio.sleep(0.3)
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
        with pytest.raises(OSError, match="No space left"):
            await committer.commit()

    run(work())
