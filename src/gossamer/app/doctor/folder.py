"""A crawl folder looked through and, if asked, mended: stores, files, books, in the order in which they lean on each
other. Nothing is changed without `repair`.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from gossamer.adapters.disk_files import FolderDisk
from gossamer.app.doctor.books import Books, Desk, check_ledger, check_pages, check_queues
from gossamer.app.doctor.files import FileCheck, check_files
from gossamer.app.doctor.finding import Finding, fail, mended, ok, warn
from gossamer.app.doctor.mend_files import FileMending, mend_files
from gossamer.app.doctor.places import check_hosts
from gossamer.app.doctor.seen import rebuild_seen, seen_findings
from gossamer.app.doctor.stores import Stores
from gossamer.app.doctor.tables import Changes
from gossamer.app.errors import UserError
from gossamer.app.folder import open_folder
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.flow.opening import read_ledger
from gossamer.flow.pending import PendingStore
from gossamer.flow.shard_rules import ShardRules
from gossamer.ports.store import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings

REPAIR: Final = "gossamer doctor DIR --repair   mends it"
STRANGERS_NAMED: Final = 3
LOG: Final = "logs/facts.jsonl"


def folder_findings(path: Path, *, repair: bool, quick: bool, say: Callable[[str], None]) -> Iterator[Finding]:
    """Everything about a crawl folder. Raises UserError (exit 7) for what is none, or one in use."""
    folder, settings = open_folder(path)
    with ExitStack() as stack:
        stack.enter_context(folder.hold())
        rules = None
        try:
            rules = _rules(folder, settings)
            seeds = folder.read_seeds()
        except (UserError, OSError, ValueError) as error:
            yield fail("facts", str(error), getattr(error, "hint", "") or "restore the folder's state/ from a copy")
            return
        yield from _misplaced(folder, repair=repair)
        yield ok("facts", f"{len(seeds):,} seeds, {settings.crawl.shards} shards, key rules {rules.key_rules.version}")
        stores = Stores(folder, settings.crawl.shards)
        stack.callback(stores.close)
        yield from stores.open(repair=repair)
        if not stores.complete:
            return
        try:
            yield from _look_inside(folder, stores, rules, repair=repair, quick=quick, say=say)
        except StoreError as error:
            yield fail("store", str(error), "restore the folder from a copy")


def _misplaced(folder: CrawlFolder, *, repair: bool) -> Iterator[Finding]:
    """What stands where a run will want to write a file, and is none: a folder, a link to nowhere."""
    logs = [folder.path / LOG, *sorted((folder.path / "logs").glob("w*-facts.jsonl"))]
    for path in (folder.summary_json, folder.changes, folder.orders, folder.added, *logs):
        name = path.relative_to(folder.path)
        if not os.path.lexists(path) or path.is_file():
            continue
        if repair:
            place = FolderDisk(folder.path).set_aside(str(name))
            yield mended("places", f"{name} was no file; it lies in {place} now")
        else:
            yield fail("places", f"{name} is no file", REPAIR)


def _rules(folder: CrawlFolder, settings: Settings) -> ShardRules:
    facts = folder.read_facts()
    return ShardRules(Fingerprinter(facts.hash_key), facts.keys, folder.read_sites(), settings.crawl.shards)


def _look_inside(
    folder: CrawlFolder,
    stores: Stores,
    rules: ShardRules,
    *,
    repair: bool,
    quick: bool,
    say: Callable[[str], None],
) -> Iterator[Finding]:
    marks = stores.marks()
    check = check_files(folder.path, marks, quick=quick, say=say)
    if repair:
        stores.even_commits()
        mending = FileMending(folder.path, FolderDisk(folder.path), check, marks)
        yield from mend_files(mending, [stores.opened[number] for number in range(stores.shards)])
    else:
        yield from (fail("file", f"{fault.path} {fault.words}", REPAIR) for fault in check.faults)
    yield from _about_files(check, len(marks), quick=quick)
    yield from seen_findings(folder, stores.opened, quick=quick)
    if quick:
        yield from _quick_books(stores)
    else:
        yield from _books(stores, rules, check.sound, repair=repair, say=say)


def _about_files(check: FileCheck, files: int, *, quick: bool) -> Iterator[Finding]:
    if not check.faults:
        read = "lengths are right" if quick else f"{check.records:,} records and {check.rows:,} rows read"
        yield ok("files", f"{files:,} files, {read}")
    if check.tails:
        words = f"{len(check.tails)} files have {sum(check.tails.values()):,} bytes beyond the last commit"
        yield ok("files", words + "; resume cuts them")
    if check.strangers:
        named = ", ".join(check.strangers[:STRANGERS_NAMED])
        more = f" and {len(check.strangers) - STRANGERS_NAMED} more" if len(check.strangers) > STRANGERS_NAMED else ""
        yield warn("files", f"no commit names {named}{more}", "resume moves what it cannot explain to aside/")


def _quick_books(stores: Stores) -> Iterator[Finding]:
    problems = [
        f"shard {number}: {problem}"
        for number, store in sorted(stores.opened.items())
        for problem in read_ledger(PendingStore(store)).problems()
    ]
    yield from (fail("books", problem, REPAIR) for problem in problems)
    if not problems:
        yield ok("books", "the ledgers balance (records were not counted)")


def _books(
    stores: Stores,
    rules: ShardRules,
    sound: Mapping[str, int],
    *,
    repair: bool,
    say: Callable[[str], None],
) -> Iterator[Finding]:
    changes = {number: Changes(store, repair) for number, store in stores.opened.items()}
    known = 0
    clean = True
    for number, store in sorted(stores.opened.items()):
        desk = Desk(number, store, rules, sound, changes[number], changes, say)
        check_pages(desk)
        # What one shard lost may be known as a body in another's table.
        for each in changes.values():
            each.write()
        check_queues(desk)
        differing = check_ledger(desk, check_hosts(desk))
        known += desk.books.counted.known
        for finding in _about_books(number, desk.books, differing, repair=repair):
            clean = False
            yield finding
    if repair:
        for store in stores.opened.values():
            if not clean:
                rebuild_seen(store)
            store.sync()
    if clean:
        yield ok("books", f"{known:,} page records counted, and all that follows from them agrees")


def _about_books(number: int, books: Books, differing: list[str], *, repair: bool) -> Iterator[Finding]:
    """What differed in one shard."""
    rows = [
        (
            books.unreadable,
            "rows are no page record",
            "they are left out; their URLs are found again from pages fetched anew",
        ),
        (
            books.lost,
            f"URLs have no capture any more, such as {', '.join(books.lost_urls[:2])}",
            "they wait to be fetched again",
        ),
        (
            books.forgotten,
            "URLs of the books have no record any more",
            "resume offers the seeds again, and their pages lead to the others",
        ),
        (books.unqueued, "waiting URLs stood in no queue", "they are queued"),
        (books.dangling, "queue entries were of no waiting URL", "they are left out"),
        (books.hosts, "hosts were counted or listed wrongly", "they are counted anew and listed asleep"),
    ]
    for count, words, done in rows:
        if count:
            text = f"shard {number}: {count:,} {words}"
            yield mended("books", text, done) if repair else fail("books", text, REPAIR)
    for words in differing:
        text = f"shard {number}: {words}"
        yield mended("books", text, "the books follow the records") if repair else fail("books", text, REPAIR)
