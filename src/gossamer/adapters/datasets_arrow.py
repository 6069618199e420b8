"""Port `datasets` on Arrow: rows wait in journal/*.arrows (an IPC stream) and become pages/, links/, refused/*.parquet.

A journal is the IPC stream's messages laid end to end with no end-of-stream mark, one record batch a commit, so it can
be read up to any committed length. Its columns `_shard` and `_commit` say which commit a row belongs to; recovery sets
`_commit` to -1, in place, where the shard did not reach that commit. Rows so marked are not converted. In place, for
the journal then keeps the length that the commit vouches for, and a crash during recovery harms nothing.

Rows stay in the order they came: pages by time, a page's links together. `refused` is one row per URL, reason and seed
group.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from gossamer.core.dataset_columns import Coded, Repeated
from gossamer.core.datasets import KNOWN, SCHEMA_VERSION
from gossamer.core.files.ledger import FileLedger
from gossamer.core.files.recovery import Plan, plan_recovery
from gossamer.core.limits import JOURNAL_BYTES_MAX, JOURNAL_SECONDS_MAX, ROW_GROUP_BYTES_MAX
from gossamer.core.warc.date import milliseconds, timestamp
from gossamer.core.warc.location import FileMark, FileState
from gossamer.ports.disk import Disk, GrowingFile, settle
from gossamer.ports.files import CrawlDamaged, Recovery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gossamer.ports.clock import Clock
    from gossamer.ports.datasets import Columns

_JOURNAL: Final = "journal/"
_JOURNAL_END: Final = ".arrows"
_ARCHIVE_LINES_END: Final = ".lines"
"""Journals of the archive lie in the same folder and are its own business."""
_FOLDERS: Final = (*KNOWN, "journal")
_SHARD: Final = "_shard"
_COMMIT: Final = "_commit"
_DROPPED: Final = -1
_NAME: Final = re.compile(r"(?:^|/)([a-z]+)-(\d{14})-(\d+)-w(\d+)\.(?:arrows|parquet)$")
_TYPES: Final[dict[str, pa.DataType]] = {
    "string": pa.string(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "binary": pa.binary(),
    "timestamp": pa.timestamp("ms", tz="UTC"),
}
_TIMESTAMP: Final = _TYPES["timestamp"]
_REFUSED_KEYS: Final = ("url", "reason", "group")
_REFUSED_SUMS: Final = {
    "count": "sum",
    "first": "min",
    "last": "max",
    "depth": "min",
    "referrer": "first",
    "hops": "first",
    "kinds": "distinct",
    "nofollow": "all",
}
"""How the rows of one URL, reason and group become one; "first" is the first met."""


@dataclass(frozen=True, slots=True)
class JournalLimits:
    """When a journal becomes a Parquet file, and how much of it a conversion holds at once."""

    bytes_max: int = JOURNAL_BYTES_MAX
    seconds_max: float = JOURNAL_SECONDS_MAX
    row_group_bytes: int = ROW_GROUP_BYTES_MAX


@dataclass(frozen=True, slots=True)
class _OpenJournal:
    """The journal that a dataset's rows go to, and when it began."""

    file: GrowingFile
    opened: float


_Places = np.ndarray[tuple[int, ...], np.dtype[np.int32]]


class _Rows(NamedTuple):
    """What one call appended."""

    columns: tuple[Any, ...]
    """In the schema's order; of a single row its values."""
    size: int
    shard: int
    commit: int


class ArrowDatasets:
    """The datasets of one worker. Values: timestamps as seconds since the epoch, all else as the schema says."""

    def __init__(
        self,
        disk: Disk,
        clock: Clock,
        *,
        worker: int = 0,
        limits: JournalLimits | None = None,
        owns: Callable[[str], bool] = lambda _: True,
    ) -> None:
        """`owns`: which files of the folder are this worker's to recover, by path; others are left alone."""
        self._disk = disk
        self._clock = clock
        self._worker = worker
        self._limits = limits or JournalLimits()
        self._owns = owns
        self._ledger = FileLedger()
        self._serial = 0
        self._rows: dict[str, list[_Rows]] = {}
        self._open: dict[str, _OpenJournal] = {}
        self._fixed: list[GrowingFile] = []
        self._closing: list[GrowingFile] = []
        self._conversion: _Conversion | None = None

    def append(self, dataset: str, columns: Columns, shard: int, commit: int) -> None:
        """Keep rows for the coming commit. ValueError when the columns are not those of the schema."""
        count = _checked_length(dataset, columns)
        if count == 1:
            values = tuple(chain.from_iterable(_COLUMNS_OF[dataset](columns)))
            self._rows.setdefault(dataset, []).append(_Rows(values, 1, shard, commit))
        elif count:
            self._rows.setdefault(dataset, []).append(_Rows(_COLUMNS_OF[dataset](columns), count, shard, commit))

    def marks(self) -> list[FileMark]:
        """Rows become a record batch of their journal; a journal that is long or old closes."""
        self._flush()
        now = self._clock.now()
        for dataset, journal in list(self._open.items()):
            length = journal.file.fix()
            if length >= self._limits.bytes_max or now - journal.opened >= self._limits.seconds_max:
                self._close(dataset, journal)
            else:
                self._ledger.note(journal.file.path, length, FileState.OPEN)
                self._fixed.append(journal.file)
        return self._ledger.marks()

    def sync(self) -> None:
        """Write and sync the journals; then carry a waiting conversion one row group further."""
        self._sync_files()
        self._convert_further()

    def acknowledge(self) -> None:
        """Journals whose Parquet file is committed go."""
        for path in self._ledger.acknowledge():
            self._disk.remove(path)

    def finish(self) -> None:
        """Turn every journal into its Parquet file. Commit what was appended before calling this."""
        self._flush()
        for dataset, journal in list(self._open.items()):
            journal.file.fix()
            self._close(dataset, journal)
        self._sync_files()
        self._ledger.release_all()
        while self._convert_further():
            pass

    def recover(self, committed: Mapping[str, FileMark], commits: Mapping[int, int]) -> Recovery:
        """Cut back to the commit, mark rows of commits not reached, and go on in the journals that were open.

        Raises CrawlDamaged when committed bytes are missing (nothing was changed then) or not what we write.
        """
        own = {path: length for path, length in self._disk.lengths(_FOLDERS).items() if self._is_own(path)}
        plan = plan_recovery((mark for path, mark in committed.items() if self._is_own(path)), own, _product_of)
        recovery = settle(self._disk, plan)
        for path in plan.live:
            if path.startswith(_JOURNAL):
                dropped = self._drop_rows(path, commits)
                recovery.rows_dropped += len(dropped)
                recovery.dropped_commits.update(dropped)
        named = (_NAME.search(path) for path in (*own, *committed))
        self._serial = 1 + max((int(name[3]) for name in named if name), default=-1)
        self._resume(plan)
        return recovery

    def _is_own(self, path: str) -> bool:
        return _is_own(path) and self._owns(path)

    def _flush(self) -> None:
        for dataset, rows in self._rows.items():
            batch = pa.record_batch(_arrays(dataset, rows), _SCHEMAS[dataset])
            self._journal(dataset).file.append(batch.serialize().to_pybytes())
        self._rows = {}

    def _journal(self, dataset: str) -> _OpenJournal:
        journal = self._open.get(dataset)
        if journal is None:
            now = self._clock.now()
            name = f"{dataset}-{timestamp(now)}-{self._serial:05d}-w{self._worker}"
            self._serial += 1
            journal = _OpenJournal(self._disk.grow(_JOURNAL + name + _JOURNAL_END), now)
            journal.file.append(_SCHEMAS[dataset].serialize().to_pybytes())
            self._open[dataset] = journal
        return journal

    def _close(self, dataset: str, journal: _OpenJournal) -> None:
        self._ledger.close_journal(journal.file.path, journal.file.length)
        self._closing.append(journal.file)
        del self._open[dataset]

    def _sync_files(self) -> None:
        for file in (*self._closing, *self._fixed):
            file.sync()
        self._fixed = []
        while self._closing:
            self._closing.pop().close()

    def _convert_further(self) -> bool:
        """One step of the conversion under way, or of the next; False when none waits.

        After a failure its journal waits for another turn.
        """
        journal = self._conversion.journal if self._conversion is not None else self._ledger.next_conversion()
        if journal is None:
            return False
        try:
            self._step(self._conversion or self._begin(journal))
        except OSError:
            if self._conversion is not None:
                self._conversion.discard()
                self._conversion = None
            self._ledger.convertible(journal)
            raise
        return True

    def _begin(self, journal: str) -> _Conversion:
        product = _product_of(journal)
        assert product is not None, "only journals are converted"
        self._conversion = _Conversion(self._disk, journal, product, self._limits.row_group_bytes)
        return self._conversion

    def _step(self, conversion: _Conversion) -> None:
        length = conversion.step()
        if length is not None:
            self._conversion = None
            self._ledger.superseded(conversion.journal, conversion.product, length)

    def _resume(self, plan: Plan) -> None:
        """Go on in our newest open journal of each dataset; all others wait to be converted."""
        for path, mark in sorted(plan.live.items()):
            name = _NAME.search(path)
            if not path.startswith(_JOURNAL) or name is None:
                continue
            ours = mark.state is FileState.OPEN and int(name[4]) == self._worker and name[1] in _SCHEMAS
            if ours and self._schema_of(path).equals(_SCHEMAS[name[1]], check_metadata=True):
                former = self._open.get(name[1])
                if former is not None:
                    self._ledger.convertible(former.file.path)
                self._open[name[1]] = _OpenJournal(self._disk.grow(path, mark.length), _moment(name[2]))
            else:
                self._ledger.convertible(path)

    def _schema_of(self, journal: str) -> pa.Schema:
        return pa.ipc.open_stream(pa.py_buffer(self._disk.view(journal))).schema

    def _drop_rows(self, journal: str, commits: Mapping[int, int]) -> list[tuple[int, int]]:
        """Mark the rows of commits not reached; shard and commit of each."""
        buffer = pa.py_buffer(self._disk.view(journal))
        changes: list[tuple[int, bytes]] = []
        dropped: list[tuple[int, int]] = []
        try:
            for batch in pa.ipc.open_stream(buffer):
                # Before anything computes with it: offsets that point outside would be followed.
                batch.validate(full=True)
                shards = batch.column(_SHARD).to_numpy()
                numbers = batch.column(_COMMIT).to_numpy()
                known, places = np.unique(shards, return_inverse=True)
                reached = np.array([commits.get(int(shard), 0) for shard in known], np.int64)[places]
                beyond = numbers > reached
                if beyond.any():
                    dropped += zip(shards[beyond].tolist(), numbers[beyond].tolist(), strict=True)
                    changes.append((_place(buffer, batch), np.where(beyond, _DROPPED, numbers).tobytes()))
        except (pa.ArrowInvalid, OSError) as error:  # pyarrow reports a broken message as either
            raise CrawlDamaged({journal: f"is no Arrow stream up to its committed length ({error})"}) from error
        if changes:
            self._disk.patch(journal, changes)
        return dropped


class _Conversion:
    """A journal on its way to its Parquet file, a row group a step, so that no step holds or takes much."""

    def __init__(self, disk: Disk, journal: str, product: str, row_group_bytes: int) -> None:
        self._disk = disk
        self._bytes = disk.view(journal)
        reader = pa.ipc.open_stream(pa.py_buffer(self._bytes))
        shown = [field for field in reader.schema if not field.name.startswith("_")]
        shape = _SHAPES.get(product.partition("/")[0], _in_order)
        self.journal = journal
        self.product = product
        self._schema = pa.schema(shown, reader.schema.metadata)
        self._tables = shape(_kept(reader), row_group_bytes)
        self._draft = disk.draft(product)
        self._writer = pq.ParquetWriter(self._draft.file, self._schema, compression="zstd", write_page_checksum=True)

    def step(self) -> int | None:
        """Write one row group; the product's length once it is durable under its name."""
        table = next(self._tables, None)
        if table is None:
            self._writer.close()
            return self._draft.publish()
        rows = table.select(self._schema.names).cast(self._schema)
        self._writer.write_table(rows, row_group_size=max(1, rows.num_rows))
        self._disk.release(self._bytes)
        return None

    def discard(self) -> None:
        """Give up what was written."""
        with contextlib.suppress(OSError):
            self._writer.close()
        self._draft.discard()


def _in_order(batches: Iterator[pa.RecordBatch], row_group_bytes: int) -> Iterator[pa.Table]:
    """Batches gathered into tables of about that many bytes."""
    gathered: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        gathered.append(batch)
        size += batch.nbytes
        if size >= row_group_bytes:
            yield pa.Table.from_batches(gathered)
            gathered, size = [], 0
    if gathered:
        yield pa.Table.from_batches(gathered)


def _refused(batches: Iterator[pa.RecordBatch], row_group_bytes: int) -> Iterator[pa.Table]:
    """One row per URL, reason and seed group, by URL. The journal is mapped, so memory is that of the groups."""
    tables = list(_in_order(batches, row_group_bytes))
    if not tables:
        return
    rows = pa.concat_tables(tables)
    # Journals of older releases lack the last columns.
    sums = {name: how for name, how in _REFUSED_SUMS.items() if name in rows.column_names}
    # In one thread: only then is "first" the first in the journal's order.
    summed = rows.group_by(_REFUSED_KEYS, use_threads=False).aggregate(list(sums.items()))
    names = {f"{name}_{how}": name for name, how in sums.items()}
    renamed = summed.rename_columns([names.get(name, name) for name in summed.column_names])
    if "kinds" in sums:
        place = renamed.column_names.index("kinds")
        renamed = renamed.set_column(place, "kinds", pc.binary_join(renamed.column(place), " "))
    yield renamed.sort_by([(name, "ascending") for name in _REFUSED_KEYS])


_SHAPES: Final[dict[str, Callable[[Iterator[pa.RecordBatch], int], Iterator[pa.Table]]]] = {"refused": _refused}


def _kept(reader: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches without the rows that recovery dropped."""
    for batch in reader:
        kept = pc.greater_equal(batch.column(_COMMIT), 0)
        yield batch if kept.true_count == batch.num_rows else batch.filter(kept)


def _journal_schema(dataset: str) -> pa.Schema:
    fields = [pa.field(c.name, _TYPES[c.type], metadata={"meaning": c.meaning}) for c in KNOWN[dataset]]
    fields += [pa.field(_SHARD, pa.int32()), pa.field(_COMMIT, pa.int64())]
    return pa.schema(fields, {"gossamer.dataset": dataset, "gossamer.schema_version": str(SCHEMA_VERSION)})


_NAMES: Final = {dataset: frozenset(column.name for column in KNOWN[dataset]) for dataset in KNOWN}
_KINDS: Final = {dataset: [_TYPES[column.type] for column in KNOWN[dataset]] for dataset in KNOWN}
_COLUMNS_OF: Final = {dataset: itemgetter(*(column.name for column in KNOWN[dataset])) for dataset in KNOWN}
_SCHEMAS: Final = {dataset: _journal_schema(dataset) for dataset in KNOWN}


def _checked_length(dataset: str, columns: Columns) -> int:
    if dataset not in KNOWN:
        raise ValueError(f"no dataset {dataset!r}; there are {', '.join(KNOWN)}")
    names = _NAMES[dataset]
    if len(columns) != len(names) or not names.issuperset(columns):
        amiss = names.symmetric_difference(columns)
        raise ValueError(f"columns of {dataset} missing or unknown: {', '.join(sorted(amiss))}")
    lengths = set(map(len, columns.values()))
    if len(lengths) != 1:
        raise ValueError(f"columns of {dataset} differ in length: {sorted(lengths)}")
    return lengths.pop()


def _arrays(dataset: str, rows: list[_Rows]) -> list[pa.Array]:
    """The columns of a journal's next batch."""
    sizes = [each.size for each in rows]
    if max(sizes) == 1:
        columns = zip(*[each.columns for each in rows], strict=True)
        arrays = [_array(values, kind) for values, kind in zip(columns, _KINDS[dataset], strict=True)]
    else:
        parts = [each.columns if each.size > 1 else [(value,) for value in each.columns] for each in rows]
        columns = zip(*parts, strict=True)
        arrays = [_column(values, kind) for values, kind in zip(columns, _KINDS[dataset], strict=True)]
    shards = np.repeat(np.array([each.shard for each in rows], np.int32), sizes)
    commits = np.repeat(np.array([each.commit for each in rows], np.int64), sizes)
    return [*arrays, pa.array(shards), pa.array(commits)]


def _column(parts: tuple[Sequence[Any], ...], kind: pa.DataType) -> pa.Array:
    """One column, from what each call gave for it."""
    if not all(isinstance(part, _SHORT) for part in parts):
        return _array(list(chain.from_iterable(parts)), kind)
    places: dict[Any, int] = {}
    tables: dict[int, _Places] = {}
    rows: list[_Places] = []
    # Neighbours of one form are looked up at once: mostly that is the whole column.
    for (form, table), group in groupby(parts, lambda part: (type(part), id(getattr(part, "values", None)))):
        if form is Repeated:
            repeated = [part for part in group if isinstance(part, Repeated)]
            found = [places.setdefault(part.value, len(places)) for part in repeated]
            rows.append(np.repeat(np.array(found, np.int32), [part.size for part in repeated]))
            continue
        coded = [part for part in group if isinstance(part, Coded)]
        if table not in tables:
            # `parts` keeps them alive, so an id is one table's.
            tables[table] = np.array([places.setdefault(value, len(places)) for value in coded[0].values], np.int32)
        rows.append(tables[table][np.frombuffer(b"".join([part.codes for part in coded]), np.uint8)])
    return _array(list(places), kind).take(pa.array(np.concatenate(rows)))


def _array(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    if kind is _TIMESTAMP:
        return pa.array([None if value is None else milliseconds(value) for value in values], kind)
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        # Lone surrogates come from pages (a script's "\ud800"); UTF-8 has no form for them.
        return pa.array([value and value.encode("utf-8", "replace").decode() for value in values], kind)


_SHORT: Final = (Repeated, Coded)


def _place(buffer: pa.Buffer, batch: pa.RecordBatch) -> int:
    """Where in its file a batch's commit numbers lie; batches read from a buffer point into it."""
    values = batch.column(_COMMIT).buffers()[1]
    assert values is not None, "the column has no nulls"
    place = values.address - buffer.address
    assert 0 <= place <= buffer.size - 8 * batch.num_rows, "batches are read where they lie"
    return place


def _is_own(path: str) -> bool:
    return path.partition("/")[0] in _FOLDERS and not (path.startswith(_JOURNAL) and path.endswith(_ARCHIVE_LINES_END))


def _product_of(path: str) -> str | None:
    """The Parquet file that a journal becomes; None for any other file."""
    name = _NAME.search(path)
    if name is None or not path.startswith(_JOURNAL):
        return None
    return f"{name[1]}/{path.removeprefix(_JOURNAL).removesuffix(_JOURNAL_END)}.parquet"


def _moment(digits: str) -> float:
    return datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
