"""A crawl-wide limit lent to several workers in blocks, so that all of them together never exceed it by one.

Whoever keeps the limit lends units; a worker reserves out of what it has borrowed and gives back what it cannot use
now. A block is lent whole or cut to what is left, and never more than is asked for: the last units of a limit must not
lie idle with one worker while another one could use them.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Allotment:
    """Units of one limit: spent, lent, or free. Every unit is in one of the three."""

    most: int
    """The limit; raised or lowered at any time. Lowered below what is spent and lent, nothing more is lent."""
    spent: int = 0
    lent: dict[int, int] = field(default_factory=dict[int, int])
    """Worker -> units it has and has not spent."""

    @property
    def free(self) -> int:
        """Units that can be lent now."""
        return max(0, self.most - self.spent - sum(self.lent.values()))

    def borrow(self, worker: int, wanted: int, block: int) -> int:
        """Lend up to `wanted` units that the worker can use now, at most a block; how many."""
        units = max(0, min(wanted, block, self.free))
        if units:
            self.lent[worker] = self.lent.get(worker, 0) + units
        return units

    def spend(self, worker: int, units: int) -> None:
        """A worker has used units it had. Raises ValueError for more than it has."""
        self._take(worker, units)
        self.spent += units

    def give_back(self, worker: int, units: int) -> None:
        """A worker has no use for units it had. Raises ValueError for more than it has."""
        self._take(worker, units)

    def lost(self, worker: int, spent: int) -> None:
        """A worker is gone: of what it had, `spent` units are durable; the rest is free again."""
        self.spent += spent
        self.lent.pop(worker, None)

    def _take(self, worker: int, units: int) -> None:
        left = self.lent.get(worker, 0) - units
        if units < 0 or left < 0:
            raise ValueError(f"worker {worker} has {self.lent.get(worker, 0)} units, not {units}; borrow first")
        if left:
            self.lent[worker] = left
        else:
            self.lent.pop(worker, None)
