"""The store of a shard on RocksDB, through rocksdict. The choice: docs/decisions/0001-store.md.

How it keeps the port's promises:

* One column family a table, so that a table's options fit its use and its tombstones bother no other table. One
  write-ahead log serves them all; that is what makes a batch atomic.
* `write` goes to the log without a flush and is visible at once. It holds Python's global lock for its whole length,
  a synced write would hold it for the device's flush too. `sync` flushes the log, without that lock: call it on a
  thread. A killed process loses nothing written; a lost power supply loses what `sync` had not yet covered.
* After a damaged log RocksDB opens at the last batch before the damage and says nothing: whoever knows what was
  acknowledged must compare (the commit number in META with the archive's).
* `scan` reads through the low-level iterator, whose `status` tells damage; rocksdict's `items` ends early instead.
* Handles of column families keep a database open, so `close` drops every one of them.

Many shards share one process: `RocksResources` is the block cache and the write buffer budget that they share.
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self

import rocksdict

from gossamer.core.limits import (
    STORE_CACHE_BYTES,
    STORE_WRITE_BUFFERS_BYTES,
    STORE_WRITE_BUFFERS_PER_SHARD_BYTES,
)
from gossamer.ports.store import (
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
    Table,
    WriteBatch,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from types import TracebackType

KIB: Final = 1024
MIB: Final = 1024 * KIB

PREFIX_BYTES: Final = 8
"""The host id that page and queue keys begin with."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What sets one table's column family apart. Bytes."""

    memtable: int = 1 * MIB
    prefix: bool = False
    """Keys begin with a host id: blooms hold prefixes too, and a scan inside one host uses them."""
    deletions: bool = False
    """Rows are deleted at heads: compact soon where tombstones are dense (window 128, trigger 64)."""


TABLES: Final = {
    Table.PAGE: TableOptions(memtable=16 * MIB, prefix=True),
    Table.QUEUE: TableOptions(memtable=16 * MIB, prefix=True, deletions=True),
    Table.HOST: TableOptions(memtable=4 * MIB),
    Table.READY: TableOptions(memtable=4 * MIB, deletions=True),
    Table.ACTIVE: TableOptions(deletions=True),
    Table.HELD: TableOptions(deletions=True),
    Table.ROBOTS: TableOptions(memtable=4 * MIB),
    Table.CONTENT: TableOptions(memtable=8 * MIB),
    Table.ALIAS: TableOptions(prefix=True),
    Table.OUTBOX: TableOptions(memtable=4 * MIB, deletions=True),
    Table.FILES: TableOptions(),
    Table.SEEN: TableOptions(memtable=4 * MIB, deletions=True),
    Table.SITE: TableOptions(memtable=4 * MIB),
    Table.LINKER: TableOptions(memtable=4 * MIB),
    Table.TEMPLATE: TableOptions(memtable=4 * MIB),
    Table.META: TableOptions(),
}
"""Every table of the port. Memtables are upper ends: the shared budget flushes sooner when many shards are busy."""

WAL_BYTES_MAX: Final = 64 * MIB
"""Beyond it the table that holds the oldest log back is flushed; bounds the log's disk and the time to open."""

UNSORTED_FILES_MAX: Final = 8
"""Files of a table that were written out as they came before they are merged into the sorted ones; each is asked in a
look-up. Twice RocksDB's own: with write buffers as small as ours four of them are too little to merge for."""

FAULTS: Final[tuple[tuple[str, type[StoreError]], ...]] = (
    ("lock hold by current process", StoreBusy),
    ("While lock file", StoreBusy),
    ("No space left", StoreFull),
    ("Disk quota exceeded", StoreFull),
    ("File too large", StoreFull),
    ("Read-only file system", StoreReadOnly),
    ("Permission denied", StoreReadOnly),
    ("Corruption", StoreDamaged),
    ("No such file", StoreDamaged),
    ("does not exist", StoreDamaged),
    ("File exists", StoreDamaged),
    ("Not a directory", StoreDamaged),
    ("Invalid argument", StoreDamaged),
)
"""A piece of RocksDB's or the system's message -> what it means. rocksdict raises bare `Exception` for all of them."""


def write_buffers(stores: int) -> int:
    """Bytes of memtables for so many stores in one process."""
    return max(STORE_WRITE_BUFFERS_BYTES, stores * STORE_WRITE_BUFFERS_PER_SHARD_BYTES)


class RocksResources:
    """Memory and threads that the stores of one process share.

    `cache_bytes`: uncompressed blocks, indexes and filters. `write_buffer_bytes`: all memtables of all stores together.
    """

    def __init__(
        self,
        *,
        cache_bytes: int = STORE_CACHE_BYTES,
        write_buffer_bytes: int = STORE_WRITE_BUFFERS_BYTES,
        background_threads: int = 2,
    ) -> None:
        self.background_threads = background_threads
        self.cache = rocksdict.Cache(cache_bytes)
        self.write_buffers = rocksdict.WriteBufferManager(write_buffer_bytes, allow_stall=False)
        self.env = rocksdict.Env()
        self.env.set_low_priority_background_threads(background_threads)
        self.env.set_high_priority_background_threads(1)

    def cache_usage(self) -> int:
        """Bytes of the block cache in use."""
        return self.cache.get_usage()

    def write_buffer_usage(self) -> int:
        """Bytes of memtables in use, over all stores."""
        return self.write_buffers.get_usage()


class _Faults:
    """`with faults:` turns what rocksdict raises into the port's errors, and costs next to nothing when all is well."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and (type(error) is Exception or isinstance(error, OSError)):
            raise store_error(self._path, error) from error


def store_error(path: Path, error: BaseException) -> StoreError:
    """The port's error for one that rocksdict or the system raised about the store in `path`."""
    words = " ".join(str(error).split())
    kind = next((kind for piece, kind in FAULTS if piece in words), StoreError)
    return kind(f"{path}: {words}")


@dataclass(slots=True)
class _Handles:
    """The open database; dropped as one."""

    database: rocksdict.Rdict
    read_only: bool = False
    tables: dict[Table, rocksdict.Rdict] = field(default_factory=dict[Table, rocksdict.Rdict])
    families: dict[Table, rocksdict.ColumnFamily] = field(default_factory=dict[Table, rocksdict.ColumnFamily])

    def sync(self) -> None:
        if not self.read_only:
            self.database.flush_wal(sync=True)

    def close(self) -> None:
        self.families.clear()
        for table in self.tables.values():
            table.close()
        self.tables.clear()
        self.database.close()


class RocksStore:
    """One shard's store in the folder `path`, made there unless `create` is false.

    `read_only` opens one that nobody else has open for a look: in half the time, with its rows' files left as they are
    (one that lacks a table of this release is opened as usual, for the table is made then).

    Raises StoreBusy, StoreDamaged, StoreFull or StoreReadOnly, here as in every method.
    """

    def __init__(self, path: Path, *, resources: RocksResources, create: bool = True, read_only: bool = False) -> None:
        self._path = path
        self._resources = resources
        self._faults = _Faults(path)
        self._closing = threading.Lock()
        self._handles: _Handles | None = None
        with self._faults:
            made = self._claim_folder(create=create and not read_only)
            self._handles = _open_to_read(path, resources) if read_only else None
            self._handles = self._handles or _open(path, resources, create=made)
            if made:
                _sync_folders(path, path.parent)

    def get(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        """See the port."""
        if not keys:
            return []
        family = self._live().tables[table]
        with self._faults:
            if len(keys) == 1:
                return [family.get(keys[0])]
            return family.get(keys if isinstance(keys, list) else list(keys))

    def scan(self, table: Table, start: bytes, end: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        """See the port. Within one host of a table with prefixes it asks the blooms first."""
        family = self._live().tables[table]
        if start >= end or limit <= 0:
            return []
        options = rocksdict.ReadOptions()
        options.set_iterate_upper_bound(end)
        if TABLES[table].prefix and _within_prefix(start, end):
            options.set_prefix_same_as_start(True)
        else:
            options.set_total_order_seek(True)
        with self._faults:
            return _rows(family.iter(options), start, limit)

    def write(self, batch: WriteBatch) -> None:
        """See the port. Goes to the log without a flush."""
        handles = self._live()
        if handles.read_only:
            raise StoreError(f"{self._path}: the store was opened to be read only; open it again to write")
        if not batch.puts and not batch.deletes:
            return
        changes = rocksdict.WriteBatch(raw_mode=True)
        families, put, delete = handles.families, changes.put, changes.delete
        for table, key, value in batch.puts:
            put(key, value, families[table])
        for table, key in batch.deletes:
            delete(key, families[table])
        with self._faults:
            handles.database.write(changes)

    def sync(self) -> None:
        """See the port. Releases Python's global lock while the device flushes."""
        with self._closing, self._faults:
            self._live().sync()

    def close(self) -> None:
        """See the port. Waits for a sync under way; calling it twice is harmless."""
        with self._closing:
            handles, self._handles = self._handles, None
            if handles is None:
                return
            with self._faults:
                try:
                    handles.sync()
                finally:
                    handles.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _live(self) -> _Handles:
        if self._handles is None:
            raise StoreError(f"{self._path}: the store is closed; open it again before use")
        return self._handles

    def _claim_folder(self, *, create: bool) -> bool:
        """Whether a store is to be made. Files without a CURRENT are a damaged store: never start a new one on them."""
        if self._path.joinpath("CURRENT").exists():
            return False
        strangers = sorted(item.name for item in self._path.iterdir()) if self._path.is_dir() else []
        if not create or strangers:
            found = f"but has {strangers[0]}" if strangers else "and none was to be made"
            raise StoreDamaged(f"{self._path}: holds no store (no file CURRENT), {found}")
        self._path.mkdir(parents=True, exist_ok=True)
        return True


def repair_store(path: Path, resources: RocksResources) -> None:
    """Make a damaged store one that opens, with what its files still hold; what they do not hold is lost.

    Raises StoreError where even that fails.
    """
    with _Faults(path):
        rocksdict.Rdict.repair(str(path), _database_options(resources, create=False))


def _open(path: Path, resources: RocksResources, *, create: bool) -> _Handles:
    options = _database_options(resources, create=create)
    return _with_tables(_Handles(rocksdict.Rdict(str(path), options, _families(resources))))


def _open_to_read(path: Path, resources: RocksResources) -> _Handles | None:
    """None for a store that lacks a table."""
    options = _database_options(resources, create=False)
    if not {table.value for table in TABLES} <= set(rocksdict.Rdict.list_cf(str(path), options)):
        return None
    to_read = rocksdict.AccessType.read_only()
    database = rocksdict.Rdict(str(path), options, _families(resources), to_read)
    return _with_tables(_Handles(database, read_only=True))


def _families(resources: RocksResources) -> dict[str, rocksdict.Options]:
    return {table.value: _table_options(kind, resources) for table, kind in TABLES.items()}


def _with_tables(handles: _Handles) -> _Handles:
    for table in TABLES:
        handles.tables[table] = handles.database.get_column_family(table.value)
        handles.families[table] = handles.database.get_column_family_handle(table.value)
    return handles


def _database_options(resources: RocksResources, *, create: bool) -> rocksdict.Options:
    options = rocksdict.Options(raw_mode=True)
    options.create_if_missing(create_if_missing=create)
    # A table added by a later release is made in an older folder.
    options.create_missing_column_families(create_missing_cfs=True)
    options.set_env(resources.env)
    options.set_write_buffer_manager(resources.write_buffers)
    options.set_max_background_jobs(resources.background_threads)
    options.set_max_file_opening_threads(1)
    options.set_max_open_files(-1)
    options.set_max_total_wal_size(WAL_BYTES_MAX)
    options.set_bytes_per_sync(1 * MIB)
    # Statistics and logs of a shard nobody looks at are not worth a thread's wake-ups.
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    options.set_skip_stats_update_on_db_open(True)
    options.set_keep_log_file_num(2)
    options.set_max_log_file_size(1 * MIB)
    # The default family is unused, but it is there.
    options.set_write_buffer_size(64 * KIB)
    return options


def _table_options(kind: TableOptions, resources: RocksResources) -> rocksdict.Options:
    options = rocksdict.Options(raw_mode=True)
    options.set_level_compaction_dynamic_level_bytes(True)
    options.set_compression_type(rocksdict.DBCompressionType.lz4())
    options.set_bottommost_compression_type(rocksdict.DBCompressionType.zstd())
    options.set_write_buffer_size(kind.memtable)
    options.set_max_write_buffer_number(3)
    options.set_level_zero_file_num_compaction_trigger(UNSORTED_FILES_MAX)
    options.set_arena_block_size(16 * KIB)
    options.set_target_file_size_base(64 * MIB)
    options.set_max_bytes_for_level_base(max(32 * MIB, 4 * kind.memtable))
    if kind.prefix:
        options.set_prefix_extractor(rocksdict.SliceTransform.create_fixed_prefix(PREFIX_BYTES))
    if kind.deletions:
        options.add_compact_on_deletion_collector_factory(128, 64, 0.5)
    options.set_block_based_table_factory(_blocks(resources))
    return options


def _blocks(resources: RocksResources) -> rocksdict.BlockBasedOptions:
    blocks = rocksdict.BlockBasedOptions()
    blocks.set_block_cache(resources.cache)
    blocks.set_block_size(4 * KIB)
    blocks.set_format_version(5)
    blocks.set_bloom_filter(10, block_based=False)
    blocks.set_index_type(rocksdict.BlockBasedIndexType.two_level_index_search())
    blocks.set_partition_filters(True)
    blocks.set_cache_index_and_filter_blocks(True)
    blocks.set_pin_l0_filter_and_index_blocks_in_cache(True)
    blocks.set_pin_top_level_index_and_filter(True)
    return blocks


def _within_prefix(start: bytes, end: bytes) -> bool:
    """Whether every key from `start` to before `end` begins with the first PREFIX_BYTES bytes of `start`."""
    if len(start) < PREFIX_BYTES:
        return False
    prefix = start[:PREFIX_BYTES]
    following = int.from_bytes(prefix) + 1
    return end[:PREFIX_BYTES] == prefix or end == following.to_bytes(PREFIX_BYTES + 1)[1:]


def _rows(cursor: rocksdict.RdictIter, start: bytes, limit: int) -> list[tuple[bytes, bytes]]:
    rows: list[tuple[bytes, bytes]] = []
    cursor.seek(start)
    while len(rows) < limit and cursor.valid():
        rows.append((cursor.key(), cursor.value()))
        cursor.next()
    if len(rows) < limit:
        cursor.status()
    return rows


def _sync_folders(*folders: Path) -> None:
    """A new store's folder, and the one that names it, survive a lost power supply."""
    for path in _with_settings_file(folders):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _with_settings_file(folders: Iterable[Path]) -> Iterable[Path]:
    for folder in folders:
        yield from folder.glob("rocksdict-config.json")
        yield folder
