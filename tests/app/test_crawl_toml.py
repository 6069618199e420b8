from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given as given_values
from hypothesis import strategies as st

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.settings import Given, load
from gossamer.app.settings.crawl_toml import END, FORMAT, crawl_toml, read_crawl_toml, write_crawl_toml
from gossamer.app.settings.tree import TRAITS


def test_read_back_with_sources(tmp_path: Path) -> None:
    path = tmp_path / "crawl.toml"
    settings = load(
        Given(
            environment={"GOSSAMER_POLITENESS_GAP": "2.5"},
            flags={"scope.exclude": ['/a"\\d  # x/', "ü"], "seeds.urls": ["https://a.example/"], "output.folder": "x"},
            sets=["crawl.max_bytes=10MiB", "dns.resolve=a.example=127.0.0.1"],
        )
    )
    write_crawl_toml(path, settings)
    back = read_crawl_toml(path)
    for key, trait in TRAITS.items():
        if trait.kept:
            assert back.values[key] == settings.values[key], key
            assert back.sources[key].words == settings.sources[key].words, key
    assert crawl_toml(back) == path.read_text()
    text = path.read_text()
    assert 'gap = "2.5s"  # environment GOSSAMER_POLITENESS_GAP' in text
    assert 'max_pages = "none"  # default' in text
    assert "shards = 16  # fixed; default" in text
    assert "[output]" not in text


def test_it_is_toml_with_every_kept_key() -> None:
    tables = tomllib.loads(crawl_toml(load(Given())))
    assert tables.pop("format") == FORMAT
    tables.pop("release")
    keys = {f"{section}.{name}" for section, table in tables.items() for name in table}
    assert keys == {key for key, trait in TRAITS.items() if trait.kept}


@given_values(st.lists(st.text(), max_size=3), st.text())
def test_any_text_that_is_accepted_comes_back(names: list[str], agent: str) -> None:
    try:
        settings = load(Given(flags={"scope.follow_kinds": [names], "politeness.user_agent": agent}))
    except UserError:
        return
    tables = tomllib.loads(crawl_toml(settings))
    assert tuple(tables["scope"]["follow_kinds"]) == settings.scope.follow_kinds
    assert tables["politeness"]["user_agent"] == (settings.politeness.user_agent or "none")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is not a crawl folder"),
        ("", "names no format"),
        ("format = true", "names no format"),
        ('format = "1"', "names no format"),
        ("format = 99\nrelease = '7.0'", "has format 99, made by release 7.0; this release"),
        ("format = 99\nrelease = ['x']", "has format 99, made; this release"),
        ("format = 0", "does not open any more"),
        (f"format = 1\n[crawl]\nshards = 'many'\n{END}", "crawl.shards wants"),
        (f"format = 1\n[craw]\n{END}", "no section"),
        ("format = ", "no TOML file"),
    ],
)
def test_what_is_no_crawl_folder(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "crawl.toml").write_text(text)
    with pytest.raises(UserError) as raised:
        read_crawl_toml(tmp_path / "crawl.toml")
    assert message in raised.value.message
    assert raised.value.exit_code == Exit.FOLDER


def test_a_file_cut_anywhere_is_no_crawl_folder(tmp_path: Path) -> None:
    path = tmp_path / "crawl.toml"
    write_crawl_toml(path, load(Given(flags={"network.allow_address": ["127.0.0.0/8"]})))
    lines = path.read_text().splitlines(keepends=True)
    assert read_crawl_toml(path).network.allow_address
    for kept in range(len(lines)):
        path.write_text("".join(lines[:kept]))
        with pytest.raises(UserError) as raised:
            read_crawl_toml(path)
        assert raised.value.exit_code == Exit.FOLDER
