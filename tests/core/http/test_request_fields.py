"""The fields of a request."""

from __future__ import annotations

import pytest

from gossamer.core.http.request import Validators, request_fields, user_agent


def test_user_agent() -> None:
    assert user_agent("0.1.0") == "Gossamer/0.1.0"
    assert user_agent("0.1.0", "https://example.org/bot") == "Gossamer/0.1.0 (+https://example.org/bot)"


@pytest.mark.parametrize("contact", ["a\r\nX: y", "a\x00b", "a)b", "\u0142"])
def test_a_contact_that_breaks_the_field_is_misuse(contact: str) -> None:
    with pytest.raises(ValueError, match="use a URL or an e-mail address"):
        user_agent("1", contact)


def test_fields_of_a_first_visit() -> None:
    assert request_fields("G/1") == (
        ("User-Agent", "G/1"),
        ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
        ("Accept-Encoding", "gzip, deflate, br, zstd"),
    )


def test_fields_of_a_conditional_visit() -> None:
    validators = Validators('W/"x"', "Mon, 30 Nov 2026 10:00:00 GMT")
    fields = request_fields("G/1", language="en", validators=validators, cookies=(("a", "1"), ("b", "2")))
    assert fields[3:] == (
        ("Accept-Language", "en"),
        ("If-None-Match", 'W/"x"'),
        ("If-Modified-Since", "Mon, 30 Nov 2026 10:00:00 GMT"),
        ("Cookie", "a=1; b=2"),
    )


@pytest.mark.parametrize("etag", ['"a\r\nX: y"', '"\x00"', '"\u0142"', ""])
def test_validators_that_cannot_be_sent_are_left_out(etag: str) -> None:
    assert len(request_fields("G/1", validators=Validators(etag))) == 3
