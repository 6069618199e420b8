"""The asked end: what another worker wants of the shards of this one."""

from __future__ import annotations

import asyncio
import hmac
from typing import TYPE_CHECKING

from gossamer.adapters.exchange_socket.frames import FrameConnection
from gossamer.adapters.exchange_socket.messages import (
    Answer,
    Claimed,
    EarlierCopy,
    FetchRobots,
    Hello,
    Never,
    Question,
    Receive,
    Released,
    SitemapsOf,
    encode,
    read_said,
)
from gossamer.core.framing import FrameRefused
from gossamer.core.limits import EXCHANGE_ASKED_MAX, EXCHANGE_FRAME_BYTES_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from typing import Any

    from gossamer.ports.exchange import ShardInbox

    Start = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class Caller:
    """One connection of another worker. `start` runs a task; if it fails, this worker fails."""

    def __init__(self, inboxes: Mapping[int, ShardInbox], secret: bytes, start: Start) -> None:
        self._inboxes = inboxes
        self._secret = secret
        self._start = start
        self._known = False
        self._working: dict[int, tuple[Question, asyncio.Task[None]]] = {}
        self._owed: set[tuple[int, bytes]] = set()
        """Shard and digest of bodies answered as new, of which it has said nothing yet."""
        self.connection = FrameConnection(self._heard, EXCHANGE_FRAME_BYTES_MAX)
        self.connection.lost.add_done_callback(lambda _: self._gone())

    def _heard(self, payload: bytes) -> None:
        said = read_said(payload)
        if not self._known:
            if not isinstance(said, Hello) or not hmac.compare_digest(said.secret, self._secret):
                raise FrameRefused("a stranger")
            self._known = True
            return
        match said:
            case Claimed(shard, digest, claim):
                self._owed.discard((shard, digest))
                self._inbox(shard).claimed(digest, claim)
            case Released(shard, digest):
                self._owed.discard((shard, digest))
                self._inbox(shard).released(digest)
            case Never(number):
                if number in self._working:
                    self._working[number][1].cancel()
            case Hello():
                raise FrameRefused("a second greeting")
            case _:
                self._ask(said)

    def _ask(self, question: Question) -> None:
        inbox = self._inbox(question.shard)
        task = self._start(self._answer(inbox, question))
        self._working[question.number] = question, task
        task.add_done_callback(lambda _: self._ended(question))
        if len(self._working) >= EXCHANGE_ASKED_MAX:
            self.connection.read(on=False)

    async def _answer(self, inbox: ShardInbox, question: Question) -> None:
        """Work on one question. One that a lost asker does not wait for any more is carried to its end all the same,
        if it is about entries.
        """
        answer = Answer(question.number)
        match question:
            case Receive():
                await inbox.receive(question.parcels)
            case EarlierCopy():
                claim = await inbox.earlier_copy(question.digest)
                if claim is None:
                    self._owed.add((question.shard, question.digest))
                answer = Answer(question.number, claim=claim)
            case FetchRobots():
                answer = Answer(question.number, robots=await inbox.fetch_robots(question.errand))
            case SitemapsOf():
                answer = Answer(question.number, sitemaps=await inbox.sitemaps_of(question.authority))
        self.connection.send(encode(answer))
        if self.connection.lost.done():
            self._release()

    def _ended(self, question: Question) -> None:
        self._working.pop(question.number, None)
        if len(self._working) < EXCHANGE_ASKED_MAX:
            self.connection.read(on=True)

    def _gone(self) -> None:
        for question, task in list(self._working.values()):
            if not isinstance(question, Receive):
                task.cancel()
        self._release()

    def _release(self) -> None:
        """Who owed an answer about bodies is gone: whoever waits for them is next to try."""
        while self._owed:
            shard, digest = self._owed.pop()
            self._inboxes[shard].released(digest)

    def _inbox(self, shard: int) -> ShardInbox:
        inbox = self._inboxes.get(shard)
        if inbox is None:
            raise FrameRefused(f"shard {shard} is not here")
        return inbox
