"""Completion for fish."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app.completion.offers import Want

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.app.completion.offers import FlagOffer, Offers, Place

HEAD: Final = """\
# fish completion for gossamer, made by: gossamer completion fish
# Use it with:  gossamer completion fish | source   or save it as ~/.config/fish/completions/gossamer.fish

complete -c gossamer -e
complete -c gossamer -f
"""
FOLDERS: Final = "-xa '(__fish_complete_directories)'"


def fish_script(offers: Sequence[Offers]) -> str:
    """The script."""
    lines = [
        f"complete -c gossamer -n __fish_use_subcommand -a {each.command} -d {_quoted(each.meaning)}" for each in offers
    ]
    lines += [line for each in offers for line in _lines(each)]
    return HEAD + "\n".join(lines) + "\n"


def _lines(offers: Offers) -> list[str]:
    start = f"complete -c gossamer -n '__fish_seen_subcommand_from {offers.command}'"
    lines = [f"{start} {_names(flag)}{_value(flag.value)} -d {_quoted(flag.meaning)}" for flag in offers.flags]
    if offers.places and (action := _place(offers.places[-1])):
        lines.append(f"{start} {action}")
    return lines


def _names(flag: FlagOffer) -> str:
    return " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)


def _value(place: Place) -> str:
    if place.want is Want.NOTHING:
        return ""
    return " " + (_place(place) or "-x")


def _place(place: Place) -> str:
    actions = {Want.FILE: "-rF", Want.FOLDER: FOLDERS, Want.WORD: f"-xa {_quoted(' '.join(place.words))}"}
    return actions.get(place.want, "")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
