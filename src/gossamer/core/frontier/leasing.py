"""What goes into a lease: what it is wanted for, what the worker has room for, how long its body may be."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.core.frontier.lease import FILE_LEASES, LISTING_LEASES, Entry, Errand, LeaseKind
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.limits import ROBOTS_BYTES_MAX, SITEMAP_BYTES_MAX
from gossamer.core.preference.preferences import NOTHING, Preferences


@dataclass(slots=True)
class Room:
    """What the worker can take on in this step: leases, and bytes still free under the cap in all."""

    leases: int
    bytes: int | None = None


@dataclass(slots=True)
class Wanted:
    """What a lease is wanted for: a page, or a robots.txt for an authority of this host or of another."""

    kind: LeaseKind
    url: str
    entry: Entry | None = None
    authority: str = ""
    hops: int = 0
    errand: Errand | None = None
    stated: Preferences = NOTHING
    """What the files of the authority state of its use."""


def body_bytes(kind: LeaseKind, policy: FrontierPolicy, room: Room, left: int | None) -> int:
    """Bytes the body of the next answer may have, so that no cap is exceeded; `left`: of its host and site."""
    # One byte more than is read of a robots.txt tells a longer file from one that ends there.
    limits = [ROBOTS_BYTES_MAX + 1 if kind in FILE_LEASES else policy.body_bytes_max]
    limits = [SITEMAP_BYTES_MAX] if kind in LISTING_LEASES else limits
    if room.bytes is not None:
        limits.append(room.bytes)
    if left is not None:
        limits.append(left)
    return min(limits)
