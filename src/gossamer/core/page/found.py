"""Links on their way to the shards that own them: one columnar batch a page and shard."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import msgspec

from gossamer.core.sitemap.hints import Hints


class FoundLinks(msgspec.Struct, array_like=True):
    """URLs found in one place; `urls` and all that follow are parallel. An outbox entry holds one or more of these."""

    source: str
    """Fetch URL of the page they were found on; empty for seeds."""
    depth: int
    """Links from a seed, of the URLs found."""
    hops: str
    """Hop path of the source."""
    group: str
    redirects: int
    """Redirects followed on the way."""
    found_at: float
    urls: list[str]
    letters: str
    """Hop letter of each: L link, E embed, R redirect, M named by a list; empty for seeds."""
    levels: bytes
    """Level of each by how it was found alone; `records.LAST` where nothing raises it from the last."""
    link_kinds: bytes = b""
    """`LinkKind` of each; empty where it is not known."""
    nofollow: bytes = b""
    """1 for each whose link or page says nofollow, else 0; empty where none does."""
    kinds: bytes = b""
    """`UrlKind` of each; empty where all are pages."""
    hints: list[Hints | None] = []
    """What is claimed of each; empty where nothing is."""
    trail: list[str] = []
    """For sitemaps: what named them, from the robots.txt on."""

    def __len__(self) -> int:
        return len(self.urls)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[FoundLinks])
_single_decoder = msgspec.msgpack.Decoder(FoundLinks)


def encode_batches(batches: Sequence[FoundLinks]) -> bytes:
    """The stored form of batches that travel together."""
    return _encoder.encode(batches)


def decode_batches(data: bytes) -> list[FoundLinks]:
    """The batches of `data`; raises msgspec.DecodeError when it holds none. Older releases wrote each by itself."""
    try:
        return _decoder.decode(data)
    except msgspec.ValidationError:
        return [_single_decoder.decode(data)]


def part(found: FoundLinks, rows: list[int]) -> FoundLinks:
    """The batch with only these rows."""
    if len(rows) == 1:
        return _single(found, rows[0])
    those = itemgetter(*rows) if rows else _none_of
    return FoundLinks(
        found.source,
        found.depth,
        found.hops,
        found.group,
        found.redirects,
        found.found_at,
        list(those(found.urls)),
        "".join(those(found.letters)) if found.letters else "",
        bytes(those(found.levels)),
        bytes(those(found.link_kinds)) if found.link_kinds else b"",
        bytes(those(found.nofollow)) if found.nofollow else b"",
        bytes(those(found.kinds)) if found.kinds else b"",
        list(those(found.hints)) if found.hints else [],
        found.trail,
    )


def _none_of(_: Sequence[Any]) -> tuple[()]:
    return ()


def _single(found: FoundLinks, row: int) -> FoundLinks:
    """One row: what most pages have for most shards."""
    end = row + 1
    return FoundLinks(
        found.source,
        found.depth,
        found.hops,
        found.group,
        found.redirects,
        found.found_at,
        found.urls[row:end],
        found.letters[row:end],
        found.levels[row:end],
        found.link_kinds[row:end],
        found.nofollow[row:end],
        found.kinds[row:end],
        found.hints[row:end],
        found.trail,
    )
