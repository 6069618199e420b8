"""Raw answers put before the crawler's own fetcher, over loopback."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from gossamer.adapters.fetcher_curl import CurlFetcher
from gossamer.core.http.exchange import Exchange, FetchLimits, FetchRequest
from tests.servers import misbehaving

LIMITS = FetchLimits(5.0, 5.0, 10.0, 1, 5, 32_768, 100_000)
FIELDS = (("User-Agent", "Gossamer/1"), ("Accept", "*/*"))


class _Clock:
    """Stands."""

    def now(self) -> float:
        return 1_000_000.0

    async def sleep(self, seconds: float) -> None:
        raise NotImplementedError


def fetched(answers: Sequence[bytes]) -> list[tuple[Exchange, bytes]]:
    """What each answer comes to: the exchange and its body. The connection is closed after each."""

    async def all_of_them(server: misbehaving.Server) -> list[tuple[Exchange, bytes]]:
        fetcher = CurlFetcher(bool, _Clock())
        found: list[tuple[Exchange, bytes]] = []
        try:
            for number in range(len(answers)):
                url = server.url(f"/{number}")
                exchange = await fetcher.fetch(FetchRequest(url, ("127.0.0.1",), FIELDS, LIMITS))
                found.append((exchange, exchange.body.read() if exchange.body is not None else b""))
                if exchange.body is not None:
                    exchange.body.close()
        finally:
            await fetcher.close()
        return found

    with misbehaving.serve() as server:
        server.raw = {f"/{number}": answer for number, answer in enumerate(answers)}
        return asyncio.run(all_of_them(server))
