"""Moments as WARC and CDX write them. Both are cut from one number, so a record and its index line cannot differ.

Milliseconds: finer than any network tells, read by all tools (WARC 1.1, 5.4 allows up to nine digits), and what the
datasets keep, so a moment read back from a row names the same record.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


def milliseconds(seconds: float) -> int:
    """Whole milliseconds since the epoch, rounded; the datasets' unit."""
    return round(seconds * 1000)


@lru_cache(maxsize=16)
def warc_date(seconds: float) -> str:
    """`seconds` since the epoch as WARC-Date: "2026-11-30T13:47:00.250Z". The records of one capture all ask."""
    whole, thousandths = divmod(milliseconds(seconds), 1000)
    return f"{_second(whole)[0]}.{thousandths:03d}Z"


def timestamp(seconds: float) -> str:
    """`seconds` since the epoch as the 14 digits of an index: "20261130134700", cut to the second."""
    return _second(milliseconds(seconds) // 1000)[1]


@lru_cache(maxsize=256)
def _second(whole: int) -> tuple[str, str]:
    moment = datetime.fromtimestamp(whole, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S"), moment.strftime("%Y%m%d%H%M%S")
