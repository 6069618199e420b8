"""From the evidence to the explanation: a pure function, and the words for each state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from gossamer.core.explain.evidence import HostEvidence, UrlEvidence, state_word
from gossamer.core.explain.explanation import (
    AttemptPart,
    CapturePart,
    Cause,
    Explanation,
    FoundPart,
    Hop,
    HostPart,
    KeyPart,
    QueuePart,
    Referrer,
    Refusal,
    RobotsPart,
    ScorePart,
    SearchPart,
)
from gossamer.core.explain.robots import IGNORED, robots_part
from gossamer.core.explain.scope import WANTED, meaning
from gossamer.core.explain.uses import uses_part
from gossamer.core.explain.waiting import next_part, waiting_cause
from gossamer.core.frontier.host_status import standing_of
from gossamer.core.frontier.priority import Part
from gossamer.core.frontier.records import LEVELS, RETRY, PageRecord, PageState, UrlKind, retry_due
from gossamer.core.limits import URL_TRIES_MAX
from gossamer.core.scope.reasons import Reason
from gossamer.core.sitemap.hints import Hints

_HOP_WORDS: Final = {"L": "link", "E": "embed", "R": "redirect", "P": "prerequisite", "M": "sitemap", "F": "feed"}
NEVER_FOUND: Final = "never found"


def explain(evidence: UrlEvidence) -> Explanation:
    """All that the crawl knows of one URL, and the one thing that decided."""
    record = evidence.record
    robots = robots_part(evidence.url, evidence.robots, evidence.product, evidence.now)
    if evidence.robots_ignored:
        robots = RobotsPart(authority=robots.authority, kind=IGNORED, allowed=None)
    is_queued = record is not None and record.state == PageState.QUEUED
    return Explanation(
        url=evidence.url,
        now=evidence.now,
        running=evidence.running,
        state=evidence.state,
        cause=_cause(evidence, robots),
        key=_key(evidence, record),
        found=_found(record) if record else None,
        scope=evidence.scope,
        robots=robots,
        host=_host(evidence.host, evidence.now) if evidence.host else None,
        queue=_queue(evidence, record) if record and is_queued else None,
        next=next_part(evidence, record, robots) if record and is_queued and not evidence.leased_at else None,
        attempts=_attempts(record),
        copy_of=record.copy_of if record else "",
        capture=_capture(record) if record and record.file else None,
        redirects=_chain(evidence),
        uses=uses_part(evidence.url, evidence.robots, evidence.product, evidence.purposes),
        trap=evidence.trap,
        score=_score(evidence) if evidence.score_parts else None,
    )


def with_search(
    explanation: Explanation, referrers: Sequence[Referrer], refusals: Sequence[Refusal], *, complete: bool
) -> Explanation:
    """The explanation with what a search found. A URL without a record was refused where its links were met."""
    search = SearchPart(referrers=list(referrers), refusals=list(refusals), complete=complete)
    cause = explanation.cause
    # The scope may have changed since, and seed groups have their own: what refuses any link to it now is why, and the
    # links met before say where.
    verdict = explanation.scope.verdict
    if verdict == WANTED:
        telling = [refusal for refusal in refusals if refusal.reason != Reason.SCOPE] or refusals
    else:
        telling = [refusal for refusal in refusals if refusal.reason == verdict]
    if explanation.state == "unknown" and telling:
        last = max(telling, key=lambda refusal: refusal.last)
        where = f" on {last.referrer}" if last.referrer else ""
        cause = Cause(last.reason, f"refused where it was found{where}: {meaning(last.reason)}")
    return msgspec.structs.replace(explanation, search=search, cause=cause)


def _cause(evidence: UrlEvidence, robots: RobotsPart) -> Cause:
    record = evidence.record
    if record is None:
        return _cause_unknown(evidence, robots)
    match record.state:
        case PageState.DONE:
            return _cause_done(record)
        case PageState.GONE:
            return Cause("gone", f"the server says that there is no such page ({record.reason})")
        case PageState.FAILED:
            return _cause_failed(record, evidence.host)
        case PageState.REFUSED:
            return _cause_refused(record, robots)
        case _:
            if evidence.leased_at:
                return Cause("in flight", "it is being fetched now")
            return waiting_cause(evidence, record, robots)


def _cause_unknown(evidence: UrlEvidence, robots: RobotsPart) -> Cause:
    if evidence.scope.verdict != WANTED:
        return Cause(evidence.scope.verdict, evidence.scope.text)
    text = "no page fetched so far led to it, or every link to it was refused where it stood: --search looks"
    waiting = sum(evidence.host.state.queued) if evidence.host is not None else 0
    if waiting:
        text += f"; {waiting:,} URLs of its host are still queued, and may lead to it"
    if robots.allowed is False and robots.line:
        text += f"; robots.txt disallows it (line {robots.line_number}: {robots.line})"
    return Cause(NEVER_FOUND, text)


def _cause_done(record: PageRecord) -> Cause:
    last = record.attempts[-1] if record.attempts else None
    status = f" with status {last.status}" if last is not None and last.status else ""
    if record.location or (last is not None and last.outcome == "redirected"):
        return Cause("redirected", f"it redirects{status} to {record.location or 'another URL'}")
    if record.reason == Reason.NOARCHIVE:
        return Cause(record.reason, f"fetched{status}, but {meaning(record.reason)}")
    if record.copy_of:
        return Cause("copy", f"fetched{status}; the same body was archived before as {record.copy_of}")
    if last is not None and last.outcome == "not modified":
        return Cause("not modified", "the server says that it has not changed since it was fetched")
    return Cause("fetched", f"fetched{status}")


def _cause_failed(record: PageRecord, host: HostEvidence | None) -> Cause:
    word = record.reason
    if meaning(word) != word or word.startswith("bad redirect"):
        return Cause(word, meaning(word))
    if record.tries >= URL_TRIES_MAX:
        return Cause(word, f"{word}, after {record.tries} tries")
    if host is not None and host.state.dead_at and word == host.state.error:
        return Cause(word, f"{word}: its host had failed for as long as crawl.host_patience waits")
    return Cause(word, f"{word}, which another try would not change")


def _cause_refused(record: PageRecord, robots: RobotsPart) -> Cause:
    text = meaning(record.reason)
    if record.reason == Reason.ROBOTS:
        if robots.allowed:
            text += "; the file that is known now would allow it"
        elif robots.line:
            text += f" (line {robots.line_number}: {robots.line})"
    if record.detail:
        text += f" ({record.detail})"
    return Cause(record.reason, text)


def _attempts(record: PageRecord | None) -> list[AttemptPart]:
    attempts = record.attempts if record is not None else []
    return [AttemptPart(at=each.at, outcome=each.outcome, status=each.status) for each in attempts]


def _key(evidence: UrlEvidence, record: PageRecord | None) -> KeyPart:
    rules = evidence.host.state.aliases if evidence.host is not None else []
    return KeyPart(
        key=evidence.key,
        fetch_url=record.url if record else evidence.url,
        shard=evidence.shard,
        alias_of=record.alias_of if record else "",
        aliases=evidence.aliases,
        rules=[
            f"{rule.words} ({rule.agreed} samples, as {rule.example[0]} and {rule.example[1]})"
            for rule in rules
            if rule.is_in_force
        ],
    )


def _found(record: PageRecord) -> FoundPart:
    return FoundPart(
        at=record.found_at,
        referrer=record.referrer,
        depth=record.depth,
        hops=record.hops,
        path=", ".join(["seed", *(_HOP_WORDS.get(letter, letter) for letter in record.hops)]),
        group=record.group,
        redirects=record.redirects,
        kind=UrlKind(record.kind).name.lower(),
        hints=_claims(record.hints),
    )


def _claims(hints: Hints | None) -> dict[str, str]:
    """What sitemaps and feeds claim of it, by name."""
    if hints is None:
        return {}
    claims = {
        "lastmod": hints.lastmod,
        "changefreq": hints.changefreq,
        "priority": f"{hints.priority:g}" if hints.priority >= 0 else "",
        "published": hints.published,
        "alternates": ", ".join(language for language, _ in hints.alternates),
    }
    return {name: claim for name, claim in claims.items() if claim}


def _host(host: HostEvidence, now: float) -> HostPart:
    state = host.state
    standing = standing_of(state, host.working, host.held_by, now)
    return HostPart(
        name=state.name,
        site=state.site,
        state=standing.status,
        since=standing.since,
        why=standing.reason,
        next=standing.next_at,
        pages=state.pages,
        bytes=state.bytes,
        fetches=state.fetches,
        queued=list(state.queued),
        failures=state.failures,
        next_at=state.next_at,
        gap_seconds=host.gap.seconds,
        gap_source=host.gap.source,
        crawl_delay=state.crawl_delay,
        last_end=state.last_end,
        error=state.error,
        error_at=state.error_at,
        addresses=list(host.addresses),
    )


def _queue(evidence: UrlEvidence, record: PageRecord) -> QueuePart:
    is_retry = record.queue == RETRY
    queued = evidence.host.state.queued if evidence.host is not None else [0] * (LEVELS + 1)
    return QueuePart(
        level=record.level,
        is_retry=is_retry,
        due=retry_due(record.order) if is_retry else 0.0,
        ahead=evidence.ahead,
        ahead_exact=evidence.ahead < evidence.ahead_max,
        ahead_levels=sum(queued[:LEVELS] if is_retry else queued[: record.queue]),
    )


def _score(evidence: UrlEvidence) -> ScorePart:
    parts = {name: round(points, 3) for name, points in evidence.score_parts.items() if points or name == Part.DEPTH}
    return ScorePart(
        score=round(sum(evidence.score_parts.values()), 3),
        parts=parts,
        level=evidence.score_level,
        fixed=evidence.score_fixed,
        partial=evidence.score_partial,
    )


def _capture(record: PageRecord) -> CapturePart:
    return CapturePart(
        at=record.captured_at,
        file=record.file,
        offset=record.offset,
        length=record.length,
        record_id=record.record_id,
    )


def _chain(evidence: UrlEvidence) -> list[Hop]:
    if not evidence.before and not evidence.after:
        return []
    own = Hop(url=evidence.url, state=evidence.state, status=_status(evidence.record), asked=True)
    return [*map(_hop, evidence.before), own, *map(_hop, evidence.after)]


def _hop(known: tuple[str, PageRecord | None]) -> Hop:
    url, record = known
    return Hop(url=url, state=state_word(record), status=_status(record), asked=False)


def _status(record: PageRecord | None) -> int:
    return record.attempts[-1].status if record is not None and record.attempts else 0
