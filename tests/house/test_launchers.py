"""./gossamer and ./dev: where they may be called from, and what they say when Python does not fit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import environment

ROOT = Path(__file__).resolve().parents[2]
FILES = ("gossamer", "dev", "tools", "requirements")

SAYS_ARGUMENTS = "import sys, os\nprint(sys.argv[1:], os.getcwd())\nsys.exit(5)\n"


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the launchers in a folder with spaces in its path, with an environment that looks installed."""
    root = tmp_path / "a folder with spaces"
    root.mkdir()
    for name in FILES:
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, root / name)
    package = root / "src" / "gossamer"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "__main__.py").write_text(SAYS_ARGUMENTS)
    return root


def pretend_installed(root: Path) -> None:
    """As tools/environment.py leaves it, but with the interpreter of the tests behind it."""
    folder = root / ".venv"
    (folder / "bin").mkdir(parents=True)
    wrapper = folder / "bin" / "python"
    wrapper.write_text(f'#!/bin/sh\nPYTHONPATH="{root}/src" exec {sys.executable} "$@"\n')
    wrapper.chmod(0o755)
    for lock in ("run.lock", "dev.lock"):
        shutil.copy(root / "requirements" / lock, folder / lock)


def run(command: list[str], folder: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **environ}, capture_output=True, text=True, check=False, timeout=60
    )


def fake_python(folder: Path, body: str) -> str:
    """A program that stands in for a Python; the launcher sees no other."""
    folder.mkdir(exist_ok=True)
    program = folder / "python3"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return str(program)


def test_the_command_line_gets_arguments_folder_and_exit_code(house: Path, tmp_path: Path) -> None:
    pretend_installed(house)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "json.py").write_text("raise SystemExit('a file of the caller stood in for a library')")
    (tmp_path / "link").symlink_to(house / "gossamer")
    (elsewhere / "relative").symlink_to(Path("..") / "link")
    for program in (house / "gossamer", tmp_path / "link", elsewhere / "relative"):
        done = run([str(program), "crawl", "a b", ""], elsewhere)
        assert (done.returncode, done.stdout.strip()) == (5, f"['crawl', 'a b', ''] {elsewhere}"), done.stderr
        assert done.stderr == ""


@pytest.mark.parametrize(("arguments", "code"), [(["--help"], 0), (["-h"], 0), (["help"], 0), ([], 2)])
def test_dev_says_what_there_is_without_installing(house: Path, arguments: list[str], code: int) -> None:
    done = run([str(house / "dev"), *arguments], house, GOSSAMER_PYTHON=sys.executable)
    assert done.returncode == code
    assert "usage: ./dev VERB" in done.stdout + done.stderr
    assert not (house / ".venv").exists()


def test_dev_simulate_is_gossamer_simulate(house: Path, tmp_path: Path) -> None:
    pretend_installed(house)
    done = run([str(house / "dev"), "simulate", "--seed", "1"], tmp_path)
    assert (done.returncode, done.stdout.strip()) == (5, f"['simulate', '--seed', '1'] {tmp_path}")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("echo 3.9; exit 3", "needs Python 3.11 to 3.14, found only 3.9"),
        ("echo 3.11; exit 4", "apt install python3-venv"),
        ("exit 127", "needs Python 3.11 to 3.14, found none"),
    ],
)
@pytest.mark.parametrize("program", ["gossamer", "dev"])
def test_a_python_that_does_not_fit_is_one_line(
    house: Path, tmp_path: Path, program: str, body: str, says: str
) -> None:
    python = fake_python(tmp_path / "bin", body)
    done = run([str(house / program), "check"], tmp_path, GOSSAMER_PYTHON=python)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert says in line
    assert not (house / ".venv").exists()


@pytest.mark.slow
def test_the_real_probe_refuses_an_old_version(house: Path, tmp_path: Path) -> None:
    """The probe is Python that every version can read; here it runs with another version told to it."""
    spoof = "import sys; sys.version_info = (3, 10, 1); exec(sys.argv[1])"
    python = fake_python(tmp_path / "bin", f"exec {sys.executable} -c '{spoof}' \"$2\"")
    done = run([str(house / "gossamer")], tmp_path, GOSSAMER_PYTHON=python)
    assert (done.returncode, "found only 3.10" in done.stderr) == (2, True), done.stderr


@pytest.mark.slow
def test_a_changed_lock_file_installs_again_and_two_at_once_install_once(house: Path, tmp_path: Path) -> None:
    """The installation itself is replaced by one line in a file; venv and pip are not what is judged here."""
    log = tmp_path / "log"
    script = house / "tools" / "environment.py"
    counted = f"""
def _make(folder, name):
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    python = folder / "bin" / "python"
    python.write_text('#!/bin/sh\\nPYTHONPATH="{house}/src" exec {sys.executable} "$@"\\n')
    python.chmod(0o755)
    with open({str(log)!r}, "a") as file:
        file.write("installed\\n")
    for stamp in LOCKS[name][2]:
        _write_synced(folder / stamp, (ROOT / "requirements" / stamp).read_bytes())

if __name__ == "__main__":"""
    script.write_text(script.read_text().replace('\nif __name__ == "__main__":', counted))
    command = [str(house / "gossamer")]
    environ = {**os.environ, "GOSSAMER_PYTHON": sys.executable}
    both = [subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [(process.communicate(timeout=60)[0], process.returncode) for process in both]
    assert [code for _, code in answers] == [5, 5]
    assert log.read_text() == "installed\n"
    (house / "requirements" / "run.lock").write_text("# another set\n")
    for _ in range(2):
        assert run(command, tmp_path, GOSSAMER_PYTHON=sys.executable).returncode == 5
    assert log.read_text() == "installed\n" * 2


def test_a_broken_interpreter_is_not_ready(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "ROOT", house)
    pretend_installed(house)
    assert environment.ready("run")
    (house / ".venv" / "bin" / "python").unlink()
    (house / ".venv" / "bin" / "python").symlink_to("/nowhere/python3")
    assert not environment.ready("run")
