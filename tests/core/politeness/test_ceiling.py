from __future__ import annotations

from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.politeness import ceiling
from gossamer.core.politeness.ceiling import CeilingPolicy, Ceilings

ONE, TWO = "192.0.2.1", "192.0.2.2"


def start(ceilings: Ceilings, address: str, site: str, now: float) -> None:
    assert ceilings.admit(address, site, now) is None
    ceilings.started(address, site, now)


def test_connections_of_an_address() -> None:
    ceilings = Ceilings(CeilingPolicy(address_connections=2))
    start(ceilings, ONE, "a.example", 0.0)
    start(ceilings, ONE, "b.example", 0.0)
    later = ceilings.admit(ONE, "c.example", 0.0)
    assert later is not None
    assert later > 0.0
    start(ceilings, TWO, "c.example", 0.0)
    ceilings.ended(ONE)
    assert ceilings.admit(ONE, "c.example", 0.0) is None


def test_a_reopened_crawl_waits_until_what_was_started_before_it_counts_no_more() -> None:
    ceilings = Ceilings(CeilingPolicy(address_requests_per_second=4.0), [ip_network("127.0.0.0/8")], reopened_at=10.0)
    assert ceilings.admit(ONE, "a.example", 10.0) == 11.0
    assert ceilings.admit("127.0.0.1", "a.example", 10.0) is None
    assert ceilings.admit(ONE, "a.example", 11.0) is None


def test_requests_per_second_of_an_address() -> None:
    ceilings = Ceilings(CeilingPolicy(address_requests_per_second=4.0))
    for number in range(4):
        start(ceilings, ONE, "a.example", number / 10)
        ceilings.ended(ONE)
    assert ceilings.admit(ONE, "a.example", 0.5) == 1.0
    assert ceilings.admit(TWO, "a.example", 0.5) is None
    start(ceilings, ONE, "a.example", 1.0)
    ceilings.ended(ONE)
    assert ceilings.admit(ONE, "a.example", 1.0) == pytest.approx(1.1)


def test_a_rate_below_one() -> None:
    ceilings = Ceilings(CeilingPolicy(address_requests_per_second=0.25))
    start(ceilings, ONE, "a.example", 0.0)
    ceilings.ended(ONE)
    assert ceilings.admit(ONE, "a.example", 1.0) == 4.0


@given(st.lists(st.floats(0, 0.5), max_size=60))
def test_the_rate_is_exact_over_any_window(waits: list[float]) -> None:
    ceilings = Ceilings(CeilingPolicy(address_connections=1000, address_requests_per_second=5.0))
    now, starts = 0.0, list[float]()
    for wait in waits:
        now += wait
        later = ceilings.admit(ONE, "a.example", now)
        if later is not None:
            assert later > now
            now = later
        start(ceilings, ONE, "a.example", now)
        starts.append(now)
    assert all(after - before >= 1.0 - 1e-9 for before, after in zip(starts, starts[5:], strict=False))


def test_fetches_of_the_worker() -> None:
    ceilings = Ceilings(CeilingPolicy(worker_fetches=2), [ip_network("192.0.2.0/24")])
    start(ceilings, ONE, "a.example", 0.0)
    start(ceilings, TWO, "a.example", 0.0)
    assert ceilings.active == 2
    assert ceilings.admit("198.51.100.1", "a.example", 0.0) is not None
    ceilings.ended(TWO)
    assert ceilings.admit("198.51.100.1", "a.example", 0.0) is None


def test_the_bound_of_the_worker_may_change() -> None:
    ceilings = Ceilings(CeilingPolicy(worker_fetches=3))
    start(ceilings, ONE, "a.example", 0.0)
    start(ceilings, TWO, "a.example", 0.0)
    ceilings.limit_worker(2)
    assert ceilings.admit("198.51.100.1", "a.example", 0.0) is not None
    ceilings.limit_worker(3)
    assert ceilings.admit("198.51.100.1", "a.example", 0.0) is None


def test_an_address_of_many_sites_is_lifted() -> None:
    ceilings = Ceilings(CeilingPolicy())
    now = 0.0
    for number in range(100):
        now += 1.0
        start(ceilings, ONE, f"s{number}.example", now)
        ceilings.ended(ONE)
    for _ in range(8):
        start(ceilings, ONE, "s0.example", now)
    assert ceilings.admit(ONE, "s1.example", now) is not None
    start(ceilings, ONE, "one-more.example", now)  # the site that shows what it is
    for _ in range(100):
        start(ceilings, ONE, "s1.example", now)


def test_allowed_ranges_are_lifted() -> None:
    ceilings = Ceilings(CeilingPolicy(), [ip_network("127.0.0.0/8"), ip_network("::1/128")])
    for address in ("127.0.0.1", "::1"):
        for _ in range(100):
            start(ceilings, address, "a.example", 0.0)
    for _ in range(8):
        start(ceilings, ONE, "a.example", 0.0)
    assert ceilings.admit(ONE, "a.example", 0.0) is not None


def test_shares_of_workers() -> None:
    policy = CeilingPolicy().shared_by(16)
    assert (policy.address_connections, policy.address_requests_per_second) == (1, 1.25)
    assert CeilingPolicy().shared_by(1) == CeilingPolicy()


def test_an_end_without_a_start_is_misuse() -> None:
    with pytest.raises(ValueError, match="never started"):
        Ceilings(CeilingPolicy()).ended(ONE)


def test_memory_is_bounded_and_busy_addresses_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceiling, "ADDRESSES_KEPT_MAX", 10)
    ceilings = Ceilings(CeilingPolicy(address_connections=1))
    start(ceilings, ONE, "a.example", 0.0)
    for number in range(50):
        address = f"198.51.100.{number}"
        start(ceilings, address, "a.example", float(number))
        ceilings.ended(address)
    assert len(ceilings._addresses) == 10
    assert ceilings.admit(ONE, "a.example", 50.0) is not None
