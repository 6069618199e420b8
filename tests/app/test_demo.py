from __future__ import annotations

import contextlib
import http.client
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import re2

from gossamer.app.cli import main
from gossamer.app.commands import demo
from gossamer.app.commands.demo import PAGES, SECONDS_MAX, demo_settings, free_folder
from gossamer.app.demo_server import KEPT_OUT, is_kept_out, kept_out_pattern, page
from gossamer.app.demo_site import DemoSite
from gossamer.app.settings import check


def fetch(site: DemoSite, paths: list[str]) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    parts = urlsplit(site.url)
    assert parts.hostname == "127.0.0.1"
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=20)) as connection:
        for path in paths:
            connection.request("GET", path)
            answer = connection.getresponse()
            found[path] = (answer.status, answer.read().decode())
    return found


@pytest.mark.slow
def test_the_site_serves_the_library_and_nothing_with_side_effects() -> None:
    with DemoSite() as site:
        refused = [
            "/this.html",
            "/antigravity.html",
            "/idlelib.html",
            "/asyncio.__main__.html",
            "/robots.txt",
            "/a/../b",
        ]
        found = fetch(
            site, ["/index.html", "/json.html", "/json.decoder.html", *refused, "/getfile?key=/etc/passwd", "/%00"]
        )
        process = site._process
    index = found["/index.html"][1]
    assert found["/json.decoder.html"][0] == 200
    assert 'href="json.decoder.html"' in found["/json.html"][1]
    assert len(set(re.findall(r'href="([a-z0-9_]+)\.html"', index))) > 200
    assert "hypothesis" not in index, "only the standard library"
    assert [found[path][0] for path in refused] == [404] * len(refused)
    assert "root:" not in found["/getfile?key=/etc/passwd"][1]
    assert found["/%00"][0] == 404
    assert process.poll() == 0, "the child ended by itself when its input did"


def test_the_filter_and_the_server_keep_out_the_same() -> None:
    pattern = re2.compile(kept_out_pattern())
    names = [
        *KEPT_OUT,
        "idlelib.idle",
        "test.support",
        "asyncio.__main__",
        "unittest.test",
        "distutils.tests.support",
        "json",
        "thisness",
        "os",
        "unittest",
        "testing",
        "contextlib",
        "pipes",
        "asyncio.threads",
        "__future__",
    ]
    for name in names:
        url = f"http://127.0.0.1:8000/{name}.html"
        assert (pattern.search(url) is not None) == is_kept_out(name), name
        if is_kept_out(name):
            assert page(f"/{name}.html") is None


def test_settings_of_the_demo(tmp_path: Path) -> None:
    settings = demo_settings("http://127.0.0.1:8000/index.html", tmp_path / "d", str(PAGES), quiet=False)
    check(settings)
    assert settings.politeness.gap == 0
    assert settings.crawl.max_pages == PAGES >= 200
    assert settings.crawl.max_time == SECONDS_MAX < 90
    assert settings.scope.exclude == (kept_out_pattern(),)
    assert settings.network.allow_address == ("127.0.0.0/8",)


def test_a_folder_that_is_taken_is_said_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "DemoSite", lambda: pytest.fail("the site was started"))
    (tmp_path / "demo-crawl").mkdir()
    (tmp_path / "demo-crawl" / "crawl.toml").touch()
    assert main(["demo", "-o", "demo-crawl"]) == 7
    assert "demo-crawl is already a crawl" in capsys.readouterr().err


@pytest.mark.slow
def test_a_second_demo_says_where_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo-crawl").mkdir()
    assert main(["demo", "--max-pages", "2"]) == 0
    said = capsys.readouterr()
    assert "demo-crawl is there already; this demo goes to demo-crawl-2" in said.err
    assert "status demo-crawl-2" in said.err
    assert (tmp_path / "demo-crawl-2" / "summary.json").is_file()


def test_a_free_folder(tmp_path: Path) -> None:
    assert free_folder(tmp_path / "demo") == tmp_path / "demo"
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo-2").mkdir()
    assert free_folder(tmp_path / "demo") == tmp_path / "demo-3"
