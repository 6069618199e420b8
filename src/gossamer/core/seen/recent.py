"""Recent keys: what the last pages of each host linked to.

Pages of one host share their navigation, so most links of a page were links of the page before it. They are found in
its host's set, at the cost of one look-up each and without any memory behind. Hosts that bring no pages drop out, the
one idle longest first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.core.limits import RECENT_KEYS_MAX, RECENT_KEYS_PER_HOST_MAX

if TYPE_CHECKING:
    from collections.abc import Sequence


class RecentKeys:
    """Page keys met lately and known, by the host whose page named them. One serves all shards of a worker."""

    def __init__(self, keys_max: int = RECENT_KEYS_MAX, per_host_max: int = RECENT_KEYS_PER_HOST_MAX) -> None:
        self._keys_max: Final = keys_max
        self._per_host_max: Final = per_host_max
        self._by_host: dict[str, set[bytes]] = {}
        """In the order in which the hosts brought pages, the latest last."""
        self._count = 0

    def __len__(self) -> int:
        """Keys in memory."""
        return self._count

    def unmet(self, host: str, keys: Sequence[bytes]) -> list[bytes]:
        """`keys` less those that lately stood on pages of `host`."""
        met = self._by_host.get(host)
        if not met:
            return list(keys)
        return [] if met.issuperset(keys) else [key for key in keys if key not in met]

    def meet(self, host: str, keys: Sequence[bytes]) -> None:
        """A page of `host` names these, which are known."""
        met = self._by_host.pop(host, None)
        before = len(met) if met else 0
        if met is None or before + len(keys) > self._per_host_max:
            met = set(keys[: self._per_host_max])
        else:
            met.update(keys)
        self._by_host[host] = met
        self._count += len(met) - before
        while self._count > self._keys_max:
            self._count -= len(self._by_host.pop(next(iter(self._by_host))))
