"""Completion for bash 3.2 and later. The script calls nothing but the shell's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app.completion.offers import Want

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.app.completion.offers import Offers, Place

SCRIPT: Final = """\
# bash completion for gossamer, made by: gossamer completion bash
# Use it with:  source <(gossamer completion bash)   or save it in ~/.local/share/bash-completion/completions/gossamer

_gossamer_files() {{
    type compopt >/dev/null 2>&1 && compopt -o filenames
    COMPREPLY=($(compgen "$1" -- "$2"))
}}

_gossamer() {{
    local IFS=$'\\n' word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W {commands} -- "$word"))
        return
    fi
    case "$command $before" in
{values}
    esac
    case "$word" in
        -*)
            case "$command" in
{flags}
            esac
            return
            ;;
    esac
    case "$command" in
{places}
    esac
}}

complete -F _gossamer gossamer
"""


def bash_script(offers: Sequence[Offers]) -> str:
    """The script."""
    return SCRIPT.format(
        commands=_words([each.command for each in offers]),
        values="\n".join(line for each in offers for line in _values(each)),
        flags="\n".join(f"                {each.command}) {_reply(_flag_words(each))} ;;" for each in offers),
        places="\n".join(f"        {each.command}) {_act(each.places[-1])} ;;" for each in offers if each.places),
    )


def _values(offers: Offers) -> list[str]:
    """A case for each flag that takes a value."""
    return [
        f"        {'|'.join(_quoted(f'{offers.command} {name}') for name in flag.names)}) {_act(flag.value)}; return ;;"
        for flag in offers.flags
        if flag.value.want is not Want.NOTHING
    ]


def _act(place: Place) -> str:
    if place.want is Want.FILE:
        return '_gossamer_files -f "$word"'
    if place.want is Want.FOLDER:
        return '_gossamer_files -d "$word"'
    if place.want is Want.WORD:
        # A key is followed by its value, without a space between.
        nospace = "type compopt >/dev/null 2>&1 && compopt -o nospace; " if place.words[0].endswith("=") else ""
        return nospace + _reply(list(place.words))
    return ":"


def _flag_words(offers: Offers) -> list[str]:
    return [name for flag in offers.flags for name in flag.names if name.startswith("--")]


def _reply(words: list[str]) -> str:
    return f'COMPREPLY=($(compgen -W {_words(words)} -- "$word"))'


def _words(words: list[str]) -> str:
    return "$" + _quoted("\\n".join(words))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
