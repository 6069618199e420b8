"""What is wanted and what is refused: scope, patterns, depth, block list, nofollow, media, on a real crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import Answer, page, redirect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

NAMES = ("a.site.test", "b.site.test", "other.test")
RESOLVE = [part for name in (*NAMES, "site.test", "www.site.test") for part in ("--resolve", f"{name}=127.0.0.1")]


@pytest.fixture(scope="module")
def web() -> Iterator[small_site.Site]:
    """Three hosts, two of one site; links carry the port, which is known only once the site runs."""
    with small_site.serve({}) as site:
        a, b, other = (site.url("", name) for name in NAMES)
        site.table |= {
            "//a.site.test/docs/": page("/docs/one", "/docs/two", "/elsewhere", f"{b}/", f"{other}/"),
            "//a.site.test/docs/one": page("/docs/deep/three", title="one"),
            "//a.site.test/docs/two": page("/docs/", title="two"),
            "//a.site.test/docs/deep/three": page("/docs/deep/four", title="three"),
            "//a.site.test/docs/deep/four": page(title="four"),
            "//a.site.test/elsewhere": page("/docs/", title="elsewhere"),
            "//b.site.test/": page(f"{a}/docs/", title="b"),
            "//other.test/": page(f"{b}/", title="other"),
        }
        yield site


WHOLE = {"/docs/", "/docs/one", "/docs/two", "/docs/deep/three", "/docs/deep/four", "/elsewhere"}
DOCS = WHOLE - {"/elsewhere"}


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--scope", "page"], {"/docs/"}),
        (["--scope", "prefix"], DOCS),
        (["--scope", "host"], WHOLE),
        (["--scope", "site"], WHOLE | {"b/"}),
        (["--scope", "any"], WHOLE | {"b/", "other/"}),
        (["--max-depth", "0"], {"/docs/"}),
        (["--max-depth", "1"], {"/docs/", "/docs/one", "/docs/two", "/elsewhere"}),
        (["--include", "/docs/"], DOCS),
        (["--exclude", "/deep/"], WHOLE - {"/docs/deep/three", "/docs/deep/four"}),
        (["--exclude", "two$", "--exclude", "elsewhere"], DOCS - {"/docs/two"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_scope_and_filters(web: small_site.Site, tmp_path: Path, flags: list[str], expected: set[str]) -> None:
    code, crawl = crawls.crawl(tmp_path / "crawl", web.url("/docs/", "a.site.test"), *RESOLVE, *flags)
    short = {"a.site.test": "", "b.site.test": "b", "other.test": "other"}
    fetched = {short[row["host"]] + url.partition(f":{web.port}")[2] for url, row in crawl.fetched().items()}
    assert (code, fetched) == (0, expected)
    assert crawl.summary()["balanced"]


def test_a_file_of_domains_widens_the_scope(web: small_site.Site, tmp_path: Path) -> None:
    (tmp_path / "domains").write_text("other.test\n")
    code, crawl = crawls.crawl(
        tmp_path / "crawl", web.url("/docs/", "a.site.test"), *RESOLVE, "--domains", tmp_path / "domains"
    )
    assert code == 0
    assert {row["host"] for row in crawl.fetched().values()} == {"a.site.test", "other.test"}


def test_blocked_hosts_are_never_contacted(web: small_site.Site, tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("# not these\nother.test\nb.site.test\n")
    before = len(web.log)
    code, crawl = crawls.crawl(
        tmp_path / "crawl",
        web.url("/docs/", "a.site.test"),
        *("--scope", "any", "--block-file", tmp_path / "blocked"),
        *RESOLVE,
    )
    assert code == 0
    assert {hit.host for hit in web.log[before:]} == {"a.site.test"}
    assert crawl.reasons()["blocked"] == 2


def test_every_port_of_a_host_is_in_scope(tmp_path: Path) -> None:
    with small_site.serve({"/two": page(title="two")}, ports=2) as site:
        site.table["/"] = page(site.url("/two", listener=1))
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
        assert code == 0
        assert site.url("/two", listener=1) in crawl.fetched()
        assert {hit.port for hit in site.log if hit.uri == "/robots.txt"} == set(site.ports)


def test_a_seed_that_leads_to_www_widens_the_scope(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        www = site.url("", "www.site.test")
        site.table |= {
            "//site.test/": redirect(f"{www}/"),
            "//www.site.test/": page("/more", title="home"),
            "//www.site.test/more": page(title="more"),
        }
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/", "site.test"), *RESOLVE)
        assert code == 0
        assert set(crawl.fetched()) == {f"{www}/", f"{www}/more"}
        assert any("www.site.test" in text for text in crawl.summary()["widened"])


def test_a_seed_that_leads_to_another_site_does_not(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        site.table["//site.test/"] = redirect(site.url("/", "other.test"))
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/", "site.test"), *RESOLVE)
        assert code == 3
        assert crawl.refused() == {site.url("/", "other.test"): "scope"}
        assert {hit.host for hit in site.log} == {"site.test"}


NOFOLLOW = {
    "/": Answer(
        b"<title>x</title><a href=/yes>y</a><a rel=nofollow href=/no>n</a><a href=/quiet>q</a><a href=/header>h</a>"
    ),
    "/yes": page(title="yes"),
    "/no": page(title="no"),
    "/quiet": page("/beyond", head="<meta name=robots content=nofollow>", title="quiet"),
    "/header": Answer(page("/beyond-2").body, fields=(("X-Robots-Tag", "nofollow"),)),
    "/beyond": page(title="beyond"),
    "/beyond-2": page(title="beyond 2"),
}


@pytest.mark.parametrize(
    ("setting", "expected"),
    [("obey", {"/", "/yes", "/quiet", "/header"}), ("ignore", set(NOFOLLOW))],
)
def test_nofollow(tmp_path: Path, setting: str, expected: set[str]) -> None:
    with small_site.serve(NOFOLLOW) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--set", f"scope.nofollow={setting}")
        assert code == 0
        assert {url.removeprefix(site.url("")) for url in crawl.fetched()} == expected
        assert crawl.reasons()["nofollow"] == (3 if setting == "obey" else 0)


MEDIA = {
    "/": page("/doc", "/words", "/picture.png", "/xhtml"),
    "/doc": Answer(b"%PDF-1.7", media_type="application/pdf"),
    "/words": Answer(b"words", media_type="text/plain"),
    "/picture.png": Answer(b"\x89PNG", media_type="image/png"),
    "/xhtml": Answer(b"<html xmlns='http://www.w3.org/1999/xhtml'></html>", media_type="application/xhtml+xml"),
}


@pytest.mark.parametrize(
    ("media", "expected"),
    [("html", {"/", "/xhtml"}), ("html,text/plain", {"/", "/xhtml", "/words"}), ("any", set(MEDIA))],
)
def test_media(tmp_path: Path, media: str, expected: set[str]) -> None:
    with small_site.serve(MEDIA) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--media", media)
        assert code == 0
        assert {url.removeprefix(site.url("")) for url in crawl.fetched()} == expected
        assert crawl.summary()["balanced"]


COPIES = {
    "/": page("/one", "/two"),
    "/one": page("next", title="same"),
    "/two": page("deeper/", title="start of another"),
    "/deeper/": page("copy"),
    "/deeper/copy": page("next", title="same"),
    "/next": page(title="next"),
    "/deeper/next": page(title="next of the copy"),
}


@pytest.mark.parametrize(("follow", "reached"), [("never", False), ("same-host", True), ("always", True)])
def test_links_of_copies(tmp_path: Path, follow: str, reached: bool) -> None:
    with small_site.serve(COPIES) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--copies", follow)
        assert code == 0
        assert (site.url("/deeper/next") in crawl.fetched()) == reached
        assert (crawl.refused().get(site.url("/deeper/next")) == "copy") == (not reached)


def test_links_of_copies_on_another_host(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        a, b = site.url("", "a.site.test"), site.url("", "b.site.test")
        site.table |= {
            "//a.site.test/": page(f"{b}/", title="same"),
            "//b.site.test/": page("/go", title="b"),
            "//b.site.test/go": page("/sub/", title="go"),
            "//b.site.test/sub/": Answer(page(f"{b}/", title="same").body),
        }
        code, crawl = crawls.crawl(tmp_path / "crawl", f"{a}/", *RESOLVE, "--scope", "site", "--copies", "same-host")
        assert code == 0
        copies = [row for row in crawl.pages() if row["copy_of"]]
        assert [(row["url"], row["copy_of"]) for row in copies] == [(f"{b}/sub/", f"{a}/")]
        assert crawl.reasons()["copy"] == 1
