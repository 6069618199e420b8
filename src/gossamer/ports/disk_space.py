"""Port: the room on the disks that a crawl writes to, and the room it keeps in reserve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.core.disk_guard import MountSpace


class DiskSpace(Protocol):
    """Both may touch a slow disk: called on a thread, but for the look before the first fetch."""

    @property
    def reserved(self) -> int:
        """Bytes of the reserve now taken; 0 when none is."""
        ...

    def look(self) -> list[MountSpace]:
        """The room on each mount that is written to, each named once."""
        ...

    def keep_reserve(self) -> None:
        """Take the reserve, if it is not taken: room that only `give_reserve` sets free. Without room, nothing."""
        ...

    def give_reserve(self) -> int:
        """Give the reserve back to the disk, for a commit that needs it; its bytes, 0 when none was taken."""
        ...
