"""Six documentation sites, crawled to the last page: alone, by default and with copies followed, and 20 hosts at once.

Truth is an independent walker over the same files. Alone, each site is crawled twice: with copies.follow=always its
pages, dead targets, redirects and groups of equal pages are the walker's; by default the pages missing are exactly
those that only copies link to, in the order crawled. Then 20 hosts, every one with bytes of its own, in one crawl.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from proofs import documentation
from tests import crawls
from tests.servers import debian

if TYPE_CHECKING:
    from collections.abc import Iterator

QUICK = "stl-manual"
TOGETHER = ("octave-doc", "python-django-doc")
TOGETHER_QUICK = ("debian-policy", "haskell98-report")
HOSTS_TOGETHER = 20


def run(quick: bool) -> int:
    found: list[str] = []
    lines: list[str] = []
    with tempfile.TemporaryDirectory(prefix="gossamer-sites-") as name:
        folder = Path(name)
        for site in _sites(folder, quick=quick):
            found += _alone(site, folder / site.truth.name, lines)
        found += _together(folder / "together", TOGETHER_QUICK if quick else TOGETHER, lines)
    print("\n".join(["", *found[:40], *lines]))
    print(f"{len(found)} differences from the truth")
    return 1 if found else 0


def _sites(folder: Path, *, quick: bool) -> Iterator[debian.Site]:
    if quick:
        yield documentation.small_with_copies(folder / "part")
        yield documentation.site_of(QUICK)
    else:
        yield from map(documentation.site_of, documentation.SIX)


def _alone(site: debian.Site, folder: Path, lines: list[str]) -> list[str]:
    name = site.truth.name
    found: list[str] = []
    with documentation.served({f"{name}.test": site}, folder / "server") as (_, [one]):
        for follow in ("always", "never"):
            ended = crawls.run(*documentation.flags([one], folder / follow, "--copies", follow))
            if ended.code:
                found.append(f"{name}: exit {ended.code}: {ended.stderr[-300:]}")
                continue
            crawl = crawls.Crawl(folder / follow)
            rows = crawl.pages()
            missing = 0
            if follow == "always":
                found += documentation.complete(crawl, one, rows)
            else:
                short, missing = documentation.by_default(crawl, one, rows)
                found += short
            found += documentation.sound(crawl, f"{name}, {follow}")
            pages, seconds = ended.numbers["pages"], ended.numbers["seconds"]
            copies = ended.numbers["copies"]
            lines.append(
                f"{name:20} copies {follow:6} {pages:5} pages, {copies:4} copies, "
                f"{missing:4} of {len(site.truth.pages)} missing, {seconds:6.1f} s, {pages / seconds:5.0f} pages/s"
            )
            print(f"{name}, {follow}: done", flush=True)
    return found


def _together(folder: Path, names: tuple[str, ...], lines: list[str]) -> list[str]:
    """Many hosts in one crawl, each with bytes of its own, so that no host's page is another's copy."""
    kinds = {name: documentation.site_of(name) for name in names}
    sites: dict[str, debian.Site] = {}
    for number in range(HOSTS_TOGETHER):
        kind = kinds[names[number % len(names)]]
        host = f"host-{number:02}.test"
        root = debian.with_bytes_of_its_own(kind.root, folder / "roots" / host, host)
        sites[host] = debian.Site(kind.truth, root)
    found: list[str] = []
    began = time.monotonic()
    with documentation.served(sites, folder / "server") as (_, hosts):
        ended = crawls.run(*documentation.flags(hosts, folder / "crawl", "--copies", "always"), seconds=1200)
    if ended.code:
        return [f"together: exit {ended.code}: {ended.stderr[-300:]}"]
    crawl = crawls.Crawl(folder / "crawl")
    rows = crawl.pages()
    for one in hosts:
        found += documentation.complete(crawl, one, rows)
    found += documentation.sound(crawl, "together")
    pages, seconds = ended.numbers["pages"], time.monotonic() - began
    lines.append(f"{HOSTS_TOGETHER} hosts together: {pages} pages, {seconds:.1f} s, {pages / seconds:.0f} pages/s")
    return found
