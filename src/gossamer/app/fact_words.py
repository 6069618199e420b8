"""Facts in words for people: one line each. Foreign text in them is not made harmless here; whoever shows them does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app import figures
from gossamer.core import facts

if TYPE_CHECKING:
    from gossamer.core.facts import Fact


def fact_words(fact: Fact) -> str:
    """The fact as a sentence; for one that has none of its own, its class and fields."""
    match fact:
        case facts.DiskLow() | facts.DiskPaused() | facts.DiskResumed() | facts.ReserveGiven():
            return _disk_words(fact)
        case facts.HostParked() | facts.HostDied() | facts.SecretWithheld():
            return _host_words(fact)
        case facts.SeenRebuilding() | facts.SeenRebuilt():
            return _seen_words(fact)
        case facts.WorkerLost(worker, status, _, pause):
            what = f"worker {worker} was lost ({_status_words(status)})"
            return f"{what}; it is started again in {pause:g} s" if pause >= 0 else f"{what} once too often"
        case facts.ScopeChanged() | facts.CommitSlow() | facts.PluginFailed() | facts.FactsLost() | facts.Recovered():
            return _crawl_words(fact)
        case _:
            fields = ", ".join(f"{name} {getattr(fact, name)}" for name in fact.__struct_fields__)
            return f"{type(fact).__name__}: {fields}"


def _crawl_words(
    fact: facts.ScopeChanged | facts.CommitSlow | facts.PluginFailed | facts.FactsLost | facts.Recovered,
) -> str:
    match fact:
        case facts.ScopeChanged(refused, offered, withdrawn):
            return (
                f"the scope has changed: {figures.count(refused)} URLs refused before were judged again, and "
                f"{figures.count(offered)} of them queued; {figures.count(withdrawn)} queued URLs were refused"
            )
        case facts.CommitSlow(_, seconds):
            return f"a commit took {figures.duration(seconds)}"
        case facts.PluginFailed(plugin, error):
            return f"plug-in {plugin} failed and is left out from now on: {error}"
        case facts.FactsLost(count):
            return f"{figures.count(count)} facts are not in the log: it could not be written fast enough"
        case facts.Recovered():
            return _recovered(fact)


def _status_words(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit status {status}"


def _host_words(fact: facts.HostParked | facts.HostDied | facts.SecretWithheld) -> str:
    match fact:
        case facts.HostParked(host, reason, failures, _):
            return f"{host} left alone for a while: {reason} ({failures} failures in a row)"
        case facts.HostDied(host, reason, failures, _, urls):
            return f"{host} given up: {reason} ({failures} failures in a row); {figures.count(urls)} URLs end as failed"
        case facts.SecretWithheld(host):
            return f"{host} is not sent its secret over plain http: use https, or mark the host mine = true"


def _seen_words(fact: facts.SeenRebuilding | facts.SeenRebuilt) -> str:
    match fact:
        case facts.SeenRebuilding(shard):
            return f"shard {shard} makes its files of URL seen anew; the crawl goes on meanwhile"
        case facts.SeenRebuilt(shard, urls):
            return f"shard {shard} has its files of URL seen again, {figures.count(urls)} URLs"


def _disk_words(fact: facts.DiskLow | facts.DiskPaused | facts.DiskResumed | facts.ReserveGiven) -> str:
    match fact:
        case facts.DiskLow(mount, free, pause_below):
            return f"{mount} has {figures.size(free)} free; below {figures.size(pause_below)} the crawl pauses"
        case facts.DiskPaused(mount, free, resume_above):
            return (
                f"{mount} has only {figures.size(free)} free: paused, what is under way is kept; "
                f"goes on by itself from {figures.size(resume_above)} on"
            )
        case facts.DiskResumed(mount, free):
            return f"{mount} has {figures.size(free)} free again: going on"
        case facts.ReserveGiven(size):
            return f"the disk is nearly full: {figures.size(size)} kept in reserve were given to the commit"


def _recovered(fact: facts.Recovered) -> str:
    parts = [f"{fact.bytes_cut:,} uncommitted bytes cut from {fact.files_cut} files"] if fact.files_cut else []
    parts += [f"{path} is no file of a commit; it is kept in aside/" for path in fact.aside]
    return "recovered: " + "; ".join(parts)
