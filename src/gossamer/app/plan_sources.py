"""Where the figures of a plan come from: a crawl's own, a job's settings, this machine; the later names the source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gossamer.app.commands.hosts import asking_of
from gossamer.app.commands.status import read_status
from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import open_folder
from gossamer.app.folder_bytes import folder_bytes
from gossamer.app.settings import Given, load
from gossamer.app.settings.tree import DEFAULTS

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings

ROWS_READ_MAX: Final = 200_000
"""Visits whose sizes are read; the first of that many tell the mean."""


class Figure(NamedTuple):
    """A value of a wish, and where it came from, in words."""

    value: Any
    source: str


def job_figures(config: Path) -> dict[str, Figure]:
    """What the settings of a job say: pages, period, gap, the cap per host. Raises UserError."""
    settings, source = load(Given(config=config)), f"{config}"
    named = {
        "pages": ("crawl.max_pages", settings.crawl.max_pages),
        "period": ("crawl.max_time", settings.crawl.max_time),
        "gap": ("politeness.gap", settings.politeness.gap),
    }
    figures = {
        name: Figure(value, f"{key} of {source}")
        for name, (key, value) in named.items()
        if value is not None and value != DEFAULTS[key]
    }
    cap, pages = settings.crawl.max_pages_per_host, settings.crawl.max_pages
    if cap is not None and pages is not None:
        figures["largest_host"] = Figure(min(1.0, cap / pages), f"crawl.max_pages_per_host of {source}")
    return figures


def crawl_figures(path: Path) -> dict[str, Figure]:
    """What a crawl met, running or not. Raises UserError when it has no page yet."""
    folder, settings = open_folder(path)
    numbers, source = read_status(folder), f"crawl {path}"
    pages, fetches = int(numbers.get("pages", 0)), int(numbers.get("fetches", 0))
    if not pages or not fetches:
        raise UserError(f"{path} has no page yet", "give --page-size, --links and the rest instead", Exit.FOLDER)
    hosts, largest = _hosts(folder, settings)
    links = int(numbers["found"]) + 0.0
    copies = min(int(numbers["copies"]), pages - 1)
    decoded = _decoded_bytes(folder)
    figures: dict[str, Any] = {
        # What is planned has the copies in its fetches, not in its pages: of what is queued as many may be copies.
        "pages": max(1, round((int(numbers["known"]) - sum(numbers["refused"].values())) * (1 - copies / pages))),
        "hosts": max(1, hosts),
        "largest_host": min(1.0, largest / pages),
        "links": links / pages,
        "new_links": min(1.0, int(numbers["known"]) / links) if links else 0.0,
        "page_bytes": decoded or max(1, round(int(numbers["bytes"]) / fetches)),
        "stored_bytes": max(1, round(folder_bytes(folder.path).get("archive", 0) / (pages - copies))),
        "duplicates": min(0.99, copies / pages),
        "gap": settings.politeness.gap_seconds(allowed=bool(settings.network.allow_address)),
    }
    found = {name: Figure(value, source) for name, value in figures.items()}
    summary = folder.read_summary() or {}
    # The CPU time is that of a run, the pages are of all runs: of a crawl in one run they are of the same thing.
    if summary.get("cpu_seconds") and not summary.get("resumed") and numbers["state"] != "running":
        found["page_cpu"] = Figure(summary["cpu_seconds"] / pages, f"{source}, all that its process did")
    return found


def _hosts(folder: CrawlFolder, settings: Settings) -> tuple[int, int]:
    """How many hosts the crawl knows, and the pages of the largest, queued ones included."""
    hosts = largest = 0
    request: dict[str, Any] = {"ask": "hosts", "states": [], "failing": False, "shard": 0, "after": ""}
    more = True
    with asking_of(folder, settings) as asking:
        while more:
            answer = asking(request)
            hosts += sum(answer["counts"].values())
            largest = max([largest, *(row["pages"] for row in answer["hosts"])])
            request, more = {**request, "shard": answer["shard"], "after": answer["after"]}, answer["more"]
    return hosts, largest


def _decoded_bytes(folder: CrawlFolder) -> int:
    """The mean length of a page as decoded, from the finished files of pages/; 0 without one."""
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to load

    total = rows = 0
    for path in sorted((folder.path / "pages").glob("*.parquet")):
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=10_000, columns=["kind", "status", "decoded_bytes"]):
                sizes = [
                    int(row["decoded_bytes"])
                    for row in batch.to_pylist()
                    if row["kind"] == "page" and 200 <= row["status"] < 300
                ]
                total, rows = total + sum(sizes), rows + len(sizes)
                if rows >= ROWS_READ_MAX:
                    return round(total / rows)
    return round(total / rows) if rows else 0
