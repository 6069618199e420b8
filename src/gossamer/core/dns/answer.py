"""The answer to a name look-up, as a value."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.core.http.exchange import FailureKind


@dataclass(frozen=True, slots=True)
class Answer:
    """Addresses of a host (IPv4 and IPv6 text), or why there are none."""

    addresses: tuple[str, ...]
    expires: float
    """Moment after which to ask again."""
    failure: FailureKind | None = None
    """NAME_NOT_FOUND, NAME_FAILED, or ADDRESS_REFUSED when every address is one we must not connect to."""
    detail: str = ""
