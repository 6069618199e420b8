"""Bringing a shard's hosts back after an opening: the first ones at once, the others while the crawl goes on.

A host that was in the working set has a row that says so, and a host that is held another one. They are read a part at
a time, so that a crawl of a million hosts begins as soon as one of ten.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from gossamer.core.frontier.commands import Move, Tell
from gossamer.core.frontier.events import HeldLoaded, LoadedHost, Woken
from gossamer.core.frontier.records import HOST_ID_BYTES
from gossamer.flow.shard import END, Shard
from gossamer.ports.store import Table

if TYPE_CHECKING:
    from gossamer.core.facts import Fact
    from gossamer.flow.worker import Worker

HOSTS_AT_ONCE: Final = 256
"""Hosts looked at in one step, so that no step of the loop is long."""
_PLACES: Final = (Table.ACTIVE, Table.HELD)


def restore_working_set(shard: Shard, now: float, tell: Callable[[Fact], None]) -> None:
    """Bring back the first hosts that were in the working set, and of the held ones those that nothing holds any more.

    `restore_rest` does the others. `tell` is given what happens to their sites by that.
    """
    for table in _PLACES:
        parts = shard.unrestored[table] = hosts_in(shard, table)
        for command in shard.frontier.handle(_event(table, next(parts, list[LoadedHost]())), now):
            if isinstance(command, Move):
                shard.move(command)
            elif isinstance(command, Tell):
                tell(command.fact)


async def restore_rest(worker: Worker) -> None:
    """Bring back all others, a part of them in each step; the crawl is not over before."""
    worker.releasing += 1
    try:
        for shard in worker.shards:
            for table in _PLACES:
                for hosts in shard.unrestored.pop(table, ()):
                    worker.perform(shard, shard.frontier.handle(_event(table, hosts), worker.clock.now()))
                    await asyncio.sleep(0)
    finally:
        worker.releasing -= 1


def hosts_in(shard: Shard, table: Table) -> Iterator[list[LoadedHost]]:
    """The hosts of a table whose keys end in the host id, some at a time."""
    start = b""
    while found := shard.rows.scan(table, start, END, HOSTS_AT_ONCE):
        start = found[-1][0] + b"\0"
        yield [host for host in shard.load_hosts([key[-HOST_ID_BYTES:] for key, _ in found]) if host is not None]


def _event(table: Table, hosts: list[LoadedHost]) -> Woken | HeldLoaded:
    return HeldLoaded(hosts) if table is Table.HELD else Woken(hosts, 0.0)
