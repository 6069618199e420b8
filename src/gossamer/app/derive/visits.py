"""The records of an archive, put together by visit: the answer, what was asked, and what was told of it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.core.warc.visit_fields import VisitFields, parse_visit_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gossamer.warc import Record

_COMPANIONS_KEPT: Final = 16
"""Requests and metadata held for an answer that is still to come: all writers keep them together."""
_COMPANION_BYTES: Final = 64 * 1024
"""A longer request or metadata record is none that a row needs."""
ANSWERS: Final = frozenset({"response", "revisit"})
_COMPANIONS: Final = frozenset({"request", "metadata"})


@dataclass(frozen=True)
class ArchivedVisit:
    """One answer with its companions."""

    answer: Record
    request: bytes
    """The request head; empty where the archive does not have it."""
    told: VisitFields


def visits(records: Iterable[Record]) -> Iterator[ArchivedVisit]:
    """The visits of an archive, in the order of their answers; one answer is held at a time.

    Companions are told by WARC-Concurrent-To, in either direction; where nobody names anybody, by URL and date.
    """
    waiting: Record | None = None
    companions: deque[Record] = deque(maxlen=_COMPANIONS_KEPT)
    for record in records:
        if record.kind in _COMPANIONS and len(record.block) <= _COMPANION_BYTES:
            companions.append(record)
        elif record.kind in ANSWERS:
            if waiting is not None:
                yield _joined(waiting, companions)
            waiting = record
    if waiting is not None:
        yield _joined(waiting, companions)


def _joined(answer: Record, companions: deque[Record]) -> ArchivedVisit:
    request, told = b"", VisitFields()
    for record in [each for each in companions if _belong(answer, each)]:
        companions.remove(record)
        if record.kind == "request":
            request = record.block
        elif record.field("Content-Type").partition(";")[0].strip().lower() == "application/warc-fields":
            told = parse_visit_fields(record.block)
    return ArchivedVisit(answer, request, told)


def _belong(answer: Record, other: Record) -> bool:
    named = [*_named(answer), *_named(other)]
    if named:
        return answer.record_id in _named(other) or other.record_id in _named(answer)
    return answer.url == other.url and answer.field("WARC-Date") == other.field("WARC-Date")


def _named(record: Record) -> list[str]:
    return [value for name, value in record.fields if name.lower() in ("warc-concurrent-to", "warc-refers-to")]
