from __future__ import annotations

import errno
import json
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gossamer
from gossamer import app
from gossamer.app import cli
from gossamer.app.commands.crawl import NEXT, default_folder
from gossamer.app.disk_trouble import disk_trouble
from gossamer.app.errors import UserError
from gossamer.app.exit_codes import EXIT_OF, MEANINGS, Exit
from gossamer.app.folder import CrawlFolder
from gossamer.app.seeds import Seed
from gossamer.core.ending import EndState
from gossamer.ports.store import StoreBusy, StoreDamaged, StoreFull, StoreReadOnly

Crawl = Callable[..., EndState]
URL = "https://docs.example.org/"


class Wiring:
    """Stands in for the wiring: remembers the runs, and ends as told."""

    def __init__(self) -> None:
        self.runs: list[dict[str, Any]] = []
        self.ending: EndState | BaseException = EndState.COMPLETE

    def run_crawl(self, settings: Any, folder: CrawlFolder, resume: bool, ui: Any) -> EndState:
        self.runs.append({"settings": settings, "folder": folder, "resume": resume, "seeds": folder.read_seeds()})
        if isinstance(self.ending, BaseException):
            raise self.ending
        ui.say("crawling")
        folder.write_summary({"end_state": self.ending.value, "pages": 3, "refused": {"out of scope": 2}})
        return self.ending

    def read_numbers(self, folder: CrawlFolder) -> dict[str, Any]:
        assert folder.path.is_dir()
        return {"queued": 7}


@pytest.fixture
def wiring(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Wiring:
    made = Wiring()
    for name in ("running", "stopped"):
        module = types.ModuleType(f"gossamer.app.{name}")
        module.run_crawl = made.run_crawl  # type: ignore[attr-defined]
        module.read_numbers = made.read_numbers  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, f"gossamer.app.{name}", module)
        # The package keeps a module that was imported before as an attribute, which goes first.
        monkeypatch.setattr(app, name, module, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return made


def test_every_help_exits_0(capsys: pytest.CaptureFixture[str]) -> None:
    for name in cli.COMMANDS:
        assert cli.main([name, "--help"]) == 0
        assert f"usage: gossamer {name}" in capsys.readouterr().out
    for arguments in (["--help"], ["-h"], ["help"]):
        assert cli.main(arguments) == 0
        out = capsys.readouterr().out
        assert all(name in out for name in cli.COMMANDS)


def test_every_command_is_a_module_and_every_module_a_command() -> None:
    folder = Path(cli.__file__).with_name("commands")
    # A module cannot be called as a word of Python's own is: "continue" is continue_.py.
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert {name.removesuffix("_") for name in modules} == set(cli.COMMANDS)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"gossamer {gossamer.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (["crwal", URL], "no command 'crwal'", "did you mean crawl?"),
        (["xyzzy"], "no command", "--help lists them"),
        ([URL], "no command", f"gossamer crawl {URL}"),
        (["crawl", URL, "--max-page", "5"], "unrecognized", "did you mean --max-pages?"),
        (["crawl", URL, "--max-pages"], "expected one argument", "gossamer crawl --help"),
        (["status"], "required: DIR", "gossamer status --help"),
        (["crawl"], "no seed was given", "gossamer crawl https://"),
        (["crawl", "example.com"], "is not a URL", "https://example.com/"),
        (["crawl", URL, "--set", "crawl.max_pges=1"], "no setting", "crawl.max_pages"),
        (["crawl", URL, "--gap", "0"], "--allow-address", "leave --gap out"),
        (["simulate", "-x"], "unrecognized", ""),
        (["simulate", "one"], "is no number", ""),
    ],
)
def test_bad_input(
    arguments: list[str], message: str, hint: str, wiring: Wiring, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(arguments) == Exit.BAD_INPUT
    error = capsys.readouterr().err
    assert message in error
    assert hint in error
    assert "Traceback" not in error
    assert wiring.runs == []
    assert list(Path.cwd().iterdir()) == [], "nothing was made"


def test_no_command_shows_them_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == Exit.BAD_INPUT
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "commands:" in captured.err


def test_crawl(wiring: Wiring, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.txt").write_text("https://b.example/\n")
    assert (
        cli.main(
            ["crawl", URL, "--seeds", "s.txt", "-o", "out", "--max-pages", "5", "--resolve", "b.example=127.0.0.1"]
        )
        == 0
    )
    run = wiring.runs[0]
    assert run["folder"].path == tmp_path / "out"
    assert run["seeds"] == [Seed(URL, "given"), Seed("https://b.example/", "s")]
    assert run["settings"].crawl.max_pages == 5
    assert not run["resume"]
    captured = capsys.readouterr()
    assert "ended            complete" in captured.out
    assert "pages            3" in captured.out
    assert "crawling" in captured.err
    run["folder"].hold().release()


def test_quiet_leaves_the_end_and_json_stands_alone(wiring: Wiring, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["crawl", URL, "-o", "out", "--quiet", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["pages"] == 3
    assert captured.err == ""
    assert cli.main(["crawl", URL, "-o", "out2", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert "ended            complete" in captured.out
    assert captured.err == ""
    assert len(wiring.runs) == 2


def test_the_default_folder_is_host_and_date(wiring: Wiring, tmp_path: Path) -> None:
    assert cli.main(["crawl", "http://docs.example.org:8080/x"]) == 0
    assert wiring.runs[0]["folder"].path.name.startswith("docs.example.org-20")
    assert default_folder(Seed("http://[::1]/", "given")).name.startswith("__1-20")
    assert wiring.runs[0]["folder"].path.parent == tmp_path


@pytest.mark.parametrize("ending", list(EndState))
def test_ends_have_exit_codes_and_a_next_step(
    ending: EndState, wiring: Wiring, capsys: pytest.CaptureFixture[str]
) -> None:
    wiring.ending = ending
    assert cli.main(["crawl", URL, "-o", "out"]) == EXIT_OF[ending]
    assert NEXT[ending].partition("{")[0] in capsys.readouterr().err


def test_an_existing_crawl_names_resume(wiring: Wiring, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["crawl", URL, "-o", "out"]) == 0
    capsys.readouterr()
    assert cli.main(["crawl", URL, "-o", "out"]) == Exit.FOLDER
    assert "gossamer resume" in capsys.readouterr().err
    assert len(wiring.runs) == 1


def test_resume(wiring: Wiring, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["crawl", URL, "-o", "out", "--max-pages", "5"]) == 0
    assert cli.main(["resume", "out", "--set", "crawl.max_pages=9", "--max-depth", "3"]) == 0
    run = wiring.runs[1]
    assert run["resume"]
    assert (run["settings"].crawl.max_pages, run["settings"].scope.max_depth) == (9, 3)
    assert "crawl.max_pages: 5 is now 9" in capsys.readouterr().err
    assert cli.main(["resume", "out"]) == 0
    assert wiring.runs[2]["settings"].crawl.max_pages == 9
    assert cli.main(["resume", "out", "--set", "crawl.shards=3"]) == Exit.BAD_INPUT
    assert "crawl.shards is fixed" in capsys.readouterr().err
    assert cli.main(["resume", "absent"]) == Exit.FOLDER
    assert cli.main(["resume", str(tmp_path)]) == Exit.FOLDER


def test_a_newer_format_is_refused_by_name(wiring: Wiring, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["crawl", URL, "-o", "out"]) == 0
    path = Path("out/crawl.toml")
    path.write_text(path.read_text().replace("format = 1", "format = 8").replace(gossamer.__version__, "9.1"))
    for command in ("resume", "status"):
        assert cli.main([command, "out"]) == Exit.FOLDER
        assert "has format 8, made by release 9.1" in capsys.readouterr().err
    assert len(wiring.runs) == 1


def test_a_folder_in_use(wiring: Wiring, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["crawl", URL, "-o", "out"]) == 0
    with CrawlFolder(Path("out").absolute()).hold():
        assert cli.main(["resume", "out"]) == Exit.FOLDER
        assert "is in use by process" in capsys.readouterr().err
        assert cli.main(["status", "out", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["state"] == "busy"
    assert len(wiring.runs) == 1


def test_status_of_a_stopped_crawl(wiring: Wiring, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["crawl", URL, "-o", "out", "--quiet"]) == 0
    capsys.readouterr()
    assert cli.main(["status", "out", "--json"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert (numbers["state"], numbers["pages"], numbers["queued"]) == ("stopped", 3, 7)
    assert cli.main(["status", "out"]) == 0
    out = capsys.readouterr().out
    assert "state            stopped" in out
    assert "             2  out of scope" in out
    assert len(wiring.runs) == 1


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/x/y"), Exit.DISK, "/x/y: the disk is full"),
        (OSError(errno.EROFS, "Read-only file system", "/x/y"), Exit.DISK, "/x/y: the disk is read-only"),
        (PermissionError(errno.EACCES, "Permission denied", "/x/y"), Exit.BAD_INPUT, "/x/y: not permitted"),
        (StoreFull("/x: full"), Exit.DISK, "/x: full"),
        (StoreReadOnly("/x: read-only"), Exit.DISK, "/x: read-only"),
        (StoreBusy("/x: busy"), Exit.FOLDER, "/x: busy"),
        (StoreDamaged("/x: damaged"), Exit.FOLDER, "/x: damaged"),
        (UserError("mine\x1b[2J", "hint", Exit.STALLED), Exit.STALLED, "mine<001B>[2J"),
        (KeyboardInterrupt(), Exit.INTERRUPTED, "interrupted"),
    ],
)
def test_trouble_is_one_line_and_a_hint(
    error: BaseException, code: Exit, words: str, wiring: Wiring, capsys: pytest.CaptureFixture[str]
) -> None:
    wiring.ending = error
    assert cli.main(["crawl", URL, "-o", "out"]) == code
    said = capsys.readouterr().err
    assert f"gossamer: {words}" in said
    assert "Traceback" not in said
    CrawlFolder(Path("out").absolute()).hold().release()


@pytest.mark.parametrize("error", [RuntimeError("oops"), OSError(errno.EBADF, "Bad file descriptor")])
def test_a_bug_of_ours_shows_where_and_asks_for_a_report(
    error: Exception, wiring: Wiring, capsys: pytest.CaptureFixture[str]
) -> None:
    wiring.ending = error
    assert cli.main(["crawl", URL, "-o", "out"]) == Exit.BUG
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert "this is a bug of ours" in said
    assert disk_trouble(error) is None


def test_every_exit_code_and_end_has_its_row() -> None:
    assert list(MEANINGS) == list(Exit)
    assert EXIT_OF.keys() == NEXT.keys() == set(EndState)
