"""What the world's servers answer: a pure function of the world, the URL, the moment and how often it was asked for."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, replace
from email.utils import formatdate
from typing import Final

from gossamer.core.url.parse import authority_of, target_of
from gossamer.simulation.traps import trap_page
from gossamer.simulation.world import (
    Link,
    Listing,
    ListingKind,
    Page,
    PageKind,
    Robots,
    RobotsKind,
    Stumble,
    Trap,
    World,
)

COOKIE: Final = "pass=1"
RETRY_AFTER_SECONDS: Final = 20
"""What a stumbling answer asks to wait."""
REASONS: Final = {200: "OK", 301: "Moved Permanently", 302: "Found", 404: "Not Found", 410: "Gone", 429: "Too Many"}

ODD_BODIES: Final = {
    PageKind.MEDIA: ("image/png", b"\x89PNG\r\n\x1a\n" + bytes(range(64))),
    PageKind.EMPTY: ("text/html", b""),
    PageKind.CUT: ("text/html", b"<!doctype html>\n<html><head><title>Cut</title></head><body><p>And th"),
    PageKind.BINARY: ("text/html", bytes(range(256)) * 4),
    PageKind.MISLABELLED: ("image/jpeg", b"<!doctype html>\n<title>A page all the same</title>"),
    PageKind.SHORT: ("text/html", b"<!doctype html>\n<html><head><title>Shorter than it says</title>"),
    PageKind.DRIP: ("text/html", b"<!doctype html>\n<html><head><title>So slow"),
    PageKind.ENDLESS: ("text/html", b"<!doctype html>\n<html><head><title>For ever</title></head><body>"),
}
OVERSTATED_BYTES: Final = 5_000
"""By so much a lying length is too long."""
LISTING_TYPES: Final = {
    ListingKind.SITEMAP: "application/xml",
    ListingKind.INDEX: "application/xml",
    ListingKind.TEXT: "text/plain",
    ListingKind.FEED: "application/rss+xml",
}

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer. Without a status there is none: the connection is reset, or stays silent."""

    status: int = 0
    headers: Headers = ()
    body: bytes = b""
    silent: bool = False
    cut: bool = False
    """The connection ends before the body does."""
    drips: bool = False
    """The rest of the body comes too slowly for anyone."""
    endless: bool = False
    """The body is repeated for as long as it is read."""
    final: bool = True
    """This is what the URL truly answers, not a stumble."""
    retry_after: float = 0.0
    """Seconds that this answer asks to wait from its end."""
    retry_at: float = 0.0
    """Moment before which this answer asks not to come again."""
    crawl_delay: float = 0.0
    """Crawl-delay that this robots.txt states for us."""

    def head(self) -> bytes:
        """Status line and headers as bytes."""
        lines = [f"HTTP/1.1 {self.status} {REASONS.get(self.status, 'Status')}"]
        lines += [f"{name}: {value}" for name, value in self.headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


RESET: Final = Reply()
SILENCE: Final = Reply(silent=True, final=False)


def answer(world: World, url: str, now: float, asked: int, cookie: str) -> Reply:
    """The answer to the request number `asked` (from 0) for `url`, with that Cookie header."""
    origin = authority_of(url)
    if target_of(url) == "/robots.txt":
        authority = world.authority(origin)
        return _robots(authority.robots, url, now) if authority else _status(404)
    if url in world.robots_files:
        return _robots(world.robots_files[url], url, now)
    if url in world.listings:
        return _listing(world.listings[url])
    trap = world.trap(url)
    if trap is not None:
        return _trap(trap, url, asked) if now >= trap.opens else _status(404)
    page = world.page(url)
    if page is None:
        return _status(404)
    if asked < len(page.stumbles):
        return _stumble(page.stumbles[asked], now)
    return _page(world, page, url, cookie, asked)


def _trap(trap: Trap, url: str, asked: int) -> Reply:
    words, links = trap_page(trap, url, asked)
    page = Page(url, words=words, links=tuple(Link(link) for link in links))
    return _text("text/html; charset=utf-8", render(page))


def _listing(listing: Listing) -> Reply:
    body = listing_text(listing).encode()
    media = LISTING_TYPES[listing.kind]
    return _text("application/gzip", gzip.compress(body, 1, mtime=0)) if listing.gzip else _text(media, body)


def listing_text(listing: Listing) -> str:
    """A sitemap or feed in its own format."""
    if listing.kind is ListingKind.TEXT:
        return "\n".join(listing.entries)
    urls = [url.replace("&", "&amp;") for url in listing.entries]
    if listing.kind is ListingKind.FEED:
        items = "".join(f"<item><title>News</title><link>{url}</link></item>" for url in urls)
        return f'<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>{items}</channel></rss>'
    root, element = ("urlset", "url") if listing.kind is ListingKind.SITEMAP else ("sitemapindex", "sitemap")
    entries = "".join(f"<{element}><loc>{url}</loc></{element}>" for url in urls)
    return f'<?xml version="1.0"?><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</{root}>'


def _stumble(stumble: Stumble, now: float) -> Reply:
    wait = RETRY_AFTER_SECONDS
    if stumble is Stumble.UNAVAILABLE:
        return Reply(503, (("Retry-After", str(wait)), ("Content-Length", "0")), final=False, retry_after=wait)
    if stumble is Stumble.TOO_MANY:
        moment = int(now) + wait
        date = formatdate(moment, usegmt=True)
        return Reply(429, (("Retry-After", date), ("Content-Length", "0")), final=False, retry_at=moment)
    if stumble is Stumble.RESET:
        return Reply(final=False)
    if stumble is Stumble.SILENCE:
        return SILENCE
    return Reply(503 if stumble is Stumble.BUSY else 500, (("Content-Length", "0"),), final=False)


def _robots(robots: Robots, url: str, now: float) -> Reply:
    kind = robots.kind
    if kind is RobotsKind.LATE and now < robots.until:
        return Reply(503, (("Content-Length", "0"),), final=False)
    if kind is RobotsKind.REDIRECT or kind is RobotsKind.LOOP:
        return _redirect(301, robots.target or url)
    if kind is RobotsKind.UNREACHABLE:
        return RESET
    statuses = {RobotsKind.MISSING: 404, RobotsKind.FORBIDDEN: 403, RobotsKind.ERRORS: 500}
    if kind in statuses:
        return _status(statuses[kind])
    if kind is RobotsKind.JUNK:
        return _text("text/html", b"<html><body>Welcome to our site</body></html>")
    reply = _text("text/plain", robots_text(robots).encode())
    return Reply(reply.status, reply.headers, reply.body, crawl_delay=robots.crawl_delay)


def robots_text(robots: Robots) -> str:
    """The file of an authority that has one."""
    rules = "".join(f"Disallow: {prefix}\n" for prefix in robots.disallowed)
    if robots.crawl_delay:
        rules += f"Crawl-delay: {robots.crawl_delay:g}\n"
    named = "".join(f"Sitemap: {url}\n" for url in robots.sitemaps)
    if robots.kind is RobotsKind.AGENT:
        return f"User-agent: gossamer\n{rules}Allow: /\n\nUser-agent: *\nDisallow: /\n{named}"
    return f"# made up\nUser-agent: *\n{rules or 'Disallow:' + chr(10)}{named}"


def _page(world: World, page: Page, url: str, cookie: str, asked: int) -> Reply:
    if page.kind is PageKind.REDIRECT:
        return _redirect(page.status, page.target)
    if page.kind is PageKind.SELF_LOOP:
        return _redirect(302, url)
    if page.kind is PageKind.SPELLING and url == page.url:
        return _redirect(301, page.target)
    if page.kind is PageKind.COOKIE_WALL and COOKIE not in cookie:
        return _redirect(302, url, (("Set-Cookie", f"{COOKIE}; Path=/"),))
    if page.kind is PageKind.ERROR:
        return _status(page.status)
    if page.kind is PageKind.BROKEN:
        return _status(500) if page.status == 500 else RESET
    if page.kind in ODD_BODIES:
        return _odd(page.kind)
    return _html(world, page, asked if page.changing else 0)


def _odd(kind: PageKind) -> Reply:
    media, body = ODD_BODIES[kind]
    if kind is PageKind.SHORT:
        length = str(len(body) + OVERSTATED_BYTES)
        return Reply(200, (("Content-Type", media), ("Content-Length", length)), body, cut=True)
    if kind in (PageKind.DRIP, PageKind.ENDLESS):
        endless = kind is PageKind.ENDLESS
        return Reply(200, (("Content-Type", media),), body, drips=not endless, endless=endless)
    return replace(_text(media, body), cut=kind is PageKind.CUT)


def _html(world: World, page: Page, asked: int) -> Reply:
    extra: Headers = (("X-Robots-Tag", "nofollow"),) if page.header_nofollow else ()
    if page.usage:
        extra = (("Content-Usage", page.usage), *extra)
    body = render(world.pages[page.copy_of] if page.copy_of else page, asked)
    if page.gzip:
        return _text(
            "text/html; charset=utf-8", gzip.compress(body, 1, mtime=0), (("Content-Encoding", "gzip"), *extra)
        )
    return _text("text/html; charset=utf-8", body, extra)


def render(page: Page, asked: int = 0) -> bytes:
    """The HTML of a page. Links are absolute, so that copies of it say the same under every URL.

    `asked`: how often it was asked for before, where it says something new each time.
    """
    rules = ", ".join(filter(None, ("nofollow" if page.nofollow else "", page.directives)))
    robots = f'<meta name="robots" content="{rules}">' if rules else ""
    robots += "".join(f'<link rel="alternate" type="application/rss+xml" href="{feed}">' for feed in page.feeds)
    news = f"<p>Visitor number {asked}</p>" if asked else ""
    links = "\n".join(_anchor(link) for link in page.links)
    return (
        f'<!doctype html>\n<html lang="en"><head><title>{page.words}</title>{robots}</head>\n'
        f"<body><h1>{page.words}</h1>{news}\n{links}\n</body></html>\n"
    ).encode()


def _anchor(link: Link) -> str:
    rel = ' rel="nofollow"' if link.nofollow else ' rel="ugc"' if link.low else ""
    href = link.junk or link.url.replace("&", "&amp;")
    return f'<a href="{href}"{rel}>to {href}</a>'


def _redirect(status: int, target: str, extra: Headers = ()) -> Reply:
    return Reply(status, (("Location", target), ("Content-Length", "0"), *extra))


def _status(status: int) -> Reply:
    body = f"<html><head><title>{status}</title></head><body>Sorry.</body></html>".encode()
    return Reply(status, (("Content-Type", "text/html"), ("Content-Length", str(len(body)))), body)


def _text(media: str, body: bytes, extra: Headers = ()) -> Reply:
    return Reply(200, (("Content-Type", media), ("Content-Length", str(len(body))), *extra), body)
