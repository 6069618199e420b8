"""state/changes.jsonl: what people changed in a crawl, a line each, with its time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gossamer.app.whole_file import append_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.app.folder import CrawlFolder


def note_orders(folder: CrawlFolder, now: float, order: str, subjects: Iterable[str]) -> None:
    """Note an operator's order, durably, a line for each host or URL it is about. `now`: seconds since the epoch.

    Raises OSError.
    """
    lines = [json.dumps({"time": now, "order": order, "subject": each}, ensure_ascii=True) for each in subjects]
    append_lines(folder.changes, lines)
