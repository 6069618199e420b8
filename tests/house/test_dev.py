"""./dev: its verbs, proofs found by name, programs of the system."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools import dev, programs, scripts

PROOF = '''"""Shows that it was called.

More of the story.
"""


def run(quick: bool) -> int:
    print("figure: 1")
    return 3 if quick else 0
'''
MEASUREMENT = '''"""Measures nothing."""

if __name__ == "__main__":
    print("figure: 2")
'''


@pytest.fixture
def scripts_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "made_up").mkdir()
    (tmp_path / "made_up" / "planted.py").write_text(PROOF)
    (tmp_path / "made_up" / "measured.py").write_text(MEASUREMENT)
    (tmp_path / "made_up" / "shared.py").write_text('"""Neither."""\n')
    monkeypatch.setattr(scripts, "ROOT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return "made_up"


def test_proofs_and_measurements_are_listed_with_what_they_show(scripts_folder: str) -> None:
    assert scripts.proofs(scripts_folder) == {"planted": "Shows that it was called."}
    assert scripts.measurements(scripts_folder) == {"measured": "Measures nothing."}


@pytest.mark.parametrize(
    ("quick", "code", "last"),
    [(False, 0, "made_up.planted: holds after 0 s"), (True, 3, "made_up.planted: FAILS after 0 s (QUICK)")],
)
def test_a_proof_is_run_by_name(
    scripts_folder: str, capsys: pytest.CaptureFixture[str], quick: bool, code: int, last: str
) -> None:
    assert scripts.prove(f"{scripts_folder}.planted", quick=quick) == code
    first, *_, ended = capsys.readouterr().out.splitlines()
    assert ended == last
    assert ("QUICK" in first) is quick


@pytest.mark.parametrize(
    ("arguments", "chosen", "says"),
    [
        (["planted", "--more"], "planted", ""),
        (["--list"], 0, "Shows that it was called."),
        ([], 2, "Shows that it was called."),
        (["plantd"], 2, "did you mean planted?"),
        (["x"], 2, "./dev prove --list says what there is"),
    ],
)
def test_a_name_that_is_not_there_is_answered(
    capsys: pytest.CaptureFixture[str], arguments: list[str], chosen: str | int, says: str
) -> None:
    assert scripts.choose("prove", {"planted": "Shows that it was called."}, arguments) == chosen
    said = capsys.readouterr()
    assert says in said.out + said.err


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["check", "nonsense"]])
def test_what_dev_does_not_know_is_answered_with_what_it_does(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.main(arguments) == 2
    assert "usage: ./dev VERB" in capsys.readouterr().err


def test_every_verb_is_in_the_usage() -> None:
    named = {line.split()[0] for line in dev.USAGE.splitlines() if line.startswith("  ")}
    assert named == {*dev.VERBS, "simulate"}


def test_a_failed_check_fails_the_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    checks = (("good", ("python", "-c", "pass")), ("bad", ("python", "-c", "raise SystemExit('what is wrong')")))
    monkeypatch.setattr(dev, "CHECKS", checks)
    assert dev.check([]) == 1
    out = capsys.readouterr().out
    assert "what is wrong" in out
    assert out.endswith("check: failed: bad\n")


def test_ci_does_not_run_without_its_programs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(programs, "ensure", lambda _: {"nginx": "no reason"})
    monkeypatch.setenv("CI", "true")
    assert dev.test([]) == 1
    assert "nothing was run" in capsys.readouterr().err


def test_programs_that_are_here_need_no_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_install", lambda _: pytest.fail("tried to install"))
    assert programs.ensure(("sh",)) == {}


def test_a_program_that_cannot_be_had_comes_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_install", lambda _: "no apt-get here")
    assert programs.ensure(("sh", "no-such-program-at-all")) == {"no-such-program-at-all": "no apt-get here"}
