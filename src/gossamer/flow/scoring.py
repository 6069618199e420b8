"""Scores in a shard: new links get their level at admission, queued ones get a better one when their head is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from gossamer.core.budget.policy import linking_sites_counted
from gossamer.core.facts import Fact, PluginFailed
from gossamer.core.frontier.commands import Refill
from gossamer.core.frontier.events import HeadLoaded
from gossamer.core.frontier.importance import Importance
from gossamer.core.frontier.lease import Entry
from gossamer.core.frontier.priority import (
    SCORER_POINTS_MAX,
    Candidates,
    Part,
    Parts,
    PriorityPolicy,
    base_of,
    has_long,
    levels_by,
    linking_class,
    parts_of,
)
from gossamer.core.frontier.records import LAST, LEVELS, RETRY, HostState, PageRecord
from gossamer.core.page.found import FoundLinks

if TYPE_CHECKING:
    from gossamer.flow.shard import Shard
    from gossamer.ports.plugin import Scorer

ERROR_CHARACTERS: Final = 200
LETTERS_SCORED: Final = frozenset("EMF")
"""Letters of a hop path that count for or against a URL."""
_AS_LEVELS: Final = bytes.maketrans(bytes((LAST,)), bytes((LEVELS - 1,)))


@dataclass(slots=True)
class Scoring:
    """How all shards of a worker score."""

    policy: PriorityPolicy = field(default_factory=PriorityPolicy)
    importance: Importance | None = None
    scorers: dict[str, Scorer] = field(default_factory=dict)
    """Name in the settings -> plug-in; those that failed are taken out."""
    tell: Callable[[Fact], None] = lambda _: None
    is_partial: bool = False
    """The crawl has an importance file or plug-ins that were not read here."""

    def parts(self, rows: Candidates, keys: Sequence[bytes], now: float) -> Parts:
        """The parts of the scores of some URLs, their page keys beside them."""
        if self.importance is not None:
            rows.importance = self.importance.of(keys, rows.sites)
        parts = parts_of(self.policy, rows, now)
        points = self._plugins(rows) if self.scorers else []
        return {**parts, Part.PLUGINS.value: points} if any(points) else parts

    def says_nothing(self, found: FoundLinks) -> bool:
        """Whether no part of a score can come from what is the same for all rows of a batch, or from outside."""
        if self.importance is not None or self.scorers or self.policy.shares or found.hints or found.redirects:
            return False
        return LETTERS_SCORED.isdisjoint(found.letters) and LETTERS_SCORED.isdisjoint(found.hops)

    def _plugins(self, rows: Candidates) -> list[float]:
        """What the plug-ins say, together; one that fails is told of once and asked no more."""
        total = [0.0] * len(rows)
        for name, scorer in list(self.scorers.items()):
            try:
                points = [float(each) for each in scorer.score(rows)]
                if len(points) != len(total) or not all(map(math.isfinite, points)):
                    raise ValueError(f"{len(total)} finite numbers were asked for")  # noqa: TRY301 - a failure as any
            except Exception as error:  # noqa: BLE001 - foreign code may raise anything
                del self.scorers[name]
                self.tell(PluginFailed(name, f"{type(error).__name__}: {error}"[:ERROR_CHARACTERS]))
                continue
            total = [before + each for before, each in zip(total, points, strict=True)]
        return [max(-SCORER_POINTS_MAX, min(SCORER_POINTS_MAX, each)) for each in total]


class Place(NamedTuple):
    """New URLs of one host: the rows of a batch."""

    host_id: bytes
    state: HostState
    rows: list[int]


def levels_found(shard: Shard, found: FoundLinks, places: list[Place], keys: list[bytes], now: float) -> Sequence[int]:
    """The level of each row of a batch; of the rows in `places` by their score. `keys` are the page keys of all."""
    linking = [note_linking(shard, place.host_id, place.state) for place in places]
    levels_alone = found.levels.translate(_AS_LEVELS)
    if not found.depth or not places:
        return levels_alone
    rows = [row for place in places for row in place.rows]
    urls = [found.urls[row] for row in rows]
    if not any(linking) and shard.scoring.says_nothing(found) and not has_long(urls):
        return levels_alone
    letters, hops, number = found.letters, found.hops, len(rows)
    candidates = Candidates(
        urls=urls,
        bases=[found.levels[row] for row in rows],
        depths=[found.depth] * number,
        hops=[hops + letters[row] for row in rows] if letters else [hops] * number,
        redirects=[found.redirects] * number,
        groups=[found.group] * number,
        sources=[found.source] * number,
        hints=[found.hints[row] for row in rows] if found.hints else [],
        sites=[place.state.site for place in places for _ in place.rows],
        linking=[sites for sites, place in zip(linking, places, strict=True) for _ in place.rows],
    )
    levels = bytearray(levels_alone)
    scored = levels_by(candidates, shard.scoring.parts(candidates, [keys[row] for row in rows], now))
    for row, level in zip(rows, scored, strict=True):
        levels[row] = level
    return levels


def note_linking(shard: Shard, host_id: bytes, state: HostState) -> int:
    """URLs of a host have been found: where more sites link to its site than when it was scored, its heads are read
    again, and so scored again, as their turn comes. How many sites link to it.
    """
    sites = linking_sites_counted(shard.sites.state(state.site))
    linking = linking_class(sites)
    if linking > state.linking:
        shard.frontier.read_again(host_id)
    state.linking = linking
    return sites


def head_scored(shard: Shard, command: Refill, now: float) -> HeadLoaded:
    """The head of a queue, from the store; what is worth more by now goes to the end of a better queue."""
    entries, complete = shard.head(command.host_id, command.queue, command.order)
    raised: list[tuple[Entry, Entry]] = []
    host = shard.frontier.hosts[command.host_id]
    if 0 < command.queue < RETRY:
        free = [entry for entry in entries if not host.is_leased(command.queue, entry.order)]
        levels = _levels_again(shard, host.state, command.host_id, free, now)
        risen = {entry.order: level for entry, level in zip(free, levels, strict=True) if level < command.queue}
        raised = [
            (each, _raise(shard, host.host_id, each, risen[each.order])) for each in entries if each.order in risen
        ]
        entries = [entry for entry in entries if entry.order not in risen]
    return HeadLoaded(command.host_id, command.queue, entries, complete, raised)


def _raise(shard: Shard, host_id: bytes, entry: Entry, level: int) -> Entry:
    entry.record.level = level
    return shard.requeue(host_id, entry, level, shard.next_order())


def _levels_again(shard: Shard, state: HostState, host_id: bytes, entries: list[Entry], now: float) -> list[int]:
    linking = linking_sites_counted(shard.sites.state(state.site))
    rows = candidates_of([entry.record for entry in entries], state.site, linking)
    keys = [host_id + entry.fingerprint for entry in entries]
    return levels_by(rows, shard.scoring.parts(rows, keys, now))


def candidates_of(records: list[PageRecord], site: str, linking: int) -> Candidates:
    """Known URLs of one site as what is scored."""
    return Candidates(
        urls=[record.url for record in records],
        bases=[base_of(record) for record in records],
        depths=[record.depth for record in records],
        hops=[record.hops for record in records],
        redirects=[record.redirects for record in records],
        groups=[record.group for record in records],
        sources=[record.referrer for record in records],
        hints=[record.hints for record in records] if any(record.hints for record in records) else [],
        sites=[site] * len(records),
        linking=[linking] * len(records),
    )
