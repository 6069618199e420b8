"""Numbers as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

SIZES: Final = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
TIMES: Final = ((86400, "d", 3600, "h"), (3600, "h", 60, "m"), (60, "m", 1, "s"))


def count(number: int) -> str:
    """1234567 -> "1,234,567"."""
    return f"{number:,}"


def counted(number: int, noun: str) -> str:
    """1 -> "1 file", 1234 -> "1,234 files"; for nouns whose plural ends in s."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(number: float) -> str:
    """1234567 -> "1.2 MB"."""
    unit, name = next(((unit, name) for unit, name in SIZES if number >= unit * 0.9995), (1.0, "B"))
    figure = number / unit
    return f"{figure:.0f} {name}" if unit == 1.0 or figure >= 99.95 else f"{figure:.1f} {name}"


def rate(number: float) -> str:
    """12.345 -> "12.3"; 123.45 -> "123"."""
    return f"{number:.1f}" if number < 99.95 else f"{number:,.0f}"


def duration(seconds: float) -> str:
    """83.2 -> "1m 23s"; 4.26 -> "4.3s"."""
    whole = round(seconds)
    for unit, name, part, part_name in TIMES:
        if whole >= unit:
            rest = whole % unit // part
            return f"{whole // unit}{name} {rest}{part_name}" if rest else f"{whole // unit}{name}"
    return f"{seconds:.1f}s"


def moment(seconds: float) -> str:
    """Seconds since the epoch -> "2026-11-30 13:47:00 UTC"; any number is a moment, the calendar's ends included."""
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(seconds))).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, ValueError):
        return "never"
