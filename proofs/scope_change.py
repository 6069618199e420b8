"""Resumed with a wider scope a crawl equals one that had it at first; with a narrower one nothing outside is asked.

One web of loopback hosts, and a table of scopes in pairs, a narrow and a wide one each. For every pair: a crawl with
the narrow scope to its end, resumed with the wide one, must have exactly the pages of a crawl that had the wide scope
from the start, none fetched twice; a crawl with the wide scope, cut short halfway and resumed with the narrow one, must
ask (by the server's log) for nothing that a crawl with the narrow scope does not ask for. One of each is killed in the
middle of its second life and resumed once more. The books balance after every step, and `explain` says what became of
the URLs that the change took away.
"""

from __future__ import annotations

import signal
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from gossamer.core.frontier.records import PageState
from gossamer.core.scope.identity import RULED
from tests import crawls, ledgers
from tests.servers import small_site
from tests.servers.small_site import Answer, page

SITES = 4
HOSTS_PER_SITE = 3
PAGES = 40
PAGES_QUICK = 8
SECONDS_MAX = 120.0
EXPLAINED = 3


@dataclass(frozen=True)
class Pair:
    """A narrow and a wide scope, as settings; what neither names is the same in both."""

    name: str
    narrow: dict[str, str]
    wide: dict[str, str]
    killed: bool = False


PAIRS = (
    Pair("scope.kind: host, site", {"scope.kind": "host"}, {"scope.kind": "site"}),
    Pair("scope.kind: prefix, any", {"scope.kind": "prefix"}, {"scope.kind": "any"}, killed=True),
    Pair("scope.domains: two hosts", {"scope.domains": "none"}, {"scope.domains": "{domains}"}),
    Pair("scope.max_depth: 3, 20", {"scope.max_depth": "3"}, {"scope.max_depth": "20"}),
    Pair("scope.include: /a/, everything", {"scope.include": '["/a/"]'}, {"scope.include": "[]"}),
    Pair("scope.exclude: /b/, nothing", {"scope.exclude": '["/b/"]'}, {"scope.exclude": "[]"}),
    Pair("scope.extensions: php, none", {"scope.extensions": '["php"]'}, {"scope.extensions": "[]"}),
    Pair("scope.nofollow: obey, ignore", {"scope.nofollow": "obey"}, {"scope.nofollow": "ignore"}),
    Pair("scope.follow_kinds: none, image", {"scope.follow_kinds": "[]"}, {"scope.follow_kinds": '["image"]'}),
    Pair("scope.block_file: a prefix, none", {"scope.block_file": "{blocked}"}, {"scope.block_file": "none"}),
)
PAIRS_QUICK = PAIRS[1:2]
COMMON = {"scope.kind": "site"}
"""What the pairs that say nothing of the scope's kind have."""


@dataclass
class Web:
    """Hosts of several sites: every page links to the next of its host, to other folders, hosts and sites."""

    site: small_site.Site
    pages: int

    def names(self) -> list[str]:
        return [f"h{host}.site{site}.test" for site in range(SITES) for host in range(HOSTS_PER_SITE)]

    def fill(self) -> None:
        for index, name in enumerate(self.names()):
            self.site.table[f"//{name}/"] = page("/a/0", title=f"start of {name}")
            for number in range(self.pages):
                for folder in "ab":
                    self.site.table[f"//{name}/{folder}/{number}"] = self._page(index, folder, number)
                self.site.table[f"//{name}/a/{number}.php"] = page(title=f"{name} {number} php")
                self.site.table[f"//{name}/quiet/{number}"] = page(title=f"{name} {number} quiet")
                self.site.table[f"//{name}/drawn/{number}"] = page(title=f"{name} {number} drawn")

    def _page(self, index: int, folder: str, number: int) -> Answer:
        names = self.names()
        sister = names[index - index % HOSTS_PER_SITE + (index + 1) % HOSTS_PER_SITE]
        stranger = names[(index + HOSTS_PER_SITE) % len(names)]
        # A chain that depth cuts, with a short cut here and there: the second way to a page is often the nearer one.
        onward = [f"/{folder}/{further}" for further in (number + 1, number + 7) if further < self.pages]
        extra = f'<a rel=nofollow href="/quiet/{number}">quiet</a><img src="/drawn/{number}">'
        links = [*onward, f"/b/{number}", f"/a/{number}.php"]
        links += [self.site.url(f"/a/{number}", sister), self.site.url(f"/b/{number}", stranger)]
        return page(*links, title=f"{names[index]} {folder} {number}", more=extra)


@dataclass
class Proof:
    """What is used throughout, and what was found."""

    web: Web
    folder: Path
    found: list[str] = field(default_factory=list[str])
    pages: int = 0
    runs: int = 0
    withdrawn: int = 0

    def crawl(self, name: str, settings: dict[str, str], *flags: str) -> crawls.Crawl:
        """A new crawl to its end."""
        names = self.web.names()
        folder = self.folder / name
        code, crawl = crawls.crawl(
            folder,
            self.web.site.url("/a/0", names[0]),
            *(part for host in names for part in ("--resolve", f"{host}=127.0.0.1")),
            *self.sets(settings),
            *flags,
        )
        self.expect(code == 0, f"{name}: exit {code}")
        self.judge(name, crawl)
        return crawl

    def resume(self, name: str, settings: dict[str, str], *, killed: bool) -> crawls.Crawl:
        """Go on with other settings, to the end; `killed` once on the way, and resumed without a word of them."""
        arguments = [*self.sets(settings), "--set", "crawl.max_pages=none"]
        folder = self.folder / name
        if killed:
            asked = len(self.web.site.log)
            process = crawls.start("resume", folder, "--quiet", *arguments)
            until = time.monotonic() + SECONDS_MAX
            while process.poll() is None and len(self.web.site.log) <= asked + 3 and time.monotonic() < until:
                time.sleep(0.002)
            process.send_signal(signal.SIGKILL)
            process.wait(SECONDS_MAX)
            arguments = []
        code, crawl = crawls.resume(folder, *arguments, "--json")
        self.expect(code == 0, f"{name}: resumed, exit {code}")
        self.judge(name, crawl, rescoped=True, killed=killed)
        return crawl

    def sets(self, settings: dict[str, str]) -> list[str]:
        files = {"domains": self.folder / "domains", "blocked": self.folder / "blocked"}
        pairs = ((key, value.format(**files) if value.startswith("{") else value) for key, value in settings.items())
        return [part for key, value in pairs for part in ("--set", f"{key}={value}")]

    def judge(self, name: str, crawl: crawls.Crawl, *, rescoped: bool = False, killed: bool = False) -> None:
        """What holds after every step."""
        self.runs += 1
        self.pages += len(crawl.fetched())
        self.found += [f"{name}: {problem}" for problem in ledgers.problems(crawl, rescoped=rescoped)]
        twice = [url for url, times in Counter(row["url"] for row in crawl.pages()).items() if times > 1]
        self.expect(killed or not twice, f"{name}: fetched twice: {twice[:3]}")

    def expect(self, holds: bool, words: str) -> None:
        if not holds:
            self.found.append(words)


def run(quick: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="gossamer-scope-") as name, small_site.serve({}) as site:
        web = Web(site, PAGES_QUICK if quick else PAGES)
        web.fill()
        proof = Proof(web, Path(name))
        (proof.folder / "domains").write_text("h0.site1.test\nh1.site2.test\n")
        (proof.folder / "blocked").write_text(site.url("/b/", "h0.site0.test") + "\n")
        for number, pair in enumerate(PAIRS_QUICK if quick else PAIRS):
            _prove(proof, pair, number)
    proof.expect(proof.withdrawn > 0, "no queued URL was refused under a narrower scope: nothing was shown of that")
    for finding in proof.found:
        print(finding)
    print(f"{proof.runs} crawls, {proof.pages} pages, {len(proof.found)} findings")
    return 1 if proof.found else 0


def _prove(proof: Proof, pair: Pair, number: int) -> None:
    site = proof.web.site
    narrow, wide = COMMON | pair.narrow, COMMON | pair.wide
    before = len(site.log)
    least = proof.crawl(f"{number}-narrow", narrow)
    inside = {(hit.host, hit.uri) for hit in site.log[before:]}
    most = proof.crawl(f"{number}-wide", wide)
    half = len(most.fetched()) // 2

    small = set(least.fetched())
    widened = proof.resume(f"{number}-narrow", wide, killed=pair.killed)
    missing, more = set(most.fetched()) - set(widened.fetched()), set(widened.fetched()) - set(most.fetched())
    proof.expect(
        not missing and not more, f"{pair.name}: {len(missing)} missing {sorted(missing)[:3]}, {len(more)} more"
    )
    proof.expect(len(most.fetched()) > len(small), f"{pair.name}: the wide scope is no wider here")

    proof.crawl(f"{number}-cut", wide, "--max-pages", str(half))
    since = len(site.log)
    narrowed = proof.resume(f"{number}-cut", narrow, killed=pair.killed)
    outside = sorted({(hit.host, hit.uri) for hit in site.log[since:]} - inside)
    proof.expect(not outside, f"{pair.name}: asked outside the scope: {outside[:3]}")
    lost = small - set(narrowed.fetched())
    # A page may have been found by a longer way first, and been refused for its depth.
    proof.expect(not lost or "depth" in pair.name, f"{pair.name}: {len(lost)} pages of the narrow scope are missing")
    withdrawn = _withdrawn(narrowed)
    proof.withdrawn += len(withdrawn)
    _explain(proof, pair, narrowed, withdrawn)
    figures = f"narrow {len(small):4}, wide {len(most.fetched()):4} pages; widened: {len(widened.fetched()):4}, "
    figures += f"cut at {half:4} and narrowed: {len(narrowed.fetched()):4}, {len(withdrawn):4} queued URLs refused"
    print(f"  {pair.name:34} {figures}", flush=True)


def _withdrawn(crawl: crawls.Crawl) -> dict[str, str]:
    """URL -> reason, of the known URLs that the changed scope refuses."""
    records = ledgers.read_books(crawl).records
    return {each.url: each.reason for each in records if each.state == PageState.REFUSED and each.reason in RULED}


def _explain(proof: Proof, pair: Pair, crawl: crawls.Crawl, withdrawn: dict[str, str]) -> None:
    for url, reason in list(withdrawn.items())[:EXPLAINED]:
        told = crawls.run("explain", crawl.folder, url, "--json").numbers
        said = (told["state"], told["cause"]["code"])
        proof.expect(said == ("refused", reason), f"{pair.name}: explain {url} says {said}, not refused, {reason}")
