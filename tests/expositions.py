"""A strict reader of Prometheus's text format 0.0.4, from its description: whatever is not in it is an error."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
LINE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")
PAIR = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"')
VALUE = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|Inf)|NaN")
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}

Labels = tuple[tuple[str, str], ...]


@dataclass
class Read:
    """One family as it was read."""

    kind: str
    meaning: str
    samples: dict[tuple[str, Labels], float] = field(default_factory=dict)

    def value(self, suffix: str = "", **labels: str) -> float:
        """The value of one sample."""
        return self.samples[suffix, tuple(sorted(labels.items()))]


def read(text: str) -> dict[str, Read]:
    """The families of `text`. Raises AssertionError for anything that the format does not allow."""
    assert text.endswith("\n"), "the last line must end in a line feed"
    families: dict[str, Read] = {}
    meaning: tuple[str, str] | None = None
    current = ""
    for line in text[:-1].split("\n"):
        if found := re.fullmatch(rf"# HELP ({NAME}) ((?:[^\\]|\\\\|\\n)*)", line):
            assert found[1] not in families, f"{found[1]} appears twice"
            meaning, current = (found[1], found[2]), ""
        elif found := re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram)", line):
            assert meaning is not None, f"TYPE without HELP: {line}"
            assert meaning[0] == found[1], f"TYPE without HELP: {line}"
            current = found[1]
            families[current] = Read(found[2], meaning[1])
            meaning = None
        else:
            assert current, f"a sample outside a family: {line}"
            _sample(current, families[current], line)
    for name, family in families.items():
        _check(name, family)
    return families


def _sample(name: str, family: Read, line: str) -> None:
    found = LINE.fullmatch(line)
    assert found, f"no sample: {line!r}"
    suffix = found[1].removeprefix(name)
    assert found[1].startswith(name), f"{found[1]} stands under {name}"
    assert suffix in SUFFIXES[family.kind], f"{found[1]} stands under {name}"
    pairs = [(key, _plain(value)) for key, value in PAIR.findall(found[2] or "")]
    assert len({key for key, _ in pairs}) == len(pairs), f"a label twice: {line}"
    assert VALUE.fullmatch(found[3]), f"no number: {line}"
    key = (suffix, tuple(sorted(pairs)))
    assert key not in family.samples, f"a sample twice: {line}"
    family.samples[key] = float(found[3])


def _plain(value: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), value)


def _check(name: str, family: Read) -> None:
    assert family.samples, f"{name} has no sample"
    assert family.meaning, f"{name} says nothing"
    if family.kind == "counter":
        assert name.endswith("_total"), f"counter {name} does not end in _total"
        assert all(value >= 0 for value in family.samples.values()), f"{name} is negative"
    if family.kind == "histogram":
        buckets = [
            (float(dict(labels)["le"]), value)
            for (suffix, labels), value in family.samples.items()
            if suffix == "_bucket"
        ]
        assert buckets == sorted(buckets), f"{name}: buckets are out of order"
        assert [value for _, value in buckets] == sorted(value for _, value in buckets), f"{name}: not cumulative"
        assert buckets[-1] == (float("inf"), family.value("_count")), f"{name}: the last bucket is not the count"
