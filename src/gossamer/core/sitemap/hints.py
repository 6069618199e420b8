"""What a sitemap or a feed claims of a URL: hints, which advise and never command."""

from __future__ import annotations

import re
from typing import Final

import msgspec

CHANGE_FREQUENCIES: Final = frozenset({"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"})
"""The words of sitemaps.org."""
_DATE: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z:+., \-]{3,39}", re.ASCII)
_PRIORITY: Final = re.compile(r"[0-9]{0,3}(?:\.[0-9]{1,9})?", re.ASCII)


class Hints(msgspec.Struct, array_like=True, frozen=True):
    """Claims about one URL, as they were made. Fields are appended, never reordered: page records hold this."""

    lastmod: str = ""
    """When it changed: a sitemap's `lastmod`, an entry's `updated`; the date as written."""
    changefreq: str = ""
    """A word of `CHANGE_FREQUENCIES`."""
    priority: float = -1.0
    """0 to 1; -1 where none is claimed."""
    published: str = ""
    """When it was published: a news sitemap's `publication_date`, an item's `pubDate`; the date as written."""
    alternates: tuple[tuple[str, str], ...] = ()
    """(language, URL) of each `hreflang` alternate."""


NO_HINTS: Final = Hints()


def date_claim(text: str) -> str:
    """A date as it was written, white space folded; "" for what is none."""
    folded = " ".join(text[:200].split())
    return folded if _DATE.fullmatch(folded) else ""


def frequency_claim(text: str) -> str:
    """A change frequency in lower case; "" for any other word."""
    word = text[:200].strip().lower()
    return word if word in CHANGE_FREQUENCIES else ""


def priority_claim(text: str) -> float:
    """A priority from 0 to 1; -1 for what is none."""
    number = text[:200].strip()
    if not number or not _PRIORITY.fullmatch(number) or number == ".":
        return -1.0
    priority = float(number)
    return priority if priority <= 1 else -1.0
