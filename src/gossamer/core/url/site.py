"""The site of a host: its registrable domain by the Public Suffix List, private section included.

The list comes with the library; nothing is downloaded. A site decides which shard a URL belongs to, so a crawl keeps
the list it began with in its folder, and a newer release goes on with that one.
"""

from __future__ import annotations

import ipaddress
from typing import Final

import publicsuffixlist

from gossamer.core.limits import SITES_CACHED_MAX


class SiteList:
    """Answers `site_of`, remembering recent answers."""

    version: Final[str] = publicsuffixlist.__version__
    """The version of the library's list; its last part is the list's day. Known without reading the list."""

    def __init__(self, source: bytes | None = None) -> None:
        """Reads `source`, a list in the format of publicsuffix.org; without one the list that the library carries.

        Takes 20 ms with a source, ten times that without: make one and share it. Raises ValueError for what is no list.
        """
        if source is None:
            self._list = publicsuffixlist.PublicSuffixList()
        else:
            self._list = publicsuffixlist.PublicSuffixList(_rules(source), accept_encoded_idn=False)
        self._cache: dict[str, str] = {}

    def site_of(self, host: str) -> str:
        """The site of `host` (as `Url.host`).

        An address literal, a single-label name, a bare public suffix and a name with empty labels are their own site.
        """
        site = self._cache.get(host)
        if site is None:
            site = self._look_up(host)
            if len(self._cache) >= SITES_CACHED_MAX:
                # The oldest entry goes: dictionaries keep the order of insertion.
                del self._cache[next(iter(self._cache))]
            self._cache[host] = site
        return site

    def registrable_domain(self, host: str) -> str:
        """The domain under which `host` was registered; "" for an address literal and for what has none.

        None have: a public suffix, a name with empty labels, and a single label.
        """
        return "" if _is_address(host) else self._list.privatesuffix(host) or ""

    def _look_up(self, host: str) -> str:
        return self.registrable_domain(host) or host


def _rules(source: bytes) -> list[str]:
    """The rules of a list, those with letters outside ASCII in Punycode too.

    The library would encode every rule anew to find that nearly all of them are ASCII. The list's names are normalised
    (its guidelines want that), so Punycode alone is enough.
    """
    rules: list[str] = []
    for line in source.decode().splitlines():
        rule = line.lower().split(" ")[0].rstrip()
        if rule and not rule.startswith("//"):
            rules.append(rule)
            if not rule.isascii():
                exception = "!" if rule[0] == "!" else ""
                rules.append(exception + ".".join(map(_in_punycode, rule.lstrip("!").split("."))))
    return rules


def _in_punycode(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")


def _is_address(host: str) -> bool:
    if not (":" in host or host[-1:].isdigit()):
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
