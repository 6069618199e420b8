"""Stored captures: found in the index by URL and moment, read from the archive, revisits followed to their payload.

Needs no lock and no store: the index names only captures whose bytes are there, so a running crawl, a stopped one and
a copied folder are read alike.
"""

from __future__ import annotations

import mmap
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.adapters.text_turbohtml import page_text
from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.core.http.content_coding import codings_of, decode
from gossamer.core.http.headers import Head, field_values, parse_head
from gossamer.core.http.sniff import media_type_of
from gossamer.core.limits import RECORD_BYTES_MAX, REVISIT_STEPS_MAX
from gossamer.core.url.key import url_key
from gossamer.core.url.parse import parse
from gossamer.core.url.surt import surt
from gossamer.core.warc.date import timestamp
from gossamer.core.warc.lookup import IndexLine, journal_lines, moment_seconds, parse_line, sorted_lines
from gossamer.core.warc.reading import WarcRecord, parse_record, split_http
from gossamer.core.warc.target import target_uri
from gossamer.flow.reading import HTML_TYPES

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from gossamer.app.folder import CrawlFolder
    from gossamer.core.page.document import Document
    from gossamer.core.warc.location import Location

_GZIP_BITS: Final = 31


@dataclass(frozen=True)
class StoredCapture:
    """One fetch as the archive keeps it. Bytes as received, but for the transfer coding."""

    url: str
    at: float
    """Start of the fetch, seconds since the epoch."""
    place: Location
    record_id: str
    raw: bytes = field(repr=False)
    """The record itself, uncompressed."""
    head: bytes = field(repr=False)
    """Status line and headers."""
    payload: bytes = field(repr=False)
    """The body, content coding kept."""
    truncated: str = ""
    """Why the body is shorter than sent; empty otherwise."""
    original: StoredCapture | None = field(default=None, repr=False)
    """For a revisit: the capture that holds its body."""

    @cached_property
    def answer(self) -> Head:
        """Status and headers, parsed."""
        return parse_head(self.head)

    @property
    def status(self) -> int:
        """HTTP status."""
        return self.answer.status

    @property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """Header fields in order."""
        return self.answer.fields

    @property
    def content_type(self) -> str:
        """The Content-Type header; empty without one."""
        return next(iter(field_values(self.headers, "content-type")), "")

    @cached_property
    def media_type(self) -> str:
        """Its essence; what the bytes are where the server does not know."""
        options = next(iter(field_values(self.headers, "x-content-type-options")), "")
        return media_type_of(field_values(self.headers, "content-type"), self.body, options)

    @cached_property
    def body(self) -> bytes:
        """The body after content decoding."""
        holder = self.original or self
        return decode(self.payload, codings_of(field_values(holder.headers, "content-encoding"))).data

    @cached_property
    def document(self) -> Document | None:
        """Title, directives and links, for HTML."""
        if self.media_type not in HTML_TYPES:
            return None
        tags = tuple(field_values(self.headers, "x-robots-tag"))
        return TurboParser().parse(self.body, self.url, self.content_type, tags)

    @cached_property
    def text(self) -> str:
        """What a reader sees of it; empty for what is no text."""
        return page_text(self.body, self.url, self.content_type, self.media_type)


def open_capture(folder: CrawlFolder, url: str, at: str | float | None = None) -> StoredCapture:
    """The capture of `url` nearest to `at` (seconds since the epoch, or as people write moments); the last without it.

    A revisit has the body of the capture it stands for. Raises UserError when there is none, or a damaged one.
    """
    parsed = parse(url)
    if parsed is None:
        raise UserError(f"{url!r} is not a URL that can be crawled", "a URL begins with http:// or https://")
    wanted = moment_of(at)
    lines = find_captures(folder, parsed.href)
    if not lines:
        hint = f"gossamer explain {folder.path} {parsed.href}   says why not"
        raise UserError(f"{parsed.href} has no capture in {folder.path}", hint)
    chosen = max(lines, key=_moment) if wanted is None else min(lines, key=lambda line: abs(line.at - wanted))
    return read_capture(folder, chosen)


def moment_of(at: str | float | None) -> float | None:
    """Seconds since the epoch. Raises UserError for a text that is no moment."""
    if not isinstance(at, str):
        return at
    seconds = moment_seconds(at)
    if seconds is None:
        raise UserError(f"{at!r} is no moment", "for example: 2026-11-30, 2026-11-30T13:47:00Z, 20261130134700")
    return seconds


def find_captures(folder: CrawlFolder, url: str) -> list[IndexLine]:
    """All captures of a normalised URL, oldest first: those of this very spelling, else those with its key."""
    rules = folder.read_facts().keys
    key = url_key(target_uri(url), rules)
    found = [
        line for line in _index_lines(folder, surt(target_uri(url))) if url_key(target_uri(line.url), rules) == key
    ]
    exact = [line for line in found if line.url == target_uri(url)]
    return sorted(exact or found, key=_moment)


def read_capture(folder: CrawlFolder, line: IndexLine, steps: int = REVISIT_STEPS_MAX) -> StoredCapture:
    """The capture that an index line names. Raises UserError when its bytes are not there."""
    raw = _read_member(folder, line.place)
    record = parse_record(raw)
    if record is None or record.kind not in ("response", "revisit"):
        raise UserError(f"{line.place.file} holds no capture at {line.place.offset}", "the archive is damaged there")
    head, payload = split_http(record.block)
    original = None
    if record.kind == "revisit":
        original = _original(folder, record, line, steps)
        payload = original.payload
    return StoredCapture(
        url=line.url,
        at=moment_seconds(record.field("WARC-Date")) or line.at,
        place=line.place,
        record_id=record.field("WARC-Record-ID"),
        raw=raw,
        head=head,
        payload=payload,
        # A revisit always says that its body was cut; what counts is the body that it stands for.
        truncated=original.truncated if original is not None else record.field("WARC-Truncated"),
        original=original,
    )


def _original(folder: CrawlFolder, record: WarcRecord, line: IndexLine, steps: int) -> StoredCapture:
    """The capture that a revisit names by URL and moment (WARC 1.1, section 6.7)."""
    url, date = record.field("WARC-Refers-To-Target-URI"), record.field("WARC-Refers-To-Date")
    moment = moment_seconds(date)
    found = find_captures(folder, url) if url and moment is not None and steps > 0 else []
    matching = [each for each in found if each.place != line.place and each.moment == timestamp(moment or 0.0)]
    for each in sorted(matching, key=lambda each: each.is_revisit):
        capture = read_capture(folder, each, steps - 1)
        if capture.record_id == record.field("WARC-Refers-To") or len(matching) == 1:
            return capture
    raise UserError(f"{line.url} is a revisit of {url} at {date}, which is not in the index")


def _moment(line: IndexLine) -> tuple[str, str, int]:
    return (line.moment, line.place.file, line.place.offset)


def _index_lines(folder: CrawlFolder, wanted: str) -> Iterator[IndexLine]:
    """Every line with a SURT, each once."""
    seen: set[Location] = set()
    # Journals first: one that becomes a sorted file meanwhile is then met there.
    for name, pattern, search in (("journal", "*.lines", journal_lines), ("index", "*.cdxj", sorted_lines)):
        for path in sorted((folder.path / name).glob(pattern)):
            with _mapped(path) as content:
                lines = [parse_line(line) for line in search(content, wanted)]
            for line in lines:
                if line is not None and line.place not in seen:
                    seen.add(line.place)
                    yield line


@contextmanager
def _mapped(path: Path) -> Generator[mmap.mmap | bytes]:
    """A file's bytes without reading them; none where it has gone meanwhile. Raises UserError."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            content = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else b""
    except FileNotFoundError:
        content = b""
    except OSError as error:
        hint = "gossamer doctor DIR   says what is damaged; what it indexes is not found without it"
        raise UserError(f"{path} cannot be read: {error.strerror or error}", hint, Exit.FOLDER) from error
    try:
        yield content
    finally:
        if isinstance(content, mmap.mmap):
            content.close()


def _read_member(folder: CrawlFolder, place: Location) -> bytes:
    """One record, inflated. Raises UserError."""
    try:
        with (folder.path / place.file).open("rb") as file:
            file.seek(place.offset)
            member = file.read(place.length)
        return zlib.decompressobj(_GZIP_BITS).decompress(member, RECORD_BYTES_MAX)
    except (OSError, zlib.error) as error:
        raise UserError(f"{place.file} cannot be read at {place.offset}: {error}", "the archive is damaged") from error
