"""The files of URL seen: whether those that the commits name are there and sound. They can always be made anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from gossamer.adapters.disk_files import FolderDisk
from gossamer.app.doctor.finding import ok, warn
from gossamer.app.doctor.tables import rows
from gossamer.core.seen.bloom import BloomFilter
from gossamer.core.seen.memory import FileDamaged
from gossamer.core.seen.run import Run
from gossamer.core.seen.url_seen import STATE_KEY, SeenState
from gossamer.ports.store import Table, WriteBatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.adapters.store_rocksdb import RocksStore
    from gossamer.app.doctor.finding import Finding
    from gossamer.app.folder import CrawlFolder

ANEW = "resume makes it anew from the page records; the crawl goes on meanwhile"


def seen_findings(folder: CrawlFolder, stores: dict[int, RocksStore], *, quick: bool) -> Iterator[Finding]:
    """Of all shards. `quick`: headers and lengths; otherwise checksums of all bytes."""
    disk, files, damaged = FolderDisk(folder.path), 0, 0
    for number, store in sorted(stores.items()):
        for name in _names(store):
            files += 1
            path = f"{folder.seen(number)}/{name}"
            try:
                _read(disk.view(path), quick=quick)
            except (OSError, FileDamaged) as error:
                damaged += 1
                words = "is missing" if isinstance(error, FileNotFoundError) else f"is damaged: {error}"
                yield warn("url seen", f"{path} {words}", ANEW)
    if not damaged:
        yield ok("url seen", f"{files:,} files, {'lengths are right' if quick else 'read whole'}")


def rebuild_seen(store: RocksStore) -> None:
    """Have the files made anew at the next opening: the page records they were made from may have changed."""
    store.write(WriteBatch(deletes=[(Table.SEEN, key) for key, _ in rows(store, Table.SEEN)]))


def _names(store: RocksStore) -> list[str]:
    value = store.get(Table.SEEN, [STATE_KEY])[0]
    try:
        return msgspec.msgpack.decode(value, type=SeenState).files if value is not None else []
    except msgspec.DecodeError:
        return []


def _read(file: memoryview, *, quick: bool) -> None:
    """Raises FileDamaged."""
    if bytes(file[:6]) == b"GSMBLM":
        BloomFilter.read(file)
        return
    run = Run(file)
    for _ in run.check() if not quick else ():
        pass
