"""What is counted from facts: exact where it says so, bounded always."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from gossamer.app.tallies import NOTABLE_KEPT, TOP_HOSTS, Histogram, HostShown, Tallies, TopHosts
from gossamer.core.facts import CommitSlow, Committed, FactsLost, HostParked, HostSlowed, VisitEnded


def visit(host: str, fetches: int, seconds: float = 0.1) -> VisitEnded:
    return VisitEnded(f"http://{host}/", host, "page", 200, "done", seconds, 10, fetches, 10 * fetches, seconds)


@given(st.lists(st.integers(0, 60), max_size=400))
def test_the_busiest_are_exact(visits: list[int]) -> None:
    top, counts = TopHosts(lambda shown: shown.fetches, size=5), Counter[str]()
    for number in visits:
        host = f"h{number:02}"
        counts[host] += 1
        top.add(HostShown(host, counts[host], 0, 0.0))
    assert [shown.fetches for shown in top.greatest(5)] == [count for _, count in counts.most_common(5)]
    assert len(top._hosts) <= 5


def test_the_slowest_change_with_their_last_visit() -> None:
    top = TopHosts(lambda shown: shown.seconds, size=2)
    for host, seconds in (("a", 5.0), ("b", 4.0), ("c", 3.0), ("a", 0.1), ("c", 3.0)):
        top.add(HostShown(host, 1, 0, seconds))
    assert [shown.host for shown in top.greatest(2)] == ["b", "c"]


def test_tallies_are_bounded() -> None:
    tallies = Tallies()
    for number in range(5000):
        tallies.note(visit(f"host{number}.example", number, number / 100), 0.0)
        tallies.note(HostSlowed(f"host{number}.example", "503", 1, 0.0), 0.0)
        tallies.note(HostParked(f"host{number}.example", "timeout", 5, 0.0), 0.0)
    tallies.note(Committed(1, 0.2, 3), 0.0)
    tallies.note(CommitSlow(1, 2.0), 0.0)
    tallies.note(FactsLost(7), 0.0)
    assert [shown.host for shown in tallies.busiest.greatest(2)] == ["host4999.example", "host4998.example"]
    assert len(tallies.busiest._hosts) == len(tallies.slowest._hosts) == TOP_HOSTS
    assert (tallies.visit_seconds.number, tallies.commit_seconds.number, tallies.lost) == (5000, 1, 7)
    assert tallies.slowed == {"503": 5000, "timeout": 5000}
    assert len(tallies.notable) == NOTABLE_KEPT
    assert isinstance(tallies.notable[-1][1], FactsLost)
    assert tallies.facts["VisitEnded"] == 5000


def test_histogram_classes() -> None:
    counted = Histogram((1.0, 2.0))
    for value in (0.0, 1.0, 1.5, 2.0, 2.1, 100.0):
        counted.add(value)
    assert (counted.counts, counted.number, counted.total) == ([2, 2, 2], 6, 106.6)
