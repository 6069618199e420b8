"""How many hosts of the working set are ready, waiting, parked, and in which phase. Counting walks, so it is rare."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.frontier.back_queue import Phase
from gossamer.core.frontier.host_status import standing_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.flow.worker import Worker

SHARE: Final = 0.01
"""Part of the loop's time that counting may take."""


class HostCounts(NamedTuple):
    """Hosts of the working set: may be contacted now or are in contact, must wait, left alone after failures."""

    ready: int = 0
    waiting: int = 0
    parked: int = 0
    phases: Mapping[str, int] = MappingProxyType({})
    """A word of `HostStatus` -> hosts of the working set."""


@dataclass(slots=True)
class Census:
    """The last count, and when another one may be made."""

    counts: HostCounts = field(default_factory=HostCounts)
    _next: float = 0.0

    def of(self, worker: Worker) -> HostCounts:
        """The counts, at most so old that counting takes a hundredth of the time."""
        began = time.monotonic()
        if began >= self._next:
            self.counts = count_hosts(worker)
            ended = time.monotonic()
            self._next = ended + (ended - began) / SHARE
        return self.counts


def count_hosts(worker: Worker) -> HostCounts:
    """The counts of this moment: one walk over the working set."""
    now = worker.clock.now()
    ready = waiting = parked = 0
    phases: Counter[str] = Counter()
    for shard in worker.shards:
        for host in shard.frontier.hosts.values():
            parked += host.state.parked
            later = host.phase is Phase.WAITING and host.at > now
            waiting += later and not host.state.parked
            ready += not later
            hold = shard.frontier.policy.hold_in_books(host.state)
            phases[standing_of(host.state, host, hold, now).status.value] += 1
    return HostCounts(ready, waiting, parked, phases)
