from __future__ import annotations

import gzip
import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.app.cli import main
from gossamer.app.exit_codes import Exit
from tests.servers import small_site
from tests.servers.small_site import Answer, page, redirect, robots

if TYPE_CHECKING:
    from collections.abc import Iterator

LOOPBACK = ("--allow-address", "127.0.0.0/8", "--gap", "0")
HOSTILE = "\x1b]0;owned\x07\u202egnp\nline"


def set_cookie(asked: small_site.Asked, _: int) -> Answer:
    if "cookie" in asked.fields:
        return page(title="welcome")
    return redirect("/cookie", 302, ("Set-Cookie", "seen=1"))


SITE: dict[str, small_site.Behaviour] = {
    "/": Answer(
        b'<!doctype html><html lang="en"><title>start</title><meta name="robots" content="noindex">'
        b'<p>one</p><p>two</p><a rel="nofollow" href="/a">first</a><a href="mailto:x@y">mail</a>',
        fields=(("X-Robots-Tag", "noarchive"),),
    ),
    "/robots.txt": robots("User-agent: *", "Disallow: /no", "Crawl-delay: 0.1", "Sitemap: http://example.org/map.xml"),
    "/no": page(),
    "/once": redirect("/twice"),
    "/twice": redirect("/"),
    "/away": redirect("/no"),
    "/loop": redirect("/loop"),
    "/cookie": set_cookie,
    "/hostile": Answer(
        f"<!doctype html><title>{HOSTILE}</title><p>{HOSTILE}</p><a href='/{HOSTILE}'>{HOSTILE}</a>".encode(),
        fields=(("X-Thing", "\x1b[31mred"),),
    ),
    "/packed": Answer(gzip.compress(page(title="packed").body), fields=(("Content-Encoding", "gzip"),)),
    "/broken": Answer(b"", 503),
    "/reset": Answer(reset=True),
    "/words": Answer(b"plain words", media_type="text/plain"),
    "/long": page(*(f"/l{number}" for number in range(30)), more="<br>".join(f"line {number}" for number in range(40))),
}


@pytest.fixture(scope="module")
def site() -> Iterator[small_site.Site]:
    with small_site.serve(SITE) as running:
        yield running


def get(site: small_site.Site, path: str, *flags: str) -> int:
    return main(["get", site.url(path), *LOOPBACK, *flags])


def as_json(site: small_site.Site, path: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    get(site, path, "--json")
    return json.loads(capsys.readouterr().out)


def test_a_page_is_shown(site: small_site.Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert get(site, "/") == Exit.DONE
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == f"{site.url('/')}   200"
    assert "allowed: no rule speaks of this URL, Crawl-delay 0.1 s" in shown[1]
    assert "X-Robots-Tag: noarchive" in shown
    assert [line.split() for line in shown if line.startswith("directives")] == [
        ["directives", "noindex,", "noarchive"]
    ]
    assert "  one" in shown
    assert "links (1)" in shown
    assert f"  a         {site.url('/a')} nofollow  first" in shown
    assert "  not ours: mailto 1" in shown


def test_everything_as_json(site: small_site.Site, capsys: pytest.CaptureFixture[str]) -> None:
    shown = as_json(site, "/once", capsys)
    assert [(step["status"], step["fate"]) for step in shown["chain"]] == [
        (301, "301 redirect"),
        (301, "301 redirect"),
        (200, "200"),
    ]
    assert shown["url"] == site.url("/")
    assert shown["chain"][0]["robots"]["sitemaps"] == ["http://example.org/map.xml"]
    assert shown["chain"][0]["robots"]["allowed"] is True
    assert shown["directives"] == {"noindex": True, "nofollow": False, "noarchive": True}
    assert shown["links"] == [{"url": site.url("/a"), "kind": "a", "rel": ["nofollow"], "text": "first"}]
    assert (shown["title"], shown["language"], shown["charset"]) == ("start", "en", "utf-8")


def test_robots_is_asked_once_and_obeyed(site: small_site.Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.log.clear()
    assert get(site, "/away") == Exit.NOTHING_FETCHED
    assert [hit.uri for hit in site.hits()] == ["/robots.txt", "/away"]
    assert "NOT allowed: line 2: Disallow: /no" in capsys.readouterr().out


def test_the_gap_is_kept(site: small_site.Site, capsys: pytest.CaptureFixture[str]) -> None:
    site.log.clear()
    get(site, "/twice")
    hits = site.hits()
    assert all(later.started - earlier.ended >= 0.09 for earlier, later in itertools.pairwise(hits))
    assert "waiting 0.1 s, the gap of 127.0.0.1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "fate"),
    [
        ("/loop", "redirect loop"),
        ("/missing", "404: nothing there"),
        ("/broken", "failed: http 503"),
        ("/reset", "failed: connection reset"),
    ],
)
def test_failures_are_told(path: str, fate: str, site: small_site.Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert get(site, path) == Exit.NOTHING_FETCHED
    assert fate in capsys.readouterr().out


def test_cookies_live_along_a_chain_that_stays_on_its_key(
    site: small_site.Site, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = as_json(site, "/cookie", capsys)
    assert (len(shown["chain"]), shown["title"]) == (2, "welcome")


def test_the_body_alone(site: small_site.Site, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert get(site, "/packed", "--raw") == Exit.DONE
    assert capfdbinary.readouterr().out == page(title="packed").body
    assert get(site, "/missing", "--raw") == Exit.NOTHING_FETCHED
    assert b"no body: 404" in capfdbinary.readouterr().err


def test_long_pages_are_cut_unless_asked(site: small_site.Site, capsys: pytest.CaptureFixture[str]) -> None:
    get(site, "/long")
    shown = capsys.readouterr().out
    assert "more lines (--full)" in shown
    assert "... 10 more links (--full)" in shown
    get(site, "/long", "--full")
    assert "(--full)" not in capsys.readouterr().out


def test_plain_text_has_no_links(site: small_site.Site, capsys: pytest.CaptureFixture[str]) -> None:
    shown = as_json(site, "/words", capsys)
    assert (shown["text"], shown["media_type"], "links" in shown) == ("plain words", "text/plain", False)


def test_nothing_of_a_page_reaches_the_terminal_raw(site: small_site.Site, capsys: pytest.CaptureFixture[str]) -> None:
    assert get(site, "/hostile") == Exit.DONE
    shown = capsys.readouterr().out
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_what_cannot_be_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["get", "http://127.0.0.1:1/"]) == Exit.NOTHING_FETCHED
    assert "address refused (127.0.0.1 is loopback)" in capsys.readouterr().out
    assert main(["get", "docs.example.org"]) == Exit.BAD_INPUT
    assert "did you mean https://docs.example.org/?" in capsys.readouterr().err


def test_an_unreachable_robots_forbids_all(capsys: pytest.CaptureFixture[str]) -> None:
    with small_site.serve({"/": page(), "/robots.txt": Answer(b"", 503)}) as closed:
        assert get(closed, "/") == Exit.NOTHING_FETCHED
    assert "it could not be read (503)" in capsys.readouterr().out


def test_robots_may_redirect(capsys: pytest.CaptureFixture[str]) -> None:
    table: dict[str, small_site.Behaviour] = {
        "/": page(),
        "/robots.txt": redirect("/other.txt"),
        "/other.txt": robots("User-agent: gossamer", "Disallow: /"),
    }
    with small_site.serve(table) as moved:
        assert get(moved, "/") == Exit.NOTHING_FETCHED
    assert "line 2: Disallow: /" in capsys.readouterr().out
