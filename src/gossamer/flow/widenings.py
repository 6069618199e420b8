"""Widenings of the scope, as a shard keeps them: where the redirects of its seeds led on their own site.

All are kept, also those that widen nothing today: the scope of tomorrow's resume may be narrower, and where a seed
leads is in it all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX: Final = b"widened:"
ROWS_AT_ONCE: Final = 1_000
"""Read at once; a broad crawl may have a million seeds."""
_GAP: Final = "\n"
"""Between seed and group in the stored form; a normalised URL holds no line end."""


class Widening(NamedTuple):
    """A seed's redirects led to `target`, which is in every scope of the seed's group since."""

    seed: str
    target: str
    group: str = ""


def record_widening(rows: PendingStore, widening: Widening) -> None:
    """Keep a widening."""
    value = widening.seed + (_GAP + widening.group if widening.group else "")
    rows.put(Table.META, PREFIX + widening.target.encode(), value.encode())


def read_widenings(rows: PendingStore) -> Iterator[Widening]:
    """The widenings recorded, by target."""
    start = PREFIX
    while found := rows.scan(Table.META, start, PREFIX + b"\xff" * 32, ROWS_AT_ONCE):
        for key, value in found:
            seed, _, group = value.decode().partition(_GAP)
            yield Widening(seed, key[len(PREFIX) :].decode(), group)
        start = found[-1][0] + b"\0"
