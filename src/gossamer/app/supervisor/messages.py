"""What a supervisor and its workers say to each other. Both are of one release and of one run."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from gossamer.app.numbers import Closing
from gossamer.app.worker_figures import WorkerFigures
from gossamer.core.budget.allotment import Loan, Report
from gossamer.core.ending import EndState, Wish
from gossamer.core.framing import message_in
from gossamer.core.warc.location import FileMark
from gossamer.flow.budget import Cap
from gossamer.flow.opening import Found

IN_FORCE: Final = "in force"
ADD: Final = "add seeds"
UNKNOWN: Final = "unknown hosts"
RELEASE: Final = "release freed"
"""Requests that only a supervisor makes, beside those of the control socket."""

# --- to a worker -------------------------------------------------------------------------------------------------


class Start(msgspec.Struct, frozen=True, tag=True):
    """The first message: open your part of the crawl in `folder`."""

    folder: str
    number: int
    workers: int
    resume: bool
    secret: bytes
    """Of the run; workers know each other by it."""
    files: list[FileMark]
    commits: dict[int, int]
    dealt: dict[int, int]
    widenings: list[tuple[str, str, str]]

    @property
    def found(self) -> Found:
        """What the stores said."""
        from gossamer.flow.widenings import Widening  # noqa: PLC0415 - no name of a message

        files = {mark.path: mark for mark in self.files}
        return Found(files, self.commits, self.dealt, [Widening(*each) for each in self.widenings])


class Go(msgspec.Struct, frozen=True, tag=True):
    """All workers have opened their parts, or this one takes its place among them again: crawl."""

    deadline: float | None
    """When the time of this run is over, seconds since the epoch."""


class Ask(msgspec.Struct, frozen=True, tag=True):
    """A request, to be answered with that number."""

    number: int
    request: dict[str, Any]


class Lend(msgspec.Struct, frozen=True, tag=True):
    """A cap's bound of this worker's."""

    cap: Cap
    loan: Loan


class Recall(msgspec.Struct, frozen=True, tag=True):
    """Give back what you have of a cap beyond what is used and out."""

    cap: Cap


class Confirm(msgspec.Struct, frozen=True, tag=True):
    """Have you still nothing to do?"""

    round: int


class End(msgspec.Struct, frozen=True, tag=True):
    """All have agreed."""

    state: EndState


class Widen(msgspec.Struct, frozen=True, tag=True):
    """A seed of another worker's led to `target`."""

    seed: str
    target: str
    group: str


class Stop(msgspec.Struct, frozen=True, tag=True):
    """End: finish what is in flight, or nothing."""

    at_once: bool = False


ToWorker = Start | Go | Ask | Lend | Recall | Confirm | End | Widen | Stop

# --- from a worker -----------------------------------------------------------------------------------------------


class Ready(msgspec.Struct, frozen=True, tag=True):
    """Opened, and at the last commit. `used`: of each cap."""

    used: dict[Cap, int]
    said: list[str]
    """What recovery did, in words."""


class Figures(msgspec.Struct, frozen=True, tag=True):
    """How things stand."""

    figures: WorkerFigures


class Rests(msgspec.Struct, frozen=True, tag=True):
    """Nothing to do, or something again (`wish` is None). `turn` grows with every change."""

    wish: Wish | None
    turn: int


class Confirmed(msgspec.Struct, frozen=True, tag=True):
    """The answer to `Confirm`: as it stands now."""

    round: int
    wish: Wish | None
    turn: int


class Borrow(msgspec.Struct, frozen=True, tag=True):
    """How a cap stands here, and whether more is needed."""

    cap: Cap
    report: Report


class Say(msgspec.Struct, frozen=True, tag=True):
    """A line for people: partly untrusted text."""

    text: str


class Widened(msgspec.Struct, frozen=True, tag=True):
    """A seed led to `target` on its site, which is in scope since."""

    seed: str
    target: str
    group: str


class Freed(msgspec.Struct, frozen=True, tag=True):
    """What these suspects refused is queued here, durably. Suspect -> when it was freed."""

    moments: dict[str, float]


class Answered(msgspec.Struct, frozen=True, tag=True):
    """The answer to an `Ask`."""

    number: int
    answer: dict[str, Any]


class Ended(msgspec.Struct, frozen=True, tag=True):
    """All is committed; the process ends."""

    state: EndState
    figures: WorkerFigures
    closing: Closing


class Failed(msgspec.Struct, frozen=True, tag=True):
    """It cannot go on, for a reason that people can put right; the process ends."""

    message: str
    hint: str
    exit_code: int


FromWorker = Ready | Figures | Rests | Confirmed | Borrow | Say | Widened | Freed | Answered | Ended | Failed

_encoder: Final = msgspec.msgpack.Encoder()
_to_worker: Final = msgspec.msgpack.Decoder(ToWorker)
_from_worker: Final = msgspec.msgpack.Decoder(FromWorker)


def encode(message: ToWorker | FromWorker) -> bytes:
    """As it is sent."""
    return _encoder.encode(message)


def read_to_worker(payload: bytes) -> ToWorker:
    """What the supervisor said. Raises FrameRefused."""
    return message_in(_to_worker, payload)


def read_from_worker(payload: bytes) -> FromWorker:
    """What a worker said. Raises FrameRefused."""
    return message_in(_from_worker, payload)
