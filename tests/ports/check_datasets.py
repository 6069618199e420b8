"""What every datasets adapter must do beyond `check_files`: rows come back as they were given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
import pytest

from gossamer.core.dataset_columns import Coded, Repeated
from gossamer.core.datasets import DATASETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.ports.datasets import Datasets

_SAMPLES: Final[dict[str, Any]] = {
    "string": "",
    "int32": 1,
    "int64": 1,
    "float64": 0.5,
    "bool": False,
    "timestamp": 1_700_000_000.25,
}


class Harness(Protocol):
    """Opens datasets and reads the rows on their disk."""

    def open(self) -> Datasets: ...

    def rows(self, dataset: str) -> list[dict[str, Any]]: ...


def columns(dataset: str, **given: Sequence[Any]) -> dict[str, Sequence[Any]]:
    """All columns of a dataset: those given, samples for the others."""
    count = len(next(iter(given.values())))
    return {column.name: [_SAMPLES[column.type]] * count for column in DATASETS[dataset]} | dict(given)


def commit(datasets: Datasets) -> None:
    datasets.marks()
    datasets.sync()
    datasets.acknowledge()


def check_rows_come_back(harness: Harness) -> None:
    datasets = harness.open()
    flags = np.array([True, False])
    datasets.append("links", columns("links", source=["a", "a"], target=["b", "c"], nofollow=flags), 0, 1)
    datasets.append("links", columns("links", source=["d"], target=["e"]), 1, 1)
    datasets.append("pages", columns("pages", url=["u"], title=["Title \u2713"], bytes=[1 << 40]), 0, 1)
    commit(datasets)
    datasets.finish()
    commit(datasets)
    links = [(row["source"], row["target"], row["nofollow"]) for row in harness.rows("links")]
    assert sorted(links) == [("a", "b", True), ("a", "c", False), ("d", "e", False)]
    (page,) = harness.rows("pages")
    assert (page["url"], page["title"], page["bytes"]) == ("u", "Title \u2713", 1 << 40)


def check_short_columns_are_what_they_stand_for(harness: Harness) -> None:
    datasets = harness.open()
    kinds = ["a", "link", "img"]
    given: list[tuple[Sequence[Any], Sequence[Any], Sequence[Any]]] = [
        (Repeated("s", 2), Coded(b"\1\2", kinds), Repeated(value=False, size=2)),
        (["t", "\ud800", "t"], Coded(bytearray(b"\0\0\2"), kinds), Coded(b"\0\1\0", [False, True])),
        (Repeated("v", 1), Coded(b"\1", ["z", "link"]), [True]),
        (Repeated("s", 2), ["x", "y"], Repeated(value=True, size=2)),
    ]
    expected: list[tuple[Any, ...]] = []
    for source, kind, nofollow in given:
        size = len(source)
        targets = [f"u{len(expected) + row}" for row in range(size)]
        datasets.append("links", columns("links", target=targets, source=source, kind=kind, nofollow=nofollow), 0, 1)
        expected += zip(targets, kind, nofollow, strict=True)
    commit(datasets)
    datasets.finish()
    commit(datasets)
    rows = harness.rows("links")
    assert sorted((row["target"], row["kind"], row["nofollow"]) for row in rows) == sorted(expected)
    sources = {row["target"]: row["source"] for row in rows}
    assert [sources[target] for target in ("u0", "u1", "u2", "u5", "u6")] == ["s", "s", "t", "v", "s"]


def check_no_rows_are_no_file(harness: Harness) -> None:
    datasets = harness.open()
    datasets.append("links", columns("links", source=[]), 0, 1)
    assert datasets.marks() == []


def check_foreign_text_never_raises(harness: Harness) -> None:
    datasets = harness.open()
    texts = ["\ud800", "nul\0", "line\nend\r", "\u202e", "", "\U0010ffff"]
    datasets.append("pages", columns("pages", url=[str(n) for n in range(6)], title=texts), 0, 1)
    commit(datasets)
    datasets.finish()
    commit(datasets)
    titles = {row["url"]: row["title"] for row in harness.rows("pages")}
    assert [titles[str(n)] for n in range(1, 6)] == texts[1:]


def check_wrong_columns_are_misuse(harness: Harness) -> None:
    datasets = harness.open()
    good = columns("links", source=["a"])
    for dataset, given in (
        ("nothing", good),
        ("links", {name: values for name, values in good.items() if name != "verdict"}),
        ("links", good | {"surplus": ["x"]}),
        ("links", good | {"target": ["x", "y"]}),
    ):
        with pytest.raises(ValueError, match=r".+"):
            datasets.append(dataset, given, 0, 1)


CHECKS: Final = [
    check_rows_come_back,
    check_short_columns_are_what_they_stand_for,
    check_no_rows_are_no_file,
    check_foreign_text_never_raises,
    check_wrong_columns_are_misuse,
]
