"""One request and what came of it, as plain values: what a fetcher hands over and the flow reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

from gossamer.core.http.headers import Head, by_name
from gossamer.core.http.host_request import Proxy


class FailureKind(StrEnum):
    """Why an exchange brought no complete answer. The value is the word users see."""

    NAME_NOT_FOUND = "name not found"
    NAME_FAILED = "name lookup failed"
    ADDRESS_REFUSED = "address refused"
    CONNECT_REFUSED = "connection refused"
    CONNECT_TIMEOUT = "connect timeout"
    CONNECT_FAILED = "connect failed"
    TLS = "tls failed"
    RESET = "connection reset"
    CLOSED = "connection closed"
    """A kept connection was gone when the next request came; nothing of an answer was received on it."""
    TIMEOUT = "timeout"
    SLOW = "too slow"
    HEADERS_TOO_LARGE = "headers too large"
    BAD_ANSWER = "bad answer"


class Truncation(StrEnum):
    """Why a body is shorter than what the server meant to send; the values of WARC-Truncated (WARC 1.1, 5.13)."""

    LENGTH = "length"
    TIME = "time"
    DISCONNECT = "disconnect"
    UNSPECIFIED = "unspecified"


class Body(Protocol):
    """A received body: transfer coding removed, content coding kept. Re-readable; spooled to disk beyond a size."""

    @property
    def size(self) -> int:
        """Bytes received."""
        ...

    def read(self) -> bytes:
        """The whole body; may be called any number of times until `close`."""
        ...

    def close(self) -> None:
        """Give memory or the temporary file back; calling it twice is harmless."""
        ...


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one exchange may cost at most. Seconds and bytes."""

    connect_seconds: float
    first_byte_seconds: float
    total_seconds: float
    low_speed_bytes_per_second: int
    low_speed_seconds: int
    header_bytes: int
    body_bytes: int

    def with_body(self, body_bytes: int) -> FetchLimits:
        """The same limits with another bound on the body."""
        return self if body_bytes == self.body_bytes else _with_body(self, body_bytes)


@lru_cache(maxsize=16)
def _with_body(limits: FetchLimits, body_bytes: int) -> FetchLimits:
    return replace(limits, body_bytes=body_bytes)


@dataclass(slots=True)
class FetchRequest:
    """What to send and to whom. `addresses` are already resolved and checked; no other may be connected to."""

    url: str
    addresses: tuple[str, ...]
    headers: tuple[tuple[str, str], ...] = field(repr=False)
    limits: FetchLimits
    wanted_media: frozenset[str] | None = None
    """Media types to read on for (lower case, without parameters); None reads everything. Any other type in a 2xx
    answer is closed after its headers: `Exchange.unwanted` is set and the body is empty."""
    keep_seconds: float = 0.0
    """How long the connection may stay open for the next request to this host; 0 closes it."""
    proxy: Proxy | None = None
    """Through which to go; None goes straight. One that resolves names makes `addresses` meaningless."""


@dataclass(slots=True)
class Exchange:
    """One request and what came of it. Times are seconds since the epoch."""

    url: str
    started: float
    ended: float
    first_byte: float | None = None
    address: str = ""
    """The address actually connected to, without port; empty when none was."""
    request: bytes = b""
    """The request head as sent, ending in an empty line."""
    status: int = 0
    """The final status code; 0 when no answer came. 1xx answers are not final and are dropped."""
    head: bytes = b""
    """Status line and headers as received, ending in an empty line."""
    headers: tuple[tuple[str, str], ...] = ()
    """Header fields in order, names as received, values stripped, decoded as latin-1."""
    body: Body | None = None
    truncated: Truncation | None = None
    unwanted: bool = False
    failure: FailureKind | None = None
    detail: str = ""
    """One line of a library's own words for the failure; untrusted text."""
    protocol: str = ""
    """"http/1.0", "http/1.1", "h2": what was spoken. `head` and `request` are written as HTTP/1.1 writes them."""
    tls: str = ""
    """"tls/1.3", or empty."""
    connections_opened: int = field(default=0)
    _folded: tuple[tuple[tuple[str, str], ...], dict[str, list[str]]] = field(
        default=((), {}), init=False, repr=False, compare=False
    )
    """`headers`, and their values by the name in lower case."""

    def header(self, name: str) -> str:
        """The first field of that name (any case), or an empty string."""
        values = self._values(name)
        return values[0] if values else ""

    def header_all(self, name: str) -> list[str]:
        """All fields of that name (any case), in order."""
        return list(self._values(name))

    def take(self, head: Head) -> None:
        """What the head of the answer says."""
        self.status, self.headers, self.protocol = head.status, head.fields, head.protocol
        self._folded = head.fields, head.values

    def _values(self, name: str) -> Sequence[str]:
        """Made once, asked for a dozen times."""
        headers, folded = self._folded
        if headers is not self.headers:
            folded = by_name(self.headers)
            self._folded = self.headers, folded
        return folded.get(name.lower(), ())
