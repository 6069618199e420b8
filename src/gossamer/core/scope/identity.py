"""Which scope a crawl's refusals and queues were judged by: kept with them, so that a change is noticed once.

The rules (scope, filters, seed groups) count as one whole: any of them may decide about any URL. What else refuses URLs
that may be wanted later is compared on its own, for it costs fetches to find out: media types, addresses, copies.
"""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from gossamer.core.scope.block_list import BlockList
from gossamer.core.scope.filters import FilterRules
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.scope.reasons import Reason

RULED: Final = frozenset(
    {
        Reason.KIND,
        Reason.NOFOLLOW,
        Reason.DEPTH,
        Reason.URL_LENGTH,
        Reason.SCOPE,
        Reason.BLOCKED,
        Reason.EXTENSION,
        Reason.EXCLUDED,
        Reason.NOT_INCLUDED,
        Reason.COPY,
        Reason.TRAP,
    }
)
"""Reasons that other rules, or another `copies.follow`, may take back."""


class JudgedBy(msgspec.Struct, frozen=True):
    """What the refusals and the queues of a shard were judged by."""

    rules: bytes = b""
    """Digest of the judge's rules; empty stands for rules that are not known."""
    copies: str = ""
    """`copies.follow`."""
    media: tuple[str, ...] | None = ()
    """Media types wanted; None for any."""
    addresses: tuple[str, ...] = ()
    """Address ranges allowed."""
    barred: tuple[str, ...] = ()
    """Address ranges on the block list."""

    def is_ruled_otherwise(self, before: JudgedBy) -> bool:
        """Whether URLs may be judged otherwise than before, on what is known of them."""
        return (self.rules, self.copies) != (before.rules, before.copies)

    def reasons_to_reconsider(self, before: JudgedBy) -> frozenset[str]:
        """The reasons of refusals that may hold no more."""
        reasons: set[str] = set(RULED) if self.is_ruled_otherwise(before) else set()
        if before.media is not None and (self.media is None or not set(self.media) <= set(before.media)):
            reasons.add(Reason.MEDIA_TYPE)
        if not (set(self.addresses) <= set(before.addresses) and set(before.barred) <= set(self.barred)):
            reasons.add(Reason.ADDRESS)
        return frozenset(reasons)


def rules_digest(judge: LinkJudge) -> bytes:
    """Equal for two judges that give every URL the same verdict; different for (practically) any other two."""
    parts = [
        judge.scope.reach,
        _filters(judge.filters),
        [[name, group.scope.reach, group.depth_max] for name, group in sorted(judge.groups.items())],
    ]
    if judge.traps is not None:
        parts.append(judge.traps.told_apart_by)
    return hashlib.sha256(msgspec.msgpack.encode(parts)).digest()


def encode_judged_by(judged: JudgedBy) -> bytes:
    """The stored form."""
    return msgspec.msgpack.encode(judged)


def decode_judged_by(data: bytes) -> JudgedBy:
    """The value of `data`; raises msgspec.DecodeError when it is none."""
    return msgspec.msgpack.decode(data, type=JudgedBy)


def _filters(filters: FilterRules) -> list[object]:
    return [
        filters.include.patterns,
        filters.exclude.patterns,
        sorted(filters.extensions),
        filters.url_length_max,
        filters.depth_max,
        sorted(map(int, filters.kinds)),
        filters.obey_nofollow,
        _blocked(filters.blocked),
    ]


def _blocked(blocked: BlockList) -> list[list[str]]:
    prefixes = {url for urls in blocked.prefixes.values() for url in urls}
    return [sorted(blocked.hosts), sorted(blocked.domains), sorted(prefixes), sorted(map(str, blocked.networks))]
