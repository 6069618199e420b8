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

    values: Mapping[str, Any] = field(default_factory=_defaults)
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
        value = read(entry)
        if value == values[entry.key]:
            continue
        if TRAITS[entry.key].change is Change.FIXED and TRAITS[entry.key].kept:
            raise UserError(
                f"{entry.key} is fixed: it was set when the crawl was made (from {entry.source.words})",
                "start a new crawl for another value",
            )
        values[entry.key], sources[entry.key] = value, entry.source
    settings = build(values, sources)
    return settings, [
        Changed(key, written(key, stored.values[key]), written(key, value), sources[key])
        for key, value in values.items()
        if value != stored.values[key] and TRAITS[key].kept
    ]


def build(values: Mapping[str, Any], sources: Mapping[str, Source]) -> Settings:
    """The tree made of checked values."""
    sections = {
        section: kind(**{key.partition(".")[2]: values[key] for key in TRAITS if key.startswith(section + ".")})
        for section, kind in SECTIONS.items()
    }
    return Settings(**sections, values=MappingProxyType(dict(values)), sources=MappingProxyType(dict(sources)))


def read(entry: Entry) -> Any:
    """The typed value of an entry; a wrong one raises UserError."""
    trait = TRAITS[entry.key]
    try:
        if trait.kind.many and entry.source.kind is SourceKind.FLAG and not isinstance(entry.raw, str):
            parts = [trait.kind.read(text) for text in cast("list[object]", entry.raw)]
            value = tuple(dict.fromkeys(item for part in parts for item in part))
        else:
            value = trait.kind.read(entry.raw)
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{entry.key} wants {trait.kind.name}, not {entry.raw!r} (from {entry.source.words})",
            f"it sets: {trait.meaning}",
        ) from error
    return _anchored(value, entry.base) if trait.kind.path and trait.kept else value


def written(key: str, value: Any) -> object:
    """A value as crawl.toml has it."""
    return TRAITS[key].kind.write(value)


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
        if section not in SECTIONS or not isinstance(table, dict):
            raise unknown(section, [*SECTIONS, *TRAITS], f"section or key, in {source.words}")
        for name, raw in cast("dict[str, object]", table).items():
            yield Entry(known(f"{section}.{name}", source), raw, source, base)


def known(key: str, source: Source) -> str:
    """`key`, if there is such a setting; otherwise UserError with the nearest."""
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


def _anchored(value: str | tuple[str, ...] | None, base: Path) -> str | tuple[str, ...] | None:
    if isinstance(value, tuple):
        return tuple(item if item == "-" else str(base / item) for item in value)
    return None if value is None else str(base / value)
