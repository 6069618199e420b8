"""The disk watched while a crawl runs: looked at before every commit, so that a commit meets no full disk unwarned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from gossamer.core.disk_guard import DiskGuard, MountSpace
from gossamer.core.facts import Fact, ReserveGiven
from gossamer.ports.disk_space import DiskSpace
from gossamer.ports.facts import FactLog


@dataclass(slots=True)
class DiskWatch:
    """Looks at the disks and tells the crawl when leasing stops and goes on."""

    guard: DiskGuard
    space: DiskSpace
    facts: FactLog
    changed: Callable[[bool], None] = lambda _: None
    """Called with whether the crawl is paused, whenever that changes."""
    spaces: list[MountSpace] = field(default_factory=list[MountSpace])
    """The room at the last look."""

    def look(self) -> list[Fact]:
        """Look at the disks. Where one is nearly full, give the reserve to the coming commit. May run on a thread."""
        self.spaces = self.space.look()
        if any(self._is_full(space) for space in self.spaces):
            given = self.space.give_reserve()
            return [ReserveGiven(given)] if given else []
        if not self.guard.is_paused:
            self.space.keep_reserve()
        return []

    def judge(self, facts: list[Fact], now: float) -> None:
        """Draw the consequences of a look, which brought `facts`. On the event loop."""
        before = self.guard.is_paused
        for fact in (*facts, *self.guard.look(self.spaces, now)):
            self.facts.note(fact, now)
        if self.guard.is_paused is not before:
            self.changed(self.guard.is_paused)

    def _is_full(self, space: MountSpace) -> bool:
        """Whether even half of the room that the guard keeps is gone: somebody else fills the disk, and fast."""
        return space.free < max(self.guard.policy.pause_bytes(space.total) // 2, self.space.reserved)
