"""Answers kept by their time to live, within bounds (RFC 1035 section 3.2.1, RFC 2308, RFC 8767)."""

from __future__ import annotations

from collections import OrderedDict

from gossamer.core import limits
from gossamer.core.dns.answer import Answer
from gossamer.core.http.exchange import FailureKind


def positive(addresses: tuple[str, ...], ttl_seconds: float, now: float) -> Answer:
    """An answer with addresses, its time to live clamped."""
    return Answer(addresses, now + clamped(ttl_seconds))


def negative(failure: FailureKind, detail: str, now: float, ttl_seconds: float | None = None) -> Answer:
    """An answer without addresses. A name that is not there is believed longer than a look-up that failed."""
    if failure is FailureKind.NAME_FAILED:
        seconds = limits.DNS_FAILED_SECONDS
    elif ttl_seconds is None:
        seconds = limits.DNS_NEGATIVE_SECONDS
    else:
        seconds = clamped(ttl_seconds)
    return Answer((), now + seconds, failure, detail)


def clamped(ttl_seconds: float) -> float:
    """A time to live within our bounds."""
    return min(max(ttl_seconds, limits.DNS_TTL_MIN_SECONDS), limits.DNS_TTL_MAX_SECONDS)


class AnswerCache:
    """The least recently used name goes first when there are too many. Expired answers stay, for bad times."""

    def __init__(self, names_max: int = limits.DNS_CACHE_NAMES_MAX) -> None:
        if names_max < 1:
            raise ValueError("an answer cache holds at least one name")
        self._names_max = names_max
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    def __len__(self) -> int:
        return len(self._answers)

    def get(self, host: str, now: float) -> Answer | None:
        """The answer for `host` if it is still good."""
        answer = self._answers.get(host)
        if answer is None or answer.expires <= now:
            return None
        self._answers.move_to_end(host)
        return answer

    def put(self, host: str, answer: Answer, now: float) -> Answer:
        """Keep `answer` and return what to use: an older good one if the servers failed just now (RFC 8767).

        A stale answer is asked for again after DNS_FAILED_SECONDS, and given up after DNS_STALE_SECONDS_MAX.
        """
        if answer.failure is FailureKind.NAME_FAILED:
            old = self._answers.get(host)
            if old is not None and old.addresses and now < old.expires + limits.DNS_STALE_SECONDS_MAX:
                return Answer(old.addresses, answer.expires)
        self._answers[host] = answer
        self._answers.move_to_end(host)
        if len(self._answers) > self._names_max:
            self._answers.popitem(last=False)
        return answer
