"""A worker that was being started when all were told to stop is told so once it is ready."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest

from gossamer.app.numbers import Caps, Closing
from gossamer.app.supervisor import messages
from gossamer.app.supervisor.supervising import Plan, Supervisor
from gossamer.core.ending import EndState

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.app.supervisor.fellow import Fellow


class Quiet:
    def say(self, text: str) -> None:
        """Nobody listens."""


def interrupted(supervisor: Supervisor, fellow: Fellow) -> None:
    del fellow
    supervisor.interrupt()


def out_of_disk(supervisor: Supervisor, fellow: Fellow) -> None:
    supervisor._heard(fellow, messages.Ended(EndState.DISK, cast("Any", None), Closing()))


def failed(supervisor: Supervisor, fellow: Fellow) -> None:
    supervisor._heard(fellow, messages.Failed("it cannot be read", "look at it", 1))


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("ends", [interrupted, out_of_disk, failed])
def test_who_comes_late_is_told_to_stop(
    monkeypatch: pytest.MonkeyPatch, ends: Callable[[Supervisor, Fellow], None], *, begun: bool
) -> None:
    async def told_last() -> list[messages.ToWorker]:
        plan = Plan(cast("Any", None), 2, b"", cast("Any", None), False, cast("Any", None), 1000)
        supervisor = Supervisor(plan, cast("Any", Quiet()), lambda _: None, Caps(None, None, None, None))
        first, late = supervisor.fellows
        ready = messages.Ready({}, [])
        supervisor._heard(first, ready)
        if begun:
            supervisor._heard(late, ready)
            late.is_ready = False
        ends(supervisor, first)
        # The first one is over, the other one was not connected meanwhile.
        first.is_ready = False
        told: list[messages.ToWorker] = []
        monkeypatch.setattr(late, "send", told.append)
        supervisor._heard(late, ready)
        return told

    told = asyncio.run(told_last())
    assert messages.Stop(at_once=False) in told
    assert any(isinstance(each, messages.Go) for each in told) == begun
