"""Retry-After, in both forms (RFC 9110, section 10.2.3): seconds, or a date in one of three formats (section 5.6.7)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from gossamer.core.limits import RETRY_AFTER_MAX_SECONDS

_SECONDS: Final = re.compile(r"[0-9]+")
_MONTHS: Final[tuple[str, ...]] = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
_DAY: Final = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_DAY_LONG: Final = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_MONTH: Final = f"(?P<month>{'|'.join(_MONTHS)})"
_TIME: Final = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
_DATES: Final = tuple(
    re.compile(pattern, re.ASCII)
    for pattern in (
        rf"{_DAY}, (?P<day>\d\d) {_MONTH} (?P<year>\d{{4}}) {_TIME} GMT",  # IMF-fixdate
        rf"{_DAY_LONG}, (?P<day>\d\d)-{_MONTH}-(?P<year>\d\d) {_TIME} GMT",  # RFC 850
        rf"{_DAY} {_MONTH} (?P<day>[ \d]\d) {_TIME} (?P<year>\d{{4}})",  # asctime
    )
)
_CENTURY_AHEAD_YEARS: Final = 50
"""A two-digit year more than this ahead is one of the past century (RFC 9110 section 5.6.7)."""


def retry_after_seconds(value: str, now: float) -> float | None:
    """Seconds to wait from `now` (seconds since the epoch), at most `RETRY_AFTER_MAX_SECONDS`.

    None for what is no Retry-After and for a moment already past: our own back-off applies.
    """
    value = value.strip()
    if _SECONDS.fullmatch(value):
        # Ten digits are three centuries; longer numbers are not worth reading, and endless ones not possible.
        return min(float(value[:10]), RETRY_AFTER_MAX_SECONDS) if len(value) <= 10 else RETRY_AFTER_MAX_SECONDS
    moment = http_date(value, now)
    if moment is None or moment < now:
        return None
    return min(moment - now, RETRY_AFTER_MAX_SECONDS)


def http_date(value: str, now: float) -> float | None:
    """An HTTP-date as seconds since the epoch, or None. `now` decides the century of a two-digit year."""
    found = next((match for pattern in _DATES if (match := pattern.fullmatch(value))), None)
    if found is None:
        return None
    year = int(found["year"])
    if len(found["year"]) == 2:
        year = _full_year(year, now)
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"])
    try:
        # A leap second is written 60; it is the next minute's first.
        day = datetime(year, _MONTHS.index(found["month"]) + 1, int(found["day"]), hour, minute, tzinfo=UTC)
    except ValueError:
        return None
    return day.timestamp() + second if second <= 60 else None


def _full_year(year: int, now: float) -> int:
    present = datetime.fromtimestamp(now, UTC).year
    full = present - present % 100 + year
    return full - 100 if full > present + _CENTURY_AHEAD_YEARS else full
