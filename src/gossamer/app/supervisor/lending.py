"""The caps of the crawl in all, lent to the workers: pages, bytes, pages of public hosts without a contact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.supervisor import messages
from gossamer.core.budget.allotment import Allotment
from gossamer.core.limits import WORKER_BLOCK_BODIES, WORKER_BLOCK_PAGES
from gossamer.flow.budget import Cap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gossamer.app.numbers import Caps

    Send = Callable[[int, messages.ToWorker], None]


class Lending:
    """One allotment for each cap. `send` carries loans and recalls to a worker."""

    def __init__(self, caps: Caps, body_bytes: int, send: Send) -> None:
        self._send = send
        self._allotments = {
            Cap.PAGES: Allotment(caps.pages, WORKER_BLOCK_PAGES),
            Cap.BYTES: Allotment(caps.bytes, WORKER_BLOCK_BODIES * body_bytes, body_bytes),
            Cap.PUBLIC_PAGES: Allotment(caps.public_pages, WORKER_BLOCK_PAGES),
        }

    def reopened(self, worker: int, used: Mapping[Cap, int]) -> None:
        """A worker has opened its part; what it has used is durable."""
        for cap, allotment in self._allotments.items():
            allotment.reopened(worker, used.get(cap, 0))

    def reported(self, worker: int, message: messages.Borrow) -> None:
        """A worker says how a cap stands there."""
        self._allotments[message.cap].report(worker, message.report)
        self.tell([message.cap])

    def tell(self, caps: Iterable[Cap] = Cap) -> None:
        """Send the loans that are due."""
        for cap in caps:
            for worker, loan in self._allotments[cap].loans().items():
                self._send(worker, messages.Lend(cap, loan))

    def recall(self) -> None:
        """Have bounds lowered where somebody waits. To be called again and again while the crawl runs."""
        for cap, allotment in self._allotments.items():
            for worker in allotment.recalls():
                self._send(worker, messages.Recall(cap))

    def adopt(self, caps: Caps) -> None:
        """Other caps are in force."""
        for cap, most in ((Cap.PAGES, caps.pages), (Cap.BYTES, caps.bytes), (Cap.PUBLIC_PAGES, caps.public_pages)):
            for worker in self._allotments[cap].adopt(most):
                self._send(worker, messages.Recall(cap))
        self.tell()
