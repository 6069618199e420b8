"""Hosts that are asked at once: few of each site, and no site is remembered for long."""

from __future__ import annotations

from gossamer.core.limits import TEMPLATES_CACHED_MAX, TRAP_HOSTS_WATCHED_MAX, TRAP_HOSTS_WATCHED_SECONDS
from gossamer.core.trap.hosts_asked import HostsAsked

SITE = "site.test"


def test_few_are_asked_at_once_and_each_answer_makes_room() -> None:
    asked = HostsAsked()
    assert all(asked.ask(SITE, str(number), 1.0) for number in range(TRAP_HOSTS_WATCHED_MAX))
    assert not asked.ask(SITE, "more", 1.0)
    assert asked.ask(SITE, "0", 1.0)
    assert asked.ask("other.test", "more", 1.0)
    asked.answered(SITE, "0")
    assert asked.ask(SITE, "more", 1.0)


def test_whoever_does_not_answer_is_counted_no_more() -> None:
    asked = HostsAsked()
    for number in range(TRAP_HOSTS_WATCHED_MAX):
        assert asked.ask(SITE, str(number), float(number))
    assert not asked.ask(SITE, "more", TRAP_HOSTS_WATCHED_SECONDS)
    assert asked.ask(SITE, "more", TRAP_HOSTS_WATCHED_SECONDS + 0.5)
    assert not asked.ask(SITE, "yet more", TRAP_HOSTS_WATCHED_SECONDS + 0.5)


def test_sites_are_forgotten_once_their_hosts_have_answered_or_had_their_time() -> None:
    asked = HostsAsked()
    for number in range(500):
        asked.ask(f"site{number}.test", "a", float(number))
        assert len(asked) <= TRAP_HOSTS_WATCHED_SECONDS + 1
    for number in range(500):
        asked.answered(f"site{number}.test", "a")
    assert not len(asked)


def test_no_more_sites_are_remembered_than_there_is_room_for() -> None:
    asked = HostsAsked()
    for number in range(2 * TEMPLATES_CACHED_MAX):
        asked.ask(f"site{number}.test", "a", 1.0)
    assert len(asked) == TEMPLATES_CACHED_MAX
