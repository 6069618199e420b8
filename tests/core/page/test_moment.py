from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.moment import read_moment

AUGUST = datetime(2007, 8, 25, 20, 0, 0, tzinfo=UTC).timestamp()
MIDNIGHT = datetime(2007, 8, 25, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("25-Aug-2007 15:00:00 EST", AUGUST),
        ("Saturday, 25-Aug-07 20:00:00 GMT", AUGUST),
        ("Sat, 25 Aug 2007 15:00:00 EST", AUGUST),
        ("25 Aug 2007 15:00 EST", AUGUST),
        ("25 August 2007 22:00:00 +0200", AUGUST),
        ("25 aug 07 20:00:00", AUGUST),
        ("Sat Aug 25 20:00:00 2007", AUGUST),
        ("August 25, 2007", MIDNIGHT),
        ("2007-08-25T20:00:00Z", AUGUST),
        ("2007-08-25t22:00:00.123+02:00", AUGUST),
        ("2007-08-25T15:00-05", AUGUST),
        ("2007-08-25 20:00:00", AUGUST),
        ("20070825T200000Z", AUGUST),
        ("2007-08-25", MIDNIGHT),
        ("20070825", MIDNIGHT),
        ("25 Aug 2007 20:00:00 XYZ", AUGUST),
        ("2007-08-24T24:00:00", MIDNIGHT),
    ],
)
def test_every_form(text: str, at: float) -> None:
    found = read_moment(text + ", nofollow")
    assert found == (at, len(text))


@pytest.mark.parametrize("text", ["", "soon", "2007-13-01", "31 Feb 2007", "25 Foo 2007", "2007-08-25T25:61", "1e9"])
def test_what_is_no_moment(text: str) -> None:
    found = read_moment(text)
    assert found is None or text.startswith("2007-08-25")


@given(st.text(alphabet="0123456789-:TZ+ ,JanSat."), st.integers(0, 5))
def test_never_raises(text: str, start: int) -> None:
    found = read_moment(text, start)
    assert found is None or start < found.end <= len(text)
