"""What the files of an authority say to fetching one of its URLs: robots.txt, and tdmrep.json where it matters.

Pure, and asked for every URL before its lease. The answer is one of three: ask for a file first, yes, or no with the
words that say so.
"""

from __future__ import annotations

from typing import Final

import msgspec

from gossamer.core.frontier.back_queue import BackQueue, RobotsPending
from gossamer.core.frontier.lease import Entry, LeaseKind
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import UrlKind
from gossamer.core.limits import TDM_FILE_BYTES_MAX
from gossamer.core.preference.preferences import NOTHING, Preferences
from gossamer.core.preference.site_files import site_preferences
from gossamer.core.preference.tdm_file import TDM_FILE_TARGET
from gossamer.core.robots.answer import RobotsAnswer, RobotsState
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.verdict import ROBOTS_TARGET, verdict_of
from gossamer.core.scope.reasons import Reason
from gossamer.core.url.parse import authority_of, target_of


class Permission(msgspec.Struct, frozen=True):
    """What is to be done about a URL."""

    asks: RobotsPending | None = None
    """A file to be fetched first; then nothing else is known."""
    reason: str = ""
    """Why it is refused, a word of `Reason`; empty when it may be leased."""
    detail: str = ""
    """The words that refuse it."""
    stated: Preferences = NOTHING
    """What the files state of its use, to be kept with what is fetched."""


GRANTED: Final = Permission()


def permission(host: BackQueue, entry: Entry, policy: FrontierPolicy, now: float) -> Permission:
    """Whether the first URL of a host may be leased."""
    url = entry.record.url
    authority, target = authority_of(url), target_of(url)
    robots = host.robots.get(authority)
    if robots is None or robots.expires_at <= now:
        return Permission(RobotsPending(authority, authority + ROBOTS_TARGET))
    rules = host.rules_of(authority, policy.product)
    verdict = verdict_of(robots, rules, target)
    if not verdict.allowed:
        return Permission(reason=Reason.ROBOTS, detail=verdict.line)
    if _wants_tdm_file(robots, rules, policy):
        return Permission(RobotsPending(authority, authority + TDM_FILE_TARGET, kind=LeaseKind.PROBE))
    stated = site_preferences(rules, host.tdm_of(authority), target)
    if stated is NOTHING:
        return GRANTED
    refused = stated.refusal(policy.purposes) if entry.record.kind == UrlKind.PAGE else None
    if refused is not None:
        return Permission(reason=Reason.PURPOSE, detail=f"{refused.purpose}: {refused.evidence}")
    return Permission(stated=stated)


def tdm_body(answer: RobotsAnswer) -> bytes:
    """What is kept of the answer to a question for tdmrep.json: the file, or nothing, which states nothing.

    Unlike a robots.txt that cannot be read it is no reason to wait: W3C TDMRep, section 6.1, makes its absence, and
    any error, "not set". It is asked for again with the next robots.txt.
    """
    complete = 200 <= answer.status < 300 and answer.failure is None and not answer.cut
    return answer.body if complete and len(answer.body) <= TDM_FILE_BYTES_MAX else b""


def _wants_tdm_file(robots: RobotsState, rules: RobotsRules | None, policy: FrontierPolicy) -> bool:
    """Whether tdmrep.json is to be asked for: it could refuse something, was not asked for yet, and is allowed."""
    if robots.tdm_at or not policy.wants_tdm_file:
        return False
    return verdict_of(robots, rules, TDM_FILE_TARGET).allowed
