"""What workers say to each other: one row a message, told apart by its first column."""

from __future__ import annotations

from typing import Final

import msgspec

from gossamer.core.framing import message_in
from gossamer.core.frontier.lease import Errand
from gossamer.core.robots.answer import RobotsAnswer
from gossamer.ports.exchange import Claim, Parcel


class Hello(msgspec.Struct, frozen=True, array_like=True, tag="hello"):
    """The first message: a secret of this run that only its workers have, and who speaks."""

    secret: bytes
    worker: int


class Receive(msgspec.Struct, frozen=True, array_like=True, tag="receive"):
    """Take entries in; answered once they are durable."""

    number: int
    shard: int
    parcels: list[Parcel]


class EarlierCopy(msgspec.Struct, frozen=True, array_like=True, tag="copy?"):
    """Was this body archived before?"""

    number: int
    shard: int
    digest: bytes


class Claimed(msgspec.Struct, frozen=True, array_like=True, tag="claimed"):
    """A capture is durable. Not answered."""

    shard: int
    digest: bytes
    claim: Claim


class Released(msgspec.Struct, frozen=True, array_like=True, tag="released"):
    """A body was not archived after all. Not answered."""

    shard: int
    digest: bytes


class FetchRobots(msgspec.Struct, frozen=True, array_like=True, tag="robots?"):
    """Fetch a robots.txt for another host."""

    number: int
    shard: int
    errand: Errand


class SitemapsOf(msgspec.Struct, frozen=True, array_like=True, tag="sitemaps?"):
    """What sitemaps does an authority name?"""

    number: int
    shard: int
    authority: str


class Never(msgspec.Struct, frozen=True, array_like=True, tag="never mind"):
    """Nobody waits for that answer any more."""

    number: int


class Answer(msgspec.Struct, frozen=True, array_like=True, tag="answer"):
    """The answer to a question; which of the fields counts, the question says."""

    number: int
    claim: Claim | None = None
    robots: RobotsAnswer | None = None
    sitemaps: tuple[str, ...] = ()


Question = Receive | EarlierCopy | FetchRobots | SitemapsOf
Said = Hello | Receive | EarlierCopy | Claimed | Released | FetchRobots | SitemapsOf | Never

_encoder: Final = msgspec.msgpack.Encoder()
_said: Final = msgspec.msgpack.Decoder(Said)
_answer: Final = msgspec.msgpack.Decoder(Answer)


def encode(message: Said | Answer) -> bytes:
    """As it is sent."""
    return _encoder.encode(message)


def read_said(payload: bytes) -> Said:
    """What the asking end said. Raises FrameRefused."""
    return message_in(_said, payload)


def read_answer(payload: bytes) -> Answer:
    """What the asked end said. Raises FrameRefused."""
    return message_in(_answer, payload)
