"""A worker's side of the crawl's company: it reports to the supervisor, and does what it is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from gossamer.adapters.exchange_socket.frames import FrameConnection
from gossamer.app.supervisor import messages
from gossamer.core.framing import FrameRefused
from gossamer.core.limits import SUPERVISOR_FRAME_BYTES_MAX
from gossamer.flow.lending import Borrower

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from gossamer.core.budget.allotment import Report
    from gossamer.core.ending import EndState, Wish
    from gossamer.flow.budget import Cap
    from gossamer.flow.worker import Worker

T = TypeVar("T")


class Membership:
    """The port `company` of one of several workers."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.started: asyncio.Future[messages.Start] = loop.create_future()
        """The first message."""
        self.let_go: asyncio.Future[bool] = loop.create_future()
        """Whether the crawl begins, or is stopped before."""
        self.deadline: float | None = None
        """When the time of this run is over, seconds since the epoch; known when the crawl begins."""
        self.connection = FrameConnection(self._heard, SUPERVISOR_FRAME_BYTES_MAX)
        self.answer: Callable[[messages.Ask], None] | None = None
        self.stop: Callable[[messages.Stop], None] | None = None
        self.widened: Callable[[messages.Widen], None] | None = None
        self._worker: Worker | None = None
        self._borrower: Borrower | None = None
        self._wish: Wish | None = None
        self._turn = 0
        self._asked = 0
        """The round in which it is asked to confirm; 0 while it is not."""
        self._end: EndState | None = None

    async def connect(self, link: socket.socket) -> None:
        """Speak through the socket that the supervisor handed down."""
        await asyncio.get_running_loop().create_unix_connection(lambda: self.connection, sock=link)

    def join(self, worker: Worker, body_bytes: int) -> None:
        """Become the worker's company, and the lender of its caps."""
        worker.company = self
        self._worker = worker
        self._borrower = Borrower(worker.budget, self._borrow, body_bytes)

    def send(self, message: messages.FromWorker) -> None:
        """Tell the supervisor."""
        self.connection.send(messages.encode(message))

    def settle(self, wish: Wish | None) -> EndState | None:
        """See the port."""
        if wish is not None and wish.at_once:
            return wish.state
        if wish != self._wish:
            self._wish = wish
            self._turn += 1
            self.send(messages.Rests(wish, self._turn))
            if wish is not None and self._borrower is not None:
                self._borrower.rest()
        if self._asked:
            self.send(messages.Confirmed(self._asked, wish, self._turn))
            self._asked = 0
        return self._end

    def _borrow(self, cap: Cap, report: Report) -> None:
        self.send(messages.Borrow(cap, report))

    def _heard(self, payload: bytes) -> None:
        message = messages.read_to_worker(payload)
        match message:
            case messages.Start():
                self.started.set_result(message)
            case messages.Go(deadline):
                self.deadline = deadline
                if not self.let_go.done():
                    self.let_go.set_result(True)
            case messages.Ask():
                _handler(self.answer)(message)
            case messages.Stop():
                if not self.let_go.done():
                    self.let_go.set_result(False)
                # Before its part is open there is nothing to stop but the beginning.
                if self.stop is not None:
                    self.stop(message)
            case messages.Widen():
                _handler(self.widened)(message)
            case _:
                self._crawl(message)

    def _crawl(self, message: messages.Lend | messages.Recall | messages.Confirm | messages.End) -> None:
        """What concerns the loop, which looks at it at once."""
        if self._worker is None or self._borrower is None:
            raise FrameRefused("it came before the start")
        match message:
            case messages.Lend(cap, loan):
                self._borrower.lent(cap, loan)
            case messages.Recall(cap):
                self._borrower.give_back(cap)
                return
            case messages.Confirm(number):
                self._asked = number
            case messages.End(state):
                self._end = state
        self._worker.alarm.ring()


def _handler(handler: Callable[[T], None] | None) -> Callable[[T], None]:
    if handler is None:
        raise FrameRefused("it came before the start")
    return handler
