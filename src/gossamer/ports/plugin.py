"""Port: what a crawl lets others decide. A plug-in is a class or an object of a module, named in the settings.

Plug-ins are trusted code of whoever runs the crawl. One that raises, or answers with something else than is asked, is
left out from then on, and the crawl goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gossamer.core.frontier.priority import Candidates


class Scorer(Protocol):
    """Has a say in how important URLs are. Named in `plugins.scorers`."""

    def score(self, links: Candidates) -> Sequence[float]:
        """Points for each URL, as many as there are rows: 1 raises it by one level, -1 lowers it; 0 says nothing.

        Called for the new links of a page at once, and again for a few URLs at a time when the head of their queue is
        read: the same URL should get the same points as long as nothing is known anew. It must not block, keep the
        columns or change them.
        """
        ...
