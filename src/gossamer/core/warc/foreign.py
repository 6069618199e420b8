"""Records of archives that others wrote: WARC 0.17 to 1.1 and ARC, sound or broken, in bounded memory.

A reader that insists on the standard reads fewer archives than there are. What a record says wrongly is named in its
`problems`; what cannot be told apart any more is skipped up to the next line that begins a record, and named by the
archive. Nothing raises for what a file holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from gossamer.core.http.content_coding import codings_of, decode
from gossamer.core.http.headers import Head, field_values, parse_head
from gossamer.core.warc.chunks import unchunked
from gossamer.core.warc.digest import digest_matches
from gossamer.core.warc.lookup import moment_seconds
from gossamer.core.warc.reading import WarcRecord, split_http

if TYPE_CHECKING:
    from collections.abc import Sequence

_HTTP: Final = ("application/http", "message/http")
_HTTP_START: Final = b"HTTP/"


@dataclass(frozen=True)
class ForeignRecord(WarcRecord):
    """One record of an archive file."""

    version: str = ""
    """"WARC/1.1", "ARC/1"."""
    offset: int = 0
    """Where it begins in the file, or where the member begins that it lies in."""
    length: int = 0
    """Packed bytes; 0 where it shares a member with others and cannot be read alone."""
    size: int = 0
    """Bytes of the block in the archive; `block` may hold fewer."""
    problems: tuple[str, ...] = ()
    """What is wrong with it, in fixed words."""

    @property
    def record_id(self) -> str:
        """WARC-Record-ID, as written."""
        return self.field("WARC-Record-ID")

    @property
    def url(self) -> str:
        """WARC-Target-URI, without the angle brackets that some put round it."""
        return self.field("WARC-Target-URI").removeprefix("<").removesuffix(">")

    @property
    def at(self) -> float | None:
        """WARC-Date in seconds since the epoch; None for what is no moment."""
        return moment_seconds(self.field("WARC-Date"))

    @property
    def cut(self) -> bool:
        """Whether `block` is shorter than the block in the archive, or than the record says."""
        return bool(CUT_PROBLEMS.intersection(self.problems))

    @property
    def is_http(self) -> bool:
        """Whether the block is an HTTP message."""
        said = self.field("Content-Type").partition(";")[0].strip().lower()
        if self.kind == "response":
            return said in _HTTP or self.block.startswith(_HTTP_START)
        return self.kind in ("request", "revisit") and (said in _HTTP or not said)

    @cached_property
    def head_bytes(self) -> bytes:
        """Status line and headers of an HTTP block; empty for any other."""
        return split_http(self.block)[0] if self.is_http else b""

    @cached_property
    def head(self) -> Head | None:
        """Status and headers of an HTTP answer; None for other blocks."""
        if not self.is_http or self.kind == "request" or not self.block:
            return None
        return parse_head(self.head_bytes)

    @property
    def status(self) -> int:
        """HTTP status; 0 without one."""
        return self.head.status if self.head is not None else 0

    @cached_property
    def payload(self) -> bytes:
        """What the answer carries: without the transfer coding, where one is left; the content coding kept."""
        if not self.is_http:
            return self.block
        payload = split_http(self.block)[1]
        if self.head is not None and _says_chunked(field_values(self.head.fields, "transfer-encoding")):
            return unchunked(payload)
        return payload

    @cached_property
    def body(self) -> bytes:
        """The payload after content decoding; what comes out before a fault where it is damaged."""
        if self.head is None:
            return self.payload
        return decode(self.payload, codings_of(field_values(self.head.fields, "content-encoding"))).data

    def block_digest_matches(self) -> bool | None:
        """Whether the block is what WARC-Block-Digest says; None where that cannot be told."""
        return None if self.cut else digest_matches(self.field("WARC-Block-Digest"), self.block)

    def payload_digest_matches(self) -> bool | None:
        """Whether the payload is what WARC-Payload-Digest says; None where that cannot be told.

        Some writers take it before, some after the transfer coding is removed: either counts.
        """
        said = self.field("WARC-Payload-Digest")
        if self.cut or self.kind == "revisit":
            return None
        found = digest_matches(said, self.payload)
        return found or digest_matches(said, split_http(self.block)[1]) if self.is_http else found


SHORTER: Final = "shorter than it says"
LONGER_THAN_KEPT: Final = "longer than is kept"
CUT_PROBLEMS: Final = frozenset({SHORTER, LONGER_THAN_KEPT})


def _says_chunked(values: Sequence[str]) -> bool:
    return any(part.strip().lower() == "chunked" for value in values for part in value.split(","))
