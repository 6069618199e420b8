"""Port: blocking work off the event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Offload(Protocol):
    """Runs blocking calls (flush, sync) so that the loop goes on."""

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, run elsewhere; its exception is raised here."""
        ...
