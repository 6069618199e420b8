"""From an exchange to the outcome of a visit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.http.exchange import Exchange, FailureKind
from gossamer.core.http.outcome import Failed, Fetched, Gone, NotModified, Outcome, Redirected, Refused, classify

CONDITIONAL = b'GET / HTTP/1.1\r\nHost: a\r\nIf-None-Match: "x"\r\n\r\n'
MOVED = (("Location", "/x#y"),)

CASES: list[tuple[dict[str, Any], Outcome]] = [
    ({"status": 200}, Fetched(200)),
    ({"status": 204}, Fetched(204)),
    ({"status": 304, "request": CONDITIONAL}, NotModified()),
    ({"status": 304}, Failed("http 304", status=304)),
    ({"status": 301, "headers": MOVED}, Redirected(301, "https://example.org/x")),
    ({"status": 302}, Failed("http 302", status=302)),
    ({"status": 302, "headers": (("Location", "ftp://x/"),)}, Failed("bad redirect: Location is ftp", status=302)),
    ({"status": 300, "headers": MOVED}, Failed("http 300", status=300)),
    ({"status": 404}, Gone(404)),
    ({"status": 410}, Gone(410)),
    ({"status": 403}, Failed("http 403", status=403)),
    ({"status": 429}, Failed("http 429", status=429)),
    ({"status": 503}, Failed("http 503", status=503)),
    ({"status": 999}, Failed("http 999", status=999)),
    ({"status": 200, "unwanted": True}, Refused("media type", 200)),
    ({"failure": FailureKind.ADDRESS_REFUSED}, Refused("address")),
    ({"failure": FailureKind.TIMEOUT}, Failed("timeout", FailureKind.TIMEOUT)),
    ({"failure": FailureKind.RESET, "status": 200}, Failed("connection reset", FailureKind.RESET, 200)),
]


@pytest.mark.parametrize(("answer", "outcome"), CASES)
def test_classify(answer: dict[str, Any], outcome: Outcome) -> None:
    assert classify(Exchange("https://example.org/", 0.0, 1.0, **answer)) == outcome


def test_gone_has_a_reason() -> None:
    assert Gone(410).reason == "http 410"


@given(st.integers(0, 999), st.sampled_from([None, *FailureKind]), st.booleans())
def test_every_exchange_has_an_outcome(status: int, failure: FailureKind | None, unwanted: bool) -> None:
    exchange = Exchange("https://example.org/", 0.0, 1.0, status=status, failure=failure, unwanted=unwanted)
    outcome = classify(exchange)
    assert isinstance(outcome, Fetched) <= (200 <= status < 300 and failure is None)
