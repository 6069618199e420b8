"""What an attempt to read a robots.txt comes to (RFC 9309, section 2.3.1), and what is kept of it.

The theory. An answer that brings a file brings rules. An answer that says there is none (4xx, or redirects without end)
permits everything. Anything else says nothing: the server is overloaded (429), broken (5xx), silent, or the file was
cut on its way; then the last good copy goes on ruling for up to thirty days, and without one everything is disallowed.
We fail closed, because a site in trouble is the last one that wants a crawler.

Redirects are the caller's: it follows up to `ROBOTS_REDIRECTS_MAX` of them through the frontier and hands the last
answer in, for the authority it first asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import msgspec

from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import (
    ROBOTS_AGE_MAX_SECONDS,
    ROBOTS_BYTES_MAX,
    ROBOTS_COPY_AGE_MAX_SECONDS,
    ROBOTS_UNREACHABLE_AGE_SECONDS,
)


class RobotsKind(StrEnum):
    """What rules an authority now. The value is stored and shown."""

    RULES = "rules"
    """The rules in `RobotsState.body`; an empty body has none and allows everything."""
    ALLOW_ALL = "allow all"
    UNREACHABLE = "unreachable"
    """Everything is disallowed, robots.txt excepted."""


class RobotsState(msgspec.Struct, array_like=True, frozen=True):
    """One authority's robots.txt, as the store keeps it. Fields are appended, never reordered."""

    kind: RobotsKind
    fetched_at: float
    """End of the last attempt."""
    expires_at: float
    """Moment from which it must be asked for again before it is used."""
    body: bytes = b""
    """The file, content-decoded and cut to `ROBOTS_BYTES_MAX`; not empty only where its rules hold."""
    good_at: float = 0.0
    """When `body` was received; earlier than `fetched_at` where an older copy goes on ruling."""
    reason: str = ""
    """Why there are no fresh rules: "503", "timeout", "cut short", "too many redirects"; empty with fresh rules."""
    tdm: bytes = b""
    """The authority's tdmrep.json; empty where there is none."""
    tdm_at: float = 0.0
    """When that was asked for; 0 when it was not."""


@dataclass(frozen=True, slots=True)
class RobotsAnswer:
    """The end of one attempt, redirects followed."""

    status: int = 0
    """Status of the last answer; 0 without one."""
    body: bytes = b""
    """Content-decoded body."""
    failure: FailureKind | None = None
    cut: bool = False
    """The body ends early, before `ROBOTS_BYTES_MAX`. One that reaches so far is not `cut`: its beginning rules."""
    too_many_redirects: bool = False


_UNAVAILABLE_EXCEPT: Final = frozenset({429})
"""4xx answers that say "slow down", not "no such file"; Google reads 429 as a server error too."""

_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder(RobotsState)


def robots_state(answer: RobotsAnswer, previous: RobotsState | None, now: float) -> RobotsState:
    """What rules from `now` on, given what ruled before (None: nothing was known)."""
    state = _state(answer, previous, now)
    if previous is not None and previous.tdm_at > now - ROBOTS_AGE_MAX_SECONDS:
        return msgspec.structs.replace(state, tdm=previous.tdm, tdm_at=previous.tdm_at)
    return state


def _state(answer: RobotsAnswer, previous: RobotsState | None, now: float) -> RobotsState:
    kind, reason = _reading(answer)
    if kind is RobotsKind.RULES:
        body = answer.body[: ROBOTS_BYTES_MAX + 1]
        return RobotsState(kind, now, now + ROBOTS_AGE_MAX_SECONDS, body, now)
    if kind is RobotsKind.ALLOW_ALL:
        return RobotsState(kind, now, now + ROBOTS_AGE_MAX_SECONDS, reason=reason)
    expires_at = now + ROBOTS_UNREACHABLE_AGE_SECONDS
    if previous is not None and _still_rules(previous, now):
        return RobotsState(previous.kind, now, expires_at, previous.body, previous.good_at, reason)
    return RobotsState(RobotsKind.UNREACHABLE, now, expires_at, reason=reason)


def encode_robots(state: RobotsState) -> bytes:
    """The stored form."""
    return _encoder.encode(state)


def decode_robots(data: bytes) -> RobotsState:
    """The state of `data`; raises msgspec.DecodeError when it is none."""
    return _decoder.decode(data)


def _reading(answer: RobotsAnswer) -> tuple[RobotsKind, str]:
    """The row of RFC 9309 section 2.3.1 that `answer` falls under, and the reason in words."""
    status = answer.status
    if answer.too_many_redirects:
        return RobotsKind.ALLOW_ALL, "too many redirects"
    if answer.failure is not None:
        return RobotsKind.UNREACHABLE, str(answer.failure)
    if answer.cut:
        return RobotsKind.UNREACHABLE, "cut short"
    if 200 <= status < 300:
        return RobotsKind.RULES, ""
    if 300 <= status < 500 and status not in _UNAVAILABLE_EXCEPT:
        # A 3xx that names no place to go leaves no file to read, like a 404.
        return RobotsKind.ALLOW_ALL, str(status)
    return RobotsKind.UNREACHABLE, str(status) if status else "no answer"


def _still_rules(previous: RobotsState, now: float) -> bool:
    """Whether the last good copy goes on ruling. Only a file that was read is a copy; "no file" is not."""
    return previous.kind is RobotsKind.RULES and now - previous.good_at <= ROBOTS_COPY_AGE_MAX_SECONDS
