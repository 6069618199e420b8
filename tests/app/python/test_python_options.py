from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import get_type_hints

import pytest

from gossamer.app.python.options import KEYWORDS, TEMPORARY_SHARDS, ChangeOptions, CrawlOptions, given_of
from gossamer.app.settings import load
from gossamer.app.settings.flags import FLAGS
from gossamer.app.settings.tree import TRAITS


def test_every_keyword_names_a_key() -> None:
    assert set(KEYWORDS.values()) <= set(TRAITS)
    assert set(KEYWORDS) | {"config", "hosts", "settings"} == set(CrawlOptions.__annotations__) | set(
        ChangeOptions.__annotations__
    )
    assert get_type_hints(CrawlOptions)


def test_every_flag_is_a_keyword_but_those_of_the_terminal() -> None:
    flags = {flag.key for flag in FLAGS}
    of_the_terminal = {"output.quiet", "output.json", "metrics.address", "crawl.workers"}
    assert flags - set(KEYWORDS.values()) == of_the_terminal


@pytest.mark.parametrize(
    ("options", "key", "value"),
    [
        ({"max_pages": 5}, "crawl.max_pages", 5),
        ({"max_pages": None}, "crawl.max_pages", None),
        ({"max_time": timedelta(minutes=2)}, "crawl.max_time", 120.0),
        ({"gap": "2s"}, "politeness.gap", 2.0),
        ({"exclude": "[a,b]+"}, "scope.exclude", ("[a,b]+",)),
        ({"exclude": ("x", "y")}, "scope.exclude", ("x", "y")),
        ({"follow": "sitemaps"}, "scope.follow", ("sitemaps",)),
        ({"purposes": ["search", "ai-train"]}, "politeness.purposes", ("search", "ai-train")),
        ({"media": "any"}, "scope.media", ("any",)),
        ({"settings": {"fetch.total": 9}}, "fetch.total", 9.0),
        ({"settings": {"seeds.files": Path("/tmp/seeds.txt")}}, "seeds.files", ("/tmp/seeds.txt",)),
        ({"output": None}, "output.folder", None),
        ({"output": Path("/tmp/out")}, "output.folder", "/tmp/out"),
    ],
)
def test_values_are_read_as_a_settings_file_has_them(options: dict[str, object], key: str, value: object) -> None:
    assert load(given_of(options)).values[key] == value


def test_keywords_beat_the_settings_file(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text("[crawl]\nmax_pages = 3\nmax_bytes = 5\n")
    settings = load(given_of({"config": tmp_path / "mine.toml", "max_pages": 4}, ["https://example.org/"]))
    assert (settings.crawl.max_pages, settings.crawl.max_bytes) == (4, 5)
    assert settings.sources["crawl.max_pages"].words == "keyword max_pages"


def test_a_temporary_folder_has_few_shards() -> None:
    assert load(given_of({}, ["https://example.org/"])).crawl.shards == TEMPORARY_SHARDS
    assert load(given_of({"output": "x"}, ["https://example.org/"])).crawl.shards == 16
    assert load(given_of({"settings": {"crawl.shards": 9}}, ["https://example.org/"])).crawl.shards == 9
