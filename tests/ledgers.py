"""The books of a crawl, counted again from its stores and datasets: no counter of the crawler is believed."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gossamer.adapters.store_rocksdb import RocksResources, RocksStore
from gossamer.core.frontier.ledger import Ledger, total
from gossamer.core.frontier.records import PageRecord, PageState, decode_host, decode_page
from gossamer.flow.opening import read_ledger
from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table

if TYPE_CHECKING:
    from tests.crawls import Crawl

END = b"\xff" * 40
STEP = 10_000


@dataclass
class Books:
    """What a crawl's stores hold, counted row by row."""

    ledgers: list[Ledger] = field(default_factory=list[Ledger])
    records: list[PageRecord] = field(default_factory=list[PageRecord])
    held_hosts: set[str] = field(default_factory=set[str])
    queue_rows: int = 0
    waiting_entries: int = 0
    """Rows of the outboxes."""

    @property
    def total(self) -> Ledger:
        """The crawler's own counters, over all shards."""
        return total(self.ledgers)

    def states(self) -> Counter[int]:
        """How many URLs are in each state."""
        return Counter(record.state for record in self.records)

    def reasons(self, state: PageState) -> Counter[str]:
        """The reasons of the URLs in a state."""
        return Counter(record.reason for record in self.records if record.state == state)


def read_books(crawl: Crawl) -> Books:
    """Read every row of every shard's store. Nobody else may have the folder open."""
    books = Books()
    resources = RocksResources()
    with ExitStack() as stack:
        for path in sorted((crawl.folder / "state").glob("shard-*")):
            store = stack.enter_context(RocksStore(path, resources=resources))
            books.ledgers.append(read_ledger(PendingStore(store)))
            books.records += [decode_page(value) for _, value in _all(store, Table.PAGE)]
            hosts = [decode_host(value) for _, value in _all(store, Table.HOST)]
            books.held_hosts |= {host.name for host in hosts if host.held}
            books.queue_rows += len(_all(store, Table.QUEUE))
            books.waiting_entries += len(_all(store, Table.OUTBOX))
    return books


def problems(crawl: Crawl, *, rescoped: bool = False) -> list[str]:
    """Every way in which the books do not hold, in words; empty when all does.

    The crawler's equations, its counters against the rows of its stores, and both against the Parquet files.
    `rescoped`: the scope has changed, so rows of `refused` may tell of URLs that are refused no more.
    """
    books = read_books(crawl)
    ledger = books.total
    found = [f"shard {number}: {text}" for number, one in enumerate(books.ledgers) for text in one.problems()]
    found += _differences(_stored(books, ledger) + _exported(crawl, ledger, rescoped=rescoped))
    return found + [f"{url} at {moment} stands twice in pages" for url, moment in twice(crawl)]


def twice(crawl: Crawl) -> list[tuple[str, Any]]:
    """(URL, start) of visits that stand in `pages` more than once."""
    visits = Counter((row["url"], row["started"]) for row in crawl.rows("pages"))
    return [visit for visit, times in visits.items() if times > 1]


def _stored(books: Books, ledger: Ledger) -> list[tuple[str, Any, Any]]:
    """(what, by the counter, by the rows)."""
    states = books.states()
    return [
        ("known URLs", ledger.known, len(books.records)),
        ("queued and held URLs", ledger.queued + ledger.held, states[PageState.QUEUED]),
        ("queue rows", ledger.queued + ledger.held, books.queue_rows),
        ("done", ledger.done, states[PageState.DONE]),
        ("gone", ledger.gone, states[PageState.GONE]),
        ("failed", +Counter(ledger.failed), books.reasons(PageState.FAILED)),
        ("refused", +Counter(ledger.refused), books.reasons(PageState.REFUSED)),
        ("received, of what was sent", True, ledger.received <= ledger.sent),
        ("received when no outbox waits", True, bool(books.waiting_entries) or ledger.received == ledger.sent),
    ]


def _exported(crawl: Crawl, ledger: Ledger, *, rescoped: bool) -> list[tuple[str, Any, Any]]:
    """(what, by the counter, by the Parquet files)."""
    visits = crawl.rows("pages")
    fetched = [row for row in visits if row["kind"] == "page" and row["outcome"] == "fetched"]
    links = crawl.table("links")
    verdicts = Counter(links["verdict"].to_pylist()) if links.num_rows else Counter[str]()
    followed = verdicts.pop("followed", 0)
    refused: Counter[str] = Counter()
    for row in crawl.rows("refused"):
        refused[row["reason"]] += row["count"]
    others = Counter(ledger.refused_links) + Counter(ledger.refused) + Counter(ledger.failed)
    # Redirects, seeds, and sitemaps named by a robots.txt are links that stand on no page, and no page links once more.
    again = ledger.found_again
    known = [row for row in visits if row["kind"] not in ("robots", "probe")]
    elsewhere = again + sum(row["outcome"] == "redirected" for row in known) + _seeds(crawl)
    named = [*known, *crawl.rows("refused")]
    elsewhere += sum(row["referrer"].endswith("/robots.txt") for row in named)
    return [
        ("fetches", ledger.fetches, len(visits)),
        ("pages", ledger.pages, len(fetched)),
        ("copies", ledger.copies, sum(bool(row["copy_of"]) for row in fetched)),
        ("bytes", ledger.bytes, sum(row["bytes"] for row in visits)),
        ("statuses", +Counter(ledger.statuses), Counter(str(row["status"]) for row in visits)),
        ("links found on pages", sum(row["links"] for row in visits), links.num_rows),
        ("links found elsewhere", True, again <= ledger.found - links.num_rows <= elsewhere),
        ("links followed", True, 0 <= ledger.sent + ledger.seen + ledger.new - followed <= elsewhere),
        ("verdicts beyond the refused links", Counter[str](), verdicts - Counter(ledger.refused_links)),
        ("refusals", +others, +refused & +others if rescoped else +refused),
    ]


def _seeds(crawl: Crawl) -> int:
    files = [crawl.folder / "state" / name for name in ("seeds.tsv", "added.tsv")]
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files if path.exists())


def _differences(checks: list[tuple[str, Any, Any]]) -> list[str]:
    return [f"{what}: {left} is not {right}" for what, left, right in checks if left != right]


def _all(store: RocksStore, table: Table) -> list[tuple[bytes, bytes]]:
    rows: list[tuple[bytes, bytes]] = []
    start = b""
    while part := store.scan(table, start, END, STEP):
        rows += part
        start = part[-1][0] + b"\0"
    return rows
