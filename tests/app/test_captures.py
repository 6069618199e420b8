"""Stored captures: found by URL and moment in index and journal, read back whole, revisits followed."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.app.captures import find_captures, open_capture
from gossamer.app.cli import main
from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import CrawlFolder
from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import Answer, Asked, page, redirect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.slow

WORDS = "<!doctype html><title>T</title><h1>Über</h1><p>One <b>two</b></p><script>no()</script><a href=/a rel=ugc>A</a>"


def changing(_: Asked, before: int) -> Answer:
    return page(title=f"visit {before}")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[small_site.Site, CrawlFolder]]:
    folder = tmp_path_factory.mktemp("captures") / "crawl"
    coded = Answer(gzip.compress(WORDS.encode()), fields=(("Content-Encoding", "gzip"),))
    table = {
        "/": page("/words", "/same", "/sub/same", "/r", "/changing", "/no-type", "/%7euser", "/a|b"),
        "/words": coded,
        "/same": page(title="same", more="both"),
        "/sub/same": page(title="same", more="both"),
        "/r": redirect("/"),
        "/changing": changing,
        "/no-type": Answer(WORDS.encode(), media_type=""),
        "/%7euser": page(title="user"),
        "/a%7Cb": page(title="bar"),
        "/a|b": page(title="bar"),
    }
    with small_site.serve(table) as site:
        crawls.crawl(folder, site.url("/"))
        main(["forget", str(folder), site.url("/changing")])
        crawls.resume(folder)
        yield site, CrawlFolder(folder)


def test_a_page_is_read_back(crawled: tuple[small_site.Site, CrawlFolder]) -> None:
    site, folder = crawled
    capture = open_capture(folder, site.url("/words"))
    assert capture.body == WORDS.encode()
    assert gzip.decompress(capture.payload) == WORDS.encode()
    assert (capture.status, capture.media_type, capture.truncated) == (200, "text/html", "")
    assert ("Content-Encoding", "gzip") in capture.headers
    assert "One two" in capture.text
    assert "no()" not in capture.text
    document = capture.document
    assert document is not None
    assert (document.title, document.links.urls) == ("T", [site.url("/a")])


def test_a_revisit_has_the_body_it_stands_for(crawled: tuple[small_site.Site, CrawlFolder]) -> None:
    site, folder = crawled
    capture, original = open_capture(folder, site.url("/sub/same")), open_capture(folder, site.url("/same"))
    assert capture.original is not None
    assert (capture.original.url, capture.original.record_id) == (original.url, original.record_id)
    assert capture.body == original.body == page(title="same", more="both").body
    assert capture.url == site.url("/sub/same")
    assert (capture.truncated, b"WARC-Type: revisit" in capture.raw) == ("", True)


def test_the_nearest_moment_is_chosen(crawled: tuple[small_site.Site, CrawlFolder]) -> None:
    site, folder = crawled
    first, last = find_captures(folder, site.url("/changing"))
    assert open_capture(folder, site.url("/changing")).body == page(title="visit 1").body
    assert open_capture(folder, site.url("/changing"), last.at).body == page(title="visit 1").body
    assert open_capture(folder, site.url("/changing"), first.at - 100).body == page(title="visit 0").body
    assert open_capture(folder, site.url("/changing"), "1999").body == page(title="visit 0").body
    assert open_capture(folder, site.url("/changing"), "2999-01-01T00:00:00Z").body == page(title="visit 1").body


@pytest.mark.parametrize(
    ("asked", "title"), [("/~user", "user"), ("/%7Euser", "user"), ("/a%7cb", "bar"), ("/a|b", "bar")]
)
def test_spellings_of_one_url(crawled: tuple[small_site.Site, CrawlFolder], asked: str, title: str) -> None:
    site, folder = crawled
    document = open_capture(folder, site.url(asked)).document
    assert document is not None
    assert document.title == title


def test_other_answers_are_captures_too(crawled: tuple[small_site.Site, CrawlFolder]) -> None:
    site, folder = crawled
    assert open_capture(folder, site.url("/r")).status == 301
    assert open_capture(folder, site.url("/robots.txt")).status == 404
    untyped = open_capture(folder, site.url("/no-type"))
    assert (untyped.media_type, "One two" in untyped.text) == ("text/html", True)


@pytest.mark.parametrize(
    ("url", "at", "words"),
    [("/never", None, "has no capture"), ("/", "yesterday", "is no moment"), ("mailto:x", None, "is not a URL")],
)
def test_what_is_not_there(crawled: tuple[small_site.Site, CrawlFolder], url: str, at: str | None, words: str) -> None:
    site, folder = crawled
    with pytest.raises(UserError, match=words):
        open_capture(folder, site.url(url) if url.startswith("/") else url, at)


def test_a_damaged_archive_is_said(crawled: tuple[small_site.Site, CrawlFolder], tmp_path: Path) -> None:
    site, folder = crawled
    copy = CrawlFolder(tmp_path)
    shutil.copytree(folder.path, copy.path, dirs_exist_ok=True)
    for path in (copy.path / "archive").iterdir():
        path.write_bytes(b"\0" * path.stat().st_size)
    with pytest.raises(UserError, match="cannot be read"):
        open_capture(copy, site.url("/words"))


def shown(folder: CrawlFolder, capfdbinary: pytest.CaptureFixture[bytes], *arguments: str) -> bytes:
    capfdbinary.readouterr()
    assert main(["show", str(folder.path), *arguments]) == 0
    sys.stdout.flush()
    return capfdbinary.readouterr().out


@pytest.mark.parametrize(
    ("flags", "begins", "holds"),
    [
        ([], b"<!doctype html>", b"<script>no()"),
        (["--headers"], b"HTTP/1.1 200", b"Content-Encoding: gzip"),
        (["--text"], "Über".encode(), b"One two"),
        (["--links"], b"http://127.0.0.1", b"/a\n"),
        (["--raw"], b"WARC/1.1", b"WARC-Type: response"),
    ],
)
def test_a_pipe_gets_bytes(
    crawled: tuple[small_site.Site, CrawlFolder],
    capfdbinary: pytest.CaptureFixture[bytes],
    flags: list[str],
    begins: bytes,
    holds: bytes,
) -> None:
    site, folder = crawled
    out = shown(folder, capfdbinary, site.url("/words"), *flags)
    assert out.startswith(begins)
    assert holds in out


def test_a_program_gets_json(
    crawled: tuple[small_site.Site, CrawlFolder], capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    site, folder = crawled
    found: dict[str, Any] = json.loads(shown(folder, capfdbinary, site.url("/words"), "--json", "--links"))
    assert (found["status"], found["decoded_bytes"], found["same_as"]) == (200, len(WORDS.encode()), None)
    assert found["links"] == [{"url": site.url("/a"), "kind": "a", "rel": ["ugc"], "text": "A"}]
    found = json.loads(shown(folder, capfdbinary, site.url("/sub/same"), "--json", "--text"))
    assert (found["same_as"]["url"], "both" in found["text"]) == (site.url("/same"), True)


def test_a_terminal_gets_inert_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    body = "<title>x</title><p>safe \x1b]0;owned\x07 \u202etext</p>".encode()
    with small_site.serve({"/": Answer(body, fields=(("Server", "a\x1b[31mb"),))}) as site:
        crawls.crawl(tmp_path / "crawl", site.url("/"))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
        for flags in ([], ["--headers"], ["--text"], ["--raw"], ["--links"]):
            assert main(["show", str(tmp_path / "crawl"), site.url("/"), *flags]) == 0
            out = capsys.readouterr().out
            assert not set(out) & {"\x1b", "\x07", "\u202e", "\r"}, flags


def test_captures_of_a_running_crawl(tmp_path: Path) -> None:
    folder = CrawlFolder(tmp_path / "crawl")
    with small_site.serve({"/": page("/held"), "/held": Answer(page(title="held").body, held=True)}) as site:
        process = crawls.start("crawl", site.url("/"), "-o", folder.path, "--gap", "0", *crawls.LOOPBACK, "--quiet")
        try:
            site.await_begun("/held")
            # The index line of "/" is written with the commit that made its links durable.
            while not find_captures(folder, site.url("/")):
                assert process.poll() is None
            assert open_capture(folder, site.url("/")).body == page("/held").body
        finally:
            site.release()
            process.wait(60)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def in_a_circle(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


@pytest.mark.parametrize("harm", [a_folder, in_a_circle])
def test_an_unreadable_index_is_said(
    harm: Callable[[Path], None], crawled: tuple[small_site.Site, CrawlFolder], tmp_path: Path
) -> None:
    site, folder = crawled
    copy = CrawlFolder(Path(shutil.copytree(folder.path, tmp_path / "copy")))
    for path in copy.path.glob("index/*.cdxj"):
        harm(path)
    with pytest.raises(UserError, match="cannot be read") as told:
        open_capture(copy, site.url("/words"))
    assert told.value.exit_code is Exit.FOLDER
