"""`gossamer get`: one page as a crawl would fetch it, and what a crawl would make of it. Nothing is archived."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Final

from gossamer.app.command_settings import add_setting_flags, given
from gossamer.app.errors import UserError
from gossamer.app.escape import inert, inert_lines, json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.seeds import seed_url
from gossamer.app.settings import Settings, check, load

if TYPE_CHECKING:
    import argparse

    from gossamer.app.visitor import Step

KEYS: Final = frozenset(
    {
        "politeness.gap",
        "politeness.contact",
        "network.allow_address",
        "dns.resolve",
        "dns.resolve_file",
        "fetch.ca_file",
        "scope.nofollow",
    }
)
"""The settings that matter to a single fetch and have a flag; --set reaches the others."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("url", metavar="URL", help="what to fetch; robots.txt is asked first and obeyed")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="everything as one JSON object")
    output.add_argument(
        "--raw", action="store_true", help="only the body after content decoding; a pipe gets its bytes"
    )
    parser.add_argument("--full", action="store_true", help="all of the text and all links, not only the first")
    add_setting_flags(parser, new_crawl=False, only=KEYS)


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    from gossamer.app.get_report import as_json, lines_of  # noqa: PLC0415 - the parsers; no help text should wait

    settings = load(given(args))
    check(settings)
    url = seed_url(args.url)
    steps = asyncio.run(_visit(settings, url))
    last = steps[-1]
    if args.json:
        print(json_line(as_json(steps)))
    elif args.raw:
        _write_body(last)
    else:
        print("\n".join(lines_of(steps, full=args.full)))
    fetched = last.reading is not None and last.reading.is_page
    return Exit.DONE if fetched else Exit.NOTHING_FETCHED


async def _visit(settings: Settings, url: str) -> list[Step]:
    from gossamer.adapters.parser_turbohtml import TurboParser  # noqa: PLC0415 - no help text should wait for it
    from gossamer.app.network import open_network  # noqa: PLC0415 - as above
    from gossamer.app.visitor import Visitor  # noqa: PLC0415 - as above

    async with open_network(settings) as network:
        return await Visitor(settings, network, TurboParser(), say_waiting, say_withheld).visit(url)


def say_waiting(host: str, seconds: float) -> None:
    """Why nothing happens for a while."""
    print(f"waiting {seconds:.1f} s, the gap of {inert(host, 100)}", file=sys.stderr)


def say_withheld(host: str) -> None:
    """Why a host with a log-in does not know us."""
    print(
        f"{inert(host, 100)} is not sent its secret over plain http: use https, or mark it mine = true", file=sys.stderr
    )


def _write_body(step: Step) -> None:
    from gossamer.app.get_report import fate_of  # noqa: PLC0415 - as above

    if step.reading is None or not step.reading.is_page:
        raise UserError(f"no body: {fate_of(step)}", "leave --raw out to see all", Exit.NOTHING_FETCHED)
    if sys.stdout.isatty():
        print("\n".join(inert_lines(step.reading.decoded)))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(step.reading.decoded)
    sys.stdout.buffer.flush()
