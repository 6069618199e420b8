"""Rows of a big shard in columns: host names, URLs and page records of one form each, millions at a time.

A record's stored form is made by the product's own encoder, once; what differs from URL to URL stands at places of that
form which are found by encoding two records that differ in one field only. So a field that a later release appends is
in the rows by itself, and every row decodes to the record that the crawl itself would have written.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from gossamer.core.frontier.priority import level_of
from gossamer.core.frontier.records import Attempt, PageRecord, PageState, decode_page, encode
from gossamer.core.seen.fingerprint import FINGERPRINT_BYTES, HOST_ID_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]

DEPTHS: Final = 6
HOST_DIGITS: Final = 7
PAGE_DIGITS: Final = 8
POOL: Final = 500_000
HEX: Final = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
BASE32: Final = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", dtype=np.uint8)
_LOW, _HIGH = 0x01010101, 0x02020202
_LONG_LOW, _LONG_HIGH = 0x0101010101010101, 0x0202020202020202
_EARLY, _LATE = struct.unpack(">dd", b"\x41" * 8 + b"\x42" * 8)
LEVELS_OF: Final = np.array([level_of(depth) for depth in range(DEPTHS)], dtype=np.uint8)


def host_name(host: int, site: int) -> str:
    """The name of a host; all are equally long."""
    return f"w{host:0{HOST_DIGITS}}.s{site:0{HOST_DIGITS}}.example"


@dataclass(frozen=True)
class UrlForm:
    """URLs of one length: `https://HOST[:PORT]/docs/PAGE.html`, page 0 being the host's first page."""

    port: int = 0
    """0: https on its usual port; else http on that one."""

    @property
    def example(self) -> bytes:
        """The URL of host 0 of site 0, page 0."""
        name = host_name(0, 0)
        start = f"http://{name}:{self.port}" if self.port else f"https://{name}"
        return f"{start}/docs/{0:0{PAGE_DIGITS}}.html".encode()

    @property
    def page_column(self) -> int:
        """Where in it the number of the page begins."""
        return self.example.index(b"/docs/") + 6

    def urls(self, hosts: Numbers, sites: Numbers, pages: Numbers) -> Bytes:
        """One row of bytes for each URL."""
        form = self.example
        rows = np.tile(np.frombuffer(form, dtype=np.uint8), (len(hosts), 1))
        first = form.index(b"w0") + 1
        put_digits(rows, first, HOST_DIGITS, hosts)
        put_digits(rows, first + HOST_DIGITS + 2, HOST_DIGITS, sites)
        put_digits(rows, self.page_column, PAGE_DIGITS, pages)
        return rows


def put_digits(rows: Bytes, first: int, count: int, numbers: Numbers) -> None:
    """Write numbers in decimal into columns of a table of bytes."""
    left = numbers.astype(np.int32)
    for column in range(first + count - 1, first - 1, -1):
        rest = left // 10
        rows[:, column] = left - rest * 10 + ord("0")
        left = rest


def depths_of(pages: Numbers) -> Numbers:
    """How deep each page of a host stands: its first page is a seed, the others are spread."""
    return np.where(pages == 0, 0, 1 + pages % (DEPTHS - 1))


def levels_of(pages: Numbers) -> Bytes:
    """The front queue of each page of a host."""
    return LEVELS_OF[depths_of(pages)]


def as_bytes(rows: Bytes) -> list[bytes]:
    """Each row as bytes."""
    rows = np.ascontiguousarray(rows)
    found: list[bytes] = rows.view(f"V{rows.shape[1]}").ravel().tolist()
    return found


def big_endian(numbers: NDArray[Any], form: str) -> Bytes:
    """Numbers as rows of big-endian bytes; `form` as numpy says it: ">u8", ">f8"."""
    return np.ascontiguousarray(numbers.astype(form)).view(np.uint8).reshape(len(numbers), -1)


class Template:
    """The stored form of a record, and where in it the fields stand that differ from URL to URL."""

    def __init__(self, record: PageRecord, fields: dict[str, tuple[Any, Any]]) -> None:
        """`fields`: field -> two values that differ in every byte of their stored forms."""
        self._form = encode(self._with(record, {name: pair[0] for name, pair in fields.items()}))
        self._places = {name: self._place(record, fields, name) for name in fields}

    def rows(self, columns: dict[str, Bytes], count: int) -> Bytes:
        """`count` stored records with these columns, one row each."""
        rows = np.tile(np.frombuffer(self._form, dtype=np.uint8), (count, 1))
        for name, column in columns.items():
            for start, length in self._places[name]:
                rows[:, start : start + length] = column
        return rows

    @staticmethod
    def _with(record: PageRecord, values: dict[str, Any]) -> PageRecord:
        return msgspec.structs.replace(record, **values)

    def _place(self, record: PageRecord, fields: dict[str, tuple[Any, Any]], name: str) -> list[tuple[int, int]]:
        values = {field: pair[0] for field, pair in fields.items()}
        other = encode(self._with(record, {**values, name: fields[name][1]}))
        if len(other) != len(self._form):
            raise ValueError(f"two values of {name} are stored in different lengths")
        differing = [place for place, pair in enumerate(zip(self._form, other, strict=True)) if pair[0] != pair[1]]
        starts = [place for place in differing if place - 1 not in differing]
        return [
            (start, next(end for end in range(start, len(other) + 1) if end not in differing) - start)
            for start in starts
        ]


class PageForms:
    """Page records of queued and of fetched URLs, in columns."""

    def __init__(self, url: UrlForm, chance: np.random.Generator, *, archived: bool) -> None:
        """`archived`: whether fetched pages name a capture, which nothing but the record knows of."""
        size = len(url.example)
        common: dict[str, tuple[Any, Any]] = {
            "url": ("A" * size, "B" * size),
            "referrer": ("A" * size, "B" * size),
            "depth": (1, 2),
            "level": (1, 2),
            "found_at": (_EARLY, _LATE),
        }
        waiting = PageRecord("", hops="LL", link_kind=1)
        self._waiting = Template(waiting, {**common, "queue": (1, 2), "order": (_LONG_LOW, _LONG_HIGH)})
        done = PageRecord("", hops="LL", link_kind=1, state=PageState.DONE)
        done.last_modified = "Tue, 03 Mar 2026 10:11:12 GMT"
        fields = {
            **common,
            "queue": (1, 2),
            "order": (_LONG_LOW, _LONG_HIGH),
            "attempts": ([Attempt(_EARLY, "fetched", 200)], [Attempt(_LATE, "fetched", 200)]),
            "etag": ("A" * 16, "B" * 16),
            "digest": (b"A" * 32, b"B" * 32),
        }
        if archived:
            done.file = "archive/GOSSAMER-20261101000000-00000.warc.gz"
            done.payload_digest, done.record_id = "sha1:", "<urn:uuid:>"
            fields |= {
                "payload_digest": ("sha1:" + "A" * 32, "sha1:" + "B" * 32),
                "record_id": ("<urn:uuid:" + "A" * 36 + ">", "<urn:uuid:" + "B" * 36 + ">"),
                "captured_at": (_EARLY, _LATE),
                "offset": (_LOW, _HIGH),
                "length": (_LOW, _HIGH),
            }
        self._archived = archived
        self._pool = _pool(chance, archived=archived)
        self._done = Template(done, fields)

    def waiting(self, common: dict[str, Bytes], orders: Numbers) -> list[bytes]:
        """Records of queued URLs; `orders`: their places in their queues."""
        columns = {**common, "queue": common["level"], "order": big_endian(orders, ">u8")}
        return as_bytes(self._waiting.rows(columns, len(orders)))

    def done(self, common: dict[str, Bytes], orders: Numbers, chance: np.random.Generator) -> list[bytes]:
        """Records of fetched pages; digests, validators and places in the archive are drawn."""
        count = len(orders)
        drawn = {name: _some(column, count, chance) for name, column in self._pool.items()}
        columns = {
            **common,
            **drawn,
            "queue": common["level"],
            "order": big_endian(orders, ">u8"),
            "attempts": common["found_at"],
        }
        if self._archived:
            columns["captured_at"] = common["found_at"]
        return as_bytes(self._done.rows(columns, count))


def _pool(chance: np.random.Generator, *, archived: bool) -> dict[str, Bytes]:
    """Columns of drawn values. Their rows are used again and again, too far apart for a compressor to notice."""
    pool = {
        "etag": _drawn(HEX, POOL, 16, chance),
        "digest": np.frombuffer(chance.bytes(POOL * 32), dtype=np.uint8).reshape(POOL, 32),
    }
    if archived:
        uuid = _drawn(HEX, POOL, 36, chance)
        uuid[:, [8, 13, 18, 23]] = ord("-")
        pool |= {
            "payload_digest": _drawn(BASE32, POOL, 32, chance),
            "record_id": uuid,
            "offset": big_endian(chance.integers(0, 1 << 30, POOL), ">u4"),
            "length": big_endian(chance.integers(4000, 20_000, POOL), ">u4"),
        }
    return pool


def _some(column: Bytes, count: int, chance: np.random.Generator) -> Bytes:
    """`count` rows that stand together, from a place that is drawn."""
    first = int(chance.integers(0, len(column)))
    times = 1 + (first + count) // len(column)
    return np.concatenate([column] * times)[first : first + count] if times > 1 else column[first : first + count]


def _drawn(alphabet: Bytes, count: int, width: int, chance: np.random.Generator) -> Bytes:
    """`count` rows of `width` letters of an alphabet, whose length is a power of two."""
    drawn = np.frombuffer(chance.bytes(count * width), dtype=np.uint8) & np.uint8(len(alphabet) - 1)
    return alphabet.take(drawn).reshape(count, width)


def common_columns(form: UrlForm, urls: Bytes, pages: Numbers, begun: float) -> dict[str, Bytes]:
    """The columns that records of every state have. The referrer is the first page of the host."""
    depths = depths_of(pages)
    referrers = urls.copy()
    first = form.page_column
    referrers[:, first : first + PAGE_DIGITS] = ord("0")
    return {
        "url": urls,
        "referrer": referrers,
        "depth": depths.astype(np.uint8)[:, None],
        "level": LEVELS_OF[depths][:, None],
        "found_at": big_endian(begun + pages * 0.5, ">f8"),
    }


def check_rows(values: Sequence[bytes], urls: Sequence[bytes]) -> None:
    """Raise ValueError unless these stored records decode, and name these URLs."""
    for value, url in zip(values, urls, strict=True):
        record = decode_page(value)
        if record.url.encode() != url:
            raise ValueError(f"the record of {url!r} names {record.url}")


def page_keys(host_ids: Bytes, fingerprints: Bytes) -> list[bytes]:
    """Keys of page records: host id, then fingerprint."""
    return as_bytes(np.concatenate((host_ids, fingerprints), axis=1))


def queue_keys(host_ids: Bytes, levels: Bytes, orders: Numbers) -> list[bytes]:
    """Keys of queue entries: host id, queue, order."""
    return as_bytes(np.concatenate((host_ids, levels[:, None], big_endian(orders, ">u8")), axis=1))


def fingerprint_rows(joined: bytes) -> Bytes:
    """Fingerprints, concatenated, as rows."""
    return np.frombuffer(joined, dtype=np.uint8).reshape(-1, FINGERPRINT_BYTES)


def id_rows(ids: Sequence[bytes]) -> Bytes:
    """Host ids as rows."""
    return np.frombuffer(b"".join(ids), dtype=np.uint8).reshape(-1, HOST_ID_BYTES)
