"""`gossamer derive`: rows made from an archive alone are the crawl's own."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from gossamer import warc
from gossamer.app.cli import main
from gossamer.app.exit_codes import Exit
from tests import crawls, readers
from tests.published import SHARED, needs_shared
from tests.servers import small_site
from tests.servers.small_site import Answer, page, redirect, robots

HTML = page("/", title="coded").body
SITE = {
    "/": page(
        "/gz",
        "/same-1",
        "/same-2",
        "/moved",
        "/gone",
        "/big",
        "/untyped",
        "/odd|{x}?a=^",
        "/none",
        "/empty",
        title="The start",
    ),
    "/gz": Answer(gzip.compress(HTML, mtime=0), fields=(("Content-Encoding", "gzip"),)),
    "/same-1": page("/gz", title="same"),
    "/same-2": page("/gz", title="same"),
    "/moved": redirect("/gz", 302),
    "/gone": Answer(b"gone", 410),
    "/big": Answer(HTML + b"z" * 100_000),
    "/untyped": Answer(b"<!doctype html><title>x</title><a href=/gz rel=nofollow>y</a>", media_type=""),
    "/none": Answer(b"", 204, ""),
    "/empty": Answer(b""),
    "/robots.txt": robots("User-agent: *", "Content-Signal: ai-train=no", "Sitemap: /map.xml"),
    "/map.xml": Answer(
        b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/named</loc></url></urlset>',
        media_type="application/xml",
    ),
    "/named": page("/", title="named", head="<meta name=robots content='noindex, max-snippet:20'>"),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[crawls.Crawl, Path]:
    """A crawl of all kinds of answers, and what is derived from its archive."""
    folder = tmp_path_factory.mktemp("derive")
    with small_site.serve(SITE) as site:
        limits = ("--set", "fetch.body_bytes=50k", "--copies", "always", "--scope", "site")
        seeds = folder / "news.txt"
        seeds.write_text(site.url("/", "127.0.0.1") + "\n")
        code, crawl = crawls.crawl(folder / "crawl", "--seeds", seeds, *limits)
    assert code == 0
    assert main(["derive", str(crawl.folder), "-o", str(folder / "out")]) == 0
    return crawl, folder / "out"


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    return [row for path in sorted((folder / name).glob("*.parquet")) for row in pq.read_table(path).to_pylist()]


def by_place(table: list[dict[str, Any]]) -> dict[tuple[str, int], dict[str, Any]]:
    return {(row["warc"], row["offset"]): row for row in table}


def test_every_column_of_an_archived_visit_is_the_crawls(crawled: tuple[crawls.Crawl, Path]) -> None:
    crawl, out = crawled
    expected = by_place([row for row in crawl.rows("pages") if row["warc"]])
    found = by_place(rows(out, "pages"))
    assert found.keys() == expected.keys()
    assert len(found) >= len(SITE)
    for place, row in expected.items():
        assert found[place] == row
    seen = {
        (row["kind"], row["outcome"], row["reason"], row["truncated"], bool(row["copy_of"])) for row in found.values()
    }
    assert {kind for kind, *_ in seen} == {"page", "robots", "sitemap"}
    assert {outcome for _, outcome, *_ in seen} >= {"fetched", "redirected", "failed"}
    assert any(cut == "length" for *_, cut, _ in seen), "a cut body is among them"
    assert any(copy for *_, copy in seen), "a copy is among them"


def test_links_are_the_crawls_but_for_the_verdict(crawled: tuple[crawls.Crawl, Path]) -> None:
    crawl, out = crawled

    def bare(table: list[dict[str, Any]]) -> list[str]:
        return sorted(json.dumps({key: row[key] for key in row if key != "verdict"}, sort_keys=True) for row in table)

    found = rows(out, "links")
    assert bare(found) == bare(crawl.rows("links"))
    assert {row["verdict"] for row in found} == {"not judged"}


def test_the_index_is_the_crawls(crawled: tuple[crawls.Crawl, Path]) -> None:
    crawl, out = crawled
    (index,) = (out / "index").glob("*.cdxj")
    assert crawls.lines_of(index) == crawl.index()


def test_texts_and_numbers(crawled: tuple[crawls.Crawl, Path]) -> None:
    crawl, out = crawled
    texts = {row["url"].rpartition("/")[2]: row["text"] for row in rows(out, "texts")}
    assert "y" in texts["untyped"]
    assert "same-2" in texts, "a revisit has the text of what it repeats"
    told = json.loads((out / "derive.json").read_bytes())
    assert told["problem_count"] == told["unresolved_revisits"] == told["left_out"] == 0
    assert told["pages"] == len(rows(out, "pages"))
    assert told["records"] == dict(readers.fastwarc_records(crawl.warcs()))
    assert "visits without an answer" in told["absent"][0]


def test_it_says_what_it_cannot_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", str(tmp_path / "none")]) == 2
    assert main(["derive", str(tmp_path)]) == 2
    (tmp_path / "x.warc").write_bytes(b"")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "file").touch()
    assert main(["derive", str(tmp_path), "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert "is not there" in said
    assert "no archive files" in said
    assert "is there already" in said


@needs_shared
@pytest.mark.parametrize("name", ["fastwarc/warcfile.warc.gz", "webarchive-commons/format/gzip/IAH-urls-wget.warc.gz"])
def test_foreign_archives(tmp_path: Path, name: str) -> None:
    source = SHARED / "data/warc" / name
    assert main(["derive", str(source), "-o", str(tmp_path / "out")]) == 0
    with warc.open(source) as archive:
        answers = [record for record in archive if record.kind == "response"]
    table = rows(tmp_path / "out", "pages")
    assert [row["status"] for row in table] == [record.status for record in answers]
    assert rows(tmp_path / "out", "texts")


def test_what_is_no_archive_is_refused_and_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("SELECT 1\n")
    assert main(["derive", str(tmp_path / "notes.txt"), "-o", str(tmp_path / "out")]) == Exit.BAD_INPUT
    assert "notes.txt holds no WARC or ARC record: " in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_only_what_is_promised_is_left(crawled: tuple[crawls.Crawl, Path]) -> None:
    _, out = crawled
    assert sorted(path.name for path in out.iterdir()) == ["derive.json", "index", "links", "pages", "texts"]
