"""How many cores there are for a crawl, and how many workers it has."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gossamer.app.settings import Settings


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def workers_of(settings: Settings) -> int:
    """The workers that the settings ask for; with `auto` one on each core, as far as there are shards."""
    crawl = settings.crawl
    return crawl.workers or min(cores(), crawl.shards)
