"""Shares of the crawl: which seed group a lease goes to, when more hosts are due than there is room for.

Start-time fair queueing (Goyal, Vin, Cheng, SIGCOMM 1996): every lease costs its group the inverse of its weight, and
of the groups that have a host due the one that has paid least is next. A group that had nothing due meanwhile has saved
nothing up: it begins where the others are. So what one group does not use goes to the others, in proportion.

All frontiers of a worker share one of these, for they compete for the same room. Each reports which groups have a host
due with it, and leaves the room to another frontier where a group that has paid less waits there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from gossamer.core.frontier.lease import Entry


class Shares:
    """What the groups have had, against what they shall have."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        """`weights` of groups, above 0; any other group has 1."""
        self._weights: Final = dict(weights)
        self._paid: dict[str, float] = {}
        self._now: float = 0.0
        """What the group leased from last had paid before: nobody who comes late begins below."""
        self._seats: int = 0
        self._reports: dict[int, frozenset[str]] = {}
        """Frontier -> the groups that have a host due with it."""
        self._waiting: Counter[str] = Counter()

    def join(self) -> int:
        """A number for one more frontier, to report under."""
        self._seats += 1
        return self._seats

    def report(self, frontier: int, groups: Iterable[str]) -> None:
        """The groups that have a host due with this frontier now; no other ones."""
        due, before = frozenset(groups), self._reports.get(frontier, frozenset())
        self._reports[frontier] = due
        for group in before - due:
            self._waiting[group] -= 1
        for group in due - before:
            if not self._waiting[group]:
                self._paid[group] = max(self._paid.get(group, 0.0), self._now)
            self._waiting[group] += 1

    def next_of(self, groups: Iterable[str]) -> str | None:
        """Which of the groups due with one frontier is leased from next; None while another frontier comes first."""
        group = min(groups, key=self._order, default=None)
        if group is None:
            return None
        first = min((each for each, number in self._waiting.items() if number > 0), key=self._order, default=group)
        return group if self._paid.get(group, 0.0) <= self._paid.get(first, 0.0) else None

    def choose(self, entries: Sequence[Entry]) -> Entry:
        """Which of a host's next URLs is leased, the first of each group considered."""
        firsts: dict[str, Entry] = {}
        for entry in entries:
            firsts.setdefault(entry.record.group, entry)
        return firsts[min(firsts, key=self._order)]

    def charge(self, group: str) -> None:
        """A lease was made for a group."""
        paid = self._paid.get(group, self._now)
        self._now = max(self._now, paid)
        self._paid[group] = paid + 1.0 / self._weights.get(group, 1.0)

    def _order(self, group: str) -> tuple[float, str]:
        return self._paid.get(group, 0.0), group
