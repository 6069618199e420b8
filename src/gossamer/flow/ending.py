"""When a crawl ends, and how it says so. Asked after every step of the loop."""

from __future__ import annotations

from gossamer.core.ending import EndState
from gossamer.flow.worker import Worker


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
    if worker.is_busy:
        return None
    queued = sum(shard.ledger.queued for shard in worker.shards)
    if not queued:
        return _nothing_left(worker)
    moment = worker.next_moment()
    if worker.pauses or (moment is not None and moment <= now + worker.policy.patience):
        return None
    return EndState.STALLED if _fetched(worker) else EndState.NOTHING_FETCHED


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
