"""The metrics: one table of all that a crawl exports; docs/reference-metrics.md is made from it.

Counters of the ledgers go on where the last run ended; those of times and facts begin anew with each run, which
Prometheus takes as a reset.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer import __version__
from gossamer.app.exposition import Family, histogram, number, table
from gossamer.app.tallies import Histogram
from gossamer.app.worker_figures import Summed, WorkerFigures
from gossamer.core.frontier.ledger import Ledger

if TYPE_CHECKING:
    from gossamer.app.census import HostCounts
    from gossamer.app.progress import DiskShown

COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"


@dataclass(frozen=True, slots=True)
class Readings:
    """What the metrics are read from, at one moment. `started`: of this run, seconds since the epoch.

    `cpu_seconds`, `memory` and `memory_peak` of a process that runs the workers and is none itself.
    """

    workers: Sequence[WorkerFigures]
    started: float
    cpu_seconds: float = 0.0
    memory: int = 0
    memory_peak: int = 0


@dataclass(frozen=True, slots=True)
class Numbers:
    """The same, summed once for all metrics."""

    readings: Readings
    summed: Summed
    ledger: Ledger
    hosts: HostCounts
    disks: tuple[DiskShown, ...]

    def sum(self, each: Callable[[WorkerFigures], float]) -> float:
        """Over all workers."""
        return sum(map(each, self.readings.workers))


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. `label`: of the entries of a table; empty for a single number."""

    name: str
    kind: str
    label: str
    meaning: str
    read: Callable[[Numbers], float | Mapping[str, float] | Histogram]

    def family(self, numbers: Numbers) -> Family:
        """Its samples at this moment."""
        found = self.read(numbers)
        if isinstance(found, Histogram):
            return histogram(self.name, self.meaning, found)
        if isinstance(found, Mapping):
            return table(self.name, self.kind, self.meaning, self.label, found)
        return number(self.name, self.kind, self.meaning, found)


def families(readings: Readings) -> list[Family]:
    """All metrics of this moment."""
    summed = Summed(readings.workers)
    numbers = Numbers(readings, summed, summed.ledger, summed.hosts, summed.disks)
    return [metric.family(numbers) for metric in METRICS]


def _by_state(hosts: HostCounts) -> Mapping[str, float]:
    return {"ready": hosts.ready, "waiting": hosts.waiting, "parked": hosts.parked}


def _answers(numbers: Numbers) -> Mapping[str, float]:
    return {("none" if status == "0" else status): count for status, count in numbers.ledger.statuses.items()}


def _states(numbers: Numbers) -> Mapping[str, float]:
    """The second ledger: the states add up to the known URLs."""
    ledger = numbers.ledger
    return {
        "queued": ledger.queued,
        "held": ledger.held,
        "done": ledger.done,
        "gone": ledger.gone,
        "failed": sum(ledger.failed.values()),
        "refused": sum(ledger.refused.values()),
    }


METRICS: Final = (
    Metric("gossamer_build_info", GAUGE, "release", "always 1", lambda _: {__version__: 1}),
    Metric("gossamer_started_seconds", GAUGE, "", "start of this run, s since the epoch", lambda n: n.readings.started),
    Metric("gossamer_pages_total", COUNTER, "", "2xx answers, copies included", lambda n: n.ledger.pages),
    Metric("gossamer_copies_total", COUNTER, "", "pages archived before under another URL", lambda n: n.ledger.copies),
    Metric("gossamer_fetches_total", COUNTER, "", "exchanges, robots.txt included", lambda n: n.ledger.fetches),
    Metric("gossamer_received_bytes_total", COUNTER, "", "bytes of bodies as received", lambda n: n.ledger.bytes),
    Metric("gossamer_answers_total", COUNTER, "status", "exchanges by status; none: no answer", _answers),
    Metric(
        "gossamer_links_found_total",
        COUNTER,
        "",
        "links found: refused + sent + seen + new",
        lambda n: n.ledger.found,
    ),
    Metric(
        "gossamer_links_refused_total", COUNTER, "reason", "links refused where found", lambda n: n.ledger.refused_links
    ),
    Metric("gossamer_links_sent_total", COUNTER, "", "links sent to the shard that owns them", lambda n: n.ledger.sent),
    Metric("gossamer_links_seen_total", COUNTER, "", "links to URLs known before", lambda n: n.ledger.seen),
    Metric("gossamer_links_new_total", COUNTER, "", "links that made a URL known", lambda n: n.ledger.new),
    Metric(
        "gossamer_links_received_total",
        COUNTER,
        "",
        "links from other shards: refused + seen + new",
        lambda n: n.ledger.received,
    ),
    Metric("gossamer_links_received_refused_total", COUNTER, "", "of those", lambda n: n.ledger.received_refused),
    Metric("gossamer_links_received_seen_total", COUNTER, "", "of those", lambda n: n.ledger.received_seen),
    Metric("gossamer_links_received_new_total", COUNTER, "", "of those", lambda n: n.ledger.received_new),
    Metric("gossamer_urls_known", GAUGE, "", "URLs known: the sum of `gossamer_urls`", lambda n: n.ledger.known),
    Metric("gossamer_urls", GAUGE, "state", "known URLs: each is in one state", _states),
    Metric("gossamer_urls_failed", GAUGE, "reason", "failed URLs", lambda n: n.ledger.failed),
    Metric("gossamer_urls_refused", GAUGE, "reason", "known URLs refused", lambda n: n.ledger.refused),
    Metric("gossamer_hosts", GAUGE, "state", "hosts of the working set", lambda n: _by_state(n.hosts)),
    Metric("gossamer_host_phases", GAUGE, "phase", "hosts of the working set", lambda n: n.hosts.phases),
    Metric("gossamer_hosts_slowed_total", COUNTER, "reason", "times a host was slowed", lambda n: n.summed.slowed),
    Metric("gossamer_fetches_in_flight", GAUGE, "", "exchanges under way", lambda n: n.sum(lambda w: w.leased)),
    Metric("gossamer_paused", GAUGE, "", "1 while nothing is leased", lambda n: bool(n.summed.paused)),
    Metric("gossamer_visit_seconds", HISTOGRAM, "", "duration of exchanges", lambda n: n.summed.visits),
    Metric("gossamer_commit_seconds", HISTOGRAM, "", "duration of commits", lambda n: n.summed.commits),
    Metric("gossamer_facts_total", COUNTER, "fact", "facts, logged or not", lambda n: n.summed.facts),
    Metric(
        "gossamer_facts_lost_total",
        COUNTER,
        "",
        "facts the log could not take",
        lambda n: n.sum(lambda w: w.tallies.lost),
    ),
    Metric(
        "gossamer_memory_bytes",
        GAUGE,
        "",
        "memory of all processes in RAM",
        lambda n: n.readings.memory + n.sum(lambda w: w.memory),
    ),
    Metric(
        "gossamer_memory_peak_bytes",
        GAUGE,
        "",
        "the most that each ever had, in all",
        lambda n: n.readings.memory_peak + n.sum(lambda w: w.memory_peak),
    ),
    Metric(
        "gossamer_cpu_seconds_total",
        COUNTER,
        "",
        "processor time",
        lambda n: n.readings.cpu_seconds + n.sum(lambda w: w.cpu_seconds),
    ),
    Metric(
        "gossamer_disk_free_bytes", GAUGE, "mount", "room on the disk", lambda n: {d.mount: d.free for d in n.disks}
    ),
    Metric("gossamer_disk_bytes", GAUGE, "mount", "size of the disk", lambda n: {d.mount: d.total for d in n.disks}),
    Metric(
        "gossamer_disk_pause_below_bytes",
        GAUGE,
        "mount",
        "with less room the crawl pauses",
        lambda n: {d.mount: d.pause_below for d in n.disks},
    ),
)
