"""The answer to a name look-up, as a value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from gossamer.core.http.exchange import FailureKind

BEHIND_PROXY: Final = "0.0.0.0"  # noqa: S104 - nothing listens here
"""Stands for the address of a host whose name only its proxy resolves; never connected to. All such hosts share it,
and with it the ceilings of one address."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Addresses of a host (IPv4 and IPv6 text), or why there are none."""

    addresses: tuple[str, ...]
    expires: float
    """Moment after which to ask again."""
    failure: FailureKind | None = None
    """NAME_NOT_FOUND, NAME_FAILED, or ADDRESS_REFUSED when every address is one we must not connect to."""
    detail: str = ""
    answered: float = 0.0
    """When name servers said so; 0 for an answer that nobody was asked for: a literal, a name given by hand."""

    def without(self, blocked: Callable[[str], bool]) -> Answer:
        """The answer less the addresses that `blocked` names; ADDRESS_REFUSED when that leaves none of them."""
        kept = tuple(address for address in self.addresses if not blocked(address))
        if kept == self.addresses:
            return self
        if kept:
            return replace(self, addresses=kept)
        return replace(self, addresses=(), failure=FailureKind.ADDRESS_REFUSED, detail="on the block list")
