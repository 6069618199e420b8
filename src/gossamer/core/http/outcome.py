"""From an exchange to the outcome of a visit: the rule, as a pure function over plain values."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.core.http.exchange import Exchange, FailureKind
from gossamer.core.http.redirect import redirect_target


@dataclass(frozen=True, slots=True)
class Fetched:
    """A 2xx answer: a page, complete or cut."""

    status: int


@dataclass(frozen=True, slots=True)
class NotModified:
    """304 to a question that carried a validator."""


@dataclass(frozen=True, slots=True)
class Redirected:
    """The answer names another URL: absolute, without fragment."""

    status: int
    target: str


@dataclass(frozen=True, slots=True)
class Gone:
    """404 or 410: the server knows that there is nothing here."""

    status: int

    @property
    def reason(self) -> str:
        """The word for people and ledgers."""
        return f"http {self.status}"


@dataclass(frozen=True, slots=True)
class Refused:
    """We chose not to read on."""

    reason: str
    status: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """No usable answer. `kind` is None when an answer came but was an error; `status` is 0 when none came."""

    reason: str
    kind: FailureKind | None = None
    status: int = 0


Outcome = Fetched | NotModified | Redirected | Gone | Refused | Failed

_GONE = frozenset({404, 410})


def classify(exchange: Exchange) -> Outcome:
    """The outcome of one exchange. Total: every exchange has exactly one."""
    if exchange.failure is FailureKind.ADDRESS_REFUSED:
        return Refused("address")
    if exchange.failure is not None:
        return Failed(exchange.failure.value, exchange.failure, exchange.status)
    if exchange.unwanted:
        return Refused("media type", exchange.status)
    return _of_answer(exchange)


def _of_answer(exchange: Exchange) -> Outcome:
    status = exchange.status
    if 200 <= status < 300:
        return Fetched(status)
    if status == 304 and asked_conditionally(exchange.request):
        return NotModified()
    if status in _GONE:
        return Gone(status)
    redirect = redirect_target(status, exchange.headers, exchange.url)
    if redirect.target:
        return Redirected(status, redirect.target)
    if redirect.problem:
        return Failed(f"bad redirect: {redirect.problem}", status=status)
    return Failed(f"http {status}", status=status)


def asked_conditionally(request: bytes) -> bool:
    """Whether a request head carried a validator; a 304 without one answers nothing (RFC 9110 section 15.4.5)."""
    head = request.lower()
    return b"\r\nif-none-match:" in head or b"\r\nif-modified-since:" in head
