"""`core` calls no clock, chance or file, and the check that says so catches what it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.house import purity

ROOT = Path(__file__).resolve().parents[2]

PLANTED = [
    ("import time\nprint_at = time.time()", "imports time"),
    ("from time import monotonic", "imports time"),
    ("import datetime\nx = datetime.datetime.now()", "calls .now()"),
    ("from datetime import date\nx = date.today()", "calls .today()"),
    ("def f():\n    import random\n    return random.random()", "imports random"),
    ("from numpy import random", "imports numpy.random"),
    ("import numpy as np\nx = np.random.default_rng()", "uses numpy.random"),
    ("import urllib.request", "imports urllib.request"),
    ("from urllib import request", "imports urllib.request"),
    ("import os\nx = os.urandom(4)", "calls .urandom()"),
    ("with open('x') as f: pass", "calls open()"),
    ("def f(p):\n    return p.read_bytes()", "calls .read_bytes()"),
    ("import logging", "imports logging"),
    ("print('found')", "calls print()"),
    ("shard = hash('example.org') % 16", "calls hash()"),
    ("for site in {'a', 'b'}: pass", "walks over a set"),
    ("rows = [site for site in set(['a'])]", "walks over a set"),
    ("row = ''.join(site for site in frozenset('ab'))", "walks over a set"),
    ("import importlib\nx = importlib.import_module('time')", "imports importlib"),
    ("x = __import__('time')", "calls __import__()"),
    ("import uuid", "imports uuid"),
]

INNOCENT = [
    "from datetime import datetime, timezone\nx = datetime.fromtimestamp(0, tz=timezone.utc)",
    "from urllib.parse import quote",
    "class Key:\n    def __hash__(self):\n        return hash((1, 2))",
    "def due(now: float) -> bool:\n    return now > 0",
    "for site in sorted({'a', 'b'}): pass",
    "sizes = {site: len(site) for site in set(['a'])}",
]


def plant(root: Path, text: str) -> list[str]:
    core = root / purity.CORE / "deep"
    core.mkdir(parents=True)
    (core / "planted.py").write_text(text)
    return purity.find(root)


def test_core_is_pure() -> None:
    assert purity.find(ROOT) == []


@pytest.mark.parametrize(("text", "finding"), PLANTED)
def test_a_planted_impurity_is_caught(tmp_path: Path, text: str, finding: str) -> None:
    assert any(finding in found for found in plant(tmp_path, text))


@pytest.mark.parametrize("text", INNOCENT)
def test_what_is_pure_passes(tmp_path: Path, text: str) -> None:
    assert plant(tmp_path, text) == []
