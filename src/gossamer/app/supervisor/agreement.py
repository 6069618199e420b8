"""How workers agree on the end, so that none ends while a link is on its way to it.

A worker wishes to end only when its outboxes are empty: all it has sent is durable where it was sent to. When all wish
to, each is asked again; if none had anything to do in between, there was a moment, before they were asked, in which all
rested at once, and nothing was on its way. A worker that got work in between has another turn number, or says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gossamer.core.ending import EndState, Wish, agreed_end


@dataclass(slots=True)
class Agreement:
    """What the workers of a run wish, and the round of questions under way."""

    workers: frozenset[int]
    round: int = 0
    """The number of the last round."""
    is_asking: bool = False
    _wishes: dict[int, tuple[Wish, int]] = field(default_factory=dict[int, tuple[Wish, int]])
    """Worker -> its wish and the turn it was said in; none for a worker that has work."""
    _confirmed: set[int] = field(default_factory=set[int])

    def said(self, worker: int, wish: Wish | None, turn: int) -> bool:
        """A worker rests, or works again; whether a round of questions begins with that."""
        before = self._wishes.get(worker)
        if wish is None:
            self._wishes.pop(worker, None)
        else:
            self._wishes[worker] = wish, turn
        if before != self._wishes.get(worker):
            self.disturb()
        return self._begin()

    def confirmed(self, worker: int, number: int, wish: Wish | None, turn: int) -> EndState | None:
        """A worker's answer to a round; the end, where it was the last one."""
        if number != self.round or not self.is_asking:
            return None
        if wish is None or self._wishes.get(worker) != (wish, turn):
            self.disturb()
            return None
        self._confirmed.add(worker)
        if not self._confirmed >= self.workers:
            return None
        self.is_asking = False
        return agreed_end([wish for wish, _ in self._wishes.values()])

    def disturb(self) -> None:
        """Something has happened that may bring work: a round under way counts for nothing."""
        self.is_asking = False

    def lost(self, worker: int) -> None:
        """A worker is no more; the next one in its place has work at first."""
        self._wishes.pop(worker, None)
        self.disturb()

    def again(self) -> bool:
        """Whether a round begins now because all rest, and the last one was disturbed."""
        return self._begin()

    def _begin(self) -> bool:
        if self.is_asking or not self._wishes.keys() >= self.workers:
            return False
        self.round += 1
        self.is_asking = True
        self._confirmed.clear()
        return True
