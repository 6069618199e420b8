from __future__ import annotations

import json
import re
import resource
import time
import tomllib
from pathlib import Path

import pytest

from gossamer.app.cli import main
from gossamer.app.doctor import machine, network
from gossamer.app.doctor.finding import Finding, Grade, lines_of, warn
from gossamer.app.doctor.machine import MODULES, machine_findings
from gossamer.app.doctor.network import network_findings
from gossamer.app.exit_codes import Exit
from gossamer.app.settings import Given, Settings, load
from tests.servers import dns

ROOT = Path(__file__).parents[3]


def settings(*sets: str) -> Settings:
    return load(Given(sets=sets))


def by_name(findings: list[Finding]) -> dict[str, Finding]:
    return {each.name: each for each in findings}


def on_machine(place: Path) -> dict[str, Finding]:
    return by_name(list(machine_findings(settings(), place)))


def test_every_library_that_we_need_is_looked_at() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert {re.split(r"[>=;<\s]", text)[0] for text in declared} == set(MODULES)


def test_this_machine_is_well(tmp_path: Path) -> None:
    findings = on_machine(tmp_path)
    assert {"python", "libraries", "machine", "open files", "disk", "sync", "clock", "terminal"} <= set(findings)
    assert findings["python"].grade is Grade.OK
    assert "pycurl" in findings["libraries"].words
    assert list(tmp_path.iterdir()) == []


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(machine.MODULES, "no-such-library", "no_such_library")
    finding = on_machine(tmp_path)["library"]
    assert (finding.grade, "no-such-library" in finding.words) == (Grade.FAIL, True)


def test_an_old_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_wanted", lambda: {"numpy": "999.1"})
    finding = on_machine(tmp_path)["library"]
    assert (finding.grade, "999.1" in finding.hint) == (Grade.FAIL, True)


@pytest.mark.parametrize(("hard", "hint"), [(1_000_000, "ulimit -n"), (256, "hard limit")])
def test_few_open_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hard: int, hint: str) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, hard))
    finding = on_machine(tmp_path)["open files"]
    assert (finding.grade, hint in finding.hint) == (Grade.WARN, True)


def test_a_wrong_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
    assert on_machine(tmp_path)["clock"].grade is Grade.FAIL


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    assert on_machine(tmp_path / "absent")["disk"].grade is Grade.FAIL


def test_a_slow_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_sync_seconds", lambda _: 0.5)
    assert on_machine(tmp_path)["sync"].grade is Grade.WARN


def test_names_that_resolve() -> None:
    with dns.serve({"example.com": dns.Zone(a=("93.184.215.14",))}) as server:
        findings = by_name(list(network_findings(settings(f"dns.nameservers={server.address}"))))
    assert findings["dns"].grade is Grade.OK


def test_names_that_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "SECONDS_MAX", 0.05)
    findings = by_name(list(network_findings(settings("dns.nameservers=127.0.0.1:1"))))
    assert (findings["dns"].grade, "--resolve" in findings["dns"].hint) == (Grade.WARN, True)


@pytest.mark.parametrize(
    ("content", "grade"),
    [
        (b"", Grade.FAIL),
        (b"-----BEGIN CERTIFICATE-----\n" * 2, Grade.OK),
    ],
)
def test_certificates_are_counted(tmp_path: Path, content: bytes, grade: Grade) -> None:
    (tmp_path / "ca.pem").write_bytes(content)
    assert network._certificates(settings(f"fetch.ca_file={tmp_path / 'ca.pem'}")).grade is grade


def test_no_certificates_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing() -> str:
        raise FileNotFoundError

    monkeypatch.setattr(network, "system_ca_file", nothing)
    assert network._certificates(settings()).grade is Grade.FAIL


def test_the_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "SECONDS_MAX", 0.05)
    flags = ("--set", "dns.nameservers=127.0.0.1:1")
    assert main(["doctor", *flags]) == Exit.DONE
    assert "\nwarn    dns" in capsys.readouterr().out
    assert main(["doctor", "--json", *flags]) == Exit.DONE
    shown = json.loads(capsys.readouterr().out)
    assert shown["ok"] is True
    assert {"grade": "ok", "name": "python"}.items() <= shown["findings"][0].items()
    monkeypatch.setattr(time, "time", lambda: 1_000_000.0)
    assert main(["doctor", "--json", *flags]) == Exit.BAD_INPUT
    assert json.loads(capsys.readouterr().out)["ok"] is False


def test_findings_are_inert() -> None:
    (line, hint) = lines_of([warn("name", "\x1b[31mred", "\u202e")])
    assert (line, hint.strip()) == ("warn    name          <001B>[31mred", "<202E>")
