"""Orders and questions that cannot be meant: one clear line, a hint, the exit code, and nothing changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.app.errors import UserError
from gossamer.app.orders import Orders, block_entry, host_name, read_orders, write_orders
from tests import crawls
from tests.operator_crawl import order, told
from tests.servers import small_site
from tests.servers.small_site import page

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("operator") / "crawl"
    with small_site.serve({"/": page("/a"), "/a": page(title="a")}) as site:
        code, _ = crawls.crawl(path, site.url("/"))
    assert code == 0
    return path


BAD = [
    (("block", "http://a.test/x"), "is not a host", "a.test"),
    (("block", "a.test/x"), "is not a host", ""),
    (("block", "*"), "is not a host", ""),
    (("pause", "*.a.test"), "is not a host", ""),
    (("pause", "a.test:80"), "is not a host", ""),
    (("unblock", "a.test"), "not on the crawl's own block list", ""),
    (("set", "crawl.max_page=3"), "is no setting", "crawl.max_pages"),
    (("set", "crawl.max_pages"), "KEY=VALUE", ""),
    (("set", "crawl.shards=3"), "fixed", ""),
    (("set", "scope.kind=any"), "cannot be changed while a crawl runs", "resume"),
    (("set", "crawl.max_pages=-1"), "wants", ""),
    (("add", "not a url"), "is not a URL", ""),
    (("add",), "no seed was given", ""),
    (("hosts", "--sort", "page"), "--sort", "pages"),
    (("hosts", "--state", "over budge"), "--state", "over budget"),
    (("hosts", "--limit", "0"), "--limit", ""),
    (("hosts", "--requests"), "wants a HOST", ""),
    (("hosts", "127.0.0.1", "--since", "2d"), "--requests", ""),
    (("hosts", "127.0.0.1", "--requests", "--since", "yesterday"), "is no moment", ""),
    (("hosts", "unheard.test"), "nothing is known of unheard.test", ""),
]


@pytest.mark.parametrize(("arguments", "message", "hint"), BAD)
def test_bad_input(folder: Path, arguments: tuple[str, ...], message: str, hint: str) -> None:
    name, *rest = arguments
    answer = told(name, folder, *rest)
    assert answer.code == 2
    assert message in answer.stderr.splitlines()[0]
    assert hint in answer.stderr
    assert answer.stdout == ""
    assert not (folder / "state" / "orders.json").exists()


@pytest.mark.parametrize("command", ["add", "block", "unblock", "pause", "continue", "stop", "set", "hosts"])
def test_no_crawl_folder(tmp_path: Path, command: str) -> None:
    needed = {"add": "http://a.test/", "block": "a.test", "unblock": "a.test", "set": "crawl.max_pages=3"}
    answer = told(command, tmp_path / "none", *([needed[command]] if command in needed else []))
    assert answer.code == 7
    assert "does not exist" in answer.stderr


def test_stop_where_nothing_runs(folder: Path) -> None:
    answer = told("stop", folder)
    assert (answer.code, answer.stdout) == (0, "")
    assert "no crawl runs" in answer.stderr


@pytest.mark.parametrize(
    ("text", "name"), [("A.Test", "a.test"), ("bücher.example", "xn--bcher-kva.example"), ("127.0.0.1", "127.0.0.1")]
)
def test_host_names(text: str, name: str) -> None:
    assert host_name(text) == name
    assert block_entry(f"*.{text}") == f"*.{name}"


@pytest.mark.parametrize("text", ["", "a b", "http://a/", "a/b", "a:80", "a@b", "*.a", "a\n"])
def test_what_is_no_host(text: str) -> None:
    with pytest.raises(UserError):
        host_name(text)


def test_hostile_names_are_inert(folder: Path) -> None:
    answer = told("block", folder, "evil\x1b[2J.test")
    assert answer.code == 2
    assert "\x1b" not in answer.stderr


def test_orders_come_back_as_they_were_kept(folder: Path) -> None:
    from gossamer.app.folder import CrawlFolder

    crawl = CrawlFolder(folder)
    kept = Orders(paused_at=3.0, paused={"a.test": 1.0}, blocked={"*.b.test": 2.0})
    try:
        write_orders(crawl, kept)
        assert read_orders(crawl) == kept
        assert read_orders(crawl).block_list.blocks_host("x.b.test")
        crawl.orders.write_text("{")
        with pytest.raises(UserError, match="damaged"):
            read_orders(crawl)
    finally:
        crawl.orders.unlink()


def test_a_line_cut_by_a_crash_spoils_no_other(folder: Path) -> None:
    added = folder / "state" / "added.tsv"
    added.write_text("added\thttp://a.test/\nadded\thttp://b.te")
    order("add", folder, "http://c.test/")
    assert added.read_text() == "added\thttp://a.test/\nadded\thttp://c.test/\n"
    added.unlink()
