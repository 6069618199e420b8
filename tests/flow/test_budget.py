"""The caps of a crawl: what is reserved counts as spent until it is reported, so that they hold to the last unit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.frontier.lease import Lease, LeaseKind
from gossamer.flow.budget import Budget

NOW = 1000.0
PAGE, ROBOTS = LeaseKind.PAGE, LeaseKind.ROBOTS


def lease(kind: LeaseKind = PAGE, size: int = 100) -> Lease:
    return Lease(1, kind, b"", "a.test", "test", "http://a.test/", ("192.0.2.1",), "192.0.2.1", NOW, size)


def budget(**caps: Any) -> Budget:
    return Budget(**{"fetches_max": 10, **caps})


@pytest.mark.parametrize(
    ("caps", "out", "leases", "size"),
    [
        ({}, [], 10, None),
        ({}, [PAGE] * 4, 6, None),
        ({}, [PAGE] * 10, 0, None),
        ({"pages_max": 3}, [], 3, None),
        ({"pages_max": 3}, [PAGE] * 2, 1, None),
        ({"pages_max": 3}, [PAGE] * 3, 0, None),
        ({"pages_max": 3}, [ROBOTS] * 3, 3, None),
        ({"pages_max": 3, "pages": 2}, [], 1, None),
        ({"pages_max": 3, "pages": 5}, [], 0, None),  # the cap was lowered
        ({"bytes_max": 1000}, [PAGE, ROBOTS], 8, 800),
        ({"bytes_max": 1000, "bytes": 950}, [], 10, 50),
        ({"bytes_max": 1000, "bytes": 950}, [PAGE], 9, -50),
        ({"public_pages_max": 3, "public_pages": 1}, [PAGE], 1, None),
        ({"deadline": NOW + 1}, [], 10, None),
        ({"deadline": NOW}, [], 0, None),
    ],
)
def test_room(caps: dict[str, Any], out: list[LeaseKind], leases: int, size: int | None) -> None:
    spender = budget(**caps)
    for kind in out:
        spender.reserve(lease(kind))
    room = spender.room(NOW)
    assert (room.leases, room.bytes) == (leases, size)


@pytest.mark.parametrize(
    ("caps", "spent"),
    [
        ({}, False),
        ({"pages_max": 3, "pages": 2}, False),
        ({"pages_max": 3, "pages": 3}, True),
        ({"pages_max": 0}, True),
        ({"bytes_max": 10, "bytes": 9}, False),
        ({"bytes_max": 10, "bytes": 10}, True),
        ({"public_pages_max": 2, "public_pages": 2}, True),
        ({"public_pages_max": 2, "public_pages": 1, "pages": 50}, False),
        ({"deadline": NOW}, True),
        ({"deadline": NOW + 1}, False),
    ],
)
def test_is_spent(caps: dict[str, Any], spent: bool) -> None:
    assert budget(**caps).is_spent(NOW) is spent


def test_what_was_no_page_gives_its_page_back() -> None:
    spender = budget(pages_max=1)
    taken = lease()
    spender.reserve(taken)
    assert spender.room(NOW).leases == 0
    spender.spend(taken, 40, page=False)
    assert spender.room(NOW).leases == 1
    assert (spender.bytes, spender.pages, spender.bytes_reserved) == (40, 0, 0)


@given(
    st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 100), st.booleans()), max_size=60),
    st.integers(0, 12),
    st.integers(0, 2000),
)
def test_caps_hold_to_the_last_unit(visits: list[tuple[bool, bool, int, bool]], pages: int, size: int) -> None:
    """Whoever leases only what there is room for never exceeds a cap, in whatever order reports come."""
    spender = budget(pages_max=pages, bytes_max=size)
    out: list[Lease] = []
    for take, is_page, received, public in visits:
        room = spender.room(NOW)
        if take and room.leases and room.bytes:
            out.append(lease(PAGE if is_page else ROBOTS, min(100, room.bytes)))
            spender.reserve(out[-1])
        elif out:
            ended = out.pop(0)
            page = ended.kind is PAGE and received % 2 == 0
            spender.spend(ended, min(received, ended.body_bytes_max), page=page, public=public)
        assert spender.pages + spender.pages_reserved <= pages
        assert spender.bytes + spender.bytes_reserved <= size
        assert spender.public_pages <= spender.pages
        assert spender.fetches_reserved == len(out) <= 10
    for ended in out:
        spender.spend(ended, 0, page=False)
    assert (spender.fetches_reserved, spender.pages_reserved, spender.bytes_reserved) == (0, 0, 0)
