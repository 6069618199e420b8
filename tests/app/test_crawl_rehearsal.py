from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gossamer.app.cli import main
from gossamer.app.exit_codes import Exit
from gossamer.app.settings import Given, load
from gossamer.app.settings.shown import settings_toml
from gossamer.app.settings.tree import TRAITS
from tests.servers import small_site
from tests.servers.small_site import Answer, page, robots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOOPBACK = ("--allow-address", "127.0.0.0/8", "--gap", "0")


@pytest.fixture
def site() -> Iterator[small_site.Site]:
    table: dict[str, small_site.Behaviour] = {
        "/": page("/a"),
        "/robots.txt": robots("User-agent: *", "Disallow: /no", "Sitemap: http://example.org/map.xml"),
    }
    with small_site.serve(table) as running:
        yield running


def test_a_dry_run_fetches_robots_and_nothing_else(
    site: small_site.Site, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seeds = [site.url("/"), site.url("/no"), site.url("/out"), "http://10.0.0.1/"]
    assert main(["crawl", *seeds, *LOOPBACK, "--exclude", "/out$", "--dry-run"]) == Exit.DONE
    shown = capsys.readouterr().out
    assert [hit.uri for hit in site.hits()] == ["/robots.txt"]
    assert list(tmp_path.iterdir()) == []
    assert f"would be fetched first (1)\n  {site.url('/')}\n" in shown
    assert f"  {site.url('/no')}   robots.txt (line 2: Disallow: /no)" in shown
    assert f"  {site.url('/out')}   excluded" in shown
    assert "  http://10.0.0.1/   address refused (10.0.0.1 is private)" in shown
    assert "    sitemap http://example.org/map.xml" in shown


def test_a_dry_run_for_programs(site: small_site.Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["crawl", site.url("/"), *LOOPBACK, "--dry-run", "--json", "-o", str(tmp_path / "out")])
    shown = json.loads(capsys.readouterr().out)
    assert (code, shown["first"], shown["refused"]) == (Exit.DONE, [site.url("/")], {})
    assert shown["robots"][site.url("")]["sitemaps"] == ["http://example.org/map.xml"]
    assert shown["folder"] == str(tmp_path / "out")


def test_a_dry_run_that_would_fetch_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with small_site.serve({"/robots.txt": Answer(b"", 503)}) as closed:
        assert main(["crawl", closed.url("/"), *LOOPBACK, "--dry-run"]) == Exit.NOTHING_FETCHED
    assert "unreachable, so nothing is allowed (503)" in capsys.readouterr().out


def test_a_dry_run_checks_what_a_crawl_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["crawl", "http://127.0.0.1/", *LOOPBACK, "--dry-run", "-o", str(tmp_path)]) == Exit.FOLDER
    assert main(["crawl", "--dry-run"]) == Exit.BAD_INPUT
    assert main(["crawl", "--dry-run", "--show-settings"]) == Exit.BAD_INPUT
    capsys.readouterr()


def test_the_settings_in_force_are_shown_with_their_sources(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.toml").write_text("[scope]\nkind = 'site'\n")
    monkeypatch.setenv("GOSSAMER_FETCH_TOTAL", "9s")
    flags = ("--config", str(tmp_path / "mine.toml"), "--max-pages", "5", "--set", "scope.exclude=a|b")
    assert main(["crawl", "https://example.org/", *flags, "--show-settings"]) == Exit.DONE
    shown = capsys.readouterr().out
    for line in (
        f'kind = "site"  # file {tmp_path / "mine.toml"}; ',
        'total = "9s"  # environment GOSSAMER_FETCH_TOTAL; ',
        "max_pages = 5  # flag --max-pages; ",
        'exclude = ["a|b"]  # --set scope.exclude; ',
        'gap = "1s"  # default; ',
    ):
        assert f"\n{line}" in shown


def test_what_is_shown_is_a_settings_file(tmp_path: Path) -> None:
    settings = load(Given(sets=["crawl.max_pages=7", 'scope.include=["x#y", \'q"\']', "dns.resolve=a.test=127.0.0.1"]))
    (tmp_path / "shown.toml").write_text(settings_toml(settings))
    again = load(Given(config=tmp_path / "shown.toml"))
    assert {key: again.values[key] for key in TRAITS} == {key: settings.values[key] for key in TRAITS}


def test_a_dry_run_names_every_cap(site: small_site.Site, capsys: pytest.CaptureFixture[str]) -> None:
    caps = ("--max-pages", "1000", "--max-bytes", "5GB", "--max-time", "6h", "--max-depth", "3")
    per_host = ("--set", "crawl.max_pages_per_host=7", "--set", "crawl.max_bytes_per_host=1MB")
    assert main(["crawl", site.url("/"), *LOOPBACK, *caps, *per_host, "--dry-run"]) == Exit.DONE
    shown = capsys.readouterr().out
    assert "caps        1,000 pages, 5.0 GB, 7 pages of each host, 1.0 MB of each host, depth 3, 6h\n" in shown
    assert "   1 rule for us\n" in shown
