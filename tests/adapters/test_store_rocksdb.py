from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import rocksdict

from gossamer.adapters.store_rocksdb import TABLES, RocksResources, RocksStore, store_error, write_buffers
from gossamer.ports.store import (
    Store,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    Table,
    WriteBatch,
)
from tests.ports.check_store import CHECKS, HOST, NEXT_HOST, Harness, number, put

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def resources() -> RocksResources:
    return RocksResources(cache_bytes=8 << 20, write_buffer_bytes=16 << 20)


class RocksHarness:
    """A crash is a copy of the files as the system has them, opened in place of the first."""

    def __init__(self, folder: Path, resources: RocksResources) -> None:
        self.folder = folder
        self.resources = resources
        self.path = folder / "shard-000"

    def open(self) -> Store:
        return RocksStore(self.path, resources=self.resources)

    def crash(self, store: Store) -> None:
        copy = self.folder / (self.path.name + "-copy")
        shutil.copytree(self.path, copy)
        store.close()
        self.path = copy


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_port(check: Callable[[Harness], None], tmp_path: Path, resources: RocksResources) -> None:
    check(RocksHarness(tmp_path, resources))


def test_every_table_of_the_port_has_options() -> None:
    assert list(TABLES) == list(Table)


def test_one_folder_with_many_shards(tmp_path: Path, resources: RocksResources) -> None:
    stores = [RocksStore(tmp_path / f"shard-{index:03}", resources=resources) for index in range(16)]
    for index, store in enumerate(stores):
        put(store, Table.META, (b"n", number(index)))
    for store in stores:
        store.close()
    for index in range(16):
        with RocksStore(tmp_path / f"shard-{index:03}", resources=resources, create=False) as store:
            assert store.get(Table.META, [b"n"]) == [number(index)]


@pytest.mark.parametrize(("stores", "mib"), [(1, 16), (16, 16), (64, 64), (1024, 1024)])
def test_write_buffers_are_small_unless_there_are_many_stores(stores: int, mib: int) -> None:
    assert write_buffers(stores) == mib << 20


def test_changes_in_memory_stay_within_their_bound(tmp_path: Path) -> None:
    bound = write_buffers(4)
    resources = RocksResources(cache_bytes=1 << 20, write_buffer_bytes=bound)
    stores = [RocksStore(tmp_path / f"shard-{number}", resources=resources) for number in range(4)]
    for step in range(100):
        for store in stores:
            key = step.to_bytes(8, "big") * 3
            puts = [
                (table, key + bytes([row]), bytes(1_000)) for table in (Table.PAGE, Table.HOST) for row in range(40)
            ]
            store.write(WriteBatch(puts, []))
    # 32 MB were written. What is being written out still counts, and is waited for.
    end = time.monotonic() + 60
    while (usage := resources.write_buffer_usage()) > bound and time.monotonic() < end:
        time.sleep(0.01)
    for store in stores:
        store.close()
    assert usage <= bound
    assert list(tmp_path.rglob("*.sst"))


def test_scan_crosses_flushed_files_and_tombstones(tmp_path: Path, resources: RocksResources) -> None:
    with RocksStore(tmp_path / "s", resources=resources) as store:
        put(store, Table.QUEUE, *((HOST + number(order), b"q" * 100) for order in range(5_000)))
        put(store, Table.QUEUE, (NEXT_HOST + number(0), b"other"))
        _flush(store)
        store.write(WriteBatch(deletes=[(Table.QUEUE, HOST + number(order)) for order in range(4_990)]))
        _flush(store)
        rows = store.scan(Table.QUEUE, HOST, NEXT_HOST, 100)
        assert [key for key, _ in rows] == [HOST + number(order) for order in range(4_990, 5_000)]
        assert [key for key, _ in store.scan(Table.QUEUE, HOST + number(4_998), b"\xff", 3)][-1] == NEXT_HOST + number(
            0
        )
        assert store.scan(Table.QUEUE, number(9), number(10), 5) == [], "a host never seen"


KILLED = """
import os, signal, sys
from pathlib import Path
from gossamer.adapters.store_rocksdb import RocksResources, RocksStore
from gossamer.ports.store import Table, WriteBatch
store = RocksStore(Path(sys.argv[1]), resources=RocksResources())
for n in range(int(sys.argv[2]) + 1):
    key = n.to_bytes(8, "big")
    store.write(WriteBatch([(Table.META, b"n", key), (Table.PAGE, key, b"p"), (Table.QUEUE, key, b"q")]))
    if n < int(sys.argv[2]):
        store.sync()
        print(n, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_killed_process_leaves_what_it_acknowledged_or_one_more(tmp_path: Path, resources: RocksResources) -> None:
    source = Path(__file__).parents[2] / "src"
    command = [sys.executable, "-c", KILLED, str(tmp_path / "s"), "5"]
    ended = subprocess.run(command, env={"PYTHONPATH": str(source)}, capture_output=True, text=True, check=False)
    assert ended.returncode == -9, ended.stderr
    acknowledged = int(ended.stdout.split()[-1])
    with RocksStore(tmp_path / "s", resources=resources, create=False) as store:
        reached = int.from_bytes(store.get(Table.META, [b"n"])[0] or b"", "big")
        assert reached in {acknowledged, acknowledged + 1}
        for table in (Table.PAGE, Table.QUEUE):
            assert len(store.scan(table, b"", b"\xff", 99)) == reached + 1


def test_a_damaged_log_opens_at_a_whole_batch_before_it(tmp_path: Path, resources: RocksResources) -> None:
    store = RocksStore(tmp_path / "s", resources=resources)
    for count in range(50):
        batch = WriteBatch([(Table.META, b"n", number(count)), (Table.PAGE, HOST + number(count), b"x" * 50)])
        store.write(batch)
        store.sync()
    shutil.copytree(tmp_path / "s", tmp_path / "copy")
    store.close()
    log = max((tmp_path / "copy").glob("*.log"), key=lambda path: path.stat().st_size)
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 0x10
    log.write_bytes(content)
    with RocksStore(tmp_path / "copy", resources=resources) as found:
        reached = int.from_bytes(found.get(Table.META, [b"n"])[0] or b"", "big")
        assert 0 < reached < 49, "the caller tells by the commit number"
        assert len(found.scan(Table.PAGE, HOST, NEXT_HOST, 99)) == reached + 1


def test_a_damaged_block_is_said_by_get_and_by_scan(tmp_path: Path, resources: RocksResources) -> None:
    store = RocksStore(tmp_path / "s", resources=resources)
    put(store, Table.HOST, *((number(count), b"%060d" % (count * 7919)) for count in range(20_000)))
    _flush(store)
    store.close()
    block = max((tmp_path / "s").glob("*.sst"), key=lambda path: path.stat().st_size)
    content = bytearray(block.read_bytes())
    content[1000:1100] = bytes(100)
    block.write_bytes(content)
    with RocksStore(tmp_path / "s", resources=RocksResources(cache_bytes=1 << 20)) as damaged:
        with pytest.raises(StoreDamaged, match="checksum mismatch"):
            damaged.get(Table.HOST, [number(count) for count in range(200)])
        with pytest.raises(StoreDamaged, match="checksum mismatch"):
            damaged.scan(Table.HOST, b"", b"\xff", 20_001)


def _missing_current(path: Path) -> None:
    (path / "CURRENT").unlink()


def _missing_manifest(path: Path) -> None:
    next(path.glob("MANIFEST-*")).unlink()


def _junk_manifest(path: Path) -> None:
    next(path.glob("MANIFEST-*")).write_bytes(b"junk" * 30)


def _missing_table(path: Path) -> None:
    for table in path.glob("*.sst"):
        table.unlink()


@pytest.mark.parametrize("damage", [_missing_current, _missing_manifest, _junk_manifest, _missing_table])
def test_a_damaged_store_is_refused_and_left_as_it_is(
    damage: Callable[[Path], None], tmp_path: Path, resources: RocksResources
) -> None:
    store = RocksStore(tmp_path / "s", resources=resources)
    put(store, Table.HOST, (b"a", b"1"))
    _flush(store)
    store.close()
    damage(tmp_path / "s")
    before = sorted(path.name for path in (tmp_path / "s").glob("*.sst"))
    with pytest.raises(StoreDamaged, match=str(tmp_path)) as raised:
        RocksStore(tmp_path / "s", resources=resources)
    assert "\n" not in str(raised.value)
    assert sorted(path.name for path in (tmp_path / "s").glob("*.sst")) == before


def test_what_is_no_store(tmp_path: Path, resources: RocksResources) -> None:
    with pytest.raises(StoreDamaged, match="holds no store"):
        RocksStore(tmp_path / "absent", resources=resources, create=False)
    assert not (tmp_path / "absent").exists()
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"meow")
    with pytest.raises(StoreDamaged, match=r"cat\.jpg"):
        RocksStore(tmp_path / "photos", resources=resources)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreDamaged):
        RocksStore(tmp_path / "file", resources=resources)


def test_settings_file_of_the_library_may_be_lost(tmp_path: Path, resources: RocksResources) -> None:
    with RocksStore(tmp_path / "s", resources=resources) as store:
        put(store, Table.META, (b"n", b"1"))
    for lose in (lambda path: path.write_bytes(b""), Path.unlink):
        lose(tmp_path / "s" / "rocksdict-config.json")
        with RocksStore(tmp_path / "s", resources=resources) as store:
            assert store.get(Table.META, [b"n"]) == [b"1"]


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (
            "IO error: No space left on device: While appending to file: /x/000009.log: No space left on device",
            StoreFull,
        ),
        ("No space left on device (os error 28)", StoreFull),
        ("IO error: While fsync: Disk quota exceeded", StoreFull),
        ("Read-only file system (os error 30)", StoreReadOnly),
        ("IO error: while open a file for lock: /x/LOCK: Permission denied", StoreReadOnly),
        ("IO error: While lock file: /x/LOCK: Resource temporarily unavailable", StoreBusy),
        ("IO error: lock hold by current process, acquire time 1 acquiring thread 2: /x/LOCK", StoreBusy),
        ("Corruption: block checksum mismatch:\n stored = 1", StoreDamaged),
        ("something new", StoreError),
    ],
)
def test_words_of_the_library_are_mapped(words: str, kind: type[StoreError]) -> None:
    error = store_error(Path("/x"), OSError(words))
    assert type(error) is kind
    assert str(error).startswith("/x: ")
    assert "\n" not in str(error)


FULL = """
import resource, signal, sys
from pathlib import Path
from gossamer.adapters.store_rocksdb import RocksResources, RocksStore
from gossamer.ports.store import StoreFull, Table, WriteBatch
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = RocksStore(Path(sys.argv[1]), resources=RocksResources())
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
written = 0
try:
    for n in range(1, 1000):
        key = n.to_bytes(8, "big")
        store.write(WriteBatch([(Table.META, b"n", key), (Table.PAGE, key, bytes(999))]))
        store.sync()
        written = n
except StoreFull:
    print(written)
try:
    store.close()
except StoreFull:
    print("not closed in peace")
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
RocksStore(Path(sys.argv[1]), resources=RocksResources()).close()
print("opened again")
"""


def test_a_full_disk_is_said_and_loses_nothing_acknowledged(tmp_path: Path, resources: RocksResources) -> None:
    source = Path(__file__).parents[2] / "src"
    command = [sys.executable, "-c", FULL, str(tmp_path / "s")]
    ended = subprocess.run(command, env={"PYTHONPATH": str(source)}, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[1:] == ["not closed in peace", "opened again"]
    with RocksStore(tmp_path / "s", resources=resources, create=False) as store:
        assert store.get(Table.META, [b"n"]) == [number(int(ended.stdout.split()[0]))]


def test_in_use_by_another_process(tmp_path: Path, resources: RocksResources) -> None:
    with RocksStore(tmp_path / "s", resources=resources):
        code = (
            "import sys\nfrom pathlib import Path\n"
            "from gossamer.adapters.store_rocksdb import RocksResources, RocksStore\n"
            "from gossamer.ports.store import StoreBusy\n"
            "try:\n    RocksStore(Path(sys.argv[1]), resources=RocksResources())\n"
            "except StoreBusy:\n    print('busy')\n"
        )
        source = Path(__file__).parents[2] / "src"
        command = [sys.executable, "-c", code, str(tmp_path / "s")]
        ended = subprocess.run(command, env={"PYTHONPATH": str(source)}, capture_output=True, text=True, check=True)
        assert ended.stdout.strip() == "busy"


def _flush(store: Store) -> None:
    assert isinstance(store, RocksStore)
    handles = store._live()
    for table in handles.tables.values():
        table.flush()


def contents(path: Path) -> dict[str, bytes]:
    """A store's files; its diary and the binding's own settings are written at every opening."""
    kept = (file for file in path.iterdir() if not file.name.startswith(("LOG", "rocksdict-config")))
    return {file.name: file.read_bytes() for file in kept}


def test_a_store_opened_to_be_read_shows_its_log_and_leaves_its_files(
    tmp_path: Path, resources: RocksResources
) -> None:
    path = tmp_path / "shard-000"
    with RocksStore(path, resources=resources) as store:
        store.write(WriteBatch(puts=[(Table.META, b"k", b"v"), (Table.PAGE, HOST + number(1), b"p")]))
    before = contents(path)
    with RocksStore(path, resources=resources, read_only=True) as store:
        assert store.get(Table.META, [b"k", b"none"]) == [b"v", None]
        assert store.scan(Table.PAGE, HOST, NEXT_HOST, 9) == [(HOST + number(1), b"p")]
        store.sync()
        with pytest.raises(StoreError, match="read only"):
            store.write(WriteBatch(puts=[(Table.META, b"k", b"w")]))
    assert contents(path) == before


def test_a_store_to_be_read_is_never_made(tmp_path: Path, resources: RocksResources) -> None:
    with pytest.raises(StoreDamaged, match="no store"):
        RocksStore(tmp_path / "none", resources=resources, read_only=True)


def test_an_older_store_that_lacks_a_table_opens_to_be_read(tmp_path: Path, resources: RocksResources) -> None:
    path = tmp_path / "shard-000"
    with RocksStore(path, resources=resources) as store:
        store.write(WriteBatch(puts=[(Table.META, b"k", b"v")]))
    options = rocksdict.Options(raw_mode=True)
    names = {name: rocksdict.Options(raw_mode=True) for name in rocksdict.Rdict.list_cf(str(path))}
    older = rocksdict.Rdict(str(path), options, names)
    older.drop_column_family(Table.ALIAS.value)
    older.close()
    with RocksStore(path, resources=resources, read_only=True) as store:
        assert store.get(Table.META, [b"k"]) == [b"v"]
        assert store.scan(Table.ALIAS, b"", b"z", 1) == []
