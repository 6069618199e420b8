"""From links to the shards that own them: every link is counted once, and goes where its site lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gossamer.core.frontier.records import PageRecord
from gossamer.core.limits import REDIRECT_HOPS_MAX
from gossamer.core.page.document import Directives, Document
from gossamer.core.page.links import LinkFlag, LinkKind, Links
from gossamer.core.scope.block_list import BlockList
from gossamer.core.scope.filters import FilterRules
from gossamer.core.scope.rules import ScopeKind
from gossamer.flow.follow import add_seeds, follow_links, follow_redirect
from gossamer.flow.widenings import Widening
from gossamer.ports.store import Table
from tests.workers import Bench, run

if TYPE_CHECKING:
    from gossamer.flow.shard import Shard

A = "http://a.test/"
Link = tuple[str, LinkKind, LinkFlag]


def document(*links: str | Link, **values: Any) -> Document:
    made = Document(**values)
    for link in links:
        url, kind, flag = (link, LinkKind.A, LinkFlag.NONE) if isinstance(link, str) else link
        made.links.add(url, kind, flag, "text")
    return made


def source(depth: int = 0, **values: Any) -> PageRecord:
    return PageRecord(A, depth=depth, **values)


def follow(bench: Bench, made: Document, record: PageRecord | None = None) -> None:
    follow_links(bench.worker, bench.owner(A), record or source(), made)


def balanced(bench: Bench) -> None:
    """The equations of the links' ledger, the queued URLs' apart."""
    assert [problem for problem in bench.problems() if problem.startswith(("found", "received"))] == []


def sent(shard: Shard) -> list[str]:
    return [url for batches in shard.outbox.filling.values() for found in batches for url in found.urls]


def test_links_are_judged_counted_and_queued() -> None:
    bench = Bench(scope=ScopeKind.HOST, seeds=(A,))
    links = document(
        "http://a.test/1",
        "http://a.test/2",
        "http://a.test/1",
        "http://b.test/",
        ("http://a.test/3", LinkKind.A, LinkFlag.NOFOLLOW),
        ("http://a.test/pic", LinkKind.IMAGE, LinkFlag.NONE),
    )
    follow(bench, links)
    ledger = bench.shard.ledger
    assert (ledger.found, ledger.new, ledger.seen) == (6, 2, 1)
    assert ledger.refused_links == {"scope": 1, "nofollow": 1, "kind not followed": 1}
    balanced(bench)
    run(bench.worker.committer.commit())
    verdicts = [(row["target"], row["verdict"]) for row in bench.datasets.rows("links")]
    assert verdicts == [
        ("http://a.test/1", "followed"),
        ("http://a.test/2", "followed"),
        ("http://a.test/1", "followed"),
        ("http://b.test/", "scope"),
        ("http://a.test/3", "nofollow"),
        ("http://a.test/pic", "kind not followed"),
    ]
    refused = {row["url"]: (row["reason"], row["depth"], row["hops"]) for row in bench.datasets.rows("refused")}
    assert refused["http://b.test/"] == ("scope", 1, "L")


@pytest.mark.parametrize(
    ("kind", "flag", "hops", "level"),
    [
        (LinkKind.A, LinkFlag.NONE, "L", 1),
        (LinkKind.IFRAME, LinkFlag.NONE, "E", 1),
        (LinkKind.A, LinkFlag.UGC, "L", 4),
        (LinkKind.A, LinkFlag.SPONSORED, "L", 4),
    ],
)
def test_how_a_link_is_remembered(kind: LinkKind, flag: LinkFlag, hops: str, level: int) -> None:
    bench = Bench()
    follow(bench, document(("http://a.test/1", kind, flag)), source(group="mine"))
    record = bench.record("http://a.test/1")
    assert record is not None
    assert (record.hops, record.level, record.depth, record.referrer, record.group) == (hops, level, 1, A, "mine")


def test_links_for_another_shard_go_into_the_outbox() -> None:
    bench = Bench(shards=4)
    urls = [f"http://{name}.test/{number}" for name in "abcdefgh" for number in range(3)]
    follow(bench, document(*urls))
    shard = bench.owner(A)
    own = [url for url in urls if bench.owner(url) is shard]
    assert sorted(sent(shard)) == sorted(set(urls).difference(own))
    assert (shard.ledger.new, shard.ledger.sent) == (len(own), len(urls) - len(own))
    assert len(shard.outbox.waiting) == len({bench.owner(url).number for url in urls}) - 1, "one batch a shard"
    balanced(bench)


def test_a_page_that_says_nofollow_sends_nothing() -> None:
    bench = Bench()
    follow(bench, document("http://a.test/1", directives=Directives(nofollow=True)))
    assert bench.shard.ledger.refused_links == {"nofollow": 1}
    balanced(bench)


def test_links_beyond_the_depth_are_refused() -> None:
    bench = Bench(filters=FilterRules(depth_max=3))
    follow(bench, document("http://a.test/1"), source(depth=2))
    follow(bench, document("http://a.test/2"), source(depth=3))
    assert bench.shard.ledger.refused_links == {"depth": 1}
    assert bench.shard.ledger.new == 1


@pytest.mark.parametrize(
    ("policy", "copy_of", "depth", "followed"),
    [
        ("never", "http://a.test/first", 1, False),
        ("never", "http://a.test/first", 0, True),  # a seed's links are always followed
        ("same-host", "http://a.test/first", 1, True),
        ("same-host", "http://b.test/first", 1, False),
        ("always", "http://b.test/first", 1, True),
        ("never", "", 1, True),
    ],
)
def test_links_of_copies(policy: str, copy_of: str, depth: int, followed: bool) -> None:
    bench = Bench(policy={"copies_follow": policy})
    record = source(depth, hops="L" * depth, copy_of=copy_of)
    follow(bench, document("http://a.test/1"), record)
    assert bench.shard.ledger.new == followed
    assert bench.shard.ledger.refused_links == ({} if followed else {"copy": 1})


def test_a_page_without_links_leaves_no_trace() -> None:
    bench = Bench()
    follow(bench, document())
    assert not bench.shard.changed


# --- redirects -------------------------------------------------------------------------------------------------------


def redirected(bench: Bench, target: str, **values: Any) -> None:
    follow_redirect(bench.worker, bench.owner(A), source(**values), target)


def test_a_redirects_target_keeps_depth_and_level_and_counts_the_hop() -> None:
    bench = Bench()
    redirected(bench, "http://a.test/new", depth=2, level=3, hops="LL", redirects=4, group="mine")
    record = bench.record("http://a.test/new")
    assert record is not None
    assert (record.depth, record.level, record.hops, record.redirects) == (2, 3, "LLR", 5)
    assert (record.referrer, record.group) == (A, "mine")
    balanced(bench)


@pytest.mark.parametrize(
    ("redirects", "refused"), [(REDIRECT_HOPS_MAX - 1, {}), (REDIRECT_HOPS_MAX, {"redirect hops": 1})]
)
def test_redirects_are_followed_to_a_limit(redirects: int, refused: dict[str, int]) -> None:
    bench = Bench()
    redirected(bench, "http://a.test/new", redirects=redirects)
    assert bench.shard.ledger.refused_links == refused
    balanced(bench)


@pytest.mark.parametrize(
    ("target", "record", "followed"),
    [
        ("http://www.a.test/", {}, True),  # a seed's redirect on its site widens the scope
        ("http://other.test/", {}, False),
        ("http://www.a.test/", {"depth": 1, "hops": "L"}, False),  # a page's does not
        ("http://www.a.test/", {"hops": "R"}, True),  # the second step of a seed's redirect does
    ],
)
def test_a_seeds_redirect_widens_the_scope_to_its_own_site(target: str, record: dict[str, Any], followed: bool) -> None:
    bench = Bench(scope=ScopeKind.HOST, seeds=(A,))
    redirected(bench, target, **record)
    assert bench.shard.ledger.new == followed
    assert bench.shard.ledger.refused_links == ({} if followed else {"scope": 1})
    run(bench.worker.committer.commit())
    assert [widening.target for widening in bench.shard.widenings()] == ([target] if followed else [])
    refused = [(row["url"], row["depth"], row["hops"]) for row in bench.datasets.rows("refused")]
    assert refused == ([] if followed else [(target, record.get("depth", 0), record.get("hops", "") + "R")])


@pytest.mark.parametrize("kind", [ScopeKind.HOST, ScopeKind.SITE, ScopeKind.ANY])
def test_where_a_seed_leads_is_kept_also_where_the_scope_has_it(kind: ScopeKind) -> None:
    """A later resume may have a scope that has it not."""
    bench = Bench(scope=kind, seeds=(A,))
    redirected(bench, "https://a.test/")
    assert list(bench.shard.widenings()) == [(A, "https://a.test/", "")]
    assert bench.worker.judge.widenings == []


def test_any_number_of_widenings_is_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.flow.widenings.ROWS_AT_ONCE", 2)
    bench = Bench()
    kept = [Widening(f"http://{name}.test/", f"http://www.{name}.test/") for name in "abcde"]
    for widening in kept:
        bench.shard.record_widening(widening)
    assert list(bench.shard.widenings()) == kept


# --- seeds -----------------------------------------------------------------------------------------------------------


def test_seeds_are_queued_where_they_are_owned() -> None:
    bench = Bench(shards=4)
    seeds = [f"http://{name}.test/" for name in "abcdef"]
    add_seeds(bench.worker, [*seeds, seeds[0]], "mine")
    for url in seeds:
        record = bench.record(url)
        assert record is not None
        assert (record.depth, record.level, record.hops, record.referrer, record.group) == (0, 0, "", "", "mine")
    assert sum(shard.ledger.new for shard in bench.worker.shards) == len(seeds)
    assert sum(shard.ledger.seen for shard in bench.worker.shards) == 1
    assert not any(shard.outbox.waiting for shard in bench.worker.shards)
    assert bench.problems() == []


def test_a_seed_that_is_refused_is_counted_for_good() -> None:
    """Also where it is all that its shard ever hears of."""
    bench = Bench(shards=4, filters=FilterRules(blocked=BlockList(hosts=frozenset({"b.test"}))))
    add_seeds(bench.worker, ["http://b.test/"])
    run(bench.worker.committer.commit())
    bench.reopen()
    ledger = bench.owner("http://b.test/").ledger
    assert (ledger.found, ledger.refused_links) == (1, {"blocked": 1})
    assert [row["reason"] for row in bench.datasets.rows("refused")] == ["blocked"]
    assert not any(shard.rows.scan(Table.PAGE, b"", b"\xff" * 30, 9) for shard in bench.worker.shards)


def test_links_travel_in_columns() -> None:
    links = Links(["http://a.test/1"], bytearray((LinkKind.A,)), bytearray((0,)), ["t"])
    bench = Bench()
    follow(bench, Document(links=links))
    assert bench.shard.ledger.new == 1
