from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gossamer
from gossamer.adapters.disk_files import FolderDisk
from gossamer.adapters.store_rocksdb import RocksResources, RocksStore
from gossamer.app.captures import open_capture
from gossamer.app.cli import main
from gossamer.app.exit_codes import Exit
from gossamer.app.folder import CrawlFolder
from gossamer.core.frontier.ledger import decode_ledger, encode_ledger
from gossamer.core.frontier.records import decode_host, encode
from gossamer.core.seen.prints import prints_of
from gossamer.flow.seen_files import SeenRules, bulk_run
from gossamer.flow.shard import LEDGER_KEY, ORDER_KEY
from gossamer.ports.store import Table, WriteBatch
from tests import crawls, readers
from tests.servers import small_site
from tests.servers.small_site import Answer, Asked, page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHARDS = 2
PAGES = 40


def held_the_second_time(_: Asked, before: int) -> Answer:
    """The second crawl waits for this page, so its folder stands still while it is copied."""
    return replace(page("/same", "/missing", title="held"), held=before == 1)


SITE: dict[str, small_site.Behaviour] = {
    "/": page(*(f"/p{number}" for number in range(PAGES)), title="start"),
    **{f"/p{number}": page("/same", "/missing", title=f"page {number}") for number in range(PAGES)},
    f"/p{PAGES // 4}": held_the_second_time,
    "/same": page(title="page 1 again"),
}
OPTIONS: dict[str, Any] = {"gap": 0, "allow_address": "127.0.0.0/8", "settings": {"crawl.shards": SHARDS}}
END = b"\xff" * 40
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site() -> Iterator[small_site.Site]:
    with small_site.serve(SITE) as running:
        yield running


@pytest.fixture(scope="module")
def originals(site: small_site.Site, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A crawl stopped at a cap, its files closed; and one as a kill leaves it, its journals open."""
    base = tmp_path_factory.mktemp("doctor")
    closed, killed = base / "closed", base / "killed"
    gossamer.crawl(site.url("/"), output=closed, max_pages=PAGES // 2, **OPTIONS).finish()
    crawl = gossamer.crawl(site.url("/"), output=base / "running", max_pages=PAGES // 2, **OPTIONS)
    for number, each in enumerate(crawl):
        if number == PAGES // 4:
            crawl.open(each.url)  # commits
            shutil.copytree(base / "running", killed)
            site.release()
    return {"closed": closed, "killed": killed}


@pytest.fixture
def closed(originals: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals["closed"], tmp_path / "crawl"))


@pytest.fixture
def killed(originals: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals["killed"], tmp_path / "crawl"))


@pytest.fixture(params=["closed", "killed"])
def either(request: pytest.FixtureRequest, originals: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(originals[request.param], tmp_path / "crawl"))


class Told:
    """What the doctor said."""

    def __init__(self, code: int, findings: list[dict[str, str]]) -> None:
        self.code = code
        self.findings = findings

    def words(self, grade: str) -> str:
        return "\n".join(each["words"] for each in self.findings if each["grade"] == grade)


def doctor(folder: Path, capsys: pytest.CaptureFixture[str], *flags: str) -> Told:
    capsys.readouterr()
    code = main(["doctor", str(folder), "--json", *flags])
    return Told(code, json.loads(capsys.readouterr().out)["findings"])


def only(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


def changed(folder: Path, number: int, change: Callable[[RocksStore], WriteBatch]) -> None:
    store = RocksStore(CrawlFolder(folder).shard(number), resources=RocksResources(), create=False)
    store.write(change(store))
    store.close()


def crawled(folder: Path) -> int:
    """The shard that has the pages."""
    for number in range(SHARDS):
        store = RocksStore(CrawlFolder(folder).shard(number), resources=RocksResources(), create=False)
        rows = store.scan(Table.PAGE, b"", END, 1)
        store.close()
        if rows:
            return number
    raise AssertionError("no shard has pages")


def cured(folder: Path, capsys: pytest.CaptureFixture[str], site: small_site.Site) -> crawls.Crawl:
    """Nothing is found any more, and the crawl goes on to its end, every page archived."""
    again = doctor(folder, capsys)
    assert (again.code, again.words("fail")) == (Exit.DONE, "")
    summary = gossamer.resume(folder, max_pages=None).finish()
    assert summary.numbers["balanced"]
    assert summary.numbers["done"] == PAGES + 2
    for path in ("/", "/same", *(f"/p{number}" for number in range(PAGES))):
        assert open_capture(CrawlFolder(folder), site.url(path)).status == 200
    return crawls.Crawl(folder)


@pytest.mark.parametrize("name", ["closed", "killed"])
def test_a_sound_folder_is_found_sound(
    name: str, originals: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Path(shutil.copytree(originals[name], tmp_path / "crawl"))
    before = sorted((path, path.stat().st_size) for path in folder.rglob("*.*") if "shard-" not in str(path))
    for flags in ((), ("--quick",), ("--repair",)):
        told = doctor(folder, capsys, *flags)
        assert (told.code, told.words("fail"), told.words("mended")) == (Exit.DONE, "", "")
    assert before == sorted((path, path.stat().st_size) for path in folder.rglob("*.*") if "shard-" not in str(path))


def cut(path: Path, bytes_left: int) -> None:
    with path.open("r+b") as file:
        file.truncate(bytes_left)


def spoil(path: Path, offset: int) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"\0" * 64)


WARCS: list[tuple[Callable[[Path], object], str]] = [
    (lambda path: cut(path, path.stat().st_size // 2), "vouches for"),
    (lambda path: spoil(path, path.stat().st_size // 2), "at byte"),
    (lambda path: path.unlink(), "is missing"),
    (lambda path: path.write_bytes(b"\0" * path.stat().st_size), "at byte 0"),
]


@pytest.mark.parametrize(("harm", "words"), WARCS)
def test_a_damaged_archive(
    either: Path, harm: Callable[[Path], None], words: str, capsys: pytest.CaptureFixture[str], site: small_site.Site
) -> None:
    harm(only(either, "archive/*.warc.gz"))
    told = doctor(either, capsys)
    assert told.code == Exit.FOLDER
    assert words in told.words("fail")
    assert "have no capture any more" in told.words("fail")
    told = doctor(either, capsys, "--repair")
    assert told.code == Exit.DONE
    assert "have no capture any more" in told.words("mended")
    cured(either, capsys, site)
    assert readers.warcio_problems(sorted(either.glob("archive/*.warc.gz"))) == []


INDEXES: list[Callable[[Path], object]] = [
    (lambda path: path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[::-1]))),
    (lambda path: spoil(path, path.stat().st_size // 2)),
    (lambda path: path.unlink()),
]


@pytest.mark.parametrize("harm", INDEXES)
def test_a_damaged_index_is_made_anew(
    harm: Callable[[Path], object],
    closed: Path,
    capsys: pytest.CaptureFixture[str],
    site: small_site.Site,
) -> None:
    before = only(closed, "index/*.cdxj").read_bytes()
    harm(only(closed, "index/*.cdxj"))
    assert "index/" in doctor(closed, capsys).words("fail")
    assert "made anew" in doctor(closed, capsys, "--repair").words("mended")
    assert only(closed, "index/*.cdxj").read_bytes() == before
    cured(closed, capsys, site)


def test_a_damaged_journal_of_the_index(
    killed: Path, capsys: pytest.CaptureFixture[str], site: small_site.Site
) -> None:
    spoil(only(killed, "journal/*.lines"), 100)
    assert ".lines" in doctor(killed, capsys).words("fail")
    assert "made anew" in doctor(killed, capsys, "--repair").words("mended")
    cured(killed, capsys, site)


def test_a_damaged_journal_of_rows(killed: Path, capsys: pytest.CaptureFixture[str], site: small_site.Site) -> None:
    for path in killed.glob("journal/*.arrows"):
        cut(path, path.stat().st_size - 50)
    assert "vouches for" in doctor(killed, capsys).words("fail")
    assert "ends there now" in doctor(killed, capsys, "--repair").words("mended")
    cured(killed, capsys, site)


def test_an_unreadable_data_set_moves_aside(
    closed: Path, capsys: pytest.CaptureFixture[str], site: small_site.Site
) -> None:
    path = only(closed, "pages/*.parquet")
    spoil(path, path.stat().st_size - 64)
    assert "no Parquet file" in doctor(closed, capsys).words("fail")
    told = doctor(closed, capsys, "--repair")
    assert "aside/" in told.words("mended")
    assert (closed / "aside" / path.name).exists()
    cured(closed, capsys, site)


def tampered_ledger(store: RocksStore) -> WriteBatch:
    (value,) = store.get(Table.META, [LEDGER_KEY])
    assert value is not None
    ledger = decode_ledger(value)
    ledger.queued += 7
    ledger.done -= 3
    return WriteBatch(puts=[(Table.META, LEDGER_KEY, encode_ledger(ledger))])


def all_of(table: Table) -> Callable[[RocksStore], WriteBatch]:
    """Delete every row of a table."""
    return lambda store: WriteBatch(deletes=[(table, key) for key, _ in store.scan(table, b"", END, 10_000)])


def some_records(store: RocksStore) -> WriteBatch:
    """Delete the records of waiting URLs."""
    queued = store.scan(Table.QUEUE, b"", END, 5)
    return WriteBatch(deletes=[(Table.PAGE, key[:8] + value) for key, value in queued])


def strange_entries(store: RocksStore) -> WriteBatch:
    key, value = store.scan(Table.QUEUE, b"", END, 1)[0]
    return WriteBatch(puts=[(Table.QUEUE, key[:-1] + b"\xee", value), (Table.ACTIVE, b"stranger", b"")])


def wrong_counts(store: RocksStore) -> WriteBatch:
    key, value = store.scan(Table.HOST, b"", END, 1)[0]
    state = decode_host(value)
    state.queued[1] += 4
    state.heads[1] += 1000
    return WriteBatch(puts=[(Table.HOST, key, encode(state))])


def unreadable_rows(store: RocksStore) -> WriteBatch:
    key, _ = store.scan(Table.PAGE, b"", END, 1)[0]
    host, _ = store.scan(Table.HOST, b"", END, 1)[0]
    return WriteBatch(puts=[(Table.PAGE, key[:-1] + b"\0", b"no record"), (Table.HOST, host, b"no state")])


BOOKS: list[tuple[Callable[[RocksStore], WriteBatch], str]] = [
    (tampered_ledger, "in the books"),
    (all_of(Table.QUEUE), "stood in no queue"),
    (all_of(Table.HOST), "hosts were counted or listed wrongly"),
    (all_of(Table.ACTIVE), "hosts were counted or listed wrongly"),
    (strange_entries, "queue entries were of no waiting URL"),
    (wrong_counts, "hosts were counted or listed wrongly"),
    (unreadable_rows, "rows are no page record"),
    (lambda _: WriteBatch(deletes=[(Table.META, LEDGER_KEY), (Table.META, ORDER_KEY)]), "in the books"),
]


@pytest.mark.parametrize(("harm", "words"), BOOKS)
def test_books_follow_the_records(
    harm: Callable[[RocksStore], WriteBatch],
    words: str,
    killed: Path,
    capsys: pytest.CaptureFixture[str],
    site: small_site.Site,
) -> None:
    changed(killed, crawled(killed), harm)
    told = doctor(killed, capsys)
    assert told.code == Exit.FOLDER
    assert words in told.words("fail")
    assert words in doctor(killed, capsys, "--repair").words("mended")
    cured(killed, capsys, site)


def test_lost_records_are_left_out(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed(closed, crawled(closed), some_records)
    assert "queue entries were of no waiting URL" in doctor(closed, capsys).words("fail")
    assert doctor(closed, capsys, "--repair").code == Exit.DONE
    assert doctor(closed, capsys).code == Exit.DONE
    assert gossamer.resume(closed, max_pages=None).finish().end_state == "complete"


def test_a_store_that_does_not_open_is_mended(
    closed: Path, capsys: pytest.CaptureFixture[str], site: small_site.Site
) -> None:
    number = crawled(closed)
    for path in CrawlFolder(closed).shard(number).glob("MANIFEST-*"):
        path.unlink()
    told = doctor(closed, capsys)
    assert (told.code, "MANIFEST" in told.words("fail")) == (Exit.FOLDER, True)
    told = doctor(closed, capsys, "--repair")
    assert (told.code, "did not open" in told.words("mended")) == (Exit.DONE, True)
    assert (closed / "aside" / f"shard-{number:03}").is_dir()
    cured(closed, capsys, site)


def test_a_missing_store_is_named(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(CrawlFolder(closed).shard(crawled(closed)))
    assert "is missing" in doctor(closed, capsys).words("fail")
    told = doctor(closed, capsys, "--repair")
    assert (told.code, "made anew, empty" in told.words("warn")) == (Exit.DONE, True)


def test_damaged_facts_are_not_guessed(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    CrawlFolder(closed).keys.write_text("{}")
    told = doctor(closed, capsys, "--repair")
    assert (told.code, "keys.json" in told.words("fail")) == (Exit.FOLDER, True)


def test_a_crawl_in_use_is_left_alone(
    site: small_site.Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with gossamer.crawl(site.url("/"), output=tmp_path / "out", **OPTIONS) as crawl:
        next(crawl)
        assert main(["doctor", str(tmp_path / "out"), "--repair"]) == Exit.FOLDER
    assert "in use" in capsys.readouterr().err


def test_a_stranger_is_named(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (closed / "archive" / "mine.warc.gz").write_bytes(b"?")
    told = doctor(closed, capsys)
    assert (told.code, "archive/mine.warc.gz" in told.words("warn")) == (Exit.DONE, True)


def test_no_crawl_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(tmp_path)]) == Exit.FOLDER
    assert "not a crawl folder" in capsys.readouterr().err
    assert main(["doctor", "--repair"]) == Exit.BAD_INPUT
    assert main(["doctor", str(tmp_path), "--repair", "--quick"]) == Exit.BAD_INPUT


def test_seeds_whose_records_are_lost_are_offered_again(
    closed: Path, capsys: pytest.CaptureFixture[str], site: small_site.Site
) -> None:
    changed(closed, crawled(closed), all_of(Table.PAGE))
    assert "have no record any more" in doctor(closed, capsys).words("fail")
    assert "have no record any more" in doctor(closed, capsys, "--repair").words("mended")
    cured(closed, capsys, site)


@pytest.mark.parametrize("name", ["summary.json", "logs/facts.jsonl", "state/changes.jsonl", "state/orders.json"])
@pytest.mark.parametrize("kind", ["folder", "nowhere", "circle"])
def test_what_is_no_file_moves_out_of_the_way(
    name: str, kind: str, closed: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = closed / name
    path.unlink(missing_ok=True)
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(path if kind == "circle" else closed / "gone")
    assert f"{name} is no file" in doctor(closed, capsys).words("fail")
    assert "aside/" in doctor(closed, capsys, "--repair").words("mended")
    assert doctor(closed, capsys).code == Exit.DONE
    assert gossamer.resume(closed, max_pages=None).finish().end_state == "complete"


@pytest.mark.parametrize("pattern", ["archive/*.warc.gz", "index/*.cdxj", "pages/*.parquet"])
def test_a_link_in_a_circle_is_a_missing_file(
    pattern: str, closed: Path, capsys: pytest.CaptureFixture[str], site: small_site.Site
) -> None:
    path = only(closed, pattern)
    path.unlink()
    path.symlink_to(path)
    assert main(["resume", str(closed), "--quiet"]) == Exit.FOLDER
    assert "is missing" in doctor(closed, capsys).words("fail")
    assert doctor(closed, capsys, "--repair").code == Exit.DONE
    cured(closed, capsys, site)


def test_a_store_with_a_link_to_nowhere_is_named_and_mended(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in CrawlFolder(closed).shard(crawled(closed)).glob("CURRENT"):
        path.unlink()
        path.symlink_to(path)
    assert main(["resume", str(closed), "--quiet"]) == Exit.FOLDER
    assert doctor(closed, capsys).code == Exit.FOLDER
    assert doctor(closed, capsys, "--repair").code in (Exit.DONE, Exit.FOLDER)


def with_a_run(folder: Path, *, sound: bool) -> str:
    """Give the shard that has the pages a run of all its prints, damaged or not; its path."""
    number = crawled(folder)
    rules = SeenRules(FolderDisk(folder), CrawlFolder(folder).seen)

    def change(store: RocksStore) -> WriteBatch:
        keys = [key for key, _ in store.scan(Table.PAGE, b"", END, 1000)]
        return WriteBatch([(Table.SEEN, *bulk_run(rules, number, [np.sort(prints_of(keys))]))])

    changed(folder, number, change)
    path = f"{CrawlFolder(folder).seen(number)}/00000001.run"
    if not sound:
        file = bytearray((folder / path).read_bytes())
        file[-1] ^= 1
        (folder / path).write_bytes(file)
    return path


def test_files_of_url_seen_are_read(closed: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_a_run(closed, sound=True)
    told = doctor(closed, capsys)
    assert (told.code, "1 files, read whole" in told.words("ok")) == (Exit.DONE, True)


def test_a_damaged_file_of_url_seen_is_made_anew_by_resume(
    closed: Path, capsys: pytest.CaptureFixture[str], site: small_site.Site
) -> None:
    path = with_a_run(closed, sound=False)
    told = doctor(closed, capsys)
    assert (told.code, f"{path} is damaged" in told.words("warn")) == (Exit.DONE, True)
    cured(closed, capsys, site)
