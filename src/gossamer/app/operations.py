"""What an operator may ask of a crawl: one table, request -> what is done, running or not.

Each order is kept first (in the folder, synced), then put in force if the crawl runs. A running crawl is asked over its
control socket; a stopped one is changed by the command itself, which holds the folder's lock meanwhile.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from gossamer.app.added import ADDED, keep_added
from gossamer.app.change_log import note_orders
from gossamer.app.errors import UserError
from gossamer.app.folder import record_changes
from gossamer.app.nearest import nearest
from gossamer.app.orders import Orders, block_entry, host_name, read_orders, write_orders
from gossamer.app.seeds import Seed
from gossamer.app.settings.live import changed_settings
from gossamer.app.suspects import say
from gossamer.core.facts import Ordered, SettingChanged
from gossamer.core.url.parse import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gossamer.app.control import Answering
    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings
    from gossamer.core.facts import Fact

Message = dict[str, Any]


class Live(Protocol):
    """A running crawl within its operator's reach, in this process or in its workers'."""

    def put_in_force(self, settings: Settings, orders: Orders) -> None:
        """Everything that is decided from now on follows `settings` (the live ones) and `orders`."""
        ...

    def note(self, fact: Fact) -> None:
        """Tell its log."""
        ...

    def add(self, seeds: Sequence[Seed]) -> dict[str, str]:
        """Queue seeds; those that are refused, with the reason."""
        ...

    def unknown(self, hosts: Sequence[str]) -> list[str]:
        """The hosts of which it knows nothing."""
        ...

    def release_freed(self) -> None:
        """Queue what freed suspects refused."""
        ...

    def stop(self) -> None:
        """End as Ctrl-C does once."""
        ...


@dataclass(slots=True)
class Operated:
    """A crawl under its operator's hands: its folder, which is locked, and the crawl itself while it runs."""

    folder: CrawlFolder
    settings: Settings
    live: Live | None = None
    now: Callable[[], float] = field(default=time.time)

    def keep(self, orders: Orders, order: str, subjects: Iterable[str]) -> None:
        """Keep changed orders, note the change, and put them in force."""
        write_orders(self.folder, orders)
        self.note(order, subjects)
        if self.live is not None:
            self.live.put_in_force(self.settings, orders)

    def note(self, order: str, subjects: Iterable[str]) -> None:
        """Note an order and its moment."""
        subjects = list(subjects)
        note_orders(self.folder, self.now(), order, subjects)
        if self.live is not None:
            for subject in subjects:
                self.live.note(Ordered(order, subject))


Operation = Callable[[Operated, Message], Message]


def add(operated: Operated, request: Message) -> Message:
    """Add seeds: `urls`, and the seed group `group`."""
    group = _text(request.get("group") or ADDED)
    seeds = [Seed(_url(text), group) for text in _texts(request, "urls")]
    new = keep_added(operated.folder, seeds)
    operated.note("add", [seed.url for seed in new])
    refused = operated.live.add(new) if operated.live is not None else {}
    return {"added": [seed.url for seed in new if seed.url not in refused], "refused": refused}


def block(operated: Operated, request: Message) -> Message:
    """Contact `hosts` (each a host, or "*." and a domain) no more; what they have queued is held."""
    orders = read_orders(operated.folder)
    new = [entry for entry in map(block_entry, _texts(request, "hosts")) if entry not in orders.blocked]
    orders.blocked.update(dict.fromkeys(new, operated.now()))
    operated.keep(orders, "block", new)
    return {"blocked": new, "unknown": _unknown(operated, new)}


def unblock(operated: Operated, request: Message) -> Message:
    """Take `hosts` off the operator's block list; what was held goes on."""
    orders = read_orders(operated.folder)
    entries = list(map(block_entry, _texts(request, "hosts")))
    for entry in entries:
        if entry not in orders.blocked:
            raise _not_blocked(entry, orders)
    for entry in entries:
        orders.blocked.pop(entry, None)
    operated.keep(orders, "unblock", entries)
    return {"unblocked": entries}


def pause(operated: Operated, request: Message) -> Message:
    """Lease nothing of `hosts`, or nothing at all without any, until continued."""
    orders = read_orders(operated.folder)
    hosts = list(map(host_name, _texts(request, "hosts")))
    new = [host for host in hosts if host not in orders.paused]
    orders.paused.update(dict.fromkeys(new, operated.now()))
    if not hosts:
        orders.paused_at = orders.paused_at or operated.now()
    operated.keep(orders, "pause", new if hosts else [""])
    return {"paused": new, "crawl": not hosts, "unknown": _unknown(operated, new)}


def go_on(operated: Operated, request: Message) -> Message:
    """End the pause of `hosts`, or that of the crawl without any."""
    orders = read_orders(operated.folder)
    hosts = list(map(host_name, _texts(request, "hosts")))
    ended = [host for host in hosts if orders.paused.pop(host, 0.0)]
    if not hosts:
        orders.paused_at = 0.0
    operated.keep(orders, "continue", ended if hosts else [""])
    return {"continued": ended, "crawl": not hosts, "still_paused": sorted(orders.paused)}


def stop(operated: Operated, request: Message) -> Message:  # noqa: ARG001 - an operation takes a request
    """End the run as Ctrl-C does once; nothing for a crawl that does not run."""
    if operated.live is not None:
        operated.note("stop", [""])
        operated.live.stop()
    return {"stopping": operated.live is not None, "process": os.getpid()}


def change(operated: Operated, request: Message) -> Message:
    """Put other live settings in force: `sets`, each "KEY=VALUE"."""
    settings, changes = changed_settings(operated.settings, _texts(request, "sets"))
    record_changes(operated.folder, settings, changes, operated.now())
    operated.settings = settings
    if operated.live is not None:
        for key, before, after, source in changes:
            operated.live.note(SettingChanged(key, str(before), str(after), source.words))
        operated.live.put_in_force(settings, read_orders(operated.folder))
    return {"changed": [{"key": key, "before": before, "after": after} for key, before, after, _ in changes]}


OPERATIONS: Final[dict[str, Operation]] = {
    "add": add,
    "block": block,
    "unblock": unblock,
    "pause": pause,
    "continue": go_on,
    "stop": stop,
    "set": change,
    "traps": say,
}
"""Request -> what is done. Each may raise UserError and OSError, and then has changed nothing that is in force."""


def answers_of(operated: Operated) -> dict[str, Answering]:
    """The table for the control socket of a running crawl."""
    return {name: partial(_answer, operated, operation) for name, operation in OPERATIONS.items()}


def _answer(operated: Operated, operation: Operation, request: Message) -> Message:
    try:
        return operation(operated, request)
    except OSError as error:
        raise UserError(f"it could not be kept: {error.strerror or error}") from error


def _not_blocked(entry: str, orders: Orders) -> UserError:
    if orders.block_list.blocks_host(entry.removeprefix("*.")):
        covering = [each for each in orders.blocked if each.startswith("*.")]
        return UserError(f"{entry} is not blocked by itself", f"these are: {', '.join(covering)}"[:200])
    found = nearest(entry, orders.blocked)
    hint = f"did you mean {found}?" if found else "gossamer hosts DIR --state blocked lists the blocked hosts"
    return UserError(f"{entry} is not on the crawl's own block list", hint)


def _unknown(operated: Operated, entries: Iterable[str]) -> list[str]:
    """Those of which a running crawl knows nothing: perhaps a slip of the pen."""
    if operated.live is None:
        return []
    return operated.live.unknown([entry for entry in entries if not entry.startswith("*.")])


def _texts(request: Message, name: str) -> list[str]:
    found = request.get(name, [])
    if not isinstance(found, list):
        raise UserError(f"{name} is a list of texts")
    return [_text(item) for item in cast("list[object]", found)]


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise UserError(f"{value!r} is not a text")
    return value


def _url(text: str) -> str:
    url = parse(text)
    if url is None:
        raise UserError(f"{text!r} is not a URL that can be crawled", "a URL begins with http:// or https://")
    return url.href
