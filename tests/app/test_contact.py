"""`--contact` is an address that somebody can write to, or the crawl does not start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.app.cli import main
from gossamer.app.errors import UserError
from gossamer.app.settings import Given, load

if TYPE_CHECKING:
    from pathlib import Path

GOOD = [
    "you@example.org",
    "first.last+bot@mail.example.co.uk",
    "mailto:you@example.org",
    "https://example.org/bot",
]
BAD = [
    "you",
    "example.org",
    "you@",
    "@example.org",
    "you@host",
    "a b@example.org",
    "ftp://example.org/",
    "https://",
    "",
]


@pytest.mark.parametrize("text", GOOD)
def test_addresses(text: str) -> None:
    assert load(Given(flags={"politeness.contact": text})).politeness.contact == text


@pytest.mark.parametrize("text", BAD)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"wants a mail address or an http\(s\) URL, or none, not .*flag --contact"):
        load(Given(flags={"politeness.contact": text}))


def test_it_is_said_in_one_line_before_anything_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crawl", "http://127.0.0.1:9/", "-o", str(tmp_path / "c"), "--contact", "me"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("gossamer: politeness.contact wants a mail address")
    assert len(said) == 2
    assert not (tmp_path / "c").exists()
