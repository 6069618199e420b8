"""The made-up web: a pure function of its number, with every oddity somewhere, and a truth that holds together."""

import itertools
from collections import Counter, defaultdict

import pytest

from gossamer.core.trap.template import template_of
from gossamer.core.trap.text_blocks import BlockMemory, blocks_of, says_something_new
from gossamer.core.url.parse import authority_of, host_of, parse, target_of
from gossamer.simulation.growth import WorldSize, grow
from gossamer.simulation.server import answer, render
from gossamer.simulation.truth import allowed, truth_of
from gossamer.simulation.world import PageKind, Robots, RobotsKind, Stumble, key_of

SEEDS = range(60)


@pytest.fixture(scope="module")
def worlds():
    return [grow(number) for number in SEEDS]


def test_a_number_is_a_world(worlds):
    for number, world in zip(SEEDS, worlds, strict=True):
        assert grow(number) == world
    assert worlds[0] != worlds[1]


def test_sizes_stay_within_their_bounds(worlds):
    for world in worlds:
        assert 3 <= len(world.hosts) <= 12
        assert len({host.site for host in world.hosts.values()}) >= 3
        assert len(world.pages) <= 150 + 24 + 20  # roots and oddities come on top


def test_urls_are_normal_and_keys_are_theirs(worlds):
    for world in worlds:
        for key, page in world.pages.items():
            url = parse(page.url)
            assert url is not None
            assert url.href == page.url
            assert key == key_of(page.url)
            assert world.authority(authority_of(page.url)) is not None


def test_every_grown_page_says_something_that_no_other_says(worlds):
    """Numbers apart: else some would be traps, of which the truth knows nothing. The memory errs now and then."""
    missed = pages = 0
    for world in worlds:
        memories = defaultdict(BlockMemory)
        for page in world.pages.values():
            if page.kind is PageKind.PAGE and page.words.startswith("Page ") and not page.copy_of:
                memory = memories[template_of(page.url)]
                new = says_something_new(blocks_of(render(page)), page.url, memory, combined=True)
                missed += not new
                pages += 1
    assert missed <= 0.02 * pages


def test_every_oddity_occurs(worlds):
    kinds = Counter(page.kind for world in worlds for page in world.pages.values())
    assert set(kinds) == set(PageKind)
    stumbles = {stumble for world in worlds for page in world.pages.values() for stumble in page.stumbles}
    assert stumbles == set(Stumble)
    robots = {a.robots.kind for world in worlds for host in world.hosts.values() for a in host.authorities}
    assert robots == set(RobotsKind)
    assert any(host.dead for world in worlds for host in world.hosts.values())
    addresses = Counter(address for host in worlds[3].hosts.values() for address in host.addresses)
    assert addresses
    assert any(
        len({host_of(page.url) for page in world.pages.values() if page.copy_of == key}) > 1
        for world in worlds
        for key in world.pages
    )


def test_truth_sets_are_apart_and_most_pages_are_reached(worlds):
    pages = reached = 0
    for world in worlds:
        truth = truth_of(world)
        sets = [truth.fetched, truth.answered, truth.unreachable, truth.forbidden]
        for one, other in itertools.combinations(sets, 2):
            assert not one & other
        if world.capped:
            continue
        assert truth.fetched or truth.pairs
        pages += len(world.pages)
        reached += sum(map(len, sets))
    assert reached > 0.75 * pages


def test_truth_follows_no_link_that_is_kept_from_us(worlds):
    for world in worlds:
        truth = truth_of(world)
        assert not truth.may_be_asked & truth.perhaps_known
        for key in truth.may_be_asked:
            assert host_of(key) not in world.blocked
        assert all(allowed(world, world.pages[key].url) for key in truth.fetched)


def test_a_calm_world_has_no_faults():
    for number in range(20):
        world = grow(number, WorldSize(calm=True))
        truth = truth_of(world)
        assert not truth.unreachable
        assert not truth.forbidden
        assert world.heals == 0.0


def test_copies_say_the_same_under_every_url(worlds):
    checked = 0
    for world in worlds:
        for page in world.pages.values():
            if page.copy_of and page.kind is PageKind.PAGE and not page.gzip:
                assert answer(world, page.url, 0.0, 9, "").body == render(world.pages[page.copy_of])
                checked += 1
    assert checked > 50


def test_stumbles_come_first_and_end(worlds):
    for world in worlds:
        for page in world.pages.values():
            for asked in range(4):
                assert answer(world, page.url, 0.0, asked, "").final == (asked >= len(page.stumbles))


def test_cookie_wall_opens_to_its_cookie(worlds):
    walls = [(w, p) for w in worlds for p in w.pages.values() if p.kind is PageKind.COOKIE_WALL and not p.stumbles]
    assert walls
    for world, page in walls:
        closed = answer(world, page.url, 0.0, 0, "")
        assert dict(closed.headers)["Location"] == page.url
        cookie = dict(closed.headers)["Set-Cookie"].partition(";")[0]
        assert answer(world, page.url, 0.0, 1, cookie).status == 200


def test_late_robots_answer_after_their_moment(worlds):
    late = [
        (world, authority.origin, authority.robots)
        for world in worlds
        for host in world.hosts.values()
        for authority in host.authorities
        if authority.robots.kind is RobotsKind.LATE
    ]
    assert late
    for world, origin, robots in late:
        assert answer(world, f"{origin}/robots.txt", robots.until - 0.001, 0, "").status == 503
        assert answer(world, f"{origin}/robots.txt", robots.until, 0, "").status == 200


def test_disallowed_prefixes_are_forbidden():
    world = grow(0)
    host = next(iter(world.hosts.values()))
    authority = host.authorities[0]
    rules = Robots(RobotsKind.PARTS, disallowed=("/private/",))
    object.__setattr__(authority, "robots", rules)
    assert not allowed(world, f"{authority.origin}/private/x")
    assert allowed(world, f"{authority.origin}/public")
    assert target_of(f"{authority.origin}/public?x=1") == "/public?x=1"
