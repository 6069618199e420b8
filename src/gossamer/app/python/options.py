"""The keywords of a crawl from Python: each names a settings key, and `settings=` reaches every other one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast

from gossamer.app.nearest import nearest
from gossamer.app.settings import Given
from gossamer.app.settings.tree import TRAITS

Duration: TypeAlias = float | str | timedelta
"""Seconds, a text such as "90s", "15m", "6h", "2d", or a timedelta."""
Size: TypeAlias = int | str
"""Bytes, or a text such as "500kB", "10MiB"."""
PathText: TypeAlias = str | os.PathLike[str]
"""A path; relative ones count from the working directory."""
Many: TypeAlias = str | Sequence[str]
"""One text, or several."""


class ChangeOptions(TypedDict, total=False):
    """The keywords that may change when a crawl is resumed."""

    scope: Literal["page", "prefix", "host", "site", "any"]
    domains: PathText | None
    include: Many
    exclude: Many
    follow: Many
    media: Many
    max_depth: int | None
    block_file: PathText | None
    gap: Duration
    contact: str | None
    purposes: Many
    max_pages: int | None
    max_bytes: Size | None
    max_time: Duration | None
    copies: Literal["never", "same-host", "always"]
    allow_address: Many
    resolve: Many
    resolve_file: PathText | None
    ca_file: PathText | None
    config: PathText | None
    hosts: Mapping[str, Mapping[str, object]]
    settings: Mapping[str, object]


class CrawlOptions(ChangeOptions, total=False):
    """The keywords of a new crawl."""

    output: PathText | None
    seed_files: PathText | Sequence[PathText]


KEYWORDS: Final = {
    "output": "output.folder",
    "seed_files": "seeds.files",
    "scope": "scope.kind",
    "domains": "scope.domains",
    "include": "scope.include",
    "exclude": "scope.exclude",
    "follow": "scope.follow",
    "media": "scope.media",
    "max_depth": "scope.max_depth",
    "block_file": "scope.block_file",
    "gap": "politeness.gap",
    "contact": "politeness.contact",
    "purposes": "politeness.purposes",
    "max_pages": "crawl.max_pages",
    "max_bytes": "crawl.max_bytes",
    "max_time": "crawl.max_time",
    "copies": "copies.follow",
    "allow_address": "network.allow_address",
    "resolve": "dns.resolve",
    "resolve_file": "dns.resolve_file",
    "ca_file": "fetch.ca_file",
}
"""Keyword -> the settings key it names; `config` (a settings file) and `settings` (any keys) come beside them,
and `hosts` (settings of single hosts: {"example.org": {"gap": 2}})."""


TEMPORARY_SHARDS: Final = 4


def given_of(options: Mapping[str, Any], seeds: Sequence[str] = ()) -> Given:
    """What a call was given, for the settings; nothing is taken from the environment. TypeError for a stranger."""
    values: list[tuple[str, object, str]] = []
    config: object = None
    if seeds or "seed_files" in options:
        values += _of_temporary(options)
    if seeds:
        values.append(("seeds.urls", list(seeds), "the call"))
    for name, value in options.items():
        if name == "config":
            config = value
        elif name == "hosts":
            values += _of_hosts(value)
        elif name == "settings":
            values += [(key, _raw(key, item), f"settings[{key!r}]") for key, item in _mapping(value).items()]
        elif name not in KEYWORDS:
            found = nearest(name, KEYWORDS)
            hint = f"did you mean {found}?" if found else "settings={...} takes any settings key"
            raise TypeError(f"a crawl has no keyword {name!r}; {hint}")
        elif not (name == "output" and value is None):
            values.append((KEYWORDS[name], _raw(KEYWORDS[name], value), f"keyword {name}"))
    # The file's own values are beaten by the keywords: those are nearer to the crawl.
    return Given(config=_path(config), values=values)


def _of_temporary(options: Mapping[str, Any]) -> list[tuple[str, object, str]]:
    """A crawl in a temporary folder is never resumed nor large: few stores open faster."""
    if options.get("output") is not None or options.get("config") is not None:
        return []
    return [("crawl.shards", TEMPORARY_SHARDS, "temporary folder")]


def _of_hosts(value: object) -> list[tuple[str, object, str]]:
    """Settings of single hosts: host -> key -> value."""
    found: list[tuple[str, object, str]] = []
    for host, table in _mapping(value, "hosts").items():
        for key, item in _mapping(table, f"hosts[{host!r}]").items():
            found.append((f"hosts.{host}.{key}", _plain(item), f"hosts[{host!r}]"))
    return found


def _mapping(value: object, what: str = "settings") -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        # Not the value: it may hold what is nobody's business.
        raise TypeError(f"{what} wants a mapping, not {type(value).__name__}")
    return cast("Mapping[str, object]", value)


def _path(value: object) -> Path | None:
    return None if value is None else Path(cast("str", value))


def _raw(key: str, value: object) -> object:
    """A value as a settings file would have it."""
    raw = _plain(value)
    many = key in TRAITS and TRAITS[key].kind.many
    return [raw] if many and isinstance(raw, str) else raw


def _plain(value: object) -> object:
    if value is None:
        return "none"
    if isinstance(value, os.PathLike):
        return os.fspath(cast("os.PathLike[str]", value))
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in cast("Mapping[str, object]", value).items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in cast("Sequence[object]", value)]
    return value
