"""The network as the settings allow it: resolver and fetcher behind one address guard, without a crawl."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from gossamer.adapters.clock_system import SystemClock
from gossamer.adapters.fetcher_curl import CurlFetcher
from gossamer.adapters.resolver_cares import CaresResolver
from gossamer.app.policies import hosts_map
from gossamer.core.dns.address_guard import AddressGuard, parse_networks

if TYPE_CHECKING:
    from types import TracebackType

    from gossamer.app.settings import Settings


@dataclass(slots=True)
class Network:
    """What one needs to fetch; an asynchronous context that gives sockets back."""

    guard: AddressGuard
    clock: SystemClock
    fetcher: CurlFetcher
    resolver: CaresResolver

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.fetcher.close()
        await self.resolver.close()


def open_network(settings: Settings) -> Network:
    """From the settings. Raises UserError."""
    guard, clock = AddressGuard(parse_networks(settings.network.allow_address)), SystemClock()
    return Network(
        guard=guard,
        clock=clock,
        fetcher=CurlFetcher(guard.permits, clock, ca_file=settings.fetch.ca_file, http2=settings.fetch.http2),
        resolver=CaresResolver(guard, clock, hosts=hosts_map(settings), nameservers=settings.dns.nameservers),
    )
