"""`gossamer hosts`: the hosts of a crawl by state, one host's card, or the requests that one host was sent."""

from __future__ import annotations

import csv
import heapq
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gossamer.app import figures
from gossamer.app.control import ask
from gossamer.app.errors import UserError
from gossamer.app.escape import inert, json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import open_folder
from gossamer.app.host_lines import HEAD, card_lines, table_line
from gossamer.app.nearest import nearest
from gossamer.app.orders import host_name
from gossamer.app.settings.kinds import read_duration
from gossamer.core.frontier.host_status import HostStatus

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Generator, Iterable, Iterator

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings

Row = dict[str, Any]

ROWS_DEFAULT: Final = 50
ROWS_MAX: Final = 100_000
"""Hosts that can be sorted: each is held in memory."""
SORTS: Final[dict[str, Callable[[Row], Any]]] = {
    "name": lambda row: row["host"],
    "pages": lambda row: (-row["pages"], row["host"]),
    "bytes": lambda row: (-row["bytes"], row["host"]),
    "queued": lambda row: (-row["queued"], row["host"]),
    "errors": lambda row: (-row["errors"], row["host"]),
    "next": lambda row: (row["next"] is None, row["next"] or 0.0, row["host"]),
}
"""Order -> key; numbers fall, names and moments rise."""
REQUEST_FIELDS: Final = ("time", "url", "kind", "address", "status", "outcome", "robots")
CELL_COLUMNS: Final = 3000
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a cell that spreadsheets take for a formula."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="the crawl folder")
    parser.add_argument("host", metavar="HOST", nargs="?", help="a host, for its card; the table of all without one")
    parser.add_argument("--sort", metavar="ORDER", default="pages", help=f"{', '.join(SORTS)}; pages by default")
    parser.add_argument(
        "--state", metavar="STATE", action="append", default=[], help=f"only hosts that are {', '.join(HostStatus)}"
    )
    parser.add_argument("--failing", action="store_true", help="only hosts whose last exchange failed")
    parser.add_argument("--limit", metavar="N", type=int, default=ROWS_DEFAULT, help=f"rows; {ROWS_DEFAULT} by default")
    parser.add_argument("--all", action="store_true", help="every host, in no order, as it is read")
    parser.add_argument("--brief", action="store_true", help="of a card only what needs no reading of pages/")
    parser.add_argument("--requests", action="store_true", help="each request sent to HOST, as CSV or JSON lines")
    parser.add_argument("--since", metavar="TIME", help="requests from then on: 2026-11-30, 2026-11-30T13:47Z, 2d, 6h")
    parser.add_argument("--json", action="store_true", help="a card as one JSON object, rows as one each line")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    _check(args)
    folder, settings = open_folder(args.folder)
    if args.host is None:
        return _table(args, folder, settings)
    name = host_name(args.host)
    return _requests(args, folder, settings, name) if args.requests else _card(args, folder, settings, name)


def _check(args: argparse.Namespace) -> None:
    _check_word("--sort", args.sort, list(SORTS))
    for state in args.state:
        _check_word("--state", state, [status.value for status in HostStatus])
    if not 0 < args.limit <= ROWS_MAX:
        raise UserError(f"--limit wants 1 to {ROWS_MAX:,}", "--all shows every host, in no order")
    if args.requests and args.host is None:
        raise UserError("--requests wants a HOST", "for example: gossamer hosts DIR www.example.org --requests")
    if args.since is not None and not args.requests:
        raise UserError("--since goes with --requests")


def _check_word(flag: str, word: str, words: list[str]) -> None:
    if word not in words:
        found = nearest(word, words)
        raise UserError(f"{flag} {word!r} is none of {', '.join(words)}", f"did you mean {found}?" if found else "")


@contextmanager
def asking_of(folder: CrawlFolder, settings: Settings) -> Generator[Callable[[Row], Row]]:
    """A way to ask about hosts: the running crawl, or the stores of one that stands still."""
    if ask(folder, {"ask": "journals", "dataset": "pages"}) is not None:
        yield lambda request: _answered(folder, request)
        return
    from gossamer.app.host_books import QUERIES, open_books  # noqa: PLC0415 - opens the store's library

    with open_books(folder, settings) as books:
        yield lambda request: QUERIES[request["ask"]](books, request)


def _answered(folder: CrawlFolder, request: Row) -> Row:
    answer = ask(folder, request)
    if answer is None:
        raise UserError("the crawl ended while it was asked", "ask again", Exit.FOLDER)
    return answer


def _table(args: argparse.Namespace, folder: CrawlFolder, settings: Settings) -> int:
    counts: dict[str, int] = {}
    with asking_of(folder, settings) as asking:
        rows = _rows(asking, args, counts)
        if not args.all:
            rows = iter(heapq.nsmallest(args.limit, rows, key=SORTS[args.sort]))
        _print_rows(rows, as_json=args.json)
    parts = ", ".join(f"{figures.count(counts[state])} {state}" for state in HostStatus if state in counts)
    sys.stdout.flush()
    print(f"{figures.count(sum(counts.values()))} hosts{': ' if parts else ''}{parts}", file=sys.stderr)
    return Exit.DONE


def _rows(asking: Callable[[Row], Row], args: argparse.Namespace, counts: dict[str, int]) -> Iterator[Row]:
    """The hosts that the filters let through, a part at a time; `counts` gathers the states of all."""
    request: Row = {"ask": "hosts", "states": args.state, "failing": args.failing, "shard": 0, "after": ""}
    more = True
    while more:
        answer = asking(request)
        for state, count in answer["counts"].items():
            counts[state] = counts.get(state, 0) + count
        yield from answer["hosts"]
        request, more = {**request, "shard": answer["shard"], "after": answer["after"]}, answer["more"]


def _print_rows(rows: Iterable[Row], *, as_json: bool) -> None:
    now = time.time()
    if not as_json:
        print(HEAD)
    for row in rows:
        print(json_line(row) if as_json else table_line(row, now))


def _card(args: argparse.Namespace, folder: CrawlFolder, settings: Settings, name: str) -> int:
    with asking_of(folder, settings) as asking:
        history: Row = {}
        address = ""
        if not args.brief:
            from gossamer.app.host_history import history_of, open_visits  # noqa: PLC0415 - loads Arrow

            with open_visits(folder, _journals(asking)) as visits:
                found = history_of(visits, name)
            history, address = found.as_dict(), found.last_address
        card = asking({"ask": "host", "host": name, "address": address})["card"]
    if not card["known"]:
        ordered = f"; it is {card['orders']['closed']}" if card["orders"]["closed"] else ""
        raise UserError(f"nothing is known of {name}{ordered}", f"gossamer hosts {args.folder} --all lists what is")
    if args.json:
        print(json_line({**card, **history}))
    else:
        print("\n".join(card_lines({**card, **history})))
    return Exit.DONE


def _requests(args: argparse.Namespace, folder: CrawlFolder, settings: Settings, name: str) -> int:
    from gossamer.app.host_history import open_visits, requests_of  # noqa: PLC0415 - loads Arrow

    since = _moment(args.since)
    with asking_of(folder, settings) as asking, open_visits(folder, _journals(asking)) as visits:
        rows = requests_of(folder, visits, name, since)
        if args.json:
            for row in rows:
                print(json_line(row))
        else:
            table = csv.writer(sys.stdout, lineterminator="\n")
            table.writerow(REQUEST_FIELDS)
            for row in rows:
                table.writerow([figures.moment(row["time"]), *(_cell(row[name]) for name in REQUEST_FIELDS[1:])])
    return Exit.DONE


def _journals(asking: Callable[[Row], Row]) -> Callable[[], list[list[Any]]]:
    return lambda: asking({"ask": "journals", "dataset": "pages"})["journals"]


def _cell(value: object) -> str:
    """A cell that neither a terminal nor a spreadsheet acts on (CWE-1236)."""
    text = inert(str(value), CELL_COLUMNS)
    return f"'{text}" if text.startswith(FORMULA) else text


def _moment(text: str | None) -> float:
    """A moment, or so long ago. Raises UserError."""
    if text is None:
        return 0.0
    from gossamer.app.captures import moment_of  # noqa: PLC0415 - loads the parser

    try:
        return time.time() - read_duration(text) if text[-1:].isalpha() and "T" not in text else moment_of(text) or 0.0
    except ValueError:
        return moment_of(text) or 0.0
