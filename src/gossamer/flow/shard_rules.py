"""How URLs become keys, sites and shards: what all shards of a crawl share, and whoever looks into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gossamer.core.limits import PAGE_KEYS_KEPT, SITES_CACHED_MAX
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.url.key import KeyRules, url_keys
from gossamer.core.url.parse import host_of
from gossamer.core.url.site import SiteList


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
    _known: dict[str, tuple[str, bytes]] = field(default_factory=dict[str, tuple[str, bytes]])
    _former: dict[str, tuple[str, bytes]] = field(default_factory=dict[str, tuple[str, bytes]])
    """URL -> its host and page key, of the URLs met last and before."""

    def shard_of(self, host: str) -> int:
        """The shard that owns a host's site."""
        owner = self._owners.get(host)
        if owner is None:
            if len(self._owners) >= SITES_CACHED_MAX:
                self._owners.clear()
            owner = self._owners[host] = self.ids.shard_of(self.sites.site_of(host), self.shards)
        return owner

    def page_keys(self, urls: Sequence[str]) -> tuple[list[str], list[bytes]]:
        """The host and the page key of each URL. The pages of a site name the same ones: those are remembered."""
        found = list(map(self._known.get, urls))
        if not all(found):
            self._learn([url for url, each in zip(urls, found, strict=True) if each is None])
            # What was found before may have become the former generation.
            known, former = self._known, self._former
            found = [each or known.get(url) or former[url] for url, each in zip(urls, found, strict=True)]
        return [each[0] for each in found if each], [each[1] for each in found if each]

    def _learn(self, urls: Sequence[str]) -> None:
        if len(self._known) + len(urls) > PAGE_KEYS_KEPT:
            self._former, self._known = self._known, {}
        former = self._former
        asked = [url for url in urls if url not in former]
        hosts = [host_of(url) for url in asked]
        keys = self.ids.page_keys(hosts, url_keys(asked, self.key_rules))
        self._known.update(zip(asked, zip(hosts, keys, strict=True), strict=True))
        self._known.update((url, former[url]) for url in urls if url in former)

    def shard_of_digest(self, digest: bytes) -> int:
        """The shard that answers for a body."""
        return int.from_bytes(digest[:8], "big") % self.shards
