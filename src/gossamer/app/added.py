"""Seeds that the operator adds to a crawl that exists: kept first, then queued, so that no crash loses one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app.whole_file import append_lines
from gossamer.core.url.parse import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.seeds import Seed
    from gossamer.flow.worker import Worker

ADDED: Final = "added"
"""The seed group of URLs added without another."""


def keep_added(folder: CrawlFolder, seeds: Iterable[Seed]) -> list[Seed]:
    """Note the seeds in the folder, those it has already apart; the new ones. Raises OSError."""
    known = {seed.url for seed in folder.read_seeds()}
    new = {seed.url: seed for seed in seeds if seed.url not in known}
    if new:
        append_lines(folder.added, [f"{seed.group}\t{seed.url}" for seed in new.values()])
    return list(new.values())


def queue_added(worker: Worker, seeds: Sequence[Seed]) -> dict[str, str]:
    """Queue those of this worker that are not known yet, and name the sites of all; the refused ones with the reason.

    Called when seeds are added to a running crawl, and for all of them when a crawl is opened: what was added while it
    stood still, or lost in a crash before its commit, is queued then.
    """
    # A crawl that runs; whoever only keeps seeds should not wait for its machinery.
    from gossamer.flow.operations import add_urls, is_known, name_sites  # noqa: PLC0415 - as said above

    refused: dict[str, str] = {}
    for seed in seeds:
        if not worker.owns(host_of(seed.url)) or is_known(worker, seed.url):
            worker.judge.add_seed(seed.url, seed.group)
            continue
        (reason,) = add_urls(worker, [seed.url], seed.group)
        if reason:
            refused[seed.url] = reason
    name_sites(worker, (seed.url for seed in seeds if seed.url not in refused))
    return refused
