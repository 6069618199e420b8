"""The counts of a shard's templates: kept with its commits, bounded, and asked before a lease."""

from __future__ import annotations

from gossamer.core.frontier.holds import Ruling
from gossamer.core.frontier.records import LAST, HostState, PageRecord
from gossamer.core.limits import TEMPLATES_PER_SITE_MAX, TRAP_HOSTS_WATCHED_MAX, TRAP_HOSTS_WATCHED_SECONDS
from gossamer.core.page.found import FoundLinks
from gossamer.core.page.links import LinkKind
from gossamer.core.scope.reasons import Reason
from gossamer.core.seen.fingerprint import KEY_BYTES, Fingerprinter
from gossamer.core.trap.rules import TrapRules, Word
from gossamer.core.url.key import KeyRules
from gossamer.core.url.site import SiteList
from gossamer.flow.pending import PendingStore
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.templates import Templates
from gossamer.simulation.store import MemoryDisk, MemoryStore

RULES = ShardRules(Fingerprinter(bytes(KEY_BYTES)), KeyRules(), SiteList(), 1)
HOST = HostState("site.test", "site.test")


def commit(rows: PendingStore, templates: Templates) -> None:
    templates.begin_commit()
    rows.store.write(rows.begin_commit())
    rows.end_commit()


def link(url: str, kind: LinkKind = LinkKind.A) -> PageRecord:
    return PageRecord(url, hops="L", link_kind=kind)


def fetched(templates: Templates, path: str, count: int, *, novel: bool = False) -> int:
    facts = [templates.visited(f"http://site.test/{path}{number}", 1.0, b"", novel=novel)[1] for number in range(count)]
    return sum(map(len, facts))


def test_a_closed_template_refuses_what_was_found_by_links_only() -> None:
    templates = Templates(PendingStore(MemoryStore(MemoryDisk())), RULES, TrapRules())
    assert fetched(templates, "go/", 20) == 2
    ruling = templates.judge(HOST, link("http://site.test/go/999"), 2.0)
    assert ruling is not None
    assert ruling.reason == Reason.TRAP
    assert "0 of 20 fetches" in ruling.detail
    assert templates.judge(HOST, link("http://site.test/other/9"), 2.0) is None
    assert templates.judge(HOST, link("http://site.test/go/999", LinkKind.SITEMAP), 2.0) is None
    assert templates.judge(HOST, PageRecord("http://site.test/go/999", link_kind=LinkKind.SEED), 2.0) is None


def test_counts_and_verdicts_outlive_a_restart() -> None:
    store = MemoryStore(MemoryDisk())
    rows = PendingStore(store)
    templates = Templates(rows, RULES, TrapRules())
    fetched(templates, "go/", 20)
    commit(rows, templates)
    again = Templates(PendingStore(store), RULES, TrapRules())
    assert again.judge(HOST, link("http://site.test/go/999"), 2.0) is not None
    assert [counts.text for _, counts in again.suspects()] == ["site.test/go/N"]


def test_a_persons_word_stands_above_the_counts() -> None:
    templates = Templates(PendingStore(MemoryStore(MemoryDisk())), RULES, TrapRules())
    fetched(templates, "go/", 20)
    templates.adopt(TrapRules(words={"site.test/go/N": Word.EXCLUDE, "site.test/item/N": Word.CONFIRM}))
    assert templates.judge(HOST, link("http://site.test/go/999"), 2.0) is None
    assert templates.judge(HOST, link("http://site.test/item/1"), 2.0) is not None


def test_a_freed_template_begins_anew_and_its_urls_are_told() -> None:
    rows = PendingStore(MemoryStore(MemoryDisk()))
    templates = Templates(rows, RULES, TrapRules())
    fetched(templates, "go/", 20)
    keys = [bytes((number,)) * 24 for number in range(3)]
    for key in keys:
        templates.refused("http://site.test/go/999", key)
    assert templates.refused_keys("site.test/go/N", 10) == keys
    assert templates.forget("site.test/go/N")
    templates.taken_back("site.test/go/N", keys[:2])
    commit(rows, templates)
    assert templates.refused_keys("site.test/go/N", 10) == keys[2:]
    assert templates.judge(HOST, link("http://site.test/go/999"), 2.0) is None
    assert list(templates.suspects()) == []


def test_beyond_the_bound_all_templates_of_a_site_are_counted_together() -> None:
    templates = Templates(PendingStore(MemoryStore(MemoryDisk())), RULES, TrapRules())
    for number in range(TEMPLATES_PER_SITE_MAX):
        name = "".join(chr(97 + int(digit)) for digit in str(number))
        templates.visited(f"http://site.test/{name}/1", 1.0, b"", novel=True)
    for number in range(99):
        name = "".join(chr(97 + int(digit)) for digit in str(number))
        templates.visited(f"http://site.test/z{name}/1", 1.0, b"", novel=False)
    unseen = link("http://site.test/zzz/1")
    assert templates.judge(HOST, unseen, 2.0) is None
    templates.visited("http://site.test/zy/1", 1.0, b"", novel=False)
    ruling = templates.judge(HOST, unseen, 2.0)
    assert ruling is not None
    assert "all other templates" in ruling.detail
    assert templates.judge(HOST, link("http://site.test/a/7"), 2.0) is None


def test_hosts_nobody_has_seen_anything_of_are_closed_and_others_are_not() -> None:
    templates = Templates(PendingStore(MemoryStore(MemoryDisk())), RULES, TrapRules())
    templates.visited("http://docs.site.test/", 1.0, b"", novel=True)
    for number in range(20):
        templates.visited(f"http://{'x' * (number + 1)}.site.test/", 1.0, b"", novel=False)
    assert templates.judge(HOST, link("http://another.site.test/"), 2.0) is not None
    for url in ("http://docs.site.test/more", "http://site.test/more", "http://www.site.test/more"):
        assert templates.judge(HOST, link(url), 2.0) is None


def test_nothing_is_counted_without_rules() -> None:
    templates = Templates(PendingStore(MemoryStore(MemoryDisk())), RULES, None)
    assert fetched(templates, "go/", 50) == 0
    assert templates.judge(HOST, link("http://site.test/go/999"), 2.0) is None
    assert not templates.changed


def test_pages_that_say_the_same_under_other_dates_close_their_template() -> None:
    templates = Templates(PendingStore(MemoryStore(MemoryDisk())), RULES, TrapRules())
    news = [
        templates.visited(
            f"http://site.test/cal/2025/{number}", 1.0, f"<h1>Day {number}</h1><p>No events</p>".encode(), novel=True
        )[0]
        for number in range(10, 32)
    ]
    assert news == [True, True] + [False] * 20
    ruling = templates.judge(HOST, link("http://site.test/cal/2025/99"), 2.0)
    assert ruling is not None
    assert "closed by novelty: 1 of 21" in ruling.detail


def test_lists_of_months_do_not_close_the_days_behind_them() -> None:
    templates = Templates(PendingStore(MemoryStore(MemoryDisk())), RULES, TrapRules())
    empty = b"<h1>Nothing</h1><p>No events</p>"
    for month in range(1, 13):
        templates.visited(f"http://site.test/cal/2025/{month:02}", 1.0, empty, novel=True)
    month = templates.judge(HOST, link("http://site.test/cal/2026/01"), 2.0)
    day = templates.judge(HOST, link("http://site.test/cal/2025/01/01"), 2.0)
    assert month is not None
    assert month.reason == Reason.TRAP
    assert day is not None
    assert day.reason == ""
    for number in range(1, 5):
        templates.visited(f"http://site.test/cal/2025/01/{number:02}", 3.0, empty, novel=True)
    day = templates.judge(HOST, link("http://site.test/cal/2025/01/09"), 4.0)
    assert day is not None
    assert day.reason == Reason.TRAP


def test_a_template_with_numbers_alone_comes_last_and_is_not_closed_by_what_its_pages_say() -> None:
    templates = Templates(PendingStore(MemoryStore(MemoryDisk())), RULES, TrapRules())
    for number in range(300):
        body = f"<h1>Table {number}</h1>" + f"<p>measured values: {number * 7}</p>" * 20
        templates.visited(f"http://site.test/table/{number}", 1.0, body.encode(), novel=True)
    assert templates.judge(HOST, link("http://site.test/table/999"), 2.0) == Ruling("", last=True)
    assert templates.judge(HOST, link("http://site.test/table/999", LinkKind.SITEMAP), 2.0) is None
    found = FoundLinks(
        "", 2, "L", "", 0, 1.0, ["http://site.test/table/999", "http://site.test/x"], "LL", bytes((2, 2))
    )
    assert templates.ranked(found, [0, 1]).levels == bytes((LAST, 2))


def test_of_hosts_that_nobody_has_seen_anything_of_few_are_asked_at_once() -> None:
    templates = Templates(PendingStore(MemoryStore(MemoryDisk())), RULES, TrapRules())
    for number in range(8):
        templates.visited(f"http://{'x' * (number + 1)}.site.test/", 1.0, b"", novel=False)
    rulings = [templates.judge(HOST, link(f"http://new{number}.site.test/"), 2.0) for number in range(6)]
    assert [ruling.until for ruling in rulings if ruling is not None] == [0.0] * TRAP_HOSTS_WATCHED_MAX + [7.0] * 2
    templates.visited("http://new0.site.test/", 3.0, b"", novel=True)
    assert templates.judge(HOST, link("http://new5.site.test/"), 3.0) == Ruling("", last=True)
    assert templates.judge(HOST, link("http://new0.site.test/more"), 3.0) is None
    later = templates.judge(HOST, link("http://new4.site.test/"), 3.0 + TRAP_HOSTS_WATCHED_SECONDS)
    assert later == Ruling("", last=True), "those asked long ago have not answered"
