"""A moment written the ways that pages write one: RFC 822 and its successors, RFC 850, ISO 8601, asctime.

These are what Google names for `unavailable_after` ("RFC 822, RFC 850 and ISO 8601"), its own examples among them
("25-Aug-2007 15:00:00 EST"). A day without a time begins at midnight, a time without a zone is UTC.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import Final, NamedTuple


class Found(NamedTuple):
    """A moment, and where its text ends."""

    at: float
    """Seconds since the epoch."""
    end: int


_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONE_HOURS: Final = {
    **dict.fromkeys(("", "z", "ut", "utc", "gmt", "wet"), 0),
    "est": -5,
    "edt": -4,
    "cst": -6,
    "cdt": -5,
    "mst": -7,
    "mdt": -6,
    "pst": -8,
    "pdt": -7,
    "bst": 1,
    "cet": 1,
    "west": 1,
    "cest": 2,
    "eet": 2,
    "eest": 3,
    "msk": 3,
    "jst": 9,
    "aest": 10,
    "aedt": 11,
}
_DAY_NAME: Final = r"(?:[A-Za-z]{3,9}\.?[, \t]\s*)?"
_TIME: Final = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?"
_ZONE: Final = r"(?:\s*(?P<zone>[+-][0-9]{2}:?[0-9]{2}|[+-][0-9]{2}\b|[A-Za-z]{1,5}\b))?"
_MONTH: Final = r"(?P<month>[A-Za-z]{3})[A-Za-z]*\.?"
_YEAR: Final = "(?P<year>[0-9]{4}|[0-9]{2})"
_FORMS: Final = tuple(
    re.compile(form)
    for form in (
        rf"{_DAY_NAME}(?P<day>[0-9]{{1,2}})[-\s]+{_MONTH}[-,\s]+{_YEAR}\b(?:[\sT]+{_TIME}{_ZONE})?",
        rf"(?P<year>[0-9]{{4}})-(?P<month>[0-9]{{2}})-(?P<day>[0-9]{{2}})(?:[Tt\s]\s*{_TIME}{_ZONE})?",
        r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})"
        r"(?:[Tt](?P<hour>[0-9]{2})(?P<minute>[0-9]{2})(?P<second>[0-9]{2})?" + _ZONE + r")?\b",
        rf"{_DAY_NAME}{_MONTH}\s+(?P<day>[0-9]{{1,2}})(?:,?\s+{_TIME})?,?\s+(?P<year>[0-9]{{4}}){_ZONE}",
    )
)
_CENTURY_TURNS: Final = 70
"""Of years of two digits those from here on lie in the last century (RFC 6265 section 5.1.1)."""


def read_moment(text: str, start: int = 0) -> Found | None:
    """The moment that begins at `start`; None where there is none. Never raises."""
    for form in _FORMS:
        found = form.match(text, start)
        if found is not None:
            at = _moment(found.groupdict())
            if at is not None:
                return Found(at, found.end())
    return None


def _moment(parts: dict[str, str | None]) -> float | None:
    month = parts["month"] or ""
    year = int(parts["year"] or 0)
    if year < 100:
        year += 1900 if year >= _CENTURY_TURNS else 2000
    zone = _zone(parts.get("zone") or "")
    if zone is None or not (month.isdecimal() or month.lower() in _MONTHS):
        return None
    number = int(month) if month.isdecimal() else _MONTHS.index(month.lower()) + 1
    try:
        day = datetime(year, number, int(parts["day"] or 0), tzinfo=zone)
        clock = [int(parts.get(name) or 0) for name in ("hour", "minute", "second")]
        if clock[0] > 24 or clock[1] > 59 or clock[2] > 60:
            return None
        return (day + timedelta(hours=clock[0], minutes=clock[1], seconds=clock[2])).timestamp()
    except (ValueError, OverflowError):
        return None


def _zone(text: str) -> timezone | None:
    """The zone of a name or a difference; a name that nobody knows is read as UTC."""
    if text[:1] in ("+", "-"):
        digits = text[1:].replace(":", "")
        hours, minutes = int(digits[:2]), int(digits[2:] or 0)
        if hours > 23 or minutes > 59:
            return None
        ahead = timedelta(hours=hours, minutes=minutes)
        return timezone(ahead if text[0] == "+" else -ahead)
    hours = _ZONE_HOURS.get(text.lower(), 0)
    return timezone(timedelta(hours=hours)) if hours else UTC
