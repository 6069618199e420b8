"""A site denies uses, and a crawl that is for them leaves the pages alone; what was stated is kept with the rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from fastwarc.warc import ArchiveIterator

from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import Answer, page, robots

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

LINKS = ("/open", "/closed/a", "/header", "/meta", "/reserved", "/noarchive", "/data.html")
TABLE: dict[str, small_site.Behaviour] = {
    "/robots.txt": robots(
        "User-agent: *",
        "Content-Signal: search=yes",
        "Content-Usage: / search=y",
        "Content-Usage: /closed/ train-ai=n",
    ),
    "/.well-known/tdmrep.json": Answer(
        json.dumps([{"location": "/reserved", "tdm-reservation": 1}]).encode(), media_type="application/json"
    ),
    "/": page(*LINKS, title="home"),
    "/open": page(title="open"),
    "/closed/a": page(title="closed"),
    "/header": Answer(page("/behind-header").body, fields=(("Content-Usage", "train-ai=n"),)),
    "/meta": page("/behind-meta", head="<meta name=robots content=noai>", title="meta"),
    "/reserved": page(title="reserved"),
    "/noarchive": page("/open", head="<meta name=robots content='noarchive, max-snippet:5'>", title="quiet"),
    "/data.html": Answer(page(title="d").body, fields=(("X-Robots-Tag", "unavailable_after: 2001-02-03, nosnippet"),)),
}


def crawl(folder: Path, site: small_site.Site, *flags: str) -> tuple[crawls.Crawl, dict[str, str]]:
    code, done = crawls.crawl(folder, site.url("/"), *flags)
    assert code == 0
    assert done.summary()["balanced"]
    return done, {url.removeprefix(site.url("")): reason for url, reason in done.refused().items()}


def explained(folder: Path, url: str, capsys: pytest.CaptureFixture[str]) -> str:
    from gossamer.app.cli import main

    capsys.readouterr()
    assert main(["explain", str(folder), url]) == 0
    return capsys.readouterr().out


def test_a_crawl_for_search_and_archive_takes_all_and_keeps_what_was_stated(tmp_path: Path) -> None:
    with small_site.serve(TABLE) as site:
        done, refused = crawl(tmp_path / "c", site)
        rows = {row["url"].removeprefix(site.url("")): row for row in done.pages()}
    assert not refused
    assert set(LINKS) <= set(rows)
    assert "/.well-known/tdmrep.json" not in site.paths(), "it could deny neither purpose"
    assert rows["/closed/a"]["content_usage"] == "robots.txt: train-ai=n"
    assert rows["/closed/a"]["content_signal"] == "robots.txt: search=yes"
    assert rows["/closed/a"]["denied_uses"] == "ai-train"
    assert rows["/header"]["content_usage"] == "robots.txt: search=y; header: train-ai=n"
    assert rows["/meta"]["denied_uses"] == "ai-input ai-train"
    assert (rows["/noarchive"]["noarchive"], bool(rows["/noarchive"]["warc"])) == (True, True)
    assert rows["/noarchive"]["robots_rules"] == "noarchive, max-snippet:5"
    assert rows["/data.html"]["noindex"]
    assert rows["/data.html"]["unavailable_after"].year == 2001
    assert not rows["/open"]["noindex"]


def test_the_archive_tells_what_the_files_stated(tmp_path: Path) -> None:
    with small_site.serve(TABLE) as site:
        done, _ = crawl(tmp_path / "c", site)
        told = {}
        for path in done.warcs():
            with path.open("rb") as stream:
                for record in ArchiveIterator(stream):
                    if record.headers["WARC-Type"] == "metadata":
                        told[record.headers["WARC-Target-URI"]] = record.reader.read().decode()
    assert "stated: robots.txt content-usage train-ai=n\r\n" in told[site.url("/closed/a")]
    assert "stated: robots.txt content-signal search=yes\r\n" in told[site.url("/open")]


def test_what_is_denied_is_refused_with_the_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with small_site.serve(TABLE) as site:
        done, refused = crawl(tmp_path / "c", site, "--purposes", "archive,ai-train")
        asked = [hit.uri for hit in site.hits()]
        urls = {path: site.url(path) for path in LINKS}
    assert refused == dict.fromkeys(("/closed/a", "/header", "/meta", "/reserved"), "purpose")
    assert asked[:2] == ["/robots.txt", "/.well-known/tdmrep.json"]
    assert asked.count("/.well-known/tdmrep.json") == 1
    assert not {"/closed/a", "/reserved", "/behind-header", "/behind-meta"} & set(asked)
    rows = {row["url"]: row for row in done.pages()}
    header = rows[urls["/header"]]
    assert (header["outcome"], header["reason"], header["warc"], header["title"]) == ("refused", "purpose", "", "")
    assert done.summary()["refused"] == {"purpose": 4}
    probes = [row["status"] for row in done.rows("pages") if row["kind"] == "probe"]
    assert probes == [200]
    assert not [line for line in done.index() if "/header" in line]
    words = {
        "/closed/a": "ai-train: Content-Usage: train-ai=n (robots.txt)",
        "/header": "ai-train: Content-Usage: train-ai=n (header)",
        "/meta": "ai-train: robots: noai (page)",
        "/reserved": "ai-train: tdm-reservation: 1 (tdmrep.json)",
    }
    for path, expected in words.items():
        text = explained(tmp_path / "c", urls[path], capsys)
        assert f"({expected})" in text, text
    text = explained(tmp_path / "c", urls["/closed/a"], capsys)
    assert "for archive, ai-train: denied: ai-train" in text


def test_noarchive_is_obeyed_by_setting(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with small_site.serve(TABLE) as site:
        done, _ = crawl(tmp_path / "c", site, "--set", "archive.noarchive=obey")
        quiet = site.url("/noarchive")
    row = done.fetched()[quiet]
    assert (row["reason"], row["warc"], row["title"], row["links"]) == ("noarchive", "", "quiet", 1)
    assert done.summary()["unarchived"] == 1
    assert not [line for line in done.index() if "/noarchive" in line]
    assert "its page says noarchive" in explained(tmp_path / "c", quiet, capsys)


def test_purposes_must_be_known_and_some(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for value, words in (("world-domination", "politeness.purposes"), ("none", "politeness.purposes is empty")):
        code, _ = crawls.crawl(tmp_path / "c", "http://127.0.0.1:9/", "--purposes", value)
        assert code == 2
        assert words in capsys.readouterr().err
