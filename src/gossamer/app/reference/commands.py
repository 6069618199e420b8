"""docs/reference-commands.md: every command and what it takes, from its own parser."""

from __future__ import annotations

import argparse
from typing import Final

from gossamer.app.cli import COMMANDS, make_parser
from gossamer.app.reference.markdown import table

HEAD: Final = """\
# Commands

Made from the command line itself by `python -m gossamer.app.reference docs`.

`gossamer COMMAND --help` says the same on a terminal, `gossamer --version` names the release. Results go to standard
output, progress and complaints to standard error. A flag with a key in brackets sets that
[setting](reference-settings.md); a flag of a list may be given several times. How commands end is in
[exit codes](exit-codes.md).
"""


def commands_document() -> str:
    """docs/reference-commands.md."""
    return "\n".join([HEAD, *(_section(name, meaning) for name, meaning in COMMANDS.items())])


def _section(name: str, meaning: str) -> str:
    # argparse offers no other way to ask a parser what it takes.
    actions = [action for action in make_parser(name)._actions if action.dest != "help"]  # pyright: ignore[reportPrivateUsage]
    places = [action for action in actions if not action.option_strings]
    flags = [action for action in actions if action.option_strings]
    usage = " ".join([f"gossamer {name}", *(_place(action) for action in places), "[FLAG ...]"])
    rows = [(f"`{_written(action)}`", (action.help or "").replace("%%", "%")) for action in (*places, *flags)]
    return f"## {name}\n\n{meaning[0].upper()}{meaning[1:]}.\n\n```\n{usage}\n```\n\n" + table(
        ("takes", "meaning"), rows
    )


def _place(action: argparse.Action) -> str:
    name = _metavar(action)
    return {"*": f"[{name} ...]", "?": f"[{name}]"}.get(str(action.nargs), name)


def _written(action: argparse.Action) -> str:
    if not action.option_strings:
        return _metavar(action)
    names = ", ".join(action.option_strings)
    return names if action.nargs == 0 else f"{names} {_metavar(action)}"


def _metavar(action: argparse.Action) -> str:
    return action.metavar if isinstance(action.metavar, str) else action.dest
