"""Scope: which URLs are wanted at all, drawn from the seeds.

Each seed contributes one rule of the scope's kind:

* `page`: the seed itself, in any spelling that its URL key folds;
* `prefix`: its host, where the path begins as the seed's does up to the last slash;
* `host`: its host, with all authorities of it (either scheme, any port);
* `site`: its registrable domain;
* `any`: everything.

A URL is in scope when one rule says so, or when its host is, or lies under, one of the scope's *domains*. With `any`
a list of domains leaves nothing but them: it would have no meaning otherwise.

Where a seed's redirects end on the seed's own site, that place counts as the seed too, so that `http://example.com`
going to `https://www.example.com` is crawled. Such a *widening* is recorded in the scope and so in the folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Final

import msgspec

from gossamer.core.scope.reasons import Reason
from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import host_of, parse, target_of


class ScopeKind(StrEnum):
    """How far from each seed a crawl may go."""

    PAGE = "page"
    PREFIX = "prefix"
    HOST = "host"
    SITE = "site"
    ANY = "any"


class Scope(msgspec.Struct, frozen=True):
    """A crawl's scope as data, as the folder keeps it."""

    kind: ScopeKind
    seeds: tuple[str, ...]
    """Normalised URLs."""
    domains: tuple[str, ...] = ()
    """Hosts as `Url.host`; each stands for itself and every host below it."""
    widenings: tuple[tuple[str, str], ...] = ()
    """(seed, where its redirects ended)."""


class ScopeRules:
    """Answers whether URLs are in scope. Widening is the only change."""

    def __init__(self, scope: Scope, site_of: Callable[[str], str], keys: KeyRules | None = None) -> None:
        """`site_of` is `SiteList.site_of`; `keys` what makes two URLs one in this crawl."""
        self._kind: Final = scope.kind
        self._seeds: Final = list(scope.seeds)
        self._domains: Final = frozenset(scope.domains)
        self._site_of: Final = site_of
        self._keys: Final = keys or KeyRules()
        self._widenings: dict[tuple[str, str], None] = {}
        self._pages: set[str] = set()
        self._hosts: set[str] = set()
        self._sites: set[str] = set()
        self._prefixes: dict[str, tuple[str, ...]] = {}
        for seed in scope.seeds:
            self._admit(seed)
        for seed, final in scope.widenings:
            self.widen(seed, final)

    @property
    def kind(self) -> ScopeKind:
        """How far from each seed the crawl may go."""
        return self._kind

    @property
    def scope(self) -> Scope:
        """The scope as it is now, widenings included."""
        return Scope(self._kind, tuple(self._seeds), tuple(sorted(self._domains)), tuple(self._widenings))

    @property
    def widenings(self) -> tuple[tuple[str, str], ...]:
        """(seed, where its redirects ended), of those that made the scope wider."""
        return tuple(self._widenings)

    @property
    def reach(self) -> tuple[str, ...]:
        """What the verdicts follow from, and nothing more: two scopes with the same reach give the same verdicts."""
        by_kind: dict[ScopeKind, Iterable[str]] = {
            ScopeKind.PAGE: self._pages,
            ScopeKind.PREFIX: (f"{host} {path}" for host, paths in self._prefixes.items() for path in paths),
            ScopeKind.HOST: self._hosts,
            ScopeKind.SITE: self._sites,
            ScopeKind.ANY: (),
        }
        return (self._kind, *sorted(by_kind[self._kind]), "domains", *sorted(self._domains))

    def add_seed(self, seed: str) -> None:
        """One more seed (a normalised URL), as an operator adds it to a crawl under way."""
        if seed not in self._seeds:
            self._seeds.append(seed)
            self._admit(seed)

    def widen(self, seed: str, final_url: str) -> bool:
        """The redirects of `seed` ended at `final_url`. Whether the scope is wider now; never across sites."""
        if (seed, final_url) in self._widenings or self._site_of(host_of(seed)) != self._site_of(host_of(final_url)):
            return False
        if not self.judge(final_url, host_of(final_url), self._site_of(host_of(final_url))):
            return False
        self._widenings[seed, final_url] = None
        self._admit(final_url)
        return True

    def judge(self, url: str, host: str, site: str) -> str:
        """An empty string when a normalised URL is in scope, else `Reason.SCOPE`. `host` and `site` are its own."""
        whole_host = self.of_host(host, site)
        in_scope = self._has_url(url, host) if whole_host is None else whole_host
        return "" if in_scope else Reason.SCOPE

    def of_host(self, host: str, site: str) -> bool | None:
        """The verdict on every URL of a host at once; None where it depends on the URL."""
        if self.is_listed(host):
            return True
        match self._kind:
            case ScopeKind.ANY:
                return not self._domains
            case ScopeKind.SITE:
                return site in self._sites
            case ScopeKind.HOST:
                return host in self._hosts
            case ScopeKind.PREFIX | ScopeKind.PAGE:
                return None if host in self._hosts else False

    def _has_url(self, url: str, host: str) -> bool:
        if self._kind is ScopeKind.PAGE:
            return url in self._pages or url_key(url, self._keys) in self._pages
        return target_of(url).startswith(self._prefixes.get(host, ()))

    def is_listed(self, host: str) -> bool:
        """Whether a host is one of the scope's domains, or lies under one."""
        return bool(self._domains) and lies_under(host, self._domains)

    def _admit(self, url: str) -> None:
        host = host_of(url)
        path = target_of(url).partition("?")[0]
        self._pages.update((url, url_key(url, self._keys)))
        self._hosts.add(host)
        self._sites.add(self._site_of(host))
        prefixes = {*self._prefixes.get(host, ()), path[: path.rindex("/") + 1]}
        self._prefixes[host] = tuple(sorted(prefixes))


def lies_under(host: str, domains: frozenset[str]) -> bool:
    """Whether `host` is one of `domains` or a name below one."""
    while host not in domains:
        _, dot, host = host.partition(".")
        if not dot:
            return False
    return True


def read_domains(text: str) -> tuple[tuple[str, ...], list[str]]:
    """The domains of a file, and what is wrong with it, line by line.

    One host a line; `#` begins a comment; a leading `*.` and a scheme and path are forgiven.
    """
    domains: dict[str, None] = {}
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        name = line.partition("#")[0].strip().removeprefix("*.")
        if not name:
            continue
        url = parse(name if "://" in name else f"http://{name}/")
        if url is None:
            problems.append(f"line {number}: {name!r} is not a host name")
        else:
            domains[url.host] = None
    return tuple(domains), problems
