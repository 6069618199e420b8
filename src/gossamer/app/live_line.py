"""Progress on standard error: one live line on a terminal, a plain line every few seconds elsewhere, or nothing."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections import deque
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol, TextIO

from gossamer.app import figures
from gossamer.app.escape import inert

if TYPE_CHECKING:
    from gossamer.app.progress import Progress

ONCE_INTERRUPTED: Final = "stopping: what is in flight is finished and committed; Ctrl-C again stops at once"
TWICE_INTERRUPTED: Final = "stopped at once; what was committed is safe"
"""What Ctrl-C is answered with."""

PLAIN_SECONDS: Final = 5.0
"""Time between plain lines: often enough to see life in a log, seldom enough to keep it short."""
RATE_SECONDS: Final = 10.0
"""Rates are averages over this long."""
URL_COLUMNS_MIN: Final = 20
"""With less room than this the newest URL is left out."""
CLEAR: Final = "\r\x1b[K"
"""To the start of the line, and erase it (ECMA-48, EL)."""


class Loudness(Enum):
    """How progress is shown."""

    LIVE = "live"
    PLAIN = "plain"
    QUIET = "quiet"


def loudness_of(stream: TextIO, *, quiet: bool) -> Loudness:
    """What suits `stream`."""
    if quiet:
        return Loudness.QUIET
    return Loudness.LIVE if stream.isatty() and os.environ.get("TERM", "dumb") != "dumb" else Loudness.PLAIN


def progress_line(progress: Progress, pages_rate: float, bytes_rate: float, columns: int) -> str:
    """A snapshot on one line of at most `columns`; rates are a second."""
    line = f"paused: {', '.join(progress.paused)}  " if progress.paused else ""
    line += (
        f"{figures.rate(pages_rate)} pages/s  {figures.size(bytes_rate)}/s  "
        f"{figures.count(progress.pages)} pages  {figures.count(progress.queued)} queued  "
        f"hosts {progress.ready} ready {progress.waiting} waiting {progress.parked} parked  "
        f"{figures.count(progress.errors)} errors"
    )
    room = columns - len(line) - 2
    if progress.newest and room >= URL_COLUMNS_MIN:
        line += "  " + inert(progress.newest, room)
    return inert(line, columns)


class Progressing(Protocol):
    """Whoever shows a crawl to people."""

    def show(self, progress: Progress) -> None:
        """A snapshot; called a few times a second."""
        ...

    def say(self, message: str) -> None:
        """A line that stays; partly untrusted text."""
        ...

    def close(self) -> None:
        """The crawl is over."""
        ...


def make_progress(stream: TextIO, *, quiet: bool) -> Progressing:
    """What suits `stream`: the full view on a terminal, plain lines elsewhere, or nothing."""
    loudness = loudness_of(stream, quiet=quiet)
    if loudness is not Loudness.LIVE:
        return LiveLine(stream, loudness)
    from gossamer.app.display import Display  # noqa: PLC0415 - rich takes a while to import

    return Display(stream)


class LiveLine:
    """Shows snapshots and messages on `stream`. A terminal that went away does not end the crawl."""

    def __init__(self, stream: TextIO, loudness: Loudness) -> None:
        self._stream = stream
        self._loudness = loudness
        self._past: deque[Progress] = deque()
        self._line = ""
        self._next_plain = 0.0

    def show(self, progress: Progress) -> None:
        """Show a snapshot; call it a few times a second."""
        self._remember(progress)
        if self._loudness is Loudness.LIVE:
            self._line = self._text(progress, self._columns() - 1)
            self._put(CLEAR + self._line)
        elif self._loudness is Loudness.PLAIN and progress.elapsed >= self._next_plain:
            self._next_plain = progress.elapsed + PLAIN_SECONDS
            self._put(self._text(progress, 200) + "\n")

    def say(self, message: str) -> None:
        """A line that stays. `message` is made harmless."""
        if self._loudness is not Loudness.QUIET:
            clear = CLEAR if self._line else ""
            self._put(f"{clear}{inert(message, 2000)}\n{self._line}")

    def close(self) -> None:
        """Leave the last snapshot standing; calling it twice is harmless."""
        if self._line:
            self._line = ""
            self._put("\n")

    def _remember(self, progress: Progress) -> None:
        self._past.append(progress)
        while len(self._past) > 2 and progress.elapsed - self._past[1].elapsed >= RATE_SECONDS:
            self._past.popleft()

    def _text(self, progress: Progress, columns: int) -> str:
        first = self._past[0]
        seconds = progress.elapsed - first.elapsed
        pages, received, since = progress.pages - first.pages, progress.bytes - first.bytes, seconds
        if seconds <= 0:
            pages, received, since = 0, 0, 1.0
        return progress_line(progress, pages / since, received / since, columns)

    def _columns(self) -> int:
        return max(20, shutil.get_terminal_size().columns)

    def _put(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()
