"""Every checker can fail: a crawler broken on purpose is caught by the checker that watches for it."""

import pytest

from gossamer.simulation.canary import CANARIES, SIZE, lose_a_write, rehearsal_of
from gossamer.simulation.checkers import CHECKERS
from gossamer.simulation.run import Rehearsal, run

NUMBERS = (1, 2)


def test_every_checker_has_its_canary():
    """Progress is demanded by the run itself."""
    names = {checker.__name__.rpartition(".")[2].replace("_", " ") for checker in CHECKERS}
    assert names | {"progress"} == set(CANARIES)


@pytest.mark.slow
@pytest.mark.parametrize("word", CANARIES)
def test_a_canary_fails_its_checker(word):
    for number in NUMBERS:
        verdict = run(number, rehearsal_of(word))
        assert any(problem.startswith(f"{word}:") for problem in verdict.problems)
        assert not verdict.passed


@pytest.mark.slow
@pytest.mark.parametrize("word", CANARIES)
def test_the_same_worlds_pass_unbroken(word):
    for number in NUMBERS:
        assert run(number, rehearsal_of(word, broken=False)).problems == []


@pytest.mark.slow
def test_a_write_lost_after_its_acknowledgement_is_noticed():
    verdicts = [run(number, Rehearsal(kills=3, size=SIZE, sabotage=lose_a_write)) for number in range(1, 7)]
    # Where the lost batch happened to hold nothing that was not written again later, there is nothing to notice.
    assert sum(not verdict.passed for verdict in verdicts) >= 4
