"""Looking up what a crawl keeps of one URL, in the shard that owns it; a running crawl and a stopped one alike.

Bounded whatever the size of the crawl: a few gets, a bounded count in one queue, a bounded chain of redirects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from gossamer.core.budget.policy import linking_sites_counted
from gossamer.core.explain.evidence import HostEvidence, Known, UrlEvidence
from gossamer.core.explain.scope import judged_anew
from gossamer.core.frontier.frontier import Frontier
from gossamer.core.frontier.policy import FrontierPolicy
from gossamer.core.frontier.priority import Part, is_fixed, levels_by
from gossamer.core.frontier.records import (
    HOST_ID_BYTES,
    LEVELS,
    PageRecord,
    PageState,
    decode_host,
    decode_page,
    queue_key,
)
from gossamer.core.limits import REDIRECT_HOPS_MAX
from gossamer.core.robots.answer import RobotsState, decode_robots
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.trap.rules import TrapRules
from gossamer.core.url.alias import others
from gossamer.core.url.key import url_key
from gossamer.core.url.parse import authority_of, host_of
from gossamer.flow.pending import PendingStore
from gossamer.flow.scoring import Scoring, candidates_of
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.sites import Sites
from gossamer.flow.templates import Templates
from gossamer.ports.store import Table

AHEAD_COUNTED_MAX: Final = 1_000
"""Queue entries counted before a URL: a few milliseconds; beyond it the exact number tells nobody more."""


@dataclass(frozen=True, slots=True)
class ShardView:
    """One shard, as far as a look-up needs it. `frontier` is None while the crawl does not run."""

    rows: PendingStore
    frontier: Frontier | None = None
    templates: Templates | None = None
    """The counts of a running crawl."""


@dataclass(frozen=True, slots=True)
class CrawlState:
    """Whether the crawl as a whole fetches: see `UrlEvidence.crawl_code`."""

    running: bool
    code: str = ""
    text: str = ""


@dataclass(slots=True)
class Inspection:
    """Answers for any URL of one crawl."""

    rules: ShardRules
    judge: LinkJudge
    policy: FrontierPolicy
    view: Callable[[int], ShardView]
    """The view of a shard, by number; a stopped crawl's is opened when first asked for."""
    addresses_of: Callable[[str], tuple[str, ...]]
    """Addresses that are known for a host without a look-up; empty when none is."""
    traps: TrapRules | None = None
    """How traps are told; None where no template is watched."""
    scoring: Scoring = field(default_factory=Scoring)
    """How the crawl scores; of a stopped one by its weights alone."""

    def evidence(self, url: str, now: float, crawl: CrawlState) -> UrlEvidence:
        """All that is kept of a normalised URL."""
        host_name = host_of(url)
        number = self.rules.shard_of(host_name)
        view = self.view(number)
        key = self._page_key(url)
        record = self._record(view, key)
        host = self._host(view, key[:HOST_ID_BYTES], host_name)
        evidence = UrlEvidence(
            url=url,
            key=url_key(url, self.rules.key_rules),
            shard=number,
            now=now,
            running=crawl.running,
            scope=judged_anew(self.judge, url, record, self.rules.sites.site_of(host_name)),
            product=self.policy.product,
            purposes=self.policy.purposes,
            record=record,
            host=host,
            robots=self._robots(view, key[:HOST_ID_BYTES], authority_of(record.url if record else url)),
            robots_ignored=self.policy.rule_of(host_name).robots_ignored,
            leased_at=_leased_at(view, key),
            crawl_code=crawl.code,
            crawl_text=crawl.text,
            trap=self._templates(view).told(url) if self.traps is not None else "",
        )
        evidence.aliases = self._aliases(view, evidence)
        if record is not None:
            self._place_in_queue(view, key[:HOST_ID_BYTES], record, host, evidence)
            self._score(view, key, record, evidence)
            evidence.before, evidence.after = self._chain(url, record)
        return evidence

    def record(self, url: str) -> PageRecord | None:
        """The record of a normalised URL; None when it is not known."""
        return self._record(self.view(self.rules.shard_of(host_of(url))), self._page_key(url))

    def _templates(self, view: ShardView) -> Templates:
        return view.templates or Templates(view.rows, self.rules, self.traps)

    def _aliases(self, view: ShardView, evidence: UrlEvidence) -> list[str]:
        """The other spellings by the host's rules, as they are known here."""
        rules = evidence.host.state.aliases if evidence.host is not None else []
        near = [url for url, _ in others(evidence.key, rules)] if rules else []
        here = [url for url in near if self.rules.shard_of(host_of(url)) == evidence.shard]
        values = view.rows.get(Table.PAGE, [self.rules.ids.page_key(host_of(url), url) for url in here]) if here else []
        return [decode_page(value).url for value in values if value is not None]

    def _page_key(self, url: str) -> bytes:
        return self.rules.ids.page_key(host_of(url), url_key(url, self.rules.key_rules))

    def _record(self, view: ShardView, key: bytes) -> PageRecord | None:
        value = view.rows.get(Table.PAGE, [key])[0]
        return decode_page(value) if value is not None else None

    def _host(self, view: ShardView, host_id: bytes, name: str) -> HostEvidence | None:
        frontier = view.frontier
        working = frontier.hosts.get(host_id) if frontier is not None else None
        state = frontier.state_of(host_id) if frontier is not None else None
        if state is None:
            value = view.rows.get(Table.HOST, [host_id])[0]
            if value is None:
                return None
            state = decode_host(value)
        addresses = working.addresses if working is not None and working.addresses else self.addresses_of(name)
        return HostEvidence(
            state=state,
            gap=self.policy.gap_of(state, addresses[0] if addresses else ""),
            working=working,
            addresses=addresses,
            hold=self.policy.hold_reason(state),
            held_by=self.policy.hold_in_books(state),
        )

    def _robots(self, view: ShardView, host_id: bytes, authority: str) -> RobotsState | None:
        value = view.rows.get(Table.ROBOTS, [host_id + authority.encode()])[0]
        return decode_robots(value) if value is not None else None

    def _place_in_queue(
        self, view: ShardView, host_id: bytes, record: PageRecord, host: HostEvidence | None, evidence: UrlEvidence
    ) -> None:
        if record.state != PageState.QUEUED:
            return
        # The head is where the queue begins, past all tombstones.
        head = host.state.heads[record.queue] if host is not None else 0
        start, end = (queue_key(host_id, record.queue, order) for order in (min(head, record.order), record.order))
        evidence.ahead = len(view.rows.scan(Table.QUEUE, start, end, AHEAD_COUNTED_MAX))
        evidence.ahead_max = AHEAD_COUNTED_MAX

    def _score(self, view: ShardView, key: bytes, record: PageRecord, evidence: UrlEvidence) -> None:
        """What its score is now, and of what parts."""
        site = self.rules.sites.site_of(host_of(record.url))
        linking = linking_sites_counted(Sites(view.rows, self.rules.ids).state(site))
        rows = candidates_of([record], site, linking)
        parts = self.scoring.parts(rows, [key], evidence.now)
        evidence.score_parts = {Part.DEPTH.value: float(max(0, LEVELS - 1 - rows.bases[0]))} | {
            name: points[0] for name, points in parts.items()
        }
        evidence.score_level = levels_by(rows, parts)[0]
        evidence.score_partial = self.scoring.is_partial
        evidence.score_fixed = is_fixed(rows.bases[0], record.depth, record.hops)

    def _chain(self, url: str, record: PageRecord) -> tuple[list[Known], list[Known]]:
        """URLs whose redirects lead here, the first one first; and those that its own redirect leads to."""
        before: list[Known] = []
        met, step = {url}, record
        while step.hops.endswith("R") and step.referrer not in met and len(before) < REDIRECT_HOPS_MAX:
            met.add(step.referrer)
            source = self.record(step.referrer)
            before.insert(0, (step.referrer, source))
            if source is None:
                break
            step = source
        after: list[Known] = []
        target = record.location
        while target and target not in met and len(after) < REDIRECT_HOPS_MAX:
            met.add(target)
            known = self.record(target)
            after.append((target, known))
            target = known.location if known is not None else ""
        return before, after


def _leased_at(view: ShardView, key: bytes) -> float:
    leases = view.frontier.leases.values() if view.frontier is not None else ()
    for lease in leases:
        if lease.entry is not None and lease.host_id + lease.entry.fingerprint == key:
            return lease.granted
    return 0.0
