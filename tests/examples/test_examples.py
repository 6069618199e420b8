"""Each example, run as its first lines say, against a site on loopback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet
import pytest

from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import Answer, page, redirect

if TYPE_CHECKING:
    from collections.abc import Iterator

EXAMPLES = Path(__file__).parents[2] / "examples"
TESTED = {"first_crawl", "build_dataset", "watch_site", "find_broken_links", "read_results"}
pytestmark = pytest.mark.slow


@pytest.fixture
def site() -> Iterator[small_site.Site]:
    table: dict[str, small_site.Behaviour] = {
        "/": page("/a", "/b", "/gone", "/moved", title="start", more="The first page."),
        "/a": page("/gone", title="a", more="Words of a.", head='<link rel="stylesheet" href="/absent.css">'),
        "/b": page("/", title="b", more="Words of b."),
        "/copy": page("/", title="b", more="Words of b."),
        "/moved": redirect("/lost"),
        "/picture": Answer(b"\x89PNG", media_type="image/png"),
    }
    with small_site.serve(table) as running:
        yield running


def run(name: str, *arguments: str | Path, code: int = 0) -> list[str]:
    """The lines that an example prints."""
    command = [sys.executable, "-P", EXAMPLES / f"{name}.py", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=crawls.environment())
    assert (done.returncode, done.stderr) == (code, "")
    return done.stdout.splitlines()


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == TESTED


def test_first_crawl(site: small_site.Site) -> None:
    lines = run("first_crawl", site.url("/"), "--allow-address", "127.0.0.0/8")
    assert any(line.startswith(f"200 {site.url('/a')}  'a', 2 links") for line in lines)
    assert lines[-1].startswith("3 pages, ")
    assert lines[-1].endswith("complete")


def test_build_dataset(site: small_site.Site, tmp_path: Path) -> None:
    file = tmp_path / "texts.parquet"
    (line,) = run("build_dataset", site.url("/"), file, "--allow-address", "127.0.0.0/8")
    assert line.startswith("3 texts")
    rows = pyarrow.parquet.ParquetFile(file).read().to_pylist()
    assert {row["title"]: row["text"].splitlines()[0] for row in rows}["a"] == "Words of a."
    assert (tmp_path / "texts.crawl" / "summary.json").exists()


def test_watch_site(site: small_site.Site, tmp_path: Path) -> None:
    arguments = (site.url("/"), tmp_path / "watched", "--allow-address", "127.0.0.0/8")
    assert run("watch_site", *arguments)[-1] == "3 pages; compared with nothing: this was the first time"
    site.table["/"] = page("/a", "/new", title="start", more="Another first page.")
    site.table["/new"] = page(title="new")
    lines = run("watch_site", *arguments)
    assert lines[:3] == [f"new      {site.url('/new')}", f"changed  {site.url('/')}", f"gone     {site.url('/b')}"]


def test_find_broken_links(site: small_site.Site) -> None:
    lines = run("find_broken_links", site.url("/"), "--allow-address", "127.0.0.0/8", code=1)
    assert lines == [
        f"http 404: {site.url('/absent.css')}",
        f"    on {site.url('/a')}",
        f"http 404: {site.url('/gone')}",
        f"    on {site.url('/')}",
        f"    on {site.url('/a')}",
        f"http 404: {site.url('/lost')}",
        f"    on {site.url('/')}",
        f"    on {site.url('/moved')}",
        "3 pages, 3 broken links",
    ]


def test_read_results(site: small_site.Site, tmp_path: Path) -> None:
    crawls.crawl(tmp_path / "out", site.url("/"))
    lines = run("read_results", tmp_path / "out")
    assert any(line.strip().startswith("2  ") and line.endswith(site.url("/gone")) for line in lines)
    assert any(line.endswith("http 404") for line in lines)
    assert "  'WARC/1.1'" in lines
