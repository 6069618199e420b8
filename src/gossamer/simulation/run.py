"""One simulation: grow a world, crawl it, kill the crawler at random steps, reopen, and judge from outside.

After the last kill faults end by themselves (`World.heals`), and progress is demanded: the crawl must come to an end
with exactly what the truth says. A verdict that fails prints the one line that replays it.
"""

from __future__ import annotations

import hashlib
import math
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.core.ending import EndState
from gossamer.simulation.checkers import accounting, fates, gap, nothing_lost, nothing_twice, one_at_a_time, permission
from gossamer.simulation.checkers.bodies import stored_bodies
from gossamer.simulation.checkers.evidence import Evidence, Life
from gossamer.simulation.clock import EPOCH, Killed, SimLoop, StuckError
from gossamer.simulation.crawler import Crawler, CrawlSettings, SimDisk, new_disk, new_hash_key, own_hosts
from gossamer.simulation.entropy import SimEntropy
from gossamer.simulation.growth import WorldSize, grow
from gossamer.simulation.network import Network
from gossamer.simulation.truth import truth_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.simulation.canary import Sabotage
    from gossamer.simulation.world import World

CHECKERS: Final = (gap, one_at_a_time, permission, nothing_lost, nothing_twice, fates, accounting)
RESUMES_MAX: Final = 30
"""Lives after the last kill: each one that stalls is resumed an hour later, as a patient operator would."""
RESUME_SECONDS: Final = 3600.0
KILL_STEP_MAX: Final = 12_000
"""Kills fall evenly over the magnitudes up to this step: as many within the first hundred steps as within the last."""
DOWN_SECONDS: Final = (0.0, 0.0, 0.3, 5.0, 4000.0)
"""How long a killed crawler stays down."""
STOPPED_SHARE: Final = 0.3
STOP_MEAN_SECONDS: Final = 60.0
"""Of the lives that shall be killed, so many are first asked to stop, some time after their opening."""
RECOUNT_EVERY: Final = 16
"""Commits between two recounts of every row."""
PROBLEMS_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """How a simulation is run, besides its number."""

    kills: int = 2
    """Kills at random steps."""
    kill_steps: tuple[int, ...] = ()
    """Kills at these steps instead, one a life."""
    size: WorldSize = field(default_factory=WorldSize)
    world: World | None = None
    """A world made by hand; None: grown from the number."""
    settings: CrawlSettings | None = None
    """None: drawn from the number."""
    sabotage: Sabotage | None = None
    """Breaks something in each life, to prove that a checker sees it."""


@dataclass(slots=True)
class Verdict:
    """What came of one simulation."""

    simulation_seed: int
    kills: int
    problems: list[str]
    pages: int = 0
    contacts: int = 0
    steps: int = 0
    lives: int = 0
    seconds: float = 0.0
    """Virtual time from the first opening to the end."""
    trace: str = ""
    """Digest of the servers' log: equal traces mean equal runs."""

    @property
    def passed(self) -> bool:
        """Whether every checker was content."""
        return not self.problems

    def replay(self) -> str:
        """The line that runs this simulation again."""
        return f"gossamer simulate {self.simulation_seed} --kills {self.kills}"

    def lines(self) -> list[str]:
        """What to print."""
        figures = f"{self.pages} pages, {self.contacts} contacts, {self.lives} lives, {self.seconds:.0f} s of crawl"
        if self.passed:
            return [f"simulation {self.simulation_seed}: passed ({figures})"]
        more = len(self.problems) - PROBLEMS_SHOWN
        shown = [*self.problems[:PROBLEMS_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        return [
            f"simulation {self.simulation_seed}: FAILED ({figures})",
            *(f"  {problem}" for problem in shown),
            f"  replay: {self.replay()}",
        ]


def run(simulation_seed: int, rehearsal: Rehearsal | None = None) -> Verdict:
    """Run one simulation to its verdict. A pure function of its arguments."""
    return _Simulation(simulation_seed, rehearsal or Rehearsal()).run()


def settings_of(entropy: SimEntropy) -> CrawlSettings:
    """The settings that a number draws: small working sets and short files are where the edges are."""
    dice = entropy.stream("settings").dice()
    return CrawlSettings(
        gap_seconds=dice.choice((1.0, 1.0, 2.5, 0.2)),
        copies_follow=dice.choice(("never", "same-host", "always")),
        hosts_max=dice.choice((1, 2, 100)),
        fetches_max=dice.choice((1, 3, 50)),
        file_bytes=dice.choice((20_000, 1 << 20)),
        shards=dice.choice((4, 4, 5, 16)),
        commit_interval=dice.choice((0.25, 1.0, 1.0)),
        patience=dice.choice((60.0, 60.0, 600.0)),
        exchange_seconds=dice.choice((0.0, 0.01, 0.7)),
        connections=dice.choice((1, 1, 2, 5)),
    )


class _Simulation:
    """The lives of one crawl."""

    def __init__(self, simulation_seed: int, rehearsal: Rehearsal) -> None:
        self._seed = simulation_seed
        self._rehearsal = rehearsal
        self._entropy = SimEntropy(simulation_seed, "run")
        self._settings = rehearsal.settings or settings_of(self._entropy)
        world = rehearsal.world or grow(simulation_seed, rehearsal.size)
        self._network = Network(world)
        self._disk: SimDisk = new_disk(self._settings.shards)
        self._evidence = Evidence(
            world,
            truth_of(world),
            self._network.log,
            self._settings.gap_seconds,
            connections=own_hosts(world, self._settings),
        )
        self._now = EPOCH
        self._steps = 0
        self._commits: list[bytes | None] = []
        self._commit_count = 0
        self._crawler: Crawler | None = None

    def run(self) -> Verdict:
        problems = self._live_until_the_end()
        if self._crawler is not None and not problems:
            self._evidence.pages = self._crawler.datasets.rows("pages")
            self._evidence.bodies = stored_bodies(self._evidence.pages, self._crawler.archive)
            self._evidence.records = fates.records_of(self._disk.stores)
            self._evidence.ledgers += accounting.recount(self._disk.stores)
            problems = [problem for checker in CHECKERS for problem in checker.check(self._evidence)]
        return Verdict(
            simulation_seed=self._seed,
            kills=self._rehearsal.kills,
            problems=problems,
            pages=len(self._evidence.truth.fetched),
            contacts=len(self._network.log),
            steps=self._steps,
            lives=len(self._evidence.lives),
            seconds=self._now - EPOCH,
            trace=self._trace(),
        )

    def _live_until_the_end(self) -> list[str]:
        dice = self._entropy.stream("kills").dice()
        drawn = (int(math.exp(dice.uniform(0.0, math.log(KILL_STEP_MAX)))) for _ in range(self._rehearsal.kills))
        kills = deque(self._rehearsal.kill_steps or drawn)
        for _ in range(len(kills) + RESUMES_MAX):
            may_be_stopped = bool(kills) and dice.random() < STOPPED_SHARE
            stop_after = dice.expovariate(1.0 / STOP_MEAN_SECONDS) if may_be_stopped else None
            try:
                ending = self._live(kills.popleft() if kills else None, stop_after)
            except StuckError as error:
                return [f"stuck: {error}"]
            except Exception as error:  # noqa: BLE001 - whatever the crawler raises is the finding
                return [f"raised: {type(error).__name__}: {error}"]
            if ending is None:
                self._now += dice.choice(DOWN_SECONDS)
            elif not kills and self._is_at_rest(ending):
                return []
            elif ending is not EndState.COMPLETE and ending is not EndState.INTERRUPTED:
                self._now += RESUME_SECONDS
        return [*fates.check(self._evidence), "no end: the crawl neither completes nor stalls for good"]

    def _live(self, kill_at: int | None, stop_after: float | None) -> EndState | None:
        """One process. None when it was killed."""
        life = Life(self._now)
        self._evidence.lives.append(life)
        number = len(self._evidence.lives)
        self._crawler = crawler = Crawler(
            world=self._network.world,
            network=self._network,
            disk=self._disk,
            settings=self._settings,
            entropy=self._entropy.stream(f"life {number}"),
            hash_key=new_hash_key(self._entropy),
            on_commit=self._check_commit,
            stop_after=stop_after,
            sabotage=self._rehearsal.sabotage,
            reopened=number > 1,
        )
        loop = SimLoop(self._now, kill_at=kill_at)  # type: ignore[abstract]  # see its docstring
        ending: EndState | None = None
        try:
            ending = loop.run_until_complete(crawler.run())
        except Killed:
            life.killed = True
        finally:
            self._now = life.ended = loop.time()
            self._steps += loop.steps
            self._network.drop_all(self._now)
            self._disk.crash(crawler.stores, self._entropy.stream(f"crash {number}"))
            failures = [str(failure.get("exception", failure["message"])) for failure in loop.failures]
            loop.abandon()
        if failures and not life.killed:
            raise AssertionError(failures[0])
        return ending

    def _is_at_rest(self, ending: EndState) -> bool:
        """Whether this is the end: complete, or stalled with nothing left that must come."""
        if ending is EndState.COMPLETE:
            return True
        self._evidence.records = fates.records_of(self._disk.stores)
        return self._now > self._network.world.heals and not fates.check(self._evidence)

    def _check_commit(self) -> None:
        """After each piece of disk work: if some shard's commit is new, its books must balance."""
        commits = [accounting.commit_of(disk) for disk in self._disk.stores]
        if commits == self._commits:
            return
        self._commits = commits
        self._commit_count += 1
        self._evidence.ledgers += accounting.at_commit(self._disk.stores)
        if self._commit_count % RECOUNT_EVERY == 0:
            self._evidence.records = fates.records_of(self._disk.stores)
            self._evidence.ledgers += accounting.recount(self._disk.stores)

    def _trace(self) -> str:
        lines = (f"{each.start!r} {each.end!r} {each.url} {each.status}" for each in self._network.log)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def run_all(simulation_seeds: Sequence[int], rehearsal: Rehearsal | None = None) -> list[Verdict]:
    """Run several simulations, one after the other."""
    return [run(simulation_seed, rehearsal) for simulation_seed in simulation_seeds]
