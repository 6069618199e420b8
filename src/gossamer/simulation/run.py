"""One simulation: grow a world, crawl it, let happen what the number has drawn, reopen, and judge from outside.

After the last fault trouble ends by itself (`World.heals`), and progress is demanded: the crawl must come to an end
with exactly what the truth says. A verdict that fails prints the one line that replays it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from gossamer.core.ending import EndState
from gossamer.ports.store import StoreError
from gossamer.simulation.checkers import CHECKERS, Checker, accounting, captures, fates
from gossamer.simulation.checkers.bodies import stored_bodies
from gossamer.simulation.checkers.evidence import Evidence, Life
from gossamer.simulation.clock import EPOCH, Killed, SimLoop, StuckError
from gossamer.simulation.crawler import Crawler, SimDisk, new_disk, new_hash_key, own_hosts
from gossamer.simulation.disk import PowerCut
from gossamer.simulation.disk_space import WaningDiskSpace
from gossamer.simulation.entropy import SimEntropy
from gossamer.simulation.faults import Faults, LifeFaults, draw_faults
from gossamer.simulation.features import Feature, features_of
from gossamer.simulation.growth import WorldSize, grow
from gossamer.simulation.network import Network
from gossamer.simulation.settings import CrawlSettings, settings_of
from gossamer.simulation.taker import SlowTaker
from gossamer.simulation.truth import truth_of
from gossamer.simulation.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gossamer.flow.worker import Worker
    from gossamer.simulation.world import World

    Sabotage = Callable[[Crawler, Worker], None]

KILLS_OF: Final = (0, 1, 2, 3, 5)
"""Kills of each simulation, by its number in turn."""
RESUMES_MAX: Final = 30
"""Lives after the last kill: each one that stalls is resumed an hour later, as a patient operator would."""
RESUME_SECONDS: Final = 3600.0
DOWN_SECONDS: Final = (0.0, 0.0, 0.3, 5.0, 4000.0)
"""How long a killed crawler stays down."""
RECOUNT_EVERY: Final = 16
"""Commits between two recounts of every row."""
DISK_FREE: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """How a simulation is run, besides its number."""

    kills: int | None = None
    """Kills at random steps; None: as many as the number draws."""
    kill_steps: tuple[int, ...] = ()
    """Kills at these steps instead, one a life."""
    size: WorldSize = field(default_factory=WorldSize)
    world: World | None = None
    """A world made by hand; None: grown from the number."""
    settings: CrawlSettings | None = None
    """None: drawn from the number."""
    faults: Faults | None = None
    """None: drawn from the number."""
    features: frozenset[Feature] | None = None
    """None: drawn from the number; none at all where a world is made by hand, or nothing shall go wrong."""
    checkers: Sequence[Checker] | None = None
    """None: all there are. Modules cannot be sent to another process."""
    sabotage: Sabotage | None = None
    """Breaks something in each life, to prove that a checker sees it."""

    def features_of(self, simulation_seed: int) -> frozenset[Feature]:
        """The features of the simulation of that number."""
        if self.features is not None:
            return self.features
        return frozenset() if self.world is not None or self.size.calm else features_of(simulation_seed)


def run(simulation_seed: int, rehearsal: Rehearsal | None = None) -> Verdict:
    """Run one simulation to its verdict. A pure function of its arguments."""
    return _Simulation(simulation_seed, rehearsal or Rehearsal()).run()


class _Simulation:
    """The lives of one crawl."""

    def __init__(self, simulation_seed: int, rehearsal: Rehearsal) -> None:
        self._seed = simulation_seed
        self._rehearsal = rehearsal
        self._entropy = SimEntropy(simulation_seed, "run")
        self._features = rehearsal.features_of(simulation_seed)
        self._settings = rehearsal.settings or settings_of(self._entropy, self._features)
        self._kills = KILLS_OF[simulation_seed % len(KILLS_OF)] if rehearsal.kills is None else rehearsal.kills
        self._faults = rehearsal.faults or draw_faults(self._entropy, self._features, self._kills, rehearsal.kill_steps)
        world = rehearsal.world or grow(simulation_seed, rehearsal.size, self._features)
        self._network = Network(world)
        self._disk: SimDisk = new_disk(self._settings.shards)
        self._taker = SlowTaker(*self._faults.taker) if self._faults.taker is not None else None
        self._evidence = Evidence(
            world,
            truth_of(world),
            self._network.log,
            self._settings.gap_seconds,
            connections=own_hosts(world, self._settings),
            settings=self._settings,
            faults=self._faults,
        )
        self._now = EPOCH
        self._offset = 0.0
        self._steps = 0
        self._settled = [0] * self._settings.shards
        self._commit_count = 0
        self._crawler: Crawler | None = None

    def run(self) -> Verdict:
        problems = self._live_until_the_end()
        if self._crawler is not None and not problems:
            self._gather(self._crawler)
            problems = [
                problem for checker in self._rehearsal.checkers or CHECKERS for problem in checker.check(self._evidence)
            ]
        evidence = self._evidence
        return Verdict(
            simulation_seed=self._seed,
            kills=self._kills,
            problems=problems,
            features=sorted(self._features),
            ending=evidence.ending.value if evidence.ending is not None else "",
            pages=len(evidence.truth.fetched) or sum(row["outcome"] == "fetched" for row in evidence.pages),
            contacts=len(self._network.log),
            orphaned=captures.orphans(evidence),
            steps=self._steps,
            lives=len(evidence.lives),
            seconds=self._now - EPOCH,
            trace=self._trace(),
            asked="" if self._rehearsal.kills is None else f" --kills {self._kills}",
        )

    def _gather(self, crawler: Crawler) -> None:
        """What lies on the disk in the end."""
        evidence = self._evidence
        evidence.pages = crawler.datasets.rows("pages")
        evidence.bodies = stored_bodies(evidence.pages, crawler.archive)
        evidence.index, evidence.captures = captures.index_of(crawler.archive), captures.records_of(crawler.archive)
        evidence.records = fates.records_of(self._disk.stores)
        evidence.hosts = fates.hosts_of(self._disk.stores)
        evidence.ledgers += accounting.recount(self._disk.stores)
        evidence.ledgers += accounting.rows_against(self._disk.stores, evidence.pages)
        evidence.most_waiting = self._taker.most if self._taker is not None else 0

    def _live_until_the_end(self) -> list[str]:
        """Problems that end a simulation at once; what the checkers find comes later."""
        dice = self._entropy.stream("downs").dice()
        for number in range(len(self._faults.lives) + RESUMES_MAX):
            faults = self._faults.of_life(number)
            self._offset += faults.clock_step
            is_last = number >= len(self._faults.lives)
            try:
                ending = self._live(number, faults)
            except StuckError as error:
                return [f"stuck: {error}"]
            except Exception as error:  # noqa: BLE001 - whatever the crawler raises is the finding
                return [f"raised: {type(error).__name__}: {error}"]
            self._evidence.ending = ending
            if ending is None:
                self._now += dice.choice(DOWN_SECONDS)
            elif is_last and self._is_at_rest(ending):
                return []
            elif ending not in (EndState.COMPLETE, EndState.INTERRUPTED, EndState.LIMIT):
                self._now += RESUME_SECONDS
        self._evidence.records = fates.records_of(self._disk.stores)
        return [*fates.check(self._evidence), "progress: the crawl neither completes nor stalls for good"]

    def _live(self, number: int, faults: LifeFaults) -> EndState | None:
        """One process. None when it was killed, or its disk was full."""
        world = self._network.world
        scope = world.former_scope if number == 0 else ""
        life = Life(self._now, max_time=faults.max_time, offset=self._offset, scope=scope)
        self._evidence.lives.append(life)
        self._crawler = crawler = Crawler(
            world=world,
            network=self._network,
            disk=self._disk,
            settings=self._settings,
            entropy=self._entropy.stream(f"life {number + 1}"),
            hash_key=new_hash_key(self._entropy),
            on_commit=self._check_commit,
            life=faults,
            faults=self._faults,
            offset=self._offset,
            scope=scope,
            sabotage=self._rehearsal.sabotage,
            reopened=number > 0,
            disk_space=self._disk_space(),
            taker=self._taker,
        )
        self._disk.light(faults.torn_at)
        loop = SimLoop(self._now, kill_at=faults.kill_at)  # type: ignore[abstract]  # see its docstring
        ending: EndState | None = None
        try:
            ending = loop.run_until_complete(crawler.run())
        except (Killed, PowerCut):
            life.killed = True
        except (OSError, StoreError):
            life.killed = True
            if faults.full_after is None:
                raise
        finally:
            self._now = life.ended = loop.time()
            self._steps += loop.steps
            self._network.drop_all(self._now)
            self._disk.crash(crawler.stores, self._entropy.stream(f"crash {number + 1}"))
            failures = [str(failure.get("exception", failure["message"])) for failure in loop.failures]
            loop.abandon()
        if failures and not life.killed:
            raise AssertionError(failures[0])
        if faults.max_time is not None and self._now >= life.opened + faults.max_time:
            life.killed = True  # visits that were under way are not carried to their end
        return ending

    def _disk_space(self) -> WaningDiskSpace | None:
        low = self._faults.disk_low
        return WaningDiskSpace(DISK_FREE, DISK_FREE, span=low) if low is not None else None

    def _is_at_rest(self, ending: EndState) -> bool:
        """Whether this is the end: complete, at a limit, or stalled with nothing left that must come."""
        if ending is EndState.COMPLETE:
            return True
        if ending is EndState.LIMIT and self._network.world.capped:
            return True
        self._evidence.records = fates.records_of(self._disk.stores)
        heals = max(self._network.world.heals, self._faults.heals)
        return self._now > heals and not fates.check(self._evidence)

    def _check_commit(self) -> None:
        """After each piece of disk work: if some shard's commit is new, its books must balance."""
        before, settled = self._settled, [disk.settled for disk in self._disk.stores]
        if settled == before:
            return
        changed = [number for number, count in enumerate(settled) if count != before[number]]
        self._settled = settled
        self._commit_count += 1
        self._evidence.ledgers += accounting.at_commit(self._disk.stores, changed)
        if self._commit_count % RECOUNT_EVERY == 0:
            self._evidence.ledgers += accounting.recount(self._disk.stores)

    def _trace(self) -> str:
        lines = (f"{each.start!r} {each.end!r} {each.url} {each.status}" for each in self._network.log)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()
