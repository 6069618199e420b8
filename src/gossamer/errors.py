"""What the Python interface raises. Each says what is the matter in one line, and in `hint` what helps.

GossamerError
    SettingsError      a setting is unknown, wrong, or fixed
    SeedError          a seed is no URL, or there is none
    FolderError        the folder is in use, already a crawl, no crawl, damaged, or of a newer format
    DiskError          the disk is full, read-only or failing
    NothingFetched     not one page could be fetched
    NotCaptured        a URL has no stored capture
"""

from __future__ import annotations

__all__ = [
    "DiskError",
    "FolderError",
    "GossamerError",
    "NotCaptured",
    "NothingFetched",
    "SeedError",
    "SettingsError",
]


class GossamerError(Exception):
    """Anything that a caller can put right. Bugs of ours raise other things."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self.message = message
        """What is the matter, in one line."""
        self.hint = hint
        """What helps; may be empty."""


class SettingsError(GossamerError):
    """A setting is unknown, has a wrong value, does not go with another, or is fixed for the crawl."""


class SeedError(GossamerError):
    """A seed is no URL that can be crawled, or there is no seed at all."""


class FolderError(GossamerError):
    """The crawl folder is in use, already a crawl, no crawl, damaged, or of a newer format."""


class DiskError(GossamerError):
    """The disk is full, read-only or failing. What was committed is safe, and the crawl can be resumed."""


class NothingFetched(GossamerError):  # noqa: N818 - says what is the matter, as its siblings in the program do
    """The crawl ended without one page ever fetched; the message has the reasons."""


class NotCaptured(GossamerError, LookupError):  # noqa: N818 - as above
    """The URL has no stored capture in this crawl, or none that old."""
