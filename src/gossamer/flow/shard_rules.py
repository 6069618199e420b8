"""How URLs become keys, sites and shards: what all shards of a crawl share, and whoever looks into one."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.url.key import KeyRules
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

    def shard_of(self, host: str) -> int:
        """The shard that owns a host's site."""
        return self.ids.shard_of(self.sites.site_of(host), self.shards)

    def shard_of_digest(self, digest: bytes) -> int:
        """The shard that answers for a body."""
        return int.from_bytes(digest[:8], "big") % self.shards
