"""The lessons: tables of cases, and each as it runs on standard input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer import lessons

NORMALIZED = [
    ("https://News.Example.com/a", "../b#section", ("https://news.example.com/b", "news.example.com")),
    ("http://x.test/a/b", "c?q=1", ("http://x.test/a/c", "x.test")),
    ("http://x.test", "", ("http://x.test/", "x.test")),
    ("http://u:p@X.test:8080/", "/d;v=1", ("http://x.test/d", "x.test")),
    ("http://x.test/", "mailto:a@b.test", ("", "")),
    ("http://x.test/", "http://[bad/", ("", "")),
    ("", "/only", ("", "")),
]


@pytest.mark.parametrize(("base", "href", "expected"), NORMALIZED)
def test_normalize(base: str, href: str, expected: tuple[str, str]) -> None:
    assert lessons.normalize(base, href) == expected


@given(st.text(), st.text())
def test_normalize_never_raises(base: str, href: str) -> None:
    url, host = lessons.normalize(base, href)
    assert bool(url) == bool(host)


def test_links_are_resolved_filtered_and_met_once() -> None:
    html = """<a href="b#top">1</a><A HREF='b'>2</A><a href=/c.PDF>3</a><a href="mailto:x@y">4</a><a>5</a>
    <a href="http://other.test/">6</a><a href="/long-enough-to-be-dropped">7</a><link href="/no"><a href="http://[x">8"""
    assert lessons.extract_links("http://x.test/a", html, 30) == ["http://x.test/b", "http://other.test/"]


def test_a_batch_has_one_url_of_each_host() -> None:
    frontier = lessons.PoliteFrontier()
    for url in ("http://a/1", "http://b/1", "http://a/2", "http://a/3"):
        frontier.add(url)
    assert frontier.next_batch() == ["http://a/1", "http://b/1"]
    frontier.add("http://b/2")
    assert frontier.next_batch() == ["http://a/2", "http://b/2"]
    assert frontier.next_batch() == ["http://a/3"]
    assert frontier.next_batch() == []


ROBOTS = """# a comment
User-agent: Bot
Disallow: /private # not here
User-agent: *
Disallow: /*.gif$
Disallow: /tmp
User-agent: bot
Disallow: /more
User-agent: free
Disallow:
"""

ALLOWED = [
    ("bot", "/private/x", False),
    ("BOT", "/more", False),
    ("bot", "/tmp", True),
    ("other", "/a/b.gif", False),
    ("other", "/a/b.gif?x", True),
    ("other", "/tmpfile", False),
    ("free", "/tmp", True),
    ("other", "/", True),
]


@pytest.mark.parametrize(("agent", "path", "expected"), ALLOWED)
def test_is_allowed(agent: str, path: str, expected: bool) -> None:
    assert lessons.is_allowed(ROBOTS, agent, path) is expected


def test_crawl_counts_downloads_and_follows_no_duplicates() -> None:
    web = {"a": ("x", ["b", "c", "b"]), "b": ("x", ["hidden"]), "c": ("y", ["a", "d", "gone"]), "d": ("z", [])}
    assert lessons.crawl(["a", "a"], web, 10) == ["fetch a", "duplicate b", "fetch c", "fetch d", "error gone"]
    assert lessons.crawl(["gone", "a", "b", "c"], web, 2) == ["error gone", "fetch a", "duplicate b"]


RUNS = {
    "normalize": ("http://x.test/a b#c\n", "('http://x.test/b', 'x.test')\n"),
    "extract-links": ('http://x.test/ 99\n<a href=a>\n<a href="b">', "http://x.test/a\nhttp://x.test/b\n"),
    "polite-frontier": ("http://a/1\nhttp://b/1\nhttp://a/2\n", "http://a/1 http://b/1\nhttp://a/2\n"),
    "crawl": ("a\n5\na x b\nb x -\n", "fetch a\nduplicate b\n"),
}


@pytest.mark.parametrize("name", RUNS)
def test_on_standard_input(name: str) -> None:
    given_text, expected = RUNS[name]
    assert _run([name], given_text).stdout == expected


def test_is_allowed_on_standard_input(tmp_path: Path) -> None:
    (tmp_path / "robots.txt").write_text(ROBOTS)
    done = _run(["is-allowed", str(tmp_path / "robots.txt")], "bot /private\nbot /\n")
    assert done.stdout == "false\ntrue\n"


def test_an_unknown_lesson_says_which_there_are() -> None:
    done = _run(["alchemy"], "")
    assert done.returncode == 2
    assert "normalize" in done.stderr


def _run(arguments: list[str], text: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gossamer.lessons", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)
