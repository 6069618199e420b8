"""The live view: what it says, that it fits, that nothing foreign acts, that a stalled terminal stalls nothing."""

from __future__ import annotations

import io
import os
import pty
import re
import threading
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.color import ColorSystem

from gossamer.app import display as display_module
from gossamer.app.display import MESSAGES_WAITING_MAX, Block, Display
from gossamer.app.display_view import BARS, BARS_ASCII, Canvas, spark, time_band, view
from gossamer.app.escape import _columns, _piece, inert
from gossamer.app.history import History
from gossamer.app.live_line import LiveLine, make_progress
from gossamer.app.progress import Bounds, DiskShown, Progress, WorkerShown
from gossamer.app.tallies import HostShown

GIB = 1 << 30
OURS = re.compile(r"\x1b\[[0-9;]*[mKJA]")
"""The sequences that the display itself writes: colours, erasing, moving up."""
NASTY = "https://a.example/\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\u2066\r\nX\U000e0041\u200d❤\ufe0f1\ufe0f\u20e3\U0001f1e9\U0001f1ea界"


def snapshot(text: str = "a.example", **more: object) -> Progress:
    numbers: dict[str, object] = {
        "elapsed": 754.0,
        "pages": 123_456,
        "bytes": 12_300_000_000,
        "queued": 1_234_567,
        "leased": 12,
        "ready": 40,
        "waiting": 300,
        "parked": 4,
        "errors": 17,
        "newest": f"https://{text}/page",
        "known": 2_000_000,
        "done": 700_000,
        "held": 7,
        "statuses": {"200": 123_456, "404": 1_200, "0": 31},
        "failed": {"timeout": 12, text: 5},
        "refused": {"robots": 300},
        "refused_links": {"scope": 12_000, "nofollow": 40},
        "slowed": {"503": 12, text: 3},
        "busiest": tuple(HostShown(f"{number}.{text}", 900 - number, 1_000_000, 0.2) for number in range(8)),
        "slowest": tuple(HostShown(f"slow{number}.{text}", 3, 10, 9.5 - number) for number in range(8)),
        "disks": (DiskShown("/data", 120 * GIB, 500 * GIB, 2 * GIB),),
        "workers": (WorkerShown(0, 12, 64, 0.0123, 310_000_000),),
        "bounds": Bounds(pages=200_000),
        "note": f"{text} left alone for a while",
    }
    return Progress(**{**numbers, **more})  # type: ignore[arg-type]


def lines(progress: Progress, columns: int = 120, rows: int = 40, *, history: History | None = None) -> list[str]:
    return [line.plain.rstrip() for line in view(progress, history or History(), Canvas(columns, rows))]


def lived() -> History:
    history = History()
    for second in range(60):
        history.remember(
            Progress(elapsed=float(second), pages=100 * second, bytes=10**6 * second, queued=5, disks=snapshot().disks)
        )
    return history


def test_what_it_says() -> None:
    shown = lines(snapshot(), history=lived())
    text = "\n".join(shown)
    assert shown[0] == "gossamer  crawling   for 12m 34s"
    for words in (
        "123,456",
        "100/s",
        BARS[-1] * 20,
        "12.3 GB",
        "1.0 MB/s",
        "1,234,567  12 in flight  7 held",
        "35% of 2,000,000 known",
        "200 123,456   404 1,200   no answer 31",
        "timeout 12   a.example 5",
        "robots 300",
        "scope 12,000   nofollow 40",
        "40 ready  300 waiting  4 parked   slowed by 503 12, a.example 3",
        "0.a.example",
        "slow0.a.example",
        "worker 0  12 of 64 fetches   commit 12 ms   memory 310 MB",
        "129 GB free of 537 GB   pauses below 2.1 GB   /data",
        "ends in   about 12m 45s   at most 200,000 pages",
        "note      a.example left alone for a while",
        "newest    https://a.example/page",
    ):
        assert words in text, words
    assert "5.a.example" not in text


def test_paused_and_stopping() -> None:
    assert lines(snapshot(paused=("disk", "operator")))[0].startswith("gossamer  paused: disk, operator")
    assert lines(snapshot(paused=("disk",), stopping=True))[0].startswith("gossamer  stopping")


def test_a_disk_that_fills_says_when() -> None:
    history = History()
    for second in range(61):
        free = 12 * GIB - second * GIB // 36
        disks = (DiskShown("/data", free, 500 * GIB, 2 * GIB),)
        history.remember(Progress(elapsed=float(second), disks=disks))
    (line,) = [line for line in lines(snapshot(disks=disks), history=history) if line.startswith("disk")]
    assert "pauses below 2.1 GB, in about 5m" in line


def test_an_empty_crawl() -> None:
    assert lines(Progress(elapsed=0.0)) == [
        "gossamer  crawling   for 0.0s",
        "pages                 0       0.0/s",
        "received            0 B       0 B/s",
        "queue                 0  0 in flight  ░░░░░░░░░░░░░░░░░░░░ 0% of 0 known",
        "hosts     0 ready  0 waiting  0 parked",
    ]


@given(
    text=st.text(max_size=30) | st.just(NASTY) | st.just("界" * 200),
    columns=st.integers(1, 200),
    rows=st.integers(1, 60),
    unicode=st.booleans(),
)
def test_it_fits_and_is_inert(text: str, columns: int, rows: int, unicode: bool) -> None:
    shown = view(snapshot(text), History(), Canvas(columns, rows, unicode))
    assert 1 <= len(shown) <= rows
    for line in shown:
        assert cell_len(line.plain) <= columns
        assert line.plain.isprintable()
    assert inert(text, 500) == text or text not in "".join(line.plain for line in shown)


@given(st.text() | st.text(st.sampled_from(NASTY + "❤👍🏽क्षि")), st.integers(0, 60))
def test_escaped_text_is_never_wider_than_it_says(text: str, width: int) -> None:
    assert cell_len(inert(text, width)) <= width


def test_no_character_is_wider_than_it_counts() -> None:
    """The columns counted for a row of characters are those that it takes."""
    everything = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for start in range(0, len(everything), 400):
        row = everything[start : start + 400]
        counted = sum(_columns(_piece(character)) for character in row)
        assert cell_len("".join(map(_piece, row))) <= counted, hex(start)


def test_parts_go_in_order_of_rank() -> None:
    kept = {rows: [line.split()[0] for line in lines(snapshot(), 90, rows)] for rows in (1, 3, 6, 12)}
    assert kept[1] == ["gossamer"]
    assert kept[3] == ["gossamer", "pages", "queue"]
    assert kept[6] == ["gossamer", "pages", "received", "queue", "answers", "hosts"]
    assert {"newest", "note"} <= set(kept[12])
    assert "busiest" not in kept[12]


def test_spark_and_band() -> None:
    assert spark([0, 1, 2, 4]) == "▁▃▅█"
    assert spark([0, 0]) == "▁▁"
    assert spark([]) == ""
    assert spark([0, 4], unicode=False) == BARS_ASCII[0] + BARS_ASCII[-1]
    assert time_band(10.2, 10.9) == "about 11s"
    assert time_band(60.0, 7200.0) == "1m to 2h"
    assert time_band(90.0, None) == "over 1m 30s"


class Screen:
    """What a terminal shows after what the display wrote: its few sequences carried out, anything else an error."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.rows: list[list[str]] = [[]]
        self.row = self.column = 0

    def write(self, text: str) -> None:
        for token in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|.|\r|\n", text):
            if token.startswith("\x1b"):
                self._control(token)
            elif token == "\r":
                self.column = 0
            elif token == "\n":
                self.row += 1
                while len(self.rows) <= self.row:
                    self.rows.append([])
            else:
                assert token.isprintable(), repr(token)
                if self.column == self.columns:
                    self.write("\r\n")
                line = self.rows[self.row]
                line += " " * (self.column + 1 - len(line))
                line[self.column] = token
                self.column += 1

    def _control(self, token: str) -> None:
        assert OURS.fullmatch(token), repr(token)
        if token.endswith("A"):
            self.row = max(0, self.row - int(token[2:-1]))
        elif token.endswith("K"):
            del self.rows[self.row][self.column :]
        elif token.endswith("J"):
            del self.rows[self.row][self.column :]
            del self.rows[self.row + 1 :]

    def resize(self, columns: int) -> None:
        """As terminals do that wrap anew what they show."""
        wrapped: list[list[str]] = []
        for row in self.rows:
            wrapped += [row[start : start + columns] for start in range(0, max(1, len(row)), columns)]
        self.rows, self.columns = wrapped, columns
        self.row, self.column = len(wrapped) - 1, len(wrapped[-1])

    def text(self) -> list[str]:
        return ["".join(row).rstrip() for row in self.rows]


def test_frames_replace_each_other_and_messages_stay() -> None:
    screen, block = Screen(100), Block(ColorSystem.EIGHT_BIT)
    for number, said in ((1, ["one \x1b[2J" + "x" * 150]), (2, []), (3, ["two", "three"])):
        shown = view(snapshot(pages=number, elapsed=float(number)), History(), Canvas(99, 23 - number))
        screen.write(block.replaced(shown, said, 100))
    text = screen.text()
    assert text[:4] == ["one <001B>[2J" + "x" * 87, "x" * 63, "two", "three"]
    assert text[4:] == lines(snapshot(pages=3, elapsed=3.0), 99, 20)


@pytest.mark.parametrize("columns", [40, 60, 79, 120, 200])
def test_a_resized_terminal_shows_one_view(columns: int) -> None:
    screen, block = Screen(100), Block(None)
    screen.write("before\r\n")
    screen.write(block.replaced(view(snapshot(), History(), Canvas(99, 30)), [], 100))
    screen.resize(columns)
    screen.write(block.replaced(view(snapshot(pages=5), History(), Canvas(columns - 1, 30)), ["said"], columns))
    assert screen.text() == ["before", "said", *lines(snapshot(pages=5), columns - 1, 30)]


class Terminal:
    """A pseudo terminal: the display's end as a stream, and what came out at the other."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        self.stream = os.fdopen(self.slave, "w", encoding="utf-8")
        self.read = b""
        self._reader = threading.Thread(target=self._drain, daemon=True)

    def listen(self) -> None:
        self._reader.start()

    def _drain(self) -> None:
        try:
            while piece := os.read(self.master, 65536):
                self.read += piece
        except OSError:
            pass

    def close(self) -> str:
        self.stream.close()
        if self._reader.is_alive():
            self._reader.join(20)
        os.close(self.master)
        return self.read.decode()


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    return Terminal()


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (20, 5), (1, 1), (0, 0)])
def test_on_a_real_terminal_of_any_size(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(display_module.os, "get_terminal_size", lambda _: os.terminal_size(size))
    terminal.listen()
    shown = make_progress(terminal.stream, quiet=False)
    assert isinstance(shown, Display)
    shown.say(NASTY)
    for second in range(5):
        shown.show(snapshot(NASTY, elapsed=float(second)))
    shown.close()
    shown.close()
    shown.say("after the end")
    shown.show(snapshot())
    text = terminal.close()
    assert "<001B>]0;owned<0007>" in text
    assert "after the end" not in text
    bare = OURS.sub("", text)
    assert not re.search("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufe0f]", bare)


def test_a_stalled_terminal_stalls_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody reads: the thread that writes blocks, whoever shows does not, and memory stays as it is."""
    monkeypatch.setattr(display_module, "CLOSE_SECONDS", 0.05)
    shown = Display(terminal.stream)
    tracemalloc.start()
    for number in range(2000):
        shown.say("x" * 500)
        shown.show(snapshot(elapsed=float(number)))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    shown.close()
    assert used < 3_000_000
    assert len(shown._said) <= MESSAGES_WAITING_MAX
    terminal.listen()
    shown._painter.join(20)  # type: ignore[union-attr]
    terminal.close()


def test_a_terminal_that_goes_away_ends_nothing(terminal: Terminal) -> None:
    shown = Display(terminal.stream)
    terminal.stream.close()
    os.close(terminal.master)
    shown.show(snapshot())
    shown.say("gone")
    shown.close()


def test_elsewhere_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    shown = make_progress(stream, quiet=False)
    assert isinstance(shown, LiveLine)
    shown.show(snapshot(paused=("disk",)))
    assert stream.getvalue().startswith("paused: disk  0.0 pages/s")
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(make_progress(io.StringIO(), quiet=False), LiveLine)


def test_no_color(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    terminal.listen()
    shown = Display(terminal.stream)
    shown.show(snapshot())
    shown.close()
    assert not re.search(r"\x1b\[[0-9;]+m", terminal.close())
