"""Seeds: the URLs people give, from arguments, files and standard input, checked before anything starts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

from gossamer.app.errors import UserError
from gossamer.app.escape import inert
from gossamer.core.limits import SEED_FILE_BYTES_MAX
from gossamer.core.url.parse import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.app.settings.tree import SeedSettings

GIVEN: Final = "given"
"""The seed group of URLs from the command line and standard input; a file's is its name without extension."""
STANDARD_INPUT: Final = "-"


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
        files = " and ".join(settings.files)
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
    """The seeds a crawl folder kept."""
    rows = (line.split("\t", 1) for line in content.decode().splitlines())
    return [Seed(url, group) for group, url in rows]


def _texts(settings: SeedSettings, standard_input: BinaryIO) -> Iterator[tuple[str, str, str]]:
    """(text, group, where it stands) of everything that should be a seed."""
    for text in settings.urls:
        yield text, GIVEN, ""
    for file in settings.files:
        name = "standard input" if file == STANDARD_INPUT else file
        group = GIVEN if file == STANDARD_INPUT else " ".join(inert(Path(file).stem, 60).split()) or GIVEN
        for number, line in enumerate(_lines(file, name, standard_input), start=1):
            text = line.strip()
            if text and not text.startswith("#"):
                yield text, group, f"{name}, line {number}: "


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
    if url is not None:
        return url.href
    guess = parse(f"https://{text}") if "://" not in text and "." in text else None
    raise UserError(
        f"{place}{inert(text, 120)!r} is not a URL that can be crawled",
        f"did you mean {inert(guess.href, 200)}?" if guess else "a seed begins with http:// or https://",
    )
