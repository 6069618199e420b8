"""The deal: which shards and which files are whose, for any number of workers of one machine.

Shards are dealt by number, one to each worker in turn, so that a crawl resumes on any number of workers: nothing is
written that says whose a shard is. Files carry the number of the worker that wrote them; of a worker that is no more
they go, to be finished, to the one that its number falls to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_WRITTEN_BY: Final = re.compile(r"-w(\d{1,9})\.[^/]*$")


@dataclass(frozen=True, slots=True)
class Deal:
    """What one worker has of a crawl."""

    worker: int = 0
    workers: int = 1

    def shards(self, total: int) -> range:
        """The numbers of its shards, of `total`."""
        return range(self.worker, total, self.workers)

    def owner_of(self, shard: int) -> int:
        """The worker that a shard falls to."""
        return shard % self.workers

    def owns_file(self, path: str) -> bool:
        """Whether it goes on with a file, or finishes it; one that names no worker is the first one's."""
        written = _WRITTEN_BY.search(path)
        return (int(written[1]) if written else 0) % self.workers == self.worker


ALONE: Final = Deal()
"""The deal of a crawl in one process."""


def newest_commits(commits: Mapping[int, int], workers: Mapping[int, int]) -> dict[int, int]:
    """Shard -> the newest commit of the worker that had it last.

    `commits`: shard -> its last commit; `workers`: shard -> how many workers there were then. Each run numbers its
    commits above all of the runs before, so the greatest number tells how the shards were dealt last.
    """
    if not commits:
        return {}
    newest_shard = max(commits, key=lambda shard: commits[shard])
    deal = Deal(workers=max(1, workers.get(newest_shard, 1)))
    newest: dict[int, int] = {}
    for shard, commit in commits.items():
        owner = deal.owner_of(shard)
        newest[owner] = max(newest.get(owner, 0), commit)
    return {shard: newest[deal.owner_of(shard)] for shard in commits}
