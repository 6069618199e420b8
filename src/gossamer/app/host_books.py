"""What a crawl knows of its hosts, by host: asked of a running crawl in bounded parts, or read from a stopped one.

One table, request -> answer, serves both: a running crawl answers over its control socket, for a stopped one the
command holds the lock and opens the stores.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, cast

from gossamer.app.errors import UserError
from gossamer.app.orders import Orders, host_name, read_orders
from gossamer.app.policies import hosts_map
from gossamer.app.settings.host_settings import keys_of
from gossamer.app.settings.layers import written
from gossamer.core.budget.budgets import Budgets
from gossamer.core.budget.policy import growth_in_words
from gossamer.core.dns.answer import BEHIND_PROXY
from gossamer.core.files.recovery import greatest
from gossamer.core.frontier.closed_hosts import ClosedHosts
from gossamer.core.frontier.host_status import HostStatus, standing_of
from gossamer.core.frontier.records import HOST_ID_BYTES, HostState, decode_host
from gossamer.core.limits import HOSTS_PER_ANSWER_MAX, ROBOTS_AUTHORITIES_PER_HOST_MAX
from gossamer.core.robots.answer import decode_robots
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.warc.location import FileMark, FileState
from gossamer.flow.commit import decode_mark
from gossamer.flow.inspection import ShardView
from gossamer.flow.shard import END
from gossamer.flow.shard_rules import ShardRules
from gossamer.flow.sites import Sites
from gossamer.ports.store import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.operations import Operated
    from gossamer.app.settings import Settings
    from gossamer.core.frontier.policy import FrontierPolicy
    from gossamer.flow.worker import Worker

Message = dict[str, Any]

TEXT_MAX: Final = 300
"""Characters of an error that an answer holds."""
JOURNALS_MAX: Final = 100_000


@dataclass(slots=True)
class HostBooks:
    """The books of shards, and what decides about hosts now."""

    views: Mapping[int, ShardView]
    """By number; those of other workers are not here."""
    rules: ShardRules
    policy: FrontierPolicy
    settings: Settings
    orders: Orders
    now: float

    def state_of(self, view: ShardView, host_id: bytes, value: bytes | None = None) -> HostState | None:
        """A host's state as of now; `value` is what the store has, if it was read already."""
        state = view.frontier.state_of(host_id) if view.frontier is not None else None
        if state is None:
            stored = value if value is not None else view.rows.get(Table.HOST, [host_id])[0]
            state = decode_host(stored) if stored is not None else None
        return state

    def named(self, name: str) -> str:
        """The address that the settings give a host, or that it is itself; empty without one."""
        known = hosts_map(self.settings).lookup(name) if self.settings.dns.resolve else ()
        if known:
            return known[0]
        try:
            return str(ip_address(name))
        except ValueError:
            return ""

    def _gap_words(self, state: HostState) -> str:
        gap = self.policy.gap_of(state, self.named(state.name))
        return f"its gap of {gap.seconds:g}s, from {gap.source}"

    def row(self, view: ShardView, host_id: bytes, state: HostState) -> Message:
        """A host in one line of the table. Moments in seconds since the epoch, or none."""
        host = view.frontier.hosts.get(host_id) if view.frontier is not None else None
        standing = standing_of(state, host, self.policy.hold_in_books(state), self.now, self._gap_words)
        return {
            "host": state.name,
            "site": state.site,
            "state": standing.status.value,
            "since": round(standing.since, 3) if standing.since is not None else None,
            "why": standing.reason[:TEXT_MAX],
            "next": round(standing.next_at, 3) if standing.next_at is not None else None,
            "pages": state.pages,
            "bytes": state.bytes,
            "fetches": state.fetches,
            "queued": state.total,
            "errors": state.errors,
            "failures": state.failures,
            "error": state.error[:TEXT_MAX],
            "error_at": state.error_at or None,
        }


def hosts(books: HostBooks, request: Message) -> Message:
    """Some hosts from `shard` and the host id `after` (hexadecimal) on, and where to go on.

    `states`: only these, if any are named; `failing`: only those with failures in a row; `counts`: of all looked at.
    """
    number, start = _shard(request), bytes.fromhex(str(request.get("after", "")))
    states, failing = _states(request), bool(request.get("failing"))
    rows: list[Message] = []
    counts: dict[str, int] = {}
    left = HOSTS_PER_ANSWER_MAX
    while left and number in books.views:
        view = books.views[number]
        found = view.rows.scan(Table.HOST, start, END, left)
        for host_id, value in found:
            state = books.state_of(view, host_id, value)
            row = books.row(view, host_id, state) if state is not None else {}
            if row:
                counts[row["state"]] = counts.get(row["state"], 0) + 1
            if row and row["state"] in states and (row["failures"] or not failing):
                rows.append(row)
        left -= len(found)
        start = found[-1][0] + b"\0" if found and not left else b""
        number += not start
    return {"hosts": rows, "counts": counts, "shard": number, "after": start.hex(), "more": number < books.rules.shards}


def _shard(request: Message) -> int:
    number = request.get("shard", 0)
    if not isinstance(number, int) or number < 0:
        raise UserError("shard is a number of a shard")
    return number


def _states(request: Message) -> frozenset[str]:
    named = request.get("states") or list(HostStatus)
    if not isinstance(named, list):
        raise UserError("states is a list of states of hosts")
    return frozenset(map(str, cast("list[object]", named)))


def card(books: HostBooks, request: Message) -> Message:
    """`card`: all that the store knows of `host`; `address` is the last one known of it, for its gap."""
    name = host_name(str(request.get("host", "")))
    view, host_id = books.views[books.rules.shard_of(name)], books.rules.ids.host_id(name)
    state = books.state_of(view, host_id)
    if state is None:
        return {"card": {"known": False, "orders": _orders(books, name)}}
    host = view.frontier.hosts.get(host_id) if view.frontier is not None else None
    addresses = [each for each in host.addresses if each != BEHIND_PROXY] if host is not None else []
    address = addresses[0] if addresses else str(request.get("address", "")) or books.named(name)
    found = {
        "known": True,
        **books.row(view, host_id, state),
        "shard": books.rules.shard_of(name),
        "group": state.group,
        "held_why": state.held_why,
        "held_at": state.held_at or None,
        "orders": _orders(books, name),
        "last_contact": state.last_end or None,
        "last_answer": state.answered_at or None,
        "addresses": addresses or ([address] if address else []),
        "gap": _gap(books, state, address),
        "settings": _settings(books, name),
        "caps": {"pages": books.policy.pages_per_host_max, "bytes": books.policy.bytes_per_host_max},
        "budget": _budget(books, view, state),
        "robots": _robots(books, view, host_id),
    }
    # Not the answer itself: it has an "error", which in an answer says that the question was refused.
    return {"card": found}


def journals(books: HostBooks, request: Message) -> Message:
    """The live journals of `dataset`, each with its committed length: what is not in a Parquet file yet."""
    start = f"journal/{request.get('dataset', '')}-".encode()
    marks = greatest(_marks(view, start) for view in books.views.values()).values()
    return {"journals": sorted([mark.path, mark.length] for mark in marks if mark.state is not FileState.REMOVED)}


def _marks(view: ShardView, start: bytes) -> dict[str, FileMark]:
    """What the last commit of a shard says of files whose path begins so: the store's own view, not what is pending."""
    found = view.rows.store.scan(Table.FILES, start, start + END, JOURNALS_MAX)
    return {key.decode(): decode_mark(key.decode(), value) for key, value in found}


QUERIES: Final[dict[str, Callable[[HostBooks, Message], Message]]] = {
    "hosts": hosts,
    "host": card,
    "journals": journals,
}
"""Request -> answer. They change nothing."""


def books_of(operated: Operated, worker: Worker) -> HostBooks:
    """The books of a worker of a running crawl."""
    return HostBooks(
        views={shard.number: ShardView(shard.rows, shard.frontier) for shard in worker.shards},
        rules=worker.rules,
        policy=worker.shards.first.frontier.policy,
        settings=operated.settings,
        orders=read_orders(operated.folder),
        now=worker.clock.now(),
    )


@contextmanager
def open_books(folder: CrawlFolder, settings: Settings) -> Generator[HostBooks]:
    """The books of a stopped crawl. Raises UserError (exit 7) while another process has the folder."""
    from gossamer.app.policies import frontier_policy  # noqa: PLC0415 - as above
    from gossamer.app.scope_wiring import read_block_file  # noqa: PLC0415 - opens the store's library
    from gossamer.app.stopped import open_views  # noqa: PLC0415 - as above
    from gossamer.core.dns.address_guard import AddressGuard, parse_networks  # noqa: PLC0415 - as above

    with open_views(folder, settings) as views:
        facts, orders = folder.read_facts(), read_orders(folder)
        rules = ShardRules(Fingerprinter(facts.hash_key), facts.keys, folder.read_sites(), settings.crawl.shards)
        blocked = read_block_file(settings.scope.block_file).joined(orders.block_list)
        guard = AddressGuard(parse_networks(settings.network.allow_address))
        closed = ClosedHosts(blocked, frozenset(orders.paused))
        policy = replace(frontier_policy(settings, guard), closed=closed)
        yield HostBooks(dict(enumerate(views)), rules, policy, settings, orders, time.time())


def _orders(books: HostBooks, name: str) -> Message:
    """What the operator ordered about a host, with its moment; why it is closed, if it is."""
    blocked = {entry: at for entry, at in books.orders.blocked.items() if _covers(entry, name)}
    paused_at = books.orders.paused.get(name)
    return {"closed": books.policy.closed.reason(name), "paused_at": paused_at, "blocked": blocked}


def _covers(entry: str, name: str) -> bool:
    domain = entry.removeprefix("*.")
    return name == domain or (domain != entry and name.endswith(f".{domain}"))


def _gap(books: HostBooks, state: HostState, address: str) -> Message:
    """The gap in force, and what made it so long."""
    policy, gap = books.policy.gap_at(address, state.name), books.policy.gap_of(state, address)
    words = books.settings.sources[policy.setting or "politeness.gap"].words
    if not policy.setting and books.settings.politeness.gap < policy.minimum_seconds:
        words += f"; {policy.minimum_seconds:g}s is the least where no address of network.allow_address was met"
    return {
        "seconds": round(gap.seconds, 3),
        "source": gap.source,
        "minimum": policy.minimum_seconds,
        "minimum_from": words,
        "crawl_delay": state.crawl_delay,
        "response_seconds": [round(seconds, 3) for seconds in state.response_seconds],
    }


def _budget(books: HostBooks, view: ShardView, state: HostState) -> Message:
    """The caps and the budget of its site: what it has had, may have, has grown by, and when it is looked at again."""
    sites = Sites(view.rows, books.rules.ids)
    budgets = view.frontier.budgets if view.frontier is not None else Budgets(sites)
    site = budgets.sites.state(state.site)
    bounds = budgets.site_bounds(books.policy.budget, site, mine=books.policy.rule_of(state.name).mine)
    return {
        "named": site.seeded,
        "linking_sites": site.linking_sites,
        "fetch_seconds": round(site.fetch_seconds, 3),
        "grown_by": growth_in_words(site),
        "next_look": site.next_look or None,
        "bounds": [{"of": bound.unit, "used": bound.used, "most": bound.most} for bound in bounds],
    }


def _settings(books: HostBooks, name: str) -> Message:
    """What is set for this host alone, as crawl.toml has it: names of variables, no secrets."""
    values = books.settings.values
    return {key: written(key, values[key]) for key in keys_of(name, values)}


def _robots(books: HostBooks, view: ShardView, host_id: bytes) -> list[Message]:
    """The robots.txt of each of its authorities, as it rules now."""
    rows: list[Message] = []
    for key, value in view.rows.scan(Table.ROBOTS, host_id, host_id + END, ROBOTS_AUTHORITIES_PER_HOST_MAX):
        robots = decode_robots(value)
        rules = RobotsRules.parse(robots.body, books.policy.product) if robots.body else None
        rows.append(
            {
                "authority": key[HOST_ID_BYTES:].decode(),
                "kind": robots.kind.value,
                "reason": robots.reason,
                "fetched_at": robots.fetched_at,
                "good_at": robots.good_at or None,
                "expires_at": robots.expires_at,
                "bytes": len(robots.body),
                "crawl_delay": rules.crawl_delay if rules is not None else 0.0,
            }
        )
    return rows
