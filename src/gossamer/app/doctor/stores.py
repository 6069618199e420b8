"""The stores of a crawl folder, opened one by one; a damaged one can be mended as far as its files allow."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.adapters.store_rocksdb import RocksResources, RocksStore, repair_store
from gossamer.app.doctor.finding import Finding, fail, mended, ok, warn
from gossamer.app.doctor.seen import rebuild_seen
from gossamer.app.doctor.tables import rows
from gossamer.core.files.recovery import greatest
from gossamer.flow.commit import decode_mark
from gossamer.flow.opening import last_commit
from gossamer.flow.pending import PendingStore
from gossamer.flow.shard import COMMIT_KEY
from gossamer.ports.store import StoreError, Table, WriteBatch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gossamer.app.folder import CrawlFolder
    from gossamer.core.warc.location import FileMark


@dataclass(slots=True)
class Stores:
    """Those that opened, by shard."""

    folder: CrawlFolder
    shards: int
    opened: dict[int, RocksStore] = field(default_factory=dict[int, RocksStore])
    _resources: RocksResources = field(default_factory=RocksResources)

    @property
    def complete(self) -> bool:
        """Whether every shard's store is open."""
        return len(self.opened) == self.shards

    def close(self) -> None:
        """Give the files back."""
        for store in self.opened.values():
            store.close()

    def open(self, *, repair: bool) -> Iterator[Finding]:
        """Open every store and read it a little; what was found."""
        there = [number for number in range(self.shards) if self.folder.shard(number).exists()]
        if not there:
            yield ok("stores", "none yet: the crawl has made no commit")
            return
        for number in range(self.shards):
            if number not in there:
                yield self._make_missing(number, repair=repair)
                continue
            yield from self._open_one(number, repair=repair)
        if self.complete:
            yield ok("stores", f"{self.shards} open")

    def marks(self) -> dict[str, FileMark]:
        """What the commits say of files."""
        tables = (
            {key.decode(): decode_mark(key.decode(), value) for key, value in rows(store, Table.FILES)}
            for store in self.opened.values()
        )
        return greatest(tables)

    def even_commits(self) -> None:
        """A store that lost its commit number takes the last of all: a lower one would drop rows that are there."""
        numbers = {number: last_commit(PendingStore(store)) for number, store in self.opened.items()}
        for number, commit in numbers.items():
            if not commit and max(numbers.values()):
                batch = WriteBatch(puts=[(Table.META, COMMIT_KEY, max(numbers.values()).to_bytes(8, "big"))])
                self.opened[number].write(batch)

    def _open_one(self, number: int, *, repair: bool) -> Iterator[Finding]:
        name = self.folder.shard(number).name
        try:
            self.opened[number] = self._read_through(number)
        except StoreError as error:
            if not repair:
                yield fail("store", str(error), f"gossamer doctor {self.folder.path} --repair   keeps what can be read")
                return
            yield self._mend(number, name)

    def _read_through(self, number: int) -> RocksStore:
        """Open, and read the first rows of each table: a table that cannot be read raises StoreError."""
        store = RocksStore(self.folder.shard(number), resources=self._resources, create=False)
        try:
            for table in Table:
                store.scan(table, b"", b"\xff" * 40, 1)
        except StoreError:
            store.close()
            raise
        return store

    def _mend(self, number: int, name: str) -> Finding:
        """A copy goes to aside/; then the store is made of what its files hold."""
        path = self.folder.shard(number)
        aside = self.folder.path / "aside"
        aside.mkdir(exist_ok=True)
        copy = _free(aside, name)
        # Links as they are: one may lead nowhere, which is what is to be mended.
        shutil.copytree(path, copy, symlinks=True)
        try:
            repair_store(path, self._resources)
            self.opened[number] = self._read_through(number)
            rebuild_seen(self.opened[number])
        except StoreError as error:
            return fail("store", str(error), f"it could not be mended; restore state/{name} from a copy")
        words = f"{name} did not open; it holds again what its files hold, a copy lies in aside/{copy.name}"
        return mended(
            "store", words, "URLs found shortly before the damage may be lost; their pages lead to them again"
        )

    def _make_missing(self, number: int, *, repair: bool) -> Finding:
        name = self.folder.shard(number).name
        hint = "every URL of its sites is lost to the crawl; gossamer add DIR URL brings back those you name"
        if not repair:
            return fail("store", f"{name} is missing", hint)
        self.opened[number] = RocksStore(self.folder.shard(number), resources=self._resources)
        return warn("store", f"{name} was missing and is made anew, empty", hint)


def _free(folder: Path, name: str) -> Path:
    number, path = 1, folder / name
    while path.exists():
        number += 1
        path = folder / f"{name}-{number}"
    return path
