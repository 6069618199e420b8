"""Ceilings: the most at once, for an address and for a worker.

A gap protects a host; but one address serves many hosts, so it gets a bound of its own: connections at once, and
requests a second. Both are divided by the workers of a machine by whoever makes the `CeilingPolicy`. An address that
has served more than a hundred sites belongs to a provider built for it, and ranges the operator allowed by hand are
their own: for both the address ceilings are lifted, the worker's is not.

The rate is exact, not a bucket: of any N + 1 starts in a row the last comes at least N / rate seconds after the first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from ipaddress import IPv4Network, IPv6Network, ip_address
from math import inf
from typing import Final

import msgspec

from gossamer.core.limits import (
    ADDRESS_CONNECTIONS_MAX,
    ADDRESS_REQUESTS_PER_SECOND_MAX,
    ADDRESS_SITES_SHARED,
    ADDRESSES_KEPT_MAX,
    CEILING_ASK_AGAIN_SECONDS,
    SLOW_SHARE,
    WORKER_FETCHES_MAX,
)
from gossamer.core.politeness.fetch_slots import FetchSlots

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class CeilingPolicy:
    """The bounds of one worker."""

    address_connections: int = ADDRESS_CONNECTIONS_MAX
    address_requests_per_second: float = ADDRESS_REQUESTS_PER_SECOND_MAX
    worker_fetches: int = WORKER_FETCHES_MAX
    slow_share: float = SLOW_SHARE
    """Share of the worker's fetches that slow hosts may hold together; see `fetch_slots`."""

    def shared_by(self, workers: int) -> CeilingPolicy:
        """Each worker's part of the address ceilings, at least one connection; `worker_fetches` is not divided."""
        return CeilingPolicy(
            max(1, self.address_connections // workers),
            self.address_requests_per_second / workers,
            self.worker_fetches,
            self.slow_share,
        )


class _Address(msgspec.Struct):
    """What is remembered of one address."""

    active: int = 0
    starts: deque[float] = msgspec.field(default_factory=deque[float])
    """The last starts, oldest first: as many as may begin within the window."""
    sites: set[str] = set()
    lifted: bool = False


class Ceilings:
    """Counts fetches under way and their starts. The time is an argument and never goes backwards."""

    def __init__(
        self, policy: CeilingPolicy, allowed: Iterable[Network] = (), *, reopened_at: float | None = None
    ) -> None:
        """`allowed`: the operator's own ranges. `reopened_at`: when a crawl was opened that is not a new one: nobody
        knows what was started just before, so nothing is until a window has passed.
        """
        self._policy = policy
        self._allowed: Final = tuple(allowed)
        self._burst: Final = max(1, int(policy.address_requests_per_second))
        self._window_seconds: Final = self._burst / policy.address_requests_per_second
        self._opens_at: Final = reopened_at + self._window_seconds if reopened_at is not None else -inf
        # Least recently started first, so that the first idle one can be forgotten.
        self._addresses: Final[dict[str, _Address]] = {}
        self._active = 0
        self.slots: Final = FetchSlots(policy.worker_fetches, policy.slow_share)
        """Which of the worker's fetches hosts of a pace may hold."""

    @property
    def active(self) -> int:
        """Fetches under way."""
        return self._active

    def limit_worker(self, fetches: int) -> None:
        """Put another bound of the worker in force; fetches under way beyond it end by themselves."""
        self._policy = replace(self._policy, worker_fetches=fetches)
        self.slots.limit(fetches)

    def admit(self, address: str, site: str, now: float) -> float | None:
        """None when a fetch of `site` from `address` may start now, else the earliest moment worth asking again.

        Where a connection must end first nobody knows when; the moment is then soon.
        """
        if self._active >= self._policy.worker_fetches:
            return now + CEILING_ASK_AGAIN_SECONDS
        if now < self._opens_at and not self._is_allowed(address):
            return self._opens_at
        known = self._addresses.get(address)
        if known is None or known.lifted or self._lifted_by(known, site):
            return None
        if known.active >= self._policy.address_connections:
            return now + CEILING_ASK_AGAIN_SECONDS
        free_at = known.starts[0] + self._window_seconds if len(known.starts) >= self._burst else now
        return free_at if free_at > now else None

    def started(self, address: str, site: str, now: float) -> None:
        """A fetch has started. Every start is followed by one `ended`."""
        known = self._addresses.pop(address, None)
        if known is None:
            known = _Address(lifted=self._is_allowed(address))
        self._addresses[address] = known
        self._active += 1
        known.active += 1
        if not known.lifted:
            known.starts.append(now)
            if len(known.starts) > self._burst:
                known.starts.popleft()
            known.sites.add(site)
            if len(known.sites) > ADDRESS_SITES_SHARED:
                known.lifted = True
                known.sites.clear()
                known.starts.clear()
        self._forget()

    def ended(self, address: str) -> None:
        """The fetch has ended, however it went."""
        known = self._addresses.get(address)
        if known is None or known.active == 0:
            raise ValueError(f"a fetch from {address} ended that never started; call started first")
        known.active -= 1
        self._active -= 1

    @staticmethod
    def _lifted_by(known: _Address, site: str) -> bool:
        """Whether this very site would be one more than an ordinary address serves."""
        return len(known.sites) == ADDRESS_SITES_SHARED and site not in known.sites

    def _is_allowed(self, address: str) -> bool:
        if not self._allowed:
            return False
        parsed = ip_address(address)
        return any(parsed in network for network in self._allowed if network.version == parsed.version)

    def _forget(self) -> None:
        """Keep memory bounded: the longest idle address goes; its window is long over, its sites are learned anew."""
        if len(self._addresses) > ADDRESSES_KEPT_MAX:
            idle = next((address for address, known in self._addresses.items() if known.active == 0), None)
            if idle is not None:
                del self._addresses[idle]
