"""Statements on use in a robots.txt: which group's, which path's, and that they change nothing about fetching."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import ROBOTS_LINE_SHOWN_MAX
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.usage import NOTHING_STATED, RobotsUsage

FILE = """\
Content-Signal: search=yes
User-agent: *
Content-Usage: / train-ai=n
Content-Usage: /open/ train-ai=y
Content-Usage: /open/ search=n
content-usage : /*.pdf$\ttrain-ai=n, search=n # all of them
Disallow: /never

License: https://h.example/license.xml

User-agent: other
Content-Usage: / search=n
License: https://h.example/other.xml
User-agent: gossamer
Content-Signal: /a ai-train=no
Content-Signal: ai-input=no
Allow: /
"""
LICENSES = "https://h.example/license.xml https://h.example/other.xml"


@pytest.mark.parametrize(
    ("product", "target", "signal", "usage"),
    [
        ("anybot", "/", "search=yes", "train-ai=n"),
        ("anybot", "/open/x", "search=yes", "train-ai=y, search=n"),
        ("anybot", "/open/x.pdf", "search=yes", "train-ai=n, search=n"),
        ("other", "/open/", "search=yes", "search=n"),
        ("gossamer", "/", "search=yes, ai-input=no", ""),
        ("gossamer", "/a/b", "ai-train=no", ""),
    ],
)
def test_group_and_longest_path_decide(product: str, target: str, signal: str, usage: str) -> None:
    rules = RobotsRules.parse(FILE.encode(), product)
    assert rules.usage(target) == RobotsUsage(signal, usage, LICENSES)


def test_a_statement_splits_no_group_of_rules() -> None:
    robots = (
        b"User-agent: gossamer\nContent-Signal: ai-train=no\nUser-agent: other\nContent-Signal: search=no\nDisallow: /x"
    )
    rules = RobotsRules.parse(robots, "gossamer")
    assert not rules.verdict("/x").allowed
    assert rules.usage("/").content_signal == "ai-train=no"


def test_a_file_that_states_nothing() -> None:
    assert (
        RobotsRules.parse(b"User-agent: *\nDisallow: /content-a\nContent-Usage:\n", "gossamer").usage("/")
        == RobotsUsage()
    )
    assert RobotsRules.parse(b"User-agent: *\nDisallow: /", "gossamer").usage("/") is NOTHING_STATED


@given(st.text(alphabet="content-usage signal:/*$ =yn\n\x00\u00e9", max_size=200), st.text(max_size=10))
def test_never_raises_and_stays_short(stated: str, target: str) -> None:
    body = f"User-agent: *\nContent-Usage: {stated}\nContent-Signal:{stated}\nLicense: {stated}".encode()
    usage = RobotsRules.parse(body, "gossamer").usage("/" + target)
    assert all(len(each) <= ROBOTS_LINE_SHOWN_MAX for each in usage.content_usage.split(", "))
