"""A changed scope: what is queued is judged again, and so is, once, what was refused where it was found.

Every shard notes the scope that its queues and its refusals were judged by. Where that is not the scope of this run,
the errand goes through the shard's queues, where URLs that are wanted no more end as refused, and through the rows of
`refused`, of which those that are wanted now are found once more, as near to a seed and by the way they were met first.
The note is made in the commit that holds the last of it: killed in between, the errand begins again, and meets what it
did the first time as refused, or as seen before. Meanwhile the crawl goes on, for nothing is leased unjudged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from gossamer.core.facts import ScopeChanged
from gossamer.core.frontier.commands import Refuse
from gossamer.core.frontier.events import Unwanted
from gossamer.core.frontier.lease import Entry
from gossamer.core.frontier.priority import level_of
from gossamer.core.frontier.records import HOST_ID_BYTES, QUEUES, PageRecord, PageState, UrlKind
from gossamer.core.frontier.rejudging import refusal_of
from gossamer.core.page.found import FoundLinks
from gossamer.core.page.links import LinkKind
from gossamer.core.robots.verdict import ROBOTS_TARGET
from gossamer.core.scope.identity import JudgedBy, decode_judged_by, encode_judged_by
from gossamer.core.scope.judge import NAMED_BY_PEOPLE
from gossamer.core.scope.reasons import Reason
from gossamer.core.scope.refusal import Refusal
from gossamer.core.url.key import url_key
from gossamer.core.url.parse import host_of
from gossamer.flow.admission import admit
from gossamer.flow.follow import follows_copy
from gossamer.flow.forgetting import queue_anew
from gossamer.flow.listing import URL_KINDS
from gossamer.flow.rows import reconsidered_rows
from gossamer.flow.seeding import SEEDED_KEY
from gossamer.flow.shard import END, Shard
from gossamer.flow.worker import Worker
from gossamer.ports.refused import RefusedRows
from gossamer.ports.store import Table

JUDGED_KEY: Final = b"judged by"
HOSTS_AT_ONCE: Final = 256
"""Hosts listed in one step."""
OFFERED_PER_COMMIT: Final = 20_000
"""After so many URLs offered again a commit is waited for: what is not committed lies in memory."""


def reconsider(worker: Worker, judged: JudgedBy, open_refused: Callable[[], RefusedRows]) -> bool:
    """Begin the errand where a shard was judged by another scope; whether there is one. Called before seeds are queued.

    `open_refused` opens the rows that earlier runs left.
    """
    before = {shard.number: _judged_by(shard) for shard in worker.shards}
    for shard in worker.shards:
        if before[shard.number] == JudgedBy() and shard.rows.get(Table.META, [SEEDED_KEY])[0] is None:
            # Nothing is in it yet: all that it will hold is judged by this scope.
            before[shard.number] = judged
            shard.rows.put(Table.META, JUDGED_KEY, encode_judged_by(judged))
    stale = {number: judged.reasons_to_reconsider(other) for number, other in before.items() if other != judged}
    if not stale:
        return False
    ruled = {number for number in stale if judged.is_ruled_otherwise(before[number])}
    change = _Change(worker, judged, stale, ruled)
    worker.holders.append(lambda: change.under_way)
    worker.start(change.run(open_refused()))
    return True


def _judged_by(shard: Shard) -> JudgedBy:
    value = shard.rows.get(Table.META, [JUDGED_KEY])[0]
    return decode_judged_by(value) if value is not None else JudgedBy()


@dataclass(slots=True)
class _Change:
    """The errand, and what came of it."""

    worker: Worker
    judged: JudgedBy
    stale: dict[int, frozenset[str]]
    """Shard -> the reasons of refusals that may hold no more."""
    ruled: set[int]
    """Shards whose queues have to be judged again."""
    under_way: bool = True
    read: int = 0
    offered: int = 0
    withdrawn: int = 0
    _uncommitted: int = 0
    _places: dict[tuple[int, str, str, str, float, int], FoundLinks] = field(
        default_factory=dict[tuple[int, str, str, str, float, int], FoundLinks]
    )
    """Shard, referrer, hop path, group, moment and depth -> links found once more."""
    _otherwise: dict[int, list[Refusal]] = field(default_factory=dict[int, list[Refusal]])
    """Shard -> refusals that hold for another reason."""

    async def run(self, refused: RefusedRows) -> None:
        """All of it, to the commit that says so."""
        try:
            for number in sorted(self.ruled):
                await self._withdraw(self.worker.shards[number])
            await self._offer(refused)
            for number in self.stale:
                self.worker.shards[number].rows.put(Table.META, JUDGED_KEY, encode_judged_by(self.judged))
            await self.worker.committer.commit()
            self.worker.note(ScopeChanged(self.read, self.offered, self.withdrawn))
        finally:
            refused.close()
            self.under_way = False

    # --- what is queued ------------------------------------------------------------------------------------------

    async def _withdraw(self, shard: Shard) -> None:
        # A host that changes its place meanwhile may be missed, or be looked at twice: what is leased is judged again.
        for table in (Table.ACTIVE, Table.READY, Table.HELD):
            start = b""
            while found := shard.rows.scan(table, start, END, HOSTS_AT_ONCE):
                start = found[-1][0] + b"\0"
                for key, _ in found:
                    for queue in range(QUEUES):
                        await self._withdraw_queue(shard, key[-HOST_ID_BYTES:], queue)

    async def _withdraw_queue(self, shard: Shard, host_id: bytes, queue: int) -> None:
        order, complete = 0, False
        while not complete:
            state = shard.host_state(host_id)
            if state is None or not state.queued[queue]:
                return
            # Loaded, judged and refused in one step: in the next one the host may be somewhere else.
            entries, complete = shard.head(host_id, queue, max(order, state.heads[queue]))
            self._refuse(shard, host_id, entries)
            order = entries[-1].order + 1 if entries else order
            await asyncio.sleep(0)

    def _refuse(self, shard: Shard, host_id: bytes, entries: list[Entry]) -> None:
        judged = ((entry, refusal_of(self.worker.judge, entry.record)) for entry in entries)
        unwanted = [(entry, reason) for entry, reason in judged if reason]
        if unwanted:
            loaded = None if host_id in shard.frontier.hosts else shard.load_hosts([host_id])[0]
            todo = shard.frontier.handle(Unwanted(host_id, unwanted, loaded), self.worker.clock.now())
            self.withdrawn += sum(isinstance(command, Refuse) for command in todo)
            self.worker.perform(shard, todo)

    # --- what was refused ----------------------------------------------------------------------------------------

    async def _offer(self, refused: RefusedRows) -> None:
        reasons = frozenset(reason for stale in self.stale.values() for reason in stale)
        batches = refused.batches(reasons)
        while (batch := await self.worker.committer.offload.run(lambda: next(batches, None))) is not None:
            for refusal in batch:
                self._reconsider(refusal)
            self._admit()
            self._note_otherwise()
            if self._uncommitted >= OFFERED_PER_COMMIT:
                self._uncommitted = 0
                await self.worker.committer.commit()

    def _reconsider(self, refusal: Refusal) -> None:
        """Judge one refusal again; a URL that is wanted now is queued, or found once more by `_admit`."""
        host = host_of(refusal.url)
        number = self.worker.rules.shard_of(host)
        reasons = self.stale.get(number, frozenset())
        if refusal.reason not in reasons:
            return
        self.read += 1
        reason = self._verdict(refusal)
        shard, rules = self.worker.shards[number], self.worker.rules
        if reason:
            if reason != refusal.reason:
                self._otherwise.setdefault(number, []).append(refusal._replace(reason=reason))
            return
        key = rules.ids.page_key(host, url_key(refusal.url, rules.key_rules))
        record = shard.page(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:])
        if record is None:
            self._find(number, refusal)
        elif record.state == PageState.REFUSED and record.reason in reasons:
            self._queue(shard, key, record, refusal)

    def _verdict(self, refusal: Refusal) -> str:
        if refusal.reason == Reason.KIND and not refusal.kinds:
            return Reason.KIND
        if refusal.reason == Reason.COPY:
            page = _record_of(self.worker, refusal.referrer)
            if page is None or not follows_copy(self.worker, page):
                return Reason.COPY
        judge = self.worker.judge
        reason = judge.judge_finding(refusal.finding)
        if not reason and refusal.finding.kinds == (LinkKind.SITEMAP,) and not _is_vouched(refusal):
            return Reason.SITEMAP_HOST
        if not reason and refusal.finding.kinds == (LinkKind.TO_SITEMAP,) and not _is_named_freely(refusal):
            host = host_of(refusal.url)
            return judge.scope_of(refusal.group).judge(refusal.url, host, self.worker.rules.sites.site_of(host))
        if not reason and refusal.reason == Reason.TRAP and judge.traps is not None:
            return Reason.TRAP if judge.traps.spellings.met(refusal.url) else ""
        return reason

    def _queue(self, shard: Shard, key: bytes, record: PageRecord, refusal: Refusal) -> None:
        """A known URL that was refused: queued anew, as near to a seed as it was met."""
        if refusal.depth < record.depth:
            kinds = refusal.finding.kinds
            record.depth, record.level, record.link_kind = refusal.depth, level_of(refusal.depth), int(kinds[0])
            record.base = record.level
            record.hops, record.referrer, record.group = refusal.hops, refusal.referrer, refusal.group
            record.nofollow, record.redirects = refusal.nofollow, refusal.redirects
        self.worker.perform(shard, queue_anew(shard, key, record, self.worker.clock.now()))
        self.offered += 1
        self._uncommitted += 1

    def _find(self, number: int, refusal: Refusal) -> None:
        """A URL that is not known: gathered with others that were met in the same place."""
        kind = refusal.finding.kinds[0]
        source = "" if kind in NAMED_BY_PEOPLE else refusal.referrer
        place = (number, source, refusal.hops, refusal.group, refusal.first, refusal.depth)
        found = self._places.get(place)
        if found is None:
            found = self._places[place] = FoundLinks(
                source=source,
                depth=refusal.depth,
                hops=refusal.hops[:-1],
                group=refusal.group,
                redirects=refusal.redirects,
                found_at=refusal.first,
                urls=[],
                letters="",
                levels=b"",
                trail=[source] if source and kind is LinkKind.TO_SITEMAP else [],
            )
        found.urls.append(refusal.url)
        found.letters += refusal.hops[-1:]
        found.levels += bytes((level_of(refusal.depth),))
        found.link_kinds += bytes((kind,))
        found.kinds += bytes((URL_KINDS.get(kind, UrlKind.PAGE),))
        found.nofollow += bytes((refusal.nofollow,))

    def _admit(self) -> None:
        """Links found once more, at their owner: counted as found again, whatever became of them the first time."""
        places, self._places = self._places, {}
        for (number, *_), found in places.items():
            shard = self.worker.shards[number]
            new, todo = admit(shard, found, self.worker.clock.now())
            shard.ledger.found += len(found)
            shard.ledger.found_again += len(found)
            shard.ledger.new += new
            shard.ledger.seen += len(found) - new
            self.offered += new
            self._uncommitted += new
            self.worker.perform(shard, todo)

    def _note_otherwise(self) -> None:
        """What is refused for another reason now is said so, for whoever asks later."""
        worker, now = self.worker, self.worker.clock.now()
        for number, refusals in self._otherwise.items():
            worker.datasets.append("refused", reconsidered_rows(refusals, now), number, worker.commit_number)
            self._uncommitted += len(refusals)
        self._otherwise.clear()


def _is_vouched(refusal: Refusal) -> bool:
    """Whether a sitemap may speak for what it names: for another host it was never asked whether it might."""
    return host_of(refusal.url) == host_of(refusal.referrer)


def _is_named_freely(refusal: Refusal) -> bool:
    """Whether a sitemap may lie out of scope: one that a robots.txt names, and what lies on the host that names it."""
    return refusal.referrer.endswith(ROBOTS_TARGET) or _is_vouched(refusal)


def _record_of(worker: Worker, url: str) -> PageRecord | None:
    host = host_of(url)
    if not worker.owns(host):
        return None
    key = worker.rules.ids.page_key(host, url_key(url, worker.rules.key_rules))
    return worker.shards[worker.rules.shard_of(host)].page(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:])
