"""`gossamer completion`: a script that teaches a shell our commands and flags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app.exit_codes import Exit

if TYPE_CHECKING:
    import argparse

SHELLS: Final = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    from gossamer.app.completion import SCRIPTS  # noqa: PLC0415 - asks every command's parser
    from gossamer.app.completion.offers import all_offers  # noqa: PLC0415 - as above

    print(SCRIPTS[args.shell](all_offers()), end="")
    return Exit.DONE
