"""A robots.txt that redirects to another host is fetched by that host's frontier, with that host's gap."""

from __future__ import annotations

import asyncio
from typing import Final

from gossamer.core.frontier.events import RobotsCame
from gossamer.core.frontier.lease import Errand
from gossamer.core.http.exchange import FailureKind
from gossamer.core.robots.answer import RobotsAnswer
from gossamer.core.url.parse import host_of
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker

ERRAND_SECONDS_MAX: Final = 120.0
"""No answer by then counts as unreachable (architecture, section 4): one exchange at its longest."""


async def run_errand(worker: Worker, shard: Shard, errand: Errand, origin: Errand | None) -> None:
    """Have a robots.txt fetched elsewhere, and tell the frontier that asked, or who sent us the errand `origin`."""
    receiver = worker.exchange.shard(worker.rules.shard_of(host_of(errand.url)))
    try:
        answer = await asyncio.wait_for(receiver.fetch_robots(errand), ERRAND_SECONDS_MAX)
    except TimeoutError:
        answer = RobotsAnswer(failure=FailureKind.TIMEOUT)
    if origin is not None:
        shard.answer_errand(origin, answer)
        return
    event = RobotsCame(errand.asker, errand.authority, answer)
    worker.perform(shard, shard.frontier.handle(event, worker.clock.now()))
