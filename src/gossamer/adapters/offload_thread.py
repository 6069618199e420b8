"""Blocking work on threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


class ThreadOffload:
    """A small pool: commits are one at a time, conversions of journals may run beside them."""

    def __init__(self, threads: int = 2) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="gossamer-sync")

    async def run(self, work: Callable[[], T]) -> T:
        """The result of `work`, run on a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Wait for what runs and end the threads."""
        self._pool.shutdown(wait=True)
