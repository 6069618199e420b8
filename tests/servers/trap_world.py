"""A site of real pages with traps beside them, made from URLs alone; and one site with any number of subdomains.

    world = TrapWorld(real=1500)
    with trap_world.serve(world) as (site, nameserver):
        ... crawl site.url("/", "traps.test") by that name server; world.is_real(path), world.is_trap(host, path)

Real pages have sentences of their own, some under names, some under numbers, some with one parameter; some are copies.
Each real page links to others and, more often than not, into a trap: of all URLs that links name, at least 60 % are of
traps, however far one goes. Every trap goes on for ever.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl

from tests.servers import dns, small_site
from tests.servers.small_site import Answer, Asked, Site, redirect

HOST: Final = "traps.test"
WORDS: Final = """
    harbour lantern meadow copper winter gravel thistle anchor velvet orchard hammer saddle pepper canvas marble
    ribbon timber kettle feather garden island mirror needle oyster pillow quarry rocket silver tunnel umbrella
    violet walnut barrel candle desert engine forest guitar helmet insect jacket ladder magnet napkin orange
    pencil rabbit school
""".split()  # noqa: SIM905 - as text it can be read
NAVIGATION: Final = (
    "<nav><a href='/'>Home of the world of traps</a> <a href='/about'>About us and our work</a></nav>"
    "<footer>All rights reserved by the people who made this world; write to us if you find a mistake in it.</footer>"
)
COPIES_ONE_IN: Final = 25
COLOURS: Final = ("red", "green", "blue", "black", "white", "brown")
SIZES: Final = ("s", "m", "l", "xl")
ORDERS: Final = ("price", "name", "rating", "newest")
TRAPS: Final = (
    "/calendar/",
    "/events?",
    "/shop?",
    "/s/",
    "/deep/",
    "/go/",
    "/old/",
)


def words_of(key: str, count: int) -> str:
    """Words that belong to a key, always the same."""
    chance = random.Random(hashlib.sha256(key.encode()).digest())
    return " ".join(chance.choice(WORDS) for _ in range(count))


def html(title: str, text: str, links: list[str]) -> Answer:
    """A page with the frame that all pages here have."""
    anchors = "".join(f"<li><a href='{link}'>{link.rpartition('/')[2] or 'more'}</a></li>" for link in links)
    body = f"<!doctype html><title>{title}</title>{NAVIGATION}<h1>{title}</h1>{text}<ul>{anchors}</ul>"
    return Answer(body.encode())


@dataclass
class TrapWorld(dict[str, Callable[[Asked, int], Answer]]):
    """Answers any path; to be given to `small_site.serve` as its table."""

    real: int = 1500
    port: int = 0
    """Set once it is known: links to subdomains need it."""
    named: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        for number in range(self.real):
            self.named.append(self._path(number))
        self.numbers = {path: number for number, path in enumerate(self.named)}

    def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
        """What `small_site` looks up: a path, or "//host/path"."""
        if key.startswith("//"):
            host, _, path = key[2:].partition("/")
            if host.endswith(f".{HOST}"):
                return lambda _, __: self._subdomain(host, f"/{path}")
            return None
        return (lambda _, __: self._answer(key)) if self._answer(key).status != 404 else default

    def is_real(self, path: str) -> bool:
        """Whether a path is one of the pages that must not be lost."""
        return path in self.numbers or path in ("/", "/about")

    @staticmethod
    def is_trap(host: str, path: str) -> bool:
        """Whether a URL is in one of the traps."""
        return host != HOST or path.startswith(TRAPS)

    def _path(self, number: int) -> str:
        match number % 3:
            case 0:
                return f"/articles/{words_of(f'name {number}', 3).replace(' ', '-')}-{number:x}.html"
            case 1:
                return f"/item/{number}"
            case _:
                return f"/read?id={number}"

    def _answer(self, path: str) -> Answer:
        if path in ("/", "/about"):
            return html("Home", "<p>Here it begins.</p>", [*self.named[:20], *self._traps(0)])
        number = self.numbers.get(path)
        if number is not None:
            return self._real(number)
        if path.startswith(TRAPS):
            return _trap(path)
        return Answer(b"not here", 404)

    def _real(self, number: int) -> Answer:
        near = [self.named[each] for each in (2 * number + 1, 2 * number + 2, 7 * number + 3) if each < self.real]
        if number % COPIES_ONE_IN == 0 and not near:
            return html("A copy", f"<p>{words_of('the same for all', 60)}</p>", [])
        text = "".join(f"<p>{words_of(f'{number} {part}', 25)}.</p>" for part in range(4))
        return html(words_of(f"title {number}", 4), text, [*near, *self._traps(number)])

    def _traps(self, number: int) -> list[str]:
        chance = random.Random(number)
        year, month, day = chance.randint(2010, 2027), chance.randint(1, 12), chance.randint(1, 28)
        return [
            f"/calendar/{year}/{month:02}/{day:02}",
            f"/events?month={month}&year={year}",
            f"/shop?colour={chance.choice(COLOURS)}&size={chance.choice(SIZES)}",
            f"/s/{hashlib.md5(str(number).encode()).hexdigest()}/offer-{chance.choice(COLOURS)}",
            "/deep/" + "part/" * chance.randint(1, 2),
            f"/go/{chance.randrange(10**6)}",
            f"/old/{chance.randrange(10**6)}/page",
            f"http://{words_of(f'host {number}', 2).replace(' ', '-')}.{HOST}:{self.port}/",
        ]

    def _subdomain(self, host: str, path: str) -> Answer:
        names = [words_of(f"{host} {each}", 2).replace(" ", "-") for each in range(3)]
        name = host.partition(".")[0]
        text = f"<p>Welcome to {name}, the best of all places on the net for you and for your friends.</p>"
        links = [f"http://{name}.{HOST}:{self.port}/" for name in names]
        return html(f"Welcome to {host}", text, [*links, f"{path}more/"])


def _trap(path: str) -> Answer:
    name = next(each for each in TRAPS if path.startswith(each))
    return _ANSWERS[name](path.removeprefix(name))


def _calendar(rest: str) -> Answer:
    parts = [int(part) for part in rest.strip("/").split("/") if part.isdigit()][:3]
    if len(parts) < 2:
        return Answer(b"not here", 404)
    year, month, day = (*parts, 1)[:3]
    ahead = (year * 12 + month) % 12 + 1, year + (month == 12)
    days = [f"/calendar/{year}/{month:02}/{each:02}" for each in range(1, 29, 3)]
    links = [f"/calendar/{ahead[1]}/{ahead[0]:02}", f"/calendar/{year - (month == 1)}/{(month - 2) % 12 + 1:02}", *days]
    return html(
        f"Calendar {day} {month} {year}", "<p>No events on this day. Choose another one to see its events.</p>", links
    )


def _events(rest: str) -> Answer:
    chosen = dict(parse_qsl(rest))
    month, year = int(chosen.get("month", 1)), int(chosen.get("year", 2026))
    links = [
        f"/events?month={month % 12 + 1}&year={year + month // 12}",
        f"/events?month={month}&year={year + 1}&view=list",
    ]
    return html(f"Events {month}/{year}", f"<p>Nothing is on in month {month} of {year}.</p>", links)


def _shop(rest: str) -> Answer:
    chosen = dict(parse_qsl(rest))
    goods = [f"<p>{words_of(f'goods {number}', 12)}</p>" for number in range(40)]
    random.Random(rest).shuffle(goods)
    links: list[str] = []
    for name, values in (
        ("colour", COLOURS),
        ("size", SIZES),
        ("sort", ORDERS),
        ("page", ("2", "3")),
        ("view", ("list",)),
    ):
        for value in values:
            more = {**chosen, name: value}
            links.append("/shop?" + "&".join(f"{key}={each}" for key, each in more.items()))
    return html(f"Goods {' '.join(chosen.values())}", "".join(goods[:25]), links)


def _sessions(rest: str) -> Answer:
    session, _, page = rest.partition("/")
    fresh = hashlib.md5(rest.encode()).hexdigest()
    links = [f"/s/{fresh}/{page}", f"/s/{fresh}/basket", f"/s/{session}/basket"]
    return html("Our shop", f"<p>{words_of(f'shop {page}', 30)}</p>", links)


def _deep(rest: str) -> Answer:
    links = [f"/deep/{rest}part/", f"/deep/{rest}section/part/", f"/deep/{rest}chapter/"]
    return html("A part", f"<p>{words_of('part', 40)}</p>", links)


def _go(rest: str) -> Answer:
    return redirect("/about")


def _old(rest: str) -> Answer:
    number = rest.partition("/")[0]
    return redirect(f"/old/{(int(number) * 7 + 1) % 10**9 if number.isdigit() else 1}/page")


_ANSWERS: Final = {
    "/calendar/": _calendar,
    "/events?": _events,
    "/shop?": _shop,
    "/s/": _sessions,
    "/deep/": _deep,
    "/go/": _go,
    "/old/": _old,
}


class _AnyHost(dict[str, dns.Zone]):
    """Every name below the world's host exists, and is here."""

    def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
        name = key.rstrip(".").lower()
        return dns.Zone(a=("127.0.0.1",)) if name == HOST or name.endswith(f".{HOST}") else default


@contextmanager
def serve(world: TrapWorld) -> Iterator[tuple[Site, str]]:
    """The world on loopback, and the address of a name server that knows all its hosts."""
    with dns.serve({}) as names, small_site.serve({}) as site:
        names.zones = _AnyHost()
        site.table = world  # type: ignore[assignment]
        world.port = site.port
        yield site, names.address
