"""Opening a crawl of many hosts: some are there at once, all others while it runs, and none is lost or there twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gossamer.core.budget.policy import BudgetPolicy
from gossamer.core.facts import SiteHeld, SiteReleased
from gossamer.core.frontier.leasing import Room
from gossamer.flow import restoring
from gossamer.flow.admission import admit
from gossamer.flow.restoring import restore_rest
from gossamer.flow.worker import Worker
from gossamer.ports.store import Table
from tests.workers import Bench, run

if TYPE_CHECKING:
    from gossamer.core.facts import Fact

HOSTS = 25


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A crawl that had `HOSTS` hosts in its working set, opened again; four are brought back at a time."""
    monkeypatch.setattr(restoring, "HOSTS_AT_ONCE", 4)
    made = Bench()
    take(made, *(f"http://h{number}.test/" for number in range(HOSTS)))
    run(made.worker.committer.commit())
    made.reopen()
    return made


def take(bench: Bench, *urls: str) -> None:
    new, todo = admit(bench.shard, bench.found(*urls), bench.clock.now())
    bench.shard.ledger.found += len(urls)
    bench.shard.ledger.new += new
    bench.shard.ledger.seen += len(urls) - new
    bench.worker.perform(bench.shard, todo)


def names(bench: Bench) -> set[str]:
    return {host.state.name for host in bench.shard.frontier.hosts.values()}


def test_the_first_hosts_are_there_at_once_and_the_others_follow(bench: Bench) -> None:
    assert len(names(bench)) == 4
    run(restore_rest(bench.worker))
    assert len(names(bench)) == HOSTS
    assert bench.worker.releasing == 0
    assert bench.shard.unrestored == {}


def test_what_is_found_meanwhile_is_not_brought_back_over(bench: Bench) -> None:
    take(bench, *(f"http://h{number}.test/more" for number in range(HOSTS)))
    run(restore_rest(bench.worker))
    assert {host.state.total for host in bench.shard.frontier.hosts.values()} == {2}
    assert len(bench.shard.rows.scan(Table.ACTIVE, b"", b"\xff" * 9, 99)) == HOSTS
    assert bench.shard.ledger.problems() == []


def test_the_crawl_is_not_over_before_all_are_back(bench: Bench) -> None:
    rest = restore_rest(bench.worker)
    rest.send(None)
    assert bench.worker.is_busy
    rest.close()
    assert bench.worker.releasing == 0


def test_a_site_that_is_released_by_the_opening_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Fact] = []
    monkeypatch.setattr(Worker, "note", lambda _, fact: told.append(fact))
    bench = Bench(frontier={"budget": BudgetPolicy(first_pages=5, growth=0.1)})
    admit(bench.shard, bench.found("http://site.test/", source="http://s.test/", depth=1), bench.clock.now())
    bench.shard.sites.touch("site.test").pages = 5
    bench.worker.perform(bench.shard, bench.shard.frontier.advance(bench.clock.now(), Room(5)))
    assert [type(fact) for fact in told] == [SiteHeld]
    run(bench.worker.committer.commit())
    told.clear()
    bench.frontier["budget"] = BudgetPolicy(first_pages=50, growth=0.1)
    bench.reopen()
    assert [type(fact) for fact in told] == [SiteReleased]
