"""What `status` and `resume` say of a run that did not end, and of one that had nothing to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gossamer.app.cli import main
from gossamer.app.commands.crawl import raising
from gossamer.app.commands.status import NO_END
from gossamer.app.program import program
from gossamer.app.settings import Given, load
from tests import crawls
from tests.operator_crawl import told
from tests.servers import small_site
from tests.servers.small_site import Answer, page

SITE = {"/": page("/a", "/slow"), "/a": page(title="a"), "/slow": Answer(b"<title>slow</title>", held=True)}


@pytest.mark.slow
def test_after_a_kill_status_does_not_show_an_earlier_end(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with small_site.serve(SITE) as site:
        code, crawl = crawls.crawl(folder, site.url(), "--max-pages", "1")
        assert (code, crawl.summary()["end_state"]) == (0, "limit reached")
        process = crawls.start("resume", folder, "--max-pages", "none", "--quiet")
        try:
            site.await_begun("/slow")
            assert not crawl.folder.joinpath("summary.json").exists(), "an earlier end, while the crawl runs"
        finally:
            process.kill()
            process.wait()
        numbers = told("status", folder, "--json").json
        assert numbers["state"] == "stopped"
        assert "end_state" not in numbers
        assert numbers["reason"] == NO_END
        assert numbers["balanced"]
        site.release()
        assert crawls.resume(folder)[0] == 0
    assert told("status", folder, "--json").json["end_state"] == "complete"


@pytest.mark.slow
def test_a_resume_that_finds_nothing_to_do_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "crawl"
    with small_site.serve({"/": page("/a"), "/a": page(title="a")}) as site:
        assert crawls.crawl(folder, site.url())[0] == 0
        capsys.readouterr()
        assert main(["resume", str(folder), "--quiet"]) == 0
        said = capsys.readouterr()
        assert "nothing was left to fetch" in said.err
        assert f"gossamer add {folder} URL" in said.err
        assert "ended            complete" in said.out
        assert main(["resume", str(folder), "--json"]) == 0
        said = capsys.readouterr()
        assert "nothing was left" not in said.err
        assert json.loads(said.out)["end_state"] == "complete"
        assert main(["add", str(folder), site.url("/b")]) == 0
        capsys.readouterr()
        assert main(["resume", str(folder)]) == 0
        assert "nothing was left" not in capsys.readouterr().err


def test_a_folder_in_a_settings_file_counts_from_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there").mkdir()
    file = tmp_path / "there" / "mine.toml"
    file.write_text('[output]\nfolder = "crawl"\n')
    monkeypatch.chdir(tmp_path)
    assert load(Given(config=Path("there/mine.toml"))).output.folder == str(tmp_path / "there" / "crawl")
    typed = load(Given(config=file, flags={"output.folder": "crawl"}))
    assert typed.output.folder == "crawl", "typed paths count from where one stands, and are shown as typed"


CAPS = [
    (["crawl.max_pages=2"], "--max-pages 2 reached", " --max-pages N"),
    (["crawl.max_bytes=2kB"], "--max-bytes 2000 reached", " --max-bytes SIZE"),
    ([], "--max-time reached", ""),
    ([], "public hosts give 1,000 pages without --contact: tell them who crawls", " --contact ADDRESS"),
    (["crawl.max_pages_per_host=2"], "a cap per host is reached", " --set crawl.max_pages_per_host=N"),
    (["crawl.max_bytes_per_host=2kB"], "a cap per host is reached", " --set crawl.max_bytes_per_host=SIZE"),
]


@pytest.mark.parametrize(("sets", "reason", "change"), CAPS)
def test_the_flag_that_goes_on_is_that_of_the_cap_reached(sets: list[str], reason: str, change: str) -> None:
    assert raising(load(Given(sets=sets)), reason) == change


def test_commands_to_type_are_written_as_they_are_called_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert program() == "gossamer"
    (tmp_path / "gossamer").touch()
    with small_site.serve({"/": page("/a"), "/a": page(title="a")}) as site:
        flags = ("--max-pages", "1", *crawls.LOOPBACK, "--gap", "0", "-o", "out")
        assert main(["crawl", site.url(), *flags]) == 0
    assert capsys.readouterr().err.endswith(f"\n./gossamer resume {tmp_path / 'out'} --max-pages N   goes on\n")


def test_a_site_over_its_cap_is_not_told_of_as_a_host(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with small_site.serve({"/": page("/a"), "/a": page(title="a")}) as site:
        flags = ("--set", "budget.pages_per_site=1", *crawls.LOOPBACK, "--gap", "0", "-o", str(tmp_path / "out"))
        assert main(["crawl", site.url(), *flags]) == 0
    assert "the budget of a site, or its cap, is reached; its URLs are held" in capsys.readouterr().out
