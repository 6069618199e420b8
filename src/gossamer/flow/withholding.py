"""Answers that are not kept because of what they say themselves: a purpose denied, or noarchive where it is obeyed."""

from __future__ import annotations

from gossamer.core.frontier.lease import LeaseKind
from gossamer.core.http.outcome import Refused
from gossamer.core.scope.reasons import Reason
from gossamer.flow.finished import Finished
from gossamer.flow.worker import CrawlPolicy


def withhold(policy: CrawlPolicy, finished: Finished) -> None:
    """Decide whether the answer to a page's lease may be kept, right after it was read.

    Where a purpose is denied nothing of it is used: it is refused as if its media type were not wanted, gives no links,
    is not stored and is no page. Where noarchive is obeyed it is a page like any other whose capture is left out.
    """
    reading = finished.reading
    if finished.kind is not LeaseKind.PAGE or not reading.is_page:
        return
    refused = finished.preferences.refusal(policy.purposes)
    if refused is not None:
        finished.withheld, finished.detail = Reason.PURPOSE, f"{refused.purpose}: {refused.evidence}"
        reading.outcome = Refused(Reason.PURPOSE, finished.exchange.status)
        reading.decoded, reading.digest, reading.document = b"", b"", None
    elif reading.directives.noarchive and policy.obeys_noarchive:
        finished.withheld = finished.detail = Reason.NOARCHIVE
