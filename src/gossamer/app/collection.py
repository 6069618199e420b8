"""Garbage collection while a crawl runs: seldom, and not over what stays for good.

A crawl makes few cycles, and reference counts free nearly all it uses; but every page makes thousands of objects for a
moment, so that by Python's own thresholds the collector looks at all of them again and again (decision 0034). What was
loaded before the crawl is left out altogether, and the young are looked at after tens of thousands of net allocations
instead of 700. A cycle then waits for some pages more before it is freed.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

THRESHOLDS: Final = (25_000, 20, 20)
"""Net allocations of containers before the youngest are collected, and how many of such collections before the next
older ones are: a few megabytes of cycles at most."""


@contextmanager
def seldom_collected() -> Generator[None]:
    """For a process that is nothing but a crawl; what was in force before is so again afterwards."""
    before = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
