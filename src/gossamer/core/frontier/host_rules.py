"""What the operator decides about single hosts: gap, leases at once, robots.txt. Hosts without a rule have none of it.

Connections beyond one and a robots.txt that is not asked are for hosts whose owner is the operator (`mine`); whoever
makes a rule has checked that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class HostRule:
    """What is decided about one host."""

    minimum_seconds: float | None = None
    """Its minimum gap; None for the crawl's."""
    mine: bool = False
    """The operator's own host: its gap may be under a second wherever it is."""
    connections: int = 1
    """Leases at once."""
    robots_ignored: bool = False
    """Its robots.txt is neither fetched nor asked."""


NO_RULE: Final = HostRule()
NO_RULES: Final[Mapping[str, HostRule]] = MappingProxyType({})
"""Host, as URLs spell it -> its rule."""


def ignored_robots(rules: Mapping[str, HostRule]) -> list[str]:
    """The hosts whose robots.txt is ignored, in order."""
    return sorted(host for host, rule in rules.items() if rule.robots_ignored)


def raised_connections(rules: Mapping[str, HostRule]) -> list[str]:
    """The hosts with several leases at once, in order: "example.org: 4"."""
    return sorted(f"{host}: {rule.connections}" for host, rule in rules.items() if rule.connections > 1)
