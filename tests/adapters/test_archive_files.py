from __future__ import annotations

import gzip
import io
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from gossamer.adapters.archive_files import WarcFiles, WarcNaming
from gossamer.adapters.disk_files import FolderDisk
from gossamer.core.files.recovery import greatest
from gossamer.core.http.exchange import Truncation
from gossamer.core.warc import cdx, record
from gossamer.core.warc.digest import sha1_label
from gossamer.core.warc.location import FileMark, FileState, Location
from gossamer.core.warc.member import MemberPacker
from gossamer.core.warc.record import Capture, Original, Profile, WarcInfo, record_id
from gossamer.ports.files import CrawlDamaged
from gossamer.simulation.disk import MemoryFolder
from gossamer.simulation.entropy import SimEntropy
from tests.ports import check_archive, check_files
from tests.ports.check_files import FixedClock, Machine, folder_machine, memory_machine, play

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.ports.disk import Disk

INFO = WarcInfo("gossamer/0", "gossamer/0 (+https://example.org/)", "Ann Example <ann@example.org>")
PYWB = os.environ.get("GOSSAMER_PYWB_INDEXER", "")
"""Path of pywb's cdx-indexer, where one is installed: it is not among our dependencies."""


class WarcKind:
    """One row is one capture, tagged by its URL; reading finds every indexed record at its place."""

    folder = "archive"

    def open(self, disk: Disk, clock: FixedClock, entropy: SimEntropy) -> WarcFiles:
        return WarcFiles(disk, clock, entropy, INFO, WarcNaming(bytes_target=2500))

    def append(self, files: WarcFiles, tag: str, shard: int, commit: int) -> None:
        capture = Capture(f"http://example.org/{tag}", 1_700_000_000.5, files.warcinfo_id)
        archived = record.response(capture, record_id(os.urandom(16)), b"HTTP/1.1 200 OK\r\n\r\n", tag.encode() * 40)
        (location,) = files.append([archived])
        files.index(cdx.response_line(capture, b"HTTP/1.1 200 OK\r\n\r\n", "sha1:X", location), shard, commit)

    def read(self, disk: Disk) -> list[str]:
        found = disk.lengths(["index", "journal"])
        products = [path for path in found if path.startswith("index/")]
        lines: list[bytes] = []
        for path in products:
            kept = bytes(disk.view(path)).splitlines()
            assert kept == sorted(kept)
            lines += kept
        for path in found:
            if path.startswith("journal/") and path.replace("journal/", "index/")[:-6] + ".cdxj" not in products:
                rows = bytes(disk.view(path)).splitlines()
                lines += [row.partition(b"\t")[2] for row in rows if not row.startswith(b"#")]
        return [self._tag(disk, json.loads(line.split(b" ", 2)[2])) for line in lines]

    def _tag(self, disk: Disk, entry: dict[str, str]) -> str:
        offset, length = int(entry["offset"]), int(entry["length"])
        archived = gzip.decompress(disk.view("archive/" + entry["filename"])[offset : offset + length])
        tag = entry["url"].rpartition("/")[2]
        assert b"\r\nWARC-Target-URI: http://example.org/" + tag.encode() + b"\r\n" in archived
        assert archived.endswith(b"\r\n\r\n" + tag.encode() * 40 + b"\r\n\r\n")
        return tag


class ArchiveHarness:
    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    def open(self) -> WarcFiles:
        return WarcFiles(self.disk, FixedClock(), SimEntropy(3), INFO, WarcNaming(bytes_target=2500))

    def read(self, location: Location) -> bytes:
        return gzip.decompress(self.disk.view(location.file)[location.offset : location.offset + location.length])


@pytest.mark.parametrize("check", check_files.CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("where", ["folder", "memory"])
def test_port_files(check: Callable[[Machine], None], where: str, tmp_path: Path) -> None:
    check(folder_machine(WarcKind(), tmp_path) if where == "folder" else memory_machine(WarcKind()))


@pytest.mark.parametrize("check", check_archive.CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("where", ["folder", "memory"])
def test_port_archive(check: Callable[[check_archive.Harness], None], where: str, tmp_path: Path) -> None:
    check(ArchiveHarness(FolderDisk(tmp_path) if where == "folder" else MemoryFolder()))


@pytest.mark.parametrize("simulation_seed", range(20))
def test_a_random_life(simulation_seed: int) -> None:
    play(WarcKind(), simulation_seed)


def members(data: bytes) -> int:
    """Gzip members that warcio reads as records, one each."""
    return sum(1 for _ in ArchiveIterator(io.BytesIO(data)))


@pytest.mark.slow
@given(extra=st.integers(0, 2000), simulation_seed=st.integers(0, 1000))
def test_whatever_the_tail_every_member_is_valid_after_recovery(extra: int, simulation_seed: int) -> None:
    machine = memory_machine(WarcKind(), simulation_seed)
    machine.start()
    machine.append()
    machine.commit()
    warc = next(path for path in machine.lengths() if path.startswith("archive/"))
    machine.append()
    late, _ = machine.files.marks(), machine.files.sync()
    assert late
    committed = machine.committed()[warc].length
    machine.disk.cut(warc, min(committed + extra, len(machine.disk.files[warc])))
    machine.crash()
    machine.recover()
    data = bytes(machine.disk.view(warc))
    assert len(data) == committed
    assert members(data) == 2
    machine.holds()


HEADS = [
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-type:TEXT/HTML;charset=x\r\nX: y\r\n\r\n",
    b"HTTP/1.1 200\r\nContent-Type: \r\n\r\n",
    b"HTTP/1.0 404 Not Found\nContent-Type : text/plain \n\n",
    b"HTTP/1.1 200 OK\r\nContent-Type:\r\n text/\xe9html\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nServer: \xc3\xa9\xff\r\nNo-Colon\r\n\r\n",
    b"HTTP/1.1 204 Error\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Type: ;\r\nContent-Type: text/html\r\n\r\n",
]
URLS = [
    "http://example.org/",
    "https://www.Example.org:8443/a b|c/\u00e9[]?q={1}&a=2#part",
    "http://[2001:db8::1]/x?%zz",
    "http://xn--bcher-kva.example/B%C3%BCcher?b=2&a=1",
]


def write_samples(root: Path) -> tuple[Path, Path]:
    """An archive with every kind of record; its WARC file and its index."""
    files = WarcFiles(FolderDisk(root), FixedClock(), SimEntropy(1), INFO)
    entropy = SimEntropy(2)
    body = gzip.compress(b"<p>body" * 500, mtime=0)
    for number, head in enumerate(HEADS):
        for kept in (body, b""):
            capture = Capture(
                URLS[number % len(URLS)],
                1_700_000_000.9996 + number,
                files.warcinfo_id,
                "127.0.0.1",
                ("http/1.1", "tls/1.3"),
                Truncation.LENGTH if kept else None,
            )
            asked, answered, told = (record_id(entropy.bytes(16)) for _ in range(3))
            _, place, _ = files.append(
                [
                    record.request(capture, asked, b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", (answered, told)),
                    record.response(capture, answered, head, kept, (asked, told)),
                    record.metadata(
                        capture, told, (("via", "http://via.example/"), ("hopsFromSeed", "LL")), (answered,)
                    ),
                ]
            )
            files.index(cdx.response_line(capture, head, sha1_label(kept), place), 0, 1)
    for number, profile in enumerate(Profile):
        capture = Capture("http://example.org/again", 1_700_000_100.0 + number, files.warcinfo_id)
        original = Original(record_id(bytes(16)), "http://example.org/", 1_700_000_000.9996)
        digest = sha1_label(body) if profile is Profile.IDENTICAL else ""
        head = b"HTTP/1.1 304 Not Modified\r\n\r\n"
        archived = record.revisit(
            capture, record_id(entropy.bytes(16)), head, original, profile=profile, payload_digest=digest
        )
        files.index(cdx.revisit_line(capture, digest, files.append([archived])[0]), 0, 1)
    check_archive.commit(files)
    files.finish()
    check_archive.commit(files)
    (warc,) = (root / "archive").iterdir()
    (index,) = (root / "index").iterdir()
    return warc, index


@pytest.mark.slow
def test_warcio_and_fastwarc_accept_every_record(tmp_path: Path) -> None:
    warc, _ = write_samples(tmp_path)
    for command in (
        [Path(sys.executable).with_name("warcio"), "check", "-v", warc],
        [Path(sys.executable).with_name("fastwarc"), "check", "-q", warc],
    ):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    with warc.open("rb") as file:
        for archived in FastIterator(file, parse_http=False):
            if "WARC-Payload-Digest" in archived.headers and archived.headers["WARC-Type"] == "response":
                archived.parse_http()
                assert archived.verify_payload_digest(consume=True)


def test_the_first_record_tells_of_the_crawl(tmp_path: Path) -> None:
    warc, _ = write_samples(tmp_path)
    with warc.open("rb") as file:
        first = next(iter(ArchiveIterator(file)))
        told = first.content_stream().read().decode()
    assert first.rec_type == "warcinfo"
    assert first.rec_headers["WARC-Filename"] == warc.name
    assert "software: gossamer/0\r\nformat: WARC File Format 1.1\r\n" in told
    assert "robots: obey\r\nhttp-header-user-agent: gossamer/0 (+https://example.org/)\r\n" in told
    assert "operator: Ann Example <ann@example.org>\r\n" in told


def test_records_of_a_capture_have_one_date_and_name_each_other(tmp_path: Path) -> None:
    warc, _ = write_samples(tmp_path)
    with warc.open("rb") as file:
        info, *records = [archived.rec_headers for archived in ArchiveIterator(file)]
    for asked, answered, told in zip(records[0:48:3], records[1:48:3], records[2:48:3], strict=True):
        assert asked["WARC-Date"] == answered["WARC-Date"] == told["WARC-Date"]
        assert asked["WARC-Concurrent-To"] == answered["WARC-Record-ID"] == told["WARC-Concurrent-To"]
        assert answered["WARC-Concurrent-To"] == asked["WARC-Record-ID"]
        assert [value for name, value in answered.headers if name == "WARC-Concurrent-To"][1] == told["WARC-Record-ID"]
        assert asked["WARC-Warcinfo-ID"] == info["WARC-Record-ID"]


def test_offsets_are_those_that_readers_find(tmp_path: Path) -> None:
    warc, index = write_samples(tmp_path)
    with warc.open("rb") as file:
        iterator = ArchiveIterator(file)
        found = {
            (iterator.get_record_offset(), iterator.get_record_length())
            for archived in iterator
            if archived.rec_type in ("response", "revisit")
        }
    entries = [json.loads(line.split(" ", 2)[2]) for line in index.read_text().splitlines()]
    assert {(int(entry["offset"]), int(entry["length"])) for entry in entries} == found
    assert {entry["filename"] for entry in entries} == {warc.name}


@pytest.mark.slow
@pytest.mark.skipif(not PYWB, reason="GOSSAMER_PYWB_INDEXER does not name pywb's cdx-indexer")
def test_the_index_is_what_pywb_writes(tmp_path: Path) -> None:
    warc, index = write_samples(tmp_path)
    written = subprocess.run([PYWB, "--sort", "--cdxj", str(warc)], capture_output=True, check=True).stdout
    assert index.read_bytes() == written


@pytest.mark.slow
def test_a_long_tail_moves_aside_and_the_file_goes_on(tmp_path: Path) -> None:
    machine = folder_machine(WarcKind(), tmp_path)
    machine.start()
    machine.append()
    machine.commit()
    (warc,) = (path for path in machine.lengths() if path.startswith("archive/"))
    committed = machine.lengths()[warc]
    os.truncate(tmp_path / warc, committed + 64 * 1024 * 1024 + 1)
    machine.crash()
    recovery = machine.recover()
    assert recovery.aside == [warc]
    assert machine.lengths()[warc] == committed
    (tail,) = (tmp_path / "aside").iterdir()
    assert tail.name == f"{Path(warc).name}.tail-{committed}"
    assert tail.stat().st_size == 64 * 1024 * 1024 + 1
    machine.append()
    machine.commit()
    assert [path for path in machine.lengths() if path.startswith("archive/")] == [warc]
    machine.holds()


def test_orphans_are_counted(tmp_path: Path) -> None:
    machine = folder_machine(WarcKind(), tmp_path)
    machine.start()
    machine.append(1)
    machine.commit(reached=1)
    machine.crash()
    assert machine.recover().orphaned == 1


def test_another_worker_closes_what_was_left_open(tmp_path: Path) -> None:
    machine = folder_machine(WarcKind(), tmp_path)
    machine.start()
    machine.append()
    machine.commit()
    machine.crash()
    machine.files = WarcFiles(machine.disk, machine.clock, machine.entropy, INFO, WarcNaming(worker=1))
    machine.recover()
    machine.append()
    machine.commit()
    states = {path: mark.state for path, mark in machine.committed().items() if path.startswith("archive/")}
    assert sorted((path[-10:], state) for path, state in states.items()) == [
        ("w0.warc.gz", FileState.CLOSED),
        ("w1.warc.gz", FileState.OPEN),
    ]
    machine.finish()
    machine.holds()


@pytest.mark.parametrize("kind", ["archive", "journal"])
def test_bytes_that_are_not_ours_are_damage(tmp_path: Path, kind: str) -> None:
    machine = folder_machine(WarcKind(), tmp_path)
    machine.start()
    machine.append()
    machine.commit()
    (path,) = (path for path in machine.lengths() if path.startswith(kind))
    machine.disk.patch(path, [(0, b"\xff\xff")])
    machine.crash()
    with pytest.raises(CrawlDamaged, match=path):
        machine.recover()


def test_a_full_disk_raises_and_the_same_bytes_are_written_later(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine = folder_machine(WarcKind(), tmp_path)
    machine.start()
    machine.append()
    marks = machine.files.marks()
    write = os.pwrite

    def half(descriptor: int, data: Any, offset: int) -> int:
        write(descriptor, bytes(data)[: len(data) // 2], offset)
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(os, "pwrite", half)
        with pytest.raises(OSError, match="No space"):
            machine.files.sync()
    machine.append()
    later = machine.files.marks()
    machine.files.sync()
    machine.write(later)
    machine.files.acknowledge()
    assert {mark.path for mark in marks} <= {mark.path for mark in later}
    machine.holds()


def test_greatest_takes_the_latest_state_of_each_file() -> None:
    def mark(length: int, state: FileState) -> FileMark:
        return FileMark("a", length, state)

    cases = [
        (mark(5, FileState.OPEN), mark(7, FileState.OPEN), mark(7, FileState.OPEN)),
        (mark(7, FileState.CLOSED), mark(7, FileState.OPEN), mark(7, FileState.CLOSED)),
        (mark(7, FileState.CLOSED), mark(0, FileState.REMOVED), mark(0, FileState.REMOVED)),
    ]
    for one, other, latest in cases:
        assert greatest([{"a": one}, {"a": other}]) == greatest([{"a": other}, {"a": one}]) == {"a": latest}


@given(st.integers(0, 200_000), st.binary(max_size=60), st.booleans())
def test_a_member_holds_the_record_whether_its_body_is_coded_or_not(size: int, head: bytes, coded: bool) -> None:
    body = random.Random(size).randbytes(size) if coded else b"<p>text</p>\n" * (size // 12)
    archived = b"WARC/1.1\r\nx: y\r\n\r\nHTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n" + body + b"\r\n\r\n"
    member = MemberPacker().pack(archived)
    assert gzip.decompress(member) == archived
    assert len(member) <= len(archived) + 200


def test_a_coded_body_lies_in_its_member_as_received() -> None:
    body = gzip.compress(random.Random(1).randbytes(3_000) * 3)
    archived = b"WARC/1.1\r\nx: y\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + body + b"\r\n\r\n"
    assert body in MemberPacker().pack(archived)
