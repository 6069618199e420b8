"""When transfers under way are to be looked at: one timer for all of them, set to the earliest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from gossamer.adapters.fetcher_curl.kept import LoopTime, Timer


class Watched(Protocol):
    """Something to be looked at."""

    due: float
    """When, by the loop's time."""

    def look(self) -> None:
        """It is due. Whoever wants to be looked at again sets `due` and says so."""
        ...


class DueTimes:
    """A timer for each transfer would be set and cancelled with each, and fire for one in a thousand."""

    def __init__(self, loop: LoopTime) -> None:
        self._loop = loop
        self._watched: set[Watched] = set()
        self._timer: Timer | None = None
        self._at = 0.0

    def watch(self, watched: Watched) -> None:
        """Look at it when it is due; `due` is not changed from now on but by `watch`."""
        self._watched.add(watched)
        if self._timer is None or watched.due < self._at:
            self._set_timer(watched.due)

    def forget(self, watched: Watched) -> None:
        """It has ended; harmless for what is not watched. The timer stays: it will find the next one."""
        self._watched.discard(watched)

    def close(self) -> None:
        """Look at nothing more."""
        self._watched.clear()
        self._cancel()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self, at: float) -> None:
        self._cancel()
        self._at = at
        self._timer = self._loop.call_later(max(0.0, at - self._loop.time()), self._look)

    def _look(self) -> None:
        self._timer = None
        now = self._loop.time()
        due = [watched for watched in self._watched if watched.due <= now]
        self._watched.difference_update(due)
        for watched in due:
            watched.look()
        if self._watched:
            # Those looked at may have set a timer of their own, which is not the earliest.
            self._set_timer(min(watched.due for watched in self._watched))
