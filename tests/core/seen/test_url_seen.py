"""URL seen: what it answers, and what its commits hold. Crashes and files: tests/flow/test_seen_files.py."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec
import pytest

from gossamer.core.seen.bloom import BloomFilter
from gossamer.core.seen.fingerprint import FINGERPRINT_BYTES, HOST_ID_BYTES
from gossamer.core.seen.prints import print_bytes, prints_of
from gossamer.core.seen.recent import RecentKeys
from gossamer.core.seen.runs import SeenRuns
from gossamer.core.seen.url_seen import LISTED_PREFIX, STATE_KEY, SeenState, UrlSeen

if TYPE_CHECKING:
    from gossamer.core.seen.memory import Rewrite, SeenMemory


def key(number: int) -> bytes:
    """A page key."""
    return hashlib.blake2b(number.to_bytes(8, "big"), digest_size=HOST_ID_BYTES + FINGERPRINT_BYTES).digest()


def keys(numbers: range) -> list[bytes]:
    return [key(number) for number in numbers]


def url_seen(listed_max: int = 1000, state: SeenState | None = None, memory: SeenMemory | None = None) -> UrlSeen:
    return UrlSeen(memory or SeenRuns(), RecentKeys(), listed_max, state)


def file_of(rewrite: Rewrite) -> memoryview:
    file = bytearray()
    for offset, data in rewrite.pieces:
        file.extend(bytes(max(0, offset - len(file))))
        file[offset : offset + len(bytes(data))] = bytes(data)
    return memoryview(bytes(file))


@pytest.mark.parametrize("memory", [SeenRuns(), BloomFilter(10_000)], ids=["exact", "bloom"])
@pytest.mark.parametrize("host", ["", "a.example"])
def test_new_once_and_known_ever_after(memory: SeenMemory, host: str) -> None:
    seen = url_seen(memory=memory)
    some = keys(range(50)) if host else keys(range(200, 250))
    assert seen.sort(some, host) == (some, [])
    seen.add(some, host)
    assert seen.sort(some, host) == ([], [])
    assert seen.sort(some, "other.example") == ([], [])
    assert seen.sort([key(99), *some], host) == ([key(99)], [])


def test_only_what_is_known_becomes_recent() -> None:
    seen = url_seen()
    assert seen.sort([key(1)], "a.example") == ([key(1)], [])
    assert seen.sort([key(1)], "a.example") == ([key(1)], [])


def test_while_rebuilding_a_no_is_left_to_the_store() -> None:
    seen = url_seen(state=SeenState([], b""))
    assert not seen.is_complete
    seen.add([key(1)])
    assert seen.sort([key(1), key(2)], "a.example") == ([], [key(2)])
    seen.recall([key(2)], "a.example")
    assert seen.sort([key(1), key(2)], "a.example") == ([], [])


def test_the_first_commit_says_that_there_are_no_files() -> None:
    seen = url_seen()
    assert seen.changes(1) == [("seen", STATE_KEY, msgspec.msgpack.encode(SeenState([])))]
    assert seen.changes(2) == []


def test_a_commit_lists_what_was_added() -> None:
    seen = url_seen()
    seen.changes(1)
    seen.add(keys(range(3)))
    seen.add([key(7)])
    row = LISTED_PREFIX + (2).to_bytes(8, "big")
    assert seen.changes(2) == [("seen", row, print_bytes([*keys(range(3)), key(7)]))]
    again = url_seen(state=SeenState([]))
    again.relist([(row, print_bytes(keys(range(3))))])
    assert again.sort(keys(range(4))) == ([key(3)], [])


def test_many_listed_keys_go_into_a_file_that_the_next_commit_names() -> None:
    seen = url_seen(listed_max=10)
    seen.changes(1)
    seen.add(keys(range(9)))
    assert seen.changes(2)
    assert seen.rewrite() is None
    seen.add(keys(range(9, 11)))
    assert seen.changes(3)
    seen.add(keys(range(20, 22)))
    rewrite = seen.rewrite()
    assert rewrite is not None
    assert seen.rewrite() is None
    file = file_of(rewrite)
    assert seen.settle(rewrite, "00000001.run", file) == []
    changes = {row: value for _, row, value in seen.changes(4)}
    assert changes == {
        LISTED_PREFIX + (4).to_bytes(8, "big"): print_bytes(keys(range(20, 22))),
        STATE_KEY: msgspec.msgpack.encode(SeenState(["00000001.run"])),
        LISTED_PREFIX + (2).to_bytes(8, "big"): None,
        LISTED_PREFIX + (3).to_bytes(8, "big"): None,
    }
    reopened = url_seen(state=SeenState(["00000001.run"]), memory=SeenRuns([file]))
    assert reopened.sort(keys(range(12))) == ([key(11)], [])
    assert seen.sort([*keys(range(11)), key(20), key(21), key(22)]) == ([key(22)], [])


def test_no_file_begins_while_one_is_under_way() -> None:
    seen = url_seen(listed_max=1)
    seen.add([key(1)])
    seen.changes(1)
    first = seen.rewrite()
    assert first is not None
    seen.add([key(2)])
    seen.changes(2)
    assert seen.rewrite() is None
    seen.settle(first, "00000001.run", file_of(first))
    seen.changes(3)
    second = seen.rewrite()
    assert second is not None
    assert seen.settle(second, "00000002.run", file_of(second)) == ["00000001.run"]
    assert seen.sort(keys(range(1, 4))) == ([key(3)], [])


def test_rebuilding_goes_on_where_the_last_commit_says() -> None:
    seen = url_seen(state=SeenState([], b""))
    assert seen.rebuild(prints_of(keys(range(5))), key(5)) is None
    rewrite = seen.rebuild(prints_of(keys(range(5, 9))), None)
    assert rewrite is not None
    assert seen.state.rebuilt_to is not None
    seen.settle(rewrite, "00000001.run", file_of(rewrite))
    assert seen.is_complete
    assert seen.sort(keys(range(10))) == ([key(9)], [])


def test_rebuilding_of_nothing_needs_no_file() -> None:
    seen = url_seen(state=SeenState([], b""))
    assert seen.rebuild(prints_of([]), None) is None
    assert seen.is_complete
    assert seen.changes(1) == [("seen", STATE_KEY, msgspec.msgpack.encode(SeenState([])))]


def test_a_damaged_file_takes_nothing_newer_along() -> None:
    first = url_seen(listed_max=1)
    first.add([key(1)])
    first.changes(1)
    rewrite = first.rewrite()
    assert rewrite is not None
    seen = url_seen(state=SeenState(["00000001.run"]), memory=SeenRuns([file_of(rewrite)]))
    seen.add([key(2)])
    seen.distrust()
    assert seen.sort(keys(range(1, 4))) == ([], [key(1), key(3)])
