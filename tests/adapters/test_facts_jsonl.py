"""The log on a real folder: levels and topics, rotation, crashes, a disk that takes nothing, hostile text."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.adapters import facts_jsonl
from gossamer.adapters.facts_jsonl import JsonlFacts, LogRules
from gossamer.core.facts import DiskLow, Fact, HostParked, HostSlowed, Level, Topic, UrlRefused, fact_line

if TYPE_CHECKING:
    from pathlib import Path

SLOWED = HostSlowed("a.example", "503", 1, 99.0)
PARKED = HostParked("a.example", "timeout", 5, 99.0)
REFUSED = UrlRefused("https://a.example/", "robots", "Disallow: /")
LOW = DiskLow("/d", 5, 6)


def lines(path: Path) -> list[dict[str, Any]]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    assert data == b"" or data.endswith(b"\n")
    return [json.loads(line) for line in data.splitlines()]


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        (LogRules(), [SLOWED, PARKED, LOW]),
        (LogRules(Level.DEBUG), [SLOWED, PARKED, REFUSED, LOW]),
        (LogRules(Level.WARNING), [PARKED, LOW]),
        (LogRules(Level.ERROR), []),
        (LogRules(topics=frozenset({Topic.DISK})), [LOW]),
        (LogRules(topics=frozenset()), []),
    ],
)
def test_levels_and_topics(tmp_path: Path, rules: LogRules, wanted: list[Fact]) -> None:
    log = JsonlFacts(tmp_path / "logs", rules)
    for fact in (SLOWED, PARKED, REFUSED, LOW):
        log.note(fact, 0.0)
    assert log.waiting == bool(wanted)
    log.close()
    log.close()
    assert [line["fact"] for line in lines(tmp_path / "logs" / "facts.jsonl")] == [
        type(fact).__name__ for fact in wanted
    ]


def test_nothing_is_written_before_a_flush_and_a_second_life_goes_on(tmp_path: Path) -> None:
    log = JsonlFacts(tmp_path, LogRules())
    log.note(SLOWED, 0.0)
    assert (tmp_path / "facts.jsonl").read_bytes() == b""
    log.flush()
    assert len(lines(tmp_path / "facts.jsonl")) == 1
    assert not log.waiting
    log.close()
    again = JsonlFacts(tmp_path, LogRules())
    again.note(PARKED, 0.0)
    again.close()
    assert [line["fact"] for line in lines(tmp_path / "facts.jsonl")] == ["HostSlowed", "HostParked"]


WHOLE = fact_line(SLOWED, 0.0)


@pytest.mark.parametrize(
    ("left", "kept"),
    [
        (b"", 0),
        (WHOLE, 1),
        (WHOLE * 3, 3),
        (WHOLE + WHOLE[:-1], 1),
        (WHOLE + b'{"fact"', 1),
        (WHOLE[:20], 0),
        (WHOLE + b"\0" * 50_000, 1),
        (WHOLE + b"\0" * 50_000 + b"\n", 1),
        (WHOLE + b"\0" * 100 + b"\n" + b"\0" * 100 + b"\n", 1),
        (WHOLE + b"[1]\n", 1),
        (b"\n\n\n", 0),
        (WHOLE * 5000 + b"{", 5000),
    ],
    ids=range(12),
)
def test_what_a_crash_leaves_is_cut_to_whole_lines(tmp_path: Path, left: bytes, kept: int) -> None:
    (tmp_path / "facts.jsonl").write_bytes(left)
    log = JsonlFacts(tmp_path, LogRules())
    log.note(PARKED, 0.0)
    log.close()
    assert len(lines(tmp_path / "facts.jsonl")) == kept + 1


def test_rotated_compressed_and_the_oldest_removed(tmp_path: Path) -> None:
    log = JsonlFacts(tmp_path, LogRules(bytes_max=3 * len(WHOLE), kept=2))
    for number in range(15):
        log.note(HostSlowed("a.example", "503", number, 99.0), 0.0)
        log.flush()
        if log._compressing is not None:
            log._compressing.join()
    log.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "facts-000004.jsonl.gz",
        "facts-000005.jsonl.gz",
        "facts.jsonl",
    ]
    told = [line["failures"] for path in sorted(tmp_path.glob("*.gz")) for line in lines(path)]
    assert told == list(range(9, 15))
    # Numbers go on, and what a crash left uncompressed is compressed at the next rotation.
    (tmp_path / "facts-000006.jsonl").write_bytes(WHOLE)
    again = JsonlFacts(tmp_path, LogRules(bytes_max=1, kept=10))
    again.note(SLOWED, 0.0)
    again.close()
    assert [path.name for path in sorted(tmp_path.glob("*-*"))] == [
        f"facts-00000{number}.jsonl.gz" for number in range(4, 8)
    ]


def test_a_full_disk_loses_nothing_until_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = JsonlFacts(tmp_path, LogRules())
    real, room = os.pwrite, [40]

    def pwrite(descriptor: int, data: bytes, offset: int) -> int:
        if not room[0]:
            raise OSError(28, "No space left on device")
        taken = real(descriptor, bytes(data)[: room[0]], offset)
        room[0] -= taken
        return taken

    monkeypatch.setattr(facts_jsonl.os, "pwrite", pwrite)
    log.note(SLOWED, 0.0)
    log.flush()
    log.note(PARKED, 0.0)
    log.flush()
    assert log.waiting
    room[0] = 1 << 30
    log.flush()
    log.close()
    assert [line["fact"] for line in lines(tmp_path / "facts.jsonl")] == ["HostSlowed", "HostParked"]


def test_beyond_the_limit_facts_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_jsonl, "FACTS_WAITING_BYTES_MAX", 50 * len(WHOLE) + 1)
    log = JsonlFacts(tmp_path, LogRules())
    most = 50
    for _ in range(most + 100):
        log.note(SLOWED, 0.0)
    log.close()
    told = lines(tmp_path / "facts.jsonl")
    assert len(told) == most + 1
    assert (told[-1]["fact"], told[-1]["count"]) == ("FactsLost", 100)
