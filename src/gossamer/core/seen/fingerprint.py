"""Fingerprints: keyed 128-bit hashes of URL keys, and the ids and shard numbers made beside them.

BLAKE2b (RFC 7693) with the crawl folder's own key, so that nobody who writes links can aim at a collision or at one
shard. The purposes are told apart by BLAKE2's personal string, so a host and a URL of the same spelling have nothing
in common. A keyed state is prepared once and copied for every hash: setting the key costs a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Final, cast

from gossamer.core.limits import SITE_IDS_KEPT

KEY_BYTES: Final = 16
FINGERPRINT_BYTES: Final = 16
HOST_ID_BYTES: Final = 8
SITE_ID_BYTES: Final = 8
PAGE_KEY_BYTES: Final = HOST_ID_BYTES + FINGERPRINT_BYTES


class Fingerprinter:
    """Hashes with one crawl's key. Raises ValueError for a key that is not `KEY_BYTES` long."""

    __slots__ = ("_host", "_shard", "_site", "_site_ids", "_url")

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"the fingerprint key has {KEY_BYTES} bytes, not {len(key)}; it is made with the folder")
        self._url: Final = blake2b(key=key, digest_size=FINGERPRINT_BYTES, person=b"gossamer.url")
        self._host: Final = blake2b(key=key, digest_size=HOST_ID_BYTES, person=b"gossamer.host")
        self._shard: Final = blake2b(key=key, digest_size=8, person=b"gossamer.shard")
        self._site: Final = blake2b(key=key, digest_size=SITE_ID_BYTES, person=b"gossamer.site")
        self._site_ids: Final[dict[str, bytes]] = {}

    def fingerprint(self, url_key: str) -> bytes:
        """16 bytes for a URL key."""
        state = self._url.copy()
        state.update(url_key.encode())
        return state.digest()

    def host_id(self, host: str) -> bytes:
        """8 bytes for a host; they begin every store key that belongs to it."""
        state = self._host.copy()
        state.update(host.encode())
        return state.digest()

    def site_id(self, site: str) -> bytes:
        """8 bytes for a site; they begin every store key that belongs to it as a whole.

        Those met last are remembered: a link between sites asks for them five times until it is committed.
        """
        known = self._site_ids.get(site)
        if known is None:
            state = self._site.copy()
            state.update(site.encode())
            if len(self._site_ids) >= SITE_IDS_KEPT:
                self._site_ids.clear()
            known = self._site_ids[site] = state.digest()
        return known

    def site_ids(self, sites: Iterable[str]) -> list[bytes]:
        """`site_id` of each."""
        sites = list(sites)
        found = list(map(self._site_ids.get, sites))
        if None in found:
            return [self.site_id(site) for site in sites]
        return cast("list[bytes]", found)

    def shard_of(self, site: str, shards: int) -> int:
        """The shard, 0 to `shards` - 1, that owns a site."""
        state = self._shard.copy()
        state.update(site.encode())
        # The remainder of 64 bits favours no shard by more than one part in 2**50.
        return int.from_bytes(state.digest(), "big") % shards

    def page_key(self, host: str, url_key: str) -> bytes:
        """24 bytes: host id, then fingerprint. The store's key of a page record."""
        return self.host_id(host) + self.fingerprint(url_key)

    def page_keys(self, hosts: Sequence[str], url_keys: Sequence[str]) -> list[bytes]:
        """`page_key` of each row. A page's links share few hosts, so each is hashed once."""
        ids = {host: self.host_id(host) for host in set(hosts)}
        prepared = self._url.copy
        keys: list[bytes] = []
        for host, url_key in zip(hosts, url_keys, strict=True):
            state = prepared()
            state.update(url_key.encode())
            keys.append(ids[host] + state.digest())
        return keys
