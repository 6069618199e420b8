from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from gossamer.app.cli import COMMANDS, main
from gossamer.app.completion import SCRIPTS
from gossamer.app.completion.offers import Want, all_offers
from gossamer.app.exit_codes import Exit
from gossamer.app.settings.tree import TRAITS

if TYPE_CHECKING:
    from pathlib import Path

LINES: list[tuple[list[str], set[str], set[str]]] = [
    # words up to the cursor, some offered, some not
    (["cr"], {"crawl"}, {"resume"}),
    (["crawl", "--max-"], {"--max-pages", "--max-depth"}, {"--gap"}),
    (["crawl", "--scope", "p"], {"page", "prefix"}, {"host"}),
    (["crawl", "--set", "crawl.max_p"], {"crawl.max_pages="}, {"crawl.shards="}),
    (["completion", ""], {"bash", "zsh", "fish"}, set()),
    (["resume", "--se"], {"--set"}, {"--seeds"}),
    (["crawl", "--config", "se"], {"settings.toml"}, set()),
    (["status", "fol"], {"folder"}, {"folder.txt"}),
    (["crawl", "--gap", ""], set(), {"settings.toml", "crawl"}),
]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder.txt").touch()
    (tmp_path / "settings.toml").touch()
    return tmp_path


def script(shell: str, folder: Path) -> Path:
    path = folder / f".script.{shell}"
    path.write_text(SCRIPTS[shell](all_offers()))
    return path


def program(shell: str) -> str:
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"{shell} is not installed")
    return path


def said(*command: str, cwd: Path) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd, timeout=60).stdout


def test_every_command_and_flag_is_offered() -> None:
    offers = all_offers()
    assert [each.command for each in offers] == list(COMMANDS)
    crawl = offers[0]
    wants = {name: flag.value.want for flag in crawl.flags for name in flag.names}
    assert wants["--config"] is Want.FILE
    assert wants["-o"] is Want.FOLDER
    assert wants["--scope"] is Want.WORD
    assert wants["--gap"] is Want.TEXT
    assert wants["--quiet"] is Want.NOTHING
    keys = next(flag.value.words for flag in crawl.flags if "--set" in flag.names)
    assert {f"{key}=" for key in TRAITS} <= set(keys)


@pytest.mark.parametrize(("words", "offered", "not_offered"), LINES)
def test_bash_completes(words: list[str], offered: set[str], not_offered: set[str], place: Path) -> None:
    line = " ".join(f"'{word}'" for word in ["gossamer", *words])
    calls = f"compopt() {{ :; }}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _gossamer"
    reply = "printf '%s\\n' \"${COMPREPLY[@]}\""
    shown = said(program("bash"), "-c", f"source {script('bash', place)}; {calls}; {reply}", cwd=place)
    assert offered <= set(shown.split("\n"))
    assert not not_offered & set(shown.split("\n"))


@pytest.mark.parametrize(("words", "offered", "not_offered"), LINES)
def test_fish_completes(words: list[str], offered: set[str], not_offered: set[str], place: Path) -> None:
    line = " ".join(["gossamer", *words])
    shown = said(
        program("fish"), "--no-config", "-c", f"source {script('fish', place)}; complete -C '{line}'", cwd=place
    )
    first = {row.partition("\t")[0].rstrip("/") for row in shown.splitlines()}
    assert offered <= first
    assert not not_offered & first


def test_zsh_takes_the_script(place: Path) -> None:
    path = script("zsh", place)
    assert subprocess.run([program("zsh"), "-n", str(path)], check=False).returncode == 0
    commands = f"autoload -Uz compinit; compinit -u -D; source {path}; print $_comps[gossamer]"
    assert said(program("zsh"), "-f", "-c", commands, cwd=place) == "_gossamer\n"


def test_the_command_prints_the_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "fish"]) == Exit.DONE
    assert capsys.readouterr().out == SCRIPTS["fish"](all_offers())
    assert main(["completion", "tcsh"]) == Exit.BAD_INPUT
