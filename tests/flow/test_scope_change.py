"""A changed scope: what is queued ends where it is wanted no more, what was refused is found once more, once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.core.ending import EndState
from gossamer.core.facts import Fact, ScopeChanged
from gossamer.core.frontier.records import PageState
from gossamer.core.page.links import LinkKind
from gossamer.core.scope.block_list import read_block_list
from gossamer.core.scope.filters import FilterRules, followed_kinds
from gossamer.core.scope.identity import JudgedBy, rules_digest
from gossamer.core.scope.patterns import Patterns
from gossamer.core.scope.rules import ScopeKind
from gossamer.flow import scope_change
from gossamer.flow.loop import crawl
from gossamer.flow.scope_change import reconsider
from gossamer.flow.seeding import seed
from gossamer.simulation.clock import SimClock
from gossamer.simulation.refused import MemoryRefused
from tests.workers import Bench, Reply, page, run

A, B, C = "http://a.test", "http://b.test", "http://c.test"


class Heard:
    """Facts noted."""

    waiting = False

    def __init__(self) -> None:
        self.facts: list[Fact] = []

    def note(self, fact: Fact, at: float) -> None:
        del at
        self.facts.append(fact)

    def flush(self) -> None:
        """Nothing to write."""


def chain(bench: Bench, host: str, links: int, *others: str) -> None:
    """Pages that lead one to the next, each to some other URLs, too."""
    for number in range(links):
        bench.web.put(f"{host}/{number}", page(f"/{number + 1}", *others, words=f"{host} {number}"))


def judged(bench: Bench, **values: Any) -> JudgedBy:
    return JudgedBy(rules=rules_digest(bench.worker.judge), **values)


async def life(bench: Bench, pages: int | None = None, **values: Any) -> tuple[EndState, list[ScopeChanged]]:
    """One run, of so many pages in all; its end and what was told of a changed scope."""
    bench.worker.parser = TurboParser()
    heard = bench.worker.facts = Heard()
    bench.worker.budget.pages_max = pages
    bench.worker.budget.pages = sum(shard.ledger.pages for shard in bench.worker.shards)
    refused = MemoryRefused(bench.datasets, batch_rows=3)
    reconsider(bench.worker, judged(bench, **values), lambda: refused)
    seed(bench.worker, [(f"{A}/0", "north")])
    ending = await crawl(bench.worker)
    await bench.worker.committer.commit()
    return ending, [fact for fact in heard.facts if isinstance(fact, ScopeChanged)]


def done(bench: Bench) -> set[str]:
    """The URLs that were asked for, robots.txt left out."""
    return {url for url in bench.web.urls if not url.endswith("robots.txt")}


def again(bench: Bench, scope: ScopeKind = ScopeKind.HOST, **filters: Any) -> None:
    """The next run has another scope."""
    bench.scope, bench.filters = scope, replace(FilterRules(), **filters)
    bench.reopen()


def bench_of(scope: ScopeKind = ScopeKind.HOST, shards: int = 2, **filters: Any) -> Bench:
    bench = Bench(shards=shards, seeds=(f"{A}/0",), scope=scope, clock=SimClock(), filters=FilterRules(**filters))
    chain(bench, A, 6, f"{B}/0")
    chain(bench, B, 3, f"{C}/0")
    bench.web.put(f"{A}/6", page(words="end"))
    bench.web.put(f"{B}/3", page(words="end of b"))
    bench.web.put(f"{C}/0", page(words="c"))
    return bench


def test_a_wider_scope_offers_what_was_refused() -> None:
    bench = bench_of()
    assert run(life(bench)) == (EndState.COMPLETE, [])
    assert bench.record(f"{B}/0") is None
    again(bench, ScopeKind.ANY)
    ending, told = run(life(bench))
    assert ending is EndState.COMPLETE
    assert [(fact.offered, fact.withdrawn) for fact in told] == [(1, 0)]
    assert told[0].refused >= 1
    record = bench.record(f"{B}/0")
    assert record is not None
    # As near to a seed and by the way it was met first.
    assert (record.depth, record.hops, record.referrer, record.group) == (1, "L", f"{A}/0", "north")
    assert (record.state, record.link_kind) == (PageState.DONE, LinkKind.A)
    assert f"{C}/0" in done(bench)
    assert bench.problems() == []
    asked = len(bench.web.asked)
    again(bench, ScopeKind.ANY)
    assert run(life(bench)) == (EndState.COMPLETE, []), "once a change"
    assert len(bench.web.asked) == asked


def test_a_narrower_scope_ends_what_is_queued() -> None:
    bench = bench_of(ScopeKind.ANY)
    assert run(life(bench, pages=4))[0] is EndState.LIMIT
    queued = [url for url in (f"{B}/0", f"{B}/1", f"{C}/0") if (known := bench.record(url)) and known.state == 1]
    assert queued
    asked = len(bench.web.asked)
    again(bench)
    ending, told = run(life(bench))
    assert ending is EndState.COMPLETE
    assert [(fact.offered, fact.withdrawn) for fact in told] == [(0, len(queued))]
    assert all(url.startswith(A) for _, url in bench.web.asked[asked:])
    for url in queued:
        record = bench.record(url)
        assert record is not None
        assert (record.state, record.reason) == (PageState.REFUSED, "scope")
    assert bench.problems() == []
    again(bench, ScopeKind.ANY)
    ending, told = run(life(bench))
    assert (ending, told[0].offered >= len(queued)) == (EndState.COMPLETE, True)
    assert {f"{B}/{number}" for number in range(4)} | {f"{C}/0"} <= done(bench)
    assert bench.problems() == []


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        ({"depth_max": 2}, {"depth_max": 20}),
        ({"exclude": Patterns(["/[3-9]$"])}, {}),
        ({"include": Patterns(["/[0-2]$"])}, {}),
        ({"blocked": read_block_list("a.test/3")[0]}, {}),
        ({"url_length_max": 15}, {}),
    ],
)
def test_every_rule_can_change(narrow: dict[str, Any], wide: dict[str, Any]) -> None:
    bench = bench_of(**narrow)
    assert run(life(bench))[0] is EndState.COMPLETE
    least = done(bench)
    again(bench, **wide)
    ending, told = run(life(bench))
    assert (ending, len(told)) == (EndState.COMPLETE, 1)
    other = bench_of(**wide)
    run(life(other))
    assert least <= done(bench) == done(other)
    assert bench.problems() == []


def test_links_of_other_kinds_and_with_nofollow() -> None:
    start = (
        b"<!doctype html><title>s</title><a href=/plain rel=nofollow>p</a><img src=/drawn>"
        b"<script src=/run></script><a href=/both>b</a><img src=/both>"
    )
    bench = Bench(seeds=(f"{A}/0",), scope=ScopeKind.HOST, clock=SimClock())
    bench.web.put(f"{A}/0", Reply(start))
    for name in ("plain", "drawn", "run", "both"):
        bench.web.put(f"{A}/{name}", page(words=name))
    run(life(bench))
    assert done(bench) == {f"{A}/0", f"{A}/both"}
    again(bench, obey_nofollow=False)
    run(life(bench))
    assert done(bench) == {f"{A}/0", f"{A}/both", f"{A}/plain"}
    again(bench, obey_nofollow=False, kinds=followed_kinds(["image"]))
    run(life(bench))
    assert done(bench) == {f"{A}/0", f"{A}/both", f"{A}/plain", f"{A}/drawn"}
    assert bench.problems() == []


def test_media_types_cost_a_fetch_and_are_asked_for_only_when_more_are_wanted() -> None:
    bench = Bench(seeds=(f"{A}/0",), scope=ScopeKind.HOST, clock=SimClock())
    bench.web.put(f"{A}/0", page("/words"))
    bench.web.put(f"{A}/words", Reply(b"words", headers=(("Content-Type", "text/plain"),)))
    html = ("text/html",)
    run(life(bench, media=html))
    again(bench, depth_max=9)
    run(life(bench, media=html))
    assert bench.web.urls.count(f"{A}/words") == 1
    again(bench, depth_max=9)
    assert [fact.offered for fact in run(life(bench, media=(*html, "text/plain")))[1]] == [1]
    assert bench.web.urls.count(f"{A}/words") == 2


@pytest.mark.parametrize("steps", [1, 3, 5, 8, 13, 21, 34, 55, 89, 144])
def test_killed_on_the_way_it_begins_again(steps: int) -> None:
    bench = bench_of(shards=3)
    run(life(bench))
    again(bench, ScopeKind.ANY)

    async def killed() -> None:
        running = asyncio.ensure_future(life(bench))
        for _ in range(steps):
            await asyncio.sleep(0)
        running.cancel()
        await asyncio.wait([running])

    run(killed())
    bench.reopen()
    assert run(life(bench))[0] is EndState.COMPLETE
    other = bench_of(ScopeKind.ANY, shards=3)
    run(life(other))
    assert done(bench) == done(other)
    assert bench.problems() == []


def test_it_commits_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scope_change, "OFFERED_PER_COMMIT", 2)
    bench = Bench(seeds=(f"{A}/0",), scope=ScopeKind.HOST, clock=SimClock())
    bench.web.put(f"{A}/0", page(*(f"http://x{number}.test/" for number in range(20))))
    run(life(bench))
    again(bench, ScopeKind.ANY)
    assert [fact.offered for fact in run(life(bench))[1]] == [20]
    assert bench.problems() == []


def test_a_new_crawl_has_nothing_to_reconsider() -> None:
    bench = bench_of()
    bench.reopen()
    assert run(life(bench)) == (EndState.COMPLETE, [])


def test_refused_for_another_reason_now_it_is_said_so() -> None:
    bench = bench_of()
    run(life(bench))
    again(bench, ScopeKind.ANY, exclude=Patterns(["b.test"]))
    run(life(bench))
    rows = [row for row in bench.datasets.rows("refused") if row["url"] == f"{B}/0"]
    assert [(row["reason"], row["count"]) for row in rows][-1] == ("excluded", 0)
    again(bench, ScopeKind.ANY)
    assert [fact.offered for fact in run(life(bench))[1]] == [1]


@pytest.mark.parametrize("frontier", [{"hosts_max": 1}, {"pages_per_host_max": 1}], ids=["asleep", "held"])
def test_hosts_outside_the_working_set(frontier: dict[str, Any]) -> None:
    bench = Bench(
        seeds=(f"{A}/0",),
        scope=ScopeKind.ANY,
        clock=SimClock(),
        frontier=frontier,
        gap=100.0 if "hosts_max" in frontier else 1.0,
    )
    others = [f"http://x{number}.test/" for number in range(5)]
    bench.web.put(f"{A}/0", page(*others, "/1", "/2"))
    for url in others:
        bench.web.put(url, page("/deeper", words=url))
    run(life(bench, pages=3 if "hosts_max" in frontier else None))
    waiting = bench.shard.ledger.queued + bench.shard.ledger.held
    assert waiting > 3
    again(bench)
    bench.frontier = {}
    ending, told = run(life(bench))
    assert ending in (EndState.COMPLETE, EndState.LIMIT)
    assert told[0].withdrawn >= 3
    assert bench.problems() == []
    assert all(record.state != PageState.QUEUED for url in others if (record := bench.record(url)) is not None)
