"""Many simulations, on several processes: each is a function of its number, so they need nothing of each other."""

from __future__ import annotations

import itertools
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, Final

from gossamer.simulation.run import run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future

    from gossamer.simulation.run import Rehearsal
    from gossamer.simulation.verdict import Verdict

WAITING_OF_EACH: Final = 4
"""Simulations handed to each process ahead, so that none waits for the slowest."""


def run_many(numbers: Iterable[int], rehearsal: Rehearsal, jobs: int = 1) -> Iterator[Verdict]:
    """The verdicts, in the order of their numbers; as many processes as `jobs` says, none beside this one for 1.

    `numbers` may have no end: no more of them are taken than are run soon.
    """
    if jobs <= 1:
        yield from (run(number, rehearsal) for number in numbers)
        return
    remaining = iter(numbers)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[Verdict]] = deque(
            pool.submit(run, number, rehearsal) for number in itertools.islice(remaining, jobs * WAITING_OF_EACH)
        )
        while waiting:
            verdict = waiting.popleft().result()
            waiting.extend(pool.submit(run, number, rehearsal) for number in itertools.islice(remaining, 1))
            yield verdict
