"""The judge of links: scope and filters in one pass over a page's links.

Every refused link carries the first reason that applies, in this order: kind, nofollow, depth, length, scope, block
list, extension, exclude, include, trap. What people name themselves (a seed, an operator's URL) is not judged by what
is made for links: kind, depth, scope, extension, include patterns and the shapes of traps. A blocked host is "blocked"
even out of scope, and one that no name server can be asked for "host name". Nofollow is said of links on pages only, so
it does not touch redirects, sitemaps and feeds; neither do the shapes of traps touch what sitemaps and feeds name.

A seed group may have a scope and a depth of its own; links are judged by the group of the page they stand on.

Most of a page's links go to one host. What depends on the host alone is decided once for each host and remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from types import MappingProxyType
from typing import Final

from gossamer.core.dns.name import dns_name
from gossamer.core.limits import HOST_VERDICTS_MAX, URL_VERDICTS_MAX
from gossamer.core.page.links import LinkFlag, LinkKind, Links
from gossamer.core.scope.block_list import BlockList
from gossamer.core.scope.extensions import extension_of
from gossamer.core.scope.filters import FilterRules
from gossamer.core.scope.reasons import Reason
from gossamer.core.scope.refusal import Finding
from gossamer.core.scope.rules import ScopeRules
from gossamer.core.trap.link_traps import LinkTraps
from gossamer.core.trap.rules import SPARED
from gossamer.core.trap.shape import Shapes
from gossamer.core.url.parse import host_of

NAMED_BY_PEOPLE: Final = frozenset({LinkKind.SEED, LinkKind.OPERATOR})
NOT_ON_PAGES: Final = NAMED_BY_PEOPLE | {LinkKind.REDIRECT, LinkKind.SITEMAP, LinkKind.FEED, LinkKind.TO_SITEMAP}
UNSCOPED: Final = NAMED_BY_PEOPLE | {LinkKind.TO_SITEMAP}
"""A robots.txt may name a sitemap anywhere; who follows what a sitemap names asks for the scope itself."""
UNFILTERED: Final = UNSCOPED | {LinkKind.TO_FEED}
"""What is said of pages by extension and by include patterns does not concern files that name pages."""

_EVERYTHING: Final = (True, True, True)
"""What is asked of a link like most: scope, filters for links, the shapes of traps."""
_KindVerdict = tuple[str, bool, tuple[bool, bool, bool]]
"""Reason that holds for all links of a kind (or ""); whether nofollow is heeded; what is asked of each, as above."""
_HostVerdict = tuple[str, bool, bool]
"""Reason that holds for all URLs of a host (or ""); whether scope, and whether the block list, must see each URL."""


@dataclass(frozen=True, slots=True)
class GroupRules:
    """What a seed group has of its own."""

    scope: ScopeRules
    depth_max: int | None
    """None: no limit."""


NO_GROUPS: Final[Mapping[str, GroupRules]] = MappingProxyType({})


class LinkJudge:
    """Says of each link whether it is wanted, and if not, why."""

    def __init__(
        self,
        scope: ScopeRules,
        filters: FilterRules,
        site_of: Callable[[str], str],
        groups: Mapping[str, GroupRules] = NO_GROUPS,
        traps: LinkTraps | None = None,
    ) -> None:
        """`scope` and the filters' depth are those of all seed groups but `groups`. `site_of`: `SiteList.site_of`.

        Without `traps` no URL is refused for its looks.
        """
        self.scope: Final = scope
        self.filters = filters
        """Replaced by `block` only."""
        self.groups: Final = groups
        self.traps: Final = traps
        self._blocked: Final = filters.blocked
        self._site_of: Final = site_of
        self._hosts: dict[tuple[str, str], _HostVerdict] = {}
        """(group with a scope of its own or "", authority) -> verdict; it is the host's."""
        self._kinds: dict[tuple[int, bool, bool], _KindVerdict] = {}
        """(kind, whether links are too deep, whether the page says nofollow) -> verdict."""
        self._urls: dict[tuple[str, tuple[bool, bool, bool]], dict[str, str]] = {}
        """That group, and what was asked -> URL -> reason or ""."""
        self._urls_known = 0
        self._shapes: Shapes | None = traps.shapes if traps is not None else None
        """By which those were judged."""
        self._patterns: Final = bool(filters.exclude.patterns or filters.include.patterns)

    def scope_of(self, group: str) -> ScopeRules:
        """The scope that a seed group is judged by."""
        own = self.groups.get(group)
        return own.scope if own is not None else self.scope

    def depth_max_of(self, group: str) -> int | None:
        """The depth that a seed group may reach; None without a limit."""
        own = self.groups.get(group)
        return own.depth_max if own is not None else self.filters.depth_max

    def judge(self, links: Links, depth: int, *, page_nofollow: bool = False, group: str = "") -> list[str]:
        """For each row of `links` an empty string when it is wanted, else the reason.

        `depth`: of the URLs found, in links from a seed. `page_nofollow`: the page they stand on says nofollow.
        `group`: the seed group of that page.
        """
        # A plain number: an enum's own operator costs a microsecond a link.
        nofollow = int(LinkFlag.NOFOLLOW) if self.filters.obey_nofollow else 0
        all_nofollow = page_nofollow and self.filters.obey_nofollow
        depth_max = self.depth_max_of(group)
        too_deep = depth_max is not None and depth > depth_max
        group = group if group in self.groups else ""
        # A page names the same URL five times, and the pages of a site the same ones: each is looked at once.
        known = self._known_urls()
        usual = known.setdefault((group, _EVERYTHING), {})
        by_kind: dict[int, tuple[str, bool, tuple[bool, bool, bool], dict[str, str]]] = {}
        unusual = bytearray(256)
        for kind in sorted(set(links.kinds)):
            reason, heeds_nofollow, asked = self._of_kind(kind, too_deep, all_nofollow)
            by_kind[kind] = (reason, heeds_nofollow, asked, known.setdefault((group, asked), {}))
            unusual[kind] = bool(reason) or asked != _EVERYTHING
        apart = links.kinds.translate(unusual)
        if nofollow and any(links.flags):
            apart = bytearray(kind | flag for kind, flag in zip(apart, links.flags, strict=True))
        found = list(map(usual.get, links.urls))
        # Few rows are left for a look of their own: the others are links like most, to URLs judged before.
        rows = [row for row, verdict, is_apart in zip(count(), found, apart) if is_apart or verdict is None]
        verdicts = [verdict or "" for verdict in found]
        for row in rows:
            verdict, heeds_nofollow, asked, judged = by_kind[links.kinds[row]]
            if links.flags[row] & nofollow and heeds_nofollow:
                verdict = Reason.NOFOLLOW
            elif not verdict:
                verdict = self._judged(judged, links.urls[row], group, asked)
            verdicts[row] = verdict
        return verdicts

    def judge_one(self, url: str, kind: LinkKind, depth: int, group: str = "") -> str:
        """`judge` for a single URL: a seed, a redirect target."""
        return self.judge_finding(Finding(url, (kind,), nofollow=False, depth=depth, group=group))

    def judge_finding(self, finding: Finding) -> str:
        """`judge` for a URL found before: wanted as soon as one of its kinds is."""
        verdicts = [self._reason_of_finding(finding, kind) for kind in finding.kinds]
        return "" if "" in verdicts else verdicts[0]

    def add_seed(self, seed: str, group: str = "") -> None:
        """`ScopeRules.add_seed`, with what is remembered of hosts forgotten."""
        self.scope_of(group).add_seed(seed)
        self._forget()

    def widen(self, seed: str, final_url: str, group: str = "") -> bool:
        """`ScopeRules.widen`, with what is remembered of hosts forgotten."""
        wider = self.scope_of(group).widen(seed, final_url)
        if wider:
            self._forget()
        return wider

    @property
    def widenings(self) -> list[tuple[str, str]]:
        """(seed, where its redirects ended), of those that made the scope of any group wider."""
        scopes = (self.scope, *(group.scope for group in self.groups.values()))
        return sorted({widening for scope in scopes for widening in scope.widenings})

    def block(self, blocked: BlockList) -> None:
        """Block these beside what the filters block that it was made with; what was given here before is forgotten."""
        self.filters = replace(self.filters, blocked=self._blocked.joined(blocked))
        self._forget()

    def _known_urls(self) -> dict[tuple[str, tuple[bool, bool, bool]], dict[str, str]]:
        """The verdicts that still hold: not too many, and of the shapes now in force."""
        shapes = self.traps.shapes if self.traps is not None else None
        if self._urls_known > URL_VERDICTS_MAX or shapes is not self._shapes:
            self._urls.clear()
            self._urls_known, self._shapes = 0, shapes
        return self._urls

    def _forget(self) -> None:
        """Decide anew: the rules have changed."""
        self._hosts.clear()
        self._urls.clear()
        self._urls_known = 0

    def _reason_of_finding(self, finding: Finding, kind: LinkKind) -> str:
        """One row of `judge`, for a URL alone: each is asked about before it is leased."""
        depth_max = self.depth_max_of(finding.group)
        too_deep = depth_max is not None and finding.depth > depth_max
        reason = self._reason_of_kind(kind, too_deep=too_deep, all_nofollow=False)
        heeds_nofollow = reason is not Reason.KIND and kind not in NOT_ON_PAGES
        if finding.nofollow and heeds_nofollow and self.filters.obey_nofollow:
            return Reason.NOFOLLOW
        if reason:
            return reason
        group = finding.group if finding.group in self.groups else ""
        asked = kind not in UNSCOPED, kind not in UNFILTERED, kind not in SPARED
        return self._judged(self._known_urls().setdefault((group, asked), {}), finding.url, group, asked)

    def _judged(self, known: dict[str, str], url: str, group: str, asked: tuple[bool, bool, bool]) -> str:
        """`_reason_of_url`, remembered among those known."""
        reason = known.get(url)
        if reason is None:
            reason = known[url] = self._reason_of_url(url, group, asked)
            self._urls_known += 1
        return reason

    def _of_kind(self, kind: int, too_deep: bool, all_nofollow: bool) -> _KindVerdict:  # noqa: FBT001 - a key
        key = kind, too_deep, all_nofollow
        verdict = self._kinds.get(key)
        if verdict is None:
            reason = self._reason_of_kind(LinkKind(kind), too_deep=too_deep, all_nofollow=all_nofollow)
            heeds_nofollow = reason is not Reason.KIND and kind not in NOT_ON_PAGES
            asked = kind not in UNSCOPED, kind not in UNFILTERED, kind not in SPARED
            verdict = self._kinds[key] = (reason, heeds_nofollow, asked)
        return verdict

    def _reason_of_kind(self, kind: LinkKind, *, too_deep: bool, all_nofollow: bool) -> str:
        if kind in NAMED_BY_PEOPLE:
            return ""
        if kind not in self.filters.kinds:
            return Reason.KIND
        if all_nofollow and kind not in NOT_ON_PAGES:
            return Reason.NOFOLLOW
        return Reason.DEPTH if too_deep else ""

    def _reason_of_url(self, url: str, group: str, asked: tuple[bool, bool, bool]) -> str:
        """`asked`: whether scope, filters for links and the shapes of traps have a say."""
        filters, (scoped, filtered, shaped) = self.filters, asked
        if len(url) > filters.url_length_max:
            return Reason.URL_LENGTH
        authority = url[: url.index("/", 8)]
        reason, ask_scope, ask_blocked = self._hosts.get((group, authority)) or self._of_host(group, authority)
        if reason and (scoped or reason is not Reason.SCOPE):
            return reason
        if ask_scope and scoped:
            host = host_of(url)
            if refused := self.scope_of(group).judge(url, host, self._site_of(host)):
                return refused
        if ask_blocked and filters.blocked.blocks_url(url, host_of(url)):
            return Reason.BLOCKED
        if filtered and filters.extensions:
            # Without a query the extension is what follows the last dot, or there is none: few URLs get past this.
            tail = url[url.rfind(".") + 1 :]
            if ("?" in url or tail.lower() in filters.extensions) and extension_of(url) in filters.extensions:
                return Reason.EXTENSION
        if self._patterns and (refused := self._reason_of_patterns(url, filtered=filtered)):
            return refused
        return Reason.TRAP if shaped and self.traps is not None and self.traps.shapes.rule_of(url) else ""

    def _reason_of_patterns(self, url: str, *, filtered: bool) -> str:
        if self.filters.exclude.find(url) is not None:
            return Reason.EXCLUDED
        if filtered and self.filters.include.patterns and self.filters.include.find(url) is None:
            return Reason.NOT_INCLUDED
        return ""

    def _of_host(self, group: str, authority: str) -> _HostVerdict:
        host = host_of(authority + "/")
        in_scope = self.scope_of(group).of_host(host, self._site_of(host))
        blocked = self.filters.blocked
        reason: str = Reason.SCOPE if in_scope is False else ""
        if not dns_name(host):
            reason = Reason.HOST_NAME
        if blocked.blocks_host(host):
            # Said before scope where both hold for whole hosts: a seed on a blocked host must not slip through.
            reason = Reason.BLOCKED
        if len(self._hosts) >= HOST_VERDICTS_MAX:
            self._hosts.clear()
        verdict = self._hosts[group, authority] = (reason, in_scope is None, host in blocked.prefixes)
        return verdict
