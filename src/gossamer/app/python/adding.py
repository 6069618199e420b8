"""Seeds that a program adds to its running crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.added import keep_added, queue_added
from gossamer.app.python.raising import typed_errors
from gossamer.app.seeds import Seed, seed_url
from gossamer.errors import SeedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.running import Run


def add_urls(run: Run, folder: CrawlFolder, urls: Sequence[str], group: str) -> dict[str, str]:
    """Take URLs in as seeds, kept for a resume; those refused, with the reason. SeedError comes before any is taken."""
    with typed_errors(SeedError):
        seeds = [Seed(seed_url(url), " ".join(group.split())) for url in urls]
    return queue_added(run.worker, keep_added(folder, seeds))
