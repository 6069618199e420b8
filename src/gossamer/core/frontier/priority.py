"""How important a URL is: its score, the front queue of its host that the score means, and the draw between queues.

A score counts levels: 4 is the first queue, 0 the last. It begins with how near to a seed the URL was found; parts are
added for what else is known of it. Nothing here is paid per link but a few additions: URLs come in columns, a part that
says nothing of a batch is left out of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from gossamer.core.frontier.records import LAST, LEVELS, PageRecord
from gossamer.core.limits import LEVEL_PASSED_MAX
from gossamer.core.sitemap.hints import Hints

DEPTH_LEVELS: Final = (0, 1, 2, 2, 3, 3, 3)
"""Depth -> level; deeper URLs enter the last queue. Seeds first, then what they name, then breadth."""

LEVEL_WEIGHTS: Final = (16, 8, 4, 2, 1)
"""Weight of each level in the biased draw (Mercator's front queues): level 4 is chosen once in 31 draws on average, or
more often where others are empty."""

LEASES_BOUND: Final = LEVEL_PASSED_MAX + LEVELS
"""Of so many leases in a row from one host, every level that has URLs all the while has at least one."""

BEST_LEVEL_FOUND: Final = 1
"""The best level for what nobody named: seeds stay first."""
FRESH: Final = timedelta(days=30)
"""A claimed change within this counts as recent."""
LISTED: Final = frozenset("MF")
"""Last letters of a hop path: named by a sitemap, or by a feed."""
LISTED_POINTS: Final = 0.25
FRESH_POINTS: Final = 0.25
CLAIM_UNSAID: Final = 0.5
"""What a sitemap's priority is where it is not said (sitemaps.org), and the value that moves nothing."""
REDIRECT_POINTS: Final = -0.1
EMBED_POINTS: Final = -0.25
WAY_POINTS_MIN: Final = -0.5
LINKING_POINTS: Final = 0.2
"""For each doubling of the sites that link to a site."""
LINKING_CLASS_MAX: Final = 7
GROUP_POINTS: Final = 0.5
"""For each doubling of a seed group's share."""
GROUP_POINTS_MAX: Final = 1.0
SHAPE_PLAIN_CHARACTERS: Final = 80
"""A shorter URL is like most others, whatever is in it."""
SHAPE_SEGMENTS: Final = 8
SHAPE_QUERY_CHARACTERS: Final = 64
SHAPE_PARAMETERS: Final = 3
SHAPE_DIGITS: Final = 16
"""Up to so many of each a URL is like most others."""
SEGMENT_POINTS: Final = -0.2
QUERY_CHARACTER_POINTS: Final = -0.01
PARAMETER_POINTS: Final = -0.2
DIGIT_POINTS: Final = -0.05
"""For each beyond."""
SHAPE_POINTS_MIN: Final = -1.0
SCORER_POINTS_MAX: Final = 4.0
"""What all plug-ins together may add or take: every level there is."""
_DIGITS: Final = b"0123456789"


class Part(StrEnum):
    """What a score is made of."""

    DEPTH = "depth"
    WAY = "way"
    GROUP = "group"
    HINTS = "hints"
    SHAPE = "shape"
    SITES = "sites"
    IMPORTANCE = "importance"
    PLUGINS = "plugins"


@dataclass(frozen=True, slots=True)
class PriorityPolicy:
    """How much each part of a score counts; 0 leaves it out."""

    way: float = 1.0
    group: float = 1.0
    hints: float = 1.0
    shape: float = 1.0
    sites: float = 1.0
    importance: float = 2.0
    """Levels that an importance of 1 adds, and one of 0 takes."""
    shares: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seed group -> its share; 1 for any other."""


@dataclass(slots=True)
class Candidates:
    """URLs to be scored, in parallel columns: what a scorer is given. Empty columns say nothing of any row."""

    urls: list[str]
    """Fetch URLs."""
    bases: Sequence[int]
    """Level of each by how it was found alone; `records.LAST` where nothing raises it from the last."""
    depths: Sequence[int]
    """Links from a seed."""
    hops: list[str]
    """Hop path from a seed, as in `PageRecord.hops`."""
    redirects: Sequence[int]
    groups: list[str]
    """Seed groups."""
    sources: list[str]
    """The page each was found on."""
    hints: list[Hints | None] = field(default_factory=list[Hints | None])
    sites: list[str] = field(default_factory=list[str])
    linking: Sequence[int] = ()
    """Distinct other sites known to link to the site of each."""
    importance: Sequence[float] = ()
    """0 to 1 by the importance file; -1 where it says nothing."""

    def __len__(self) -> int:
        return len(self.urls)


Parts = dict[str, list[float]]
"""Name of a part -> its points, row by row; a part that is 0 throughout is absent."""


def parts_of(policy: PriorityPolicy, rows: Candidates, now: float) -> Parts:
    """What is added to the depth's points. `now`: seconds since the epoch."""
    way = "".join(rows.hops)
    columns = {
        Part.WAY: _way(policy.way, rows) if "E" in way or any(rows.redirects) else [],
        Part.GROUP: _group(policy, rows),
        Part.HINTS: _hints(policy.hints, rows, now) if rows.hints or "M" in way or "F" in way else [],
        Part.SHAPE: _shape(policy.shape, rows.urls),
        Part.SITES: _sites(policy.sites * LINKING_POINTS, rows.linking) if any(rows.linking) else [],
        Part.IMPORTANCE: _importance(policy.importance, rows.importance),
    }
    return {name.value: points for name, points in columns.items() if any(points)}


def levels_by(rows: Candidates, parts: Parts) -> list[int]:
    """The level of each row by its score; what was fixed by how it was found stays."""
    levels = [min(base, LEVELS - 1) for base in rows.bases]
    if not parts:
        return levels
    columns = list(parts.values())
    total = columns[0] if len(columns) == 1 else list(map(sum, zip(*columns, strict=True)))
    for row, points in enumerate(total):
        base = rows.bases[row]
        if points and not is_fixed(base, rows.depths[row], rows.hops[row]):
            levels[row] = level_by(LEVELS - 1 - base + points)
    return levels


def level_by(score: float) -> int:
    """The level that a score means, for a URL that nobody named."""
    if score < 0:
        return LEVELS - 1
    return max(BEST_LEVEL_FOUND, LEVELS - 1 - int(score + 0.5))


def is_fixed(base: int, depth: int, hops: str) -> bool:
    """Whether no score moves a URL: seeds are first, a redirect's target has the place of its source, and links that
    are paid for, of users' making or of a poor template are last. (Older releases wrote the last level for those.)
    """
    return base == 0 or hops.endswith("R") or base != level_of(depth)


def level_of(depth: int, *, ranked_low: bool = False) -> int:
    """The level (0 first) of a URL found `depth` links from a seed; LAST for sponsored and user-made links."""
    if ranked_low:
        return LAST
    return DEPTH_LEVELS[depth] if depth < len(DEPTH_LEVELS) else LEVELS - 1


def base_of(record: PageRecord) -> int:
    """The level of a known URL by how it was found alone, or LAST."""
    return record.base if record.base >= 0 else record.level


def linking_class(sites: int) -> int:
    """How many times the sites that link to a site have doubled: URLs are scored anew when this changes."""
    return min(LINKING_CLASS_MAX, sites.bit_length())


def draw_level(weights: list[int], chance: float) -> int:
    """The index drawn with probability in proportion to `weights`; -1 when all are 0. `chance` is in [0, 1)."""
    total = sum(weights)
    if total == 0:
        return -1
    mark = chance * total
    for index, weight in enumerate(weights):
        mark -= weight
        if mark < 0:
            return index
    return max(index for index, weight in enumerate(weights) if weight)


def overdue_level(passed: Sequence[int], waiting: Sequence[int]) -> int:
    """The level that was passed over longest, if that is too long; -1 without one.

    `passed`: leases since each level had its last; `waiting`: its URLs that may be leased.
    """
    if not passed or max(passed) < LEVEL_PASSED_MAX:
        return -1
    worst = max((number for number, urls in zip(passed, waiting, strict=False) if urls), default=0)
    if worst < LEVEL_PASSED_MAX:
        return -1
    return next(level for level, number in enumerate(passed) if number == worst and waiting[level])


# --- parts -----------------------------------------------------------------------------------------------------------


def has_long(urls: list[str]) -> bool:
    """Whether the shape of any of them could count against it."""
    return max(map(len, urls), default=0) >= SHAPE_PLAIN_CHARACTERS


def shape_points(url: str) -> float:
    """What the shape of a URL takes: deep paths, long queries, many parameters and many digits, 0 to -1."""
    query = url.find("?")
    end = query if query >= 0 else len(url)
    written = url.encode("ascii", "replace")
    segments = url.count("/", 0, end) - 3 - SHAPE_SEGMENTS
    characters = len(url) - end - 1 - SHAPE_QUERY_CHARACTERS
    parameters = url.count("&", end) + 1 - SHAPE_PARAMETERS
    digits = len(written) - len(written.translate(None, _DIGITS)) - SHAPE_DIGITS
    points = 0.0
    if segments > 0:
        points += segments * SEGMENT_POINTS
    if characters > 0:
        points += characters * QUERY_CHARACTER_POINTS
    if parameters > 0:
        points += parameters * PARAMETER_POINTS
    if digits > 0:
        points += digits * DIGIT_POINTS
    return max(SHAPE_POINTS_MIN, points)


def _shape(weight: float, urls: list[str]) -> list[float]:
    if not weight or not has_long(urls):
        return []
    return [weight * shape_points(url) if len(url) >= SHAPE_PLAIN_CHARACTERS else 0.0 for url in urls]


def _way(weight: float, rows: Candidates) -> list[float]:
    return [
        weight * max(WAY_POINTS_MIN, redirects * REDIRECT_POINTS + hops.count("E") * EMBED_POINTS)
        for redirects, hops in zip(rows.redirects, rows.hops, strict=True)
    ]


def _group(policy: PriorityPolicy, rows: Candidates) -> list[float]:
    if not policy.group or not policy.shares:
        return []
    points = {
        group: policy.group * max(-GROUP_POINTS_MAX, min(GROUP_POINTS_MAX, GROUP_POINTS * math.log2(share)))
        for group, share in policy.shares.items()
    }
    return [points.get(group, 0.0) for group in rows.groups]


def _hints(weight: float, rows: Candidates, now: float) -> list[float]:
    listed = [hops[-1:] in LISTED for hops in rows.hops]
    if not rows.hints:
        return [weight * LISTED_POINTS * is_listed for is_listed in listed]
    today = datetime.fromtimestamp(max(0.0, now), UTC).date()
    first, last = (today - FRESH).isoformat(), (today + timedelta(days=1)).isoformat()
    return [
        weight * (LISTED_POINTS * is_listed + (_claim_points(hint, first, last) if hint is not None else 0.0))
        for is_listed, hint in zip(listed, rows.hints, strict=True)
    ]


def _claim_points(hint: Hints, first: str, last: str) -> float:
    """`first`, `last`: days between which a claimed change is recent; dates are compared as ISO 8601 writes them."""
    points = hint.priority - CLAIM_UNSAID if hint.priority >= 0 else 0.0
    is_fresh = first <= hint.lastmod[:10] <= last or first <= hint.published[:10] <= last
    return points + FRESH_POINTS * is_fresh


def _importance(weight: float, values: Sequence[float]) -> list[float]:
    return [weight * (2.0 * value - 1.0) if value >= 0 else 0.0 for value in values]


def _sites(weight: float, linking: Sequence[int]) -> list[float]:
    points = {sites: weight * linking_class(sites) for sites in dict.fromkeys(linking)}
    return [points[sites] for sites in linking]
