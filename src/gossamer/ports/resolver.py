"""Port: from a host name to addresses."""

from __future__ import annotations

from typing import Protocol

from gossamer.core.dns.answer import Answer


class Resolver(Protocol):
    """Looks names up; caches by time to live, negative answers too. Address literals answer themselves.

    Only addresses that the address guard permits are in an answer; the rest are left out.
    """

    async def resolve(self, host: str) -> Answer:
        """The addresses of `host` (lower-case ASCII, or an address literal, IPv6 without brackets). Never raises."""
        ...

    async def close(self) -> None:
        """Give sockets back."""
        ...
