"""The command line: finds the command, and turns every way it can end into an exit code and words."""

from __future__ import annotations

import argparse
import importlib
import keyword
import os
import platform
import sys
import traceback
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, cast

from gossamer import __version__
from gossamer.app.disk_trouble import disk_trouble
from gossamer.app.errors import UserError
from gossamer.app.escape import inert
from gossamer.app.exit_codes import Exit
from gossamer.app.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: Final = {
    "crawl": "crawl from seeds into a new folder",
    "resume": "go on with a crawl that was stopped, killed, or ended at a limit",
    "status": "what a crawl is doing, or how it ended",
    "hosts": "the hosts of a crawl and where each stands; one host's card; the requests it was sent",
    "add": "add seeds to a crawl, running or not",
    "block": "contact a host no more; what it has queued is held",
    "unblock": "take a host off the crawl's own block list",
    "pause": "lease nothing of a host, or nothing at all, until continued",
    "continue": "end a pause",
    "stop": "end a running crawl as Ctrl-C does; it can be resumed",
    "set": "change live settings of a crawl, running or not",
    "explain": "why a URL was or was not fetched, and all that is known of it",
    "show": "a stored capture: as text, headers, links or as it was sent",
    "derive": "make pages, links, texts and the index from an archive alone, anybody's",
    "report": "what a crawl has found out, for a person to act on: traps",
    "traps": "say of suspects that they are traps, that they are none, or that they may try again",
    "forget": "fetch a URL again that is done, gone, failed or refused",
    "plan": "how much a crawl will need: rates, bandwidth, storage, memory, hosts, machines",
    "get": "fetch one page as a crawl would, and show what came and what would become of it",
    "doctor": "check this machine, or a crawl folder and mend it",
    "completion": "a script that teaches a shell these commands",
    "bench": "how many pages a second this machine crawls, and what each stage of a page costs",
    "demo": "crawl the documentation of this Python, without the internet",
    "simulate": "crawl made-up webs with made-up trouble, and check what must hold",
}
"""Command -> what it does. Each is a module of `gossamer.app.commands` with `add_arguments` and `run`."""

MESSAGE_COLUMNS: Final = 2000
EPILOG: Final = "gossamer COMMAND --help says more; so do docs/reference-settings.md and docs/exit-codes.md."


class Command(Protocol):
    """What a command's module has."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare its arguments."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Do it; the exit code. May raise UserError."""
        ...


class Parser(argparse.ArgumentParser):
    """A parser whose errors are UserErrors that suggest the nearest flag."""

    def error(self, message: str) -> NoReturn:
        """Called by argparse for wrong arguments."""
        words = [word.partition("=")[0] for word in message.split() if word.startswith("--")]
        flags = [flag for action in self._actions for flag in action.option_strings]
        unknown = next((word for word in words if word not in flags), None) if "unrecognized" in message else None
        found = nearest(unknown, flags) if unknown else None
        raise UserError(message, f"did you mean {found}?" if found else f"{self.prog} --help shows what it takes")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments)
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python must not complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except KeyboardInterrupt:
        return _say("interrupted", "", Exit.INTERRUPTED)
    except Exception as error:  # noqa: BLE001 - the last place that can tell people what happened
        return _explain(error)


def make_parser(name: str) -> Parser:
    """The parser of one command."""
    parser = Parser(prog=f"gossamer {name}", description=f"{COMMANDS[name].capitalize()}.", allow_abbrev=False)
    _module(name).add_arguments(parser)
    return parser


def _run(arguments: list[str]) -> int:
    if not arguments or arguments[0] in {"-h", "--help", "help"}:
        print(_overview(), file=sys.stdout if arguments else sys.stderr)
        return Exit.DONE if arguments else Exit.BAD_INPUT
    name, *rest = arguments
    if name in {"--version", "-V", "version"}:
        print(f"gossamer {__version__}")
        return Exit.DONE
    if name not in COMMANDS:
        raise _unknown_command(name)
    parser = make_parser(name)
    try:
        args = parser.parse_args(rest)
    except SystemExit as ending:  # argparse ends the process after --help
        return int(ending.code or 0)
    return _module(name).run(args)


def _module(name: str) -> Command:
    suffix = "_" if keyword.iskeyword(name) else ""
    return cast("Command", cast("Any", importlib.import_module(f"gossamer.app.commands.{name}{suffix}")))


def _overview() -> str:
    commands = "\n".join(f"  {name:10} {meaning}" for name, meaning in COMMANDS.items())
    return f"usage: gossamer COMMAND ...\n\nA polite, durable web crawler.\n\ncommands:\n{commands}\n\n{EPILOG}"


def _unknown_command(name: str) -> UserError:
    if "://" in name:
        return UserError(f"no command {name!r}", f"did you mean: gossamer crawl {name}?")
    found = nearest(name, COMMANDS)
    return UserError(f"no command {name!r}", f"did you mean {found}?" if found else "gossamer --help lists them")


def _explain(error: Exception) -> int:
    known = error if isinstance(error, UserError) else disk_trouble(error)
    if known is not None:
        return _say(known.message, known.hint, known.exit_code)
    traceback.print_exception(error)
    return _say(
        f"this is a bug of ours (gossamer {__version__}, Python {platform.python_version()}, {platform.system()})",
        "please report it with the lines above, as CONTRIBUTING.md says",
        Exit.BUG,
    )


def _say(message: str, hint: str, code: Exit) -> int:
    print(f"gossamer: {inert(message, MESSAGE_COLUMNS)}", file=sys.stderr)
    if hint:
        print(f"  {inert(hint, MESSAGE_COLUMNS)}", file=sys.stderr)
    return code
