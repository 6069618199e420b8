"""crawl.toml: the settings in force in a crawl folder, each with its source as a comment, and read back for resume."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from gossamer import __version__
from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.settings.host_settings import keys_of, trait_of
from gossamer.app.settings.kinds import toml_value
from gossamer.app.settings.layers import DEFAULT, Settings, Source, SourceKind, build, file_entries, parse_toml, read
from gossamer.app.settings.layers import written as as_written
from gossamer.app.settings.tree import DEFAULTS, SECTIONS, TRAITS, Change
from gossamer.app.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FORMAT: Final = 1
"""The newest format of a crawl folder that this release makes and opens."""
FORMATS_OPENED: Final = frozenset({1})
"""A release opens the two formats before its own, too."""

HEAD: Final = """\
# The settings in force of this crawl; behind each stands where it came from.
# Change one with: gossamer resume DIR --set KEY=VALUE. Those marked fixed stay as they are.
"""

END: Final = "# end of the settings"
"""The last line: without it the file was cut, and settings that follow the cut would silently be defaults again."""

SECTION: Final = re.compile(r"\[([a-z_]+(?:\.\"[^\"]+\")?)\]")
LINE: Final = re.compile(r"([a-z0-9_]+) = .*  # (.*)")
FIXED_MARK: Final = "fixed; "


def write_crawl_toml(path: Path, settings: Settings) -> None:
    """Write (or replace) the file at `path`. What concerns one run only, or is secret, is left out."""
    write_whole(path, crawl_toml(settings).encode())


def crawl_toml(settings: Settings) -> str:
    """The text of crawl.toml."""
    parts = [HEAD, f'format = {FORMAT}\nrelease = "{__version__}"\n']
    for section in SECTIONS:
        lines = [_line(key, settings) for key in TRAITS if key.startswith(section + ".") and TRAITS[key].kept]
        if lines:
            parts.append("\n".join([f"[{section}]", *lines]) + "\n")
    for name in settings.hosts:
        lines = [_line(key, settings) for key in keys_of(name, settings.values)]
        parts.append("\n".join([f'[hosts."{name}"]', *lines]) + "\n")
    parts.append(f"{END}\n")
    return "\n".join(parts)


def read_crawl_toml(path: Path) -> Settings:
    """The settings of the crawl folder that holds this file. Raises UserError (exit 7) for what is no such file."""
    if not path.is_file():
        raise UserError(
            f"{path.parent} is not a crawl folder (it has no crawl.toml)",
            "gossamer crawl URL -o DIR makes one",
            Exit.FOLDER,
        )
    try:
        tables = parse_toml(path)
        _check_format(path, tables.pop("format", None), tables.pop("release", None))
        _check_whole(path)
        return _settings(path, tables)
    except UserError as error:
        raise UserError(error.message, error.hint, Exit.FOLDER) from error


def _check_format(path: Path, number: object, release: object) -> None:
    if isinstance(number, bool) or not isinstance(number, int):
        raise UserError(f"{path} is not the crawl.toml of a crawl folder (it names no format)")
    if number > FORMAT:
        made = f" by release {release}" if isinstance(release, str) and release.isprintable() else ""
        raise UserError(
            f"{path.parent} has format {number}, made{made}; this release ({__version__}) opens up to format {FORMAT}",
            "use that release or a newer one",
        )
    if number not in FORMATS_OPENED:
        raise UserError(f"{path.parent} has format {number}, which this release does not open any more")


def _check_whole(path: Path) -> None:
    if path.read_text(encoding="utf-8").rstrip().rpartition("\n")[2] != END:
        raise UserError(
            f"{path} was cut short: its last line is missing, and settings may be",
            f"put the missing settings back and end the file with the line: {END}",
        )


def _settings(path: Path, tables: Mapping[str, Any]) -> Settings:
    values, sources = dict(DEFAULTS), dict.fromkeys(TRAITS, DEFAULT)
    remembered = _sources(path.read_text(encoding="utf-8"))
    here = Source(SourceKind.FOLDER, "crawl.toml")
    for entry in file_entries(tables, here, path.absolute().parent):
        values[entry.key] = read(entry)
        sources[entry.key] = remembered.get(entry.key, here)
    return build(values, sources)


def _line(key: str, settings: Settings) -> str:
    mark = FIXED_MARK if trait_of(key).change is Change.FIXED else ""
    value = toml_value(as_written(key, settings.values[key]))
    words = " ".join(settings.sources[key].words.split())
    shown = "".join(character if character.isprintable() else "?" for character in words)
    return f"{key.rpartition('.')[2]} = {value}  # {mark}{shown}"


def _sources(text: str) -> dict[str, Source]:
    """What the comments say of where each value came from."""
    sources: dict[str, Source] = {}
    section = ""
    for line in text.splitlines():
        if heading := SECTION.fullmatch(line):
            section = heading[1].replace('"', "")
        elif found := LINE.fullmatch(line):
            words = found[2].removeprefix(FIXED_MARK)
            kind = SourceKind.DEFAULT if words == DEFAULT.words else SourceKind.FOLDER
            sources[f"{section}.{found[1]}"] = Source(kind, words)
    return sources
