"""An exchange by libcurl: one address after the other within one connect limit."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer.adapters.fetcher_curl import failures, options
from gossamer.adapters.fetcher_curl.due import DueTimes
from gossamer.adapters.fetcher_curl.kept import KeptConnections
from gossamer.adapters.fetcher_curl.multi import CurlMulti
from gossamer.adapters.fetcher_curl.transfer import Goal, Transfer, World
from gossamer.core.http.exchange import Exchange, FetchRequest
from gossamer.core.url.parse import parse

if TYPE_CHECKING:
    from gossamer.ports.clock import Clock

_PLAIN_URL: Final = re.compile(
    r"(https?://(?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*\.?(?!:(?:80|443)/)(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}))?)"
    r"((?:/(?![.%])[A-Za-z0-9._~%!$&'()*+,;=:@-]*+)++(?:\?[A-Za-z0-9._~%!$&()*+,;=:@/?-]*+)?)"
)
"""A normalised URL on which parsing would change nothing."""
_FREE_MAX = 256
"""Easy handles kept for reuse; each holds some 10 KB."""


class CurlFetcher:
    """The port `fetcher` over HTTP/1.1 and, with TLS, HTTP/2, for the event loop in which the first fetch runs.

    `permits` is asked for the address of every connection, before it is made and before a kept one is used.
    `ca_file` replaces the system's certificates. `spool_folder` is where long bodies wait; None for the system's.
    `http2`: whether to offer HTTP/2.
    """

    def __init__(
        self,
        permits: options.Permits,
        clock: Clock,
        *,
        ca_file: str | Path | None = None,
        spool_folder: str | Path | None = None,
        http2: bool = True,
    ) -> None:
        if ca_file is not None and not Path(ca_file).is_file():
            raise FileNotFoundError(f"CA file {str(ca_file)!r} is not there; name a PEM file with certificates")
        self._permits = permits
        self._clock = clock
        self._ca_file = str(ca_file) if ca_file is not None else options.system_ca_file()
        self._spool_folder = str(spool_folder) if spool_folder is not None else None
        self._http2 = http2
        self._world: World | None = None
        self._free: list[Transfer] = []
        self._closed = False

    async def fetch(self, request: FetchRequest) -> Exchange:
        """One exchange with one of `request.addresses`, tried in order. Never raises for what the other side does.

        A body cut while it came is kept and marked; where not one byte of it came, the exchange has failed.
        """
        goal = _goal(request.url)
        if goal is None or not request.addresses:
            raise ValueError(f"{request.url!r} needs to be an http or https URL with at least one resolved address")
        world = self._open()
        started = self._clock.now()
        exchange = Exchange(url=request.url, started=started, ended=started)
        transfer = self._free.pop() if self._free else Transfer(world)
        try:
            await self._try_addresses(transfer, request, goal, exchange)
            if request.proxy is not None and request.proxy.resolves:
                exchange.address = ""  # only the proxy knows
        finally:
            if not self._closed and len(self._free) < _FREE_MAX:
                self._free.append(transfer)
            else:
                transfer.curl.close()
        exchange.ended = self._clock.now()
        return exchange

    async def close(self) -> None:
        """Cancel what is under way and close every connection."""
        self._closed = True
        if self._world is not None:
            self._world.kept.close()
            self._world.due.close()
            self._world.multi.close()
            self._world = None
        for transfer in self._free:
            transfer.curl.close()
        self._free.clear()

    def _open(self) -> World:
        if self._closed:
            raise RuntimeError("this fetcher is closed; make another one")
        if self._world is None:
            loop = asyncio.get_running_loop()
            self._world = World(
                multi=CurlMulti(),
                kept=KeptConnections(loop),
                due=DueTimes(loop),
                clock=self._clock,
                loop=loop,
                permits=self._permits,
                ca_file=self._ca_file,
                spool_folder=self._spool_folder,
                http2=self._http2,
            )
        return self._world

    async def _try_addresses(self, transfer: Transfer, request: FetchRequest, goal: Goal, exchange: Exchange) -> None:
        """Each may take half of what is left of the connect limit, the last one all."""
        left = min(request.limits.connect_seconds, request.limits.total_seconds)
        end = exchange.started + left
        addresses = options.in_turn(request.addresses)
        for position, address in enumerate(addresses, start=1):
            exchange.address = address
            await transfer.attempt(request, goal, exchange, left if position == len(addresses) else left / 2)
            if exchange.failure not in failures.NEXT_ADDRESS:
                return
            left = end - self._clock.now()
            if left <= 0:
                break
        exchange.address = ""


def _goal(url: str) -> Goal | None:
    """What a normalised URL asks for, as nearly all are; any other is put right if it can be."""
    plain = _PLAIN_URL.fullmatch(url)
    if plain is not None:
        return Goal(plain[1], plain[2])
    parsed = parse(url)
    return Goal(parsed.authority, parsed.target) if parsed is not None else None
