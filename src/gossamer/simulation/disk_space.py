"""The disk space's stand-in: as much room as it is told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from gossamer.core.disk_guard import MountSpace
from gossamer.core.limits import DISK_RESERVE_BYTES


@dataclass(slots=True)
class MemoryDiskSpace:
    """The port `disk_space`: one mount whose room can be set."""

    free: int
    total: int
    reserved: int = 0

    def look(self) -> list[MountSpace]:
        """See the port."""
        return [MountSpace("disk", self.free, self.total)]

    def keep_reserve(self) -> None:
        """See the port."""
        if not self.reserved and self.free > DISK_RESERVE_BYTES:
            self.reserved = DISK_RESERVE_BYTES
            self.free -= self.reserved

    def give_reserve(self) -> int:
        """See the port."""
        given, self.reserved = self.reserved, 0
        self.free += given
        return given


@dataclass(slots=True)
class WaningDiskSpace(MemoryDiskSpace):
    """A disk that others fill for a while: there is next to no room within `span` (seconds since the epoch)."""

    span: tuple[float, float] = (0.0, 0.0)

    def look(self) -> list[MountSpace]:
        """See the port."""
        start, end = self.span
        is_low = start <= asyncio.get_running_loop().time() < end
        return [MountSpace("disk", 1 if is_low else self.free, self.total)]
