"""URL seen never calls a known key new, however often it was saved, killed and restored."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from gossamer.core.seen import url_seen
from gossamer.core.seen.bloom import BloomFilter
from gossamer.core.seen.fingerprint import FINGERPRINT_BYTES, HOST_ID_BYTES
from gossamer.core.seen.url_seen import ADDED_PREFIX, SEGMENT_PREFIX, UrlSeen, restored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.core.seen.url_seen import Change


def key(number: int) -> bytes:
    """A page key."""
    return hashlib.blake2b(number.to_bytes(8, "big"), digest_size=HOST_ID_BYTES + FINGERPRINT_BYTES).digest()


def keys(numbers: range) -> list[bytes]:
    return [key(number) for number in numbers]


def apply(rows: dict[bytes, bytes], changes: list[Change]) -> None:
    for table, name, value in changes:
        assert table == "seen"
        if value is None:
            del rows[name]
        else:
            rows[name] = value


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Generations and lists of a size that tests reach."""
    with monkeypatch.context() as patch:
        patch.setattr(url_seen, "RECENT_KEYS", 10)
        patch.setattr(url_seen, "SAVE_AFTER_KEYS", 20)
        yield


def test_new_once_and_known_ever_after() -> None:
    seen = UrlSeen(BloomFilter())
    some = keys(range(50))
    assert seen.sort(some) == (some, [])
    seen.add(some)
    assert seen.sort(some) == ([], [])
    assert seen.sort([key(99), *some]) == ([key(99)], [])


def test_what_is_no_longer_recent_is_left_to_the_store(small: None) -> None:
    seen = UrlSeen(BloomFilter())
    for start in range(0, 100, 5):
        seen.add(keys(range(start, start + 5)))
    new, unsure = seen.sort(keys(range(110)))
    assert set(keys(range(100, 110))) >= set(new)
    assert set(unsure) >= set(keys(range(70)))
    assert len(seen._recent) + len(seen._older) <= 2 * (10 + 5)


def test_recalled_keys_need_no_look(small: None) -> None:
    seen = UrlSeen(BloomFilter())
    for start in range(0, 100, 5):
        seen.add(keys(range(start, start + 5)))
    assert seen.sort([key(1)]) == ([], [key(1)])
    seen.recall([key(1)])
    assert seen.sort([key(1)]) == ([], [])


def test_nothing_added_nothing_written() -> None:
    seen = UrlSeen(BloomFilter())
    assert seen.changes(1) == []
    seen.add([])
    seen.recall([key(1)])
    assert seen.changes(2) == []


def test_keys_are_listed_under_their_commit_until_segments_are_saved(small: None) -> None:
    seen, rows = UrlSeen(BloomFilter()), dict[bytes, bytes]()
    for commit in range(1, 4):
        seen.add(keys(range(5 * commit, 5 * commit + 5)))
        apply(rows, seen.changes(commit))
    assert [name.removeprefix(ADDED_PREFIX) for name in sorted(rows)] == [n.to_bytes(8, "big") for n in (1, 2, 3)]
    assert all(len(value) == 5 * FINGERPRINT_BYTES for value in rows.values())
    seen.add(keys(range(90, 95)))
    apply(rows, seen.changes(4))
    assert all(name.startswith(SEGMENT_PREFIX) for name in rows), "the list begins anew"
    assert seen.changes(5) == []


def test_a_list_that_was_restored_counts_towards_the_next_saving(small: None) -> None:
    seen, rows = UrlSeen(BloomFilter()), dict[bytes, bytes]()
    seen.add(keys(range(15)))
    apply(rows, seen.changes(1))
    again = restored(sorted(rows.items()))
    again.add(keys(range(15, 20)))
    apply(rows, again.changes(2))
    assert not any(name.startswith(ADDED_PREFIX) for name in rows)
    assert restored(sorted(rows.items())).sort(keys(range(20)))[0] == []


def test_an_empty_table_restores_to_nothing_seen() -> None:
    assert restored([]).sort(keys(range(5))) == (keys(range(5)), [])


class UrlSeenMachine(RuleBasedStateMachine):
    """Keys are found, commits made, processes killed; the model is a set of the keys that a commit holds."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(url_seen, "RECENT_KEYS", 10)
        self.patch.setattr(url_seen, "SAVE_AFTER_KEYS", 20)
        self.seen = UrlSeen(BloomFilter())
        self.rows: dict[bytes, bytes] = {}
        self.known: set[bytes] = set()
        self.committed: set[bytes] = set()
        self.commits = 0

    @rule(numbers=st.lists(st.integers(0, 300), max_size=12, unique=True))
    def find(self, numbers: list[int]) -> None:
        asked = [key(number) for number in numbers]
        new, unsure = self.seen.sort(asked)
        assert not self.known.intersection(new), "a known key was called new"
        assert not set(new).intersection(unsure)
        self.seen.recall(unsure)
        fresh = [*new, *(each for each in unsure if each not in self.known)]
        self.seen.add(fresh)
        self.known.update(fresh)
        assert self.known.issuperset(asked)

    @rule()
    def commit(self) -> None:
        self.commits += 1
        apply(self.rows, self.seen.changes(self.commits))
        self.committed = set(self.known)

    @rule()
    def kill(self) -> None:
        self.seen = restored(sorted(self.rows.items()))
        self.known = set(self.committed)

    @invariant()
    def known_is_known(self) -> None:
        new, _ = self.seen.sort(sorted(self.known))
        assert new == []

    def teardown(self) -> None:
        self.patch.undo()


TestUrlSeenMachine = UrlSeenMachine.TestCase
TestUrlSeenMachine.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
