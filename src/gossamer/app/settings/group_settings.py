"""Seed groups: `[[seeds]]` tables, each with seeds of its own, and perhaps a scope, a depth and a share of its own."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from gossamer.app.nearest import nearest
from gossamer.app.settings import kinds
from gossamer.app.settings.kinds import NONE, Kind, WrongValueError

if TYPE_CHECKING:
    from pathlib import Path

GROUPS_KEY: Final = "seeds.groups"
SECTION: Final = "seeds"
"""`[[seeds]]` in a settings file is short for this key."""
NAME_CHARACTERS_MAX: Final = 60
SHARE_MAX: Final = 1_000_000.0
EXAMPLE: Final = 'for example [[seeds]] group = "north", urls = ["https://north.example/"], scope = "site", share = 2'


@dataclass(frozen=True, slots=True)
class SeedGroup:
    """One `[[seeds]]` table."""

    group: str
    urls: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    scope: str | None = None
    """How far from each of its seeds it may go; None: as `scope.kind`."""
    depth: int | str | None = None
    """Links from a seed, or "none"; None: as `scope.max_depth`."""
    share: float = 1.0
    """Its weight when groups contend for fetches."""

    def depth_max(self, usual: int | None) -> int | None:
        """The depth that it may reach, where `usual` is the crawl's; None without a limit."""
        if self.depth is None:
            return usual
        return None if self.depth == NONE else int(self.depth)

    def anchored(self, base: Path) -> SeedGroup:
        """With paths that count from `base`."""
        return replace(self, files=tuple(str(base / file) for file in self.files))

    def as_table(self) -> dict[str, Any]:
        """As a settings file has it."""
        share = int(self.share) if self.share == int(self.share) else self.share
        parts: dict[str, Any] = {"group": self.group, "urls": list(self.urls), "files": list(self.files)}
        parts |= {"scope": self.scope, "depth": self.depth, "share": share}
        return {name: value for name, value in parts.items() if value not in (None, [])}


def read_groups(value: object) -> tuple[SeedGroup, ...]:
    """The groups of an array of tables, or of its text."""
    if isinstance(value, str):
        try:
            value = tomllib.loads(f"items = {value}")["items"] if value.strip() else []
        except tomllib.TOMLDecodeError as error:
            raise WrongValueError(f"is no array of tables: {error}", EXAMPLE) from error
    if not isinstance(value, list | tuple):
        raise TypeError
    groups = tuple(_read_group(table) for table in cast("list[object]", value))
    twice = [name for name, times in Counter(each.group for each in groups).items() if times > 1]
    if twice:
        raise WrongValueError(f"has two groups named {twice[0]!r}", "give all seeds of a group in one table")
    return groups


def same_seeds(before: tuple[SeedGroup, ...], after: tuple[SeedGroup, ...]) -> None:
    """Raise WrongValueError where groups have other seeds than when the crawl was made: those are fixed."""
    seeds = [{each.group: (each.urls, each.files) for each in groups} for groups in (before, after)]
    if seeds[0] != seeds[1]:
        changed = sorted(name for name in {*seeds[0], *seeds[1]} if seeds[0].get(name) != seeds[1].get(name))
        raise WrongValueError(
            f"changes the seeds of {changed[0]!r}: seeds are fixed; scope, depth and share of a group may change",
            "gossamer add DIR URL --group NAME adds a seed",
        )


def _read_group(value: object) -> SeedGroup:
    if not isinstance(value, dict):
        raise WrongValueError("holds something that is no table", EXAMPLE)
    table = cast("dict[str, object]", value)
    for name in table:
        if name not in _PARTS:
            found = nearest(name, _PARTS)
            hint = f"did you mean {found}?" if found else f"a seed group has {', '.join(_PARTS)}"
            raise WrongValueError(f"has {name!r}, which no seed group has", hint)
    if "group" not in table:
        raise WrongValueError("has a group without a name", EXAMPLE)
    named = table["group"]
    group = SeedGroup(**{name: _part(name, raw, named) for name, raw in table.items()})
    if not group.urls and not group.files:
        raise WrongValueError(f"has no seeds for {group.group!r}", "a group has urls, files, or both")
    return group


def _part(name: str, raw: object, group: object) -> Any:
    kind = _PARTS[name]
    try:
        return kind.read(raw)
    except (ValueError, TypeError) as error:
        raise WrongValueError(f"of {group!r}: {name} wants {kind.name}, not {raw!r}", EXAMPLE) from error


def _read_name(value: object) -> str:
    name = kinds.read_text(value)
    if not name.isprintable() or not 0 < len(name) <= NAME_CHARACTERS_MAX:
        raise ValueError(value)
    return name


def _read_depth(value: object) -> int | str:
    if isinstance(value, str) and value.strip().lower() == NONE:
        return NONE
    return kinds.COUNT.read(value)


def _read_share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= SHARE_MAX:
        raise ValueError(value)
    return float(value)


_PARTS: Final[dict[str, Kind[Any]]] = {
    "group": Kind(f"a name of at most {NAME_CHARACTERS_MAX} characters", _read_name),
    "urls": kinds.URLS,
    "files": kinds.PATHS,
    "scope": kinds.choice("page", "prefix", "host", "site", "any"),
    "depth": Kind(f"a whole number, 0 or more, or {NONE}", _read_depth),
    "share": Kind("a number above 0", _read_share),
}
GROUPS: Final = Kind(
    "an array of tables with group, urls, files, scope, depth, share",
    read_groups,
    lambda groups: [group.as_table() for group in groups],
    path=True,
)
