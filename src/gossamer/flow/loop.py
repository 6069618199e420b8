"""The crawl loop. Everything a worker does is on this page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from gossamer.core.ending import EndState
from gossamer.core.frontier import commands, events
from gossamer.core.frontier.commands import Command
from gossamer.flow.capture import store_lookup
from gossamer.flow.commit import commit_regularly
from gossamer.flow.delivery import deliver_outboxes
from gossamer.flow.ending import wish_of
from gossamer.flow.listing import name_sitemaps
from gossamer.flow.report import refuse_queued
from gossamer.flow.restoring import restore_rest
from gossamer.flow.robots_errand import run_errand
from gossamer.flow.scoring import head_scored
from gossamer.flow.shard import Shard
from gossamer.flow.visit import visit
from gossamer.flow.worker import Worker


async def crawl(worker: Worker) -> EndState:
    """Run the worker's shards until there is a reason to end; the reason."""
    committing = worker.start(commit_regularly(worker.committer, worker.policy.commit_interval))
    worker.start(restore_rest(worker))
    for chore in worker.chores:
        worker.start(chore())
    deliver_outboxes(worker)
    worker.active_at = worker.clock.now()
    try:
        await worker.committer.look_at_disks()
        while True:
            now = worker.clock.now()
            for shard in worker.in_turn():
                if not worker.leases_now or shard.outbox.is_full:
                    shard.frontier.stand_back()
                elif shard.frontier.has_turns(now):
                    perform(worker, shard, shard.frontier.advance(now, worker.budget.room(now)))
            # Asked after the turns: a turn may have refused the last URL, or put the last host to sleep for hours.
            if (ending := worker.company.settle(wish_of(worker))) is not None:
                return ending
            await worker.wait()
            worker.raise_failures()
    finally:
        committing.cancel()
        await worker.end_visits()


def attach(worker: Worker) -> Worker:
    """Give a worker the way to carry out what its frontiers ask for; part of making one."""

    def perform_and_ring(shard: Shard, todo: list[Command]) -> None:
        perform(worker, shard, todo)
        worker.alarm.ring()

    worker.perform = perform_and_ring
    return worker


def perform(worker: Worker, shard: Shard, todo: list[Command]) -> None:
    """Do what a frontier asks for; what that brings about is done too, in order.

    A command may bring about others of the same shard (a refused URL releases what it stood for). They come after those
    already there: booked before them, they would be undone by them.
    """
    if shard.todo or not todo:
        shard.todo += todo
        return
    shard.todo = list(todo)
    try:
        for command in shard.todo:
            DEEDS[type(command)](worker, shard, command)
    finally:
        shard.todo = []


def _visit(worker: Worker, shard: Shard, command: commands.Visit) -> None:
    worker.budget.reserve(command.lease)
    worker.start_visit(visit(worker, shard, command.lease), command.lease)


def _resolve(worker: Worker, shard: Shard, command: commands.Resolve) -> None:
    worker.start(resolve(worker, shard, command.host_id, command.host))


def _send_errand(worker: Worker, shard: Shard, command: commands.SendErrand) -> None:
    worker.start(run_errand(worker, shard, command.errand, command.origin))


def _tell(worker: Worker, _: Shard, command: commands.Tell) -> None:
    worker.note(command.fact)


def _load(worker: Worker, shard: Shard, command: commands.Loading) -> None:
    shard.todo += shard.frontier.handle(load(worker, shard, command), worker.clock.now())


def _book(_: Worker, shard: Shard, command: commands.Booking) -> None:
    shard.book(command)


DEEDS: Final[Mapping[type, Callable[[Worker, Shard, Any], None]]] = MappingProxyType(
    {
        commands.Visit: _visit,
        commands.Resolve: _resolve,
        commands.SendErrand: _send_errand,
        commands.Tell: _tell,
        commands.NameSitemaps: name_sitemaps,
        commands.Refuse: refuse_queued,
        **dict.fromkeys((commands.Refill, commands.Wake, commands.Postpone, commands.PutLast), _load),
        **dict.fromkeys((commands.Move, commands.SaveRobots, commands.DropRobots, commands.AnswerErrand), _book),
    }
)
"""What is done about each command."""


def load(worker: Worker, shard: Shard, command: commands.Loading) -> events.Event:
    """What a frontier wants from its store."""
    if isinstance(command, commands.PutLast):
        return events.Postponed(command.host_id, command.queue, shard.put_last(command), pause=False)
    if isinstance(command, commands.Postpone):
        return events.Postponed(command.host_id, command.queue, shard.postpone(command))
    if isinstance(command, commands.Refill):
        return head_scored(shard, command, worker.clock.now())
    hosts, next_wake = shard.sleeping(command.count, command.until, worker.entropy.unit())
    return events.Woken(hosts, next_wake)


async def resolve(worker: Worker, shard: Shard, host_id: bytes, host: str) -> None:
    """Look up a host's addresses for the frontier."""
    asked = worker.clock.now()
    found = worker.asking.answer_for(host) or await worker.resolver.resolve(host)
    answer = found.without(worker.judge.filters.blocked.blocks_address)
    if answer.addresses and answer.answered and answer.answered >= asked:
        store_lookup(worker, shard, host, answer)
    worker.perform(shard, shard.frontier.handle(events.Resolved(host_id, answer), worker.clock.now()))
