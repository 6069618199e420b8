"""Forgetting what a URL brought, so that it is fetched again: back into its queue, as if it had just been found."""

from __future__ import annotations

from gossamer.core.frontier.commands import Command, Move
from gossamer.core.frontier.events import Found, LoadedHost
from gossamer.core.frontier.frontier import Frontier
from gossamer.core.frontier.ledger import Ledger, count
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.records import HOST_ID_BYTES, LEVELS, HostState, PageRecord, PageState
from gossamer.core.politeness.ceiling import CeilingPolicy, Ceilings
from gossamer.core.url.key import url_key
from gossamer.core.url.parse import host_of
from gossamer.core.warc.location import FileMark
from gossamer.flow.commit import encode_mark
from gossamer.flow.content_seen import ContentSeen
from gossamer.flow.opening import last_commit, last_order, read_ledger
from gossamer.flow.outbox import Outbox
from gossamer.flow.pending import PendingStore
from gossamer.flow.seen_files import closed_seen
from gossamer.flow.shard import Shard
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.sites import Sites


def forget(shard: Shard, url: str, now: float) -> tuple[PageRecord | None, list[Command]]:
    """Queue a finished URL of this shard anew; its record as it was, and what the frontier wants.

    None for a URL that is not known. One that is queued or in flight stays as it is. Its key stays seen, its history
    and its captures stay; validators go, so that the next fetch brings the whole page.
    """
    key = shard.rules.ids.page_key(host_of(url), url_key(url, shard.rules.key_rules))
    host_id, fingerprint = key[:HOST_ID_BYTES], key[HOST_ID_BYTES:]
    before, record = shard.page(host_id, fingerprint), shard.page(host_id, fingerprint)
    if before is None or record is None or before.state == PageState.QUEUED:
        return before, []
    return before, queue_anew(shard, key, record, now)


def queue_anew(shard: Shard, key: bytes, record: PageRecord, now: float) -> list[Command]:
    """Queue a URL that is known and not queued, as its record says now; what the frontier wants."""
    host_id, fingerprint = key[:HOST_ID_BYTES], key[HOST_ID_BYTES:]
    _uncount(shard.ledger, record)
    _clear(record)
    entry = shard.enqueue(host_id, fingerprint, record, shard.next_order())
    loaded = None
    if host_id not in shard.frontier.hosts:
        name = host_of(record.url)
        state = HostState(name, shard.rules.sites.site_of(name))
        loaded = shard.load_hosts([host_id])[0] or LoadedHost(host_id, state)
    return shard.frontier.handle(Found(host_id, [entry], loaded), now)


def forget_stopped(
    number: int, rows: PendingStore, rules: ShardRules, policy: FrontierPolicy, url: str, *, now: float
) -> PageRecord | None:
    """`forget` in a shard of a crawl that does not run, and made durable; the record as it was.

    The memory of URL seen stays shut, so nothing may be admitted here; a forgotten URL is known already.
    """
    ledger, sites = read_ledger(rows), Sites(rows, rules.ids)
    shard = Shard(
        number=number,
        rules=rules,
        rows=rows,
        frontier=Frontier(policy, Ceilings(CeilingPolicy()), ledger, lambda: 0.0, sites=sites),
        ledger=ledger,
        url_seen=closed_seen(),
        content_seen=ContentSeen(rows),
        outbox=Outbox(rows),
        sites=sites,
        order=last_order(rows),
        commit=last_commit(rows),
    )
    before, commands = forget(shard, url, now)
    for command in commands:
        if isinstance(command, Move):
            shard.move(command)
    if rows.changed:
        _amend(shard)
    return before


def _amend(shard: Shard) -> None:
    """Change what the last commit left, under its own number: a higher one would vouch for rows that a crash left in
    the journals, of a commit that this shard never reached.
    """
    no_marks: list[FileMark] = []
    shard.rows.store.write(shard.begin_commit(shard.commit, no_marks, encode_mark))
    shard.rows.store.sync()
    shard.end_commit(shard.commit)


def _uncount(ledger: Ledger, record: PageRecord) -> None:
    """Book a URL out of the state it is in; the frontier books it in as queued or held."""
    match record.state:
        case PageState.DONE:
            ledger.done -= 1
        case PageState.GONE:
            ledger.gone -= 1
        case PageState.FAILED:
            count(ledger.failed, record.reason, -1)
        case _:
            count(ledger.refused, record.reason, -1)
    for table in (ledger.failed, ledger.refused):
        if table.get(record.reason) == 0:
            del table[record.reason]


def _clear(record: PageRecord) -> None:
    record.state, record.reason, record.tries = PageState.QUEUED, "", 0
    record.etag, record.last_modified, record.digest = "", "", b""
    record.copy_of, record.location, record.alias_of, record.detail = "", "", "", ""
    record.tried, record.cookies = [], []
    record.queue = min(record.level, LEVELS - 1)
