"""The metrics: one table of all that a crawl exports; docs/reference-metrics.md is made from it.

Counters of the ledgers go on where the last run ended; those of times and facts begin anew with each run, which
Prometheus takes as a reset.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer import __version__
from gossamer.app.exposition import Family, histogram, number, table
from gossamer.app.numbers import disks_of, memory_now, memory_peak
from gossamer.app.tallies import Histogram, Tallies
from gossamer.core.frontier.ledger import Ledger, total

if TYPE_CHECKING:
    from gossamer.app.census import HostCounts
    from gossamer.app.progress import DiskShown
    from gossamer.app.watching import Watching
    from gossamer.flow.worker import Worker

COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"


@dataclass(frozen=True, slots=True)
class Readings:
    """What the metrics are read from, at one moment. `started`: of this run, seconds since the epoch."""

    worker: Worker
    watching: Watching
    hosts: HostCounts
    started: float


@dataclass(frozen=True, slots=True)
class Numbers:
    """The same, summed once for all metrics."""

    readings: Readings
    ledger: Ledger
    tallies: Tallies
    disks: tuple[DiskShown, ...]


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
    ledger = total([shard.ledger for shard in readings.worker.shards])
    numbers = Numbers(readings, ledger, readings.watching.tallies, disks_of(readings.watching))
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
    Metric("gossamer_hosts", GAUGE, "state", "hosts of the working set", lambda n: _by_state(n.readings.hosts)),
    Metric("gossamer_host_phases", GAUGE, "phase", "hosts of the working set", lambda n: n.readings.hosts.phases),
    Metric("gossamer_hosts_slowed_total", COUNTER, "reason", "times a host was slowed", lambda n: n.tallies.slowed),
    Metric("gossamer_fetches_in_flight", GAUGE, "", "exchanges under way", lambda n: len(n.readings.worker.in_flight)),
    Metric("gossamer_paused", GAUGE, "", "1 while nothing is leased", lambda n: bool(n.readings.worker.pauses)),
    Metric("gossamer_visit_seconds", HISTOGRAM, "", "duration of exchanges", lambda n: n.tallies.visit_seconds),
    Metric("gossamer_commit_seconds", HISTOGRAM, "", "duration of commits", lambda n: n.tallies.commit_seconds),
    Metric("gossamer_facts_total", COUNTER, "fact", "facts, logged or not", lambda n: n.tallies.facts),
    Metric("gossamer_facts_lost_total", COUNTER, "", "facts the log could not take", lambda n: n.tallies.lost),
    Metric("gossamer_memory_bytes", GAUGE, "", "memory of the process in RAM", lambda _: memory_now()),
    Metric("gossamer_memory_peak_bytes", GAUGE, "", "the most it ever was", lambda _: memory_peak()),
    Metric("gossamer_cpu_seconds_total", COUNTER, "", "processor time", lambda _: time.process_time()),
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
