"""The disk guard: when a crawl must stop writing, and when it may go on. Pure: space and time are arguments.

Each mount that is written to goes ok -> low -> paused -> ok. Two thresholds a way apart (hysteresis) keep a disk that
hovers at one of them from starting and stopping the crawl at every look; going on wants room for a while, too.

* below `resume_above` a mount is *low*: the operator is told, nothing changes;
* below `pause_below` it is *paused*: nothing is leased. What is in flight is still committed: that is what the room
  between the threshold and nothing is for;
* at or above `resume_above` for `DISK_SETTLED_SECONDS` it is *ok* again.

A threshold is a number of bytes, a share of the mount, or the smaller of both, so that one default fits a disk of
10 GB and one of 10 TB.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from gossamer.core.facts import DiskLow, DiskPaused, DiskResumed, Fact
from gossamer.core.limits import DISK_FILES_MIN, DISK_SETTLED_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterable


class Threshold(NamedTuple):
    """So many bytes, or that share (0 to 1) of the mount, or the smaller of both; None: no such bound."""

    bytes: int | None = None
    share: float | None = None

    def of(self, total: int) -> int:
        """Bytes of a mount of `total` bytes; 0 for a threshold without a bound."""
        bounds = [] if self.bytes is None else [self.bytes]
        if self.share is not None:
            bounds.append(int(total * self.share))
        return min(bounds, default=0)


class MountSpace(NamedTuple):
    """The room on one mount, as far as this process may use it."""

    mount: str
    free: int
    total: int
    free_files: int | None = None
    """Free inodes; None where they are not counted."""


@dataclass(frozen=True, slots=True)
class DiskPolicy:
    """What the settings say."""

    pause_below: Threshold
    resume_above: Threshold

    def pause_bytes(self, total: int) -> int:
        """Below this a mount of `total` bytes pauses."""
        return self.pause_below.of(total)

    def resume_bytes(self, total: int) -> int:
        """From this on it goes on; never below the other threshold, whatever the settings say."""
        return max(self.resume_above.of(total), self.pause_below.of(total))


class MountState(Enum):
    """How a mount stands."""

    OK = "ok"
    LOW = "low"
    PAUSED = "paused"


@dataclass(slots=True)
class MountGuard:
    """One mount: where it stands, and since when it has had room again while paused."""

    state: MountState = MountState.OK
    roomy_since: float | None = None

    def look(self, space: MountSpace, policy: DiskPolicy, now: float) -> Fact | None:
        """Take in the room of this moment; the change, if there is one."""
        pause, resume = policy.pause_bytes(space.total), policy.resume_bytes(space.total)
        scarce = space.free_files is not None and space.free_files < DISK_FILES_MIN
        full, roomy = scarce or space.free < pause, not scarce and space.free >= resume
        if self.state is MountState.PAUSED:
            return self._go_on(space) if self._settled(now, roomy=roomy) else None
        if full:
            self.state, self.roomy_since = MountState.PAUSED, None
            return DiskPaused(space.mount, space.free, resume)
        if self.state is MountState.OK and not roomy:
            self.state = MountState.LOW
            return DiskLow(space.mount, space.free, pause)
        if self.state is MountState.LOW and space.free >= 2 * resume - pause:
            self.state = MountState.OK
        return None

    def _settled(self, now: float, *, roomy: bool) -> bool:
        if not roomy:
            self.roomy_since = None
            return False
        if self.roomy_since is None:
            self.roomy_since = now
        return now - self.roomy_since >= DISK_SETTLED_SECONDS

    def _go_on(self, space: MountSpace) -> Fact:
        self.state, self.roomy_since = MountState.OK, None
        return DiskResumed(space.mount, space.free)


@dataclass(slots=True)
class DiskGuard:
    """All mounts that are written to. A mount that is not named in a look stays as it stood."""

    policy: DiskPolicy
    mounts: dict[str, MountGuard] = field(default_factory=dict[str, MountGuard])

    def look(self, spaces: Iterable[MountSpace], now: float) -> list[Fact]:
        """Take in the room of this moment; what changed."""
        changes = [self.mounts.setdefault(space.mount, MountGuard()).look(space, self.policy, now) for space in spaces]
        return [change for change in changes if change is not None]

    @property
    def is_paused(self) -> bool:
        """Whether any mount has too little room: nothing may be leased."""
        return any(mount.state is MountState.PAUSED for mount in self.mounts.values())
