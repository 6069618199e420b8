"""Explanations and forgetting, asked of a running crawl through its control socket or of a stopped one's stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gossamer.app.change_log import note_orders
from gossamer.app.control import ask
from gossamer.app.errors import UserError
from gossamer.app.escape import inert
from gossamer.app.seen_losses import with_losses
from gossamer.core.explain.evidence import state_word
from gossamer.core.explain.explain import explain
from gossamer.core.explain.explanation import Explanation, as_plain, from_plain
from gossamer.core.explain.scope import WANTED, judged_anew
from gossamer.core.facts import Ordered
from gossamer.core.frontier.records import PageState
from gossamer.core.url.parse import host_of, parse
from gossamer.flow.inspection import CrawlState, Inspection, ShardView
from gossamer.flow.pending import PendingStore
from gossamer.ports.store import NoStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings
    from gossamer.core.frontier.records import PageRecord
    from gossamer.flow.worker import Worker

Message = dict[str, Any]


def explain_url(folder: CrawlFolder, settings: Settings, text: str) -> Explanation:
    """What a crawl knows of a URL, running or not. Raises UserError for what is no URL, and for a busy folder."""
    url = normalised(text)
    answer = ask(folder, {"ask": "explain", "url": url})
    if answer is not None:
        return with_losses(from_plain(answer), settings)
    from gossamer.app import stopped  # noqa: PLC0415 - opens the store's library

    with stopped.open_stopped(folder, settings, host_of(url)) as inspection:
        explanation = explain(inspection.evidence(url, stopped.now(), stopped.last_state(folder)))
        return with_losses(explanation, settings)


def forget_url(folder: CrawlFolder, settings: Settings, text: str) -> Message:
    """Make a known URL fetchable again, in a crawl that runs or not: `url`, `before`, `changed`. Raises UserError."""
    url = normalised(text)
    answer = ask(folder, {"ask": "forget", "url": url})
    if answer is not None:
        return answer
    from gossamer.app import stopped  # noqa: PLC0415 - as above
    from gossamer.flow.forgetting import forget_stopped  # noqa: PLC0415 - a whole shard

    with stopped.open_stopped(folder, settings, host_of(url), read_only=False) as inspection:
        _refuse_unwanted(inspection, url)
        number, now = inspection.rules.shard_of(host_of(url)), stopped.now()
        rows = inspection.view(number).rows
        before = forget_stopped(number, rows, inspection.rules, inspection.policy, url, now=now)
        return _booked(folder, url, before, now)


def answer_explain(worker: Worker, message: Message, named: Callable[[str], str]) -> Message:
    """The control socket's answer to "explain"; `named`: a host's address by the settings, or empty."""
    url = normalised(str(message.get("url", "")))
    now = worker.clock.now()
    return as_plain(explain(_inspection(worker, named).evidence(url, now, _crawl_state(worker, now))))


def answer_forget(worker: Worker, folder: CrawlFolder, message: Message, *, noted: bool = False) -> Message:
    """The control socket's answer to "forget". Durable with the next commit. `noted`: somebody else notes the order."""
    from gossamer.flow.forgetting import forget  # noqa: PLC0415 - as above

    url = normalised(str(message.get("url", "")))
    _refuse_unwanted(_inspection(worker), url)
    now = worker.clock.now()
    shard = worker.shards[worker.rules.shard_of(host_of(url))]
    before, commands = forget(shard, url, now)
    worker.perform(shard, commands)
    booked = _booked(folder, url, before, now, noted=noted)
    if booked["changed"]:
        worker.note(Ordered("forget", url))
    return booked


def normalised(text: str) -> str:
    """The URL meant. Raises UserError."""
    url = parse(text)
    if url is None:
        guess = parse(f"https://{text}") if "://" not in text and "." in text else None
        hint = f"did you mean {inert(guess.href, 200)}?" if guess else "a URL begins with http:// or https://"
        raise UserError(f"{text[:200]!r} is not a URL that can be crawled", hint)
    return url.href


def _booked(folder: CrawlFolder, url: str, before: PageRecord | None, now: float, *, noted: bool = False) -> Message:
    if before is None:
        raise UserError(f"{url} is not known to this crawl", f"gossamer explain {folder.path} {url}   says why")
    changed = before.state != PageState.QUEUED
    was = state_word(before) + (f": {before.reason}" if before.reason else "")
    if changed and not noted:
        note_forgotten(folder, url, now)
    return {"url": url, "before": was, "changed": changed}


def note_forgotten(folder: CrawlFolder, url: str, now: float) -> None:
    """Note the order in the folder. Raises UserError."""
    try:
        note_orders(folder, now, "forget", [url])
    except OSError as error:
        raise UserError(f"forgotten, but {folder.changes} cannot be written: {error.strerror}") from error


def _refuse_unwanted(inspection: Inspection, url: str) -> None:
    """A URL that the scope now in force does not want is not fetched again either."""
    record = inspection.record(url)
    if record is None:
        return
    verdict = judged_anew(inspection.judge, url, record, inspection.rules.sites.site_of(host_of(url)))
    if verdict.verdict != WANTED:
        raise UserError(f"{url} is not wanted any more: {verdict.text}", "widen the scope with resume --set first")


def _inspection(worker: Worker, named: Callable[[str], str] = lambda _: "") -> Inspection:
    views = {shard.number: ShardView(shard.rows, shard.frontier, shard.templates) for shard in worker.shards}
    return Inspection(
        rules=worker.rules,
        judge=worker.judge,
        policy=worker.shards.first.frontier.policy,
        # What another worker knows is not known here.
        view=lambda number: views.get(number, ShardView(PendingStore(NoStore()))),
        addresses_of=lambda name: (address,) if (address := named(name)) else (),
        scoring=worker.shards.first.scoring,
        traps=worker.shards.first.templates.traps,
    )


def _crawl_state(worker: Worker, now: float) -> CrawlState:
    budget = worker.budget
    # Bounds that are lent may be raised in a moment.
    is_full = budget.lender is None and budget.room(now).leases <= 0 < budget.fetches_max - budget.fetches_reserved
    if budget.is_spent(now) or is_full:
        text = "a cap of the whole crawl is reached: pages, bytes or time"
        return CrawlState(running=True, code="crawl limit", text=text)
    if worker.stopping:
        return CrawlState(running=True, code="not running", text="the crawl is stopping and begins nothing more")
    if worker.pauses:
        why = ", ".join(sorted(worker.pauses))
        return CrawlState(running=True, code="crawl paused", text=f"the crawl is paused: {why}")
    return CrawlState(running=True)
