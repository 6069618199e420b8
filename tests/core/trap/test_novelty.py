"""Verdicts: what the yields of a template's fetches come to, and what keeps one open."""

from __future__ import annotations

import pytest

from gossamer.core.trap.novelty import (
    NOVELTY,
    SHARE,
    Counts,
    NoveltyRules,
    Verdict,
    after_fetch,
    decode_counts,
    encode_counts,
    evidence_of,
    is_looked_at,
    judged,
)
from gossamer.core.trap.template import Kind

RULES = NoveltyRules()


def counted(novel: int, dull: int, *, fresh: bool = True, before: Counts | None = None) -> Counts:
    """Counts after so many fetches that said something new and then so many that did not; were at least bytes new?"""
    counts = before or Counts("h.test/item/N")
    for number in range(novel):
        after_fetch(counts, f"http://h.test/item/{number}", 1.0 + number, novel=True, fresh=True)
    for number in range(dull):
        after_fetch(counts, f"http://h.test/item/x{number}", 100.0 + number, novel=False, fresh=fresh)
    counts.visits = counts.fetches
    return counts


@pytest.mark.parametrize(
    ("kind", "novel", "dull", "fresh", "verdict"),
    [
        (Kind.COMBINED, 1, 6, True, Verdict.OPEN),
        (Kind.COMBINED, 1, 7, True, Verdict.THROTTLED),
        (Kind.COMBINED, 1, 9, True, Verdict.THROTTLED),
        (Kind.COMBINED, 1, 10, True, Verdict.CLOSED),
        (Kind.COMBINED, 5, 10, True, Verdict.OPEN),
        (Kind.COMBINED, 5, 11, True, Verdict.CLOSED),
        (Kind.COMBINED, 41, 19, True, Verdict.OPEN),
        (Kind.COMBINED, 41, 20, True, Verdict.CLOSED),
        (Kind.PLAIN, 1, 19, True, Verdict.THROTTLED),
        (Kind.PLAIN, 1, 500, True, Verdict.THROTTLED),
        (Kind.PLAIN, 1, 9, False, Verdict.THROTTLED),
        (Kind.PLAIN, 1, 10, False, Verdict.CLOSED),
        (Kind.HOSTS, 1, 11, True, Verdict.THROTTLED),
        (Kind.HOSTS, 1, 12, True, Verdict.CLOSED),
        (Kind.HOSTS, 1, 10, False, Verdict.CLOSED),
        (Kind.REST, 1, 90, False, Verdict.OPEN),
        (Kind.REST, 1, 99, False, Verdict.CLOSED),
        (Kind.COMBINED, 1000, 0, True, Verdict.OPEN),
    ],
)
def test_the_verdict_follows_from_the_counts(kind: Kind, novel: int, dull: int, fresh: bool, verdict: Verdict) -> None:
    assert judged(counted(novel, dull, fresh=fresh), 10_000, RULES, kind)[0] is verdict


def test_a_template_that_turns_into_a_trap_is_closed() -> None:
    counts = counted(1000, 59)
    assert judged(counts, 2_000, RULES, Kind.COMBINED)[0] is not Verdict.CLOSED
    assert judged(counted(0, 1, before=counts), 2_000, RULES, Kind.COMBINED) == (Verdict.CLOSED, NOVELTY)


def test_a_template_that_brings_something_now_and_then_is_given_longer_runs() -> None:
    counts = Counts("h.test/p?a&b")
    for _ in range(6):
        counted(1, 9, before=counts)
    assert judged(counted(1, 20, before=counts), 100, RULES, Kind.COMBINED)[0] is Verdict.THROTTLED
    assert judged(counted(0, 10, before=counts), 100, RULES, Kind.COMBINED)[0] is Verdict.CLOSED


def test_a_share_of_the_site_is_bounded_only_where_the_yield_is_low() -> None:
    poor = Counts("h.test/p?a&b")
    for _ in range(25):
        counted(1, 9, before=poor)
    assert judged(poor, 300, RULES, Kind.COMBINED) == (Verdict.CLOSED, SHARE)
    assert judged(poor, 300_000, RULES, Kind.COMBINED)[0] is Verdict.THROTTLED
    assert judged(counted(300, 0), 300, RULES, Kind.COMBINED)[0] is Verdict.OPEN


def test_the_text_of_a_template_that_goes_on_yielding_is_looked_at_now_and_then() -> None:
    counts = counted(100, 0)
    looked = 0
    for visits in range(640):
        counts.visits = visits
        looked += is_looked_at(counts, Kind.COMBINED)
    assert looked == 10
    assert is_looked_at(counted(0, 1, before=counts), Kind.PLAIN)


def test_counts_are_kept_as_they_are_and_tell_their_evidence() -> None:
    counts = counted(2, 5)
    counts.verdict, counts.rule = Verdict.THROTTLED, NOVELTY
    assert decode_counts(encode_counts(counts)) == counts
    assert len(counts.examples) == 3
    assert evidence_of(counts) == (
        "template h.test/item/N is throttled by novelty: 2 of 7 fetches brought something new, 2 of the last 7"
    )
