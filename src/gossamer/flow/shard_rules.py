"""How URLs become keys, sites and shards: what all shards of a crawl share, and whoever looks into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from gossamer.core.limits import PAGE_KEYS_KEPT, SITES_CACHED_MAX
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.url.key import KeyRules, url_keys
from gossamer.core.url.parse import host_of
from gossamer.core.url.site import SiteList

UrlPlace = tuple[str, bytes, int, str]
"""Of a URL: its host, its page key, the shard that owns it, its site."""


@dataclass(slots=True)
class ShardRules:
    """What all shards of a crawl share: how URLs become keys, sites and shards."""

    ids: Fingerprinter
    key_rules: KeyRules
    sites: SiteList
    shards: int
    aliases: bool = True
    """Whether alias rules are learned and applied."""
    _owners: dict[str, int] = field(default_factory=dict[str, int])
    """Host -> shard, of the hosts met last."""
    _known: dict[str, UrlPlace] = field(default_factory=dict[str, "UrlPlace"])
    _former: dict[str, UrlPlace] = field(default_factory=dict[str, "UrlPlace"])
    """Places of the URLs met last and before."""

    def shard_of(self, host: str) -> int:
        """The shard that owns a host's site."""
        owner = self._owners.get(host)
        if owner is None:
            if len(self._owners) >= SITES_CACHED_MAX:
                self._owners.clear()
            owner = self._owners[host] = self.ids.shard_of(self.sites.site_of(host), self.shards)
        return owner

    def page_keys(self, urls: Sequence[str]) -> tuple[list[str], list[bytes]]:
        """The host and the page key of each URL."""
        places = self.places(urls)
        return [place[0] for place in places], [place[1] for place in places]

    def places(self, urls: Sequence[str]) -> list[UrlPlace]:
        """The place of each URL. The pages of a site name the same ones: those are remembered."""
        found = list(map(self._known.get, urls))
        if None in found:
            self._learn([url for url, each in zip(urls, found, strict=True) if each is None])
            # What was found before may have become the former generation.
            known, former = self._known, self._former
            return [each or known.get(url) or former[url] for url, each in zip(urls, found, strict=True)]
        return cast("list[UrlPlace]", found)

    def _learn(self, urls: Sequence[str]) -> None:
        if len(self._known) + len(urls) > PAGE_KEYS_KEPT:
            self._former, self._known = self._known, {}
        former = self._former
        asked = [url for url in urls if url not in former]
        hosts = [host_of(url) for url in asked]
        keys = self.ids.page_keys(hosts, url_keys(asked, self.key_rules))
        owners, sites = map(self.shard_of, hosts), map(self.sites.site_of, hosts)
        self._known.update(zip(asked, zip(hosts, keys, owners, sites, strict=True), strict=True))
        self._known.update((url, former[url]) for url in urls if url in former)

    def site_of_url(self, url: str) -> str:
        """The site of a URL."""
        place = self._known.get(url)
        return place[3] if place is not None else self.sites.site_of(host_of(url))

    def shard_of_digest(self, digest: bytes) -> int:
        """The shard that answers for a body."""
        return int.from_bytes(digest[:8], "big") % self.shards
