"""Seeds: the URLs people give, from arguments, files and standard input, checked before anything starts."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from gossamer.app.errors import UserError
from gossamer.app.escape import inert
from gossamer.app.exit_codes import Exit
from gossamer.core.dns.name import dns_name
from gossamer.core.limits import SEED_FILE_BYTES_MAX
from gossamer.core.url.parse import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.app.settings.tree import SeedSettings

GIVEN: Final = "given"
"""The seed group of URLs from the command line and standard input; a file's is its name without extension, and that of
a `[[seeds]]` table is named in it."""
STANDARD_INPUT: Final = "-"
KEPT: Final = re.compile(r"([^\t]+)\t(https?://[^/\t]+/[^\t\ufffd]*)\n")
"""A line of the seeds that the crawl folder keeps: group and URL."""


class Seed(NamedTuple):
    """One seed. `url` is normalised; `group` names where it came from."""

    url: str
    group: str


def read_seeds(settings: SeedSettings, standard_input: BinaryIO | None = None) -> list[Seed]:
    """Every seed, each URL once, in the order given. Raises UserError for one that is no URL, or if there is none."""
    seeds: dict[str, Seed] = {}
    for text, group, place in _texts(settings, standard_input or sys.stdin.buffer):
        seed = Seed(seed_url(text, place), group)
        seeds.setdefault(seed.url, seed)
    if not seeds:
        files = " and ".join([*settings.files, *(file for own in settings.groups for file in own.files)])
        raise UserError(
            f"{files} holds no seed" if files else "no seed was given",
            "a seed is a URL, one a line; lines that begin with # are comments"
            if files
            else "for example: gossamer crawl https://docs.example.org/",
        )
    return list(seeds.values())


def encode_seeds(seeds: list[Seed]) -> bytes:
    """The seeds as the crawl folder keeps them: group, tab, URL."""
    return "".join(f"{seed.group}\t{seed.url}\n" for seed in seeds).encode()


def decode_seeds(content: bytes) -> list[Seed]:
    """The seeds a crawl folder kept. Raises UserError (exit 7) for what `encode_seeds` never wrote."""
    seeds: list[Seed] = []
    for number, line in enumerate(io.StringIO(content.decode("utf-8", "replace"), newline="\n"), start=1):
        kept = KEPT.fullmatch(line)
        if kept is not None:
            seeds.append(Seed(kept[2], kept[1]))
        else:
            raise UserError(
                f"the seeds kept in the crawl folder are damaged (line {number}: {inert(line, 60)!r})",
                "restore state/seeds.tsv and state/added.tsv from a copy, or take such lines out: GROUP, tab, URL",
                Exit.FOLDER,
            )
    return seeds


def _texts(settings: SeedSettings, standard_input: BinaryIO) -> Iterator[tuple[str, str, str]]:
    """(text, group, where it stands) of everything that should be a seed."""
    for text in settings.urls:
        yield text, GIVEN, ""
    for file in settings.files:
        group = GIVEN if file == STANDARD_INPUT else " ".join(inert(Path(file).stem, 60).split()) or GIVEN
        yield from ((text, group, place) for text, place in _seeds_in(file, standard_input))
    for own in settings.groups:
        for text in own.urls:
            yield text, own.group, f"seed group {own.group}: "
        for file in own.files:
            yield from ((text, own.group, place) for text, place in _seeds_in(file, standard_input))


def _seeds_in(file: str, standard_input: BinaryIO) -> Iterator[tuple[str, str]]:
    """(text, where it stands) of a seed file's lines."""
    name = "standard input" if file == STANDARD_INPUT else file
    for number, line in enumerate(_lines(file, name, standard_input), start=1):
        text = line.strip()
        if text and not text.startswith("#"):
            yield text, f"{name}, line {number}: "


def _lines(file: str, name: str, standard_input: BinaryIO) -> list[str]:
    try:
        if file == STANDARD_INPUT:
            content = standard_input.read(SEED_FILE_BYTES_MAX + 1)
        else:
            with Path(file).open("rb") as opened:
                content = opened.read(SEED_FILE_BYTES_MAX + 1)
    except OSError as error:
        raise UserError(f"the seed file {name} cannot be read: {error.strerror}") from error
    if len(content) > SEED_FILE_BYTES_MAX:
        raise UserError(f"{name} is longer than {SEED_FILE_BYTES_MAX:,} bytes", "crawl it in parts")
    return content.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape").splitlines()


def seed_url(text: str, place: str = "") -> str:
    """A URL that people typed, normalised; UserError for one that cannot be crawled. `place`: where it stands."""
    url = parse(text)
    if url is not None and dns_name(url.host):
        return url.href
    if url is not None:
        raise UserError(
            f"{place}{inert(text, 120)!r} names a host that no name server can be asked for",
            "a part of a host name is 1 to 63 characters long, the whole at most 253",
        )
    guess = parse(f"https://{text}") if "://" not in text and "." in text else None
    raise UserError(
        f"{place}{inert(text, 120)!r} is not a URL that can be crawled",
        f"did you mean {inert(guess.href, 200)}?" if guess else "a seed begins with http:// or https://",
    )
