"""What `links` and `refused` say of a URL: slow where they are large, for it reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gossamer.adapters.dataset_search import find_rows
from gossamer.core.explain.explain import with_search
from gossamer.core.explain.explanation import Referrer, Refusal

if TYPE_CHECKING:
    from gossamer.app.folder import CrawlFolder
    from gossamer.core.explain.explanation import Explanation

ROWS_MAX: Final = 1_000
"""Rows taken of each dataset: a page linked from everywhere has millions."""
_LINK_COLUMNS: Final = ("source", "kind", "text", "verdict")
_REFUSED_COLUMNS: Final = ("reason", "count", "first", "last", "depth", "referrer", "hops")


def searched(folder: CrawlFolder, explanation: Explanation) -> Explanation:
    """The explanation with the links to its URL and the refusals of it, under all its spellings known."""
    spellings = list(dict.fromkeys((explanation.url, explanation.key.fetch_url, explanation.key.key)))
    links, all_links = find_rows(folder.path, "links", "target", spellings, _LINK_COLUMNS, limit=ROWS_MAX)
    refused, all_refused = find_rows(folder.path, "refused", "url", spellings, _REFUSED_COLUMNS, limit=ROWS_MAX)
    referrers = [Referrer(**row) for row in links]
    return with_search(explanation, referrers, [_refusal(row) for row in refused], complete=all_links and all_refused)


def _refusal(row: dict[str, Any]) -> Refusal:
    first, last = row["first"].timestamp(), row["last"].timestamp()
    return Refusal(**{**row, "first": first, "last": last})
