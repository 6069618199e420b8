"""Several requests at once, for the operator's own hosts: never more than said, and one for every other host."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from gossamer.core.frontier.host_rules import HostRule
from gossamer.simulation.crawler import own_hosts
from gossamer.simulation.run import Rehearsal, run
from gossamer.simulation.settings import CrawlSettings
from gossamer.simulation.world import Authority, Link, Page, Robots, RobotsKind, SimHost, World

if TYPE_CHECKING:
    from gossamer.flow.worker import Worker
    from gossamer.simulation.crawler import Crawler
    from gossamer.simulation.network import Contact

OWN, OTHER = "a.example", "b.example"
SETTINGS = CrawlSettings(gap_seconds=0.2, connections=4)


def world_of(pages: int = 40) -> World:
    """Two hosts alike, of which the first by name is the operator's own."""
    world = World(0, {name: host_of(name) for name in (OWN, OTHER)})
    world.seeds = [f"http://{name}/" for name in (OWN, OTHER)]
    for root in world.seeds:
        urls = [f"{root}{number}" for number in range(pages)]
        world.pages[root] = Page(root, links=tuple(map(Link, urls)), words=root)
        world.pages |= {url: Page(url, words=url) for url in urls}
    return world


def host_of(name: str) -> SimHost:
    authority = Authority(f"http://{name}", Robots(RobotsKind.MISSING))
    return SimHost(name, name, (f"20.1.{ord(name[0])}.1",), (authority,), 0.01, 0.02)


def most_at_once(log: list[Contact], host: str) -> int:
    spans = [(each.start, each.end or each.start) for each in log if each.host == host]
    return max(sum(start <= moment < end for start, end in spans) for moment, _ in spans)


def test_the_own_host_is_asked_for_several_things_and_the_other_for_one() -> None:
    world, logs = world_of(), list[list["Contact"]]()

    def watch(crawler: Crawler, _: Worker) -> None:
        logs.append(crawler.network.log)

    verdict = run(1, Rehearsal(kills=0, world=world, settings=SETTINGS, sabotage=watch))
    assert verdict.passed, verdict.lines()
    assert own_hosts(world, SETTINGS) == {OWN: 4}
    assert (most_at_once(logs[0], OWN), most_at_once(logs[0], OTHER)) == (4, 1)


def raise_all(_: Crawler, worker: Worker) -> None:
    """The frontier takes every host for the operator's own."""
    rules = {name: HostRule(mine=True, connections=4) for name in (OWN, OTHER)}
    for shard in worker.shards:
        shard.frontier.policy = replace(shard.frontier.policy, hosts=rules)


def test_a_crawler_that_takes_other_hosts_for_its_own_is_seen() -> None:
    verdict = run(1, Rehearsal(kills=0, world=world_of(), settings=SETTINGS, sabotage=raise_all))
    assert any("one at a time: http://b.example" in problem for problem in verdict.problems)
    assert not any("at a time: http://a.example" in problem for problem in verdict.problems)


def hurry(_: Crawler, worker: Worker) -> None:
    """The own host has no gap."""
    for shard in worker.shards:
        rules = {OWN: HostRule(minimum_seconds=0.0, mine=True, connections=4)}
        shard.frontier.policy = replace(shard.frontier.policy, hosts=rules)


def test_the_gap_is_watched_where_requests_overlap() -> None:
    verdict = run(1, Rehearsal(kills=0, world=world_of(), settings=SETTINGS, sabotage=hurry))
    assert any("gap: http://a.example" in problem for problem in verdict.problems)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_grown_worlds_pass_through_kills(number: int) -> None:
    settings = CrawlSettings(connections=5, hosts_max=(1, 100)[number % 2], file_bytes=20_000)
    verdict = run(100 + number, Rehearsal(settings=settings))
    assert verdict.passed, verdict.lines()
