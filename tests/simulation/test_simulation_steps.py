"""Worlds crawled with the bounds on long steps so low that nearly every page exceeds them, and killed on the way."""

from __future__ import annotations

import pytest

from gossamer.flow import finished, follow, inbox, visit
from gossamer.simulation.run import Rehearsal, run


@pytest.mark.parametrize("number", range(6))
def test_pages_taken_in_steps_lose_nothing(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (finished, follow, inbox):
        monkeypatch.setattr(module, "LINKS_AT_ONCE_MAX", 2)
    monkeypatch.setattr(visit, "PAGE_BYTES_AT_ONCE_MAX", 64)
    verdict = run(number, Rehearsal(kills=number))
    assert verdict.passed, "\n".join(verdict.lines())
