"""The files of URL seen, against a plain set: through merges, crashes at any step, damage, and older releases."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from gossamer.core.facts import SeenRebuilding, SeenRebuilt
from gossamer.core.seen.fingerprint import FINGERPRINT_BYTES, HOST_ID_BYTES
from gossamer.core.seen.prints import prints_of
from gossamer.core.seen.recent import RecentKeys
from gossamer.core.seen.url_seen import STATE_KEY
from gossamer.flow import seen_files
from gossamer.flow.pending import PendingStore
from gossamer.flow.seen_files import BLOOM, EXACT, SeenFiles, SeenRules, bulk_run, newest_share, open_seen
from gossamer.flow.shard import COMMIT_KEY
from gossamer.ports.store import Table, WriteBatch
from gossamer.simulation.disk import Fuse, MemoryFolder, PowerCut
from gossamer.simulation.entropy import SimEntropy
from gossamer.simulation.store import MemoryDisk, MemoryStore

if TYPE_CHECKING:
    from gossamer.core.facts import Fact

T = TypeVar("T")

FOLDER = "state/shard-000/seen"


def key(number: int) -> bytes:
    """A page key."""
    return hashlib.blake2b(number.to_bytes(8, "big"), digest_size=HOST_ID_BYTES + FINGERPRINT_BYTES).digest()


class Inline:
    """Offloaded work, done at once; `before` may end the life."""

    def __init__(self) -> None:
        self.before: Callable[[], None] = lambda: None

    async def run(self, work: Callable[[], T]) -> T:
        self.before()
        return work()


class Life:
    """One shard's URL seen on a disk, with the task that keeps its files."""

    def __init__(self, disk: MemoryDisk, folder: MemoryFolder, *, mode: str = EXACT, listed_max: int = 6) -> None:
        self.store = MemoryStore(disk)
        self.folder = folder
        self.rows = PendingStore(self.store)
        self.rules = SeenRules(folder, lambda _: FOLDER, mode, 500, listed_max, RecentKeys(20, 5))
        value = self.rows.get(Table.META, [COMMIT_KEY])[0]
        self.commit_number = int.from_bytes(value or b"", "big")
        self.url_seen = open_seen(0, self.rows, self.rules, is_new=value is None)
        self.after_commit: list[Callable[[], None]] = []
        self.facts: list[Fact] = []
        self.offload = Inline()
        self.number = 0
        worker = SimpleNamespace(
            shards=[self],
            committer=SimpleNamespace(offload=self.offload),
            policy=SimpleNamespace(commit_interval=0.25),
            note=self.facts.append,
        )
        self.files = SeenFiles(cast("Any", worker), self.rules)

    def admit(self, keys: list[bytes], host: str = "") -> list[bytes]:
        """The keys that are new; they are known from now on."""
        new, unsure = self.url_seen.sort(keys, host)
        values = self.rows.get(Table.PAGE, unsure)
        new += [key for key, value in zip(unsure, values, strict=True) if value is None]
        for page_key in new:
            self.rows.put(Table.PAGE, page_key, b"record")
        self.url_seen.add(new, host)
        return new

    def commit(self) -> None:
        self.commit_number += 1
        for table, row, value in self.url_seen.changes(self.commit_number):
            if value is None:
                self.rows.delete(Table(table), row)
            else:
                self.rows.put(Table(table), row, value)
        self.rows.put(Table.META, COMMIT_KEY, self.commit_number.to_bytes(8, "big"))
        waiting, self.after_commit = self.after_commit, []
        self.store.write(self.rows.begin_commit())
        self.store.sync()
        self.rows.end_commit()
        for act in waiting:
            act()

    def turn(self, times: int = 1) -> None:
        for _ in range(times):
            asyncio.run(cast("Any", self.files.turn()))

    def check(self) -> None:
        asyncio.run(cast("Any", self.files.check()))

    @property
    def names(self) -> list[str]:
        return sorted(path.rpartition("/")[2] for path in self.folder.files if path.startswith(FOLDER))


def fresh(**rules: Any) -> Life:
    return Life(MemoryDisk(), MemoryFolder(), **rules)


def reopened(life: Life, **rules: Any) -> Life:
    """The next life, after a kill."""
    life.store.crash()
    return Life(life.store._disk, life.folder.crash(SimEntropy(1)), **rules)


def filled(count: int = 40, **rules: Any) -> Life:
    """A life that wrote files, all of it committed."""
    life = fresh(**rules)
    for number in range(count):
        life.admit([key(number)])
        life.commit()
        life.turn()
    life.commit()
    return life


@pytest.mark.parametrize("mode", [EXACT, BLOOM])
def test_what_was_committed_is_known_in_the_next_life(mode: str) -> None:
    life = reopened(filled(mode=mode), mode=mode)
    assert life.url_seen.is_complete
    assert life.admit([key(number) for number in range(42)]) == [key(40), key(41)]
    assert life.facts == []


def test_files_are_few_and_those_replaced_go() -> None:
    life = filled(200)
    life.turn()
    assert life.names == sorted(life.url_seen.state.files)
    assert len(life.names) <= 3
    listed = life.rows.scan(Table.SEEN, b"listed:", b"listed;", 1000)
    assert len(listed) <= 7


def test_what_no_commit_names_goes_at_the_next_opening() -> None:
    life = filled()
    named = list(life.url_seen.state.files)
    life.folder.files[f"{FOLDER}/00000099.run"] = bytearray(b"left over")
    life.folder.files[f"{FOLDER}/.tmp-00000100.run"] = bytearray(b"left over")
    life.folder.files[f"{FOLDER}/notes.txt"] = bytearray(b"somebody's own")
    assert reopened(life).names == [*named, "notes.txt"]


def break_header(file: bytearray) -> None:
    file[10] ^= 1


def cut(file: bytearray) -> None:
    del file[-8:]


@pytest.mark.parametrize("mode", [EXACT, BLOOM])
@pytest.mark.parametrize("damage", [break_header, cut, None])
def test_damaged_or_missing_files_are_made_anew_while_the_store_answers(
    damage: Callable[[bytearray], None] | None, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen_files, "REBUILD_ROWS", 10)
    before = filled(mode=mode)
    path = f"{FOLDER}/{before.url_seen.state.files[0]}"
    if damage is None:
        del before.folder.files[path]
    else:
        damage(before.folder.files[path])
    life = reopened(before, mode=mode)
    assert life.url_seen.state.rebuilt_to == b""
    assert life.admit([key(3), key(50), key(39)]) == [key(50)]
    for turn in range(8):
        life.turn()
        life.admit([key(60 + turn)])
        life.commit()
    assert life.url_seen.is_complete
    assert [type(fact) for fact in life.facts] == [SeenRebuilding, SeenRebuilt]
    everything = [key(number) for number in (*range(40), 50, *range(60, 68))]
    assert life.admit(everything) == []
    assert reopened(life, mode=mode).admit([*everything, key(99)]) == [key(99)]


def test_a_rebuilding_goes_on_after_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_files, "REBUILD_ROWS", 10)
    monkeypatch.setattr("gossamer.core.seen.runs.REBUILD_PRINTS", 15)
    before = filled()
    before.folder.files.clear()
    life = reopened(before)
    life.turn(2)
    life.commit()
    again = reopened(life)
    assert again.url_seen.state.rebuilt_to
    again.turn(3)
    again.commit()
    assert again.url_seen.is_complete
    assert again.admit([key(number) for number in range(41)]) == [key(40)]


def test_no_part_of_a_rebuilding_has_the_name_of_a_file_that_was_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen_files, "REBUILD_ROWS", 10)
    monkeypatch.setattr("gossamer.core.seen.runs.REBUILD_PRINTS", 5)
    before = fresh(listed_max=40)
    for number in range(40):
        before.admit([key(number)])
    before.commit()
    before.commit()
    before.turn()
    before.commit()
    assert before.url_seen.state.files == ["00000001.run"]
    before.folder.files.clear()
    life = reopened(before)
    life.turn()
    assert life.names == ["00000002.run"]
    again = reopened(life)
    assert not again.url_seen.is_complete
    assert again.admit([key(number) for number in range(41)]) == [key(40)]


def test_damage_inside_a_file_is_found_when_it_is_read_through() -> None:
    before = filled()
    file = before.folder.files[f"{FOLDER}/{before.url_seen.state.files[0]}"]
    file[-1] ^= 1
    life = reopened(before)
    assert life.url_seen.state.rebuilt_to is None
    life.check()
    assert not life.url_seen.is_complete
    life.turn(2)
    assert life.admit([key(number) for number in range(41)]) == [key(40)]


def test_a_sound_file_is_read_through_and_kept() -> None:
    life = reopened(filled())
    life.check()
    assert life.url_seen.is_complete


def test_the_folder_of_an_older_release_is_taken_over() -> None:
    disk = MemoryDisk()
    store = MemoryStore(disk)
    pages = [(Table.PAGE, key(number), b"record") for number in range(30)]
    old = [(Table.SEEN, b"segment:shape", b"1"), (Table.SEEN, b"added:12345678", b"x" * 16)]
    store.write(WriteBatch([*pages, *old, (Table.META, COMMIT_KEY, (7).to_bytes(8, "big"))]))
    store.close()
    life = Life(disk, MemoryFolder())
    assert life.admit([key(1), key(31)]) == [key(31)]
    life.turn(2)
    life.commit()
    assert life.rows.scan(Table.SEEN, b"added:", b"added;", 9) == []
    assert life.rows.scan(Table.SEEN, b"segment:", b"segment;", 9) == []
    assert reopened(life).admit([key(number) for number in range(32)]) == [key(30)]


@pytest.mark.parametrize("steps", range(6))
def test_a_power_cut_at_any_step_of_a_file_loses_nothing(steps: int) -> None:
    life = fresh()
    for number in range(12):
        life.admit([key(number)])
        life.commit()
    life.folder.fuse = Fuse(steps)
    with suppress(PowerCut):
        life.turn()
        life.commit()
        life.turn()
    assert reopened(life).admit([key(number) for number in range(13)]) == [key(12)]


def test_a_task_that_is_cancelled_leaves_no_draft() -> None:
    life = fresh()
    for number in range(8):
        life.admit([key(number)])
        life.commit()

    def cancel() -> None:
        raise asyncio.CancelledError

    life.offload.before = cancel
    with pytest.raises(asyncio.CancelledError):
        life.turn()
    assert life.names == []


def test_a_shard_made_in_bulk() -> None:
    life = fresh()
    row = bulk_run(life.rules, 0, [np.sort(prints_of([key(number) for number in range(100)]))])
    life.store.write(WriteBatch([(Table.SEEN, *row), (Table.META, COMMIT_KEY, (1).to_bytes(8, "big"))]))
    life.store.sync()
    assert row[0] == STATE_KEY
    assert reopened(life).admit([key(5), key(100)]) == [key(100)]


@pytest.mark.parametrize(("shards", "share"), [(1, 262_144), (16, 16_384), (64, 4096), (256, 4096)])
def test_the_newest_keys_are_shared_out(shards: int, share: int) -> None:
    assert newest_share(shards) == share


class AgainstASet(RuleBasedStateMachine):
    """Whatever is admitted, committed, written, killed or damaged: new once, and known ever after."""

    def __init__(self) -> None:
        super().__init__()
        self.life = fresh(listed_max=5)
        self.committed: set[bytes] = set()
        self.known: set[bytes] = set()

    @rule(start=st.integers(0, 80), count=st.integers(1, 9), host=st.sampled_from(["", "a", "b"]))
    def admit(self, start: int, count: int, host: str) -> None:
        asked = [key(number) for number in range(start, start + count)]
        assert set(self.life.admit(asked, host)) == set(asked) - self.known
        self.known.update(asked)

    @rule()
    def commit(self) -> None:
        self.life.commit()
        self.committed = set(self.known)

    @rule()
    def turn(self) -> None:
        self.life.turn()

    @rule(steps=st.integers(0, 8))
    def turn_until_the_power_is_cut(self, steps: int) -> None:
        self.life.folder.fuse = Fuse(steps)
        with suppress(PowerCut):
            self.life.turn()
        self.kill()

    @rule()
    def kill(self) -> None:
        self.life = reopened(self.life, listed_max=5)
        self.known = set(self.committed)

    @rule(place=st.integers(0, 10_000), how=st.sampled_from(["flip", "cut", "remove"]))
    def damage(self, place: int, how: str) -> None:
        self.kill()
        names = self.life.names
        if not names:
            return
        path = f"{FOLDER}/{names[place % len(names)]}"
        file = self.life.folder.files[path]
        if how == "flip":
            file[place % len(file)] ^= 1
        elif how == "cut":
            del file[place % len(file) :]
        else:
            del self.life.folder.files[path]
        self.kill()
        self.life.check()

    @invariant()
    def nothing_that_was_never_admitted(self) -> None:
        assert self.life.url_seen.sort([key(999)])[0] in ([key(999)], [])


AgainstASet.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestAgainstASet = AgainstASet.TestCase
