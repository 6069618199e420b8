"""The numbers of a crawl: a snapshot for the live line, the ledgers for `status`, the summary at the end."""

from __future__ import annotations

import resource
import statistics
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from gossamer import __version__
from gossamer.app.progress import Progress
from gossamer.core.ending import EndState
from gossamer.core.frontier.back_queue import Phase
from gossamer.core.frontier.ledger import Ledger, total

if TYPE_CHECKING:
    from gossamer.flow.shard import Shard
    from gossamer.flow.worker import Worker

SUMMARY_VERSION: Final = 1


def progress_of(worker: Worker, started: float) -> Progress:
    """The snapshot of this moment. Bounded by the working set."""
    now = worker.clock.now()
    hosts = [host for shard in worker.shards for host in shard.frontier.hosts.values()]
    waiting = [host for host in hosts if host.phase is Phase.WAITING]
    due = sum(host.at <= now for host in waiting)
    ledgers = [shard.ledger for shard in worker.shards]
    return Progress(
        elapsed=now - started,
        pages=sum(ledger.pages for ledger in ledgers),
        bytes=sum(ledger.bytes for ledger in ledgers),
        queued=sum(ledger.queued for ledger in ledgers),
        leased=len(worker.in_flight),
        ready=due + len(hosts) - len(waiting),
        waiting=len(waiting) - due - sum(host.state.parked for host in waiting),
        parked=sum(host.state.parked for host in hosts),
        errors=sum(sum(ledger.failed.values()) for ledger in ledgers),
        newest=worker.newest,
    )


def ledger_numbers(ledgers: list[Ledger]) -> dict[str, Any]:
    """Both ledgers, summed over the shards; see docs/file-formats.md for the equations."""
    ledger = total(ledgers)
    return {
        "pages": ledger.pages,
        "copies": ledger.copies,
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
        "parked_hosts": sorted(
            f"{host.state.name}: {host.state.error}"
            for shard in worker.shards
            for host in shard.frontier.hosts.values()
            if host.state.failures
        )[:100],
        "widened": [f"{seed} -> {target}" for shard in worker.shards for seed, target in shard.widenings()],
        "commits": worker.committer.commits,
        "commit_milliseconds_median": round(statistics.median(commits) * 1000, 1),
        "commit_milliseconds_max": round(max(commits) * 1000, 1),
        "memory_bytes_peak": _peak_memory(),
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
        return "a cap per host is reached; its URLs are held"
    if ending in (EndState.STALLED, EndState.NOTHING_FETCHED):
        errors = sorted({host.state.error for shard in worker.shards for host in _states(shard) if host.state.error})
        return "; ".join(errors[:5])
    return ""


def _states(shard: Shard) -> list[Any]:
    return list(shard.frontier.hosts.values())


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _peak_memory() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
