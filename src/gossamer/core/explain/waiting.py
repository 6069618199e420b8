"""Why a queued URL is not fetched now, and when it may be: each thing that holds it back, the latest moment decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from gossamer.core.explain.evidence import HostEvidence, UrlEvidence
from gossamer.core.explain.explanation import Cause, NextPart, RobotsPart
from gossamer.core.explain.robots import is_unreachable
from gossamer.core.explain.scope import meaning
from gossamer.core.frontier.back_queue import Phase
from gossamer.core.frontier.records import RETRY, PageRecord, retry_due
from gossamer.core.limits import URL_TRIES_MAX
from gossamer.core.robots.answer import RobotsKind
from gossamer.core.scope.reasons import Reason

_PHASES: Final = {
    Phase.RESOLVING: Cause("resolving", "the name of its host is being looked up"),
    Phase.ASKING: Cause("robots on its way", "its host's robots.txt redirects to another host, which is being asked"),
    Phase.LEASED: Cause(
        "host busy", "its host has as many fetches in flight as it may have: one, unless it is the operator's own"
    ),
}
"""What a host of the working set is doing that keeps its other URLs waiting."""


_SLACK_SECONDS: Final = 0.5
"""The gap may have changed a little since the host's next moment was set."""


def waiting_cause(evidence: UrlEvidence, record: PageRecord, robots: RobotsPart) -> Cause:
    """The one thing that holds a queued URL back: trouble first, then the crawl's own state, then its turn."""
    host = evidence.host
    troubles: list[Callable[[], Cause | None]] = [
        lambda: _held(host),
        lambda: _robots_trouble(robots, host, evidence.now),
        lambda: _troubled(host),
        lambda: _retry(record, evidence.now),
        lambda: Cause(evidence.crawl_code, evidence.crawl_text) if evidence.crawl_code else None,
        lambda: _PHASES.get(host.phase) if host is not None and host.phase is not None else None,
        lambda: _its_turn(evidence, host),
    ]
    return next(cause for trouble in troubles if (cause := trouble()) is not None)


def next_part(evidence: UrlEvidence, record: PageRecord, robots: RobotsPart) -> NextPart | None:
    """When it may be fetched at the earliest; None while its host is held, and no moment is known that may end it."""
    host, now = evidence.host, evidence.now
    if host is not None and host.is_held and host.state.held and host.state.held_until and not host.hold:
        return NextPart(at=max(now, host.state.held_until), why="its host, which is held, is looked at again")
    if host is None or host.is_held:
        return None
    moments = [(now, "at its turn"), (host.state.next_at, _host_wait(host))]
    if host.working is not None and host.phase is Phase.WAITING:
        moments.append((host.working.at, "the next turn of its host"))
    if host.state.ready_level >= 0:
        moments.append((host.state.ready_wake_ms / 1000, "its host is asleep until then"))
    if record.queue == RETRY:
        moments.append((retry_due(record.order), "its next try is due"))
    if is_unreachable(robots, now):
        moments.append((robots.expires_at, "robots.txt is asked for again"))
    at, why = max(moments, key=lambda moment: moment[0])
    return NextPart(at=at, why=why if evidence.running else f"{why}, once the crawl runs")


def _held(host: HostEvidence | None) -> Cause | None:
    if host is None or not host.is_held:
        return None
    word = host.hold or host.state.held_why or Reason.CAP
    numbers = {
        Reason.CAP: f"; {host.state.name} gave {host.state.pages} pages and {host.state.bytes} bytes",
        Reason.BUDGET: f"; {host.state.held_detail}",
    }
    return Cause(str(word), meaning(word) + next((words for each, words in numbers.items() if each == word), ""))


def _troubled(host: HostEvidence | None) -> Cause | None:
    if host is None or not host.state.failures:
        return None
    state = host.state
    words = f"{state.name} failed {state.failures} times in a row" if state.failures > 1 else f"{state.name} failed"
    said = f" ({state.error})" if state.error else ""
    if state.parked:
        return Cause("parked", f"{words}{said}: it is left alone for long, its URLs stay queued")
    return Cause("backing off", f"{words}{said}: it is asked again after a wait that grows")


def _robots_trouble(robots: RobotsPart, host: HostEvidence | None, now: float) -> Cause | None:
    if robots.kind != RobotsKind.UNREACHABLE or (host is not None and host.state.error == robots.reason):
        # A host that cannot be reached at all gives no robots.txt either; then that is the trouble.
        return None
    if not is_unreachable(robots, now) and host is not None and host.phase is not None:
        return Cause("robots unreachable", f"the robots.txt of {robots.authority} is asked for again at its next turn")
    text = f"the robots.txt of {robots.authority} could not be read ({robots.reason}), which means no (RFC 9309)"
    return Cause("robots unreachable", text)


def _retry(record: PageRecord, now: float) -> Cause | None:
    if record.queue != RETRY:
        return None
    if record.tried:
        return Cause("redirected", "it redirects to another spelling of itself, which is fetched next")
    if record.tries:
        return Cause("retry", f"{record.tries} of {URL_TRIES_MAX} tries failed, the last one with: {record.reason}")
    if record.reason:
        return Cause("retry", f"the last try failed, which says nothing of the URL itself: {record.reason}")
    due = retry_due(record.order)
    return Cause("put back", "it made way for URLs of another authority of its host") if due > now else None


def _its_turn(evidence: UrlEvidence, host: HostEvidence | None) -> Cause:
    if evidence.ahead:
        least = "" if evidence.ahead < evidence.ahead_max else "at least "
        return Cause("behind others", f"{least}{evidence.ahead} URLs of its host are before it in its queue")
    if host is not None and host.state.next_at > evidence.now:
        return Cause("gap", _host_wait(host))
    if host is not None and host.phase is None and host.state.ready_level >= 0:
        return Cause("asleep", "its host waits for room in the working set")
    return Cause("next", "it is first in its queue; its host's next turns decide between the levels")


def _host_wait(host: HostEvidence) -> str:
    state, gap = host.state, host.gap
    if state.parked:
        return "its host is parked until then"
    if state.failures:
        return "its host failed, and is asked again then"
    if state.next_at > state.last_end + gap.seconds + _SLACK_SECONDS:
        return "its host asked for a longer wait, or the crawl was opened again"
    return f"the gap of its host: {gap.seconds:.1f} s ({gap.source})"
