"""Both ledgers hold at every commit, and say what the tables hold: the books are counted again from the rows.

Reads what is durable on each shard's disk, as a stranger would after pulling the plug.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from gossamer.core.frontier.ledger import Ledger, decode_ledger
from gossamer.core.frontier.records import PageState, decode_host, decode_page
from gossamer.core.page.found import decode_batches
from gossamer.flow.shard import LEDGER_KEY, RECEIPT_PREFIX
from gossamer.ports.store import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.simulation.checkers.evidence import Evidence
    from gossamer.simulation.store import MemoryDisk

NUMBER_BYTES: Final = 8


def check(evidence: Evidence) -> list[str]:
    """What was noted while the crawl ran."""
    return evidence.ledgers


def ledger_of(disk: MemoryDisk) -> Ledger:
    """The durable ledger of a shard; an empty one before its first commit."""
    data = disk.durable[Table.META].values.get(LEDGER_KEY)
    return decode_ledger(data) if data is not None else Ledger()


def at_commit(disks: Sequence[MemoryDisk], changed: Sequence[int] | None = None) -> list[str]:
    """What does not hold after a commit of the shards `changed` (None: all), in words. Cheap: equations, receipts."""
    found: list[str] = []
    for number in range(len(disks)) if changed is None else changed:
        disk = disks[number]
        found += [f"accounting: shard {number}: {problem}" for problem in ledger_of(disk).problems()]
        found += _missing_receipts(number, disk, disks)
    return found


def _missing_receipts(sender: int, disk: MemoryDisk, disks: Sequence[MemoryDisk]) -> list[str]:
    """Entries that left the outbox and that their receiver does not have: sent - in outbox <= received."""
    first: dict[int, int] = {}
    for key in disk.durable[Table.OUTBOX].keys:
        first.setdefault(int.from_bytes(key[:2], "big"), int.from_bytes(key[2:], "big"))
    found: list[str] = []
    for receiver, waiting in first.items():
        name = RECEIPT_PREFIX + sender.to_bytes(2, "big")
        received = int.from_bytes(disks[receiver].durable[Table.META].values.get(name, b""), "big")
        if waiting > received + 1:
            found.append(
                f"accounting: entries {received + 1} to {waiting - 1} of shard {sender} never reached {receiver}"
            )
    return found


def recount(disks: Sequence[MemoryDisk]) -> list[str]:
    """The ledgers against the rows themselves."""
    found: list[str] = []
    for number, disk in enumerate(disks):
        found += [f"accounting: shard {number}: {problem}" for problem in _recount_shard(disk)]
    ledgers = [ledger_of(disk) for disk in disks]
    sent, received = sum(each.sent for each in ledgers), sum(each.received for each in ledgers)
    entries = [entry for disk in disks for entry in disk.durable[Table.OUTBOX].values.values()]
    waiting = sum(len(found) for entry in entries for found in decode_batches(entry))
    if not sent - waiting <= received <= sent:
        found.append(f"accounting: {sent} links sent, {waiting} waiting, {received} received")
    return found


def rows_against(disks: Sequence[MemoryDisk], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The ledgers against the rows of the pages dataset, which are committed with them."""
    ledgers = [ledger_of(disk) for disk in disks]
    pages = sum(row["kind"] == "page" and row["outcome"] == "fetched" for row in rows)
    counts = {
        "pages": (sum(each.pages for each in ledgers), pages),
        "fetches": (sum(each.fetches for each in ledgers), len(rows)),
        "bytes": (sum(each.bytes for each in ledgers), sum(row["bytes"] for row in rows)),
    }
    return [
        f"accounting: the ledgers say {said} {name}, the dataset {held}"
        for name, (said, held) in counts.items()
        if said != held
    ]


def _recount_shard(disk: MemoryDisk) -> list[str]:
    ledger = ledger_of(disk)
    states = Counter(decode_page(row).state for row in disk.durable[Table.PAGE].values.values())
    hosts = [decode_host(row) for row in disk.durable[Table.HOST].values.values()]
    counts = {
        "queued and held": (ledger.queued + ledger.held, states[PageState.QUEUED]),
        "queue rows": (ledger.queued + ledger.held, len(disk.durable[Table.QUEUE].keys)),
        "queued by the host states": (ledger.queued + ledger.held, sum(host.total for host in hosts)),
        "held by the host states": (ledger.held, sum(host.total for host in hosts if host.held)),
        "done": (ledger.done, states[PageState.DONE]),
        "gone": (ledger.gone, states[PageState.GONE]),
        "failed": (sum(ledger.failed.values()), states[PageState.FAILED]),
        "refused": (sum(ledger.refused.values()), states[PageState.REFUSED]),
    }
    return [f"the ledger says {said} {name}, the rows {held}" for name, (said, held) in counts.items() if said != held]
