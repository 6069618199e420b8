"""The event loop of a process that is nothing but a crawl, and the signals it hears."""

from __future__ import annotations

import asyncio
import signal
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

SHOW_SECONDS: Final = 0.5
"""Time between snapshots for the live line."""


def new_loop() -> asyncio.AbstractEventLoop:
    """The loop."""
    import uvloop  # noqa: PLC0415 - only a crawl needs it

    return uvloop.new_event_loop()


@asynccontextmanager
async def signals_to(interrupt: Callable[[], None]) -> AsyncGenerator[None]:
    """Have Ctrl-C and pleas to end call `interrupt` while the block runs."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupt)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
