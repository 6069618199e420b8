"""What each kind of failure says, as one table.

The theory. A failure is evidence about a host, a URL, or one of the two. Evidence about the host slows or parks it and
keeps its URLs where they are; evidence about the URL counts against its three tries.

* The name does not resolve, nobody listens, the certificate is wrong: no URL had a say in it. *Host.*
* The server answers, but this URL makes it break (5xx) or talk nonsense: *URL.* The host is well.
* A time-out, a reset, a trickle, 429 and 503: the host may be overloaded, or this URL may be the heavy one. *Either*:
  the host is slowed at once, the safe side; the URL is blamed only while the host otherwise answers.
* The address is one we must not connect to: nothing was tried and nothing will be. The URL is refused, not failed.

Whatever is not in these tables is an answer: 2xx, 3xx, and the 4xx that say what they mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from gossamer.core.frontier.fate import Blame
from gossamer.core.http.exchange import Exchange, FailureKind

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """What one kind of failure leads to."""

    blame: Blame
    """Whom it counts against; EITHER counts against the URL only while the host otherwise answers."""
    slows: bool
    """The host asked, or showed, that it wants fewer requests: its back-off ladder goes up a step."""
    retry: bool = True
    """The URL may be tried again. False ends it at once as refused."""


_HOST: Final = FailurePolicy(Blame.HOST, slows=True)
_EITHER: Final = FailurePolicy(Blame.EITHER, slows=True)
_URL: Final = FailurePolicy(Blame.URL, slows=False)
_NOBODY: Final = FailurePolicy(Blame.NOBODY, slows=False)
_REFUSED: Final = FailurePolicy(Blame.HOST, slows=False, retry=False)

FAILURES: Final[Mapping[FailureKind, FailurePolicy]] = MappingProxyType(
    {
        FailureKind.NAME_NOT_FOUND: _HOST,
        FailureKind.NAME_FAILED: _HOST,
        FailureKind.CONNECT_REFUSED: _HOST,
        FailureKind.CONNECT_TIMEOUT: _HOST,
        FailureKind.CONNECT_FAILED: _HOST,
        FailureKind.TLS: _HOST,
        FailureKind.RESET: _EITHER,
        FailureKind.CLOSED: _NOBODY,  # servers close idle connections as they like; the next request opens a new one
        FailureKind.TIMEOUT: _EITHER,
        FailureKind.SLOW: _EITHER,
        FailureKind.HEADERS_TOO_LARGE: _URL,
        FailureKind.BAD_ANSWER: _URL,
        FailureKind.ADDRESS_REFUSED: _REFUSED,
    }
)
"""Every kind of failure; a test holds the table complete."""

STATUSES: Final[Mapping[int, FailurePolicy]] = MappingProxyType(
    {
        408: _EITHER,  # Request Timeout (RFC 9110 section 15.5.9): repeat on a new connection
        425: _URL,  # Too Early (RFC 8470 section 5.2): repeat later
        429: _EITHER,  # Too Many Requests (RFC 6585 section 4)
        503: _EITHER,  # Service Unavailable (RFC 9110 section 15.6.4)
        509: _EITHER,  # Bandwidth Limit Exceeded: not registered, written by hosting panels
        529: _EITHER,  # Site is overloaded: not registered, written by several providers
    }
)
"""Statuses that differ from their class."""


def status_policy(status: int) -> FailurePolicy | None:
    """The policy for a final status; None when it is an answer and no failure.

    RFC 9110 section 15: what lies beyond 599 is invalid and is taken as a 5xx.
    """
    return STATUSES.get(status) or (_URL if status >= 500 else None)


def exchange_policy(exchange: Exchange) -> FailurePolicy | None:
    """The policy for an exchange; None when it brought an answer."""
    return status_policy(exchange.status) if exchange.failure is None else FAILURES[exchange.failure]


def failure_reason(exchange: Exchange) -> str:
    """The stable words for a failed exchange: the failure's, or "status 503"."""
    return f"status {exchange.status}" if exchange.failure is None else str(exchange.failure)
