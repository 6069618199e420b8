"""Published cases that lie beside the repository and are read in place, never copied. Absent, their tests skip."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("GOSSAMER_SHARED") or ROOT.parent / "shared")
ABSENT = "the published cases are not here (../shared, or GOSSAMER_SHARED)"

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=ABSENT)


def rows(name: str) -> list[Any]:
    """The rows of a JSON-lines file under shared/data; none where it is absent, so that collection still works.

    A test parametrised over no rows is skipped by pytest; mark it `needs_shared` so that it is counted as well.
    """
    path = SHARED / "data" / name
    if not path.is_file():
        return []
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]
