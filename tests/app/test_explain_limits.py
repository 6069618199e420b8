"""What `explain` says of URLs that a cap keeps back, and what `forget` does in a crawl that does not run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.app.cli import main
from tests import crawls, ledgers
from tests.servers import small_site
from tests.servers.small_site import Answer, page, robots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

SITE = {"/": page("/1", "/2", "/3", "/no"), **{f"/{number}": page(title=f"{number}") for number in (1, 2, 3)}}


@pytest.fixture
def site() -> Iterator[small_site.Site]:
    with small_site.serve({**SITE, "/robots.txt": robots("User-agent: *", "Disallow: /no")}) as serving:
        yield serving


def told(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    """What a command prints with --json."""
    capsys.readouterr()
    assert main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_held_over_a_cap(site: small_site.Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawls.crawl(tmp_path / "crawl", site.url("/"), "--set", "crawl.max_pages_per_host=2")
    found = told(capsys, "explain", tmp_path / "crawl", site.url("/2"))
    assert (found["state"], found["cause"]["code"], found["next"]) == ("held", "cap", None)
    assert "2 pages" in found["cause"]["text"]
    assert found["host"]["state"] == "over budget"


def test_the_cap_of_the_whole_crawl(site: small_site.Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crawls.crawl(tmp_path / "crawl", site.url("/"), "--max-pages", "2")
    found = told(capsys, "explain", tmp_path / "crawl", site.url("/3"))
    assert (found["state"], found["cause"]["code"]) == ("queued", "crawl limit")
    assert "--max-pages 2 reached" in found["cause"]["text"]
    assert (found["queue"]["level"], found["queue"]["ahead"], found["queue"]["ahead_exact"]) == (1, 1, True)
    assert found["next"]["why"].endswith("once the crawl runs")


def test_another_spelling_is_the_same_url(
    site: small_site.Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site.table["/"] = page("/%7euser")
    site.table["/%7euser"] = page(title="user")
    crawls.crawl(tmp_path / "crawl", site.url("/"))
    found = told(capsys, "explain", tmp_path / "crawl", site.url("/~user"))
    assert found["cause"]["code"] == "fetched"
    assert (found["key"]["key"], found["key"]["fetch_url"]) == (site.url("/~user"), site.url("/%7euser"))
    assert main(["explain", str(tmp_path / "crawl"), site.url("/~user")]) == 0
    assert "the spelling found first" in capsys.readouterr().out


def test_forgotten_urls_are_fetched_again(
    site: small_site.Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "crawl"
    _, crawl = crawls.crawl(folder, site.url("/"))
    site.table["/1"] = page(title="changed")
    site.table["/robots.txt"] = robots("User-agent: *", "Disallow: /no")
    for path, before in (("/1", "done"), ("/no", "refused: robots")):
        done = told(capsys, "forget", folder, site.url(path))
        assert done == {"url": site.url(path), "before": before, "changed": True}
    assert told(capsys, "explain", folder, site.url("/1"))["state"] == "queued"
    again = told(capsys, "forget", folder, site.url("/1"))
    assert (again["before"], again["changed"]) == ("queued", False)
    assert not [text for text in ledgers.problems(crawl) if not text.startswith("refusals")]
    code, crawl = crawls.resume(folder)
    assert (code, site.paths().count("/1"), site.paths().count("/no")) == (0, 2, 0)
    found = told(capsys, "explain", folder, site.url("/1"))
    assert [attempt["outcome"] for attempt in found["attempts"]] == ["fetched", "fetched"]
    assert told(capsys, "explain", folder, site.url("/no"))["cause"]["code"] == "robots"
    assert crawl.summary()["balanced"]
    # A second refusal of one URL is a second row, though the URL is refused once.
    assert not [text for text in ledgers.problems(crawl) if not text.startswith("refusals")]


def test_bad_input_is_one_clear_line(site: small_site.Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "crawl"
    crawls.crawl(folder, site.url("/"), "--max-pages", "1")
    for arguments, words in (
        (("forget", folder, site.url("/never")), "is not known to this crawl"),
        (("forget", folder, "mailto:a@b"), "is not a URL"),
        (("explain", folder, "no url"), "is not a URL"),
        (("explain", folder / "none", site.url("/")), "does not exist"),
        (("show", folder, site.url("/never")), "has no capture"),
    ):
        capsys.readouterr()
        assert main([*map(str, arguments)]) in (2, 7)
        ended = capsys.readouterr()
        assert (ended.out, words in ended.err) == ("", True), ended.err


def test_forgetting_stays_within_the_scope(
    site: small_site.Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "crawl"
    crawls.crawl(folder, site.url("/"))
    crawls.resume(folder, "--exclude", "/1")
    capsys.readouterr()
    assert main(["forget", str(folder), site.url("/1")]) == 2
    assert "not wanted any more" in capsys.readouterr().err
    assert told(capsys, "explain", folder, site.url("/1"))["scope"]["verdict"] == "excluded"


def test_hostile_urls_are_inert(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "/\x1b[2J\u202e"
    with small_site.serve({"/": Answer(f'<a href="{evil}">\x1b]0;x\x07</a>'.encode())}) as site:
        crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert main(["explain", str(tmp_path / "crawl"), site.url("/%1B[2J%E2%80%AE"), "--search"]) == 0
    shown = capsys.readouterr().out
    assert shown.isascii()
    assert "\x1b" not in shown
    assert "linked from" in shown
