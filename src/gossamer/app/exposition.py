"""Prometheus's text format, version 0.0.4: families of samples, as lines.

https://prometheus.io/docs/instrumenting/exposition_formats/ : a HELP and a TYPE line, then every sample of the family;
label values escape backslash, quote and line feed; the last line ends in a line feed too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gossamer.app.tallies import Histogram

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class Sample(NamedTuple):
    """One line: what is added to the family's name, the labels, the value."""

    suffix: str
    labels: Mapping[str, str]
    value: float


@dataclass(frozen=True, slots=True)
class Family:
    """Samples of one name. `kind`: counter, gauge or histogram."""

    name: str
    kind: str
    meaning: str
    samples: list[Sample] = field(default_factory=list[Sample])


def number(name: str, kind: str, meaning: str, value: float) -> Family:
    """A family of one sample without labels."""
    return Family(name, kind, meaning, [Sample("", {}, value)])


def table(name: str, kind: str, meaning: str, label: str, values: Mapping[str, float]) -> Family:
    """A family with one sample an entry."""
    return Family(name, kind, meaning, [Sample("", {label: key}, value) for key, value in sorted(values.items())])


def histogram(name: str, meaning: str, counted: Histogram) -> Family:
    """A histogram: cumulative buckets, the last without bound; sum and count."""
    samples: list[Sample] = []
    below = 0
    for bound, count in zip((*counted.bounds, float("inf")), counted.counts, strict=True):
        below += count
        samples.append(Sample("_bucket", {"le": _value(bound)}, below))
    return Family(
        name, "histogram", meaning, [*samples, Sample("_sum", {}, counted.total), Sample("_count", {}, counted.number)]
    )


def exposition(families: Iterable[Family]) -> str:
    """The text of all families; one without samples is left out."""
    lines: list[str] = []
    for family in families:
        if family.samples:
            lines.append(f"# HELP {family.name} {_help(family.meaning)}")
            lines.append(f"# TYPE {family.name} {family.kind}")
            lines += (_line(family.name, sample) for sample in family.samples)
    return "".join(f"{line}\n" for line in lines)


def _line(name: str, sample: Sample) -> str:
    labels = ",".join(f'{key}="{_label(value)}"' for key, value in sample.labels.items())
    return f"{name}{sample.suffix}{'{' + labels + '}' if labels else ''} {_value(sample.value)}"


def _help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _label(text: str) -> str:
    return _help(text).replace('"', '\\"')


def _value(value: float) -> str:
    if value == float("inf"):
        return "+Inf"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
