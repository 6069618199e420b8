"""When a crawl ends, and how it says so. Asked after every step of the loop."""

from __future__ import annotations

from gossamer.core.ending import EndState, Wish
from gossamer.flow.operations import look_at_held
from gossamer.flow.worker import Worker


def wish_of(worker: Worker) -> Wish | None:
    """How the worker would end the crawl, or None while it has work."""
    state = end_state(worker)
    if state is None:
        return None
    now, deadline = worker.clock.now(), worker.budget.deadline
    return Wish(
        state,
        queued=any(shard.ledger.queued for shard in worker.shards),
        held=any(shard.ledger.held for shard in worker.shards),
        fetched=_fetched(worker),
        capped=worker.budget.is_spent(now),
        at_once=state is EndState.INTERRUPTED or (deadline is not None and now >= deadline),
    )


def end_state(worker: Worker) -> EndState | None:
    """The end, or None while there is work. Nothing ends while a visit or a delivery is under way."""
    now = worker.clock.now()
    past_deadline = worker.budget.deadline is not None and now >= worker.budget.deadline
    if past_deadline:
        return EndState.LIMIT
    if worker.in_flight:
        return None
    if worker.stopping:
        return EndState.INTERRUPTED
    if worker.budget.is_spent(now) and not worker.is_delivering:
        return EndState.LIMIT
    if worker.is_busy or _goes_on(worker, now):
        return None
    if not any(shard.ledger.queued for shard in worker.shards):
        return _nothing_left(worker)
    return EndState.STALLED if _fetched(worker) else EndState.NOTHING_FETCHED


def _goes_on(worker: Worker, now: float) -> bool:
    """Whether something is to be fetched within the operator's patience, or is looked for among what is held."""
    moment = worker.next_moment()
    if any(shard.ledger.queued for shard in worker.shards) and (
        worker.pauses or (moment is not None and moment <= now + worker.policy.patience)
    ):
        return True
    return moment is not None and _look_at_held(worker)


def _look_at_held(worker: Worker) -> bool:
    """Whether held URLs are being looked at before the crawl ends: budgets share it out, and nobody else is there now.

    Once for all that was fetched so far: what is still held then is held by a cap, or brought nothing new.
    """
    fetches = sum(shard.ledger.fetches for shard in worker.shards)
    if fetches == worker.looked_at_fetches or worker.pauses or not any(shard.ledger.held for shard in worker.shards):
        return False
    worker.looked_at_fetches = fetches
    look_at_held(worker, idle=True)
    return True


def _nothing_left(worker: Worker) -> EndState | None:
    if worker.waits_for_operator:
        patient = worker.clock.now() < worker.active_at + worker.policy.patience
        return None if patient else EndState.STALLED
    if not _fetched(worker):
        return EndState.NOTHING_FETCHED
    held = sum(shard.ledger.held for shard in worker.shards)
    return EndState.LIMIT if held else EndState.COMPLETE


def _fetched(worker: Worker) -> bool:
    """Whether any page was ever fetched."""
    return any(shard.ledger.pages for shard in worker.shards)
