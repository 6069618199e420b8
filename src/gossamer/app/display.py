"""The live view on a terminal: drawn in place by a thread of its own, so that a terminal that stalls stalls nothing.

The view is a block of lines below what was said before. It is redrawn line by line without clearing first, so it does
not flicker; the cursor stays visible and no mode of the terminal is changed, so a killed crawl leaves a sane terminal.
When the terminal was resized, it has wrapped the old lines: the block's new height is reckoned from their widths. In a
terminal too small for the view one line is shown.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import deque
from typing import TYPE_CHECKING, Final, TextIO

from rich.color import ColorSystem
from rich.console import Console
from rich.text import Text

from gossamer.app.display_view import Canvas, view
from gossamer.app.escape import inert
from gossamer.app.history import History
from gossamer.app.live_line import progress_line

if TYPE_CHECKING:
    from rich.segment import Segment

    from gossamer.app.progress import Progress

ROWS_MIN: Final = 10
COLUMNS_MIN: Final = 50
"""Below these one line is shown instead of the view."""
MESSAGES_WAITING_MAX: Final = 200
MESSAGE_COLUMNS_MAX: Final = 2000
CLOSE_SECONDS: Final = 2.0
"""How long a stalled terminal may hold up the end of a crawl."""
ERASE_LINE: Final = "\x1b[K"
ERASE_BELOW: Final = "\x1b[J"
"""ECMA-48, EL and ED: to the end of the line, to the end of the screen."""


class Block:
    """The lines that stand on the terminal, and how to put others in their place."""

    def __init__(self, colors: ColorSystem | None) -> None:
        self._colors = colors
        self._console = Console(force_terminal=True, highlight=False)
        self._widths: list[int] = []
        self._columns = 0

    def replaced(self, lines: list[Text], said: list[str], columns: int) -> str:
        """What to write so that `said` stands where the block began, for good, and `lines` below it."""
        resized = bool(self._widths) and columns != self._columns
        text = self._to_top(columns) + (ERASE_BELOW if resized else "")
        text += "".join(f"{inert(message, MESSAGE_COLUMNS_MAX)}{ERASE_LINE}\r\n" for message in said)
        text += f"{ERASE_LINE}\r\n".join(self._rendered(lines)) + ERASE_LINE + ERASE_BELOW
        self._widths, self._columns = [line.cell_len for line in lines], columns
        return text

    def _to_top(self, columns: int) -> str:
        rows = len(self._widths)
        if columns != self._columns:
            rows = sum(max(1, -(-width // max(1, columns))) for width in self._widths)
        return "\r" + (f"\x1b[{rows - 1}A" if rows > 1 else "")

    def _rendered(self, lines: list[Text]) -> list[str]:
        # The lines are cut already: without the console's wrapping they are made in a third of the time.
        return ["".join(self._styled(segment) for segment in line.render(self._console)) for line in lines]

    def _styled(self, segment: Segment) -> str:
        if segment.style is None or self._colors is None:
            return segment.text
        return segment.style.render(segment.text, color_system=self._colors)


class Display:
    """The same face as `LiveLine`: `show`, `say`, `close`. Memory is bounded whatever the terminal does."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        encoding = (getattr(stream, "encoding", None) or "utf-8").lower()
        self._unicode = encoding.replace("-", "").startswith("utf")
        self._encoding = encoding
        self._block = Block(_color_system())
        self._history = History()
        self._newest: Progress | None = None
        self._said: deque[str] = deque(maxlen=MESSAGES_WAITING_MAX)
        self._wanted = threading.Event()
        self._closing = False
        self._painter: threading.Thread | None = None

    def show(self, progress: Progress) -> None:
        """Show a snapshot; call it a few times a second. Of those that come too fast the newest counts."""
        self._newest = progress
        self._wake()

    def say(self, message: str) -> None:
        """A line that stays. `message` is made harmless."""
        self._said.append(message)
        self._wake()

    def close(self) -> None:
        """Leave the last view standing; calling it twice is harmless."""
        if self._closing:
            return
        self._closing = True
        if self._painter is not None:
            self._wanted.set()
            self._painter.join(CLOSE_SECONDS)

    def frame(self) -> str:
        """What to write now: the messages since the last frame, and the view of the newest snapshot."""
        columns, rows = self._size()
        said = [self._said.popleft() for _ in range(len(self._said))]
        lines: list[Text] = []
        if self._newest is not None:
            self._history.remember(self._newest)
            lines = self._lines(self._newest, columns, rows)
        return self._block.replaced(lines, said, columns)

    def _lines(self, progress: Progress, columns: int, rows: int) -> list[Text]:
        if rows < ROWS_MIN or columns < COLUMNS_MIN:
            rates = self._history.rate(lambda sample: sample.pages), self._history.rate(lambda sample: sample.bytes)
            return [Text(progress_line(progress, *rates, columns - 1))]
        # The last column stays free: a terminal may wrap after it.
        return view(progress, self._history, Canvas(columns - 1, rows - 1, self._unicode))

    def _wake(self) -> None:
        if self._closing:
            return
        if self._painter is None:
            self._painter = threading.Thread(target=self._paint, name="gossamer-display", daemon=True)
            self._painter.start()
        self._wanted.set()

    def _paint(self) -> None:
        while not self._closing:
            self._wanted.wait()
            self._wanted.clear()
            self._put(self.frame())
        self._put(self.frame() + "\r\n")

    def _put(self, text: str) -> None:
        data = text.encode(self._encoding, "replace")
        # A terminal that went away does not end the crawl. Not through the stream: its lock would be held by a thread
        # that a stalled terminal never gives back.
        with contextlib.suppress(OSError, ValueError):
            descriptor = self._stream.fileno()
            while data:
                data = data[os.write(descriptor, data) :]

    def _size(self) -> tuple[int, int]:
        """Columns and rows of the terminal now; of a stream that is none, 80 by 24."""
        with contextlib.suppress(OSError, ValueError):
            size = os.get_terminal_size(self._stream.fileno())
            if size.columns > 0 and size.lines > 0:
                return size.columns, size.lines
        return 80, 24


def _color_system() -> ColorSystem | None:
    """Rich's own choice would ask a stream that is no terminal where it is captured."""
    if os.environ.get("NO_COLOR"):
        return None
    many = "256" in os.environ.get("TERM", "") or os.environ.get("COLORTERM")
    return ColorSystem.EIGHT_BIT if many else ColorSystem.STANDARD
