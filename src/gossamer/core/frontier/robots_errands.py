"""The robots.txt files of hosts in the working set: read, kept, followed to other hosts, and fetched for them."""

from __future__ import annotations

from typing import Final

from gossamer.core.facts import RobotsRead
from gossamer.core.frontier import commands, events
from gossamer.core.frontier.back_queue import BackQueue, Phase, RobotsPending
from gossamer.core.frontier.lease import Errand, LeaseKind
from gossamer.core.frontier.permission import tdm_body
from gossamer.core.frontier.working_set import WorkingSet
from gossamer.core.http.exchange import FailureKind
from gossamer.core.limits import ROBOTS_REDIRECTS_MAX
from gossamer.core.robots.answer import RobotsAnswer, robots_state

UNANSWERED: Final = RobotsAnswer(failure=FailureKind.CONNECT_FAILED)
"""What an errand comes to when its host cannot be asked: unreachable."""


class RobotsErrands:
    """What becomes of a robots.txt that was asked for; what it gives rise to gathers in the working set's `out`."""

    def __init__(self, working: WorkingSet, product: str) -> None:
        """`product`: our token in robots.txt."""
        self._working: Final = working
        self._product: Final = product

    def fetched(self, host: BackQueue, event: events.Visited, now: float) -> None:
        """A host has answered, for itself or on an errand."""
        lease = event.lease
        errand = lease.errand
        if lease.kind is LeaseKind.PROBE:
            host.pending = None
            self._working.out.extend(host.keep_tdm(lease.authority, tdm_body(event.robots or UNANSWERED), now))
            return
        if event.redirect and lease.hops < ROBOTS_REDIRECTS_MAX:
            self._follow(host, event)
            return
        answer = event.robots or RobotsAnswer(too_many_redirects=True)
        if errand is not None:
            self._working.out.append(commands.AnswerErrand(errand, answer))
        else:
            host.pending = None
            self._keep(host, lease.authority, answer, now)

    def came(self, event: events.RobotsCame, now: float) -> None:
        """Another host's answer to an errand of ours."""
        host = self._working.hosts.get(event.host_id)
        if host is None:
            return
        self._keep(host, event.authority, event.answer, now)
        host.asking = "" if host.asking == event.authority else host.asking
        if host.phase is Phase.ASKING:
            self._working.push(host, now)

    def give_up(self, host: BackQueue) -> None:
        """The host cannot be asked: whoever sent it errands is told."""
        self._working.out.extend(commands.AnswerErrand(errand, UNANSWERED) for errand in host.errands)
        host.errands.clear()

    def _follow(self, host: BackQueue, event: events.Visited) -> None:
        lease = event.lease
        if lease.errand is not None:
            errand = lease.errand
            again = Errand(errand.asker, errand.authority, event.redirect, lease.hops + 1)
            self._working.out.append(commands.SendErrand(again, origin=errand))
        elif event.redirect_host == lease.host:
            host.pending = RobotsPending(lease.authority, event.redirect, lease.hops + 1)
        else:
            host.pending, host.asking = None, lease.authority
            self._working.suspend(host, Phase.ASKING)
            errand = Errand(host.host_id, lease.authority, event.redirect, lease.hops + 1)
            self._working.out.append(commands.SendErrand(errand))

    def _keep(self, host: BackQueue, authority: str, answer: RobotsAnswer, now: float) -> None:
        robots = robots_state(answer, host.robots.get(authority), now)
        self._working.out.extend(host.keep_robots(authority, robots))
        delay = host.crawl_delay(self._product)
        host.state.crawl_delay = delay
        host.state.next_at = max(host.state.next_at, host.state.last_end + delay)
        self._working.touch(host)
        self._working.out.extend(host.sitemaps_named(authority, self._product, now))
        fact = RobotsRead(authority, robots.kind, robots.reason, len(robots.body), delay)
        self._working.out.append(commands.Tell(fact))
