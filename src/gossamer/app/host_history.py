"""What the visits of a host add up to: its card's lower half; and each request with the robots rule then in force."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from gossamer.adapters.visit_rows import VisitRows
from gossamer.app.captures import read_capture
from gossamer.app.errors import UserError
from gossamer.core.http.exchange import FailureKind, Truncation
from gossamer.core.http.request import PRODUCT
from gossamer.core.limits import ROBOTS_AUTHORITIES_PER_HOST_MAX
from gossamer.core.robots.answer import RobotsAnswer, RobotsKind, RobotsState, robots_state
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.verdict import ROBOTS_TARGET, verdict_of
from gossamer.core.url.parse import authority_of, host_of, target_of
from gossamer.core.warc.location import Location
from gossamer.core.warc.lookup import IndexLine

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from gossamer.app.folder import CrawlFolder

Row = dict[str, Any]

ASKED_AGAIN_MAX: Final = 20
"""Times that journals may have become Parquet files between the question and the reading."""
LAST_KEPT: Final = 10
"""Errors and robots.txt fetches that a card shows."""
PREFIXES_MAX: Final = 1000
"""Path prefixes counted one by one; the rest of a host that has more goes under one name."""
OTHER_PREFIXES: Final = "(other)"
CARD_COLUMNS: Final = (
    *("url", "kind", "outcome", "reason", "status", "started", "seconds", "address"),
    *("bytes", "digest", "copy_of"),
)
REQUEST_COLUMNS: Final = (
    *("url", "host", "kind", "outcome", "reason", "status", "started", "seconds", "address"),
    *("location", "truncated", "warc", "offset", "length"),
)


@contextmanager
def open_visits(folder: CrawlFolder, journals: Callable[[], list[list[Any]]]) -> Generator[VisitRows]:
    """The committed visits; `journals` says which journals live, and how long they are, as often as it is asked."""
    for _ in range(ASKED_AGAIN_MAX):
        try:
            visits = VisitRows(folder.path, [(str(path), int(length)) for path, length in journals()])
        except FileNotFoundError:
            continue
        with visits:
            yield visits
        return
    raise UserError(f"the journals of {folder.path} change faster than they can be read", "try again")


@dataclass(slots=True)
class Yield:
    """What one path prefix gave."""

    visits: int = 0
    pages: int = 0
    copies: int = 0
    bytes: int = 0


@dataclass(slots=True)
class HostHistory:
    """The sums over a host's visits."""

    statuses: Counter[str] = field(default_factory=Counter[str])
    outcomes: Counter[str] = field(default_factory=Counter[str])
    addresses: Counter[str] = field(default_factory=Counter[str])
    last_address: str = ""
    bytes: int = 0
    first: float | None = None
    last: float | None = None
    robots: deque[Row] = field(default_factory=lambda: deque[Row](maxlen=LAST_KEPT))
    errors: deque[Row] = field(default_factory=lambda: deque[Row](maxlen=LAST_KEPT))
    prefixes: dict[str, Yield] = field(default_factory=dict[str, Yield])

    def add(self, row: Row) -> None:
        """Count one visit."""
        started = row["started"].timestamp()
        self.first = started if self.first is None else min(self.first, started)
        self.last = started if self.last is None else max(self.last, started)
        self.statuses[str(row["status"])] += 1
        self.bytes += row["bytes"]
        if row["address"]:
            self.addresses[row["address"]] += 1
            self.last_address = row["address"]
        if row["outcome"] == "failed" and not (row["kind"] == "robots" and 400 <= row["status"] < 500):
            self.errors.append(_event(row, started, row["reason"]))
        if row["kind"] == "robots":
            self.robots.append({**_event(row, started, row["reason"] or row["outcome"]), "digest": row["digest"][:12]})
            return
        self.outcomes[row["outcome"]] += 1
        self._count_prefix(row)

    def as_dict(self) -> Row:
        """For programs."""
        prefixes = sorted(self.prefixes.items(), key=lambda item: (-item[1].pages, -item[1].visits, item[0]))
        names = ("visits", "pages", "copies", "bytes")
        return {
            "visits": {"first": self.first, "last": self.last, "bytes": self.bytes},
            "statuses": dict(sorted(self.statuses.items())),
            "outcomes": dict(sorted(self.outcomes.items())),
            "connected": dict(self.addresses.most_common(LAST_KEPT)),
            "robots_history": list(self.robots),
            "last_errors": list(self.errors),
            "yield": [{"prefix": name, **{each: getattr(got, each) for each in names}} for name, got in prefixes],
        }

    def _count_prefix(self, row: Row) -> None:
        prefix = prefix_of(row["url"])
        if prefix not in self.prefixes and len(self.prefixes) >= PREFIXES_MAX:
            prefix = OTHER_PREFIXES
        got = self.prefixes.setdefault(prefix, Yield())
        got.visits += 1
        got.pages += 200 <= row["status"] < 300
        got.copies += bool(row["copy_of"])
        got.bytes += row["bytes"]


def history_of(visits: VisitRows, host: str) -> HostHistory:
    """One pass over all visits."""
    history = HostHistory()
    for row in visits.of_host(host, CARD_COLUMNS):
        history.add(row)
    return history


def prefix_of(url: str) -> str:
    """The first segment of a URL's path: "/docs/"; a page of the root stands under "/"."""
    path = target_of(url).partition("?")[0]
    end = path.find("/", 1)
    return path[: end + 1] if end > 0 else "/"


def requests_of(folder: CrawlFolder, visits: VisitRows, host: str, since: float) -> Iterator[Row]:
    """Every request to a host from `since` on, with the robots rule then in force: what a webmaster asks about.

    Rules are found again by reading each robots.txt from the archive, as it was received, in the order received.
    """
    rules = RulesThen(folder, host)
    for row in visits.of_host(host, REQUEST_COLUMNS, all_robots=True):
        started = row["started"].timestamp()
        if row["host"] == host and started >= since:
            yield {
                "time": started,
                "url": row["url"],
                "kind": row["kind"],
                "address": row["address"],
                "status": row["status"],
                "outcome": row["outcome"],
                "robots": rules.words(row["url"], row["kind"]),
            }
        if row["kind"] == "robots":
            rules.learn(row)


@dataclass(slots=True)
class RulesThen:
    """What the robots.txt of each authority of a host said, learned from its fetches one after the other.

    As many are remembered as a crawl does, the last ones read.
    """

    folder: CrawlFolder
    host: str
    _states: dict[str, RobotsState] = field(default_factory=dict[str, RobotsState])
    _rules: dict[str, RobotsRules | None] = field(default_factory=dict[str, "RobotsRules | None"])
    _asked: dict[str, str] = field(default_factory=dict[str, str])
    """Where a robots.txt was redirected -> the authority that it will speak for."""

    def learn(self, row: Row) -> None:
        """Take in one fetch of a robots.txt, of any host."""
        url = row["url"]
        asker = self._asked.pop(url, None) or authority_of(url)
        if host_of(asker + "/") != self.host:
            return
        if row["location"]:
            self._asked[row["location"]] = asker
            return
        ended = row["started"].timestamp() + row["seconds"]
        state = robots_state(self._answer(row), self._states.pop(asker, None), ended)
        self._states[asker] = state
        self._rules[asker] = RobotsRules.parse(state.body, PRODUCT) if state.body else None
        if len(self._states) > ROBOTS_AUTHORITIES_PER_HOST_MAX:
            oldest = next(iter(self._states))
            del self._states[oldest], self._rules[oldest]

    def words(self, url: str, kind: str) -> str:
        """The rule that decided about a request."""
        if kind == "robots" or target_of(url) == ROBOTS_TARGET:
            return "robots.txt itself needs no permission"
        authority = authority_of(url)
        state = self._states.get(authority)
        if state is None:
            return "no robots.txt was read in what is kept"
        verdict = verdict_of(state, self._rules[authority], target_of(url))
        if state.kind is RobotsKind.ALLOW_ALL:
            return f"all is allowed: no robots.txt ({state.reason})"
        if verdict.line_number:
            return f"{verdict.line} (line {verdict.line_number})"
        return verdict.line or "no rule matches: allowed"

    def _answer(self, row: Row) -> RobotsAnswer:
        failed = row["outcome"] == "failed" and not row["status"]
        known = row["reason"] in set(FailureKind)
        failure = (FailureKind(row["reason"]) if known else FailureKind.BAD_ANSWER) if failed else None
        cut = row["truncated"] not in ("", Truncation.LENGTH)
        return RobotsAnswer(row["status"], self._body(row), failure, cut=cut)

    def _body(self, row: Row) -> bytes:
        if not row["warc"] or not 200 <= row["status"] < 300:
            return b""
        place = Location(row["warc"], row["offset"], row["length"])
        line = IndexLine("", "", row["url"], str(row["status"]), is_revisit=False, place=place)
        try:
            return read_capture(self.folder, line).body
        except UserError:
            # An archive that was moved away; its rules cannot be told any more.
            return b""


def _event(row: Row, started: float, what: str) -> Row:
    return {"time": started, "url": row["url"], "status": row["status"], "what": what}
