from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import RETRY_AFTER_MAX_SECONDS
from gossamer.core.politeness.retry_after import http_date, retry_after_seconds

NOW = 784111717.0
"""60 seconds before Sun, 06 Nov 1994 08:49:37 GMT, the RFC's own example."""


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("86400", 86400.0),
        ("86401", RETRY_AFTER_MAX_SECONDS),
        ("9" * 10, RETRY_AFTER_MAX_SECONDS),
        ("9" * 5000, RETRY_AFTER_MAX_SECONDS),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 60.0),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 60.0),
        ("Sun Nov  6 08:49:37 1994", 60.0),
        ("Sun Nov 06 08:49:37 1994", 60.0),
        ("Wed, 06 Nov 2999 08:49:37 GMT", RETRY_AFTER_MAX_SECONDS),
        ("Sun, 06 Nov 1994 08:48:60 GMT", 23.0),  # a leap second
    ],
)
def test_what_is_one(value: str, seconds: float) -> None:
    assert retry_after_seconds(value, NOW) == seconds


@pytest.mark.parametrize(
    "value",
    [
        "",
        "-5",
        "+3",
        "1.5",
        "soon",
        "120, 120",
        "1e3",
        "٣",
        "Sun, 06 Nov 1994 08:47:37 GMT",  # past
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:99 GMT",
        "Sun, 06 Nov 0000 08:49:37 GMT",
        "sun, 06 nov 1994 08:49:37 gmt",
    ],
)
def test_what_is_none(value: str) -> None:
    assert retry_after_seconds(value, NOW) is None


def test_the_century_of_two_digits() -> None:
    now = 1_800_000_000.0  # 2027
    assert http_date("Sunday, 06-Nov-94 08:49:37 GMT", now) == NOW + 60
    assert http_date("Friday, 01-Jan-77 00:00:00 GMT", now) == 3_376_684_800.0
    assert http_date("Saturday, 01-Jan-78 00:00:00 GMT", now) == 252_460_800.0


@given(st.text(), st.floats(0, 4e9))
def test_nothing_raises_and_the_cap_holds(value: str, now: float) -> None:
    seconds = retry_after_seconds(value, now)
    assert seconds is None or 0 <= seconds <= RETRY_AFTER_MAX_SECONDS
