"""What the traps of a world answer: HTML made from the URL alone (sessions: from how often it was asked for, too)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from gossamer.core.url.parse import target_of
from gossamer.simulation.world import TrapKind

if TYPE_CHECKING:
    from gossamer.simulation.world import Trap

FACETS: Final = ("colour=red", "size=l", "sort=price", "page=2")
SESSION_PAGES: Final = 4
LINKS: Final = 4
"""Of each page of a trap."""


def entrance(trap: Trap) -> str:
    """The URL by which a trap is entered."""
    return trap.origin + trap.path + _FIRST[trap.kind]


def trap_page(trap: Trap, url: str, asked: int) -> tuple[str, list[str]]:
    """The words of a trap's page, and where it leads."""
    rest = target_of(url)[len(trap.path) :]
    words, links = _PAGES[trap.kind](rest, asked)
    return words, [trap.origin + trap.path + link for link in links]


def _calendar(rest: str, asked: int) -> tuple[str, list[str]]:
    del asked  # it says the same each time
    year, _, month = rest.partition("/")
    shown = (int(year) * 12 + int(month) - 1) if year.isdigit() and month.isdigit() else 2024 * 12
    near = [shown + step for step in (-1, 1, 12)]
    return f"The month {shown}: nothing is on", [f"{other // 12}/{other % 12 + 1}" for other in near]


def _sessions(rest: str, asked: int) -> tuple[str, list[str]]:
    page, _, query = rest.partition("?")
    session = dict(parse_qsl(query)).get("sid", "0")
    fresh = f"{(int(session, 36) * 31 + asked + 7) % 36**6:x}" if session.isalnum() else "1"
    number = int(page) if page.isdigit() else 0
    return f"Offer {number % SESSION_PAGES}", [f"{(number + step) % SESSION_PAGES}?sid={fresh}" for step in range(2)]


def _facets(rest: str, _: int) -> tuple[str, list[str]]:
    chosen = [part for part in rest.partition("?")[2].split("&") if part]
    links = [f"?{'&'.join([*chosen, facet])}" for facet in FACETS]
    return "All our goods", links[:LINKS]


def _repeats(rest: str, _: int) -> tuple[str, list[str]]:
    return f"Part {len(rest) % 3}", [f"{rest}more/", f"{rest}more/about.html"]


_FIRST: Final = {
    TrapKind.CALENDAR: "2024/1",
    TrapKind.SESSIONS: "0?sid=1",
    TrapKind.FACETS: "",
    TrapKind.REPEATS: "",
}
_PAGES: Final = {
    TrapKind.CALENDAR: _calendar,
    TrapKind.SESSIONS: _sessions,
    TrapKind.FACETS: _facets,
    TrapKind.REPEATS: _repeats,
}
