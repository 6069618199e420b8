"""A judge of politeness: reads a server's log only, and says where a host was asked too soon or twice at once."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.servers.nginx import Hit

RESOLUTION = 0.0025
"""nginx writes milliseconds, and a start is the difference of two of them."""


def by_host(hits: Sequence[Hit]) -> dict[str, list[Hit]]:
    """Requests of each host in the order they began, whatever the port."""
    hosts: dict[str, list[Hit]] = defaultdict(list)
    for hit in sorted(hits, key=lambda hit: (hit.started, hit.ended)):
        hosts[hit.host].append(hit)
    return dict(hosts)


def waits(hits: Sequence[Hit]) -> list[tuple[Hit, Hit, float]]:
    """(earlier, later, seconds from the end of all earlier ones to the start of the later), host by host."""
    found: list[tuple[Hit, Hit, float]] = []
    for asked in by_host(hits).values():
        last = asked[0] if asked else None
        for hit in asked[1:]:
            assert last is not None
            found.append((last, hit, hit.started - last.ended))
            if hit.ended > last.ended:
                last = hit
    return found


def too_soon(hits: Sequence[Hit], gap: float | Callable[[Hit], float]) -> list[str]:
    """Requests that began sooner than the gap after the end of those before (or before that end), in words.

    `gap`: seconds, or the seconds that the earlier of the two calls for.
    """
    found: list[str] = []
    for earlier, later, seconds in waits(hits):
        asked = gap(earlier) if callable(gap) else gap
        if seconds < asked - RESOLUTION:
            what = "at once with" if seconds < 0 else f"{seconds:.3f} s after"
            found.append(f"{later.host}: {later.uri} was asked {what} {earlier.uri}, where {asked:g} s were due")
    return found


def least(hits: Sequence[Hit]) -> float:
    """The shortest wait of any host; endless when no host was asked twice."""
    return min((seconds for _, _, seconds in waits(hits)), default=float("inf"))
