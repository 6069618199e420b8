"""A stored capture as a program sees it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from gossamer import errors
from gossamer.app.captures import StoredCapture, find_captures, moment_of, open_capture
from gossamer.app.python.page import Headers, PageLinks
from gossamer.app.python.raising import typed_errors
from gossamer.core.page.links import Links
from gossamer.core.url.parse import parse

if TYPE_CHECKING:
    from gossamer.app.folder import CrawlFolder


class Capture:
    """One stored fetch, read back from the archive; of a revisit, the body is that of the capture it stands for."""

    __slots__ = ("_stored",)

    def __init__(self, stored: StoredCapture) -> None:
        self._stored = stored

    @property
    def url(self) -> str:
        """The URL that was fetched."""
        return self._stored.url

    @property
    def fetched_at(self) -> datetime:
        """Start of the exchange, UTC."""
        return datetime.fromtimestamp(self._stored.at, UTC)

    @property
    def status(self) -> int:
        """HTTP status."""
        return self._stored.status

    @property
    def headers(self) -> Headers:
        """Header fields of the answer."""
        return Headers(self._stored.headers)

    @property
    def media_type(self) -> str:
        """Media type without parameters, lower case."""
        return self._stored.media_type

    @property
    def body(self) -> bytes:
        """The body after content decoding."""
        return self._stored.body

    @property
    def text(self) -> str:
        """What a reader sees, blocks apart; empty for pictures and the like."""
        return self._stored.text

    @property
    def title(self) -> str:
        """Title of an HTML page."""
        document = self._stored.document
        return document.title if document is not None else ""

    @property
    def links(self) -> PageLinks:
        """Links of an HTML page; none for other media."""
        document = self._stored.document
        return PageLinks(document.links if document is not None else Links())

    @property
    def is_revisit(self) -> bool:
        """Whether the archive only says "the same as that one" here."""
        return self._stored.original is not None

    @property
    def record(self) -> bytes:
        """The WARC record itself, uncompressed."""
        return self._stored.raw

    def __repr__(self) -> str:
        return f"<Capture {self.status} {self.url} {self.fetched_at:%Y-%m-%dT%H:%M:%SZ}>"


def stored(folder: CrawlFolder, url: str, at: str | float | datetime | None) -> Capture:
    """The capture of `url` nearest to `at`, the last without it. Raises NotCaptured; FolderError for a damaged one."""
    parsed = parse(url)
    if parsed is None:
        raise errors.SeedError(f"{url[:120]!r} is no URL", "a URL begins with http:// or https://")
    moment = at.timestamp() if isinstance(at, datetime) else at
    with typed_errors():
        moment = moment_of(moment)
    if not find_captures(folder, parsed.href):
        raise errors.NotCaptured(f"{parsed.href} has no capture in {folder.path}")
    with typed_errors(errors.FolderError):
        return Capture(open_capture(folder, parsed.href, moment))
