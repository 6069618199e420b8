"""An importance file, read: Parquet or CSV with a column `url` or `site`, and one `importance`, from 0 to 1."""

from __future__ import annotations

import csv
from itertools import islice
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.parquet as pq

from gossamer.core.frontier.importance import Importance, importance_of
from gossamer.core.limits import IMPORTANCE_ENTRIES_MAX
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import host_of, parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES: Final = ("url", "site", "host")
"""A column of one of these names says what a row is about; with "://" it is a URL, else a host or a site."""
VALUES: Final = ("importance", "value")
BATCH_ROWS: Final = 10_000

Row = tuple[str, object]


class ImportanceFileError(ValueError):
    """What is wrong with the file, in words that follow its path."""


def read_importance(path: Path, ids: Fingerprinter, key_rules: KeyRules) -> Importance:
    """What the file says. Raises ImportanceFileError, OSError."""
    rows = _parquet_rows(path) if path.suffix == ".parquet" else _csv_rows(path)
    return importance_of(ids, _batches(rows, ids, key_rules))


def _batches(
    rows: Iterator[Row], ids: Fingerprinter, key_rules: KeyRules
) -> Iterator[tuple[list[bytes], list[bool], list[float]]]:
    number = 0
    while batch := list(islice(rows, BATCH_ROWS)):
        keys: list[bytes] = []
        are_urls: list[bool] = []
        values: list[float] = []
        for name, value in batch:
            number += 1
            if number > IMPORTANCE_ENTRIES_MAX:
                raise ImportanceFileError(
                    f"has more than {IMPORTANCE_ENTRIES_MAX:,} rows: leave the least important out"
                )
            key = _key(name.strip(), ids, key_rules)
            if key is None:
                raise ImportanceFileError(f"row {number}: {name[:80]!r} is no URL and no host")
            keys.append(key)
            are_urls.append("://" in name)
            values.append(_value(value, number))
        yield keys, are_urls, values


def _key(name: str, ids: Fingerprinter, key_rules: KeyRules) -> bytes | None:
    """The page key of a URL, the host id of a name; None for what is neither."""
    is_url = "://" in name
    parsed = parse(name if is_url else f"http://{name}/")
    if not name or parsed is None:
        return None
    host = host_of(parsed.href)
    return ids.page_key(host, url_key(parsed.href, key_rules)) if is_url else ids.host_id(host)


def _value(value: object, number: int) -> float:
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = -1.0
    if not 0 <= found <= 1:
        raise ImportanceFileError(f"row {number}: importance is 0 to 1, not {value!r}")
    return found


def _columns(names: list[str]) -> tuple[str, str]:
    name = next((each for each in NAMES if each in names), None)
    value = next((each for each in VALUES if each in names), None)
    if name is None or value is None:
        raise ImportanceFileError(f"wants a column {' or '.join(NAMES)} and one {' or '.join(VALUES)}, not {names[:9]}")
    return name, value


def _csv_rows(path: Path) -> Iterator[Row]:
    with path.open(newline="", encoding="utf-8-sig") as file:
        try:
            reader = csv.DictReader(file)
            reader.fieldnames = [each.strip() for each in reader.fieldnames or []]
            name, value = _columns(reader.fieldnames)
            for row in reader:
                yield row[name] or "", row[value]
        except (csv.Error, UnicodeDecodeError) as error:
            raise ImportanceFileError(f"is no CSV file: {error}") from error


def _parquet_rows(path: Path) -> Iterator[Row]:
    try:
        with pq.ParquetFile(path) as file:
            name, value = _columns(list(file.schema_arrow.names))
            for batch in file.iter_batches(batch_size=BATCH_ROWS, columns=[name, value]):
                yield from ((str(row[name] or ""), row[value]) for row in batch.to_pylist())
    except pa.ArrowInvalid as error:
        raise ImportanceFileError(f"is no Parquet file: {error}") from error
