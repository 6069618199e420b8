"""The two ledgers of a shard (architecture, section 4): every link and every URL is in exactly one place."""

from __future__ import annotations

import msgspec


class Ledger(msgspec.Struct):
    """Counters of one shard. Each is raised where its thing happens, none is derived from another."""

    # Links, where they are found: found = refused + sent + seen + new.
    found: int = 0
    refused_links: dict[str, int] = {}
    sent: int = 0
    seen: int = 0
    new: int = 0
    # Links that came from other shards, or from this one's own outbox: received = refused + seen + new.
    received: int = 0
    received_refused: int = 0
    received_seen: int = 0
    received_new: int = 0
    # URLs, where they are owned: known = queued + held + done + gone + failed + refused.
    known: int = 0
    queued: int = 0
    """Leased URLs included: a lease is not durable."""
    held: int = 0
    done: int = 0
    gone: int = 0
    failed: dict[str, int] = {}
    refused: dict[str, int] = {}
    # What was fetched.
    pages: int = 0
    public_pages: int = 0
    """Pages of hosts at public addresses."""
    copies: int = 0
    fetches: int = 0
    bytes: int = 0
    statuses: dict[str, int] = {}
    group_pages: dict[str, int] = {}
    """Seed group -> pages."""
    found_again: int = 0
    """Of `found`: links refused once, and found once more because the scope has changed."""
    unarchived: int = 0
    """Pages whose noarchive was obeyed: fetched, and not stored."""

    def problems(self) -> list[str]:
        """The equations that do not hold, in words; empty when the books balance."""
        checks = {
            "found = refused + sent + seen + new": (
                self.found,
                sum(self.refused_links.values()) + self.sent + self.seen + self.new,
            ),
            "received = refused + seen + new": (
                self.received,
                self.received_refused + self.received_seen + self.received_new,
            ),
            "known = queued + held + done + gone + failed + refused": (
                self.known,
                self.queued
                + self.held
                + self.done
                + self.gone
                + sum(self.failed.values())
                + sum(self.refused.values()),
            ),
            "known = new + received new": (self.known, self.new + self.received_new),
        }
        return [f"{name}: {left} is not {right}" for name, (left, right) in checks.items() if left != right]


def count(table: dict[str, int], reason: str, by: int = 1) -> None:
    """Raise one counter of a table."""
    table[reason] = table.get(reason, 0) + by


def total(ledgers: list[Ledger]) -> Ledger:
    """The sum of several shards' ledgers."""
    result = Ledger()
    for ledger in ledgers:
        for name in ledger.__struct_fields__:
            value: int | dict[str, int] = getattr(ledger, name)
            if isinstance(value, int):
                setattr(result, name, getattr(result, name) + value)
                continue
            for reason, number in value.items():
                count(getattr(result, name), reason, number)
    return result


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Ledger)


def encode_ledger(ledger: Ledger) -> bytes:
    """The stored form."""
    return _encoder.encode(ledger)


def decode_ledger(data: bytes) -> Ledger:
    """The ledger of `data`; raises msgspec.DecodeError when it is none."""
    return _decoder.decode(data)
