from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from gossamer.adapters.disk_files import FolderDisk
from gossamer.core.files.recovery import Plan
from gossamer.ports.disk import Disk, settle
from gossamer.ports.files import CrawlDamaged
from gossamer.simulation.disk import MemoryFolder


@pytest.fixture(params=["folder", "memory"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Disk:
    return FolderDisk(tmp_path) if request.param == "folder" else MemoryFolder()


def write(disk: Disk, path: str, data: bytes) -> None:
    growing = disk.grow(path)
    growing.append(data)
    growing.fix()
    growing.sync()
    growing.close()


def test_only_fixed_bytes_are_written(disk: Disk) -> None:
    growing = disk.grow("archive/a")
    assert [growing.append(b"one"), growing.append(b"two")] == [0, 3]
    assert growing.fix() == 6
    growing.append(b"three")
    assert growing.length == 11
    growing.sync()
    assert bytes(disk.view("archive/a")) == b"onetwo"
    growing.fix()
    growing.sync()
    growing.sync()
    growing.close()
    growing.close()
    assert disk.lengths(["archive", "index"]) == {"archive/a": 11}
    more = disk.grow("archive/a", 11)
    assert more.append(b"!") == 11
    more.fix()
    more.sync()
    more.close()
    assert bytes(disk.view("archive/a")) == b"onetwothree!"


def test_a_new_file_takes_no_taken_name(disk: Disk) -> None:
    write(disk, "archive/a", b"first")
    growing = disk.grow("archive/a")
    growing.append(b"second")
    growing.fix()
    with pytest.raises(FileExistsError):
        growing.sync()
    assert bytes(disk.view("archive/a")) == b"first"


def test_an_empty_file_is_made_and_seen(disk: Disk) -> None:
    write(disk, "journal/a", b"")
    assert disk.lengths(["journal"]) == {"journal/a": 0}
    assert bytes(disk.view("journal/a")) == b""


def test_a_draft_appears_whole_or_not_at_all(disk: Disk) -> None:
    draft = disk.draft("index/a.cdxj")
    draft.file.write(b"lines")
    assert "index/a.cdxj" not in disk.lengths(["index"])
    assert draft.publish() == 5
    assert disk.lengths(["index"]) == {"index/a.cdxj": 5}
    given_up = disk.draft("index/b.cdxj")
    given_up.file.write(b"half")
    given_up.discard()
    assert disk.lengths(["index"]) == {"index/a.cdxj": 5}


def test_patch_cut_and_remove(disk: Disk) -> None:
    write(disk, "journal/a", b"0123456789")
    disk.patch("journal/a", [(2, b"xx"), (8, b"y")])
    disk.cut("journal/a", 9)
    assert bytes(disk.view("journal/a")) == b"01xx4567y"
    disk.remove("journal/a")
    disk.remove("journal/a")
    assert disk.lengths(["journal"]) == {}


def test_what_moves_aside_keeps_its_bytes_and_takes_no_name_away(disk: Disk) -> None:
    for data in (b"one", b"two"):
        write(disk, "pages/a", data)
        disk.set_aside("pages/a")
    write(disk, "pages/a", b"keep tail")
    assert disk.set_aside("pages/a", 4) == "aside/a.tail-4"
    assert bytes(disk.view("pages/a")) == b"keep tail"
    kept = {path: bytes(disk.view(path)) for path in disk.lengths(["aside"])}
    assert kept == {"aside/a": b"one", "aside/a.1": b"two", "aside/a.tail-4": b" tail"}


def test_settle_does_nothing_where_anything_is_damaged(disk: Disk) -> None:
    write(disk, "pages/a", b"12345")
    with pytest.raises(CrawlDamaged, match="pages/b is missing"):
        settle(disk, Plan(damaged={"pages/b": "is missing"}, cut={"pages/a": 1}, remove=["pages/a"]))
    assert disk.lengths(["pages"]) == {"pages/a": 5}
    recovery = settle(disk, Plan(cut={"pages/a": 1}))
    assert recovery.cut == {"pages/a": 4}


def test_appends_go_on_while_another_thread_syncs(tmp_path: Path) -> None:
    disk = FolderDisk(tmp_path)
    growing = disk.grow("archive/a")
    pieces = [bytes([number % 256]) * (number % 97) for number in range(3000)]
    with ThreadPoolExecutor(1) as thread:
        syncing: Future[None] | None = None
        for piece in pieces:
            growing.append(piece)
            if syncing is None or syncing.done():
                growing.fix()
                syncing = thread.submit(growing.sync)
    growing.fix()
    growing.sync()
    growing.close()
    assert bytes(disk.view("archive/a")) == b"".join(pieces)


def test_directories_are_synced_after_creation_and_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        synced.append(str(path.relative_to(tmp_path)))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    disk = FolderDisk(tmp_path)
    write(disk, "archive/a", b"x")
    assert synced == [".", "archive/a", "archive"]
    synced.clear()
    draft = disk.draft("archive/b")
    draft.file.write(b"y")
    draft.publish()
    assert synced == ["archive/.tmp-b", "archive"]
    synced.clear()
    disk.set_aside("archive/a")
    assert synced == [".", "archive", "aside"]


def test_links_that_lead_nowhere_are_no_files(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    folder.mkdir()
    (folder / "whole").write_bytes(b"12345")
    (folder / "linked").symlink_to(folder / "whole")
    (folder / "circle").symlink_to(folder / "circle")
    (folder / "nowhere").symlink_to(tmp_path / "gone")
    (folder / "folder").mkdir()
    assert FolderDisk(tmp_path).lengths(("archive",)) == {"archive/whole": 5, "archive/linked": 5}


def test_a_view_that_was_released_reads_as_before(disk: Disk) -> None:
    write(disk, "journal/a", b"ab" * 500_000)
    view = disk.view("journal/a")
    assert view[999_998:] == b"ab"
    disk.release(view)
    assert bytes(view) == b"ab" * 500_000


def test_what_was_released_is_not_held_in_memory(tmp_path: Path) -> None:
    disk = FolderDisk(tmp_path)
    write(disk, "journal/a", bytes(4 << 20))
    view = disk.view("journal/a")
    assert not any(view)
    assert mapped_kib(tmp_path / "journal/a") == 4096
    disk.release(view)
    assert mapped_kib(tmp_path / "journal/a") == 0


def mapped_kib(path: Path) -> int:
    """KiB of a mapped file that count as this process's memory."""
    behind = Path("/proc/self/smaps").read_text(encoding="utf-8").partition(str(path))[2]
    return int(behind.partition("Rss:")[2].split()[0])
