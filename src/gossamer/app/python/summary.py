"""The numbers of a crawl at its end, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Summary:
    """How a crawl ended, and its numbers, earlier runs of the same folder included."""

    end_state: str
    """"complete", "limit reached", "nothing fetched", "stalled", "interrupted" or "disk full"."""
    reason: str
    """Which limit, or what was in the way; may be empty."""
    pages: int
    """2xx answers, copies included."""
    copies: int
    """Pages whose body was archived before under another URL."""
    fetches: int
    """Exchanges, robots.txt included."""
    bytes: int
    """Body bytes received."""
    seconds: float
    """Time this run took."""
    failed: Mapping[str, int]
    """Reason -> URLs that failed."""
    refused: Mapping[str, int]
    """Reason -> URLs that were refused."""
    numbers: Mapping[str, Any]
    """Everything that summary.json says."""


def summary_of(numbers: Mapping[str, Any]) -> Summary:
    """From what summary.json says."""
    return Summary(
        end_state=numbers["end_state"],
        reason=numbers.get("reason") or "",
        pages=numbers.get("pages", 0),
        copies=numbers.get("copies", 0),
        fetches=numbers.get("fetches", 0),
        bytes=numbers.get("bytes", 0),
        seconds=numbers.get("seconds", 0.0),
        failed=numbers.get("failed", {}),
        refused=numbers.get("refused", {}),
        numbers=numbers,
    )
