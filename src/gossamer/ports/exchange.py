"""Port: between shards. Links found for another shard's sites, questions about digests, robots.txt asked for.

Within a process shards meet directly, between processes of one machine over a local socket, between machines over a
log. Delivery of links is at least once: entries of a pair of shards are numbered, and URL seen makes repeats harmless.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from gossamer.core.frontier.lease import Errand
from gossamer.core.robots.answer import RobotsAnswer


@dataclass(frozen=True, slots=True)
class Claim:
    """A capture whose commit was confirmed: where a body is archived for the first time."""

    url: str
    started: float
    """Start of its fetch: the WARC-Date of the response record."""
    record_id: str
    payload_digest: str


class Parcel(NamedTuple):
    """One outbox entry on its way."""

    sender: int
    number: int
    """Grows by one from entry to entry of a sender and receiver."""
    entry: bytes
    """The stored form of some `FoundLinks`."""


class ShardInbox(Protocol):
    """What a shard offers to the others."""

    async def receive(self, parcels: Sequence[Parcel]) -> None:
        """Take outbox entries in, those of one sender in the order of their numbers; returns once they are durable
        here.
        """
        ...

    async def earlier_copy(self, digest: bytes) -> Claim | None:
        """The first capture of a body, or None when it is new; the asker then owes `claimed` or `released`."""
        ...

    def claimed(self, digest: bytes, claim: Claim) -> None:
        """The capture of a body that was answered None is durable."""
        ...

    def released(self, digest: bytes) -> None:
        """The body that was answered None was not archived after all."""
        ...

    async def fetch_robots(self, errand: Errand) -> RobotsAnswer:
        """Fetch a robots.txt from a host of this shard for another host's authority."""
        ...

    async def sitemaps_of(self, authority: str) -> tuple[str, ...]:
        """The sitemaps that an authority's robots.txt names, as written; the file is fetched where it is not known."""
        ...


class ShardExchange(Protocol):
    """Finds the shard to talk to."""

    def shard(self, number: int) -> ShardInbox:
        """The shard of that number, wherever it runs."""
        ...
