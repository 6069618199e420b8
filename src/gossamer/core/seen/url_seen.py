"""URL seen: is a URL new to the frontier? Recent keys first, then a Bloom filter, then (the caller) the store.

Nine of ten questions are about URLs known already, most of them met a moment ago; the recent keys answer those. The
filter answers *no* for most of the rest. What neither settles is left to one multi-get. The filter may say no only
while it is complete, so its state follows the commits: keys added are listed in each commit, and now and then the
filter's changed segments are saved and the list begins anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from gossamer.core.seen.bloom import BloomFilter
from gossamer.core.seen.fingerprint import FINGERPRINT_BYTES, HOST_ID_BYTES, fingerprints_of

RECENT_KEYS: Final = 100_000
"""Keys of one generation; two generations are kept, about 20 MB a shard at most."""
SAVE_AFTER_KEYS: Final = 100_000
"""Keys listed one by one before the filter's segments are saved instead: 1.6 MB of list against its segments."""
SEGMENT_PREFIX: Final = b"segment:"
ADDED_PREFIX: Final = b"added:"
Change = tuple[str, bytes, bytes | None]
"""Table name, key, value (None deletes)."""


class UrlSeen:
    """The memory of one shard's URL-seen test."""

    def __init__(self, bloom: BloomFilter) -> None:
        self._bloom = bloom
        self._recent: set[bytes] = set()
        self._older: set[bytes] = set()
        self._added: list[bytes] = []
        self._listed: list[bytes] = []
        """Keys of the rows that list additions since the segments were saved."""
        self._listed_keys = 0

    def sort(self, keys: Sequence[bytes]) -> tuple[list[bytes], list[bytes]]:
        """`keys` (page keys, each once) less those certainly known: (certainly new, to be looked up in the store)."""
        asked = [key for key in keys if key not in self._recent and key not in self._older]
        if not asked:
            return [], []
        maybe = self._bloom.contains(fingerprints_of(asked))
        new = [key for key, known in zip(asked, maybe, strict=True) if not known]
        unsure = [key for key, known in zip(asked, maybe, strict=True) if known]
        return new, unsure

    def add(self, keys: Sequence[bytes]) -> None:
        """These keys are known from now on."""
        if not keys:
            return
        self._bloom.add(fingerprints_of(keys))
        self._added += (key[HOST_ID_BYTES:] for key in keys)
        self.recall(keys)

    def recall(self, keys: Sequence[bytes]) -> None:
        """These keys were met just now."""
        self._recent.update(keys)
        if len(self._recent) > RECENT_KEYS:
            self._older, self._recent = self._recent, set()

    def changes(self, commit: int) -> list[Change]:
        """What the coming commit must hold, so that the filter can be made whole at the next opening."""
        if self._listed_keys + len(self._added) >= SAVE_AFTER_KEYS:
            return self._save()
        if not self._added:
            return []
        key = ADDED_PREFIX + commit.to_bytes(8, "big")
        value = b"".join(self._added)
        self._listed.append(key)
        self._listed_keys += len(self._added)
        self._added = []
        return [("seen", key, value)]

    def relist(self, rows: Sequence[tuple[bytes, bytes]]) -> None:
        """Add the keys that the last commits listed one by one."""
        for key, value in rows:
            self._bloom.add(value)
            self._listed.append(key)
            self._listed_keys += len(value) // FINGERPRINT_BYTES

    def _save(self) -> list[Change]:
        changes: list[Change] = [
            ("seen", SEGMENT_PREFIX + name, data) for name, data in self._bloom.take_changed_segments()
        ]
        changes += [("seen", key, None) for key in self._listed]
        self._added, self._listed, self._listed_keys = [], [], 0
        return changes


def restored(rows: Sequence[tuple[bytes, bytes]]) -> UrlSeen:
    """The memory as of the last commit, the filter whole. `rows` are all rows of its table."""
    bloom = BloomFilter()
    for key, value in rows:
        if key.startswith(SEGMENT_PREFIX):
            bloom.load_segment(key[len(SEGMENT_PREFIX) :], value)
    seen = UrlSeen(bloom)
    seen.relist([(key, value) for key, value in rows if key.startswith(ADDED_PREFIX)])
    return seen
