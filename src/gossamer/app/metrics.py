"""The metrics: every number a crawl exports, as families. What they mean stands in docs/reference-metrics.md."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer import __version__
from gossamer.app.exposition import Family, Sample, histogram, number, table
from gossamer.app.numbers import disks_of, memory_now, memory_peak
from gossamer.core.frontier.ledger import Ledger, total

if TYPE_CHECKING:
    from gossamer.app.census import HostCounts
    from gossamer.app.watching import Watching
    from gossamer.flow.worker import Worker


@dataclass(frozen=True, slots=True)
class Readings:
    """What the metrics are read from, at one moment. `started`: of this run, seconds since the epoch."""

    worker: Worker
    watching: Watching
    hosts: HostCounts
    started: float


def families(readings: Readings) -> list[Family]:
    """All metrics of this moment."""
    ledger = total([shard.ledger for shard in readings.worker.shards])
    return [
        *_process(readings),
        *_fetched(ledger),
        *_links(ledger),
        *_urls(ledger),
        *_running(readings),
        *_disk(readings.watching),
    ]


def _process(readings: Readings) -> list[Family]:
    return [
        Family(
            "gossamer_build_info",
            "gauge",
            "Always 1; the release is a label",
            [Sample("", {"release": __version__}, 1)],
        ),
        number("gossamer_started_seconds", "gauge", "When this run began, seconds since the epoch", readings.started),
        number("gossamer_memory_bytes", "gauge", "Memory of the process that is in RAM", memory_now()),
        number("gossamer_memory_peak_bytes", "gauge", "The most it ever was", memory_peak()),
        number("gossamer_cpu_seconds_total", "counter", "Processor time of this run", time.process_time()),
    ]


def _fetched(ledger: Ledger) -> list[Family]:
    statuses = {("none" if status == "0" else status): count for status, count in ledger.statuses.items()}
    return [
        number("gossamer_pages_total", "counter", "2xx answers, copies included, of the crawl so far", ledger.pages),
        number("gossamer_copies_total", "counter", "Pages whose body was archived under another URL", ledger.copies),
        number("gossamer_fetches_total", "counter", "Exchanges of any outcome, robots.txt included", ledger.fetches),
        number("gossamer_received_bytes_total", "counter", "Bytes of bodies as received", ledger.bytes),
        table("gossamer_answers_total", "counter", "Exchanges by status; none: no answer", "status", statuses),
    ]


def _links(ledger: Ledger) -> list[Family]:
    """The first ledger: found = refused + sent + seen + new, where links are found and where they are received."""
    return [
        number("gossamer_links_found_total", "counter", "Links found: refused + sent + seen + new", ledger.found),
        table("gossamer_links_refused_total", "counter", "Links refused where found", "reason", ledger.refused_links),
        number("gossamer_links_sent_total", "counter", "Links sent to the shard that owns them", ledger.sent),
        number("gossamer_links_seen_total", "counter", "Links to URLs known before", ledger.seen),
        number("gossamer_links_new_total", "counter", "Links that made a URL known", ledger.new),
        number(
            "gossamer_links_received_total", "counter", "Links from other shards: refused + seen + new", ledger.received
        ),
        number("gossamer_links_received_refused_total", "counter", "Of those refused", ledger.received_refused),
        number("gossamer_links_received_seen_total", "counter", "Of those known before", ledger.received_seen),
        number("gossamer_links_received_new_total", "counter", "Of those new", ledger.received_new),
    ]


def _urls(ledger: Ledger) -> list[Family]:
    """The second ledger: known = the sum over the states."""
    states = {
        "queued": ledger.queued,
        "held": ledger.held,
        "done": ledger.done,
        "gone": ledger.gone,
        "failed": sum(ledger.failed.values()),
        "refused": sum(ledger.refused.values()),
    }
    return [
        number("gossamer_urls_known", "gauge", "URLs known: the sum over all states", ledger.known),
        table("gossamer_urls", "gauge", "Known URLs by state", "state", states),
        table("gossamer_urls_failed", "gauge", "Failed URLs by reason", "reason", ledger.failed),
        table("gossamer_urls_refused", "gauge", "Refused URLs by reason", "reason", ledger.refused),
    ]


def _running(readings: Readings) -> list[Family]:
    worker, tallies, hosts = readings.worker, readings.watching.tallies, readings.hosts
    states = {"ready": hosts.ready, "waiting": hosts.waiting, "parked": hosts.parked}
    return [
        table("gossamer_hosts", "gauge", "Hosts of the working set by state", "state", states),
        number("gossamer_fetches_in_flight", "gauge", "Exchanges under way", len(worker.in_flight)),
        number("gossamer_paused", "gauge", "1 while nothing is leased for now", bool(worker.pauses)),
        table("gossamer_hosts_slowed_total", "counter", "Times a host was slowed, by reason", "reason", tallies.slowed),
        histogram("gossamer_visit_seconds", "Duration of exchanges of this run", tallies.visit_seconds),
        histogram("gossamer_commit_seconds", "Duration of commits of this run", tallies.commit_seconds),
        table("gossamer_facts_total", "counter", "Facts of this run, by class", "fact", tallies.facts),
    ]


def _disk(watching: Watching) -> list[Family]:
    disks = disks_of(watching)
    return [
        table(
            "gossamer_disk_free_bytes",
            "gauge",
            "Room on each mount",
            "mount",
            {each.mount: each.free for each in disks},
        ),
        table(
            "gossamer_disk_bytes", "gauge", "Size of each mount", "mount", {each.mount: each.total for each in disks}
        ),
        table(
            "gossamer_disk_pause_below_bytes",
            "gauge",
            "With less room than this the crawl pauses",
            "mount",
            {each.mount: each.pause_below for each in disks},
        ),
    ]
