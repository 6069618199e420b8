"""Ties of a site: the other sites that it links to or is linked from, by their ids, packed.

Most sites have few, and what is known of a site is at hand where its ties are asked for: there they cost no row and no
look of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.seen.fingerprint import SITE_ID_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

Ties = bytes
TIE_BYTES: Final = SITE_ID_BYTES + 1
"""An id, then which ways links go."""


def tie_to(ties: Ties, other: bytes) -> int:
    """Where the tie to the site with the id `other` begins; -1 where there is none."""
    at = ties.find(other)
    while at >= 0 and at % TIE_BYTES:
        at = ties.find(other, at + 1)
    return at


def with_ways(ties: Ties, at: int, ways: int) -> Ties:
    """`ties` with the ways of the one that begins there changed."""
    return b"%b%c%b" % (ties[: at + SITE_ID_BYTES], ways, ties[at + TIE_BYTES :])


def each_tie(ties: Ties) -> Iterator[tuple[bytes, bytes]]:
    """Id and ways of each."""
    for at in range(0, len(ties), TIE_BYTES):
        yield ties[at : at + SITE_ID_BYTES], ties[at + SITE_ID_BYTES : at + TIE_BYTES]
