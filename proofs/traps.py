"""Traps: in a world most of whose URLs lead into traps they have at most a tenth of the fetches, and no page is lost.

The world has real pages, and beside them a calendar, an events page with parameters, facets, session ids in the path,
repeated segments, soft redirects, endless redirects and endless subdomains; all go on for ever. Judged by the server's
log. Then documentation whose pages are near copies of each other, with copies followed: every page is fetched.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from proofs import documentation
from tests import crawls
from tests.servers import debian, trap_world
from tests.servers.trap_world import HOST, TRAPS, TrapWorld

PAGES, PAGES_QUICK = 2_000, 1_250
TRAPPED_MAX = 0.10
NAMED_MIN = 0.60
"""Share of traps among the distinct URLs that the pages fetched name."""
SITES, SITES_QUICK = ("fp-docs-3.2.2_fpctoc", "libgtk-4-doc_gtk4"), ("stl-manual",)


def run(quick: bool) -> int:
    found: list[str] = []
    lines: list[str] = []
    with tempfile.TemporaryDirectory(prefix="gossamer-traps-") as name:
        folder = Path(name)
        found += _world(folder / "world", PAGES_QUICK if quick else PAGES, lines)
        for site in SITES_QUICK if quick else SITES:
            found += _documentation(documentation.site_of(site), folder / site, lines)
    print("\n".join(["", *found[:40], *lines]))
    print(f"{len(found)} findings{', QUICK' if quick else ''}")
    return 1 if found else 0


def _world(folder: Path, pages: int, lines: list[str]) -> list[str]:
    world = TrapWorld(pages)
    with trap_world.serve(world) as (site, nameserver):
        ended = crawls.run(
            "crawl", site.url("/", HOST), "-o", folder, "--gap", "0", "--scope", "site", "--copies", "always", "--json",
            "--set", f"dns.nameservers={nameserver}", "--max-pages", str(pages * 3), *crawls.LOOPBACK,
            seconds=900,
        )  # fmt: skip
        asked = [(hit.host, hit.uri) for hit in site.hits() if hit.uri != "/robots.txt"]
    crawl = crawls.Crawl(folder)
    if ended.code:
        return [f"the world: exit {ended.code}: {ended.stderr[-300:]}"]
    trapped = [(host, uri) for host, uri in asked if world.is_trap(host, uri)]
    missed = set(world.named) - {uri for host, uri in asked if host == HOST}
    targets = set(crawl.table("links").column("target").to_pylist())
    named = sum(world.is_trap(urlsplit(url).hostname or "", _target(url)) for url in targets) / len(targets)
    share = len(trapped) / len(asked)
    by_trap = Counter(uri.split("?")[0] if host == HOST else "subdomains" for host, uri in trapped)
    folded = Counter(_trap_of(host, uri) for host, uri in trapped)
    lines.append(f"world of {pages} pages: {len(asked)} fetches, {len(trapped)} in traps ({100 * share:.1f} %)")
    lines.append(
        f"  {100 * named:.1f} % of the {len(targets)} URLs that links name are traps'; {len(by_trap)} were asked for"
    )
    lines.append("  " + ", ".join(f"{trap} {number}" for trap, number in folded.most_common()))
    found = [f"{len(missed)} real pages are lost, such as {sorted(missed)[:3]}"] if missed else []
    if share > TRAPPED_MAX:
        found.append(f"{100 * share:.1f} % of the fetches are in traps, {100 * TRAPPED_MAX:.0f} % at most may be")
    if named < NAMED_MIN:
        found.append(f"only {100 * named:.1f} % of the URLs are traps'")
    if not crawl.summary()["balanced"]:
        found.append("the books do not balance")
    suspects = crawls.run("report", folder, "traps", "--json").stdout.splitlines()
    lines.append(f"  {len(suspects)} suspects in the report")
    return found if suspects else [*found, "the report has no suspects"]


def _target(url: str) -> str:
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def _trap_of(host: str, uri: str) -> str:
    return next((trap for trap in TRAPS if uri.startswith(trap)), uri) if host == HOST else "subdomains"


def _documentation(site: debian.Site, folder: Path, lines: list[str]) -> list[str]:
    name = site.truth.name
    with documentation.served({f"{site.truth.package}.test": site}, folder / "server") as (_, [one]):
        ended = crawls.run(*documentation.flags([one], folder / "crawl", "--copies", "always"), seconds=1800)
    if ended.code:
        return [f"{name}: exit {ended.code}: {ended.stderr[-300:]}"]
    crawl = crawls.Crawl(folder / "crawl")
    found = [*documentation.complete(crawl, one, crawl.pages()), *documentation.sound(crawl, name)]
    refused = crawl.reasons()["trap"]
    if refused:
        found.append(f"{name}: {refused} URLs were refused for traps'")
    lines.append(
        f"{name}: {ended.numbers['pages']} of {len(site.truth.pages)} pages, {refused} URLs refused for traps'"
    )
    return found
