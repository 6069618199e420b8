"""The block list: hosts, domains, addresses and beginnings of URLs never to contact.

One entry a line, `#` begins a comment:

    example.com                  that host alone
    *.example.com                that domain and every host below it
    example.com/private/         URLs that begin so, under either scheme
    https://example.com/private/ URLs that begin so
    203.0.113.0/24               addresses, as literals in URLs and wherever a name leads to
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from gossamer.core.scope.rules import lies_under
from gossamer.core.url.parse import parse

Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class BlockList:
    """What a block list says. An empty one blocks nothing."""

    hosts: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    prefixes: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Host -> normalised URLs that blocked ones begin with."""
    networks: tuple[Network, ...] = ()

    def joined(self, other: BlockList) -> BlockList:
        """What either blocks."""
        prefixes = dict(self.prefixes)
        for host, urls in other.prefixes.items():
            prefixes[host] = (*prefixes.get(host, ()), *urls)
        return BlockList(
            self.hosts | other.hosts, self.domains | other.domains, prefixes, (*self.networks, *other.networks)
        )

    def blocks_host(self, host: str) -> bool:
        """Whether every URL of `host` (as `Url.host`) is blocked."""
        if host in self.hosts or (self.domains and lies_under(host, self.domains)):
            return True
        return bool(self.networks) and self.blocks_address(host)

    def blocks_address(self, address: str) -> bool:
        """Whether an address (text, without brackets) lies in a blocked range. A name is no address."""
        if not self.networks:
            return False
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self.networks if network.version == parsed.version)

    def blocks_url(self, url: str, host: str) -> bool:
        """Whether a normalised URL of `host` begins as a blocked one, `blocks_host` apart."""
        return url.startswith(self.prefixes.get(host, ()))


@dataclass(slots=True)
class _Reading:
    hosts: set[str] = field(default_factory=set[str])
    domains: set[str] = field(default_factory=set[str])
    prefixes: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    networks: list[Network] = field(default_factory=list[Network])

    def read(self, entry: str) -> bool:
        """Take one entry in; False when it is none."""
        network = _network(entry)
        if network is not None:
            self.networks.append(network)
            return True
        if "://" in entry:
            return self._read_prefix(entry)
        if "/" in entry:
            return self._read_prefix(f"http://{entry}") and self._read_prefix(f"https://{entry}")
        name = entry.removeprefix("*.")
        url = parse(f"http://{name}/")
        if url is None or "*" in name:
            return False
        (self.hosts if name == entry else self.domains).add(url.host)
        return True

    def _read_prefix(self, text: str) -> bool:
        url = parse(text)
        if url is None:
            return False
        self.prefixes[url.host] = (*self.prefixes.get(url.host, ()), url.href)
        return True


def read_block_list(text: str) -> tuple[BlockList, list[str]]:
    """The list, and what is wrong with it, line by line."""
    reading = _Reading()
    problems: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.partition("#")[0].strip()
        if entry and not reading.read(entry):
            problems.append(f"line {number}: {entry!r} is no host, *.domain, URL or address range")
    hosts, domains = frozenset(reading.hosts), frozenset(reading.domains)
    return BlockList(hosts, domains, reading.prefixes, tuple(reading.networks)), problems


def _network(entry: str) -> Network | None:
    try:
        return ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        return None
