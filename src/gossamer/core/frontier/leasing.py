"""What goes into a lease: what it is wanted for, what the worker has room for, how long its body may be."""

from __future__ import annotations

import msgspec

from gossamer.core.frontier.lease import LISTING_LEASES, Entry, Errand, LeaseKind
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.limits import ROBOTS_BYTES_MAX, SITEMAP_BYTES_MAX
from gossamer.core.preference.preferences import NOTHING, Preferences


class Room(msgspec.Struct):
    """What the worker can take on in this step: leases, and bytes still free under the cap in all."""

    leases: int
    bytes: int | None = None


class Wanted(msgspec.Struct):
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
    most = policy.body_bytes_max
    if kind is not LeaseKind.PAGE:
        # One byte more than is read of a robots.txt tells a longer file from one that ends there.
        most = SITEMAP_BYTES_MAX if kind in LISTING_LEASES else ROBOTS_BYTES_MAX + 1
    if room.bytes is not None:
        most = min(most, room.bytes)
    return most if left is None else min(most, left)
