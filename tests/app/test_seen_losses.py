"""What is told of URLs taken for seen."""

from __future__ import annotations

from typing import cast

import msgspec
import pytest

from gossamer.app.report_lines import report_lines
from gossamer.app.seen_losses import PERHAPS, seen_numbers, with_losses
from gossamer.app.settings import Settings
from gossamer.app.settings.tree import FrontierSettings
from gossamer.core.explain.explanation import Cause, Explanation


def settings(**frontier: object) -> Settings:
    return Settings(frontier=FrontierSettings(**frontier))  # type: ignore[arg-type]


def test_exact_loses_next_to_nothing() -> None:
    numbers = seen_numbers(settings(), 1_600_000_000)
    assert numbers["url_seen"] == "exact"
    assert numbers["url_seen_lost"] == pytest.approx(16 * 2.7e-4, rel=0.01)
    assert any("less than one URL" in line for line in report_lines(numbers))


def test_a_filter_loses_some() -> None:
    numbers = seen_numbers(settings(url_seen="bloom", urls_expected=100_000_000), 100_000_000)
    assert numbers["url_seen_lost"] == pytest.approx(11_700, rel=0.01)
    assert any(line.endswith("about 11,710 URLs") for line in report_lines(numbers))


class Explained(msgspec.Struct):
    """As much of an explanation as matters here."""

    cause: Cause


@pytest.mark.parametrize(
    ("mode", "code", "told"),
    [("exact", "never found", False), ("bloom", "fetched", False), ("bloom", "never found", True)],
)
def test_a_url_never_found_may_be_lost(mode: str, code: str, told: bool) -> None:
    explanation = cast("Explanation", Explained(Cause(code, "text")))
    assert (PERHAPS in with_losses(explanation, settings(url_seen=mode)).cause.text) == told
