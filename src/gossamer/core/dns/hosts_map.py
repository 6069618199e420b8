"""Names with addresses given by hand: `HOST=ADDRESS`, and files in the form of /etc/hosts."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.core import limits
from gossamer.core.dns.name import dns_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(slots=True)
class HostsMap:
    """host (lower case, no final dot) -> addresses, in the order given."""

    addresses: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    problems: list[str] = field(default_factory=list[str])
    """One line per unreadable line of a file, with its number; at most ten."""

    def lookup(self, host: str) -> tuple[str, ...]:
        """The addresses of `host`; empty when it is not in the map."""
        return self.addresses.get(host, ())

    def over(self, other: HostsMap) -> HostsMap:
        """Both maps as one, where a name in this one hides the same name in `other`."""
        return HostsMap({**other.addresses, **self.addresses}, [*other.problems, *self.problems])


def parse_entries(entries: Iterable[str]) -> HostsMap:
    """Read `HOST=ADDRESS` settings. A wrong one is misuse, with a hint. A name given twice has both addresses."""
    pairs: list[tuple[str, str]] = []
    for entry in entries:
        host, equals, text = entry.partition("=")
        name, address = dns_name(host), _address(text)
        if not equals or not name or not address:
            raise ValueError(f"{entry!r} is no HOST=ADDRESS; write www.example.org=192.0.2.7")
        pairs.append((name, address))
    return HostsMap(_grouped(pairs))


def parse_hosts(data: bytes) -> HostsMap:
    """Read a hosts file: an address and its names per line, # begins a comment. Never raises."""
    pairs: list[tuple[str, str]] = []
    problems: list[str] = []
    lines = data[: limits.HOSTS_FILE_BYTES_MAX].decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        address = _address(words[0])
        names = [name for word in words[1:] if (name := dns_name(word))]
        if not address or len(names) < max(1, len(words) - 1):
            problems.append(f"line {number}: not an address and its names")
        if address:
            pairs += [(name, address) for name in names]
    return HostsMap(_grouped(pairs), problems[:10])


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    grouped: dict[str, dict[str, None]] = {}
    for name, address in pairs:
        grouped.setdefault(name, {})[address] = None
    return _frozen(grouped)


def _frozen(grouped: Mapping[str, Mapping[str, None]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(addresses) for name, addresses in grouped.items()}


def _address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text.strip()))
    except ValueError:
        return ""
