"""What every archive and every datasets adapter must do with commits and crashes, and their stand-ins too.

`Machine` plays the committer and the store: it keeps each shard's marks and commit number, as far as its batches came.
`CHECKS` is the list; `play` runs a random life against a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

from gossamer.adapters.disk_files import FolderDisk, FolderDraft, FolderGrowingFile
from gossamer.core.files.recovery import greatest
from gossamer.core.warc.location import FileMark, FileState
from gossamer.ports.files import CommittedFiles, CrawlDamaged, Recovery
from gossamer.simulation.disk import MemoryFolder, PowerCut
from gossamer.simulation.entropy import SimEntropy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from gossamer.ports.disk import Disk

SHARDS: Final = (0, 1, 2)


class FixedClock:
    """A clock that a test sets."""

    def __init__(self, now: float = 1_700_000_000.25) -> None:
        self.time = now

    def now(self) -> float:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.time += seconds


class Kind(Protocol):
    """One implementation of the port, made so that its files roll over after a few rows."""

    folder: str
    """A folder that is its own."""

    def open(self, disk: Disk, clock: FixedClock, entropy: SimEntropy) -> CommittedFiles: ...

    def append(self, files: Any, tag: str, shard: int, commit: int) -> None:
        """One row that carries `tag`."""
        ...

    def read(self, disk: Disk) -> list[str]:
        """The tags of all rows on the disk that count; fails where a file is not what it must be."""
        ...


@dataclass
class Machine:
    """A folder, the process on it, and what the stores know."""

    kind: Kind
    disk: Any
    reboot: Callable[[Any], Any]
    """The disk after a crash."""
    clock: FixedClock = field(default_factory=FixedClock)
    entropy: SimEntropy = field(default_factory=lambda: SimEntropy(7))
    tables: dict[int, dict[str, FileMark]] = field(default_factory=lambda: {shard: {} for shard in SHARDS})
    commits: dict[int, int] = field(default_factory=lambda: dict.fromkeys(SHARDS, 0))
    waiting: dict[int, list[str]] = field(default_factory=lambda: {shard: [] for shard in SHARDS})
    rows: list[str] = field(default_factory=list)
    """Tags whose commit their shard reached."""
    count: int = 0
    files: Any = None

    def start(self) -> None:
        self.files = self.kind.open(self.disk, self.clock, self.entropy)

    def append(self, shard: int = 0, tag: str = "") -> str:
        self.count += 1
        tag = tag or f"t{self.count:05d}"
        self.kind.append(self.files, tag, shard, self.commits[shard] + 1)
        self.waiting[shard].append(tag)
        return tag

    def commit(self, reached: int | None = None) -> list[FileMark]:
        """All shards commit; only the first `reached` batches come to the store, and then nobody acknowledges."""
        marks = self.files.marks()
        self.files.sync()
        self.write(marks, reached)
        if reached is None:
            self.files.acknowledge()
        return marks

    def write(self, marks: Iterable[FileMark], reached: int | None = None) -> None:
        for shard in SHARDS[:reached]:
            self.tables[shard] |= {mark.path: mark for mark in marks}
            self.commits[shard] += 1
            self.rows += self.waiting[shard]
            self.waiting[shard] = []

    def crash(self) -> None:
        self.files = None
        self.disk = self.reboot(self.disk)
        self.waiting = {shard: [] for shard in SHARDS}
        self.start()

    def recover(self) -> Recovery:
        return self.files.recover(self.committed(), self.commits)

    def committed(self) -> dict[str, FileMark]:
        return greatest(self.tables.values())

    def finish(self) -> None:
        self.files.finish()
        self.commit()

    def lengths(self) -> dict[str, int]:
        folders = ("archive", "index", "journal", "pages", "links", "refused", "aside")
        return self.disk.lengths(folders)

    def holds(self) -> None:
        assert sorted(self.kind.read(self.disk)) == sorted(self.rows)


def check_what_is_committed_survives_and_no_more(machine: Machine) -> None:
    machine.start()
    machine.append()
    machine.append(1)
    machine.commit()
    machine.append()
    machine.crash()
    machine.recover()
    machine.holds()
    machine.append()
    machine.commit()
    machine.holds()


def check_bytes_in_buffers_count_in_marks_and_are_durable_after_sync(machine: Machine) -> None:
    machine.start()
    machine.append()
    marks = machine.files.marks()
    assert marks
    assert not any(path in machine.lengths() for path in (mark.path for mark in marks)), "nothing is written by marks"
    late = machine.append()
    machine.files.sync()
    found = machine.lengths()
    assert {mark.path: found[mark.path] for mark in marks} == {mark.path: mark.length for mark in marks}
    machine.waiting[0].remove(late)
    machine.write(marks)
    machine.crash()
    machine.recover()
    machine.holds()


def check_marks_are_told_until_acknowledged_and_then_only_when_changed(machine: Machine) -> None:
    machine.start()
    assert machine.files.marks() == []
    machine.append()
    marks = machine.files.marks()
    assert machine.files.marks() == marks
    machine.files.sync()
    machine.files.acknowledge()
    assert machine.files.marks() == []
    machine.append()
    assert {mark.path for mark in machine.files.marks()} <= {mark.path for mark in marks}


def check_finish_leaves_only_final_files(machine: Machine) -> None:
    machine.start()
    for shard in (0, 1, 2, 0):
        machine.append(shard)
    machine.commit()
    machine.finish()
    machine.holds()
    assert {mark.state for mark in machine.committed().values()} <= {FileState.CLOSED, FileState.REMOVED}
    assert not [path for path in machine.lengths() if path.startswith(("journal/", "aside/"))]
    before = machine.lengths()
    machine.crash()
    assert machine.recover() == Recovery()
    assert machine.lengths() == before
    machine.append()
    machine.commit()
    machine.finish()
    machine.holds()
    assert len(machine.lengths()) > len(before), "a resumed crawl writes new files"


def check_files_roll_over_and_every_row_is_there_once(machine: Machine) -> None:
    machine.start()
    for turn in range(60):
        machine.append(turn % 3)
        machine.commit()
        if turn % 7 == 0:
            machine.holds()
    closed = [mark for mark in machine.committed().values() if mark.state is FileState.CLOSED]
    assert len(closed) > 2
    removed = [mark.path for mark in machine.committed().values() if mark.state is FileState.REMOVED]
    assert removed
    assert not set(removed) & set(machine.lengths()), "a journal goes once its file is committed"
    machine.crash()
    machine.recover()
    machine.holds()


def check_rows_of_a_commit_not_reached_are_dropped(machine: Machine) -> None:
    machine.start()
    machine.append(0)
    machine.append(1)
    machine.commit()
    lost = [machine.append(shard) for shard in (0, 1, 2, 1)][1:]
    machine.commit(reached=1)
    machine.crash()
    assert machine.recover().rows_dropped == len(lost)
    machine.holds()
    machine.crash()
    assert machine.recover().rows_dropped == 0, "what was dropped stays dropped"
    machine.append(1)
    machine.append(2)
    machine.commit()  # with the numbers that the lost commits had
    machine.holds()
    machine.finish()
    machine.holds()


def check_a_short_tail_is_cut_and_a_stranger_moves_aside(machine: Machine) -> None:
    machine.start()
    machine.append()
    machine.commit()
    committed = {path: mark for path, mark in machine.committed().items() if mark.length}
    for path, mark in committed.items():
        grown = machine.disk.grow(path, mark.length)
        grown.append(b"not committed")
        grown.fix()
        grown.sync()
        grown.close()
    stranger = machine.disk.grow(f"{machine.kind.folder}/stranger.bin")
    stranger.append(b"from elsewhere")
    stranger.fix()
    stranger.sync()
    stranger.close()
    machine.crash()
    recovery = machine.recover()
    assert recovery.cut == dict.fromkeys(committed, len(b"not committed"))
    assert recovery.aside == [f"{machine.kind.folder}/stranger.bin"]
    assert bytes(machine.disk.view("aside/stranger.bin")) == b"from elsewhere"
    machine.holds()


def check_damage_is_named_and_nothing_is_touched(machine: Machine) -> None:
    machine.start()
    machine.append()
    machine.commit()
    path, mark = next((path, mark) for path, mark in machine.committed().items() if mark.length)
    machine.disk.cut(path, mark.length - 1)
    before = machine.lengths()
    machine.crash()
    with pytest.raises(CrawlDamaged, match=path) as damaged:
        machine.recover()
    assert list(damaged.value.files) == [path]
    assert machine.lengths() == before
    machine.disk.remove(path)
    machine.crash()
    machine.disk.remove(path)
    with pytest.raises(CrawlDamaged, match="missing"):
        machine.recover()


def check_a_half_made_product_is_made_again(machine: Machine) -> None:
    """Killed after the conversion, before the commit that names its product: the journal has all, the product goes."""
    machine.start()
    for _ in range(60):
        machine.append()
        machine.commit()
        present = machine.lengths()
        if any(path not in machine.committed() for path in present):
            break
    else:
        pytest.fail("no product ever stood uncommitted")
    machine.crash()
    recovery = machine.recover()
    assert recovery.aside == []
    machine.holds()
    assert set(machine.lengths()) <= set(machine.committed())
    machine.finish()
    machine.holds()


CHECKS: Final = [
    check_what_is_committed_survives_and_no_more,
    check_bytes_in_buffers_count_in_marks_and_are_durable_after_sync,
    check_marks_are_told_until_acknowledged_and_then_only_when_changed,
    check_finish_leaves_only_final_files,
    check_files_roll_over_and_every_row_is_there_once,
    check_rows_of_a_commit_not_reached_are_dropped,
    check_a_short_tail_is_cut_and_a_stranger_moves_aside,
    check_damage_is_named_and_nothing_is_touched,
    check_a_half_made_product_is_made_again,
]


def memory_machine(kind: Kind, simulation_seed: int = 7) -> Machine:
    entropy = SimEntropy(simulation_seed)
    return Machine(kind, MemoryFolder(), lambda folder: folder.crash(entropy), entropy=entropy)


def folder_machine(kind: Kind, root: Path) -> Machine:
    """On a real folder a crash loses buffers alone: what was written is in the system's hands."""
    disk = _WatchedDisk(root)
    return Machine(kind, disk, _WatchedDisk.end_process)


class _WatchedDisk(FolderDisk):
    """Closes what a dead process would have left open, as the system does for it."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.drafts: list[FolderDraft] = []
        self.growing: list[FolderGrowingFile] = []

    def draft(self, path: str) -> FolderDraft:
        self.drafts.append(super().draft(path))
        return self.drafts[-1]

    def grow(self, path: str, length: int | None = None) -> FolderGrowingFile:
        self.growing.append(super().grow(path, length))
        return self.growing[-1]

    def end_process(self) -> _WatchedDisk:
        for draft in self.drafts:
            draft.file.close()
        for growing in self.growing:
            growing.close()
        self.drafts, self.growing = [], []
        return self


def play(kind: Kind, simulation_seed: int, turns: int = 60) -> None:
    """A random life: rows, whole commits, commits that reach some shards, power cuts at any durable step."""
    machine = memory_machine(kind, simulation_seed)
    dice = SimEntropy(simulation_seed).stream("life").dice()
    machine.start()
    for _ in range(turns):
        act = dice.random()
        try:
            if act < 0.5:
                machine.append(dice.choice(SHARDS))
            elif act < 0.85:
                machine.disk.fuse.steps = dice.choice([None, None, dice.randrange(8)])
                machine.commit()
                machine.disk.fuse.steps = None
            elif act < 0.93:
                machine.commit(reached=dice.choice((1, 2)))
                _restart(machine, dice)
            else:
                _restart(machine, dice)
        except PowerCut:
            _restart(machine, dice)
    machine.commit()
    machine.finish()
    machine.holds()
    assert not [path for path in machine.lengths() if path.startswith("journal/")]


def _restart(machine: Machine, dice: Any) -> None:
    """Crash and recover, with power cuts during recovery too."""
    machine.crash()
    for _ in range(3):
        machine.disk.fuse.steps = dice.choice([None, dice.randrange(6)])
        try:
            machine.recover()
            break
        except PowerCut:
            machine.crash()
    else:
        machine.recover()
    machine.disk.fuse.steps = None
    machine.holds()
