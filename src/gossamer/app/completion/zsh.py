"""Completion for zsh, on its own `_arguments`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app.completion.offers import Want

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.app.completion.offers import FlagOffer, Offers, Place

SCRIPT: Final = """\
#compdef gossamer
# zsh completion for gossamer, made by: gossamer completion zsh
# Use it with:  source <(gossamer completion zsh)   or save it as _gossamer in a folder of $fpath

_gossamer() {{
    local -a commands
    commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe -t commands command commands
        return
    fi
    local command=$words[2]
    shift words
    (( CURRENT-- ))
    case $command in
{cases}
    esac
}}

if [[ $funcstack[1] == _gossamer ]]; then
    _gossamer "$@"
else
    compdef _gossamer gossamer
fi
"""


def zsh_script(offers: Sequence[Offers]) -> str:
    """The script."""
    return SCRIPT.format(
        commands="\n".join(f"        {_quoted(f'{each.command}:{_plain(each.meaning)}')}" for each in offers),
        cases="\n".join(_case(each) for each in offers),
    )


def _case(offers: Offers) -> str:
    specs = [_flag(flag) for flag in offers.flags]
    specs += [_quoted(f"{number}{_value(place)}") for number, place in enumerate(offers.places[:-1], 1)]
    specs += [_quoted(f"*{_value(place)}") for place in offers.places[-1:]]
    lines = " \\\n".join(f"                {spec}" for spec in specs)
    return f"        {offers.command})\n            _arguments -S \\\n{lines}\n            ;;"


def _flag(flag: FlagOffer) -> str:
    value = "" if flag.value.want is Want.NOTHING else _value(flag.value)
    rest = _quoted(f"[{_plain(flag.meaning)}]{value}")
    names = flag.names[0] if len(flag.names) == 1 else "{" + ",".join(flag.names) + "}"
    return f"'*'{names}{rest}"


def _value(place: Place) -> str:
    """The name of a value, and what completes it."""
    actions = {Want.FILE: "_files", Want.FOLDER: "_files -/", Want.WORD: f"({' '.join(place.words)})"}
    return f":{_plain(place.name)}:{actions.get(place.want, ' ')}"


def _plain(text: str) -> str:
    """Without what `_arguments` and `_describe` read as their own."""
    return "".join(f"\\{character}" if character in "\\[]:" else character for character in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
