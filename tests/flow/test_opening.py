"""Opening a shard at its last commit: everything that counts is there again, and nothing else."""

from __future__ import annotations

import pytest

from gossamer.core.frontier.holds import Hold
from gossamer.core.frontier.ledger import Ledger
from gossamer.core.frontier.records import HostState, encode
from gossamer.core.frontier.working_set import SLEEP_SECONDS
from gossamer.core.scope.reasons import Reason
from gossamer.core.warc.location import FileMark, FileState
from gossamer.flow.admission import admit
from gossamer.flow.commit import encode_mark
from gossamer.flow.opening import commits_of, committed_files
from gossamer.flow.widenings import Widening
from gossamer.ports.store import Table, WriteBatch
from tests.workers import RULES, Bench, run

A, B = "http://a.test", "http://b.test"


def take(bench: Bench, *urls: str) -> None:
    new, todo = admit(bench.shard, bench.found(*urls), bench.clock.now())
    bench.shard.ledger.found += len(urls)
    bench.shard.ledger.new += new
    bench.worker.perform(bench.shard, todo)


def commit(bench: Bench) -> None:
    run(bench.worker.committer.commit())


def hosts(bench: Bench) -> dict[str, int]:
    """Host -> URLs queued, of the working set."""
    return {host.state.name: host.state.total for host in bench.shard.frontier.hosts.values()}


def test_an_empty_store_is_a_fresh_shard() -> None:
    shard = Bench().shard
    assert (shard.commit, shard.order, shard.receipts, shard.ledger) == (0, 1, {}, Ledger())
    assert shard.frontier.next_moment() is not None
    assert not shard.changed


def test_everything_that_was_committed_is_there_again() -> None:
    bench = Bench()
    take(bench, f"{A}/1", f"{A}/2", f"{B}/1")
    bench.shard.receipts = {3: 17, 300: 2}
    bench.shard.outbox.put(2, bench.found(f"{B}/9"))
    bench.shard.record_widening(Widening("http://x.test/", "http://www.x.test/", "north"))
    commit(bench)
    ledger, order = bench.shard.ledger, bench.shard.order
    bench.reopen()
    shard = bench.shard
    assert hosts(bench) == {"a.test": 2, "b.test": 1}
    assert (shard.ledger, shard.order, shard.commit, shard.receipts) == (ledger, order, 1, {3: 17, 300: 2})
    assert list(shard.outbox.waiting) == [(2, 1)]
    assert list(shard.widenings()) == [("http://x.test/", "http://www.x.test/", "north")]
    assert bench.worker.committer.next_number == 2
    assert bench.problems() == []


def test_a_reopened_shard_gives_places_behind_all_given_before() -> None:
    bench = Bench()
    take(bench, f"{A}/1")
    commit(bench)
    bench.reopen()
    take(bench, f"{A}/2")
    orders = [key[-8:] for key, _ in bench.shard.rows.scan(Table.QUEUE, b"", b"\xff" * 20, 9)]
    assert len(set(orders)) == 2


def test_what_was_not_committed_is_gone_without_a_trace() -> None:
    bench = Bench()
    take(bench, f"{A}/1")
    commit(bench)
    take(bench, f"{A}/2", f"{B}/1")
    bench.reopen()
    assert hosts(bench) == {"a.test": 1}
    assert bench.record(f"{B}/1") is None
    assert bench.problems() == []


def test_a_sleeping_host_stays_asleep_and_is_woken_in_time() -> None:
    bench = Bench()
    take(bench, f"{A}/1")
    host = next(iter(bench.shard.frontier.hosts.values()))
    host.state.next_at = bench.clock.now() + 2 * SLEEP_SECONDS
    bench.shard.frontier.working.push(host, bench.clock.now())
    bench.worker.perform(bench.shard, list(bench.shard.frontier.working.out))
    bench.shard.frontier.working.out.clear()
    commit(bench)
    bench.reopen()
    assert hosts(bench) == {}
    bench.worker.perform(bench.shard, bench.shard.frontier.advance(bench.clock.now(), NO_ROOM))
    assert bench.shard.frontier.next_moment() == pytest.approx(bench.clock.now() + 2 * SLEEP_SECONDS - 1, abs=0.01)


NO_ROOM = Bench().worker.budget.room(0.0)
NO_ROOM.leases = 0


@pytest.mark.parametrize(("cap", "held", "queued"), [(2, 3, 0), (5, 0, 3), (None, 0, 3)])
def test_the_caps_now_in_force_decide_who_is_held(cap: int | None, held: int, queued: int) -> None:
    bench = Bench(frontier={"pages_per_host_max": 2})
    take(bench, *(f"{A}/{number}" for number in range(3)))
    host = next(iter(bench.shard.frontier.hosts.values()))
    host.state.pages = 2
    bench.shard.frontier.working.hold(host, Hold(Reason.CAP), bench.clock.now())
    bench.worker.perform(bench.shard, list(bench.shard.frontier.working.out))
    bench.shard.frontier.working.out.clear()
    commit(bench)
    bench.frontier = {"pages_per_host_max": cap}
    bench.reopen()
    assert (bench.shard.ledger.held, bench.shard.ledger.queued) == (held, queued)
    assert len(bench.shard.rows.scan(Table.HELD, b"", b"\xff" * 9, 9)) == (1 if held else 0)
    assert bench.problems() == []


def test_a_working_set_that_is_smaller_now_takes_in_what_it_can() -> None:
    bench = Bench()
    take(bench, *(f"http://h{number}.test/" for number in range(5)))
    commit(bench)
    bench.frontier = {"hosts_max": 2}
    bench.reopen()
    assert len(hosts(bench)) == 2
    assert len(bench.shard.rows.scan(Table.READY, b"", b"\xff" * 20, 9)) == 3
    assert len(bench.shard.rows.scan(Table.ACTIVE, b"", b"\xff" * 9, 9)) == 2


def test_the_greatest_length_that_any_shard_committed_counts() -> None:
    bench = Bench(shards=3)
    marks = [
        FileMark("archive/1", 10, FileState.OPEN),
        FileMark("archive/1", 30, FileState.CLOSED),
        FileMark("archive/1", 20, FileState.OPEN),
    ]
    for number, mark in enumerate(marks):
        shard = bench.worker.shards[number]
        shard.rows.store.write(WriteBatch([(Table.FILES, mark.path.encode(), encode_mark(mark))]))
    assert committed_files(bench.worker.shards) == {"archive/1": marks[1]}
    assert commits_of(bench.worker.shards) == {0: 0, 1: 0, 2: 0}


def test_a_host_that_is_listed_and_has_no_state_is_left_out() -> None:
    bench = Bench()
    key = RULES.host_id("a.test")
    bench.shard.rows.store.write(WriteBatch([(Table.ACTIVE, key, b"")]))
    bench.shard.rows.store.sync()
    bench.reopen()
    assert hosts(bench) == {}
    bench.shard.rows.store.write(
        WriteBatch([(Table.HOST, key, encode(HostState("a.test", "a.test", queued=[1] + [0] * 5)))])
    )
    bench.shard.rows.store.sync()
    bench.reopen()
    assert hosts(bench) == {"a.test": 1}
