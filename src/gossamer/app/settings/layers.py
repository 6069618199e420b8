"""Layers of settings, the later over the earlier: defaults, file, environment, flags, `--set`.

Each value remembers its source. Unknown keys are errors that name the nearest one; a wrong value is one line with the
key, the value and where it came from. When a crawl is resumed its folder's settings take the place of the defaults.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from gossamer.app.errors import UserError
from gossamer.app.nearest import nearest
from gossamer.app.settings.flags import FLAG_OF
from gossamer.app.settings.group_settings import GROUPS_KEY, SeedGroup, same_seeds
from gossamer.app.settings.group_settings import SECTION as GROUPS_SECTION
from gossamer.app.settings.host_settings import (
    SECTION,
    HostSettings,
    default_of,
    host_tables,
    is_host_key,
    split_key,
    table_entries,
    trait_of,
)
from gossamer.app.settings.kinds import WrongValueError
from gossamer.app.settings.tree import DEFAULTS, SECTIONS, TRAITS, Change, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

PREFIX: Final = "GOSSAMER_"
RESERVED: Final = frozenset({"GOSSAMER_PYTHON", "GOSSAMER_SHARED"})
"""Variables with that prefix that are for the launcher and for tests, and name no setting."""
VARIABLES: Final = {PREFIX + key.replace(".", "_").upper(): key for key in TRAITS}
"""Environment variable -> key."""


class SourceKind(StrEnum):
    """Where a value came from, in rising precedence."""

    DEFAULT = "default"
    FOLDER = "folder"
    FILE = "file"
    ENVIRONMENT = "environment"
    FLAG = "flag"
    SET = "set"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value came from; `words` say it to people: "flag --gap", "file mine.toml"."""

    kind: SourceKind
    words: str


DEFAULT: Final = Source(SourceKind.DEFAULT, "default")


def _defaults() -> Mapping[str, Any]:
    return MappingProxyType(DEFAULTS)


def _default_sources() -> Mapping[str, Source]:
    return MappingProxyType(dict.fromkeys(TRAITS, DEFAULT))


@dataclass(frozen=True, slots=True)
class Settings(Tree):
    """The settings in force: sections as attributes, and every key's value and source."""

    hosts: Mapping[str, HostSettings] = field(default_factory=dict[str, HostSettings])
    """Host, as URLs spell it -> its settings, for those that have any."""
    values: Mapping[str, Any] = field(default_factory=_defaults)
    """Every key's value; of single hosts those that are set."""
    sources: Mapping[str, Source] = field(default_factory=_default_sources)


@dataclass(frozen=True, slots=True)
class Given:
    """What this run was given, beside its defaults.

    `flags`: key -> text, or list of texts for a list, or True. `sets`: "KEY=VALUE" texts.
    """

    config: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    flags: Mapping[str, object] = field(default_factory=dict[str, object])
    sets: Sequence[str] = ()
    values: Sequence[tuple[str, object, str]] = ()
    """Key, value as a settings file has it, and words for its source: what a program gives."""


class Entry(NamedTuple):
    """One value on its way into the tree."""

    key: str
    raw: object
    source: Source
    base: Path
    """Relative paths count from here."""


class Changed(NamedTuple):
    """A setting that a resumed crawl has otherwise than before; values as crawl.toml writes them."""

    key: str
    before: object
    after: object
    source: Source


def load(given: Given) -> Settings:
    """The settings of a new crawl. Raises UserError."""
    values, sources = dict(DEFAULTS), dict.fromkeys(TRAITS, DEFAULT)
    for entry in _entries(given):
        values[entry.key] = read(entry)
        sources[entry.key] = entry.source
    return build(values, sources)


def reload(stored: Settings, given: Given) -> tuple[Settings, list[Changed]]:
    """The settings of a resumed crawl, and what differs from `stored`. A changed fixed key raises UserError."""
    values, sources = dict(stored.values), dict(stored.sources)
    for entry in _entries(given):
        value, trait = read(entry), trait_of(entry.key)
        if value == values.get(entry.key, default_of(entry.key)):
            continue
        if trait.change is Change.FIXED and trait.kept:
            raise UserError(
                f"{entry.key} is fixed: it was set when the crawl was made (from {entry.source.words})",
                "start a new crawl for another value",
            )
        if entry.key == GROUPS_KEY:
            _same_seeds(entry, values[entry.key], value)
        values[entry.key], sources[entry.key] = value, entry.source
    settings = build(values, sources)
    return settings, [
        Changed(key, written(key, before), written(key, value), sources[key])
        for key, value in values.items()
        if value != (before := stored.values.get(key, default_of(key))) and trait_of(key).kept
    ]


def build(values: Mapping[str, Any], sources: Mapping[str, Source]) -> Settings:
    """The tree made of checked values."""
    sections = {
        section: kind(**{key.partition(".")[2]: values[key] for key in TRAITS if key.startswith(section + ".")})
        for section, kind in SECTIONS.items()
    }
    hosts = MappingProxyType(host_tables(values))
    return Settings(
        **sections, hosts=hosts, values=MappingProxyType(dict(values)), sources=MappingProxyType(dict(sources))
    )


def read(entry: Entry) -> Any:
    """The typed value of an entry; a wrong one raises UserError."""
    trait = trait_of(entry.key)
    try:
        if trait.kind.many and entry.source.kind is SourceKind.FLAG and not isinstance(entry.raw, str):
            parts = [trait.kind.read(text) for text in cast("list[object]", entry.raw)]
            value = tuple(dict.fromkeys(item for part in parts for item in part))
        else:
            value = trait.kind.read(entry.raw)
    except WrongValueError as error:
        raise _wrong(entry, error) from error
    except (ValueError, TypeError) as error:
        but = "" if trait.kind.quiet else f", not {entry.raw!r}"
        raise UserError(
            f"{entry.key} wants {trait.kind.name}{but} (from {entry.source.words})",
            f"it sets: {trait.meaning}",
        ) from error
    # What is kept must mean the same from anywhere; a path typed for one run is shown as it was typed.
    anchored = trait.kind.path and (trait.kept or entry.source.kind is SourceKind.FILE)
    return _anchored(value, entry.base) if anchored else value


def _wrong(entry: Entry, error: WrongValueError) -> UserError:
    return UserError(f"{entry.key} {error.words} (from {entry.source.words})", error.hint)


def _same_seeds(entry: Entry, before: tuple[SeedGroup, ...], after: tuple[SeedGroup, ...]) -> None:
    try:
        same_seeds(before, after)
    except WrongValueError as error:
        raise _wrong(entry, error) from error


def written(key: str, value: Any) -> object:
    """A value as crawl.toml has it."""
    return trait_of(key).kind.write(value)


def parse_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file; an unreadable one raises UserError."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is no TOML file: {error}", "see docs/reference-settings.md for an example") from error
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error


def file_entries(tables: Mapping[str, Any], source: Source, base: Path) -> Iterator[Entry]:
    """The entries of a settings file's tables."""
    for section, table in tables.items():
        if section == SECTION:
            yield from (Entry(key, raw, source, base) for key, raw in table_entries(table, source.words))
            continue
        if section == GROUPS_SECTION and isinstance(table, list):
            yield Entry(GROUPS_KEY, cast("object", table), source, base)
            continue
        if section not in SECTIONS or not isinstance(table, dict):
            raise unknown(section, [*SECTIONS, SECTION, *TRAITS], f"section or key, in {source.words}")
        for name, raw in cast("dict[str, object]", table).items():
            yield Entry(known(f"{section}.{name}", source), raw, source, base)


def known(key: str, source: Source) -> str:
    """`key`, if there is such a setting, a host in it spelled as usual; otherwise UserError with the nearest."""
    if is_host_key(key):
        return split_key(key, source.words)
    if key not in TRAITS:
        raise unknown(key, TRAITS, f"setting (from {source.words})")
    return key


def unknown(word: str, words: Iterable[str], what: str) -> UserError:
    """The error for a word that is not among `words`."""
    found = nearest(word, words)
    return UserError(
        f"{word!r} is no {what}", f"did you mean {found}?" if found else "docs/reference-settings.md lists every key"
    )


def _entries(given: Given) -> Iterator[Entry]:
    """Every entry, in rising precedence."""
    here = Path.cwd()
    if given.config is not None:
        source = Source(SourceKind.FILE, f"file {given.config}")
        yield from file_entries(parse_toml(given.config), source, given.config.absolute().parent)
    yield from _environment_entries(given.environment, here)
    for key, raw in given.flags.items():
        words = f"flag {FLAG_OF[key]}" if key in FLAG_OF else "the command line"
        yield Entry(key, raw, Source(SourceKind.FLAG, words), here)
    for text in given.sets:
        key, equals, raw = text.partition("=")
        if not equals:
            raise UserError(f"--set wants KEY=VALUE, not {text!r}", "for example --set crawl.max_pages=500")
        source = Source(SourceKind.SET, f"--set {key.strip()}")
        yield Entry(known(key.strip(), source), raw.strip(), source, here)
    for key, value, words in given.values:
        source = Source(SourceKind.SET, words)
        yield Entry(known(key, source), value, source, here)


def _environment_entries(environment: Mapping[str, str], base: Path) -> Iterator[Entry]:
    for name, raw in sorted(environment.items()):
        if not name.startswith(PREFIX) or name in RESERVED or not raw:
            continue
        if name not in VARIABLES:
            raise unknown(name, VARIABLES, "variable of ours")
        yield Entry(VARIABLES[name], raw, Source(SourceKind.ENVIRONMENT, f"environment {name}"), base)


def _anchored(value: Any, base: Path) -> Any:
    """A path, or several, that count from `base`; other values as they are."""
    if isinstance(value, tuple):
        return tuple(_anchored(item, base) for item in cast("tuple[object, ...]", value))
    if isinstance(value, SeedGroup):
        return value.anchored(base)
    if value == "-":
        return value
    return value if value is None or isinstance(value, bool) else str(base / value)
