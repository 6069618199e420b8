"""Every checker can fail: a crawler broken on purpose is caught by the checker that watches for it."""

import pytest

from gossamer.simulation.canary import CANARIES, lose_a_write
from gossamer.simulation.growth import WorldSize
from gossamer.simulation.run import CHECKERS, Rehearsal, run

SIZE = WorldSize(hosts=(3, 5), pages=(20, 40))


def test_every_checker_has_its_canary():
    assert {checker.__name__.rpartition(".")[2].replace("_", " ") for checker in CHECKERS} == set(CANARIES)


@pytest.mark.slow
@pytest.mark.parametrize("word", CANARIES)
def test_a_canary_fails_its_checker(word):
    verdicts = [run(number, Rehearsal(kills=1, size=SIZE, sabotage=CANARIES[word])) for number in (1, 2)]
    for verdict in verdicts:
        assert any(problem.startswith(f"{word}:") for problem in verdict.problems)
        assert not verdict.passed


@pytest.mark.slow
def test_a_write_lost_after_its_acknowledgement_is_noticed():
    verdicts = [run(number, Rehearsal(kills=3, size=SIZE, sabotage=lose_a_write)) for number in range(1, 7)]
    # Where the lost batch happened to hold nothing that was not written again later, there is nothing to notice.
    assert sum(not verdict.passed for verdict in verdicts) >= 4


@pytest.mark.slow
def test_the_same_worlds_pass_unbroken():
    assert all(run(number, Rehearsal(kills=1, size=SIZE)).passed for number in (1, 2))
