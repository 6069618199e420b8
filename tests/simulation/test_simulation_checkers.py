"""Each checker passes a blameless log and names the fault in a log that holds one."""

from dataclasses import replace

import pytest

from gossamer.core.frontier.ledger import Ledger, encode_ledger
from gossamer.core.frontier.records import PageRecord, PageState, encode
from gossamer.core.page.found import FoundLinks, encode_batches
from gossamer.flow.shard import LEDGER_KEY, RECEIPT_PREFIX
from gossamer.ports.store import Table
from gossamer.simulation.checkers import accounting, fates, gap, nothing_lost, nothing_twice, one_at_a_time, permission
from gossamer.simulation.checkers.evidence import Evidence, Life, StoredBody
from gossamer.simulation.clock import EPOCH
from gossamer.simulation.network import Contact
from gossamer.simulation.store import MemoryDisk
from gossamer.simulation.truth import Truth
from gossamer.simulation.world import Authority, Page, PageKind, Robots, RobotsKind, SimHost, World

ROOT = "http://a.example/"
ROBOTS = "http://a.example/robots.txt"
WALL = "http://a.example/wall"


def contact(start, end, url=ROOT, **options):
    values = {"host": "a.example", "address": "20.0.0.1", "process": 0, "status": 200, "final": True} | options
    return Contact(url=url, start=EPOCH + start, end=EPOCH + end, **values)


ONE_LIFE = (Life(EPOCH),)


def evidence(*log, lives=ONE_LIFE, **options):
    robots = Authority("http://a.example", Robots(RobotsKind.ALLOW))
    host = SimHost("a.example", "a.example", ("20.0.0.1",), (robots,), 0.01, 0.1)
    world = World(0, {"a.example": host}, {ROOT: Page(ROOT), WALL: Page(WALL, PageKind.COOKIE_WALL)})
    truth = options.pop("truth", Truth(fetched={ROOT}))
    return Evidence(world, truth, list(log), 1.0, list(lives), **options)


KILLED_AT_10 = (Life(EPOCH, EPOCH + 10, killed=True), Life(EPOCH + 10))


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ([contact(0, 0.1), contact(1.1, 1.2)], ""),
        ([contact(0, 0.1), contact(1.0, 1.2)], "the least gap"),
        ([contact(0, 0.5), contact(2.9, 3)], "the response times"),
        ([contact(0, 0.5), contact(3.0, 3.1), contact(4.6, 4.7)], ""),
        ([contact(0, 0.1, crawl_delay=5.0), contact(4, 4.1)], "Crawl-delay"),
        ([contact(0, 0.1, crawl_delay=5.0), contact(5.1, 5.2), contact(9, 9.1)], "Crawl-delay"),
        ([contact(0, 0.1, retry_after=20.0), contact(15, 15.1)], "Retry-After"),
        ([contact(0, 0.1, retry_after=20.0), contact(20.1, 20.2), contact(21.3, 21.4)], ""),
        ([contact(0, 0.1), contact(0.5, 0.6, host="b.example")], ""),
        ([contact(0, 0.1, status=0), contact(4.0, 4.1)], "the back-off"),
        ([contact(0, 0.1, status=503), contact(4.0, 4.1)], "the back-off"),
        ([contact(0, 0.1, status=429), contact(5.2, 5.3)], ""),
    ],
)
def test_gap(log, why):
    problems = gap.check(evidence(*log))
    assert bool(problems) == bool(why)
    assert all(why in problem for problem in problems)


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ([contact(9, 9.9), contact(11, 11.1, process=1)], ""),
        ([contact(9, 9.9), contact(10.95, 11.1, process=1)], "opening"),
        ([contact(1, 1.1), contact(10.5, 10.6, process=1)], "opening"),
        ([contact(1, 1.1, crawl_delay=30.0), contact(12, 12.1, process=1)], "Crawl-delay"),
        ([contact(9, 9.1, crawl_delay=30.0), contact(12, 12.1, process=1)], ""),
        ([contact(1, 1.1, retry_after=60.0), contact(12, 12.1, process=1)], "Retry-After"),
        ([contact(9, 9.9), contact(11, 12, status=0, process=1), contact(17.1, 17.2, process=1)], ""),
        ([contact(0, 0.9), contact(11, 12, process=1), contact(15.0, 15.1, process=1)], "the response times"),
        ([contact(7, 9.9), contact(11, 11.1, status=0, process=1), contact(16.2, 16.3, process=1)], ""),
    ],
)
def test_gap_across_a_kill(log, why):
    problems = gap.check(evidence(*log, lives=KILLED_AT_10))
    assert bool(problems) == bool(why)
    assert all(why in problem for problem in problems)


def test_one_at_a_time():
    assert not one_at_a_time.check(evidence(contact(0, 1), contact(1, 2)))
    assert one_at_a_time.check(evidence(contact(0, 1), contact(0.9, 2, url="https://a.example/")))


def test_an_address_has_its_ceilings():
    at_once = [contact(0, 1, host=f"h{number}.example") for number in range(9)]
    assert not one_at_a_time.check(evidence(*at_once[:8]))
    assert "9 at once" in one_at_a_time.check(evidence(*at_once))[0]
    quick = [contact(number / 30, number / 30 + 0.01, host=f"h{number}.example") for number in range(21)]
    assert not one_at_a_time.check(evidence(*quick[:20]))
    assert "more than 20 in a second" in one_at_a_time.check(evidence(*quick))[0]


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ([contact(0, 0.1, ROBOTS), contact(1, 1.1)], ""),
        ([contact(1, 1.1)], "before its robots.txt was read"),
        ([contact(0, 0.1, ROBOTS, final=False, status=503), contact(1, 1.1)], "before its robots.txt was read"),
        ([contact(0, 2, ROBOTS), contact(1, 1.1)], "before its robots.txt was read"),
        ([contact(0, 0.1, ROBOTS), contact(90_000, 90_001)], "read 9"),
        ([contact(0, 0.1, ROBOTS), contact(1, 1.1, "http://a.example/other")], "no permitted way"),
        ([contact(0, 0.1, ROBOTS), contact(1, 1.1, "http://a.example/private/x")], "robots.txt forbids it"),
        ([contact(0, 0.1, ROBOTS, address="10.0.0.1")], "not public"),
    ],
)
def test_permission(log, why):
    truth = Truth(fetched={ROOT}, forbidden={"http://a.example/private/x"})
    problems = permission.check(evidence(*log, truth=truth))
    assert bool(problems) == bool(why)
    assert all(why in problem for problem in problems)


def test_sitemaps_are_asked_for_out_of_scope_and_nothing_else_is():
    missing, other = "http://a.example/no-such-sitemap.xml", "http://a.example/other"
    truth = Truth(fetched={ROOT, other}, answered={missing}, widened={ROOT}, sitemaps={missing})
    log = [contact(0, 0.1, ROBOTS), contact(1, 1.1, missing, status=404), contact(2, 2.1, other)]
    seen = evidence(*log, truth=truth, lives=(Life(EPOCH, scope="page"),))
    seen.world.seeds, seen.world.former_scope = [ROOT], "page"
    assert permission.check(seen) == [f"permission: {other} asked for, out of the scope of life 1"]


DAY = 86_400.0


@pytest.mark.parametrize(
    ("kind", "days", "log", "passes"),
    [
        (RobotsKind.ERRORS, 8, [], True),
        (RobotsKind.UNREACHABLE, 8, [], True),
        (RobotsKind.ALLOW, 8, [], False),
        (RobotsKind.ERRORS, 6, [], False),
        (RobotsKind.ERRORS, 8, [contact(4 * DAY, 4 * DAY + 1)], False),
        (RobotsKind.ERRORS, 8, [contact(4 * DAY, 4 * DAY + 1, ROBOTS, status=500)], True),
    ],
)
def test_urls_fail_unfetched_only_where_a_host_was_silent_for_as_long_as_anybody_waits(kind, days, log, passes):
    """The patience of the settings is seven days."""
    seen = evidence(*log, truth=Truth(forbidden={ROOT}), lives=(Life(EPOCH, EPOCH + days * DAY),))
    host = seen.world.hosts["a.example"]
    seen.world.hosts["a.example"] = replace(host, authorities=(Authority("http://a.example", Robots(kind)),))
    seen.records = {ROOT: PageRecord(ROOT, state=PageState.FAILED, reason="http 500")}
    assert (fates.check(seen) == []) is passes


def row(url, outcome="fetched", started=EPOCH, kind="page"):
    return {"url": url, "outcome": outcome, "started": started, "kind": kind}


def test_nothing_lost():
    truth = Truth(fetched={ROOT}, answered={"http://a.example/gone"})
    log = [contact(0, 1), contact(2, 3, "http://a.example/gone", status=404)]
    assert not nothing_lost.check(evidence(*log, truth=truth, pages=[row(ROOT)]))
    assert "no pages row" in nothing_lost.check(evidence(*log, truth=truth))[0]
    assert "never served" in nothing_lost.check(evidence(log[1], truth=truth, pages=[row(ROOT)]))[0]
    assert "never asked" in nothing_lost.check(evidence(log[0], truth=truth, pages=[row(ROOT)]))[0]
    surplus = nothing_lost.check(evidence(*log, truth=truth, pages=[row(ROOT), row("http://a.example/gone")]))
    assert "cannot be" in surplus[0]


@pytest.mark.parametrize(
    ("log", "lives", "twice"),
    [
        ([contact(0, 1), contact(2, 3)], (Life(EPOCH),), True),
        ([contact(0, 1, final=False), contact(2, 3)], (Life(EPOCH),), False),
        ([contact(0, 1, ROBOTS), contact(2, 3, ROBOTS)], (Life(EPOCH),), False),
        ([contact(0, 1, WALL, status=302), contact(2, 3, WALL)], (Life(EPOCH),), False),
        ([contact(9, 9.5), contact(12, 12.1, process=1)], KILLED_AT_10, False),
        ([contact(1, 1.5), contact(12, 12.1, process=1)], KILLED_AT_10, True),
    ],
)
def test_nothing_is_fetched_twice(log, lives, twice):
    assert bool(nothing_twice.check(evidence(*log, lives=lives))) == twice


def body(url, at, payload="p"):
    return StoredBody(url, "d", payload, EPOCH + at)


@pytest.mark.parametrize(
    ("bodies", "lives", "twice"),
    [
        ([body("a", 1), body("b", 20)], (Life(EPOCH),), True),
        ([body("a", 1), body("b", 20, "z")], (Life(EPOCH),), False),
        ([body("a", 1), body("b", 2)], (Life(EPOCH),), False),
        ([body("a", 9), body("b", 20)], KILLED_AT_10, False),
        ([body("a", 1), body("b", 20)], KILLED_AT_10, True),
    ],
)
def test_nothing_is_stored_twice(bodies, lives, twice):
    assert bool(nothing_twice.check(evidence(bodies=bodies, lives=lives))) == twice


def test_nothing_is_written_twice():
    assert not nothing_twice.check(evidence(pages=[row(ROOT), row(ROOT, started=EPOCH + 1)]))
    assert "2 rows" in nothing_twice.check(evidence(pages=[row(ROOT), row(ROOT)]))[0]


def disk_with(**tables):
    disk = MemoryDisk()
    for table, rows in tables.items():
        for key, value in rows.items():
            disk.durable[Table(table)].put(key, value)
    return disk


def test_books_that_do_not_balance_are_named():
    assert not accounting.at_commit([MemoryDisk()])
    crooked = disk_with(meta={LEDGER_KEY: encode_ledger(Ledger(found=2, new=1, known=1, queued=1))})
    assert "found = refused" in accounting.at_commit([crooked])[0]


def test_books_are_counted_again_from_the_rows():
    ledger = encode_ledger(Ledger(found=1, new=1, known=1, done=1))
    done = encode(PageRecord(ROOT, state=PageState.DONE))
    queued = encode(PageRecord(ROOT))
    assert not accounting.recount([disk_with(meta={LEDGER_KEY: ledger}, page={b"k": done})])
    problems = accounting.recount([disk_with(meta={LEDGER_KEY: ledger}, page={b"k": queued})])
    assert any("says 1 done, the rows 0" in problem for problem in problems)


def test_links_between_shards_are_never_lost():
    entry = encode_batches([FoundLinks("", 0, "", "", 0, 0.0, [ROOT], "L", b"\x00")])
    sender = disk_with(
        meta={LEDGER_KEY: encode_ledger(Ledger(found=2, sent=2))},
        outbox={(1).to_bytes(2, "big") + (2).to_bytes(8, "big"): entry},
    )
    received = Ledger(received=1, received_new=1, known=1, queued=1)
    receipt = {RECEIPT_PREFIX + bytes(2): (1).to_bytes(8, "big")}
    receiver = disk_with(meta={LEDGER_KEY: encode_ledger(received), **receipt})
    assert not accounting.at_commit([sender, receiver])
    assert not [problem for problem in accounting.recount([sender, receiver]) if "sent" in problem]
    assert "never reached" in accounting.at_commit([sender, MemoryDisk()])[0]
    assert "2 links sent" in accounting.recount([sender, MemoryDisk()])[-1]
