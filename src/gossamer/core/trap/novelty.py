"""Novelty: what the fetches of a template have brought, and the verdict that follows.

A crawler cannot know whether a supply of URLs ends. It can know that the last dozens of them brought nothing that it
had not. So each template's fetches are counted, and those among them with new content, in a window that fades; where
the share is low the template is *throttled* (its URLs come last), and where it stays next to nothing it is *closed*
(its URLs are refused). The counts are the evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import msgspec

from gossamer.core.limits import (
    TRAP_CLOSED_FETCHES_MIN,
    TRAP_CLOSED_SHARE_MAX,
    TRAP_DATES_TRIED,
    TRAP_DULL_HOSTS_MAX,
    TRAP_EXAMPLES_KEPT,
    TRAP_LOOKED_AT_FIRST,
    TRAP_LOOKED_AT_ONE_IN,
    TRAP_MIXED_FETCHES_MIN,
    TRAP_RUN_CERTAINTY,
    TRAP_RUN_FETCHES_MAX,
    TRAP_RUN_PER_NOVEL,
    TRAP_SHARE_FETCHES_MIN,
    TRAP_SITE_SHARE_FETCHES_MIN,
    TRAP_SITE_SHARE_MAX,
    TRAP_THROTTLED_FETCHES_MIN,
    TRAP_THROTTLED_SHARE_MAX,
    TRAP_WINDOW_FETCHES,
)
from gossamer.core.trap.template import DATES_ENDING, Kind


class Verdict(IntEnum):
    """What is held of a template. Numbers are stored; never renumber."""

    OPEN = 0
    THROTTLED = 1
    CLOSED = 2

    @property
    def word(self) -> str:
        """As reports write it."""
        return self.name.lower()


class Counts(msgspec.Struct, array_like=True):
    """What is counted of one template of one site. Fields are appended, never reordered or removed."""

    text: str
    """The template, as people read it."""
    fetches: int = 0
    """Pages and redirects fetched that could be told new or not."""
    novel: int = 0
    """Those among them that brought something new."""
    window: float = 0.0
    """The same in the window."""
    window_novel: float = 0.0
    first: float = 0.0
    """Moment of the first fetch, and of the last."""
    last: float = 0.0
    verdict: int = Verdict.OPEN
    since: float = 0.0
    """Since when the verdict holds; 0 for one that never changed."""
    rule: str = ""
    """What the verdict goes by: "novelty", "share", or the name of a shape rule."""
    refused: int = 0
    """URLs refused by it."""
    examples: list[str] = []
    """The last fetches that brought nothing new, or URLs that a shape rule refused."""
    visits: int = 0
    """All fetches, those included whose text was not looked at."""
    dull: int = 0
    """Fetches in a row, up to the last, that brought nothing new."""
    window_fresh: float = 0.0
    """Fetches in the window that brought a body not archived before, or led on, whatever it says."""
    stale: int = 0
    """Fetches in a row, up to the last, that brought a body archived before, or a redirect that leads nowhere new."""

    @property
    def fresh_share(self) -> float:
        """The part of the fetches in the window that brought other bytes; 1 where there are none."""
        return self.window_fresh / self.window if self.window else 1.0

    @property
    def share(self) -> float:
        """The part of the fetches in the window that brought something new; 1 where there are none."""
        return self.window_novel / self.window if self.window else 1.0


@dataclass(frozen=True, slots=True)
class NoveltyRules:
    """What the settings say."""

    throttle_below: float = TRAP_THROTTLED_SHARE_MAX
    close_below: float = TRAP_CLOSED_SHARE_MAX
    close_after: int = TRAP_CLOSED_FETCHES_MIN
    """Fetches in a row without anything new before a template may be closed."""
    site_share: float = TRAP_SITE_SHARE_MAX
    """Share of a site's fetches that a throttled template may have."""


def after_fetch(counts: Counts, url: str, now: float, *, novel: bool, fresh: bool) -> None:
    """Count one fetch: did it say something new, and were at least its bytes new?"""
    if counts.window >= TRAP_WINDOW_FETCHES:
        counts.window /= 2
        counts.window_novel /= 2
        counts.window_fresh /= 2
    counts.first = counts.first or now
    counts.last = now
    counts.fetches += 1
    counts.window += 1
    counts.window_fresh += fresh
    counts.stale = 0 if fresh else counts.stale + 1
    if novel:
        counts.novel += 1
        counts.window_novel += 1
        counts.dull = 0
    else:
        counts.dull += 1
        note_example(counts, url)


def is_looked_at(counts: Counts, kind: Kind) -> bool:
    """Whether the text of the next page is to be compared: a sample will do of a template that goes on yielding, and of
    one that its pages' words do not close.
    """
    first = TRAP_LOOKED_AT_FIRST if kind in _RUNS_OF_WORDS else 0
    return (
        counts.fetches < first
        or counts.dull > 0
        or counts.verdict != Verdict.OPEN
        or counts.visits % TRAP_LOOKED_AT_ONE_IN == 0
    )


def note_example(counts: Counts, url: str) -> None:
    """Keep a URL as one of the last examples."""
    if url not in counts.examples:
        counts.examples = [*counts.examples, url][-TRAP_EXAMPLES_KEPT:]


def judged(counts: Counts, site_visits: int, rules: NoveltyRules, kind: Kind) -> tuple[Verdict, str]:
    """The verdict that the counts call for, and the rule it goes by. `site_visits`: fetches of the whole site."""
    share = counts.share if kind is Kind.COMBINED else counts.fresh_share
    if _is_barren(counts, share, rules, kind):
        return Verdict.CLOSED, NOVELTY
    is_poor = counts.share < rules.throttle_below and counts.window >= TRAP_THROTTLED_FETCHES_MIN
    if not is_poor or kind is Kind.REST:
        return Verdict.OPEN, ""
    is_greedy = counts.visits >= TRAP_SITE_SHARE_FETCHES_MIN and counts.visits > rules.site_share * site_visits
    if is_greedy and share < rules.throttle_below and kind is not Kind.HOSTS:
        return Verdict.CLOSED, SHARE
    return Verdict.THROTTLED, NOVELTY


def _is_barren(counts: Counts, share: float, rules: NoveltyRules, kind: Kind) -> bool:
    """Whether a run of fetches without anything new is too long for chance, or the share in the window next to none."""
    mixed = TRAP_MIXED_FETCHES_MIN if kind is Kind.REST else 0
    runs = [(counts.stale, mixed)]
    if (least := _RUNS_OF_WORDS.get(kind)) is not None:
        runs.append((counts.dull, least))
    if any(run >= _run_needed(counts, run, max(least, rules.close_after)) for run, least in runs):
        return True
    enough = max(rules.close_after, TRAP_SHARE_FETCHES_MIN, mixed)
    # The window fades to half of itself, and may be no longer than what is asked for.
    is_enough = counts.fetches >= enough and counts.window >= min(enough, TRAP_WINDOW_FETCHES // 2)
    return is_enough and share <= rules.close_below


def _run_needed(counts: Counts, run: int, least: int) -> float:
    """How long a run must be: longer for a template that has brought much, or that brings something now and then."""
    if run < least:
        return least
    usual = TRAP_RUN_CERTAINTY * (counts.fetches - run) / max(1, counts.novel)
    return max(least, min(TRAP_RUN_FETCHES_MAX, max(usual, least + TRAP_RUN_PER_NOVEL * (counts.novel - 1))))


def speaks_for_itself(narrow: Counts | None, wide: str) -> bool:
    """Whether the closed row `wide` has no say about the URLs of a narrower one: that one brought something new, or is
    another form of date of which too little was tried.
    """
    if narrow is not None and narrow.novel:
        return True
    return wide.endswith(DATES_ENDING) and (narrow.fetches if narrow is not None else 0) < TRAP_DATES_TRIED


def evidence_of(counts: Counts) -> str:
    """The verdict and its evidence in one line."""
    if not counts.fetches:
        return f"{counts.rule}: {counts.refused:,} URLs like it" if counts.rule else counts.text
    seen = f"{counts.novel:,} of {counts.fetches:,} fetches brought something new"
    recent = f"{counts.window_novel:.0f} of the last {counts.window:.0f}"
    return f"template {counts.text} is {Verdict(counts.verdict).word} by {counts.rule or NOVELTY}: {seen}, {recent}"


_RUNS_OF_WORDS: Final = {Kind.COMBINED: 0, Kind.HOSTS: TRAP_DULL_HOSTS_MAX}
"""Where pages that have no new words may close a row: the least run of them, beside `close_after`."""
NOVELTY: Final = "novelty"
SHARE: Final = "share"

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Counts)


def encode_counts(counts: Counts) -> bytes:
    """The stored form."""
    return _encoder.encode(counts)


def decode_counts(data: bytes) -> Counts:
    """The counts of `data`; raises msgspec.DecodeError when there are none."""
    return _decoder.decode(data)
