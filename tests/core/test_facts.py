"""Facts and their lines: inert whatever stands in them, never longer than the limit, read back as they were."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core import facts
from gossamer.core.facts import FACTS, Level, Topic, fact_line, read_fact
from gossamer.core.limits import FACT_LINE_BYTES_MAX

NASTY = "\x1b]0;x\x07\x1b[2J\r\n\u202e\u2028\u0085\x7f\x00\ud800\U0001f600<\"'\\"


def example(kind: type[facts.Fact], text: str) -> facts.Fact:
    values = {"str": text, "int": 7, "float": 1.5, "bool": True, "list[str]": [text, text]}
    return kind(**{name: values[str(kind.__annotations__[name])] for name in kind.__struct_fields__})


@pytest.mark.parametrize("kind", FACTS)
@pytest.mark.parametrize("text", ["plain", NASTY, "x" * 2048, NASTY * 100_000])
def test_every_line_is_inert_and_bounded(kind: type[facts.Fact], text: str) -> None:
    fact = example(kind, text)
    line = fact_line(fact, 1_780_000_000.25)
    assert line.endswith(b"\n")
    assert all(32 <= byte < 127 for byte in line[:-1])
    assert len(line) <= FACT_LINE_BYTES_MAX
    told = json.loads(line)
    assert (told["at"], told["fact"]) == ("2026-05-28T20:26:40.250Z", kind.__name__)
    assert (Level[told["level"].upper()], Topic(told["topic"])) == (fact.level, fact.topic)
    if "\ud800" not in text:
        assert read_fact(line) == fact
    assert told.get("cut", False) == (
        len(text) > 2048 and any(isinstance(told[n], str | list) for n in fact.__struct_fields__)
    )


def test_every_fact_says_what_it_means() -> None:
    assert len({kind.__name__ for kind in FACTS}) == len(FACTS)
    assert all((kind.__doc__ or "").strip() for kind in FACTS)
    assert set(FACTS) == set(facts.Fact.__subclasses__())


@given(st.text(), st.text())
def test_any_text_comes_back(url: str, reason: str) -> None:
    fact = facts.UrlFailed(url, reason, 3, 500)
    line = fact_line(fact, 0.0)
    assert line.count(b"\n") == 1
    assert read_fact(line) == fact
