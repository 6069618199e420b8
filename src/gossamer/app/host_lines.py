"""Hosts as lines for people: the table, and one host's card."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from gossamer.app import figures
from gossamer.app.escape import inert

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Row = dict[str, Any]

HOST_COLUMNS: Final = 40
ERROR_COLUMNS: Final = 40
WIDTH: Final = 160
LABEL_COLUMNS: Final = 16
PREFIXES_SHOWN: Final = 15
_NUMBERS: Final = f"{'pages':>9} {'bytes':>9} {'queued':>10} {'errors':>6}"
HEAD: Final = f"{'host':{HOST_COLUMNS}}  {'state':15} {_NUMBERS}  {'next':>8}  last error"


def table_line(row: Row, now: float) -> str:
    """One host of the table."""
    name = inert(row["host"], HOST_COLUMNS)
    moment = _until(row["next"], now)
    line = (
        f"{name:{HOST_COLUMNS}}  {row['state']:15} {figures.count(row['pages']):>9} {figures.size(row['bytes']):>9} "
        f"{figures.count(row['queued']):>10} {figures.count(row['errors']):>6}  {moment:>8}  "
        f"{inert(row['error'], ERROR_COLUMNS)}"
    )
    return line.rstrip()


def card_lines(card: Row) -> Iterator[str]:
    """One host's card."""
    now = time.time()
    yield from _pairs(_standing(card, now))
    yield from _section("robots.txt", [_robots(row) for row in card["robots"]])
    if "yield" in card:
        yield from _history(card)


def _standing(card: Row, now: float) -> Iterator[tuple[str, str]]:
    yield "host", card["host"]
    yield "site", card["site"]
    if card["group"]:
        yield "seed group", card["group"]
    yield "state", card["state"] + _why(card)
    if card["next"] is not None:
        yield "next contact", f"{figures.moment(card['next'])} ({_until(card['next'], now)})"
    if card["last_contact"] is not None:
        yield "last contact", figures.moment(card["last_contact"])
    yield "gap", _gap(card["gap"])
    for key, value in card["settings"].items():
        yield "set", f"{key} = {inert(str(value).lower() if isinstance(value, bool) else str(value), WIDTH)}"
    yield "queued", figures.count(card["queued"])
    yield "pages", f"{figures.count(card['pages'])}{_cap(card['caps']['pages'])}"
    yield "received", f"{figures.size(card['bytes'])}{_cap(card['caps']['bytes'], figures.size)}"
    yield "fetches", figures.count(card["fetches"])
    yield "its site", _site(card["budget"])
    for bound in card["budget"]["bounds"]:
        yield "budget", f"{figures.count(bound['used'])} of {figures.count(bound['most'])} {bound['of']}"
    if card["budget"]["next_look"]:
        yield "next look", figures.moment(card["budget"]["next_look"])
    if card["addresses"]:
        yield "addresses", ", ".join(card["addresses"])
    if card["error"]:
        row = f"{card['error']} at {figures.moment(card['error_at'])}" if card["error_at"] else card["error"]
        yield "last error", f"{row}; {figures.count(card['failures'])} in a row, {figures.count(card['errors'])} in all"


def _site(budget: Row) -> str:
    """What its budget has grown by, and how long its exchanges took."""
    named = "named by a seed or the operator, " if budget["named"] else ""
    return f"{named}{budget['grown_by']}, {figures.duration(budget['fetch_seconds'])} of fetches"


def _why(card: Row) -> str:
    """Reason and date behind a state."""
    orders = card["orders"]
    if orders["closed"] == "paused":
        return f", by the operator since {figures.moment(orders['paused_at'])}"
    if orders["closed"] == "blocked":
        entries = [f"{entry} since {figures.moment(at)}" for entry, at in orders["blocked"].items()]
        return f", by the operator: {', '.join(entries)}" if entries else ", by scope.block_file"
    since = f" since {figures.moment(card['since'])}" if card["since"] is not None else ""
    return since + (f": {card['why']}" if card["why"] else "")


def _gap(gap: Row) -> str:
    """Seconds and where they come from."""
    source = {
        "minimum": f"the minimum, politeness.gap from {gap['minimum_from']}",
        "crawl-delay": f"Crawl-delay {gap['crawl_delay']:g}s of its robots.txt",
        "response times": "5 times the median of its last response times",
    }
    own = f"the minimum, {gap['source']} from {gap['minimum_from']}"
    return f"{gap['seconds']:g}s: {source.get(gap['source'], own)}"


def _cap(cap: int | None, write: Any = figures.count) -> str:
    return "" if cap is None else f" of at most {write(cap)}"


def _robots(row: Row) -> str:
    good = f", by the copy of {figures.moment(row['good_at'])}" if row["reason"] and row["good_at"] else ""
    reason = f" ({row['reason']})" if row["reason"] else ""
    delay = f", Crawl-delay {row['crawl_delay']:g}s" if row["crawl_delay"] else ""
    return (
        f"{row['authority']}  {row['kind']}{reason}{good}{delay}, {figures.size(row['bytes'])}, "
        f"read {figures.moment(row['fetched_at'])}, until {figures.moment(row['expires_at'])}"
    )


def _history(card: Row) -> Iterator[str]:
    first, last = card["visits"]["first"], card["visits"]["last"]
    if first is None:
        yield "no visit in what is kept of pages/"
        return
    yield from _pairs([("visits", f"{figures.moment(first)} to {figures.moment(last)}")])
    for name, counts in (("answers", "statuses"), ("outcomes", "outcomes"), ("connected to", "connected")):
        yield from _section(name, [f"{figures.count(count):>12}  {what}" for what, count in card[counts].items()])
    yield from _section("robots.txt fetched", map(_event, card["robots_history"]))
    yield from _section("last errors", map(_event, card["last_errors"]))
    prefixes = card["yield"]
    lines = [
        f"{figures.count(row['pages']):>12} pages  {figures.count(row['copies']):>9} copies  "
        f"{figures.size(row['bytes']):>9}  {row['prefix']}"
        for row in prefixes[:PREFIXES_SHOWN]
    ]
    more = len(prefixes) - len(lines)
    if more > 0:
        lines.append(f"and {figures.count(more)} more; --json has all")
    yield from _section("yield by path", lines)


def _event(row: Row) -> str:
    return f"{figures.moment(row['time'])}  {row['status']:>3}  {row['what']}  {row['url']}"


def _pairs(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in pairs:
        yield f"{name:{LABEL_COLUMNS}} {inert(value, WIDTH)}"


def _section(name: str, lines: Iterable[str]) -> Iterator[str]:
    shown = [f"  {inert(line, WIDTH)}" for line in lines]
    if shown:
        yield name
        yield from shown


def _until(moment: float | None, now: float) -> str:
    if moment is None:
        return "-"
    return "now" if moment <= now else f"in {figures.duration(moment - now)}"
