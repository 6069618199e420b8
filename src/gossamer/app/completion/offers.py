"""What can stand after a command: its flags, and what each of them and its places want."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from enum import Enum
from typing import Final

from gossamer.app.cli import COMMANDS, make_parser
from gossamer.app.settings.tree import TRAITS


class Want(Enum):
    """What a value is."""

    NOTHING = "nothing"
    """A flag without a value."""
    TEXT = "text"
    FILE = "file"
    FOLDER = "folder"
    WORD = "word"
    """One of a few words."""


WANTS: Final = {"FILE": Want.FILE, "HOSTS": Want.FILE, "DIR": Want.FOLDER}
"""Metavar -> what it stands for; anything else is text."""
ONE_OF: Final = "one of "


@dataclass(frozen=True, slots=True)
class Place:
    """A value: after a flag, or by itself."""

    want: Want
    name: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FlagOffer:
    """One flag."""

    names: tuple[str, ...]
    meaning: str
    value: Place


@dataclass(frozen=True, slots=True)
class Offers:
    """All that one command takes."""

    command: str
    meaning: str
    flags: tuple[FlagOffer, ...]
    places: tuple[Place, ...]
    """Its positional values in order; the last may be repeated."""


def all_offers() -> list[Offers]:
    """Every command's."""
    return [_offers(name, meaning) for name, meaning in COMMANDS.items()]


def _offers(name: str, meaning: str) -> Offers:
    # argparse offers no other way to ask a parser what it takes.
    actions = make_parser(name)._actions  # pyright: ignore[reportPrivateUsage]
    flags = [
        FlagOffer(tuple(action.option_strings), _meaning(action), _place(action))
        for action in actions
        if action.option_strings and action.help != argparse.SUPPRESS
    ]
    places = [_place(action) for action in actions if not action.option_strings]
    return Offers(name, meaning, tuple(flags), tuple(places))


def _place(action: argparse.Action) -> Place:
    if action.option_strings and action.nargs == 0:
        return Place(Want.NOTHING)
    name = action.metavar if isinstance(action.metavar, str) else action.dest
    if action.choices is not None:
        return Place(Want.WORD, name, tuple(map(str, action.choices)))
    kind = TRAITS[action.dest].kind.name if action.dest in TRAITS else ""
    if kind.startswith(ONE_OF):
        return Place(Want.WORD, name, tuple(kind.removeprefix(ONE_OF).split(", ")))
    if action.dest == "set":
        return Place(Want.WORD, name, tuple(f"{key}=" for key in TRAITS))
    return Place(WANTS.get(name, Want.TEXT), name)


def _meaning(action: argparse.Action) -> str:
    return " ".join((action.help or "").replace("%%", "%").partition(" [")[0].split())
