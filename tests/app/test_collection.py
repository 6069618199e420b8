"""A crawl is collected seldom; whoever runs it has its own thresholds back."""

from __future__ import annotations

import gc

import pytest

from gossamer.app.collection import THRESHOLDS, seldom_collected


def test_thresholds_hold_within_and_not_after() -> None:
    before = gc.get_threshold()
    with seldom_collected():
        assert gc.get_threshold() == THRESHOLDS
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_thresholds_are_given_back_after_a_failure() -> None:
    before = gc.get_threshold()
    with pytest.raises(KeyError), seldom_collected():
        raise KeyError
    assert gc.get_threshold() == before
