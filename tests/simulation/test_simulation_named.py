"""Worlds made by hand for what grown worlds once found, and a kill at every step of a small crawl."""

from dataclasses import replace
from itertools import pairwise

import pytest

from gossamer.simulation.clock import EPOCH
from gossamer.simulation.faults import Faults, LifeFaults
from gossamer.simulation.run import Rehearsal, run
from gossamer.simulation.settings import CrawlSettings
from gossamer.simulation.truth import truth_of
from gossamer.simulation.world import (
    Authority,
    Link,
    Listing,
    ListingKind,
    Outage,
    Page,
    PageKind,
    Robots,
    RobotsKind,
    SimHost,
    Stumble,
    Trouble,
    World,
)

BROKEN = Robots(RobotsKind.ERRORS)
RESETS = Robots(RobotsKind.UNREACHABLE)
OPEN = Robots(RobotsKind.MISSING)


def make_host(name, origins, **options):
    authorities = tuple(Authority(origin, robots) for origin, robots in origins.items())
    number = sum(name.encode()) % 250
    return SimHost(name, name, (f"20.1.{number}.1",), authorities, 0.01, 0.02, **options)


def make_world(hosts, pages, **options):
    world = World(0, {host.name: host for host in hosts}, **options)
    world.seeds = [pages[0].url]
    world.pages = {page.url: page for page in pages}
    return world


def linked(url, *targets, **options):
    return Page(url, links=tuple(Link(target) for target in targets), words=url, **options)


def verdict_lines(world, **options):
    settings = CrawlSettings(hosts_max=options.pop("hosts_max", 100), file_bytes=4000, commit_interval=1.0)
    verdict = run(0, Rehearsal(kills=0, world=world, settings=settings, **options))
    return [] if verdict.passed else verdict.lines()


@pytest.mark.parametrize("broken", [BROKEN, RESETS], ids=["500", "reset"])
def test_an_unreachable_robots_file_holds_up_no_other_authority(broken):
    """Forty URLs wait behind it: more than the head of a queue in memory."""
    waiting = [f"https://a.example/w{number}" for number in range(40)]
    good = [f"http://a.example/g{number}" for number in range(20)]
    host = make_host("a.example", {"http://a.example": OPEN, "https://a.example": broken})
    pages = [linked("http://a.example/", *waiting, *good), *(linked(url) for url in (*waiting, *good))]
    assert verdict_lines(make_world([host], pages)) == []


def test_of_two_unreachable_robots_files_each_is_asked_again():
    host = make_host(
        "a.example",
        {
            "http://a.example": OPEN,
            "https://a.example": Robots(RobotsKind.LATE, until=EPOCH + 500),
            "http://a.example:8080": RESETS,
        },
    )
    urls = ["http://a.example:8080/x", "https://a.example/y", "http://a.example:8080/z"]
    pages = [linked("http://a.example/", *urls), *(linked(url) for url in urls)]
    assert verdict_lines(make_world([host], pages, heals=EPOCH + 500)) == []


def test_a_url_that_always_resets_and_an_unreachable_robots_file_take_turns():
    robots = {"http://a.example": OPEN, "https://a.example": Robots(RobotsKind.LATE, until=EPOCH + 500)}
    reset = Page("http://a.example/reset", kind=PageKind.BROKEN, status=0)
    pages = [linked("http://a.example/", reset.url, "https://a.example/y"), reset, linked("https://a.example/y")]
    assert verdict_lines(make_world([make_host("a.example", robots)], pages, heals=EPOCH + 500)) == []


def test_the_last_urls_refused_by_robots_end_the_crawl():
    rules = Robots(RobotsKind.PARTS, disallowed=("/private/",))
    pages = [linked("http://a.example/", "http://a.example/private/x"), linked("http://a.example/private/x")]
    assert verdict_lines(make_world([make_host("a.example", {"http://a.example": rules})], pages)) == []


def busy_world():
    """Four sites: a copy, a redirect between sites, a stumble, an outage, a cookie wall, a robots.txt elsewhere."""
    hosts = [
        make_host("a.example", {"http://a.example": OPEN}),
        make_host("b.example", {"https://b.example": Robots(RobotsKind.REDIRECT, target="http://a.example/b.txt")}),
        make_host(
            "c.example",
            {"http://c.example": Robots(RobotsKind.DELAY, crawl_delay=2.0)},
            outages=(Outage(EPOCH, EPOCH + 4, Trouble.CONNECT_REFUSED),),
        ),
        make_host("d.example", {"http://d.example": OPEN}),
    ]
    pages = [
        linked("http://a.example/", "https://b.example/", "http://c.example/", "http://a.example/moved"),
        Page("http://a.example/moved", kind=PageKind.REDIRECT, status=301, target="http://d.example/"),
        linked("https://b.example/", "http://d.example/wall", "http://c.example/copy"),
        linked("http://c.example/", "http://c.example/stumbles", "http://d.example/missing"),
        Page("http://c.example/copy", copy_of="http://a.example/"),
        linked("http://c.example/stumbles", stumbles=(Stumble.TOO_MANY,)),
        linked("http://d.example/", "http://a.example/"),
        Page("http://d.example/wall", kind=PageKind.COOKIE_WALL, words="inside"),
    ]
    files = {"http://a.example/b.txt": Robots(RobotsKind.PARTS, disallowed=("/private/",))}
    return make_world(hosts, pages, heals=EPOCH + 4, robots_files=files)


def test_the_busy_world_passes_unkilled():
    assert verdict_lines(busy_world()) == []


@pytest.mark.slow
def test_a_kill_at_any_step():
    """The busy world crawled for every seventh of its steps, killed there, and once more soon after its reopening."""
    settings = CrawlSettings(hosts_max=1, file_bytes=4000, commit_interval=1.0)
    steps = run(0, Rehearsal(kills=0, world=busy_world(), settings=settings)).steps
    assert steps > 300
    failed = []
    for step in range(1, steps, 7):
        verdict = run(step, Rehearsal(kill_steps=(step, 1 + step % 97), world=busy_world(), settings=settings))
        failed += [] if verdict.passed else [f"killed at step {step}: {verdict.problems[:3]}"]
    assert not failed, "\n".join(failed[:10])


FOUND = {
    307: "a cap of one page a host, several requests at once: two pages",
    437: "a cap of six pages a host, several requests at once: seven pages",
    149: "heads forgotten while a robots.txt was on its way: the sitemaps that it named were not",
    237: "a crawl that outlasts its patience with a host: what waits there fails",
    682: "a feed names the second step of a chain of redirects that was met from its beginning",
    1977: "the same: how many redirects a URL has behind it depends on the way it was found first",
    1384: "a robots.txt that answers 500 for longer than the patience with its host: what waits for it fails",
    2643: "a robots.txt names a sitemap that is not there, out of scope",
    3368: "a host freed from its budget into the place it slept at already: its books said held",
    3139: "a robots.txt that forbids the only URL known of its host names a sitemap",
    5366: "a scope narrowed to pages while where a seed redirects to waited: in scope before, it was no widening",
    5505: "the same, from the scope of hosts",
    6217: "a restart within a second: the address's requests of the life before were forgotten",
    6238: "pages that differ by a number alone, thirteen of one template: a trap in a world that has none",
    8419: "a crawl at its cap while its changed scope was being committed: the last commit met half of that one",
    9388: "the same as 6238, in a world of twins",
}
"""Simulation seeds that once failed, and how."""


@pytest.mark.slow
@pytest.mark.parametrize("number", FOUND)
def test_a_number_that_once_failed_passes(number):
    verdict = run(number)
    assert verdict.passed, "\n".join(verdict.lines())


CHAIN = "abcdefghijklm"
"""Steps of a chain of redirects."""


def chain_world(length, *, shortcut):
    """Redirects in a row; a feed may name the second of them."""
    steps = [f"http://a.example/{step}" for step in CHAIN[: length + 1]]
    feed = Listing("http://a.example/feed.xml", ListingKind.FEED, (steps[1],))
    redirects = [Page(one, PageKind.REDIRECT, 302, target=other) for one, other in pairwise(steps)]
    root = linked("http://a.example/", steps[0], feeds=(feed.url,) if shortcut else ())
    return make_world(
        [make_host("a.example", {"http://a.example": OPEN})],
        [root, *redirects, linked(steps[-1])],
        listings={feed.url: feed} if shortcut else {},
    )


@pytest.mark.parametrize(
    ("length", "shortcut", "end"),
    [(10, False, "fetched"), (10, True, "fetched"), (11, False, ""), (11, True, "perhaps"), (12, True, "")],
)
def test_the_end_of_a_chain_that_has_a_shortcut_is_fetched_or_not(length, shortcut, end):
    world = chain_world(length, shortcut=shortcut)
    truth, last = truth_of(world), f"http://a.example/{CHAIN[length]}"
    assert [name for name in ("fetched", "perhaps") if last in getattr(truth, name)] == ([end] if end else [])
    assert verdict_lines(world) == []


def test_a_robots_file_that_forbids_all_there_is_names_a_sitemap_and_one_that_is_not_there():
    origin = "http://b.example"
    sitemap = Listing(f"{origin}/sitemap.xml", ListingKind.SITEMAP, (f"{origin}/listed",))
    named = (sitemap.url, f"{origin}/no-such-sitemap.xml")
    rules = Robots(RobotsKind.PARTS, disallowed=("/private/",), sitemaps=named)
    hosts = [make_host("a.example", {"http://a.example": OPEN}), make_host("b.example", {origin: rules})]
    pages = [linked("http://a.example/", f"{origin}/private/x"), linked(f"{origin}/listed")]
    world = make_world(hosts, pages, listings={sitemap.url: sitemap})
    truth = truth_of(world)
    assert truth.sitemaps == set(named)
    assert f"{origin}/listed" in truth.fetched
    assert verdict_lines(world) == []


def test_a_host_at_its_cap_is_not_asked_for_more_at_once():
    """What the two numbers above have found, made by hand: ten pages, a cap of three, four requests at once."""
    urls = [f"http://a.example/{number}" for number in range(10)]
    pages = [linked("http://a.example/", *urls), *(linked(url) for url in urls)]
    world = make_world([make_host("a.example", {"http://a.example": OPEN})], pages, capped=True)
    settings = CrawlSettings(gap_seconds=0.2, host_pages_max=3, connections=4)
    verdict = run(1, Rehearsal(kills=0, world=world, settings=settings))
    assert verdict.problems == []
    assert verdict.pages == 3


@pytest.mark.parametrize("step", [-3600.0, 3600.0])
def test_a_wall_clock_that_is_set_between_two_lives_breaks_no_gap(step):
    lives = (LifeFaults(stop_after=3.0), LifeFaults(clock_step=step))
    urls = [f"http://a.example/{number}" for number in range(6)]
    pages = [linked("http://a.example/", *urls), *(linked(url) for url in urls)]
    world = make_world([make_host("a.example", {"http://a.example": OPEN})], pages)
    assert verdict_lines(world, faults=Faults(lives=lives)) == []


@pytest.mark.parametrize(
    ("former", "scope"),
    [("any", "site"), ("any", "host"), ("site", "page"), ("host", "prefix"), ("host", "page")],
)
@pytest.mark.parametrize("late", [True, False], ids=["queued", "done"])
def test_where_a_seed_leads_is_in_every_scope_that_a_resume_brings(former, scope, late):
    """Whether it waits or is fetched already when the scope gets narrower."""
    robots = Robots(RobotsKind.LATE, until=EPOCH + 300) if late else OPEN
    urls = [f"https://a.example/{name}" for name in ("new/", "new/x")]
    pages = [Page("http://a.example/", PageKind.REDIRECT, 301, target=urls[0]), linked(*urls), linked(urls[1])]
    host = make_host("a.example", {"http://a.example": OPEN, "https://a.example": robots})
    world = make_world([host], pages, heals=EPOCH + 300, scope=scope, former_scope=former)
    assert urls[0] in truth_of(world).fetched
    assert (urls[1] in truth_of(world).fetched) == (scope != "page")
    assert verdict_lines(world, faults=Faults(lives=(LifeFaults(stop_after=5.0),), heals=EPOCH + 300)) == []


@pytest.mark.slow
def test_an_address_keeps_its_rate_through_kills():
    """Five requests at once at a gap of 0.2 s are more than it bears, if a restart forgets those just before."""
    urls = [f"http://a.example/{number}" for number in range(40)]
    pages = [linked("http://a.example/", *urls), *(linked(url) for url in urls)]
    host = replace(make_host("a.example", {"http://a.example": OPEN}), one_way_seconds=0.001, service_seconds=0.001)
    settings = CrawlSettings(gap_seconds=0.2, connections=5)
    failed = []
    for step in range(150, 450, 50):
        verdict = run(step, Rehearsal(kill_steps=(step,), world=make_world([host], pages), settings=settings))
        failed += verdict.problems[:1]
    assert failed == []


@pytest.mark.slow
def test_a_kill_between_the_commits_of_two_shards():
    """At every step of the disks, one after the other."""
    failed = []
    for step in range(1, 60, 4):
        lines = verdict_lines(busy_world(), faults=Faults(lives=(LifeFaults(torn_at=step),)))
        failed += lines[:3]
    assert not failed, "\n".join(failed)
