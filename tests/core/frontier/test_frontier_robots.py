"""What robots.txt files do to a frontier: verdicts, ages, redirects, errands between hosts."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.core.frontier import commands, events
from gossamer.core.frontier.fate import FateKind
from gossamer.core.frontier.lease import Errand, Lease, LeaseKind
from gossamer.core.frontier.records import RETRY
from gossamer.core.frontier.turn import REFUSALS_PER_TURN
from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import (
    HEAD_ENTRIES_MAX,
    ROBOTS_AGE_MAX_SECONDS,
    ROBOTS_BYTES_MAX,
    ROBOTS_REDIRECTS_MAX,
    ROBOTS_UNREACHABLE_AGE_SECONDS,
)
from gossamer.core.robots.answer import RobotsAnswer, RobotsKind
from tests.frontiers import RULES, Stage, host_id, urls_of

ROBOTS, PAGE = LeaseKind.ROBOTS, LeaseKind.PAGE
A, B, C = "http://a.test", "http://b.test", "http://c.test"
HOUR = 3600.0


def at_page() -> tuple[Stage, Lease]:
    """A stage with one host, its robots.txt read, two URLs found and the first one leased."""
    stage = Stage()
    stage.find(*urls_of("a.test", range(2)))
    stage.ready("a.test")
    return stage, stage.lease(within=60.0)


# --- what a robots.txt says ------------------------------------------------------------------------------------------

FORBIDDEN = f"{A}/private/1"
ALLOWED = f"{A}/1"


@pytest.mark.parametrize(
    ("answer", "leased", "refused"),
    [
        ({"body": RULES}, [ALLOWED], [FORBIDDEN]),
        ({"body": b""}, [FORBIDDEN, ALLOWED], []),
        ({"body": b"User-agent: *\nDisallow: /"}, [], [FORBIDDEN, ALLOWED]),
        ({"body": b"User-agent: other\nDisallow: /"}, [FORBIDDEN, ALLOWED], []),
        ({"status": 404, "body": b"User-agent: *\nDisallow: /"}, [FORBIDDEN, ALLOWED], []),
        ({"status": 500, "body": b""}, [], []),
        ({"status": 429, "body": b""}, [], []),
        ({"status": 0, "body": b"", "failure": FailureKind.RESET}, [], []),
    ],
)
def test_robots_decide(answer: dict[str, Any], leased: list[str], refused: list[str]) -> None:
    stage = Stage(gap=0.0)
    stage.find(FORBIDDEN, ALLOWED)
    stage.advance()
    stage.resolve("a.test")
    stage.robots(stage.lease(), **answer)
    for _ in range(3):
        for lease in stage.run(stage.now + 4.0):
            stage.finish(lease)
    assert stage.urls == leased
    assert [command.entry.record.url for command in stage.refused] == refused
    assert all(command.reason == "robots" for command in stage.refused)
    assert stage.rows.ledger.queued == 2 - len(leased) - len(refused)
    stage.check()


def test_a_refusal_names_the_line() -> None:
    stage = Stage()
    stage.find(FORBIDDEN)
    stage.ready("a.test")
    stage.run(stage.now + 2)
    assert [command.detail for command in stage.refused] == ["Disallow: /private"]


@pytest.mark.parametrize(
    ("size", "cap", "most"), [(None, None, ROBOTS_BYTES_MAX + 1), (700, None, 700), (None, 900, 900)]
)
def test_a_file_is_read_to_its_own_limit_and_no_further_than_the_caps(
    size: int | None, cap: int | None, most: int
) -> None:
    stage = Stage(body_bytes_max=10, bytes_per_host_max=cap)
    stage.find(f"{A}/1")
    stage.advance()
    stage.resolve_all()
    (lease,) = stage.advance(1, size)
    assert lease.body_bytes_max == most


def test_each_authority_has_its_own_file() -> None:
    stage = Stage(gap=0.0)
    stage.find(f"{A}/1", "https://a.test/1", "http://a.test:81/1")
    stage.advance()
    stage.resolve("a.test")
    for authority in (A, "https://a.test", "http://a.test:81"):
        lease = stage.lease()
        assert lease.url == f"{authority}/robots.txt"
        stage.robots(lease, status=404)
        stage.finish(stage.lease())


def test_many_refusals_are_spread_over_turns() -> None:
    urls = urls_of("a.test", range(10 * REFUSALS_PER_TURN), folder="/private")
    stage = Stage(gap=0.0)
    stage.find(*urls, f"{A}/1")
    stage.ready("a.test")
    assert stage.lease().url == f"{A}/1"
    assert len(stage.refused) == len(urls)
    stage.check()


def test_an_old_file_is_read_again_before_it_is_used() -> None:
    stage, lease = at_page()
    stage.finish(lease)
    stage.wait(ROBOTS_AGE_MAX_SECONDS)
    assert stage.lease(within=1).kind is ROBOTS


def test_an_unreachable_file_is_asked_for_again_after_a_while() -> None:
    stage = Stage()
    stage.find(f"{A}/1")
    stage.advance()
    stage.resolve("a.test")
    stage.robots(stage.lease(), status=503)
    assert stage.run(stage.now + ROBOTS_UNREACHABLE_AGE_SECONDS - 1) == []
    again = stage.lease(within=2)
    assert again.kind is ROBOTS
    stage.robots(again)
    assert stage.lease(within=10).kind is PAGE


def test_the_last_good_file_rules_while_it_is_unreachable() -> None:
    stage, lease = at_page()
    stage.finish(lease)
    stage.find(FORBIDDEN)
    stage.wait(ROBOTS_AGE_MAX_SECONDS)
    again = stage.lease(within=1)
    assert again.kind is ROBOTS
    stage.robots(again, failure=FailureKind.TIMEOUT, status=0)
    assert stage.lease(within=10).kind is PAGE
    assert stage.rows.robots[host_id("a.test")][A].kind is RobotsKind.RULES


def heal_other(stage: Stage, seconds: float) -> None:
    """For a while http answers 503 for its robots.txt, https everything."""
    end = stage.now + seconds
    while stage.now < end:
        made = stage.run(min(end, stage.now + 1))
        stage.resolve_all()
        for lease in made:
            if lease.kind is ROBOTS:
                stage.robots(lease, status=503 if lease.authority == A else 404)
            else:
                stage.finish(lease)
        stage.check()


@pytest.mark.parametrize("queue", ["level", "retry"])
def test_an_unreachable_file_does_not_hold_up_other_authorities(queue: str) -> None:
    """Nor when its URLs fill the memory of the queue that both stand in."""
    blocked, other = urls_of("a.test", range(3 * HEAD_ENTRIES_MAX)), urls_of("a.test", range(5), scheme="https")
    stage = Stage()
    stage.find(*blocked, *other)
    stage.advance()
    stage.resolve("a.test")
    if queue == "retry":
        retry_all(stage)
    heal_other(stage, HOUR)
    assert sorted(stage.urls)[-5:] == other
    assert stage.rows.ledger.queued == len(blocked)


def retry_all(stage: Stage) -> None:
    """Every URL is tried once and shall be tried again at one moment, in the order found; then robots.txt is due."""
    due = stage.now + HOUR
    while stage.rows.ledger.queued > len(stage.rows.queue(host_id("a.test"), RETRY)):
        lease = stage.lease(within=2)
        if lease.kind is ROBOTS:
            stage.robots(lease, status=404)
        else:
            stage.finish(lease, FateKind.RETRY, due=due)
    stage.leased.clear()
    stage.now = due + ROBOTS_AGE_MAX_SECONDS
    stage.advance()


# --- redirected robots.txt -------------------------------------------------------------------------------------------


def asked(stage: Stage, url: str = f"{A}/1") -> Lease:
    """A host's robots.txt, leased."""
    stage.find(url)
    stage.advance()
    stage.resolve_all()
    return stage.lease()


def test_a_redirect_on_the_same_host_is_followed_after_the_gap_and_rules_the_authority() -> None:
    stage = Stage()
    first = asked(stage)
    stage.robots(first, status=301, redirect="https://a.test/rules.txt")
    ended = stage.now
    second = stage.lease(within=2)
    assert (second.url, second.authority, second.hops) == ("https://a.test/rules.txt", A, 1)
    assert second.granted == ended + 1.0
    stage.robots(second)
    assert list(stage.rows.robots[host_id("a.test")]) == [A]
    assert stage.lease(within=2).url == f"{A}/1"


def test_redirects_without_end_allow_everything() -> None:
    stage = Stage(gap=0.0)
    lease = asked(stage, FORBIDDEN)
    for hop in range(ROBOTS_REDIRECTS_MAX):
        stage.robots(lease, status=301, redirect=f"{A}/{hop}")
        lease = stage.lease()
        assert (lease.kind, lease.hops) == (ROBOTS, hop + 1)
    stage.robots(lease, status=301, redirect=f"{A}/too-far")
    assert stage.rows.robots[host_id("a.test")][A].reason == "too many redirects"
    assert stage.lease().url == FORBIDDEN


def test_a_redirect_to_another_host_is_an_errand() -> None:
    stage = Stage()
    stage.robots(asked(stage), status=301, redirect=f"{B}/rules.txt")
    (sent,) = stage.sent
    assert sent == commands.SendErrand(Errand(host_id("a.test"), A, f"{B}/rules.txt", 1))
    assert stage.run(stage.now + 50) == [], "it waits for the answer"
    assert stage.frontier.is_busy()
    stage.came(sent, RobotsAnswer(200, RULES))
    assert stage.lease().url == f"{A}/1"
    stage.check()


def test_an_errand_is_run_with_its_hosts_gap_and_answered() -> None:
    stage = Stage()
    stage.find(*urls_of("b.test", range(2)))
    stage.ready("b.test")
    page = stage.lease(within=2)
    errand = Errand(host_id("a.test"), A, f"{B}/rules.txt", 1)
    stage.errand(errand)
    stage.finish(page)
    ended = stage.now
    lease = stage.lease(within=2)
    assert (lease.kind, lease.url, lease.authority, lease.granted) == (ROBOTS, f"{B}/rules.txt", A, ended + 1.0)
    stage.robots(lease, b"User-agent: *\nDisallow: /")
    assert stage.answered == [(errand, RobotsAnswer(200, b"User-agent: *\nDisallow: /"))]
    assert stage.lease(within=2).url == f"{B}/1", "another host's rules are not its own"
    stage.check()


def test_an_errand_brings_an_unknown_host_in_and_it_leaves_again() -> None:
    stage = Stage()
    stage.errand(Errand(host_id("a.test"), A, f"{B}/rules.txt", 1))
    stage.advance()
    stage.resolve_all()
    stage.robots(stage.lease())
    assert stage.frontier.hosts == {}
    stage.check()


def test_an_errand_that_redirects_on_names_the_one_it_stands_for() -> None:
    stage = Stage()
    errand = Errand(host_id("a.test"), A, f"{B}/rules.txt", 1)
    stage.errand(errand)
    stage.advance()
    stage.resolve_all()
    stage.robots(stage.lease(), status=301, redirect=f"{C}/rules.txt")
    again = Errand(host_id("a.test"), A, f"{C}/rules.txt", 2)
    assert stage.sent == [commands.SendErrand(again, origin=errand)]
    assert stage.answered == []


def test_an_errand_after_five_redirects_is_answered_with_too_many() -> None:
    stage = Stage()
    errand = Errand(host_id("a.test"), A, f"{B}/rules.txt", ROBOTS_REDIRECTS_MAX)
    stage.errand(errand)
    stage.advance()
    stage.resolve_all()
    stage.robots(stage.lease(), status=301, redirect=f"{C}/rules.txt")
    assert stage.sent == []
    assert stage.answered == [(errand, RobotsAnswer(too_many_redirects=True))]


def test_a_chain_that_comes_back_is_served_while_the_host_waits() -> None:
    """a.test asks b.test, which redirects to a.test: that is fetched, and the file is not asked for a second time."""
    stage = Stage()
    stage.robots(asked(stage), status=301, redirect=f"{B}/rules.txt")
    (sent,) = stage.sent
    back = Errand(host_id("a.test"), A, "https://a.test/rules.txt", 2)
    stage.errand(back)
    lease = stage.lease(within=2)
    assert lease.url == "https://a.test/rules.txt"
    stage.robots(lease)
    assert stage.answered == [(back, RobotsAnswer(200, RULES))]
    assert stage.run(stage.now + 30) == [], "it still waits for its own errand"
    stage.came(sent, RobotsAnswer(200, RULES))
    assert stage.lease().url == f"{A}/1"


def failing_lookup(stage: Stage) -> None:
    stage.advance()
    stage.resolve("b.test", failure=FailureKind.NAME_NOT_FOUND)


def refused_lookup(stage: Stage) -> None:
    stage.advance()
    stage.resolve("b.test", failure=FailureKind.ADDRESS_REFUSED)


def failing_visit(stage: Stage) -> None:
    stage.find(f"{B}/1")
    stage.advance()
    stage.resolve("b.test")
    stage.robots(stage.lease(), status=0, failure=FailureKind.CONNECT_REFUSED)


@pytest.mark.parametrize("trouble", [failing_lookup, refused_lookup, failing_visit])
def test_errands_of_a_host_in_trouble_are_given_up(trouble: Any) -> None:
    stage = Stage()
    for number in range(2):
        stage.errand(Errand(host_id("a.test"), f"http://a.test:{number + 1}", f"{B}/rules.txt", 1))
    trouble(stage)
    stage.run(stage.now + 1)
    assert len(stage.answered) == 2
    assert all(answer.failure is not None for _, answer in stage.answered)
    stage.check()


def test_an_errand_for_a_host_that_sleeps_long_is_answered_at_once() -> None:
    stage = Stage()
    stage.find(*urls_of("b.test", range(2)))
    stage.ready("b.test")
    stage.finish(stage.lease(within=2), retry_after=HOUR)
    errand = Errand(host_id("a.test"), A, f"{B}/rules.txt", 1)
    stage.errand(errand)
    assert [each for each, _ in stage.answered] == [errand]
    assert host_id("b.test") not in stage.frontier.hosts
    stage.check()


def test_an_answer_for_a_host_that_left_is_no_matter() -> None:
    stage = Stage()
    stage.handle(events.RobotsCame(host_id("gone.x"), A, RobotsAnswer(404)))
    stage.check()


def test_sitemaps_are_named_though_the_heads_were_forgotten_meanwhile() -> None:
    """A host that more sites link to has its levels read again, also while its robots.txt is on its way."""
    stage = Stage()
    stage.find("http://a.test/1", level=1)
    stage.advance()
    stage.resolve("a.test")
    (robots,) = stage.advance()
    stage.frontier.read_again(robots.host_id)
    stage.robots(robots, b"User-agent: *\nAllow: /\nSitemap: http://a.test/map.xml\n")
    host = stage.frontier.hosts[robots.host_id]
    (named,) = host.sitemaps_named(robots.authority, "gossamer", stage.now)
    assert (list(named.urls), named.cause.url) == (["http://a.test/map.xml"], "http://a.test/1")
