"""Alias rules learned from visits, and undone where a visit shows that they erred.

Where a copy or a redirect leads to another spelling of the same URL, the one thing in which they differ is watched:
from then on a visit's URL is compared with the known one that differs from it in that. Equal bodies or a redirect for
good speak for a rule, anything else against it. Whatever a refuted rule left alone is fetched, and so is whatever was
left alone for the sake of a URL that turned out to be no page.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Final

from gossamer.core.facts import AliasLearned, AliasRefuted
from gossamer.core.frontier.fate import Fate, FateKind
from gossamer.core.frontier.records import (
    FINGERPRINT_BYTES,
    HOST_ID_BYTES,
    HostState,
    PageRecord,
    PageState,
    UrlKind,
    encode,
)
from gossamer.core.limits import ALIAS_RELEASED_AT_ONCE
from gossamer.core.scope.reasons import Reason
from gossamer.core.url.alias import AliasKind, Spelling, Standing, between, learn, refute, rule_for, spellings, watch
from gossamer.core.url.key import url_key
from gossamer.core.url.parse import host_of
from gossamer.flow.aliases import is_page, keys_here, known
from gossamer.flow.finished import Finished
from gossamer.flow.forgetting import forget
from gossamer.flow.shard import END, Shard
from gossamer.flow.worker import Worker
from gossamer.ports.store import Table

PERMANENT: Final = frozenset({301, 308})
"""Statuses of a redirect for good (RFC 9110 sections 15.4.2 and 15.4.9)."""
SAMPLE_BYTES: Final = 8
"""Of a digest or fingerprint, kept to tell samples apart."""
PAGE_KEY_BYTES: Final = HOST_ID_BYTES + FINGERPRINT_BYTES


@dataclass(frozen=True, slots=True)
class _Pair:
    """A visit's URL beside one that differs from it in one thing."""

    spelling: Spelling
    record: PageRecord


def weigh(worker: Worker, shard: Shard, finished: Finished, fate: Fate) -> None:
    """Learn from a visit that is settled, and undo what it shows to be wrong."""
    record = finished.record
    if not shard.rules.aliases:
        return
    host_id = finished.lease.host_id
    state = shard.frontier.hosts[host_id].state
    if state.aliases and fate.kind in (FateKind.DONE, FateKind.GONE, FateKind.FAILED, FateKind.REFUSED):
        if not is_page(record):
            release_from(worker, shard, host_id, finished.entry.fingerprint)
        if state.releasing:
            _release_all(worker, shard, host_id)
    if record.kind != UrlKind.PAGE or fate.kind not in (FateKind.DONE, FateKind.GONE):
        return
    if finished.exchange.truncated is not None:
        return
    key = url_key(record.url, shard.rules.key_rules)
    _watch(shard, finished, key)
    watched = {(rule.kind, rule.name) for rule in state.aliases if rule.standing != Standing.REFUTED}
    for pair in _pairs(shard, key, watched) if watched else ():
        verdict = _agree(shard, record, pair.record)
        if verdict is not None:
            _take_in(worker, shard, finished, pair, agree=verdict)


def _watch(shard: Shard, finished: Finished, key: str) -> None:
    """A copy of, or a redirect to, another spelling of the same URL: the one thing in which they differ is watched.

    Until then nothing is looked up, so that a host without such pairs costs nothing.
    """
    record = finished.record
    other = record.copy_of if is_page(record) else record.location
    spelling = between(key, url_key(other, shard.rules.key_rules)) if other else None
    if spelling is not None:
        host = shard.frontier.hosts[finished.lease.host_id]
        watch(shard.frontier.working.touch(host).aliases, spelling.kind, spelling.name)


def _pairs(shard: Shard, key: str, watched: set[tuple[AliasKind, str]]) -> list[_Pair]:
    """The known URLs that differ from `key` in one thing that is watched."""
    near = {spelling.url: spelling for spelling in spellings(key) if (spelling.kind, spelling.name) in watched}
    keys = keys_here(shard, [(url, True) for url in near])
    by_key = dict(
        zip((page_key for page_key, _ in keys), known(shard, [page_key for page_key, _ in keys]), strict=True)
    )
    pairs: list[_Pair] = []
    for record in by_key.values():
        if record is not None:
            spelling = near.get(url_key(record.url, shard.rules.key_rules))
            if spelling is not None:
                pairs.append(_Pair(spelling, record))
    return pairs


def _agree(shard: Shard, one: PageRecord, other: PageRecord) -> bool | None:
    """Whether two settled URLs are one page; None when that cannot be told."""
    if is_page(one) and is_page(other):
        return one.digest == other.digest
    for source, target in ((one, other), (other, one)):
        if source.location and is_page(target):
            if not _leads(shard, source, target):
                return False
            return True if source.attempts and source.attempts[-1].status in PERMANENT else None
    gone = PageState.GONE in (one.state, other.state)
    return False if gone and (is_page(one) or is_page(other)) else None


def _leads(shard: Shard, source: PageRecord, target: PageRecord) -> bool:
    rules = shard.rules.key_rules
    return url_key(source.location, rules) == url_key(target.url, rules)


def _take_in(worker: Worker, shard: Shard, finished: Finished, pair: _Pair, *, agree: bool) -> None:
    record, host_id = finished.record, finished.lease.host_id
    state = shard.frontier.working.touch(shard.frontier.hosts[host_id])
    if not agree:
        refuted = refute(state.aliases, pair.spelling, record.url)
        if refuted is not None:
            worker.note(AliasRefuted(state.name, refuted.words, *refuted.against))
            _release_all(worker, shard, host_id)
        _mirror(worker, shard, state, pair)
        return
    own = record.digest if is_page(record) and is_page(pair.record) else finished.entry.fingerprint
    learned = learn(state.aliases, pair.spelling, record.url, own[:SAMPLE_BYTES])
    if learned is not None:
        worker.note(AliasLearned(state.name, learned.words, learned.agreed, *learned.example))
    rule = rule_for(state.aliases, pair.spelling.kind, pair.spelling.name)
    if rule is not None and rule.is_in_force and not record.alias_of:
        record.alias_of = pair.record.url
        shard.save_page(host_id, finished.entry.fingerprint, record)
    _mirror(worker, shard, state, pair)


def _mirror(worker: Worker, shard: Shard, state: HostState, pair: _Pair) -> None:
    """What `www.` teaches is true of both hosts: the other one's state gets the same rule."""
    if pair.spelling.kind != AliasKind.WWW:
        return
    rule = rule_for(state.aliases, AliasKind.WWW, "")
    host_id = shard.rules.ids.host_id(host_of(pair.record.url))
    other = shard.host_state(host_id)
    if rule is None or other is None:
        return
    had = rule_for(other.aliases, AliasKind.WWW, "")
    was_in_force = had is not None and had.is_in_force
    other.aliases = [*(each for each in other.aliases if each.kind != AliasKind.WWW), deepcopy(rule)]
    _save_state(shard, host_id, other)
    if was_in_force and not rule.is_in_force:
        _release_all(worker, shard, host_id)


def _save_state(shard: Shard, host_id: bytes, state: HostState) -> None:
    working = shard.frontier.working
    if host_id in working.hosts:
        working.touch(working.hosts[host_id])
    elif working.touched.get(host_id) is not state:
        shard.rows.put(Table.HOST, host_id, encode(state))


# --- undone --------------------------------------------------------------------------------------------------------


def release_after_refusal(worker: Worker, shard: Shard, host_id: bytes, fingerprint: bytes) -> None:
    """The frontier refuses a queued URL: it is no page, whatever it stood for."""
    state = shard.frontier.state_of(host_id)
    if shard.rules.aliases and state is not None and state.aliases:
        release_from(worker, shard, host_id, fingerprint)


def release_from(worker: Worker, shard: Shard, host_id: bytes, fingerprint: bytes) -> None:
    """The URL that stood for others is no page: they are fetched themselves."""
    standing = host_id + fingerprint
    record = shard.page(host_id, fingerprint)
    hosts = {host_id}
    if record is not None:
        hosts |= {
            shard.rules.ids.host_id(host_of(spelling.url))
            for spelling in spellings(url_key(record.url, shard.rules.key_rules))
            if spelling.kind == AliasKind.WWW
        }
    for each in hosts:
        while _release(worker, shard, each + standing):
            pass


def _release_all(worker: Worker, shard: Shard, host_id: bytes) -> None:
    """A rule erred: what was left alone on this host is fetched; a great many over the visits to come."""
    releasing = _release(worker, shard, host_id)
    # What was queued may have brought the host into the working set, with a state of its own.
    state = shard.host_state(host_id)
    if state is not None:
        state.releasing = releasing
        _save_state(shard, host_id, state)


def _release(worker: Worker, shard: Shard, prefix: bytes) -> bool:
    """Queue the URLs left alone in rows that begin so; whether there may be more."""
    rows = shard.rows.scan(Table.ALIAS, prefix, prefix + END, ALIAS_RELEASED_AT_ONCE)
    for key, _ in rows:
        shard.rows.delete(Table.ALIAS, key)
        if len(key) == PAGE_KEY_BYTES:
            continue
        host_id, fingerprint = key[:HOST_ID_BYTES], key[HOST_ID_BYTES + PAGE_KEY_BYTES :]
        record = shard.page(host_id, fingerprint)
        if record is not None and record.state == PageState.REFUSED and record.reason == Reason.ALIAS:
            _, commands = forget(shard, record.url, worker.clock.now())
            worker.perform(shard, commands)
    return len(rows) == ALIAS_RELEASED_AT_ONCE
