"""Whatever happens in whatever order, the frontier's promises hold: `Stage` judges each lease, `check` the books."""

from __future__ import annotations

import itertools
import random
from typing import TypedDict

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gossamer.core.frontier.fate import FateKind
from gossamer.core.frontier.host_rules import HostRule
from gossamer.core.frontier.lease import Errand, LeaseKind
from gossamer.core.http.exchange import FailureKind
from gossamer.core.robots.answer import RobotsAnswer
from tests.frontiers import DAY, RULES, Stage, host_id

HOSTS = [f"h{number}.test" for number in range(6)]
HEALED_STEPS_MAX = 20_000
ANSWERS = [
    {"body": RULES},
    {"body": b"User-agent: *\nCrawl-delay: 7\n"},
    {"status": 404, "body": b""},
    {"status": 503, "body": b""},
    {"failure": FailureKind.RESET, "status": 0, "body": b""},
]
"""Ways to answer for a robots.txt."""


class Trouble(TypedDict, total=False):
    """What an answer says of its host."""

    slows: bool
    failed: bool
    retry_after: float


TROUBLES: list[Trouble] = [
    {},
    {},
    {"slows": True},
    {"failed": True},
    {"retry_after": 5.0},
    {"slows": True, "retry_after": 4000.0},
]


class FrontierMachine(RuleBasedStateMachine):
    """Events as they may come."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = itertools.count()
        self.known = 0
        self.options: dict[str, object] = {}
        self.stage = Stage()
        self.others: list[Errand] = []

    @initialize(
        hosts_max=st.sampled_from([1, 2, 3, 100]),
        gap=st.sampled_from([0.0, 1.0, 2.5]),
        pages=st.sampled_from([None, None, 3]),
        seed=st.integers(0, 1 << 16),
        connections=st.sampled_from([1, 2, 8]),
    )
    def begin(self, hosts_max: int, gap: float, pages: int | None, seed: int, connections: int) -> None:
        own = {host: HostRule(mine=True, connections=connections) for host in HOSTS[:3]}
        self.options = {"hosts_max": hosts_max, "gap": gap, "pages_per_host_max": pages, "hosts": own}
        self.chance = random.Random(seed).random
        self.stage = Stage(**self.options, chance=self.chance)  # type: ignore[arg-type]

    @rule(
        host=st.sampled_from(HOSTS),
        scheme=st.sampled_from(["http", "https"]),
        folder=st.sampled_from(["", "", "/private"]),
        level=st.integers(0, 4),
        count=st.sampled_from([1, 2, 20]),
    )
    def find(self, host: str, scheme: str, folder: str, level: int, count: int) -> None:
        self.known += count
        self.stage.find(*(f"{scheme}://{host}{folder}/{next(self.numbers)}" for _ in range(count)), level=level)

    @rule(leases=st.sampled_from([0, 1, 2, 100]), size=st.sampled_from([None, 1, 5000]))
    def advance(self, leases: int, size: int | None) -> None:
        made = self.stage.advance(leases, size)
        assert len(made) <= leases
        assert size is None or sum(lease.body_bytes_max for lease in made) <= size

    @rule(seconds=st.sampled_from([0.01, 0.5, 1.0, 3.0, 61.0, 1000.0, DAY]))
    def wait(self, seconds: float) -> None:
        self.stage.wait(seconds)

    @precondition(lambda self: self.stage.lookups)
    @rule(data=st.data(), seconds=st.sampled_from([60.0, DAY]))
    def resolve(self, data: st.DataObject, seconds: float) -> None:
        host = data.draw(st.sampled_from(self.stage.lookups))
        failure = data.draw(st.sampled_from([None, None, None, FailureKind.NAME_FAILED, FailureKind.ADDRESS_REFUSED]))
        self.stage.resolve(host, failure=failure, seconds=seconds)

    @precondition(lambda self: self.stage.open)
    @rule(
        data=st.data(),
        kind=st.sampled_from([*FateKind]),
        seconds=st.sampled_from([0.0, 0.2, 30.0]),
        trouble=st.sampled_from(TROUBLES),
        after=st.sampled_from([0.0, 10.0, 500.0]),
    )
    def visited(self, data: st.DataObject, kind: FateKind, seconds: float, trouble: Trouble, after: float) -> None:
        lease = data.draw(st.sampled_from(list(self.stage.open.values())))
        if lease.kind is LeaseKind.ROBOTS:
            target = data.draw(st.sampled_from(["", "", *(f"http://{host}/robots.txt" for host in HOSTS)]))
            answer = {"redirect": target} if target else data.draw(st.sampled_from(ANSWERS))
            self.stage.robots(lease, seconds=seconds, **answer)  # type: ignore[arg-type]
            return
        due = max(self.stage.now, lease.granted + seconds) + after
        self.stage.finish(lease, kind, seconds=seconds, due=due, **trouble)

    @rule(host=st.sampled_from(HOSTS), other=st.sampled_from(["a.other", "b.other"]))
    def errand_comes(self, host: str, other: str) -> None:
        if self.stage.errands < 3:
            self.stage.errand(Errand(host_id(other), f"http://{other}", f"http://{host}/{next(self.numbers)}", 1))

    @precondition(lambda self: self.stage.sent)
    @rule(data=st.data(), status=st.sampled_from([200, 404, 503]))
    def errand_ends(self, data: st.DataObject, status: int) -> None:
        command = data.draw(st.sampled_from(self.stage.sent))
        self.stage.came(command, RobotsAnswer(status, RULES))

    @rule(paused=st.sets(st.sampled_from(HOSTS), max_size=3), blocked=st.sets(st.sampled_from(HOSTS), max_size=2))
    def close(self, paused: set[str], blocked: set[str]) -> None:
        self.stage.close(*sorted(paused), blocked=tuple(sorted(blocked)))

    @rule()
    def commit(self) -> None:
        self.stage.commit()

    @rule(seconds=st.sampled_from([0.0, 100.0]))
    def reopen(self, seconds: float) -> None:
        """A clean commit, then a new process: leases and errands are forgotten, what was known of contacts is not."""
        self.stage.commit()
        old = self.stage
        self.stage = Stage(
            **self.options,  # type: ignore[arg-type]
            chance=self.chance,
            rows=old.rows,
            reopened=True,
            now=old.now + seconds,
        )
        self.stage.not_before = old.not_before

    @invariant()
    def books(self) -> None:
        self.stage.check()
        assert self.stage.rows.ledger.known == self.known

    def teardown(self) -> None:
        """Everything heals: all URLs must come to an end, or stand over a cap."""
        stage = self.stage
        stage.close()
        for _ in range(HEALED_STEPS_MAX):
            stage.advance()
            for host in list(stage.lookups):
                stage.resolve(host)
            for command in list(stage.sent):
                stage.came(command, RobotsAnswer(404))
            for lease in list(stage.open.values()):
                if lease.kind is LeaseKind.PAGE:
                    stage.finish(lease, seconds=0.0)
                else:
                    stage.robots(lease, seconds=0.0)
            stage.check()
            moment = stage.frontier.next_moment()
            if moment is None and not stage.frontier.is_busy():
                break
            stage.now = max(stage.now, moment or 0.0)
        else:
            raise AssertionError("no end: the frontier turns without progress")
        assert stage.rows.ledger.queued == 0
        assert stage.errands == 0


TestFrontierMachine = FrontierMachine.TestCase
TestFrontierMachine.settings = settings(max_examples=30, stateful_step_count=50, deadline=None)
