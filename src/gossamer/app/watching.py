"""What listens to a crawl: the log, the tallies, and the words for people; and the watch over the disk."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer.adapters.disk_space_statvfs import StatvfsDiskSpace
from gossamer.adapters.facts_jsonl import NAME, JsonlFacts, LogRules
from gossamer.app.fact_words import fact_words
from gossamer.app.tallies import Tallies
from gossamer.core import facts
from gossamer.core.deal import ALONE, Deal
from gossamer.core.disk_guard import DiskGuard, DiskPolicy
from gossamer.core.facts import Fact, Level, Topic
from gossamer.flow.disk_watch import DiskWatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings
    from gossamer.flow.worker import Worker

DISK_PAUSE: Final = "disk"
"""The word under which the disk guard pauses a worker."""
SAID: Final = (
    facts.DiskLow,
    facts.DiskPaused,
    facts.DiskResumed,
    facts.ReserveGiven,
    facts.FactsLost,
    facts.ScopeChanged,
)
"""Facts that are said to people at once."""
WRITTEN: Final = ("archive", "index", "pages", "links", "refused", "journal", "aside", "logs", "state")
"""Parts of a crawl folder, any of which may be a mount of its own."""


@dataclass(slots=True)
class Watching:
    """The port `facts` for everybody who listens to one run."""

    log: JsonlFacts
    tallies: Tallies
    disk: DiskWatch = field(init=False)
    say: Callable[[str], None] | None = None
    """Tells people; None while nobody looks."""

    @property
    def waiting(self) -> bool:
        """See the port."""
        return self.log.waiting

    def note(self, fact: Fact, at: float) -> None:
        """See the port."""
        self.log.note(fact, at)
        self.tallies.note(fact, at)
        if self.say is not None and isinstance(fact, SAID):
            self.say(fact_words(fact))

    def flush(self) -> None:
        """See the port."""
        self.log.flush()

    def watch_over(self, worker: Worker) -> None:
        """Hear what the worker and its committer tell, and pause the worker while a disk is full."""
        worker.facts = worker.committer.facts = self
        worker.committer.disk = self.disk
        self.disk.changed = worker.pause_while(DISK_PAUSE)

    def close(self) -> None:
        """Give the reserve back and close the log."""
        self.disk.space.give_reserve()
        self.log.close()


def make_watching(settings: Settings, folder: CrawlFolder, deal: Deal = ALONE) -> Watching:
    """For a worker of a run of the crawl in `folder`, which exists and is locked."""
    watching = Watching(JsonlFacts(folder.path / "logs", log_rules(settings), log_name(deal)), Tallies())
    paths = [folder.path, *(folder.path / part for part in WRITTEN), Path(tempfile.gettempdir())]
    # Each worker keeps a reserve for commits of its own.
    reserve = folder.state / (f"reserve-w{deal.worker}" if deal.worker else "reserve")
    space = StatvfsDiskSpace(paths, reserve)
    policy = DiskPolicy(settings.disk.pause_below, settings.disk.resume_above)
    watching.disk = DiskWatch(DiskGuard(policy), space, watching)
    return watching


def log_name(deal: Deal) -> str:
    """How the log of a worker is called: a crawl of one has `facts`, of several each its own."""
    return f"w{deal.worker}-facts" if deal.workers > 1 else NAME


def log_rules(settings: Settings) -> LogRules:
    """What the settings say to the log; may be put in force at any moment (`JsonlFacts.rules`)."""
    log = settings.log
    topics = frozenset(Topic(topic) for topic in log.topics)
    return LogRules(Level[log.level.upper()], topics, log.bytes, log.kept)
