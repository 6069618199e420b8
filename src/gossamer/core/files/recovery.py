"""What opening a crawl folder does with the files it finds: decided here from lengths alone, carried out by adapters.

The commit is the truth (architecture, section 5). Bytes beyond it were never vouched for; bytes it vouches for must be
there. Recovery deletes only what it can explain: a tail up to a limit, a half-made file of ours, a journal that a
committed file stands for, and a final file whose journal still holds all its rows. All else moves aside.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.core.limits import TAIL_BYTES_CUT_MAX
from gossamer.core.warc.location import FileMark, FileState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

DRAFT_PREFIX: Final = ".tmp-"
"""Begins the name of a file that is being written aside; it is renamed when it is whole and synced."""

_STATES: Final = (FileState.OPEN, FileState.CLOSED, FileState.REMOVED)
"""The states of a file in the order they come."""


@dataclass(slots=True)
class Plan:
    """What to do, in this order; nothing where `damaged` is not empty. Paths are relative to the crawl folder."""

    damaged: dict[str, str] = field(default_factory=dict[str, str])
    """path -> what is wrong with it, in words for the person who asks."""
    cut: dict[str, int] = field(default_factory=dict[str, int])
    """path -> length it is cut back to."""
    tails_aside: dict[str, int] = field(default_factory=dict[str, int])
    """path -> length it is cut back to once a copy of its tail lies in aside/."""
    aside: list[str] = field(default_factory=list[str])
    """Files that nothing explains."""
    remove: list[str] = field(default_factory=list[str])
    """Files that are explained and superseded."""
    live: dict[str, FileMark] = field(default_factory=dict[str, FileMark])
    """Files that stay, by their committed marks."""


def greatest(tables: Iterable[Mapping[str, FileMark]]) -> dict[str, FileMark]:
    """The marks of several shards as one: of each file the latest that any shard committed."""
    merged: dict[str, FileMark] = {}
    for table in tables:
        for path, mark in table.items():
            known = merged.get(path)
            if known is None or _lateness(mark) > _lateness(known):
                merged[path] = mark
    return merged


def _lateness(mark: FileMark) -> tuple[int, int]:
    return _STATES.index(mark.state), mark.length


def plan_recovery(
    committed: Iterable[FileMark],
    found: Mapping[str, int],
    product_of: Callable[[str], str | None],
    tail_bytes_cut_max: int = TAIL_BYTES_CUT_MAX,
) -> Plan:
    """Decide. `found`: path -> length on disk. `product_of`: the final file that a journal becomes, None for others."""
    plan = Plan()
    marks = {mark.path: mark for mark in committed}
    live = {path: mark for path, mark in marks.items() if mark.state is not FileState.REMOVED}
    products = {product_of(path): path for path in live}
    # A journal whose product is committed is superseded, even if only one shard's batch came to say so.
    superseded = {journal for product, journal in products.items() if product in live}
    for path, mark in sorted(live.items()):
        if path not in superseded:
            plan.live[path] = mark
            _settle(plan, mark, found.get(path), tail_bytes_cut_max)
    for path in sorted(found):
        if path in plan.live:
            continue
        explained = path in marks or path in products or path.rpartition("/")[2].startswith(DRAFT_PREFIX)
        (plan.remove if explained else plan.aside).append(path)
    return plan


def _settle(plan: Plan, mark: FileMark, length: int | None, tail_bytes_cut_max: int) -> None:
    if length is None:
        plan.damaged[mark.path] = f"is missing; the last commit vouches for its {mark.length} bytes"
    elif length < mark.length:
        plan.damaged[mark.path] = f"has {length} bytes; the last commit vouches for {mark.length}"
    elif length > mark.length:
        explained = mark.state is FileState.OPEN and length - mark.length <= tail_bytes_cut_max
        (plan.cut if explained else plan.tails_aside)[mark.path] = mark.length
