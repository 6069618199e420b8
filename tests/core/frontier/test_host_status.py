"""The phases of a host: each with its date, its reason and its next moment."""

from __future__ import annotations

from typing import Any

import pytest

from gossamer.core.frontier.back_queue import BackQueue, Phase, RobotsPending
from gossamer.core.frontier.holds import Hold
from gossamer.core.frontier.host_status import HostStatus, standing_of
from gossamer.core.frontier.lease import LeaseKind
from gossamer.core.frontier.records import HostState
from gossamer.core.scope.reasons import Reason

NOW = 10_000.0
ONE = [1, 0, 0, 0, 0, 0]
FAILED: dict[str, Any] = {"failures": 3, "error": "timeout", "failing_since": 9000.0, "error_at": 9900.0}

NO_NAME: dict[str, Any] = {"error": "name not found", "parked": True, "parked_at": 9100.0}
GIVEN_UP: dict[str, Any] = {"dead_at": 9900.0, "dead_until": NOW + 99}
HELD: dict[str, Any] = {"held": True, "held_at": 8000.0}


def state(**values: Any) -> HostState:
    return HostState("a.test", "a.test", **{"queued": list(ONE), "met_at": 5000.0, **values})


def queue(**values: Any) -> BackQueue:
    return BackQueue(b"a", state(fetches=1), since=9500.0, **values)


@pytest.mark.parametrize(
    ("values", "hold", "standing", "says"),
    [
        ({}, None, (HostStatus.NEW, 5000.0, 0.0), ""),
        ({"fetches": 1, "next_at": 9999.0}, None, (HostStatus.READY, 9999.0, 9999.0), ""),
        ({"fetches": 1, "next_at": NOW + 1, "last_end": 9000.0}, None, (HostStatus.WAITING, 9000.0, NOW + 1), "gap"),
        ({**FAILED, "next_at": NOW + 5}, None, (HostStatus.BACKING_OFF, 9000.0, NOW + 5), "timeout, 3 times in a row"),
        ({**FAILED, "parked": True, "parked_at": 9100.0}, None, (HostStatus.PARKED, 9100.0, 0.0), "timeout"),
        ({**FAILED, **NO_NAME}, None, (HostStatus.DEAD, 9100.0, 0.0), "does not exist"),
        ({**FAILED, **GIVEN_UP}, None, (HostStatus.DEAD, 9900.0, NOW + 99), "crawl.host_patience has ended"),
        (HELD, Hold(Reason.CAP), (HostStatus.OVER_BUDGET, 8000.0, None), "cap"),
        (HELD, Hold(Reason.CAP, NOW + 60, "9 of 9"), (HostStatus.OVER_BUDGET, 8000.0, NOW + 60), "9 of 9"),
        (HELD, Hold(Reason.PAUSED), (HostStatus.PAUSED, 8000.0, None), "paused"),
        ({}, Hold(Reason.BLOCKED), (HostStatus.BLOCKED, None, None), "block list"),
        ({"queued": [0] * 6, "last_end": 7000.0, "settled": 1}, None, (HostStatus.DONE, 7000.0, None), ""),
        ({"queued": [0] * 6, "denied": 4, "denied_at": 7100.0}, None, (HostStatus.DENIED, 7100.0, None), "refused 4"),
        ({"queued": [0] * 6, "denied": 4, "settled": 1}, None, (HostStatus.DONE, 5000.0, None), ""),
        ({"queued": [0] * 6, "dead_at": 9000.0, "error": "timeout"}, None, (HostStatus.DONE, 9000.0, None), "patience"),
    ],
)
def test_a_host_of_the_store(
    values: dict[str, Any], hold: Hold | None, standing: tuple[HostStatus, float | None, float | None], says: str
) -> None:
    found = standing_of(state(**values), None, hold, NOW, lambda _: "its gap")
    assert (found.status, found.since, found.next_at) == standing
    assert says in found.reason
    assert bool(says) == bool(found.reason)


@pytest.mark.parametrize(
    ("values", "status", "says"),
    [
        ({"phase": Phase.RESOLVING}, HostStatus.RESOLVING, ""),
        ({"phase": Phase.ASKING, "asking": "http://b.test"}, HostStatus.ROBOTS, "http://b.test"),
        (
            {
                "phase": Phase.LEASED,
                "out": {1: LeaseKind.ROBOTS},
                "pending": RobotsPending("http://a.test", "http://a.test/robots.txt"),
            },
            HostStatus.ROBOTS,
            "http://a.test/robots.txt",
        ),
        ({"phase": Phase.LEASED, "out": {1: LeaseKind.PAGE}}, HostStatus.FETCHING, ""),
        ({"phase": Phase.QUEUEING, "line": "in line for a fetch slot"}, HostStatus.WAITING, "in line"),
    ],
)
def test_a_host_in_hand(values: dict[str, Any], status: HostStatus, says: str) -> None:
    host = queue(**values)
    found = standing_of(host.state, host, None, NOW)
    assert (found.status, found.since) == (status, 9500.0)
    assert says in found.reason
