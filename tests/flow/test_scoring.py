"""Scores in a shard: at admission, again when a head is read; what plug-ins may and may not do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.facts import PluginFailed
from gossamer.core.frontier import events
from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.holds import Ruling
from gossamer.core.frontier.importance import importance_of
from gossamer.core.frontier.priority import LEASES_BOUND, level_of
from gossamer.core.frontier.records import LAST, LEVELS, queue_key
from gossamer.core.limits import HEAD_ENTRIES_MAX
from gossamer.core.sitemap.hints import Hints
from gossamer.flow.admission import admit
from gossamer.ports.store import Table
from tests.workers import RULES, Bench, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.facts import Fact
    from gossamer.core.frontier.priority import Candidates

A = "http://a.test"
HOST_A = RULES.host_id("a.test")


def take(bench: Bench, *urls: str, base: int = 2, depth: int = 3, **values: Any) -> None:
    found = bench.found(*urls, source="http://s.test/", depth=depth, levels=bytes((base,)) * len(urls), **values)
    new, todo = admit(bench.shard, found, bench.clock.now())
    bench.shard.ledger.found += len(urls)
    bench.shard.ledger.new += new
    bench.shard.ledger.seen += len(urls) - new
    bench.worker.perform(bench.shard, todo)
    assert bench.problems() == []


def link_from(bench: Bench, sites: int) -> None:
    """So many other sites link to a.test."""
    bench.shard.sites.touch("a.test").linking_sites = sites


def level(bench: Bench, url: str) -> int:
    record = bench.record(url)
    assert record is not None
    assert record.queue == record.level
    return record.level


def levels_in_the_store(bench: Bench) -> list[int]:
    """The level of each URL of a.test by its queue entry, which must agree with its record."""
    rows = bench.shard.rows.scan(Table.QUEUE, queue_key(HOST_A, 0, 0), queue_key(HOST_A, LEVELS, 0), 10_000)
    for key, fingerprint in rows:
        record = bench.shard.page(HOST_A, fingerprint)
        assert record is not None
        assert (record.queue, record.order) == (key[8], int.from_bytes(key[-8:], "big"))
    return [key[8] for key, _ in rows]


# --- at admission ----------------------------------------------------------------------------------------------------


def test_without_anything_known_depth_decides() -> None:
    bench = Bench()
    take(bench, f"{A}/1", f"{A}/2")
    assert levels_in_the_store(bench) == [2, 2]


def test_linking_sites_raise_what_is_found_later() -> None:
    bench = Bench()
    link_from(bench, 40)
    take(bench, f"{A}/1")
    assert level(bench, f"{A}/1") == 1


def test_mutual_links_raise_nothing() -> None:
    bench = Bench()
    link_from(bench, 40)
    bench.shard.sites.touch("a.test").mutual_sites = 40
    take(bench, f"{A}/1")
    assert level(bench, f"{A}/1") == 2


def test_claims_and_importance_decide_row_by_row() -> None:
    bench = Bench()
    key = RULES.page_key("a.test", f"{A}/3")
    bench.shard.scoring.importance = importance_of(RULES, [([key], [True], [0.0])])
    take(bench, f"{A}/1", f"{A}/2", f"{A}/3", hints=[None, Hints(priority=1.0), None], letters="MML")
    assert [level(bench, f"{A}/{number}") for number in (1, 2, 3)] == [2, 1, 4]


def test_seeds_stay_first_and_paid_links_last() -> None:
    bench = Bench()
    link_from(bench, 5000)
    new, todo = admit(bench.shard, bench.found(f"{A}/seed"), bench.clock.now())
    bench.worker.perform(bench.shard, todo)
    assert new == 1
    assert level(bench, f"{A}/seed") == 0
    for depth in (1, 8):
        url = f"{A}/paid{depth}"
        found = bench.found(url, source="http://s.test/", depth=depth, levels=bytes((LAST,)))
        admit(bench.shard, found, bench.clock.now())
        assert level(bench, url) == 4


# --- again -----------------------------------------------------------------------------------------------------------


def fetch(bench: Bench) -> str:
    """The next URL that is leased, booked as done."""
    shard, lease = bench.shard, bench.next_lease(bench.shard)
    assert lease.entry is not None
    now = bench.clock.now()
    shard.dequeue(lease.host_id, lease.entry.record.queue, lease.entry.order)
    shard.ledger.done += 1
    bench.worker.budget.spend(lease, 0, page=True)
    done = events.Visited(
        lease,
        Fate(FateKind.DONE),
        ended=now,
        started=now,
        answered=True,
        slows=False,
        failed=False,
        lease_queue=lease.entry.record.queue,
    )
    bench.worker.perform(shard, shard.frontier.handle(done, now))
    assert bench.problems() == []
    assert shard.ledger.queued == len(levels_in_the_store(bench))
    return lease.url


def with_many_queued(count: int = 3 * HEAD_ENTRIES_MAX) -> tuple[Bench, list[str]]:
    """A host with URLs at level 2, and another one since it became known that many sites link there."""
    bench = Bench()
    urls = [f"{A}/{number}" for number in range(count)]
    take(bench, *urls)
    run(bench.worker.committer.commit())
    link_from(bench, 40)
    take(bench, f"{A}/new")
    assert level(bench, f"{A}/new") == 1
    return bench, urls


def test_a_head_read_again_moves_what_is_worth_more() -> None:
    bench, urls = with_many_queued()
    assert levels_in_the_store(bench).count(2) == len(urls)
    assert fetch(bench) == f"{A}/new"
    # Only what is read is scored: the first of level 2 go to the end of level 1.
    assert fetch(bench) == urls[0]
    assert levels_in_the_store(bench).count(1) == HEAD_ENTRIES_MAX - 1
    assert [fetch(bench) for _ in urls[1:]] == urls[1:]
    assert levels_in_the_store(bench) == []


def test_heads_in_memory_are_read_again_when_the_class_of_linking_sites_changes() -> None:
    bench = Bench()
    take(bench, f"{A}/1", f"{A}/2", f"{A}/3")
    fetch(bench)
    host = bench.shard.frontier.hosts[HOST_A]
    assert host.heads[2].entries
    link_from(bench, 2)
    take(bench, f"{A}/4")
    assert not host.heads[2].entries
    fetch(bench)
    assert host.heads[2].entries
    take(bench, f"{A}/5")
    assert host.heads[2].entries


@pytest.mark.parametrize("depth", [3, 8])
def test_what_is_put_last_stays_there_whatever_its_score_and_its_depth(depth: int) -> None:
    bench = Bench()
    bench.shard.frontier.judges.urls.append(
        lambda _, record, __: Ruling("", last=True) if "/cal/" in record.url else None
    )
    link_from(bench, 40)
    urls = [f"{A}/cal/{number}" for number in range(3 * HEAD_ENTRIES_MAX)]
    take(bench, *urls, base=level_of(depth), depth=depth)
    assert set(levels_in_the_store(bench)) == {level_of(depth) - 1}
    assert sorted(fetch(bench) for _ in urls) == sorted(urls)
    assert bench.shard.order <= 4 * len(urls), "each was moved once"


def test_nothing_is_lost_over_a_kill_in_the_middle() -> None:
    bench, urls = with_many_queued()
    fetch(bench)
    fetch(bench)
    run(bench.worker.committer.commit())
    before = levels_in_the_store(bench)
    bench.reopen()
    assert levels_in_the_store(bench) == before
    assert bench.shard.ledger.queued == len(before) == len(urls) - 1
    assert sorted(fetch(bench) for _ in before) == sorted(urls[1:])


def test_a_move_that_was_not_committed_did_not_happen() -> None:
    bench, urls = with_many_queued()
    run(bench.worker.committer.commit())
    fetch(bench)
    fetch(bench)
    bench.reopen()
    assert levels_in_the_store(bench) == [1] + [2] * len(urls)
    assert len({fetch(bench) for _ in range(len(urls) + 1)}) == len(urls) + 1


# --- plug-ins --------------------------------------------------------------------------------------------------------


@dataclass
class ByPath:
    """Raises what has a word in its path."""

    word: str = "good"
    asked: list[int] = field(default_factory=list[int])

    def score(self, links: Candidates) -> Sequence[float]:
        self.asked.append(len(links))
        return [2.0 if self.word in url else 0.0 for url in links.urls]


class Broken:
    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.asked = 0

    def score(self, links: Candidates) -> Sequence[float]:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        found: Sequence[float] = self.answer
        return found


def test_a_scorer_has_a_say_batch_by_batch() -> None:
    bench, scorer = Bench(), ByPath()
    bench.shard.scoring.scorers["mine"] = scorer
    take(bench, f"{A}/good", f"{A}/other")
    take(bench, f"{A}/good", f"{A}/other")
    assert scorer.asked == [2]
    assert (level(bench, f"{A}/good"), level(bench, f"{A}/other")) == (1, 2)


@pytest.mark.parametrize(
    "answer", [RuntimeError("no"), [1.0], [1.0, float("nan")], [1.0, float("inf")], None, ["a", "b"], 3]
)
def test_a_scorer_that_fails_is_told_of_once_and_left_out(answer: Any) -> None:
    bench = Bench()
    told: list[Fact] = []
    scoring, broken = bench.shard.scoring, Broken(answer)
    scoring.tell = told.append
    scoring.scorers.update({"broken": broken, "mine": ByPath()})
    take(bench, f"{A}/1", f"{A}/good")
    take(bench, f"{A}/3", f"{A}/4")
    assert [type(fact) for fact in told] == [PluginFailed]
    assert broken.asked == 1
    assert level(bench, f"{A}/good") == 1


def test_points_beyond_all_levels_are_cut() -> None:
    bench = Bench()
    bench.shard.scoring.scorers["mine"] = Broken([1e300, -1e300])
    take(bench, f"{A}/1", f"{A}/2")
    assert (level(bench, f"{A}/1"), level(bench, f"{A}/2")) == (1, 4)


def test_the_bound_is_more_than_all_levels() -> None:
    assert LEASES_BOUND > LEVELS
