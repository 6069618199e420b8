"""Widenings of the scope, as a shard keeps them: where the redirects of its seeds led on their own site."""

from __future__ import annotations

from typing import Final

from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table

PREFIX: Final = b"widened:"
WIDENINGS_MAX: Final = 10_000
"""Read of one shard: more seeds that redirect within one site are hardly meant."""


def record_widening(rows: PendingStore, source: str, target: str) -> None:
    """Keep that the redirects of the seed `source` led to `target`."""
    rows.put(Table.META, PREFIX + target.encode(), source.encode())


def read_widenings(rows: PendingStore) -> list[tuple[str, str]]:
    """(seed, where it led) of each widening recorded."""
    found = rows.scan(Table.META, PREFIX, PREFIX + b"\xff" * 32, WIDENINGS_MAX)
    return [(value.decode(), key[len(PREFIX) :].decode()) for key, value in found]
