"""Alias rules applied: URLs that are new by their key, and that their host has taught to be another spelling.

A URL that a rule leaves alone is a known URL like any other, refused for the reason "alias", with the spelling that
stands for it in its record. So nothing is lost: when the one that stands turns out to be no page, or the rule is
refuted, the ones left alone go into their queues (`flow.alias_evidence`). The rules lie in the host's state.

Rows of `Table.ALIAS`: host + key of the one that stands + fingerprint of the one left alone; and, where parameters are
useless, the key without them -> the key of the URL that stands for all their values.
"""

from __future__ import annotations

from gossamer.core.frontier.records import HOST_ID_BYTES, HostState, PageRecord, PageState, UrlKind, decode_page
from gossamer.core.scope.reasons import Reason
from gossamer.core.url.alias import AliasRule, is_checked, others, without_useless
from gossamer.core.url.key import url_key
from gossamer.core.url.parse import host_of
from gossamer.flow.shard import Shard
from gossamer.ports.store import Table


def has_rules(shard: Shard, state: HostState) -> bool:
    """Whether a host has rules in force."""
    return shard.rules.aliases and any(rule.is_in_force for rule in state.aliases)


def stand_in(shard: Shard, state: HostState, url: str, page_key: bytes) -> str:
    """The known URL that stands for a new one, by the host's rules; "" when it has to be fetched itself.

    Notes that the new one is left alone, or that it stands for others from now on.
    """
    key = url_key(url, shard.rules.key_rules)
    bare = without_useless(key, state.aliases)
    group = b""
    if bare != key:
        group = shard.rules.ids.page_key(host_of(bare), bare)
    if not is_checked(page_key):
        found = _standing(shard, key, state.aliases, group)
        if found is not None:
            standing, record = found
            row = page_key[:HOST_ID_BYTES] + standing + page_key[HOST_ID_BYTES:]
            shard.rows.put(Table.ALIAS, row, b"")
            return record.url
    if group:
        shard.rows.put(Table.ALIAS, group, page_key)
    return ""


def _standing(shard: Shard, key: str, rules: list[AliasRule], group: bytes) -> tuple[bytes, PageRecord] | None:
    near = dict(keys_here(shard, others(key, rules)))
    if group:
        named = shard.rows.get(Table.ALIAS, [group])[0]
        if named is not None:
            near.setdefault(named, True)
    for (page_key, is_near), record in zip(near.items(), known(shard, list(near)), strict=True):
        if record is not None and record.state == PageState.REFUSED and record.reason == Reason.ALIAS:
            page_key = _key_of(shard, record.alias_of)  # noqa: PLW2901 - what stands for it stands for this one
            record = known(shard, [page_key])[0]  # noqa: PLW2901 - as above
        if record is not None and _stands(record, near=is_near):
            return page_key, record
    return None


def _stands(record: PageRecord, *, near: bool) -> bool:
    """Whether a known URL may stand for another: a page, or to be one and queued under the same robots.txt."""
    if record.kind != UrlKind.PAGE:
        return False
    if record.state == PageState.QUEUED:
        return near
    return is_page(record)


def is_page(record: PageRecord) -> bool:
    """Whether a settled URL brought a page."""
    return record.state == PageState.DONE and bool(record.digest) and not record.location


def _key_of(shard: Shard, url: str) -> bytes:
    return shard.rules.ids.page_key(host_of(url), url_key(url, shard.rules.key_rules))


def keys_here(shard: Shard, urls: list[tuple[str, bool]]) -> list[tuple[bytes, bool]]:
    """The page keys of URL keys that belong to this shard."""
    rules = shard.rules
    return [
        (rules.ids.page_key(host_of(url), url), near)
        for url, near in urls
        if rules.shard_of(host_of(url)) == shard.number
    ]


def known(shard: Shard, keys: list[bytes]) -> list[PageRecord | None]:
    """The records of those that are known; the filter answers for nearly all that are not."""
    new, _ = shard.url_seen.sort(list(keys))
    unknown = set(new)
    asked = [key for key in keys if key not in unknown]
    values = dict(zip(asked, shard.rows.get(Table.PAGE, asked), strict=True)) if asked else {}
    return [decode_page(value) if (value := values.get(key)) is not None else None for key in keys]
