"""Admission: URLs found become known URLs of this shard, unless they were seen before. One step."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from gossamer.core.frontier.commands import Command, Refuse
from gossamer.core.frontier.events import Found, LoadedHost
from gossamer.core.frontier.lease import Entry
from gossamer.core.frontier.records import HOST_ID_BYTES, HostState, PageRecord, PageState, UrlKind
from gossamer.core.page.found import FoundLinks
from gossamer.core.scope.reasons import Reason
from gossamer.core.url.parse import host_of
from gossamer.flow.aliases import has_rules, stand_in
from gossamer.flow.scoring import Place, levels_found
from gossamer.flow.shard import Shard
from gossamer.flow.shard_rules import UrlPlace
from gossamer.flow.site_links import book_sites
from gossamer.flow.sparing import is_listing, spare
from gossamer.ports.store import Table


def admit(
    shard: Shard, found: FoundLinks, now: float, places: Sequence[UrlPlace] | None = None
) -> tuple[int, list[Command]]:
    """Queue what is new in `found` (all of it of this shard); how many were new, and what the frontier wants.

    `places`: of its URLs, where they are known.
    """
    places = shard.rules.places(found.urls) if places is None else places
    book_sites(shard, [(found, [place[3] for place in places])])
    return _admit(shard, found, places, [place[1] for place in places], now)


def admit_all(shard: Shard, batches: Sequence[FoundLinks], now: float) -> tuple[int, list[Command]]:
    """The same for several batches, the first first: who links to whom is booked for all of them together."""
    if len(batches) == 1:
        return admit(shard, batches[0], now)
    places = shard.rules.places([url for found in batches for url in found.urls])
    keys, sites = [place[1] for place in places], [place[3] for place in places]
    ends = list(accumulate(len(found.urls) for found in batches))
    begins = [0, *ends][:-1]
    book_sites(shard, [(found, sites[a:b]) for found, a, b in zip(batches, begins, ends, strict=True)])
    unknown = shard.url_seen.unknown(keys)
    total = 0
    out: list[Command] = []
    for found, a, b in zip(batches, begins, ends, strict=True):
        # Most of what other sites link to is known, and then nothing follows from it, unless it is a list's.
        if found.hints or is_listing(found) or not unknown.isdisjoint(keys[a:b]):
            new, todo = _admit(shard, found, places[a:b], keys[a:b], now)
            total += new
            out += todo
    return total, out


def _admit(
    shard: Shard, found: FoundLinks, urls: Sequence[UrlPlace], keys: list[bytes], now: float
) -> tuple[int, list[Command]]:
    source = host_of(found.source) if found.source else ""
    new_rows = _new_rows(shard, keys, source)
    if not new_rows and not found.hints:
        return 0, spare(shard, found, keys, set(), now)
    by_host: dict[bytes, list[int]] = {}
    for row in new_rows:
        by_host.setdefault(keys[row][:HOST_ID_BYTES], []).append(row)
    if found.hints and len(new_rows) < len(found):
        _keep_hints(shard, found, keys, set(new_rows))
    # Before hosts are loaded: it may change what is known of them.
    out = spare(shard, found, keys, set(new_rows), now)
    shard.url_seen.add([keys[row] for row in new_rows], source)
    shard.ledger.known += len(new_rows)
    found = shard.templates.ranked(found, new_rows)
    loaded_hosts = _hosts(shard, by_host, urls, found.group)
    places = [
        Place(host_id, loaded.state if loaded is not None else shard.frontier.hosts[host_id].state, rows)
        for (host_id, rows), loaded in zip(by_host.items(), loaded_hosts, strict=True)
    ]
    levels = levels_found(shard, found, places, keys, now)
    for (host_id, state, rows), loaded in zip(places, loaded_hosts, strict=True):
        made = [(_record(found, row, levels[row]), keys[row]) for row in rows]
        if has_rules(shard, state):
            entries, refusals = _enqueue_by_rules(shard, state, made, is_named=not found.source)
            out += refusals
        else:
            entries = shard.enqueue_all(host_id, made)
        if entries:
            out += shard.frontier.handle(Found(host_id, entries, loaded), now)
    return len(new_rows), out


def _new_rows(shard: Shard, keys: list[bytes], source: str) -> list[int]:
    """The first row of each key that is not known. `source`: the host whose page names them."""
    new, unsure = shard.url_seen.sort(list(dict.fromkeys(keys)) if len(keys) > 1 else keys, source)
    if unsure:
        known = dict(zip(unsure, shard.rows.get(Table.PAGE, unsure), strict=True))
        new += [key for key in unsure if known[key] is None]
        shard.url_seen.recall([key for key in unsure if known[key] is not None], source)
    if not new:
        return []
    first = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    return sorted([first[key] for key in new])


def _keep_hints(shard: Shard, found: FoundLinks, keys: list[bytes], new_rows: set[int]) -> None:
    """What a list claims of URLs that were known before goes into their records; the last claim counts."""
    claims = {keys[row]: hints for row, hints in enumerate(found.hints) if hints is not None and row not in new_rows}
    for (key, hints), record in zip(claims.items(), shard.records_of(list(claims)), strict=True):
        if record is not None and record.hints != hints:
            record.hints = hints
            shard.save_page(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:], record)


def _hosts(
    shard: Shard, by_host: dict[bytes, list[int]], urls: Sequence[UrlPlace], group: str
) -> list[LoadedHost | None]:
    """For each host the frontier does not hold: its state, made anew for a host never seen."""
    wanted = [host_id for host_id in by_host if host_id not in shard.frontier.hosts]
    loaded = dict(zip(wanted, shard.load_hosts(wanted), strict=True))
    result: list[LoadedHost | None] = []
    for host_id, rows in by_host.items():
        if host_id not in loaded:
            result.append(None)
            continue
        name, _, _, site = urls[rows[0]]
        result.append(loaded[host_id] or LoadedHost(host_id, HostState(name, site, group=group)))
    return result


def _enqueue_by_rules(
    shard: Shard, state: HostState, made: list[tuple[PageRecord, bytes]], *, is_named: bool
) -> tuple[list[Entry], list[Refuse]]:
    """One host's new URLs: the queued ones, and refusals of those that are known under another spelling."""
    entries: list[Entry] = []
    refusals: list[Refuse] = []
    for record, key in made:
        # What people name is fetched as they name it; a sitemap is no page.
        is_link = not is_named and record.kind == UrlKind.PAGE
        record.alias_of = stand_in(shard, state, record.url, key) if is_link else ""
        if not record.alias_of:
            entries.append(_enqueue(shard, record, key))
            continue
        record.state, record.reason = PageState.REFUSED, Reason.ALIAS
        host_id, fingerprint = key[:HOST_ID_BYTES], key[HOST_ID_BYTES:]
        shard.save_page(host_id, fingerprint, record)
        refusals.append(Refuse(host_id, Entry(0, fingerprint, record), Reason.ALIAS, f"known as {record.alias_of}"))
    return entries, refusals


def _enqueue(shard: Shard, record: PageRecord, key: bytes) -> Entry:
    return shard.enqueue(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:], record, shard.next_order())


def _record(found: FoundLinks, row: int, level: int) -> PageRecord:
    return PageRecord(
        url=found.urls[row],
        depth=found.depth,
        level=level,
        base=found.levels[row],
        hops=found.hops + (found.letters[row] if found.letters else ""),
        referrer=found.source,
        group=found.group,
        found_at=found.found_at,
        redirects=found.redirects,
        queue=level,
        link_kind=found.link_kinds[row] if found.link_kinds else 0,
        nofollow=bool(found.nofollow[row]) if found.nofollow else False,
        kind=found.kinds[row] if found.kinds else UrlKind.PAGE,
        hints=found.hints[row] if found.hints else None,
        trail=found.trail if found.kinds and found.kinds[row] == UrlKind.SITEMAP else [],
    )
