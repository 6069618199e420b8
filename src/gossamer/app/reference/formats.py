"""The made tables of docs/file-formats.md: the columns of the datasets, from `core/datasets.py`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from gossamer.app.reference.markdown import table
from gossamer.core.datasets import DATASETS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.core.datasets import Column

PART: Final = re.compile(r"(<!-- made: ([a-z]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def fill(page: str) -> str:
    """`page` with each made part as the code has it. Raises ValueError for a part that nothing makes."""
    return PART.sub(lambda part: f"{part[1]}\n{_columns(part[2])}\n{part[3]}", page)


def parts(page: str) -> list[str]:
    """The names of the made parts of `page`."""
    return [part[1] for part in PART.findall(page)]


def _columns(name: str) -> str:
    if name not in DATASETS:
        raise ValueError(f"no dataset {name!r}; there are {', '.join(DATASETS)}")
    columns: Sequence[Column] = DATASETS[name]
    return table(("column", "type", "meaning"), [(f"`{each.name}`", each.type, each.meaning) for each in columns])
