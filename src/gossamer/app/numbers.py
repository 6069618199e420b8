"""The numbers of a crawl: a snapshot for the live line, the ledgers for `status`, the summary at the end."""

from __future__ import annotations

import resource
import statistics
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from gossamer import __version__
from gossamer.app.fact_words import fact_words
from gossamer.app.progress import Bounds, DiskShown, Progress, WorkerShown
from gossamer.core.ending import EndState
from gossamer.core.frontier.host_rules import ignored_robots, raised_connections
from gossamer.core.frontier.ledger import Ledger, total
from gossamer.core.scope.reasons import EXPLANATIONS

if TYPE_CHECKING:
    from gossamer.app.census import HostCounts
    from gossamer.app.watching import Watching
    from gossamer.core.frontier.closed_hosts import ClosedHosts
    from gossamer.core.frontier.policy import FrontierPolicy
    from gossamer.flow.worker import Worker

TROUBLED_SHOWN: Final = 100
"""Hosts in trouble that the summary names."""
REASONS_SHOWN: Final = 3
A_YEAR: Final = 365 * 86400.0
MEANINGS: Final = {str(reason): meaning for reason, meaning in EXPLANATIONS.items()}
SUMMARY_VERSION: Final = 1
HOSTS_SHOWN: Final = 5
"""Of each list of the busiest and the slowest."""


def progress_of(worker: Worker, started: float, watching: Watching, hosts: HostCounts) -> Progress:
    """The snapshot of this moment."""
    now = worker.clock.now()
    ledger, tallies = total([shard.ledger for shard in worker.shards]), watching.tallies
    errors, refused = sum(ledger.failed.values()), sum(ledger.refused.values())
    return Progress(
        elapsed=now - started,
        pages=ledger.pages,
        bytes=ledger.bytes,
        queued=ledger.queued,
        leased=len(worker.in_flight),
        ready=hosts.ready,
        waiting=hosts.waiting,
        parked=hosts.parked,
        host_phases=dict(hosts.phases),
        errors=errors,
        newest=worker.newest,
        known=ledger.known,
        done=ledger.done + ledger.gone + errors + refused,
        held=ledger.held,
        statuses=ledger.statuses,
        failed=ledger.failed,
        refused=ledger.refused,
        refused_links=ledger.refused_links,
        slowed=dict(tallies.slowed),
        busiest=tuple(tallies.busiest.greatest(HOSTS_SHOWN)),
        slowest=tuple(tallies.slowest.greatest(HOSTS_SHOWN)),
        disks=disks_of(watching),
        workers=(_worker_shown(worker),),
        bounds=_bounds(worker, now),
        paused=tuple(sorted(worker.pauses)),
        stopping=worker.stopping,
        note=fact_words(tallies.notable[-1][1]) if tallies.notable else "",
    )


def disks_of(watching: Watching) -> tuple[DiskShown, ...]:
    """The disks written to, as the last look found them."""
    policy = watching.disk.guard.policy
    return tuple(
        DiskShown(space.mount, space.free, space.total, policy.pause_bytes(space.total))
        for space in watching.disk.spaces
    )


def _worker_shown(worker: Worker) -> WorkerShown:
    budget, seconds = worker.budget, worker.committer.seconds
    return WorkerShown(0, budget.fetches_reserved, budget.fetches_max, seconds[-1] if seconds else 0.0, memory_now())


def _bounds(worker: Worker, now: float) -> Bounds:
    budget = worker.budget
    pages = [budget.pages_max] if budget.pages_max is not None else []
    if budget.public_pages_max is not None and budget.public_pages:
        pages.append(budget.pages + budget.public_pages_max - budget.public_pages)
    left = None if budget.deadline is None else max(0.0, budget.deadline - now)
    return Bounds(min(pages, default=None), budget.bytes_max, left)


def ledger_numbers(ledgers: list[Ledger]) -> dict[str, Any]:
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
        "balanced": not any(ledger.problems() for ledger in ledgers),
    }


def end_numbers(worker: Worker, ending: EndState, started: float, *, resumed: bool) -> dict[str, Any]:
    """What summary.json says. Seconds, bytes, and moments in UTC."""
    now = worker.clock.now()
    commits = worker.committer.seconds or [0.0]
    return {
        "version": SUMMARY_VERSION,
        "release": __version__,
        "end_state": ending.value,
        "reason": _reason(worker, ending),
        "resumed": resumed,
        "started": _moment(started),
        "ended": _moment(now),
        "seconds": round(now - started, 3),
        **ledger_numbers([shard.ledger for shard in worker.shards]),
        "parked_hosts": _troubled(worker),
        "robots_ignored": ignored_robots(_policy(worker).hosts),
        "connections_raised": raised_connections(_policy(worker).hosts),
        "widened": [f"{seed} -> {target}" for shard in worker.shards for seed, target, _ in shard.widenings()],
        "commits": worker.committer.commits,
        "commit_milliseconds_median": round(statistics.median(commits) * 1000, 1),
        "commit_milliseconds_max": round(max(commits) * 1000, 1),
        "memory_bytes_peak": memory_peak(),
    }


def _reason(worker: Worker, ending: EndState) -> str:
    budget = worker.budget
    if ending is EndState.LIMIT:
        if budget.public_pages_max is not None and budget.public_pages >= budget.public_pages_max:
            return f"public hosts give {budget.public_pages_max:,} pages without --contact: tell them who crawls"
        if budget.pages_max is not None and budget.pages >= budget.pages_max:
            return f"--max-pages {budget.pages_max} reached"
        if budget.bytes_max is not None and budget.bytes >= budget.bytes_max:
            return f"--max-bytes {budget.bytes_max} reached"
        if budget.deadline is not None and worker.clock.now() >= budget.deadline:
            return "--max-time reached"
        return _held(worker)
    if ending in (EndState.STALLED, EndState.NOTHING_FETCHED):
        if worker.waits_for_operator:
            return f"hosts are paused: {', '.join(sorted(_closed(worker).paused)[:5])}"
        return "; ".join(_troubled(worker)[:REASONS_SHOWN] or _ended_otherwise(worker))
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


def _ended_otherwise(worker: Worker) -> list[str]:
    """Why no page came although nothing is left: how the URLs ended, the commonest first, with what that means."""
    ledger = total([shard.ledger for shard in worker.shards])
    ends = {**ledger.refused_links, **ledger.refused, **ledger.failed, "gone (http 404 or 410)": ledger.gone}
    common = sorted((reason for reason, number in ends.items() if number), key=lambda reason: -ends[reason])
    return [f"{reason}: {MEANINGS[reason]}" if reason in MEANINGS else reason for reason in common[:REASONS_SHOWN]]


def _held(worker: Worker) -> str:
    """Why nothing is queued any more and URLs are held."""
    policy, blocked = _policy(worker), _closed(worker).blocked
    if blocked.hosts or blocked.domains:
        return "what is left is held: its hosts are blocked, or over a cap per host"
    if policy.pages_per_host_max is None and policy.bytes_per_host_max is None:
        return "the budget of a site, or its cap, is reached; its URLs are held"
    return "a cap per host is reached; its URLs are held"


def _closed(worker: Worker) -> ClosedHosts:
    return _policy(worker).closed


def _policy(worker: Worker) -> FrontierPolicy:
    return worker.shards[0].frontier.policy


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def memory_now() -> int:
    """Bytes of this process's memory that are in RAM; where the system does not say, the most there ever were."""
    try:
        with open("/proc/self/statm", "rb") as statm:  # noqa: PTH123 - read twice a second; a Path would be made each time
            return int(statm.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return memory_peak()


def memory_peak() -> int:
    """The most memory this process ever had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
