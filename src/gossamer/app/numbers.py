"""The numbers of a crawl: a snapshot for the live line, the ledgers for `status`, the summary at the end."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from gossamer import __version__
from gossamer.app.progress import Bounds, Progress
from gossamer.app.worker_figures import Summed
from gossamer.core.ending import EndState
from gossamer.core.frontier.host_rules import ignored_robots, raised_connections
from gossamer.core.frontier.ledger import Ledger, total
from gossamer.core.scope.reasons import EXPLANATIONS

if TYPE_CHECKING:
    from gossamer.app.settings import Settings
    from gossamer.core.frontier.policy import FrontierPolicy
    from gossamer.flow.worker import Worker

TROUBLED_SHOWN: Final = 100
"""Hosts in trouble that the summary names."""
REASONS_SHOWN: Final = 3
A_YEAR: Final = 365 * 86400.0
MEANINGS: Final = {str(reason): meaning for reason, meaning in EXPLANATIONS.items()}
SUMMARY_VERSION: Final = 1


class Caps(msgspec.Struct, frozen=True):
    """The caps of a crawl in all; None where there is none. `deadline`: s since the epoch."""

    pages: int | None = None
    bytes: int | None = None
    public_pages: int | None = None
    deadline: float | None = None

    def bounds(self, ledger: Ledger, now: float) -> Bounds:
        """The same for the display."""
        pages = [self.pages] if self.pages is not None else []
        if self.public_pages is not None and ledger.public_pages:
            pages.append(ledger.pages + self.public_pages - ledger.public_pages)
        left = None if self.deadline is None else max(0.0, self.deadline - now)
        return Bounds(min(pages, default=None), self.bytes, left)


class Closing(msgspec.Struct):
    """What a worker says at its end beside its figures."""

    troubled: list[str] = []
    """Its hosts that do not answer, and what they say."""
    paused_hosts: list[str] = []
    """Where paused hosts have the only URLs left: those."""
    held_why: str = ""
    robots_ignored: list[str] = []
    connections_raised: list[str] = []
    widened: list[str] = []
    commit_seconds: list[float] = []
    """Of its last commits."""


def caps_of(settings: Settings, started: float) -> Caps:
    """The caps in force; `started`: when the run began."""
    crawl = settings.crawl
    deadline = None if crawl.max_time is None else started + crawl.max_time
    return Caps(crawl.max_pages, crawl.max_bytes, settings.politeness.public_pages_max, deadline)


def caps_of_budget(worker: Worker) -> Caps:
    """The caps of a worker that has all of them."""
    budget = worker.budget
    return Caps(budget.pages_max, budget.bytes_max, budget.public_pages_max, budget.deadline)


def progress_of(summed: Summed, started: float, caps: Caps, now: float) -> Progress:
    """The snapshot of this moment."""
    ledger, hosts = summed.ledger, summed.hosts
    errors, refused = sum(ledger.failed.values()), sum(ledger.refused.values())
    return Progress(
        elapsed=now - started,
        pages=ledger.pages,
        bytes=ledger.bytes,
        queued=ledger.queued,
        leased=sum(each.leased for each in summed.workers),
        ready=hosts.ready,
        waiting=hosts.waiting,
        parked=hosts.parked,
        host_phases=dict(hosts.phases),
        errors=errors,
        newest=summed.newest,
        known=ledger.known,
        done=ledger.done + ledger.gone + errors + refused,
        held=ledger.held,
        statuses=ledger.statuses,
        failed=ledger.failed,
        refused=ledger.refused,
        refused_links=ledger.refused_links,
        slowed=summed.slowed,
        busiest=tuple(summed.busiest),
        slowest=tuple(summed.slowest),
        disks=summed.disks,
        workers=tuple(each.shown for each in summed.workers),
        bounds=caps.bounds(ledger, now),
        paused=summed.paused,
        stopping=any(each.stopping for each in summed.workers),
        note=summed.note,
    )


def numbers_of(summed: Summed) -> dict[str, Any]:
    """Both ledgers of all workers."""
    return ledger_numbers([summed.ledger], balanced=all(each.balanced for each in summed.workers))


def ledger_numbers(ledgers: list[Ledger], *, balanced: bool = True) -> dict[str, Any]:
    """Both ledgers, summed over the shards; see docs/file-formats.md for the equations."""
    ledger = total(ledgers)
    return {
        "pages": ledger.pages,
        "group_pages": dict(sorted(ledger.group_pages.items())),
        "copies": ledger.copies,
        "unarchived": ledger.unarchived,
        "fetches": ledger.fetches,
        "bytes": ledger.bytes,
        "statuses": dict(sorted(ledger.statuses.items())),
        "known": ledger.known,
        "queued": ledger.queued,
        "held": ledger.held,
        "done": ledger.done,
        "gone": ledger.gone,
        "failed": dict(sorted(ledger.failed.items())),
        "refused": dict(sorted(ledger.refused.items())),
        "found": ledger.found,
        "found_again": ledger.found_again,
        "refused_links": dict(sorted(ledger.refused_links.items())),
        "sent": ledger.sent,
        "seen": ledger.seen,
        "new": ledger.new,
        "received": ledger.received,
        "received_refused": ledger.received_refused,
        "received_seen": ledger.received_seen,
        "received_new": ledger.received_new,
        "balanced": balanced and not any(ledger.problems() for ledger in ledgers),
    }


def closing_of(worker: Worker) -> Closing:
    """What a worker says at its end."""
    policy = worker.shards.first.frontier.policy
    return Closing(
        troubled=_troubled(worker),
        paused_hosts=sorted(policy.closed.paused)[:5] if worker.waits_for_operator else [],
        held_why=_held(policy),
        robots_ignored=ignored_robots(policy.hosts),
        connections_raised=raised_connections(policy.hosts),
        widened=[f"{seed} -> {target}" for seed, target in worker.judge.widenings],
        commit_seconds=list(worker.committer.seconds),
    )


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that has ended."""

    ending: EndState
    summed: Summed
    closings: Sequence[Closing]
    caps: Caps
    started: float
    ended: float
    resumed: bool

    def numbers(self) -> dict[str, Any]:
        """What summary.json says. Seconds, bytes, and moments in UTC."""
        commits = [seconds for closing in self.closings for seconds in closing.commit_seconds] or [0.0]
        workers = self.summed.workers
        return {
            "version": SUMMARY_VERSION,
            "release": __version__,
            "end_state": self.ending.value,
            "reason": self._reason(),
            "resumed": self.resumed,
            "started": _moment(self.started),
            "ended": _moment(self.ended),
            "seconds": round(self.ended - self.started, 3),
            **numbers_of(self.summed),
            "parked_hosts": self._troubled(),
            "robots_ignored": self._all(lambda closing: closing.robots_ignored),
            "connections_raised": self._all(lambda closing: closing.connections_raised),
            "widened": self._all(lambda closing: closing.widened),
            "commits": sum(each.commits for each in workers),
            "commit_milliseconds_median": round(statistics.median(commits) * 1000, 1),
            "commit_milliseconds_max": round(max(commits) * 1000, 1),
            "memory_bytes_peak": sum(each.memory_peak for each in workers),
            "workers": len(workers),
        }

    def _all(self, texts: Callable[[Closing], list[str]]) -> list[str]:
        """What the workers say, each thing once, in their order."""
        return list(dict.fromkeys(text for closing in self.closings for text in texts(closing)))

    def _troubled(self) -> list[str]:
        return sorted({text for closing in self.closings for text in closing.troubled})[:TROUBLED_SHOWN]

    def _reason(self) -> str:
        if self.ending is EndState.LIMIT:
            return self._cap() or next((closing.held_why for closing in self.closings), "")
        if self.ending in (EndState.STALLED, EndState.NOTHING_FETCHED):
            paused = sorted({host for closing in self.closings for host in closing.paused_hosts})
            if paused:
                return f"hosts are paused: {', '.join(paused[:5])}"
            return "; ".join(self._troubled()[:REASONS_SHOWN] or _ended_otherwise(self.summed.ledger))
        return ""

    def _cap(self) -> str:
        """The cap that is reached; empty where none is."""
        ledger, caps = self.summed.ledger, self.caps
        if caps.public_pages is not None and ledger.public_pages >= caps.public_pages:
            return f"public hosts give {caps.public_pages:,} pages without --contact: tell them who crawls"
        if caps.pages is not None and ledger.pages >= caps.pages:
            return f"--max-pages {caps.pages} reached"
        if caps.bytes is not None and ledger.bytes >= caps.bytes:
            return f"--max-bytes {caps.bytes} reached"
        if caps.deadline is not None and self.ended >= caps.deadline:
            return "--max-time reached"
        return ""


def _troubled(worker: Worker) -> list[str]:
    """Hosts with URLs left that do not answer, and what they say: of the working set, and the first of those asleep."""
    awake = [host.state for shard in worker.shards for host in shard.frontier.hosts.values()]
    asleep = [
        host.state
        for shard in worker.shards
        for host in shard.sleeping(TROUBLED_SHOWN, worker.clock.now() + A_YEAR, 0)[0]
    ]
    return sorted({f"{state.name}: {state.error}" for state in [*awake, *asleep] if state.failures})[:TROUBLED_SHOWN]


def _ended_otherwise(ledger: Ledger) -> list[str]:
    """Why no page came although nothing is left: how the URLs ended, the commonest first, with what that means."""
    ends = {**ledger.refused_links, **ledger.refused, **ledger.failed, "gone (http 404 or 410)": ledger.gone}
    common = sorted((reason for reason, number in ends.items() if number), key=lambda reason: -ends[reason])
    return [f"{reason}: {MEANINGS[reason]}" if reason in MEANINGS else reason for reason in common[:REASONS_SHOWN]]


def _held(policy: FrontierPolicy) -> str:
    """Why nothing is queued any more and URLs are held."""
    blocked = policy.closed.blocked
    if blocked.hosts or blocked.domains:
        return "what is left is held: its hosts are blocked, or over a cap per host"
    if policy.pages_per_host_max is None and policy.bytes_per_host_max is None:
        return "the budget of a site, or its cap, is reached; its URLs are held"
    return "a cap per host is reached; its URLs are held"


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
