from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import TDM_FILE_BYTES_MAX, TDM_RULES_MAX
from gossamer.core.preference.tdm_file import TdmRules

FILE: list[Any] = [
    {"location": "/open/*.jpg$", "tdm-reservation": 0},
    {"location": "/open/", "tdm-reservation": "1", "tdm-policy": "https://h.example/p"},
    {"location": "/c", "tdm-reservation": True},
    {"location": "/broken", "tdm-reservation": 2},
    {"location": "broken", "tdm-reservation": 1},
    {"tdm-reservation": 1},
    "nonsense",
    {"location": "/broken", "tdm-reservation": 0, "tdm-policy": 5},
]


@pytest.mark.parametrize(
    ("target", "stated"),
    [
        ("/open/a.jpg", ["0"]),
        ("/open/a.jpg?b", ["1", "https://h.example/p"]),
        ("/c/d", ["1"]),
        ("/broken", ["0"]),
        ("/", []),
    ],
)
def test_the_first_location_that_matches_decides(target: str, stated: list[str]) -> None:
    assert [each.text for each in TdmRules.parse(json.dumps(FILE).encode()).statements(target)] == stated


def test_one_rule_without_its_list_is_read() -> None:
    assert TdmRules.parse(b'{"location": "/", "tdm-reservation": 1}').statements("/x")


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b"5", b"null", b"\xff\xfe", b"[" * 100_000, b"[]" + b" " * TDM_FILE_BYTES_MAX, b'["\\ud800"]'],
)
def test_what_is_no_such_file_states_nothing(body: bytes) -> None:
    assert TdmRules.parse(body) == TdmRules()


def test_rules_are_bounded() -> None:
    rows = [{"location": "/", "tdm-reservation": 1}] * (TDM_RULES_MAX + 5)
    assert len(TdmRules.parse(json.dumps(rows).encode()).rules) <= TDM_RULES_MAX


@given(st.binary(max_size=200), st.text(max_size=20))
def test_never_raises(body: bytes, target: str) -> None:
    TdmRules.parse(body).statements("/" + target)
    row = {"location": "/" + target, "tdm-reservation": 1}
    TdmRules.parse(json.dumps([row]).encode()).statements("/" + target)
