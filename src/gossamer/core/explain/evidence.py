"""What is looked up of one URL before it is explained: plain values, from a running crawl or a stopped one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from gossamer.core.explain.explanation import ScopePart
from gossamer.core.frontier.back_queue import BackQueue, Phase
from gossamer.core.frontier.holds import Hold
from gossamer.core.frontier.records import HostState, PageRecord, PageState
from gossamer.core.politeness.gap import Gap
from gossamer.core.robots.answer import RobotsState

Known = tuple[str, PageRecord | None]
"""A URL and its record, if it has one."""


@dataclass(slots=True)
class HostEvidence:
    """A host, as the shard that owns it knows it."""

    state: HostState
    gap: Gap
    working: BackQueue | None = None
    """Its back queue, while it is in the working set of a running crawl."""
    addresses: tuple[str, ...] = ()
    hold: str = ""
    """Why nothing may be leased from it now, a word of `Reason`; empty when nothing holds it."""

    held_by: Hold | None = None
    """The same, with its date and its numbers."""

    @property
    def is_held(self) -> bool:
        """Whether its URLs are held, or will be at its next turn."""
        return self.state.held or bool(self.hold)

    @property
    def phase(self) -> Phase | None:
        """What it is doing in the working set; None outside of it."""
        return self.working.phase if self.working is not None else None


@dataclass(slots=True)
class UrlEvidence:
    """All that is looked up."""

    url: str
    """Normalised."""
    key: str
    shard: int
    now: float
    running: bool
    scope: ScopePart
    product: str
    """Our product token in robots.txt."""
    purposes: tuple[str, ...] = ()
    """What the crawl's content is for."""
    record: PageRecord | None = None
    host: HostEvidence | None = None
    robots: RobotsState | None = None
    robots_ignored: bool = False
    """Its host's robots.txt is not asked for, by the operator's word."""
    leased_at: float = 0.0
    """When its lease was granted; 0 when it is not in flight."""
    ahead: int = 0
    """Entries before it in its queue, counted up to `ahead_max`."""
    ahead_max: int = 0
    score_parts: dict[str, float] = field(default_factory=dict[str, float])
    """Name -> points of each part of its score now; empty without a record."""
    score_level: int = 0
    """The level that the score means."""
    score_partial: bool = False
    """Without the importance file and the plug-ins, which only a running crawl has read."""
    score_fixed: bool = False
    """How it was found decides alone."""
    crawl_code: str = ""
    """"crawl limit", "crawl paused" or "not running" while the whole crawl fetches nothing; empty while it does."""
    crawl_text: str = ""
    """The same in a sentence."""
    trap: str = ""
    """What is held against the templates of its URL, with the evidence; empty for nothing."""
    before: list[Known] = field(default_factory=list[Known])
    """URLs that redirect here, the first one first."""
    aliases: list[str] = field(default_factory=list[str])
    """Known URLs that are this one by its host's alias rules."""
    after: list[Known] = field(default_factory=list[Known])
    """Where it redirects, step by step."""

    @property
    def state(self) -> str:
        """`Explanation.state`."""
        if self.record is not None and self.record.state == PageState.QUEUED:
            if self.leased_at:
                return "in flight"
            return "held" if self.host is not None and self.host.is_held else "queued"
        return state_word(self.record)


_STATE_WORDS: Final = {int(state): state.name.lower() for state in PageState}


def state_word(record: PageRecord | None) -> str:
    """The state of a record in a word, leases and holds of its host apart; "unknown" without one."""
    return _STATE_WORDS.get(record.state, "unknown") if record is not None else "unknown"
