"""Admission: each URL key once, in the order found, with all that is known of how it was found."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.core.frontier.commands import Move
from gossamer.core.frontier.records import PageState
from gossamer.flow.admission import admit
from gossamer.ports.store import Table
from tests.workers import Bench, run

A, B = "http://a.test", "http://b.test"


def queue(bench: Bench) -> list[str]:
    """Fetch URLs as they are queued, host by host, queue by queue, in order."""
    shard = bench.shard
    rows = shard.rows.scan(Table.QUEUE, b"", b"\xff" * 20, 1000)
    records = [shard.page(key[:8], fingerprint) for key, fingerprint in rows]
    return [record.url for record in records if record is not None]


def take(bench: Bench, *urls: str, source: str = "") -> int:
    new, todo = admit(bench.shard, bench.found(*urls, source=source), bench.clock.now())
    bench.worker.perform(bench.shard, todo)
    ledger = bench.shard.ledger
    ledger.found += len(urls)
    ledger.new += new
    ledger.seen += len(urls) - new
    assert bench.problems() == []
    return new


def test_new_urls_are_queued_once_in_the_order_found() -> None:
    bench = Bench()
    assert take(bench, f"{A}/2", f"{A}/1", f"{A}/2", f"{A}/3") == 3
    assert queue(bench) == [f"{A}/2", f"{A}/1", f"{A}/3"]
    assert take(bench, f"{A}/1", f"{A}/4") == 1
    assert queue(bench)[-1] == f"{A}/4"
    assert bench.shard.ledger.known == bench.shard.ledger.queued == 4


def test_the_key_is_compared_and_the_first_spelling_is_fetched() -> None:
    bench = Bench()
    assert take(bench, f"{A}/%7euser", f"{A}/~user", f"{A}/%7Euser") == 1
    assert queue(bench) == [f"{A}/%7euser"]
    assert take(bench, f"{A}/~user") == 0


def test_the_scheme_and_the_port_are_part_of_the_key() -> None:
    bench = Bench()
    assert take(bench, f"{A}/", "https://a.test/", "http://a.test:81/") == 3
    assert len(bench.shard.frontier.hosts) == 1


def test_the_record_says_how_it_was_found() -> None:
    bench = Bench()
    found = bench.found(
        f"{B}/x", source=f"{A}/", depth=3, hops="LR", group="mine", redirects=2, letters="E", levels=b"\2"
    )
    admit(bench.shard, found, bench.clock.now())
    record = bench.record(f"{B}/x")
    assert record is not None
    assert (record.referrer, record.depth, record.hops, record.group) == (f"{A}/", 3, "LRE", "mine")
    assert (record.redirects, record.level, record.queue, record.state) == (2, 2, 2, PageState.QUEUED)
    assert record.found_at == bench.clock.now()


def test_a_new_host_gets_a_state_with_its_site_and_a_place() -> None:
    bench = Bench()
    _, todo = admit(bench.shard, bench.found("http://www.b.test/"), bench.clock.now())
    (move,) = todo
    assert isinstance(move, Move)
    assert move.active
    state = bench.shard.frontier.hosts[move.host_id].state
    assert (state.name, state.site, state.total) == ("www.b.test", "b.test", 1)


def test_a_host_outside_the_working_set_is_brought_with_what_is_known_of_it() -> None:
    bench = Bench(frontier={"hosts_max": 1})
    take(bench, f"{A}/1", f"{B}/1")
    run(bench.worker.committer.commit())
    take(bench, f"{B}/2", f"{A}/2")
    run(bench.worker.committer.commit())
    hosts = [host for host in bench.shard.load_hosts([RULES_A, RULES_B]) if host is not None]
    assert [host.state.total for host in hosts] == [2, 2]
    assert len(bench.shard.rows.scan(Table.READY, b"", b"\xff" * 20, 9)) == 1


RULES_A = Bench().worker.rules.ids.host_id("a.test")
RULES_B = Bench().worker.rules.ids.host_id("b.test")


def test_a_url_known_to_the_store_alone_is_not_new() -> None:
    """After a reopening nothing is recent, and the filter's maybe is settled by the store."""
    bench = Bench()
    take(bench, *(f"{A}/{number}" for number in range(30)))
    run(bench.worker.committer.commit())
    bench.reopen()
    assert take(bench, *(f"{A}/{number}" for number in range(40))) == 10
    assert len(queue(bench)) == 40


def test_what_was_not_committed_is_new_again() -> None:
    bench = Bench()
    take(bench, f"{A}/1")
    run(bench.worker.committer.commit())
    take(bench, f"{A}/2")
    bench.reopen()
    assert take(bench, f"{A}/1", f"{A}/2") == 1


def test_nothing_found_changes_nothing() -> None:
    bench = Bench()
    assert admit(bench.shard, bench.found(), bench.clock.now()) == (0, [])
    assert not bench.shard.rows.changed


@settings(max_examples=25)
@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 12)), max_size=15), max_size=8), st.data())
def test_whatever_comes_in_whatever_batches_is_known_once(
    batches: list[list[tuple[str, int]]], data: st.DataObject
) -> None:
    bench = Bench(frontier={"hosts_max": data.draw(st.sampled_from([1, 2, 100]))})
    known: list[str] = []
    for batch in batches:
        urls = [f"http://{host}.test/{number}" for host, number in batch]
        fresh = list(dict.fromkeys(url for url in urls if url not in known))
        assert take(bench, *urls) == len(fresh)
        known += fresh
        if data.draw(st.booleans()):
            run(bench.worker.committer.commit())
    assert sorted(queue(bench)) == sorted(known)
    for host in "abc":
        of_host = [url for url in known if url.startswith(f"http://{host}.")]
        assert [url for url in queue(bench) if url in of_host] == of_host
