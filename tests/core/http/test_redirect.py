"""Where a redirect leads, as in browsers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.http.redirect import Redirect, redirect_target

URL = "https://example.org/a/b?q"

LOCATIONS = [
    ("https://other.example/x", "https://other.example/x"),
    ("/x", "https://example.org/x"),
    ("x", "https://example.org/a/x"),
    ("../x", "https://example.org/x"),
    ("?y", "https://example.org/a/b?y"),
    ("//cdn.example/x", "https://cdn.example/x"),
    ("/x#part", "https://example.org/x"),
    ("#part", "https://example.org/a/b?q"),
    ("HTTP://EXAMPLE.ORG:80/%7ex", "http://example.org/%7ex"),
    ("/a b", "https://example.org/a%20b"),
    ("/caf\xc3\xa9", "https://example.org/caf%C3%A9"),  # UTF-8 bytes, seen as latin-1
    ("/caf\xe9", "https://example.org/caf%E9"),  # a latin-1 byte
    ("http://b\xc3\xbccher.example/", "http://xn--bcher-kva.example/"),
    ("http://user:secret@example.org/", "http://example.org/"),
    ("http:\\\\example.com\\x", "http://example.com/x"),
]


@pytest.mark.parametrize(("location", "target"), LOCATIONS)
def test_location(location: str, target: str) -> None:
    assert redirect_target(302, [("location", location)], URL) == Redirect(target)


@pytest.mark.parametrize(
    ("location", "problem"),
    [
        ("ftp://example.org/", "Location is ftp"),
        ("javascript:alert(1)", "Location is javascript"),
        ("http://[", "Location is invalid"),
        ("http://exa mple/", "Location is invalid"),
    ],
)
def test_locations_that_lead_nowhere(location: str, problem: str) -> None:
    assert redirect_target(301, [("Location", location)], URL) == Redirect(problem=problem)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_statuses_that_redirect(status: int) -> None:
    assert redirect_target(status, [("Location", "/x")], URL).target == "https://example.org/x"


@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 306, 404, 503])
def test_statuses_that_do_not(status: int) -> None:
    assert redirect_target(status, [("Location", "/x")], URL) == Redirect()


def test_without_location_it_is_a_plain_answer() -> None:
    assert redirect_target(302, [], URL) == Redirect()
    assert redirect_target(302, [("Location", "")], URL) == Redirect()


def test_several_locations() -> None:
    same = [("Location", "/x"), ("location", "/x")]
    assert redirect_target(302, same, URL).target == "https://example.org/x"
    different = [("Location", "/x"), ("Location", "/y")]
    assert redirect_target(302, different, URL) == Redirect(problem="conflicting Location")


@given(st.text(st.characters(max_codepoint=0xFF), max_size=60))
def test_never_raises(location: str) -> None:
    redirect = redirect_target(302, [("Location", location)], URL)
    assert "#" not in redirect.target
    assert not redirect.target or redirect.target.startswith(("http://", "https://"))
    assert redirect.target.isascii()
