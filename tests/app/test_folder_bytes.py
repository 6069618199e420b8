"""What each part of a folder takes on the disk."""

from __future__ import annotations

from pathlib import Path

from gossamer.app.folder_bytes import folder_bytes


def test_by_folder(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "state" / "shard-000").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    (tmp_path / "crawl.toml").write_bytes(b"x" * 100)
    (tmp_path / "archive" / "a").write_bytes(b"x" * 50_000)
    (tmp_path / "state" / "shard-000" / "b").write_bytes(b"x" * 20_000)
    (tmp_path / "state" / "up").symlink_to(tmp_path)
    sizes = folder_bytes(tmp_path)
    assert list(sizes) == [".", "archive", "state"]
    assert 50_000 <= sizes["archive"] < 80_000
    assert 20_000 <= sizes["state"] < 50_000
    assert 0 < sizes["."] < 50_000


def test_what_is_not_there() -> None:
    assert folder_bytes(Path("/nowhere/at/all")) == {".": 0}
