"""Widenings of the scope, as a shard keeps them: where the redirects of its seeds led on their own site."""

from __future__ import annotations

from typing import Final, NamedTuple

from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table

PREFIX: Final = b"widened:"
WIDENINGS_MAX: Final = 10_000
"""Read of one shard: more seeds that redirect within one site are hardly meant."""
_GAP: Final = "\n"
"""Between seed and group in the stored form; a normalised URL holds no line end."""


class Widening(NamedTuple):
    """A seed's redirects led to `target`, which is in the scope of the seed's group since."""

    seed: str
    target: str
    group: str = ""


def record_widening(rows: PendingStore, widening: Widening) -> None:
    """Keep a widening."""
    value = widening.seed + (_GAP + widening.group if widening.group else "")
    rows.put(Table.META, PREFIX + widening.target.encode(), value.encode())


def read_widenings(rows: PendingStore) -> list[Widening]:
    """The widenings recorded."""
    found = rows.scan(Table.META, PREFIX, PREFIX + b"\xff" * 32, WIDENINGS_MAX)
    parts = ((key[len(PREFIX) :].decode(), *value.decode().partition(_GAP)) for key, value in found)
    return [Widening(seed, target, group) for target, seed, _, group in parts]
