"""One sitemap or feed, read in pieces of any size: what it is shows in its bytes, whatever its name and media type.

XML by its root element, a JSON Feed by its brace, and, where a sitemap is expected, text with one URL a line
(sitemaps.org, "Text file"). gzip is undone by its magic number, twice at most: `sitemap.xml.gz` is sent with and
without a Content-Encoding. Whatever the pieces, the result is the same; nothing raises.
"""

from __future__ import annotations

import codecs
import re
from typing import Any, Final, cast

import msgspec

from gossamer.core.limits import FEED_JSON_BYTES_MAX, SITEMAP_BYTES_MAX, URL_PARSED_LENGTH_MAX
from gossamer.core.page.charset import header_charset
from gossamer.core.page.charset_labels import REPLACEMENT, decoder_of, encoding_of
from gossamer.core.sitemap.elements import ListingElements
from gossamer.core.sitemap.hints import NO_HINTS, Hints, date_claim
from gossamer.core.sitemap.listing import REFUSING, Listing, ListingDraft, ListingFormat, Problem
from gossamer.core.sitemap.markup import MarkupReader
from gossamer.core.sitemap.unpacking import Unpacker

SNIFFED_BYTES: Final = 1024
"""Enough for a byte order mark, an XML declaration, and the first character after white space."""
PIECE_BYTES: Final = 64 * 1024
"""A good size of pieces: a few milliseconds of work."""
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_WIDE: Final = ((b"<\0", "utf-16le"), (b"\0<", "utf-16be"))
_XML_ENCODING: Final = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z0-9._:\-]{1,60})[\"']")
_PIECEWISE: Final = {"utf-8": "utf-8", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be"}
"""Encodings with a decoder that takes pieces; a file in another one is gathered first."""
_ROOT: Final = re.compile(
    rb"^(?:\xef\xbb\xbf)?\s*+(?>(?:<\?[^>]*+>|<!--.*?-->)\s*+)*+<(?:\w+:)?(?:urlset|sitemapindex|rss|rdf|feed)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Each comment is taken whole (`(?>`): there are two to the power of their number ways to take them apart."""
_BLANKS: Final = " \t\n\v\f\r\ufeff"
_ABSOLUTE: Final = re.compile(r"https?://", re.IGNORECASE)
_TEXT_LINES_WITHOUT_URL_MAX: Final = 100
"""Lines that are no URL before a text without any is taken for something else."""


class ListingReader:
    """Reads one file. `url` is its fetch URL, `content_type` the header as received, `text` whether it may be a plain
    list: a sitemap may, a feed never.
    """

    def __init__(self, url: str, content_type: str = "", *, text: bool = True) -> None:
        self._draft: Final = ListingDraft([url])
        self._content_type: Final = content_type
        self._may_be_text: Final = text
        self._unpackers: Final = (Unpacker(), Unpacker())
        self._head = b""
        self._taken = 0
        self._charset = ""
        self._decoder: codecs.IncrementalDecoder | None = None
        self._gathered = bytearray()
        self._body: _Markup | _TextList | _Json | None = None
        self._problem = ""

    @property
    def is_over(self) -> bool:
        """Whether more pieces would change nothing."""
        return bool(self._problem) or self._draft.is_full

    def feed(self, data: bytes) -> None:
        """One more piece."""
        for start in range(0, len(data), PIECE_BYTES):
            if self.is_over:
                return
            out = data[start : start + PIECE_BYTES]
            for unpacker in self._unpackers:
                out = unpacker.feed(out)
            self._look_for_bombs()
            self._take(out)

    def close(self) -> Listing:
        """There is no more; what the file says."""
        if not self.is_over:
            first, second = self._unpackers
            out = second.feed(first.close()) + second.close()
            self._look_for_bombs()
            self._take(out)
            self._begin(final=True)
            self._end_decoding()
        return self._listing()

    def _look_for_bombs(self) -> None:
        if any(unpacker.is_bomb for unpacker in self._unpackers):
            self._problem = Problem.BOMB

    def _take(self, out: bytes) -> None:
        """Bytes of the file itself."""
        if self.is_over:
            return
        room = SITEMAP_BYTES_MAX - self._taken
        self._taken += len(out)
        too_long = len(out) > room
        out = out[:room]
        if self._body is None:
            self._head += out
            self._begin(final=too_long)
        else:
            self._decode(out)
        if too_long:
            self._end_decoding()
            self._problem = self._problem or Problem.TOO_LONG

    def _begin(self, *, final: bool) -> None:
        """Once enough is known: the encoding, and what kind of file this is."""
        if self._body is not None or self._problem or (len(self._head) < SNIFFED_BYTES and not final):
            return
        head, self._head = self._head, b""
        mark, self._charset = self._encoding(head)
        codec = _PIECEWISE.get(self._charset)
        self._decoder = codecs.getincrementaldecoder(codec)("replace") if codec else None
        start = head[mark : mark + SNIFFED_BYTES]
        text = start.decode(decoder_of(self._charset), "replace").lstrip(_BLANKS)
        if not text:
            self._problem = Problem.EMPTY
        elif text.startswith("<"):
            self._body = _Markup(self._draft)
        elif text.startswith("{"):
            self._body = _Json(self._draft)
        elif self._may_be_text:
            self._body = _TextList(self._draft)
        else:
            self._problem = Problem.NO_LISTING
        self._decode(head[mark:])

    def _encoding(self, head: bytes) -> tuple[int, str]:
        """Length of the byte order mark and encoding: mark, header, declaration (RFC 7303 section 3), else UTF-8."""
        for mark, name in _BOMS:
            if head.startswith(mark):
                return len(mark), name
        for start, name in _WIDE:
            if head.startswith(start):
                return 0, name
        found = _XML_ENCODING.match(head)
        declared = encoding_of(found[1].decode("ascii")) if found else ""
        name = header_charset(self._content_type) or declared
        # What can be read as ASCII is in no wide encoding.
        return 0, "utf-8" if not name or name == REPLACEMENT or name.startswith("utf-16") else name

    def _decode(self, data: bytes) -> None:
        if self._body is None or self._problem:
            return
        if self._decoder is None:
            self._gathered += data
        else:
            self._body.feed(self._decoder.decode(data))
        self._problem = self._body.problem

    def _end_decoding(self) -> None:
        """Hand the last characters over, or all of a file that was gathered."""
        if self._body is None or self._problem:
            return
        if self._decoder is None:
            self._body.feed(bytes(self._gathered).decode(decoder_of(self._charset), "replace"))
        else:
            self._body.feed(self._decoder.decode(b"", final=True))
        self._problem = self._body.problem

    def _listing(self) -> Listing:
        if self._problem in REFUSING:
            return Listing(charset=self._charset, problem=self._problem)
        form: ListingFormat | None = None
        problem = self._problem
        if self._body is not None:
            self._body.close()
            form, problem = self._body.format, problem or self._body.problem
        if problem in REFUSING or form is None:
            return Listing(charset=self._charset, problem=problem or Problem.NO_LISTING)
        listing = self._draft.listing()
        broken = any(unpacker.is_broken for unpacker in self._unpackers)
        listing.format, listing.charset = form, self._charset
        listing.problem = problem or (Problem.TOO_MANY if self._draft.is_full else Problem.BROKEN if broken else "")
        return listing


def read_listing(body: bytes, url: str, content_type: str = "", *, text: bool = True) -> Listing:
    """Read a whole file at once; see `ListingReader`."""
    reader = ListingReader(url, content_type, text=text)
    reader.feed(body)
    return reader.close()


def begins_as_listing(body: bytes) -> bool:
    """Whether a body that is sent as HTML begins as a sitemap or feed does."""
    return _ROOT.search(body[:SNIFFED_BYTES]) is not None


class _Markup:
    """XML of any of the kinds."""

    def __init__(self, draft: ListingDraft) -> None:
        self._elements = ListingElements(draft)
        self._reader = MarkupReader(self._elements)
        self._is_closed = False

    def feed(self, text: str) -> None:
        self._reader.feed(text)

    def close(self) -> None:
        self._reader.close()
        self._is_closed = True
        self._elements.close()

    @property
    def format(self) -> ListingFormat | None:
        return self._elements.format

    @property
    def problem(self) -> str:
        if self._elements.problem or not self._is_closed:
            return self._elements.problem
        return Problem.BROKEN if self._elements.is_open else ""


class _TextList:
    """One URL a line; what is none is passed over."""

    def __init__(self, draft: ListingDraft) -> None:
        self._draft = draft
        self._rest = ""
        self._others = 0
        self.format: ListingFormat | None = None
        self.problem = ""

    def feed(self, text: str) -> None:
        lines = (self._rest + text).replace("\r", "\n").split("\n")
        self._rest = lines.pop()[: URL_PARSED_LENGTH_MAX + 1]
        for line in filter(None, lines):
            self._line(line)

    def close(self) -> None:
        self._line(self._rest)
        self._rest = ""

    def _line(self, line: str) -> None:
        # A tab is no part of a URL: a table's first column.
        url = line[: URL_PARSED_LENGTH_MAX + 1].strip().partition("\t")[0]
        if _ABSOLUTE.match(url):
            self.format = ListingFormat.TEXT
            self._draft.add(url, NO_HINTS)
        elif url:
            self._others += 1
            if self.format is None and self._others > _TEXT_LINES_WITHOUT_URL_MAX:
                self.problem = Problem.NO_LISTING


class _Json:
    """A JSON Feed (jsonfeed.org, versions 1 and 1.1)."""

    def __init__(self, draft: ListingDraft) -> None:
        self._draft = draft
        self._parts: list[str] = []
        self._length = 0
        self.format: ListingFormat | None = None
        self.problem = ""

    def feed(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        if self._length > FEED_JSON_BYTES_MAX:
            # Half a JSON text cannot be read.
            self.problem = Problem.NO_LISTING

    def close(self) -> None:
        try:
            feed: Any = msgspec.json.decode("".join(self._parts))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self.problem = Problem.NO_LISTING
            return
        named = cast("dict[str, Any]", feed) if isinstance(feed, dict) else {}
        items = named.get("items")
        if not isinstance(items, list):
            self.problem = Problem.NO_LISTING
            return
        self.format = ListingFormat.JSON
        for name, take in (("home_page_url", self._take_home), ("next_url", self._draft.add_child)):
            if isinstance(url := named.get(name), str) and url:
                take(url)
        for item in cast("list[object]", items):
            if isinstance(item, dict):
                self._take_item(cast("dict[str, Any]", item))

    def _take_item(self, item: dict[str, Any]) -> None:
        url, name = item.get("url"), item.get("id")
        if isinstance(url, str) and url:
            self._draft.add(url, _json_hints(item))
        elif isinstance(name, str) and _ABSOLUTE.match(name):
            # Version 1.1, "items": an id is ideally the item's full URL.
            self._draft.add(name, _json_hints(item))

    def _take_home(self, url: str) -> None:
        self._draft.add(url, NO_HINTS)


def _json_hints(item: dict[str, Any]) -> Hints:
    modified, published = item.get("date_modified"), item.get("date_published")
    return Hints(
        lastmod=date_claim(modified) if isinstance(modified, str) else "",
        published=date_claim(published) if isinstance(published, str) else "",
    )
