from __future__ import annotations

from hashlib import blake2b

import pytest

from gossamer.core.seen.fingerprint import PAGE_KEY_BYTES, Fingerprinter

KEY = bytes(range(16))


def test_hashes_are_keyed_blake2b_with_a_purpose() -> None:
    ids = Fingerprinter(KEY)
    url = "https://h.example/a"
    assert ids.fingerprint(url) == blake2b(url.encode(), key=KEY, digest_size=16, person=b"gossamer.url").digest()
    assert ids.host_id("h.example") == blake2b(b"h.example", key=KEY, digest_size=8, person=b"gossamer.host").digest()


def test_answers_are_fixed_for_ever() -> None:
    """Folders were written with these: a change would lose every known URL."""
    ids = Fingerprinter(KEY)
    assert ids.fingerprint("https://h.example/a").hex() == "ec9b602ee484b8f7d89ba406bfb0436e"
    assert ids.host_id("h.example").hex() == "571140d15f15f4f7"
    assert [ids.shard_of(f"{number}.example", 16) for number in range(8)] == [1, 12, 11, 12, 14, 5, 11, 8]


def test_another_key_changes_everything() -> None:
    one, other = Fingerprinter(KEY), Fingerprinter(bytes(16))
    assert one.fingerprint("u") != other.fingerprint("u")
    assert one.host_id("h") != other.host_id("h")


def test_page_keys_are_host_id_and_fingerprint() -> None:
    ids = Fingerprinter(KEY)
    hosts, keys = ["a", "b", "a"], ["u1", "u2", "u3"]
    page_keys = ids.page_keys(hosts, keys)
    assert page_keys == [ids.page_key(host, key) for host, key in zip(hosts, keys, strict=True)]
    assert page_keys[0] == ids.host_id("a") + ids.fingerprint("u1")
    assert {len(key) for key in page_keys} == {PAGE_KEY_BYTES}


def test_shards_are_filled_evenly() -> None:
    ids = Fingerprinter(KEY)
    counts = [0] * 16
    for number in range(16_000):
        counts[ids.shard_of(f"site{number}.example", 16)] += 1
    assert min(counts) > 850
    assert max(counts) < 1150


def test_a_key_of_another_length_is_misuse() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        Fingerprinter(b"short")
