from __future__ import annotations

import io
import re

import pytest

from gossamer.app import figures
from gossamer.app.live_line import CLEAR, LiveLine, Loudness, loudness_of
from gossamer.app.progress import Progress
from gossamer.app.report_lines import report_lines


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def progress(elapsed: float, pages: int, newest: str = "https://a.example/") -> Progress:
    return Progress(
        elapsed=elapsed,
        pages=pages,
        bytes=pages * 10_000,
        queued=1234,
        ready=1,
        waiting=2,
        parked=3,
        errors=4,
        newest=newest,
    )


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")


def test_one_live_line() -> None:
    stream = Terminal()
    line = LiveLine(stream, loudness_of(stream, quiet=False))
    line.show(progress(0.0, 0))
    line.show(progress(2.0, 10))
    shown = stream.getvalue().split(CLEAR)[-1]
    assert shown == (
        "5.0 pages/s  50.0 kB/s  10 pages  1,234 queued  hosts 1 ready 2 waiting 3 parked  4 errors  https://a.example/"
    )
    line.say("robots.txt of \x1b[2J refused")
    assert stream.getvalue().endswith(f"{CLEAR}robots.txt of <001B>[2J refused\n{shown}")
    line.close()
    line.close()
    assert stream.getvalue().endswith(shown + "\n")


def test_rates_are_of_the_last_ten_seconds() -> None:
    stream = Terminal()
    line = LiveLine(stream, Loudness.LIVE)
    for second in range(60):
        line.show(progress(float(second), second * 100 if second < 40 else 4000))
    assert stream.getvalue().split(CLEAR)[-1].startswith("0.0 pages/s  0 B/s  4,000 pages")


@pytest.mark.parametrize("columns", [20, 40, 81, 100, 200])
def test_never_wider_than_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    stream = Terminal()
    LiveLine(stream, Loudness.LIVE).show(progress(1.0, 1, "https://a.example/\x1b]0;x\x07" + "界" * 300))
    text = stream.getvalue().removeprefix(CLEAR)
    assert len(text) < columns
    assert not re.search("[\x00-\x1f\x7f]", text)


def test_plain_lines_every_few_seconds_elsewhere() -> None:
    stream = io.StringIO()
    line = LiveLine(stream, loudness_of(stream, quiet=False))
    for tenth in range(120):
        line.show(progress(tenth / 10, tenth))
    line.say("note")
    line.close()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4
    assert lines[-1] == "note"
    assert "\x1b" not in stream.getvalue()
    assert "\r" not in stream.getvalue()


def test_quiet_is_silent() -> None:
    stream = Terminal()
    line = LiveLine(stream, loudness_of(stream, quiet=True))
    line.show(progress(1.0, 1))
    line.say("note")
    line.close()
    assert stream.getvalue() == ""


def test_a_dumb_terminal_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert loudness_of(Terminal(), quiet=False) is Loudness.PLAIN


def test_a_terminal_that_went_away_ends_nothing() -> None:
    stream = Terminal()
    line = LiveLine(stream, Loudness.LIVE)
    line.show(progress(1.0, 1))
    stream.close()
    line.show(progress(2.0, 2))
    line.say("note")
    line.close()


def test_progress_as_dict() -> None:
    assert progress(1.0, 2).as_dict()["pages"] == 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (figures.size(0), "0 B"),
        (figures.size(999), "999 B"),
        (figures.size(999.9), "1.0 kB"),
        (figures.size(1_234_567), "1.2 MB"),
        (figures.size(999_960), "1.0 MB"),
        (figures.size(250e9), "250 GB"),
        (figures.rate(0), "0.0"),
        (figures.rate(99.96), "100"),
        (figures.rate(12345.6), "12,346"),
        (figures.duration(4.26), "4.3s"),
        (figures.duration(83), "1m 23s"),
        (figures.duration(59.7), "1m"),
        (figures.duration(3600), "1h"),
        (figures.duration(5400), "1h 30m"),
        (figures.duration(90000), "1d 1h"),
        (figures.duration(0), "0.0s"),
        (figures.count(1234567), "1,234,567"),
    ],
)
def test_figures(text: str, wanted: str) -> None:
    assert text == wanted


def test_report_lines() -> None:
    lines = report_lines(
        {
            "extra_number": 2.5,
            "version": 1,
            "pages": 1234,
            "end_state": "complete",
            "seconds": 83,
            "bytes": 1_500_000,
            "held": 0,
            "queued": 0,
            "balanced": False,
            "commit_milliseconds_max": 12.4,
            "memory_bytes_peak": 157_000_000,
            "newest": "https://a.example/\x1b[2J",
            "refused": {"out of scope": 12, "robots": 300, "\x1bbad": 1},
            "parked_hosts": ["a.example: reset\n"],
            "widened": [],
            "failed": {},
            "reason": "",
        }
    )
    assert lines == [
        "ended            complete",
        "took             1m 23s",
        "pages            1,234",
        "received         1.5 MB",
        "newest page      https://a.example/<001B>[2J",
        "queued           0",
        "URLs refused",
        "           300  robots",
        "            12  out of scope",
        "             1  <001B>bad",
        "ledgers balance  NO",
        "troubled hosts",
        "  a.example: reset ",
        "commit, longest  12 ms",
        "memory at most   157 MB",
        "extra number     2.50",
    ]


def test_a_visit_without_an_answer_is_told_in_words() -> None:
    lines = report_lines({"statuses": {"200": 9, "0": 5}, "groups": {"0": 1}})
    assert lines == ["answers", "             9  200", "             5  no answer", "groups", "             1  0"]


def test_numbers_with_their_nouns() -> None:
    assert [figures.counted(number, "file") for number in (0, 1, 1234)] == ["0 files", "1 file", "1,234 files"]


def test_what_says_nothing_is_not_shown() -> None:
    assert report_lines({"unarchived": 0, "group_pages": {"given": 3}}) == []
    assert report_lines({"unarchived": 2}) == ["not archived     2"]
    assert report_lines({"group_pages": {"given": 3, "north": 1}})[0] == "pages by group"
