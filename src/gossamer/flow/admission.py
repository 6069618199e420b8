"""Admission: URLs found become known URLs of this shard, unless they were seen before. One step, one multi-get."""

from __future__ import annotations

from gossamer.core.frontier.commands import Command
from gossamer.core.frontier.events import Found, LoadedHost
from gossamer.core.frontier.lease import Entry
from gossamer.core.frontier.records import HOST_ID_BYTES, HostState, PageRecord
from gossamer.core.page.found import FoundLinks
from gossamer.core.url.key import url_keys
from gossamer.core.url.parse import host_of
from gossamer.flow.shard import Shard
from gossamer.ports.store import Table


def admit(shard: Shard, found: FoundLinks, now: float) -> tuple[int, list[Command]]:
    """Queue what is new in `found` (all of it of this shard); how many were new, and what the frontier wants."""
    hosts = [host_of(url) for url in found.urls]
    keys = shard.rules.ids.page_keys(hosts, url_keys(found.urls, shard.rules.key_rules))
    new_rows = _new_rows(shard, keys)
    by_host: dict[bytes, list[int]] = {}
    for row in new_rows:
        by_host.setdefault(keys[row][:HOST_ID_BYTES], []).append(row)
    shard.url_seen.add([keys[row] for row in new_rows])
    shard.ledger.known += len(new_rows)
    out: list[Command] = []
    for (host_id, rows), loaded in zip(by_host.items(), _hosts(shard, by_host, hosts, found.group), strict=True):
        entries = [_enqueue(shard, found, row, keys[row]) for row in rows]
        out += shard.frontier.handle(Found(host_id, entries, loaded), now)
    return len(new_rows), out


def _new_rows(shard: Shard, keys: list[bytes]) -> list[int]:
    """The first row of each key that is not known."""
    first: dict[bytes, int] = {}
    for row, key in enumerate(keys):
        first.setdefault(key, row)
    new, unsure = shard.url_seen.sort(list(first))
    known = shard.rows.get(Table.PAGE, unsure) if unsure else []
    new += [key for key, value in zip(unsure, known, strict=True) if value is None]
    shard.url_seen.recall(unsure)
    return sorted(first[key] for key in new)


def _hosts(shard: Shard, by_host: dict[bytes, list[int]], hosts: list[str], group: str) -> list[LoadedHost | None]:
    """For each host the frontier does not hold: its state, made anew for a host never seen."""
    wanted = [host_id for host_id in by_host if host_id not in shard.frontier.hosts]
    loaded = dict(zip(wanted, shard.load_hosts(wanted), strict=True))
    result: list[LoadedHost | None] = []
    for host_id, rows in by_host.items():
        if host_id not in loaded:
            result.append(None)
            continue
        name = hosts[rows[0]]
        new = HostState(name, shard.rules.sites.site_of(name), group=group)
        result.append(loaded[host_id] or LoadedHost(host_id, new))
    return result


def _enqueue(shard: Shard, found: FoundLinks, row: int, key: bytes) -> Entry:
    record = PageRecord(
        url=found.urls[row],
        depth=found.depth,
        level=found.levels[row],
        hops=found.hops + (found.letters[row] if found.letters else ""),
        referrer=found.source,
        group=found.group,
        found_at=found.found_at,
        redirects=found.redirects,
        queue=found.levels[row],
        kind=found.kinds[row] if found.kinds else 0,
        nofollow=bool(found.nofollow[row]) if found.nofollow else False,
    )
    return shard.enqueue(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:], record, shard.next_order())
