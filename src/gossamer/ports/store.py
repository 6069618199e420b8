"""Port: the durable state of one shard, as named tables of bytes.

Synchronous and batch-shaped (architecture, section 2): one `get` answers a page's URL-seen questions in one step of
the loop. What a table's bytes mean is the business of `core`; an adapter orders keys bytewise and keeps promises.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Table(StrEnum):
    """The tables of a shard."""

    PAGE = "page"
    """host id (8) + URL fingerprint (16) -> page record. Large; asked for in batches; prefix = host id."""
    QUEUE = "queue"
    """host id (8) + level (1) + order (8) -> page key tail. Appended at tails, deleted at heads."""
    HOST = "host"
    """host id (8) -> host state."""
    READY = "ready"
    """level (1) + wake moment in ms (8) + host id (8) -> empty: hosts asleep with queued URLs."""
    ACTIVE = "active"
    """host id (8) -> empty: hosts in the working set, so that opening finds them without a scan of all hosts."""
    HELD = "held"
    """host id (8) -> empty: hosts over a cap."""
    ROBOTS = "robots"
    """host id (8) + authority -> the last robots.txt and its age."""
    CONTENT = "content"
    """body digest -> where it is archived."""
    ALIAS = "alias"
    """host id (8) + page key of the spelling that stands (24) + fingerprint (16) of one left alone -> empty; and page
    key without useless parameters (24) -> page key of the URL that stands for all their values."""
    OUTBOX = "outbox"
    """receiving shard (2) + number (8) -> links for that shard, not yet acknowledged."""
    FILES = "files"
    """path -> committed length and state of an archive file, journal or dataset file."""
    SEEN = "seen"
    """the files of URL seen that count, and the prints that are in none of them."""
    SITE = "site"
    """site id (8) -> site state."""
    LINKER = "linker"
    """site id (8) + id of another site (8) -> which ways links go between them (1): to the first, from it,
    both. Of sites with few such ties none: their state holds them."""
    TEMPLATE = "template"
    """kind (1) + site id (8) + template id (8) -> counts; kind (1) + the same + page key (24) -> empty: refused"""
    META = "meta"
    """commit number, counters, receipts: a few small rows."""


@dataclass(slots=True)
class WriteBatch:
    """Changes that become durable together or not at all."""

    puts: list[tuple[Table, bytes, bytes]] = field(default_factory=list[tuple[Table, bytes, bytes]])
    deletes: list[tuple[Table, bytes]] = field(default_factory=list[tuple[Table, bytes]])
    """A key is never in both lists."""


class Store(Protocol):
    """One shard's embedded store."""

    def get(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:
        """The values of `keys`, in their order; None where there is none."""
        ...

    def scan(self, table: Table, start: bytes, end: bytes, limit: int) -> list[tuple[bytes, bytes]]:
        """At most `limit` rows with start <= key < end, in key order. Starts at `start`: no tombstones before it."""
        ...

    def write(self, batch: WriteBatch) -> None:
        """Apply all of `batch` atomically, visible at once to `get` and `scan`; durable after the next `sync`."""
        ...

    def sync(self) -> None:
        """Make every batch written so far durable. May be called from another thread."""
        ...

    def close(self) -> None:
        """Sync and give the files back, so that the folder can be opened again in this process."""
        ...


class StoreError(Exception):
    """The store cannot do what was asked. One line, with the folder and the library's own words."""


class StoreBusy(StoreError):  # noqa: N818 - a state of the store, by its name
    """Another process, or another part of this one, has the store open."""


class StoreDamaged(StoreError):  # noqa: N818 - a state of the store, by its name
    """The folder holds no store, or one whose files do not agree with each other."""


class StoreUnwritable(StoreError):  # noqa: N818 - a state of the store, by its name
    """Nothing can be written: the disk is full or over a quota, or the folder is read-only."""


class StoreFull(StoreUnwritable):
    """No space left on the disk, or the user's quota is used up."""


class StoreReadOnly(StoreUnwritable):
    """The file system is mounted read-only, or its rights forbid writing."""


class NoStore:
    """The store of a shard that made no commit yet."""

    def get(self, table: Table, keys: Sequence[bytes]) -> list[bytes | None]:  # noqa: ARG002 - see the port
        """No value."""
        return [None] * len(keys)

    def scan(self, table: Table, start: bytes, end: bytes, limit: int) -> list[tuple[bytes, bytes]]:  # noqa: ARG002
        """No row."""
        return []

    def write(self, batch: WriteBatch) -> None:  # noqa: ARG002 - see the port
        """Misuse."""
        raise ValueError("nothing can be written to a shard that was never made; resume the crawl")

    def sync(self) -> None:
        """Nothing to do."""

    def close(self) -> None:
        """Nothing to do."""
