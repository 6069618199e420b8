"""Importance files as people and programs write them, and what is said of wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gossamer.adapters import importance_file
from gossamer.adapters.importance_file import ImportanceFileError, read_importance
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.url.key import KEY_RULES_NEWEST, KeyRules, url_key

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.core.frontier.importance import Importance

IDS, RULES = Fingerprinter(bytes(range(16))), KeyRules(KEY_RULES_NEWEST)


def read(path: Path) -> Importance:
    return read_importance(path, IDS, RULES)


def of(found: Importance, url: str, host: str, site: str) -> float:
    return found.of([IDS.page_key(host, url_key(url, RULES))], [site])[0]


def test_csv_with_urls_and_names(tmp_path: Path) -> None:
    path = tmp_path / "rank.csv"
    path.write_text(
        "\ufeffurl, importance\nhttps://WWW.a.test/%7Ex,1\nb.test,0.25\nBÜCHER.test,0.75\n", encoding="utf-8"
    )
    found = read(path)
    assert len(found) == 3
    assert of(found, "https://www.a.test/~x", "www.a.test", "a.test") == 1.0
    assert of(found, "https://www.b.test/any", "www.b.test", "b.test") == 0.25
    assert of(found, "https://xn--bcher-kva.test/", "xn--bcher-kva.test", "xn--bcher-kva.test") == 0.75


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "rank.parquet"
    pq.write_table(pa.table({"site": ["a.test", "b.test"], "value": [1.0, 0.5], "more": [1, 2]}), path)
    found = read(path)
    assert of(found, "https://a.test/", "a.test", "a.test") == 1.0
    assert of(found, "https://b.test/", "b.test", "b.test") == 0.5


WRONG = [
    ("rank.csv", b"url,importance\nhttps://a.test/,2\n", "row 1: importance is 0 to 1, not '2'"),
    ("rank.csv", b"url,importance\nhttps://a.test/,nan\n", "row 1: importance is 0 to 1"),
    ("rank.csv", b"url,importance\nhttps://a.test/,1\nb.test\n", "row 2: importance is 0 to 1, not None"),
    ("rank.csv", b"url,importance\nftp://a.test/,1\n", "row 1: 'ftp://a.test/' is no URL and no host"),
    ("rank.csv", b"url,importance\n,1\n", "row 1: '' is no URL and no host"),
    ("rank.csv", b"page,rank\na,1\n", "wants a column url or site or host"),
    ("rank.csv", b"", "wants a column"),
    ("rank.csv", b"url,importance\n\xff\xfe,1\n", "is no CSV file"),
    ("rank.parquet", b"PAR1 and no more", "is no Parquet file"),
]


@pytest.mark.parametrize(("name", "data", "said"), WRONG)
def test_what_is_wrong_is_said_with_its_row(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ImportanceFileError) as error:
        read(path)
    assert said in str(error.value)


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importance_file, "IMPORTANCE_ENTRIES_MAX", 2)
    path = tmp_path / "rank.csv"
    path.write_text("site,importance\na.test,1\nb.test,1\nc.test,1\n")
    with pytest.raises(ImportanceFileError, match="more than 2 rows"):
        read(path)
