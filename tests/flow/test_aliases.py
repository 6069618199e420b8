"""Alias rules in a crawl: learned, applied, and undone without a page lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from gossamer.core.ending import EndState
from gossamer.core.frontier.records import PageRecord, PageState
from gossamer.core.limits import ALIAS_PARAMETER_SAMPLES_MIN, ALIAS_SAMPLES_MIN
from gossamer.core.url.alias import AliasRule
from gossamer.flow import alias_evidence, aliases
from gossamer.flow.loop import crawl
from gossamer.flow.operations import add_urls
from gossamer.flow.seeding import seed
from gossamer.ports.store import Table
from gossamer.simulation.clock import SimClock
from tests.workers import RULES, Bench, Reply, page, run

H = "http://h.test"
EARLY = range(10)
"""Pages linked first, from which the rules are learned."""
LATE = range(20, 40)

Spell = Callable[[int], str]


@pytest.fixture(autouse=True)
def _none_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every URL that a rule leaves alone is left alone, so that the counts are exact."""
    monkeypatch.setattr(aliases, "is_checked", lambda key: False)


def site(bench: Bench, one: Spell, other: Spell, late: Iterable[int] = LATE) -> None:
    """A start page that links each early page in both spellings, and a second one that does so with the late pages."""
    late = list(late)
    bench.web.put(f"{H}/", page(*(spell(number) for number in EARLY for spell in (one, other)), "/more"))
    bench.web.put(f"{H}/more", page(*(spell(number) for number in late for spell in (one, other)), words="more"))
    for number in (*EARLY, *late):
        for spell in (one, other):
            bench.web.put(absolute(spell(number)), page(words=f"page {number}"))


def absolute(reference: str) -> str:
    return reference if reference.startswith("http") else H + reference


async def crawled(bench: Bench, *seeds: str) -> EndState:
    seed(bench.worker, ((url, "") for url in seeds))
    ending = await crawl(bench.worker)
    await bench.worker.committer.commit()
    await bench.worker.finish_files()
    assert bench.problems() == []
    return ending


def rules_of(bench: Bench, host: str = "h.test") -> list[AliasRule]:
    state = bench.owner(f"http://{host}/").host_state(RULES.host_id(host))
    assert state is not None
    return state.aliases


def record_of(bench: Bench, url: str) -> PageRecord:
    record = bench.record(url)
    assert record is not None, url
    return record


def left_alone(bench: Bench) -> int:
    return sum(shard.ledger.refused.get("alias", 0) for shard in bench.worker.shards)


def slashless(number: int) -> str:
    return f"/p{number}"


def slashed(number: int) -> str:
    return f"/p{number}/"


SPELLINGS: dict[str, tuple[Spell, Spell]] = {
    "final slash": (slashless, slashed),
    "index page index.html": (lambda number: f"/d{number}/", lambda number: f"/d{number}/index.html"),
    "scheme": (lambda number: f"http://h.test/p{number}", lambda number: f"https://h.test/p{number}"),
    "parameter ref": (lambda number: f"/p{number}", lambda number: f"/p{number}?ref=front"),
}


@pytest.mark.parametrize("what", SPELLINGS)
def test_what_makes_no_difference_is_learned(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.core.url.alias.ALIAS_PARAMETER_SAMPLES_MIN", ALIAS_SAMPLES_MIN)
    one, other = SPELLINGS[what]
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    site(bench, one, other)
    assert run(crawled(bench, f"{H}/")) is EndState.COMPLETE
    learned = [rule for rule in rules_of(bench) if rule.is_in_force]
    assert [rule.words for rule in learned] == [what]
    assert learned[0].agreed >= ALIAS_SAMPLES_MIN
    # Spellings of another authority wait until the one that stands is a page: its robots.txt may say no.
    assert left_alone(bench) == (0 if what == "scheme" else len(LATE))
    fetched = {url for url in bench.web.urls if not url.endswith("robots.txt")}
    for number in LATE:
        assert {absolute(one(number)), absolute(other(number))} & fetched
    for number in LATE if left_alone(bench) else ():
        record = record_of(bench, absolute(other(number)))
        assert (record.state, record.reason) == (PageState.REFUSED, "alias")
        assert record.alias_of == absolute(one(number))


def test_pages_known_in_both_spellings_are_marked() -> None:
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    site(bench, slashless, slashed)
    run(crawled(bench, f"{H}/"))
    marked = [number for number in EARLY if record_of(bench, f"{H}/p{number}/").alias_of == f"{H}/p{number}"]
    assert len(marked) == len(EARLY) - ALIAS_SAMPLES_MIN + 1


def test_the_other_scheme_is_left_alone_once_the_page_is_there() -> None:
    """Redirects for good from http to https teach it; a later link to http needs no request."""
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    secure = [f"https://h.test/p{number}" for number in EARLY]
    bench.web.put(f"{H}/", page(*(f"/p{number}" for number in EARLY), *secure, "https://h.test/later"))
    for number, url in enumerate(secure):
        bench.web.put(f"{H}/p{number}", Reply(status=301, headers=(("Location", url),)))
        bench.web.put(url, page("https://h.test/q", words=f"page {number}"))
    bench.web.put("https://h.test/q", page("https://h.test/r", words="q"))
    bench.web.put("https://h.test/r", page(f"{H}/q", f"{H}/later", f"{H}/new", words="r"))
    bench.web.put("https://h.test/later", page(words="later"))
    bench.web.put(f"{H}/new", page(words="new"))
    run(crawled(bench, f"{H}/"))
    assert [rule.words for rule in rules_of(bench) if rule.is_in_force] == ["scheme"]
    assert left_alone(bench) == 2
    assert record_of(bench, f"{H}/q").alias_of == "https://h.test/q"
    assert record_of(bench, f"{H}/new").state == PageState.DONE


def two_hosts() -> Bench:
    """Pages under both names, and once that is learned, pages that link to the other name's."""
    bench = Bench(clock=SimClock(), seeds=("http://h.test/",))
    site(bench, lambda number: f"http://h.test/p{number}", lambda number: f"http://www.h.test/p{number}", late=())
    # The hosts are asked side by side: the pages that show the rule at work come late.
    for number in EARLY:
        bench.web.put(f"{H}/more{number or ''}", page(f"/more{number + 1}", words=f"more {number}"))
    bench.web.put(f"{H}/more{len(EARLY)}", page("http://www.h.test/a", words="more"))
    for host in ("h.test", "www.h.test"):
        bench.web.put(f"http://{host}/a", page("http://h.test/b", words="a"))
        bench.web.put(f"http://{host}/b", page("http://h.test/a", "http://www.h.test/b", words="b"))
    return bench


def test_www_is_learned_for_both_hosts() -> None:
    bench = two_hosts()
    run(crawled(bench, f"{H}/"))
    for host in ("h.test", "www.h.test"):
        assert [rule.words for rule in rules_of(bench, host) if rule.is_in_force] == ["www"]
    assert record_of(bench, "http://h.test/a").alias_of == "http://www.h.test/a"
    assert record_of(bench, "http://www.h.test/b").alias_of == "http://h.test/b"


def test_www_that_errs_on_one_host_ends_on_both(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = two_hosts()
    bench.web.put("http://h.test/b", page("http://h.test/a", "http://www.h.test/b", "http://h.test/c", words="b"))
    bench.web.put("http://h.test/c", page("http://www.h.test/c", words="c"))
    bench.web.put("http://www.h.test/c", page(words="not what /c is on the other host"))
    checked = RULES.page_key("www.h.test", "http://www.h.test/c")
    monkeypatch.setattr(aliases, "is_checked", lambda key: key == checked)
    run(crawled(bench, f"{H}/"))
    for host in ("h.test", "www.h.test"):
        assert not [rule for rule in rules_of(bench, host) if rule.is_in_force]
    assert left_alone(bench) == 0
    assert {f"http://{host}/{name}" for host in ("h.test", "www.h.test") for name in "abc"} <= set(bench.web.urls)


def test_a_useless_parameter_stands_for_all_its_values() -> None:
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    early = range(ALIAS_PARAMETER_SAMPLES_MIN)
    bench.web.put(f"{H}/", page(*(f"/p{n}{tail}" for n in early for tail in ("", "?ref=1")), "/more"))
    for number in early:
        for tail in ("", "?ref=1"):
            bench.web.put(f"{H}/p{number}{tail}", page(words=f"page {number}"))
    # No page names /late without a value.
    bench.web.put(f"{H}/more", page(*(f"/late?ref={number}" for number in range(9)), words="more"))
    for number in range(9):
        bench.web.put(f"{H}/late?ref={number}", page(words="late"))
    run(crawled(bench, f"{H}/"))
    assert [rule.words for rule in rules_of(bench) if rule.is_in_force] == ["parameter ref"]
    assert sum("/late" in url for url in bench.web.urls) == 1
    assert left_alone(bench) == 8


@pytest.mark.parametrize("difference", ["bodies", "gone", "elsewhere", "only one page"])
def test_what_makes_a_difference_is_not_learned(difference: str) -> None:
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    site(bench, slashless, slashed)
    if difference == "bodies":
        bench.web.put(f"{H}/p3/", page(words="another page"))
    elif difference == "gone":
        bench.web.put(f"{H}/p3/", Reply(status=404))
    elif difference == "elsewhere":
        bench.web.put(f"{H}/p3/", Reply(status=301, headers=(("Location", f"{H}/p1"),)))
    else:
        for url in list(bench.web.replies):
            if url not in (f"{H}/", f"{H}/more"):
                bench.web.put(url, page(words="there is nothing here"))
    run(crawled(bench, f"{H}/"))
    assert not any(rule.is_in_force for rule in rules_of(bench))
    assert left_alone(bench) == 0


def test_turned_off_nothing_is_learned() -> None:
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    bench.worker.rules.aliases = False
    site(bench, slashless, slashed)
    run(crawled(bench, f"{H}/"))
    assert rules_of(bench) == []
    assert left_alone(bench) == 0


@pytest.mark.parametrize("at_once", [2, 1000])
def test_a_rule_that_errs_ends_and_what_it_left_alone_is_fetched(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    site(bench, slashless, slashed)
    bench.web.put(f"{H}/p39/", page(words="not what /p39 is"))
    checked = RULES.page_key("h.test", f"{H}/p39/")
    monkeypatch.setattr(aliases, "is_checked", lambda key: key == checked)
    monkeypatch.setattr(alias_evidence, "ALIAS_RELEASED_AT_ONCE", at_once)
    run(crawled(bench, f"{H}/"))
    [rule] = [rule for rule in rules_of(bench) if rule.words == "final slash"]
    assert not rule.is_in_force
    assert set(rule.against) == {f"{H}/p39", f"{H}/p39/"}
    assert left_alone(bench) == 0
    for number in LATE:
        assert {f"{H}/p{number}", f"{H}/p{number}/"} <= set(bench.web.urls)
    assert bench.shard.rows.scan(Table.ALIAS, b"", b"\xff" * 60, 9) == []
    assert len(bench.web.urls) == len(set(bench.web.urls))


@pytest.mark.parametrize("reply", [Reply(status=404), Reply(status=301, headers=(("Location", f"{H}/p30/"),))])
def test_a_page_that_stands_for_another_and_is_none_gives_way(reply: Reply) -> None:
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    site(bench, slashless, slashed)
    bench.web.put(f"{H}/p30", reply)
    run(crawled(bench, f"{H}/"))
    assert record_of(bench, f"{H}/p30/").state == PageState.DONE
    assert {f"{H}/p{number}" for number in LATE} <= set(bench.web.urls)


def test_rules_and_what_they_left_alone_survive_a_kill() -> None:
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    site(bench, slashless, slashed)
    run(crawled(bench, f"{H}/"))
    bench.reopen()
    assert [rule.words for rule in rules_of(bench) if rule.is_in_force] == ["final slash"]
    assert len(bench.shard.rows.scan(Table.ALIAS, b"", b"\xff" * 60, 99)) == len(LATE)
    assert left_alone(bench) == len(LATE)


def test_what_people_name_is_fetched_as_they_name_it() -> None:
    bench = Bench(clock=SimClock(), seeds=(f"{H}/",))
    site(bench, slashless, slashed)
    run(crawled(bench, f"{H}/"))
    bench.web.put(f"{H}/p5000", page(words="seed"))
    bench.web.put(f"{H}/p5000/", page(words="seed"))
    bench.reopen()

    async def again() -> None:
        before = left_alone(bench)
        add_urls(bench.worker, [f"{H}/p5000", f"{H}/p5000/"], "")
        await crawl(bench.worker)
        assert left_alone(bench) == before

    run(again())
    assert {f"{H}/p5000", f"{H}/p5000/"} <= set(bench.web.urls)
