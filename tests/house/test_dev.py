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


@pytest.fixture
def proofs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "made_up_proofs").mkdir()
    (tmp_path / "made_up_proofs" / "planted.py").write_text(PROOF)
    (tmp_path / "made_up_proofs" / "sites.py").write_text('"""No proof: it has no run."""\n')
    monkeypatch.setattr(scripts, "ROOT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_proofs_are_listed_with_what_they_show(proofs: Path) -> None:
    assert scripts.known("made_up_proofs") == {"planted": "Shows that it was called."}


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["planted"], 0, "made_up_proofs/planted: holds after 0 s\n"),
        (["planted", "--quick"], 3, "made_up_proofs/planted: FAILS after 0 s (QUICK)\n"),
        (["--list"], 0, "Shows that it was called.\n"),
    ],
)
def test_a_proof_is_run_by_name(
    proofs: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, says: str
) -> None:
    assert scripts.run("made_up_proofs", "prove", arguments) == code
    assert capsys.readouterr().out.endswith(says)


def test_a_wrong_name_is_answered_with_the_nearest(proofs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert scripts.run("made_up_proofs", "prove", ["plantd"]) == 2
    assert "did you mean planted?" in capsys.readouterr().err


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
