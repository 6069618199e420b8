"""What an authority's files say before a lease: ask for one first, yes, or no with the words."""

from __future__ import annotations

import pytest

from gossamer.core.frontier.back_queue import BackQueue
from gossamer.core.frontier.lease import Entry, LeaseKind
from gossamer.core.frontier.permission import permission, tdm_body
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import HostState, PageRecord, UrlKind
from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import ROBOTS_AGE_MAX_SECONDS, TDM_FILE_BYTES_MAX
from gossamer.core.politeness.gap import GapPolicy
from gossamer.core.robots.answer import RobotsAnswer, RobotsKind, RobotsState, robots_state

NOW = 1000.0
AUTHORITY = "https://a.test"
SIGNALS = b"User-agent: *\nDisallow: /no\nContent-Signal: search=yes, ai-train=no\nContent-Usage: /quiet search=n\n"
RESERVED = b'[{"location": "/mine", "tdm-reservation": 1}]'


def policy(*purposes: str) -> FrontierPolicy:
    return FrontierPolicy(GapPolicy(1.0), "gossamer", 10, 1000, purposes=purposes)


def entry(path: str, kind: UrlKind = UrlKind.PAGE) -> Entry:
    return Entry(1, b"", PageRecord(AUTHORITY + path, kind=kind))


def host(body: bytes = b"", *, tdm: bytes = b"", tdm_at: float = 0.0) -> BackQueue:
    found = BackQueue(b"a" * 8, HostState("a.test", "test"))
    kind = RobotsKind.RULES if body else RobotsKind.ALLOW_ALL
    found.robots[AUTHORITY] = RobotsState(kind, NOW, NOW + 9, body, tdm=tdm, tdm_at=tdm_at)
    return found


@pytest.mark.parametrize("age", [None, 20.0])
def test_robots_txt_comes_first(age: float | None) -> None:
    queue = host(SIGNALS)
    if age is None:
        queue.robots.clear()
    found = permission(queue, entry("/"), policy("search"), NOW + (age or 0))
    assert found.asks is not None
    assert (found.asks.kind, found.asks.url) == (LeaseKind.ROBOTS, f"{AUTHORITY}/robots.txt")


@pytest.mark.parametrize(
    ("path", "purposes", "reason", "detail"),
    [
        ("/", ("search", "archive"), "", ""),
        ("/no", ("search",), "robots", "Disallow: /no"),
        ("/quiet", ("archive",), "", ""),
        ("/quiet", ("archive", "search"), "purpose", "search: Content-Usage: search=n (robots.txt)"),
        ("/", ("ai-train",), "purpose", "ai-train: Content-Signal: ai-train=no (robots.txt)"),
        ("/mine", ("mining",), "purpose", "mining: tdm-reservation: 1 (tdmrep.json)"),
        ("/", ("mining",), "", ""),
    ],
)
def test_what_the_files_say(path: str, purposes: tuple[str, ...], reason: str, detail: str) -> None:
    found = permission(host(SIGNALS, tdm=RESERVED, tdm_at=NOW), entry(path), policy(*purposes), NOW)
    assert (found.asks, found.reason, found.detail) == (None, reason, detail)
    assert bool(found.stated.statements) == (not reason)


def test_a_sitemap_is_no_content() -> None:
    assert not permission(host(SIGNALS), entry("/quiet", UrlKind.SITEMAP), policy("search"), NOW).reason


@pytest.mark.parametrize(
    ("body", "tdm_at", "purposes", "asks"),
    [
        (b"", 0.0, ("search", "archive"), False),
        (b"", 0.0, ("search", "ai-train"), True),
        (b"", NOW, ("ai-train",), False),
        (b"User-agent: *\nDisallow: /.well-known/", 0.0, ("ai-train",), False),
    ],
)
def test_tdmrep_is_asked_for_once_where_it_matters(
    body: bytes, tdm_at: float, purposes: tuple[str, ...], asks: bool
) -> None:
    found = permission(host(body, tdm_at=tdm_at), entry("/"), policy(*purposes), NOW)
    assert (found.asks is not None) == asks
    if found.asks is not None:
        assert (found.asks.kind, found.asks.url) == (LeaseKind.PROBE, f"{AUTHORITY}/.well-known/tdmrep.json")


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (RobotsAnswer(200, RESERVED), RESERVED),
        (RobotsAnswer(404, b"not here"), b""),
        (RobotsAnswer(503, RESERVED), b""),
        (RobotsAnswer(200, RESERVED, cut=True), b""),
        (RobotsAnswer(0, b"", FailureKind.TIMEOUT), b""),
        (RobotsAnswer(200, b" " * (TDM_FILE_BYTES_MAX + 1)), b""),
    ],
)
def test_what_is_kept_of_a_tdmrep(answer: RobotsAnswer, kept: bytes) -> None:
    assert tdm_body(answer) == kept


def test_tdmrep_ages_with_robots_txt() -> None:
    queue = host(SIGNALS)
    queue.keep_tdm(AUTHORITY, RESERVED, NOW)
    assert queue.tdm_of(AUTHORITY) is queue.tdm_of(AUTHORITY)
    previous = queue.robots[AUTHORITY]
    soon = robots_state(RobotsAnswer(503), previous, NOW + 60)
    late = robots_state(RobotsAnswer(200, SIGNALS), previous, NOW + ROBOTS_AGE_MAX_SECONDS)
    assert (soon.tdm, soon.tdm_at, soon.body) == (RESERVED, NOW, SIGNALS)
    assert (late.tdm, late.tdm_at) == (b"", 0.0)
