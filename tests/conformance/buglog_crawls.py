"""The buglog's inputs that only a crawl answers: redirects, cookies, retries, scope, traps, sitemaps.

Each row becomes a loopback site with the row's hosts; two ports stand for its two schemes.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import Answer, Asked, Behaviour, page, redirect, robots

Row = Mapping[str, Any]
_URL: Final = re.compile(r"(https?)://([a-z.]+)(?=/|$)")


@dataclass(frozen=True)
class _Seen:
    """What came of a crawl, with URLs as the row writes them."""

    outcomes: dict[str, str]
    """URL -> outcome, or "refused: REASON"."""
    asked: list[str]
    """Requests in order."""
    links: list[tuple[str, str]]
    """Kind and target of each link."""


class _Web:
    """The row's hosts on loopback: http on one port, https (without TLS) on another."""

    def __init__(self) -> None:
        self.plain: dict[str, Behaviour] = {}
        self.secure: dict[str, Behaviour] = {}
        self.hosts: set[str] = set()

    def add(self, url: str, answer: Behaviour) -> None:
        found = _URL.match(url)
        assert found is not None, url
        self.hosts.add(found[2])
        table = self.plain if found[1] == "http" else self.secure
        table[f"//{found[2]}{url[found.end() :]}"] = answer

    def crawl(self, seeds: list[str], *flags: str) -> _Seen:
        """Crawl it."""
        with (
            tempfile.TemporaryDirectory(prefix="gossamer-buglog-") as name,
            small_site.serve({}) as plain,
            small_site.serve({}) as secure,
        ):
            ports = {"http": plain.port, "https": secure.port}
            schemes = {port: scheme for scheme, port in ports.items()}

            def away(text: str) -> str:
                return _URL.sub(lambda found: f"http://{found[2]}:{ports[found[1]]}", text)

            def back(text: str) -> str:
                return re.sub(
                    r"http://([a-z.]+):(\d+)", lambda found: f"{schemes.get(int(found[2]), '?')}://{found[1]}", text
                )

            plain.table = {path: _moved(answer, away) for path, answer in self.plain.items()}
            secure.table = {path: _moved(answer, away) for path, answer in self.secure.items()}
            names = [part for host in sorted(self.hosts) for part in ("--resolve", f"{host}=127.0.0.1")]
            retries = ("--max-time", "30s", "--media", "any")
            _, crawl = crawls.crawl(Path(name) / "crawl", *map(away, seeds), *names, *retries, *flags)
            outcomes = {back(row["url"]): row["outcome"] for row in crawl.pages()}
            outcomes |= {back(url): f"refused: {reason}" for url, reason in crawl.refused().items()}
            hits = sorted([*plain.hits(), *secure.hits()], key=lambda hit: hit.started)
            asked = [f"{schemes[hit.port]}://{hit.host}{hit.uri}" for hit in hits]
            links = [(row["kind"], back(row["target"])) for row in crawl.rows("links")]
        return _Seen(outcomes, asked, links)


def _moved(behaviour: Behaviour, away: Callable[[str], str]) -> Behaviour:
    """An answer whose URLs are those of this web."""
    if not isinstance(behaviour, Answer):
        return behaviour
    fields = tuple((name, away(value)) for name, value in behaviour.fields)
    body = away(behaviour.body.decode("latin-1")).encode("latin-1")
    return Answer(body, behaviour.status, behaviour.media_type, fields)


def robots_redirect(row: Row) -> dict[str, Any]:
    web = _Web()
    for asked, status, said in row["steps"]:
        url = asked.removeprefix("GET ")
        web.add(url, redirect(said, status) if 300 <= status < 400 else robots(*said.splitlines()))
    for url in row["check"]:
        web.add(url, page(title=url))
    seen = web.crawl(row["check"])
    return {
        "allowed": [seen.outcomes.get(url) == "fetched" for url in row["check"]],
        "requests": sum("robots.txt" in url for url in seen.asked),
    }


def frontier_request(row: Row) -> dict[str, Any]:
    web = _Web()
    start = "https://s.example/start"
    web.add(start, page(*[url.removeprefix("https://s.example") for url in row["found"]]))
    for url in row["found"]:
        web.add(url, page(title=url))
    seen = web.crawl([start])
    return {"requested": [url for url in seen.asked if url in row["found"]]}


def self_redirect(_row: Row) -> dict[str, Any]:
    def root(asked: Asked, _before: int) -> Answer:
        known = "s=1" in asked.fields.get("cookie", "")
        return page(title="seen") if known else redirect("/", 302, ("Set-Cookie", "s=1"))

    web = _Web()
    web.add("https://s.example/", root)
    seen = web.crawl(["https://s.example/"])
    fetched = ["/" for outcome in seen.outcomes.values() if outcome == "fetched"]
    return {"fetched_200": fetched, "requests": sum(not url.endswith("robots.txt") for url in seen.asked)}


def retried_redirect(row: Row) -> dict[str, Any]:
    def second(_asked: Asked, before: int) -> Answer:
        return Answer(b"", 503) if not before else redirect("/a", 307)

    web = _Web()
    web.add("http://s.example/a/", redirect("/b", 307))
    web.add("http://s.example/b", second)
    web.add("http://s.example/a", page(title="a"))
    seen = web.crawl([f"http://s.example{path}" for path in row["seeds"]])
    return {"times_200": {"/a": Counter(seen.asked)["http://s.example/a"]}}


def trap(_row: Row) -> dict[str, Any]:
    web = _Web()
    web.add("http://o.example/p/", page(title="same", more='<img src="images/x"><a href="sub/">deeper</a>'))
    deep = "http://o.example/p/"
    for _ in range(60):
        deep += "sub/"
        web.add(deep, page(title="same", more='<img src="images/x"><a href="sub/">deeper</a>'))
    seen = web.crawl(["http://o.example/p/"])
    return {"terminates": len(seen.asked) < 60}


def sitemap_walk(row: Row) -> dict[str, Any]:
    web = _Web()
    for url, text in row["responses"].items():
        web.add(url, Answer(text.encode(), media_type="text/plain" if url.endswith(".txt") else "application/xml"))
    web.add("https://s.example/", page(title="start"))
    web.add("https://s.example/a", page(title="a"))
    seen = web.crawl(["https://s.example/"], "--set", "scope.follow=sitemaps")
    files = [url for url in seen.asked if url in row["responses"]]
    named = [url for url, outcome in seen.outcomes.items() if outcome == "fetched" and url.endswith("/a")]
    return {"urls": named, "fetches_at_most": len(files)}


def scope_redirect(row: Row) -> dict[str, Any]:
    web = _Web()
    web.add(row["request"], redirect(row["location"]))
    web.add(row["location"], page("/more", title="moved"))
    web.add(f"{row['location']}more", page(title="more"))
    seen = web.crawl([row["request"]])
    return {"scope_after": seen.outcomes.get(f"{row['location']}more") == "fetched"}


def link_header(row: Row) -> dict[str, Any]:
    web = _Web()
    web.add(row["url"], Answer(page(title="x").body, fields=(("Link", row["link"]),)))
    seen = web.crawl([row["url"]])
    canonical = [target for kind, target in seen.links if kind == "canonical"]
    return {"canonical": canonical[0] if canonical else None, "page_kept": seen.outcomes.get(row["url"]) == "fetched"}


ANSWERS: Final[dict[str, Callable[[Row], dict[str, Any]]]] = {
    "robots_redirect": robots_redirect,
    "frontier_request": frontier_request,
    "trap": trap,
    "sitemap_walk": sitemap_walk,
    "scope_redirect": scope_redirect,
    "link_header": link_header,
}
BY_ROW: Final[dict[str, Callable[[Row], dict[str, Any]]]] = {"b135": self_redirect, "b136": retried_redirect}
