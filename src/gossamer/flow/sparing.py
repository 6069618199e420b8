"""URLs that a sitemap or feed lists are in no trap: those known before by a link are spared from then on."""

from __future__ import annotations

from gossamer.core.frontier.commands import Command
from gossamer.core.frontier.records import HOST_ID_BYTES, PageState
from gossamer.core.page.found import FoundLinks
from gossamer.core.page.links import LinkKind
from gossamer.core.scope.reasons import Reason
from gossamer.core.trap.rules import SPARED
from gossamer.flow.forgetting import queue_anew
from gossamer.flow.shard import Shard

LISTED = (int(LinkKind.SITEMAP), int(LinkKind.FEED))


def is_listing(found: FoundLinks) -> bool:
    """Whether a sitemap or feed names some of it."""
    return LISTED[0] in found.link_kinds or LISTED[1] in found.link_kinds


def spare(shard: Shard, found: FoundLinks, keys: list[bytes], new_rows: set[int], now: float) -> list[Command]:
    """Note in the records of known URLs that they are listed; one that was refused as a trap's is queued anew.

    What the frontier wants. One look into the store for a list, none for a page's links.
    """
    if shard.templates.traps is None or not is_listing(found):
        return []
    kinds = {keys[row]: kind for row, kind in enumerate(found.link_kinds) if kind in LISTED and row not in new_rows}
    out: list[Command] = []
    for (key, kind), record in zip(kinds.items(), shard.records_of(list(kinds)), strict=True):
        if record is None or record.link_kind in SPARED:
            continue
        record.link_kind = kind
        if record.state == PageState.REFUSED and record.reason == Reason.TRAP:
            out += queue_anew(shard, key, record, now)
        else:
            shard.save_page(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:], record)
    return out
