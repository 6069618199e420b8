"""Known URLs judged again, on what their records keep of how they were found."""

from __future__ import annotations

from typing import Final

from gossamer.core.frontier.records import PageRecord
from gossamer.core.page.links import LinkKind
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.scope.reasons import Reason
from gossamer.core.scope.refusal import Finding, kind_by_hops
from gossamer.core.url.parse import host_of

KINDS: Final = {int(kind): kind for kind in LinkKind}


def finding_of(record: PageRecord) -> Finding:
    """How a known URL was found."""
    kind = KINDS[record.link_kind] if record.link_kind else kind_by_hops(record.hops)
    return Finding(record.url, (kind,), record.nofollow, record.depth, record.group)


def refusal_of(judge: LinkJudge, record: PageRecord) -> str:
    """Why a queued URL is wanted no more; empty while it is wanted.

    A blocked host is no such reason: what it has queued is held, and released when it is unblocked.
    """
    reason = judge.judge_finding(finding_of(record))
    if reason == Reason.BLOCKED and judge.filters.blocked.blocks_host(host_of(record.url)):
        return ""
    return reason
