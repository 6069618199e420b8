"""docs/file-formats.md against real crawl folders: every file, key and field it names is there, and no other."""

from __future__ import annotations

import json
import re
import threading
import time
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

import msgspec
import pyarrow.parquet
import pytest

from gossamer.app.folder import FixedFacts
from gossamer.app.settings.crawl_toml import FORMAT
from gossamer.core.datasets import DATASETS, SCHEMA_VERSION
from tests import crawls
from tests.docs.documents import DOCS, rows
from tests.servers import small_site
from tests.servers.small_site import Answer, page, robots

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

TEXT = (DOCS / "file-formats.md").read_text(encoding="utf-8")
LAYOUT = [(row[0].strip("`"), row[2]) for row in rows(TEXT, "The folder")]
SITE = {
    "/": page("/a", "/b", "/copy", "/nowhere", "/closed"),
    "/a": page("/b", title="a"),
    "/b": page(title="b"),
    "/copy": page(title="b"),
    "/robots.txt": robots("User-agent: *", "Disallow: /closed"),
}


def files_of(folder: Path) -> set[str]:
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return {re.sub(r"shard-\d{3}/", "shard-000/", path) for path in found}


def unexplained(files: set[str]) -> set[str]:
    return {path for path in files if not any(fnmatch(path, pattern) for pattern, _ in LAYOUT)}


def absent(files: set[str], *whens: str) -> set[str]:
    wanted = {pattern for pattern, when in LAYOUT if when in whens}
    return {pattern for pattern in wanted if not any(fnmatch(path, pattern) for path in files)}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> crawls.Crawl:
    """A small crawl that came to its end, resumed once with a changed setting."""
    folder = tmp_path_factory.mktemp("docs") / "crawl"
    with small_site.serve(SITE) as site:
        code, crawl = crawls.crawl(folder, site.url(), "--max-pages", "2")
        assert code == 0
        code, crawl = crawls.resume(folder, "--max-pages", "none")
        assert code == 0
    return crawl


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A folder of a crawl that was killed while a page was on its way."""
    folder = tmp_path / "crawl"
    with small_site.serve({"/": page("/held"), "/held": Answer(b"late", held=True)}) as site:
        process = crawls.start("crawl", site.url(), "-o", str(folder), "--gap", "0", *crawls.LOOPBACK)
        try:
            until = time.monotonic() + 30
            while not list(folder.glob("journal/pages-*.arrows")) and time.monotonic() < until:
                threading.Event().wait(0.01)
        finally:
            process.kill()
            process.wait()
        site.release()
    return folder


def test_a_finished_crawl_leaves_what_the_page_says(finished: crawls.Crawl) -> None:
    files = files_of(finished.folder)
    assert unexplained(files) == set()
    assert absent(files, "always", "after a run", "when one was") == set()
    assert not any(path.startswith("journal/") for path in files)


def test_a_killed_crawl_leaves_what_the_page_says(killed: Path) -> None:
    files = files_of(killed)
    assert unexplained(files) == set()
    assert absent(files, "always", "while it runs") == set()


def test_the_summary_has_the_keys_of_the_page(finished: crawls.Crawl) -> None:
    assert [row[0].strip("`") for row in rows(TEXT, "summary.json")] == list(finished.summary())


def test_index_lines_have_the_fields_of_the_page(finished: crawls.Crawl) -> None:
    named = {row[0].strip("`") for row in rows(TEXT, "The index")}
    lines = [json.loads(line.split(" ", 2)[2]) for line in finished.index()]
    assert set().union(*lines) == named
    revisits = [line for line in lines if line["mime"] == "warc/revisit"]
    assert revisits
    assert all("status" not in line for line in revisits)


def test_the_archive_has_the_records_of_the_page(finished: crawls.Crawl) -> None:
    from warcio.archiveiterator import ArchiveIterator

    kinds: set[str] = set()
    for path in finished.warcs():
        with path.open("rb") as file:
            kinds |= {record.rec_type for record in ArchiveIterator(file)}
    # This crawl's names are given by hand, so none was looked up.
    assert kinds | {"resource"} == {row[0].strip("`") for row in rows(TEXT, "The archive")}


@pytest.mark.parametrize("dataset", sorted(DATASETS))
def test_datasets_have_the_columns_of_the_page(finished: crawls.Crawl, dataset: str) -> None:
    (path, *_) = sorted((finished.folder / dataset).glob("*.parquet"))
    schema: Any = pyarrow.parquet.ParquetFile(path).schema_arrow
    assert [row[0].strip("`") for row in rows(TEXT, dataset)] == schema.names
    assert schema.metadata[b"gossamer.schema_version"] == str(SCHEMA_VERSION).encode()
    assert all(field.metadata[b"meaning"] for field in schema)


def test_keys_and_versions_are_those_of_the_page(finished: crawls.Crawl) -> None:
    keys = json.loads((finished.folder / "state" / "keys.json").read_bytes())
    assert [row[0].strip("`") for row in rows(TEXT, "state/keys.json")] == list(keys)
    assert list(keys) == list(msgspec.structs.asdict(FixedFacts.new()))
    assert f"(the version of the folder, now {FORMAT})" in TEXT
    assert f"(`gossamer.schema_version`, now {SCHEMA_VERSION})" in TEXT
    assert f"version of this file's form, now {finished.summary()['version']}" in TEXT


def test_changes_have_the_keys_of_the_page(finished: crawls.Crawl) -> None:
    (line,) = (finished.folder / "state" / "changes.jsonl").read_text(encoding="utf-8").splitlines()
    assert ", ".join(json.loads(line)) in TEXT
