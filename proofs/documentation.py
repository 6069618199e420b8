"""Documentation sites on nginx, each under a host name of its own, crawled and held against an independent walker."""

from __future__ import annotations

import os
import re
import shutil
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote_to_bytes, urlsplit

from tests import crawls, ledgers, readers
from tests.servers import debian
from tests.servers.nginx import Host, Nginx, free_port, nginx

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIX = ("python3.11-doc", "apache2-doc", "cmake-doc", "python-django-doc", "postgresql-doc-15", "octave-doc")
DIRECTIVES = "absolute_redirect off;"
"""A folder's redirect stays on the port that was asked."""


@dataclass(frozen=True)
class Served:
    """One site under one host name."""

    host: str
    port: int
    site: debian.Site

    @property
    def seeds(self) -> list[str]:
        return [f"http://{self.host}:{self.port}{start}" for start in self.site.truth.starts]


def site_of(name: str) -> debian.Site:
    """A site with what the walker finds in it here; says so when the published truth is of another version."""
    site = debian.site(name)
    found = debian.walked(site)
    if found.pages != site.truth.pages or found.dead != site.truth.dead:
        print(f"{name}: this version differs from the published one; judged by the walker's truth of this version")
    return replace(site, truth=found)


def small_with_copies(folder: Path) -> debian.Site:
    """Two chapters of the Apache manual in three languages, two of them untranslated: some pages, many copies."""
    whole = debian.site("apache2-doc")
    for language in ("en", "da", "pt-br"):
        for chapter in ("howto", "programs"):
            shutil.copytree(whole.root / language / chapter, folder / language / chapter)
    starts = ("/da/howto/index.html", "/en/programs/index.html")
    site = debian.Site(replace(whole.truth, name="apache2-part", starts=starts), folder)
    return replace(site, truth=debian.walked(site))


@contextmanager
def served(sites: dict[str, debian.Site], folder: Path, directives: str = "") -> Iterator[tuple[Nginx, list[Served]]]:
    """One nginx with every site under its host name, all on one port."""
    port = free_port()
    hosts = [Host((name,), site.root, (("127.0.0.1", port),), DIRECTIVES + directives) for name, site in sites.items()]
    with nginx(hosts, folder) as server:
        yield server, [Served(name, port, site) for name, site in sites.items()]


def flags(sites: Sequence[Served], folder: Path, *more: str) -> list[str]:
    """The command line of a crawl of those sites, without a gap."""
    seeds = [seed for one in sites for seed in one.seeds]
    resolves = [part for one in sites for part in ("--resolve", f"{one.host}=127.0.0.1")]
    return ["crawl", *seeds, "-o", str(folder), "--gap", "0", *crawls.LOOPBACK, *resolves, "--json", *more]


def canon(url: str) -> str:
    """The walker's name of a resource: its path decoded and encoded again."""
    return quote(unquote_to_bytes(urlsplit(url).path or "/"), safe="/~!$&'()*+,;=:@-._")


def paths(rows: Sequence[dict[str, Any]], host: str, outcome: str) -> dict[str, dict[str, Any]]:
    """Name of each resource of a host whose visit ended so, with the visit; one that is no copy wins."""
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["host"] == host and row["outcome"] == outcome:
            name = canon(row["url"])
            if name not in found or found[name]["copy_of"]:
                found[name] = row
    return found


def sound(crawl: crawls.Crawl, name: str) -> list[str]:
    """What is wrong with a crawl's books, archive and index."""
    files = crawl.warcs()
    found = [*ledgers.problems(crawl), *readers.fastwarc_problems(files), *readers.index_problems(crawl)]
    if not crawl.summary()["balanced"]:
        found.append("the summary says that the books do not balance")
    return [f"{name}: {text}" for text in found]


def complete(crawl: crawls.Crawl, one: Served, rows: list[dict[str, Any]], *, killed: bool = False) -> list[str]:
    """How far a crawl that followed copies is from the truth of one site; empty when it is the truth.

    A kill may cost the memory of the bodies of the last moments before it: such a body may be stored once more.
    """
    truth = one.site.truth
    fetched = paths(rows, one.host, "fetched")
    dead = {canon(row["url"]) for row in rows if row["host"] == one.host and row["status"] == 404}
    found = _unequal(one.host, "pages", fetched.keys(), truth.pages.keys())
    by_name = {canon(url) for url, reason in crawl.refused().items() if reason == "extension"}
    found += _unequal(one.host, "dead targets", dead, truth.dead.keys() - by_name)
    found += _unequal(one.host, "redirects", paths(rows, one.host, "redirected").keys(), truth.redirects.keys())
    return found + _copies(crawl, one, fetched, killed=killed)


def _copies(crawl: crawls.Crawl, one: Served, fetched: dict[str, dict[str, Any]], *, killed: bool) -> list[str]:
    """Equal bytes are one response and revisits that name it."""
    revisits = {(row["filename"], row["offset"]) for row in _revisits(crawl)}
    found: list[str] = []
    copies = 0
    for group in one.site.truth.duplicates:
        rows = [fetched[name] for name in group if name in fetched]
        first = [row for row in rows if not row["copy_of"]]
        others = [row for row in rows if row["copy_of"]]
        copies += len(others)
        originals = {row["url"] for row in first}
        if not originals or (len(first) > 1 and not killed) or any(row["copy_of"] not in originals for row in others):
            found.append(f"{one.host}: {len(first)} of the {len(rows)} equal pages like {group[0]} are called new")
        stored = [row for row in others if (row["warc"].rpartition("/")[2], str(row["offset"])) not in revisits]
        found += [f"{one.host}: {row['url']} is a copy and no revisit" for row in stored]
    marked = sum(bool(row["copy_of"]) for row in fetched.values())
    if copies != marked:
        found.append(f"{one.host}: {marked} pages are called copies, {copies} are")
    return found


def _revisits(crawl: crawls.Crawl) -> list[dict[str, str]]:
    return [entry for entry in map(readers.fields, crawl.index()) if entry["mime"] == "warc/revisit"]


def by_default(crawl: crawls.Crawl, one: Served, rows: list[dict[str, Any]]) -> tuple[list[str], int]:
    """How far a crawl that follows no copies is from what its own order allows; and how many pages it misses.

    Expected is what the walker reaches from the start through the pages that this crawl does not call copies.
    """
    truth = one.site.truth
    fetched = paths(rows, one.host, "fetched")
    reached = _reachable(one, {name for name, row in fetched.items() if row["copy_of"]})
    missing = truth.pages.keys() - fetched.keys()
    found = _unequal(one.host, "pages", fetched.keys(), reached & truth.pages.keys())
    from_copies: set[str] = set()
    for name, row in fetched.items():
        if row["copy_of"]:
            from_copies |= _links(one.site, name)
    told = {canon(url) for url, reason in crawl.refused().items() if reason == "copy"}
    found += [f"{one.host}: {name} is missed and not refused as copy" for name in (missing & from_copies) - told]
    return found, len(missing)


def _reachable(one: Served, copies: set[str]) -> set[str]:
    truth = one.site.truth
    reached = set(map(canon, truth.starts))
    waiting = list(reached)
    while waiting:
        name = waiting.pop()
        targets: set[str] = set()
        if name in truth.redirects:
            targets = {truth.redirects[name]}
        elif name in truth.pages and (name not in copies or name in truth.starts):
            targets = _links(one.site, name)
        waiting += targets - reached
        reached |= targets
    return reached


def _unequal(host: str, what: str, ours: Any, theirs: Any) -> list[str]:
    more, less = sorted(set(ours) - set(theirs)), sorted(set(theirs) - set(ours))
    found = [f"{host}: {len(more)} {what} too many, such as {more[:3]}"] if more else []
    return found + ([f"{host}: {len(less)} {what} missing, such as {less[:3]}"] if less else [])


@cache
def _walker() -> dict[str, Any]:
    """The functions of the independent walker, which as a program runs when imported."""
    source = re.sub(r"\nmain\(\)\s*$", "\n", debian.WALKER.read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    exec(compile(source, str(debian.WALKER), "exec"), names)
    return names


_known_links: dict[tuple[Path, str], set[str]] = defaultdict(set)


def _links(site: debian.Site, name: str) -> set[str]:
    """Names of what a page links to within its site, as the walker reads it."""
    key = (site.root, name)
    if key not in _known_links:
        walker = _walker()
        file = Path(os.fsdecode(os.path.normpath(os.fsencode(site.root) + unquote_to_bytes(name))))
        text, _ = walker["decode"]((file / "index.html" if file.is_dir() else file).read_bytes())
        out, _, base, _ = walker["links"](text, walker["B"] + name, "regex")
        urls = [walker["join"](base or walker["B"] + name, target) for _, target in out]
        _known_links[key] = {walker["canon"](url) for url in urls if url and _is_inside(url, walker["B"])}
    return _known_links[key]


def _is_inside(url: str, site: str) -> bool:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" == site
