"""The asking end: what this worker wants of another one.

Outbox entries, errands and questions for sitemaps are sent until they are answered: after a lost connection again, and
entries in their old order, for the receiver takes none that is older than one it has. A question for a body is not: its
asker waits for two seconds at most, and a body stored twice breaks nothing. Nor is word of a claim.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
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
    read_answer,
)
from gossamer.core.limits import (
    DIGEST_ANSWER_SECONDS_MAX,
    EXCHANGE_BATCH_BYTES,
    EXCHANGE_BATCHES_OUT_MAX,
    EXCHANGE_FRAME_BYTES_MAX,
    EXCHANGE_RETRY_SECONDS,
)
from gossamer.core.robots.answer import RobotsAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gossamer.core.frontier.lease import Errand
    from gossamer.ports.exchange import Claim, Parcel


@dataclass(slots=True)
class _Asked:
    """A question under way."""

    question: Question
    answer: asyncio.Future[Answer]


class Line:
    """The way to one other worker, which listens at `path` once it runs."""

    def __init__(self, path: Path, hello: Hello) -> None:
        self._path = path
        self._hello = hello
        self._number = 0
        self._asked: dict[int, _Asked] = {}
        """What is not answered yet, in the order it was asked; sent where the connection stands, save what waits."""
        self._waiting: deque[int] = deque()
        """Batches of entries beyond those that may be out."""
        self._out = 0
        self._connection: FrameConnection | None = None
        self._keeping: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Connect, and connect again whenever the connection is lost, until `close`."""
        self._keeping = asyncio.get_running_loop().create_task(self._keep(), name="gossamer exchange")

    def close(self) -> None:
        """Give up; who waits for an answer is not told."""
        if self._keeping is not None:
            self._keeping.cancel()
        if self._connection is not None:
            self._connection.abort()

    def next_number(self) -> int:
        """The number of a new question."""
        self._number += 1
        return self._number

    def ask(self, question: Question) -> asyncio.Future[Answer]:
        """Ask now; the answer, however long it takes. Whoever waits no more cancels it."""
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked[question.number] = _Asked(question, answer)
        answer.add_done_callback(lambda answer: self._given_up(question) if answer.cancelled() else None)
        self._send_or_wait(question)
        return answer

    def _given_up(self, question: Question) -> None:
        # Entries are taken in, or not, in their order, whether somebody waits or not.
        if not isinstance(question, Receive) and self._asked.pop(question.number, None) is not None:
            self.tell(Never(question.number))

    def tell(self, message: Claimed | Released | Never) -> None:
        """Say something that needs no answer; lost where there is no connection."""
        if self._connection is not None:
            self._connection.send(encode(message))

    def _send_or_wait(self, question: Question) -> None:
        if isinstance(question, Receive) and self._out >= EXCHANGE_BATCHES_OUT_MAX:
            self._waiting.append(question.number)
        else:
            self._send(question)

    def _send(self, question: Question) -> None:
        if self._connection is not None:
            self._out += isinstance(question, Receive)
            self._connection.send(encode(question))

    async def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                _, connection = await loop.create_unix_connection(
                    lambda: FrameConnection(self._heard, EXCHANGE_FRAME_BYTES_MAX), str(self._path)
                )
            except OSError:
                await asyncio.sleep(EXCHANGE_RETRY_SECONDS)
                continue
            connection.send(encode(self._hello))
            self._connection = connection
            self._send_all()
            await connection.lost
            self._connection = None
            await asyncio.sleep(EXCHANGE_RETRY_SECONDS)

    def _send_all(self) -> None:
        """On a new connection everything that is not answered is asked anew, as far as may be out at once."""
        self._out = 0
        self._waiting.clear()
        for asked in self._asked.values():
            self._send_or_wait(asked.question)

    def _heard(self, payload: bytes) -> None:
        answer = read_answer(payload)
        asked = self._asked.pop(answer.number, None)
        if asked is None:
            return
        if isinstance(asked.question, Receive):
            self._out -= 1
            self._send_waiting()
        if not asked.answer.done():
            asked.answer.set_result(answer)

    def _send_waiting(self) -> None:
        while self._waiting and self._out < EXCHANGE_BATCHES_OUT_MAX:
            asked = self._asked.get(self._waiting.popleft())
            if asked is not None:
                self._send(asked.question)


class DistantInbox:
    """A shard of another worker, as the port has it."""

    def __init__(self, line: Line, shard: int) -> None:
        self._line = line
        self._shard = shard

    async def receive(self, parcels: Sequence[Parcel]) -> None:
        """See the port."""
        # All are asked before anything is waited for: batches must not be overtaken by those of a later call.
        await asyncio.gather(
            *(self._line.ask(Receive(self._line.next_number(), self._shard, batch)) for batch in _batches(parcels))
        )

    async def earlier_copy(self, digest: bytes) -> Claim | None:
        """See the port. No answer in time counts as new."""
        question = EarlierCopy(self._line.next_number(), self._shard, digest)
        try:
            answer = await asyncio.wait_for(self._line.ask(question), DIGEST_ANSWER_SECONDS_MAX)
        except TimeoutError:
            return None
        return answer.claim

    def claimed(self, digest: bytes, claim: Claim) -> None:
        """See the port."""
        self._line.tell(Claimed(self._shard, digest, claim))

    def released(self, digest: bytes) -> None:
        """See the port."""
        self._line.tell(Released(self._shard, digest))

    async def fetch_robots(self, errand: Errand) -> RobotsAnswer:
        """See the port."""
        answer = await self._line.ask(FetchRobots(self._line.next_number(), self._shard, errand))
        return answer.robots or RobotsAnswer()

    async def sitemaps_of(self, authority: str) -> tuple[str, ...]:
        """See the port."""
        answer = await self._line.ask(SitemapsOf(self._line.next_number(), self._shard, authority))
        return answer.sitemaps


def _batches(parcels: Sequence[Parcel]) -> Iterator[list[Parcel]]:
    batch: list[Parcel] = []
    size = 0
    for parcel in parcels:
        if batch and size + len(parcel.entry) > EXCHANGE_BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(parcel)
        size += len(parcel.entry)
    if batch:
        yield batch
