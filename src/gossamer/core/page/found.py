"""Links on their way to the shards that own them: one columnar batch a page and shard."""

from __future__ import annotations

import msgspec


class FoundLinks(msgspec.Struct, array_like=True):
    """URLs found in one place; `urls` and all that follow are parallel. The stored form of an outbox entry."""

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
    """Hop letter of each: L link, E embed, R redirect; empty for seeds."""
    levels: bytes
    """Front queue of each."""
    kinds: bytes = b""
    """`LinkKind` of each; empty in entries of older releases."""
    nofollow: bytes = b""
    """1 for each whose link or page says nofollow, else 0; empty as above."""

    def __len__(self) -> int:
        return len(self.urls)


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(FoundLinks)


def encode_found(found: FoundLinks) -> bytes:
    """The stored form."""
    return _encoder.encode(found)


def decode_found(data: bytes) -> FoundLinks:
    """The batch of `data`; raises msgspec.DecodeError when it is none."""
    return _decoder.decode(data)


def part(found: FoundLinks, rows: list[int]) -> FoundLinks:
    """The batch with only these rows."""
    return FoundLinks(
        source=found.source,
        depth=found.depth,
        hops=found.hops,
        group=found.group,
        redirects=found.redirects,
        found_at=found.found_at,
        urls=[found.urls[row] for row in rows],
        letters="".join(found.letters[row] for row in rows) if found.letters else "",
        levels=bytes(found.levels[row] for row in rows),
        kinds=bytes(found.kinds[row] for row in rows) if found.kinds else b"",
        nofollow=bytes(found.nofollow[row] for row in rows) if found.nofollow else b"",
    )
