"""Room on real disks: each mount once, missing folders, and a reserve that takes and gives blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.adapters import disk_space_statvfs
from gossamer.adapters.disk_space_statvfs import StatvfsDiskSpace


def test_each_mount_once_by_its_first_path(tmp_path: Path) -> None:
    space = StatvfsDiskSpace([tmp_path, tmp_path / "archive", tmp_path / "not" / "there"], tmp_path / "reserve")
    (seen,) = space.look()
    assert seen.mount == str(tmp_path)
    assert 0 < seen.free <= seen.total
    assert seen.free_files is None or seen.free_files > 0


@pytest.mark.skipif(not Path("/proc/mounts").exists(), reason="no second mount is known here")
def test_several_mounts(tmp_path: Path) -> None:
    space = StatvfsDiskSpace([tmp_path, Path("/proc"), tmp_path], tmp_path / "reserve")
    assert [seen.mount for seen in space.look()] == [str(tmp_path), "/proc"]


@pytest.mark.parametrize("by_hand", [False, True])
def test_the_reserve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_hand: bool) -> None:
    if by_hand:
        monkeypatch.delattr(disk_space_statvfs.os, "posix_fallocate", raising=False)
    reserve = tmp_path / "state" / "reserve"
    space = StatvfsDiskSpace([tmp_path], reserve, reserve_bytes=3_000_000)
    # Its folder is not there: nothing is kept, and nothing breaks.
    space.keep_reserve()
    assert (space.reserved, space.give_reserve()) == (0, 0)
    reserve.parent.mkdir()
    space.keep_reserve()
    assert space.reserved == 3_000_000 == reserve.stat().st_size
    assert reserve.stat().st_blocks * 512 >= 3_000_000
    made = reserve.stat().st_mtime_ns
    space.keep_reserve()
    assert reserve.stat().st_mtime_ns == made
    assert space.give_reserve() == 3_000_000
    assert (space.give_reserve(), reserve.exists()) == (0, False)


def test_one_that_a_killed_process_left_goes(tmp_path: Path) -> None:
    (tmp_path / "reserve").write_bytes(b"x" * 5000)
    assert StatvfsDiskSpace([tmp_path], tmp_path / "reserve").reserved == 0
    assert not (tmp_path / "reserve").exists()
