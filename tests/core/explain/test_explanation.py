"""From evidence to cause: each thing that can hold a URL back, alone and together, and the words for every end."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gossamer.core.explain.evidence import HostEvidence, UrlEvidence
from gossamer.core.explain.explain import explain, with_search
from gossamer.core.explain.explanation import Explanation, Referrer, Refusal, ScopePart, as_plain, from_plain
from gossamer.core.frontier.back_queue import BackQueue, Phase
from gossamer.core.frontier.records import QUEUES, RETRY, Attempt, HostState, PageRecord, PageState, retry_order
from gossamer.core.politeness.gap import Gap
from gossamer.core.robots.answer import RobotsKind, RobotsState
from gossamer.core.scope.reasons import EXPLANATIONS, Reason

NOW = 1_000_000.0
URL = "http://example.org/a"
WANTED = ScopePart(verdict="wanted", text="a seed is on example.org", judged_as="as it was found")
RULES = RobotsState(RobotsKind.RULES, NOW - 60, NOW + 3600, b"User-agent: *\nDisallow: /b\nAllow: /\n", NOW - 60)
SILENT = RobotsState(RobotsKind.UNREACHABLE, NOW - 5, NOW + 55, reason="timeout")
UNREACHABLE = RobotsState(RobotsKind.UNREACHABLE, NOW - 5, NOW + 55, reason="503")


def host(working: Phase | None = None, hold: str = "", **fields: Any) -> HostEvidence:
    state = HostState("example.org", "example.org", queued=[3, 2, 0, 0, 0, 1])
    for name, value in fields.items():
        setattr(state, name, value)
    queue = BackQueue(b"12345678", state, phase=working, at=state.next_at) if working is not None else None
    return HostEvidence(state, Gap(1.0, "minimum"), queue, hold=hold)


def evidence(record: PageRecord | None = None, **fields: Any) -> UrlEvidence:
    found = UrlEvidence(URL, URL, 3, NOW, running=True, scope=WANTED, product="gossamer")
    return replace(found, record=record, **{"host": host(Phase.WAITING), "robots": RULES, **fields})


def queued(queue: int = 1, **fields: Any) -> PageRecord:
    return PageRecord(URL, depth=1, level=1, hops="L", referrer="http://example.org/", queue=queue, **fields)


def ended(state: PageState, reason: str = "", **fields: Any) -> PageRecord:
    return PageRecord(URL, hops="L", state=state, reason=reason, **fields)


LATER = retry_order(NOW + 30, 1)

WAITING = [
    ("next", evidence(queued())),
    ("behind others", evidence(queued(), ahead=2, ahead_max=1000)),
    ("gap", evidence(queued(), host=host(Phase.WAITING, next_at=NOW + 3))),
    ("host busy", evidence(queued(), host=host(Phase.LEASED))),
    ("resolving", evidence(queued(), host=host(Phase.RESOLVING))),
    ("robots on its way", evidence(queued(), host=host(Phase.ASKING))),
    ("asleep", evidence(queued(), host=host(ready_level=1, ready_wake_ms=int(NOW * 1000) + 5000))),
    ("backing off", evidence(queued(), host=host(Phase.WAITING, failures=2, error="timeout", next_at=NOW + 10))),
    ("parked", evidence(queued(), host=host(failures=6, parked=True, error="timeout", next_at=NOW + 900))),
    ("robots unreachable", evidence(queued(), robots=UNREACHABLE)),
    ("robots unreachable", evidence(queued(), robots=UNREACHABLE, host=host(failures=1, error="http 503"))),
    # A host that is not there at all gives no robots.txt either.
    ("backing off", evidence(queued(), robots=SILENT, host=host(failures=1, error="timeout"))),
    ("retry", evidence(queued(RETRY, order=LATER, tries=1, reason="timeout"))),
    ("redirected", evidence(queued(RETRY, order=LATER, tried=["http://example.org/A"]))),
    ("put back", evidence(queued(RETRY, order=LATER))),
    ("cap", evidence(queued(), host=host(held=True, held_why="cap", pages=7))),
    ("cap", evidence(queued(), host=host(held=True))),
    ("paused", evidence(queued(), host=host(Phase.WAITING, hold="paused"))),
    ("blocked", evidence(queued(), host=host(hold="blocked", held=True, held_why="blocked"))),
    ("crawl limit", evidence(queued(), crawl_code="crawl limit", crawl_text="--max-pages 3 reached", ahead=3)),
    ("parked", evidence(queued(), crawl_code="not running", host=host(failures=6, parked=True))),
    ("in flight", evidence(queued(), leased_at=NOW - 2)),
]

ENDED = [
    ("fetched", ended(PageState.DONE, attempts=[Attempt(NOW, "fetched", 200)])),
    ("copy", ended(PageState.DONE, attempts=[Attempt(NOW, "fetched", 200)], copy_of="http://example.org/")),
    ("not modified", ended(PageState.DONE, attempts=[Attempt(NOW, "not modified", 304)])),
    ("redirected", ended(PageState.DONE, attempts=[Attempt(NOW, "redirected", 302)], location="http://e.org/")),
    # A record of an earlier release says nothing of the target.
    ("redirected", ended(PageState.DONE, attempts=[Attempt(NOW, "redirected", 302)])),
    ("fetched", ended(PageState.DONE)),
    ("gone", ended(PageState.GONE, "http 404")),
    ("timeout", ended(PageState.FAILED, "timeout", tries=3)),
    ("http 403", ended(PageState.FAILED, "http 403")),
    ("redirect loop", ended(PageState.FAILED, "redirect loop")),
    ("robots", ended(PageState.REFUSED, "robots")),
    ("address", ended(PageState.REFUSED, "address")),
    ("media type", ended(PageState.REFUSED, "media type")),
    ("a word of a later release", ended(PageState.REFUSED, "a word of a later release")),
]


@pytest.mark.parametrize(("code", "found"), WAITING, ids=lambda value: value if isinstance(value, str) else "")
def test_why_it_waits(code: str, found: UrlEvidence) -> None:
    explanation = explain(found)
    assert explanation.cause.code == code
    assert explanation.cause.text
    assert explanation.queue is not None
    assert from_plain(as_plain(explanation)) == explanation


@pytest.mark.parametrize(("code", "record"), ENDED, ids=lambda value: value if isinstance(value, str) else "")
def test_how_it_ended(code: str, record: PageRecord) -> None:
    explanation = explain(evidence(record))
    assert (explanation.cause.code, explanation.queue, explanation.next) == (code, None, None)
    assert explanation.cause.text
    assert from_plain(as_plain(explanation)) == explanation


def test_what_a_dead_host_had_queued_failed_with_its_patience() -> None:
    record = ended(PageState.FAILED, "timeout")
    dead, other = (host(dead_at=NOW - 9, error=error) for error in ("timeout", "connection refused"))
    assert "crawl.host_patience" in explain(evidence(record, host=dead)).cause.text
    assert "crawl.host_patience" not in explain(evidence(record, host=other)).cause.text


@pytest.mark.parametrize(
    ("found", "at", "why"),
    [
        (evidence(queued()), NOW, "turn"),
        (evidence(queued(), host=host(Phase.WAITING, next_at=NOW + 3, last_end=NOW + 2)), NOW + 3, "gap"),
        (evidence(queued(), host=host(next_at=NOW + 3)), NOW + 3, "longer wait"),
        (evidence(queued(), host=host(next_at=NOW + 3, failures=1)), NOW + 3, "failed"),
        (evidence(queued(), host=host(next_at=NOW + 3, failures=9, parked=True)), NOW + 3, "parked"),
        (evidence(queued(RETRY, order=LATER), host=host(next_at=NOW + 3)), NOW + 30, "next try"),
        (evidence(queued(), robots=UNREACHABLE), NOW + 55, "robots.txt"),
        (evidence(queued(), host=host(ready_level=0, ready_wake_ms=int(NOW * 1000) + 9000)), NOW + 9, "asleep"),
    ],
)
def test_when_it_may_be_fetched(found: UrlEvidence, at: float, why: str) -> None:
    part = explain(found).next
    assert part is not None
    assert part.at == pytest.approx(at, abs=0.001)
    assert why in part.why
    stopped = explain(replace(found, running=False)).next
    assert stopped is not None
    assert stopped.why.endswith("once the crawl runs")


def test_the_robots_line_is_named() -> None:
    refused = explain(replace(evidence(ended(PageState.REFUSED, "robots")), url="http://example.org/b/c"))
    assert "line 2: Disallow: /b" in refused.cause.text
    assert (refused.robots.allowed, refused.robots.age_seconds) == (False, 60.0)
    changed = explain(evidence(ended(PageState.REFUSED, "robots")))
    assert "would allow it" in changed.cause.text
    unknown = explain(evidence(queued(), robots=None))
    assert (unknown.robots.allowed, unknown.robots.kind) == (None, "not asked for yet")


def test_a_url_without_a_record() -> None:
    cause = explain(evidence()).cause
    assert cause.code == "never found"
    assert "6 URLs of its host are still queued" in cause.text
    assert "robots.txt" not in cause.text
    refused = ScopePart(verdict="depth", text="too deep (depth 9)", judged_as="")
    found = explain(evidence(scope=refused))
    assert (found.state, found.cause.code, found.cause.text) == ("unknown", "depth", "too deep (depth 9)")
    assert (found.found, found.capture, found.attempts) == (None, None, [])


def test_a_url_that_was_never_found_and_that_robots_forbids_says_both() -> None:
    rules = RobotsState(RobotsKind.RULES, NOW, NOW + 3600, b"User-agent: *\nDisallow: /a\n", NOW)
    cause = explain(evidence(robots=rules, host=None)).cause
    assert cause.code == "never found"
    assert cause.text.endswith("; robots.txt disallows it (line 2: Disallow: /a)")
    assert "queued" not in cause.text


def refusal(reason: str, last: float) -> Refusal:
    return Refusal(reason=reason, count=1, first=last, last=last, depth=1, referrer="http://r/", hops="L")


def test_a_search_tells_where_links_were_refused() -> None:
    link = Referrer(source="http://r/", kind="a", text="", verdict="nofollow")
    unknown = with_search(explain(evidence()), [link], [refusal("depth", 1), refusal("nofollow", 2)], complete=True)
    assert unknown.cause.code == "nofollow"
    assert "http://r/" in unknown.cause.text
    known = with_search(explain(evidence(queued())), [link], [refusal("depth", 1)], complete=False)
    assert (known.cause.code, known.search is not None and known.search.complete) == ("next", False)


def test_a_chain_of_redirects() -> None:
    source = ended(PageState.DONE, attempts=[Attempt(NOW, "redirected", 301)])
    found = explain(evidence(queued(), before=[("http://s/", source)], after=[("http://t/", None)]))
    assert [(hop.url, hop.state, hop.status, hop.asked) for hop in found.redirects] == [
        ("http://s/", "done", 301, False),
        (URL, "queued", 0, True),
        ("http://t/", "unknown", 0, False),
    ]


@pytest.mark.parametrize("queue", range(QUEUES))
def test_what_stands_before_it(queue: int) -> None:
    found = explain(evidence(queued(queue), ahead=1000, ahead_max=1000)).queue
    assert found is not None
    assert (found.ahead_exact, found.is_retry) == (False, queue == RETRY)
    assert found.ahead_levels == [0, 3, 5, 5, 5, 5][queue]


def test_the_score_names_its_parts() -> None:
    parts = {"depth": 2.0, "sites": 0.6, "shape": -0.05, "hints": 0.0}
    score = explain(evidence(queued(), score_parts=parts, score_level=1)).score
    assert score is not None
    assert (score.score, score.level, score.fixed, score.partial) == (2.55, 1, False, False)
    assert score.parts == {"depth": 2.0, "sites": 0.6, "shape": -0.05}
    assert explain(evidence()).score is None


def test_every_reason_has_a_sentence() -> None:
    for reason in Reason:
        cause = explain(evidence(ended(PageState.REFUSED, reason))).cause
        assert (cause.code, EXPLANATIONS[reason] in cause.text) == (reason, True)


def test_the_value_is_plain() -> None:
    plain = as_plain(explain(evidence(queued())))
    assert isinstance(plain["cause"], dict)
    assert from_plain(plain) == explain(evidence(queued()))
    assert isinstance(from_plain(plain), Explanation)
