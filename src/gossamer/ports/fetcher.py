"""Port: one HTTP exchange."""

from __future__ import annotations

from typing import Protocol

from gossamer.core.http.exchange import Exchange, FetchRequest


class Fetcher(Protocol):
    """Performs exchanges within limits; redirects are reported, never followed."""

    async def fetch(self, request: FetchRequest) -> Exchange:
        """One exchange with one of `request.addresses`. Never raises for what the other side does."""
        ...

    async def close(self) -> None:
        """Close every connection."""
        ...
