"""The disk space's stand-in: as much room as it is told."""

from __future__ import annotations

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
