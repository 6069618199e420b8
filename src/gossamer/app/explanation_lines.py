"""An explanation as lines for people. Nothing of the web's words reaches the terminal unescaped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app.escape import inert
from gossamer.app.figures import count, duration, moment, size
from gossamer.core.frontier.records import LEVELS
from gossamer.core.robots.verdict import ROBOTS_TARGET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.core.explain.explanation import (
        AttemptPart,
        Explanation,
        FoundPart,
        HostPart,
        NextPart,
        QueuePart,
        RobotsPart,
        ScorePart,
        SearchPart,
        UsesPart,
    )

LABEL_COLUMNS: Final = 12
TEXT_COLUMNS: Final = 400
STATES: Final = {"unknown": "not known"}
"""States under another name for people."""
SHOWN_MAX: Final = 20
"""Referrers and refusals shown of a search; --json has all that were found."""


def explanation_lines(explanation: Explanation) -> list[str]:
    """The answer first, then what it rests on."""
    found = explanation
    capture = found.capture
    lines = [
        inert(found.url, TEXT_COLUMNS),
        *_line("", f"{STATES.get(found.state, found.state)}: {found.cause.text}"),
        *_line("known", "yes" if found.found is not None else "no: the crawl keeps no record of it"),
    ]
    if found.key.fetch_url != found.url:
        lines += _line("fetched as", f"{found.key.fetch_url} (the spelling found first)")
    if found.key.key != found.url:
        lines += _line("key", f"{found.key.key} (the spelling compared)")
    lines += _line("alias of", found.key.alias_of) if found.key.alias_of else []
    lines += _listed("aliases", found.key.aliases)
    lines += _listed("by rule", found.key.rules if found.key.aliases or found.key.alias_of else [])
    lines += _found(found.found) if found.found is not None else []
    lines += _line("scope", f"{found.scope.verdict}: {found.scope.text}")
    lines += _line("", found.scope.judged_as)
    lines += _line("trap", found.trap) if found.trap else []
    lines += _robots(found.robots)
    lines += _uses(found.uses) if found.uses is not None else []
    lines += _host(found.host, found.now) if found.host is not None else _line("host", "never met")
    lines += _queue(found.queue) if found.queue is not None else []
    lines += _score(found.score) if found.score is not None else []
    lines += _next(found.next, found.now) if found.next is not None else []
    lines += _listed("visits", (f"{moment(each.at)}  {_visit(each)}" for each in found.attempts))
    lines += _line("copy of", found.copy_of) if found.copy_of else []
    if capture is not None:
        lines += _line("archived", f"{capture.file} at {capture.offset}, {capture.length} bytes, {moment(capture.at)}")
        lines += _line("", capture.record_id)
    hops = (f"{'* ' if hop.asked else '  '}{hop.url}  {hop.status or ''} {hop.state}" for hop in found.redirects)
    lines += _listed("redirects", hops)
    return lines + (_search(found.search) if found.search is not None else [])


def _line(label: str, text: str) -> list[str]:
    return [f"  {label:{LABEL_COLUMNS}} {inert(text, TEXT_COLUMNS)}".rstrip()]


def _listed(label: str, texts: Iterable[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        yield from _line("" if number else label, text)


def _visit(attempt: AttemptPart) -> str:
    """The outcome, with the status where the outcome does not name it."""
    status = str(attempt.status) if attempt.status else ""
    return attempt.outcome if attempt.outcome.endswith(status) else f"{attempt.outcome} {status}"


def _found(found: FoundPart) -> list[str]:
    lines = _line("found", f"{moment(found.at)} {_where(found)}")
    lines += _line("", f"{found.path} (depth {found.depth}, group {found.group or 'none'})")
    if found.hints:
        lines += _line("hints", ", ".join(f"{name} {claim}" for name, claim in found.hints.items()))
    return lines


def _where(found: FoundPart) -> str:
    if not found.referrer:
        return "as a seed"
    if found.hops.endswith("M"):
        through = "named by" if found.referrer.endswith(ROBOTS_TARGET) else "through sitemap"
    else:
        through = "through feed" if found.hops.endswith("F") else "on"
    what = "" if found.kind == "page" else f"as a {found.kind} "
    return f"{what}{through} {found.referrer}"


def _robots(robots: RobotsPart) -> list[str]:
    if robots.allowed is None:
        return _line("robots.txt", f"{robots.authority}: {robots.kind}")
    verdict = "allowed" if robots.allowed else "disallowed"
    line = f" by line {robots.line_number}: {robots.line}" if robots.line_number else ""
    lines = _line("robots.txt", f"{robots.authority}: {verdict}{line}")
    why = f" ({robots.reason})" if robots.reason else ""
    age, until = duration(robots.age_seconds), moment(robots.expires_at)
    lines += _line("", f"{robots.kind}{why}, {age} old, good until {until}")
    if robots.good_at and robots.good_at < robots.fetched_at:
        lines += _line("", f"an older copy goes on ruling, received {moment(robots.good_at)}")
    return lines


def _uses(uses: UsesPart) -> Iterator[str]:
    purposes = ", ".join(uses.purposes)
    verdict = f"denied: {uses.refused}" if uses.refused else "not denied"
    denied = [f"{purpose} denied by {words}" for purpose, words in uses.denied.items()]
    return _listed("uses", [f"for {purposes}: {verdict}", *denied, *uses.statements])


def _host(host: HostPart, now: float) -> list[str]:
    since = f" since {moment(host.since)}" if host.since is not None else ""
    lines = _line("host", f"{host.name}: {host.state}{since}; gap {duration(host.gap_seconds)} ({host.gap_source})")
    lines += _line("", host.why) if host.why else []
    lines += _line("", f"{count(host.pages)} pages, {size(host.bytes)}, {count(host.fetches)} fetches")
    if any(host.queued):
        names = [*(f"level {level}" for level in range(LEVELS)), "retries"]
        queued = [f"{name}: {count(number)}" for name, number in zip(names, host.queued, strict=True) if number]
        lines += _line("", f"queued {', '.join(queued)}")
    if host.next_at > now:
        lines += _line("", f"not contacted before {moment(host.next_at)} (in {duration(host.next_at - now)})")
    if host.error:
        lines += _line("", f"last error {moment(host.error_at)}: {host.error}")
    return lines


def _queue(queue: QueuePart) -> list[str]:
    name = f"retries, due {moment(queue.due)}" if queue.is_retry else f"level {queue.level} (0 is first)"
    least = "" if queue.ahead_exact else "at least "
    before = f"{least}{count(queue.ahead)} before it, {count(queue.ahead_levels)} in better levels"
    return _line("queue", f"{name}; {before}")


def _score(score: ScorePart) -> list[str]:
    parts = [
        f"{name} {points:.0f}" if name == "depth" else f"{name} {points:+.2f}" for name, points in score.parts.items()
    ]
    means = f"level {score.level} by how it was found alone" if score.fixed else f"means level {score.level}"
    lines = _line("score", f"{score.score:.2f}, {means} ({', '.join(parts)})")
    if score.partial:
        lines += _line("", "without the importance file and the plug-ins, which only a running crawl has read")
    return lines


def _next(part: NextPart, now: float) -> list[str]:
    wait = f"in {duration(part.at - now)}, {moment(part.at)}" if part.at > now else "now"
    return _line("next", f"{wait}: {part.why}")


def _search(search: SearchPart) -> list[str]:
    refusals = [
        f"{each.reason}, met {count(each.count)}x, last {moment(each.last)}"
        + (f", on {each.referrer}" if each.referrer else "")
        for each in search.refusals[:SHOWN_MAX]
    ]
    referrers = [f"{each.source}  {each.verdict}  {each.text}" for each in search.referrers[:SHOWN_MAX]]
    lines = [*_listed("refused", refusals or ["nowhere"]), *_listed("linked from", referrers or ["no page"])]
    hidden = max(len(search.refusals), len(search.referrers)) > SHOWN_MAX or not search.complete
    return lines + (_line("", "and more") if hidden else [])
