"""Port: the other workers of the crawl, as far as its end is concerned. A worker alone has nobody to agree with."""

from __future__ import annotations

from typing import Protocol

from gossamer.core.ending import EndState, Wish


class Company(Protocol):
    """All workers of a crawl, this one included."""

    def settle(self, wish: Wish | None) -> EndState | None:
        """Called after every step of the loop with how this worker would end the crawl, None while it has work.

        The end that all have agreed on, or None while somebody has work: a link may be on its way here.
        """
        ...


class Alone:
    """The company of a worker that has all shards."""

    def settle(self, wish: Wish | None) -> EndState | None:
        """Its own wish is the end."""
        return wish.state if wish is not None else None
