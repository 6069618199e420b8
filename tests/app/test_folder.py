from __future__ import annotations

import json
from pathlib import Path

import pytest

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import CrawlFolder, FixedFacts, make_folder, open_folder, record_changes
from gossamer.app.seeds import Seed
from gossamer.app.settings import Given, load, reload

SEEDS = [Seed("https://a.example/", "given")]


def make(path: Path) -> CrawlFolder:
    folder, lock = make_folder(path, load(Given()), SEEDS, FixedFacts.new())
    lock.release()
    return folder


def test_made_and_opened(tmp_path: Path) -> None:
    facts = FixedFacts.new()
    assert len(facts.hash_key) == 16
    assert facts.hash_key != FixedFacts.new().hash_key
    made, lock = make_folder(tmp_path / "deep" / "crawl", load(Given(sets=["crawl.max_pages=7"])), SEEDS, facts)
    lock.release()
    folder, settings = open_folder(tmp_path / "deep" / "crawl")
    assert folder == made
    assert settings.crawl.max_pages == 7
    assert folder.read_facts() == facts
    assert folder.read_seeds() == SEEDS
    assert folder.shard(3).name == "shard-003"
    assert [path.name for path in sorted(folder.path.rglob("*.draft"))] == []


def test_an_existing_crawl_is_refused_with_resume_named(tmp_path: Path) -> None:
    make(tmp_path / "c")
    with pytest.raises(UserError, match="is already a crawl") as raised:
        make(tmp_path / "c")
    assert f"gossamer resume {tmp_path / 'c'}" in raised.value.hint
    assert raised.value.exit_code == Exit.FOLDER


def test_a_strangers_folder_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(UserError, match=r"not empty and not a crawl \(it has 'photo.jpg'\)"):
        make(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["photo.jpg"]
    with pytest.raises(UserError, match="is not a folder"):
        make(tmp_path / "photo.jpg")


def test_a_store_without_crawl_toml_is_refused(tmp_path: Path) -> None:
    make(tmp_path / "c").shard(0).mkdir()
    (tmp_path / "c" / "crawl.toml").unlink()
    with pytest.raises(UserError, match=r"it has 'state/shard-000'"):
        make(tmp_path / "c")


def test_what_a_killed_start_left_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "c"
    folder = make(path)
    folder.crawl_toml.unlink()
    (path / ".crawl.toml.draft").write_text("half")
    first = folder.read_facts()
    assert make(path).read_facts() != first


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"key_rules": 1, "psl": "x", "hash_key": "AAAA"}', b"\xff"])
def test_damaged_facts_are_said(tmp_path: Path, content: bytes) -> None:
    folder = make(tmp_path / "c")
    folder.keys.write_bytes(content)
    with pytest.raises(UserError, match="damaged") as raised:
        folder.read_facts()
    assert raised.value.exit_code == Exit.FOLDER


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    for path, message in ((tmp_path / "absent", "does not exist"), (tmp_path, "is not a crawl folder")):
        with pytest.raises(UserError, match=message) as raised:
            open_folder(path)
        assert raised.value.exit_code == Exit.FOLDER


def test_in_use(tmp_path: Path) -> None:
    folder = make(tmp_path / "c")
    with folder.hold(), pytest.raises(UserError, match="is in use by process") as raised:
        folder.hold()
    assert raised.value.exit_code == Exit.FOLDER
    folder.hold().release()


def test_summary(tmp_path: Path) -> None:
    folder = make(tmp_path / "c")
    assert folder.read_summary() is None
    folder.write_summary({"end_state": "complete", "pages": 3, "title": "ü"})
    assert folder.read_summary() == {"end_state": "complete", "pages": 3, "title": "ü"}
    folder.summary_json.write_text("[1]")
    assert folder.read_summary() is None


def test_changes_are_recorded(tmp_path: Path) -> None:
    folder = make(tmp_path / "c")
    for number, now in ((5, 1.0), (6, 2.0)):
        settings, changes = reload(folder.read_settings(), Given(sets=[f"crawl.max_pages={number}"]))
        record_changes(folder, settings, changes, now)
    record_changes(folder, settings, [], 3.0)
    assert folder.read_settings().crawl.max_pages == 6
    rows = [json.loads(line) for line in folder.changes.read_text().splitlines()]
    assert [(row["time"], row["key"], row["before"], row["after"]) for row in rows] == [
        (1.0, "crawl.max_pages", "none", 5),
        (2.0, "crawl.max_pages", 5, 6),
    ]
    assert folder.read_settings().sources["crawl.max_pages"].words == "--set crawl.max_pages"
