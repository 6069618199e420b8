"""Which addresses may be connected to: only what the Internet at large can reach, unless a range was allowed.

A crawler fetches whatever a page names, so a page could point it at the machine's own services, at the private network
behind it, or at a cloud's metadata address that hands out credentials (server-side request forgery). The table is the
IANA special-purpose registries (RFC 6890) plus what clouds add. IPv6 addresses that carry an IPv4 address are judged by
it as well, since a translator would connect there.
"""

from __future__ import annotations

import ipaddress
from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address

REFUSED_NETWORKS: Final = (
    ("0.0.0.0/8", "this network"),  # RFC 791 section 3.2; 0.0.0.0 itself reaches the own machine on Linux
    ("10.0.0.0/8", "private"),  # RFC 1918
    ("100.64.0.0/10", "carrier-grade NAT"),  # RFC 6598; Alibaba's metadata 100.100.100.200 lies within
    ("127.0.0.0/8", "loopback"),  # RFC 1122 section 3.2.1.3
    ("168.63.129.16/32", "metadata"),  # Azure's wire server
    ("169.254.0.0/16", "link-local"),  # RFC 3927; the clouds' metadata 169.254.169.254 lies within
    ("172.16.0.0/12", "private"),  # RFC 1918
    ("192.0.0.0/24", "protocol assignments"),  # RFC 6890; Oracle's metadata 192.0.0.192 lies within
    ("192.0.2.0/24", "documentation"),  # RFC 5737
    ("192.88.99.0/24", "6to4 relay"),  # RFC 7526
    ("192.168.0.0/16", "private"),  # RFC 1918
    ("198.18.0.0/15", "benchmarking"),  # RFC 2544
    ("198.51.100.0/24", "documentation"),  # RFC 5737
    ("203.0.113.0/24", "documentation"),  # RFC 5737
    ("224.0.0.0/4", "multicast"),  # RFC 5771
    ("240.0.0.0/4", "reserved"),  # RFC 1112 section 4; the broadcast address is its last
    ("::/128", "unspecified"),  # RFC 4291 section 2.5.2
    ("::1/128", "loopback"),  # RFC 4291 section 2.5.3
    ("64:ff9b:1::/48", "local translation"),  # RFC 8215
    ("100::/64", "discard"),  # RFC 6666
    ("100:0:0:1::/64", "dummy"),  # RFC 9780
    ("2001::/23", "protocol assignments"),  # RFC 2928: Teredo (4380), benchmarking (5180), ORCHID (7343)
    ("2001:db8::/32", "documentation"),  # RFC 3849
    ("3fff::/20", "documentation"),  # RFC 9637
    ("5f00::/16", "segment routing"),  # RFC 9602
    ("fc00::/7", "private"),  # RFC 4193; Amazon's metadata fd00:ec2::254 lies within
    ("fe80::/10", "link-local"),  # RFC 4291 section 2.5.6
    ("fec0::/10", "site-local"),  # RFC 3879
    ("ff00::/8", "multicast"),  # RFC 4291 section 2.7
)
"""Every refused network and the word for it; the comment names its source."""

_GLOBAL_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
"""RFC 4291 section 2.4: the only IPv6 range given out so far; all else is refused, named or not."""
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")
"""RFC 6052: NAT64, the last 32 bits are an IPv4 address."""
_SIX_TO_FOUR: Final = ipaddress.IPv6Network("2002::/16")
"""RFC 3056: bits 16 to 48 are an IPv4 address."""
_VERDICTS_KEPT: Final = 65_536
"""Verdicts remembered: an address is asked about at the look-up, at connect and before each request."""


class AddressGuard:
    """Permits public addresses, and whatever lies in `allowed`."""

    def __init__(self, allowed: tuple[Network, ...] = ()) -> None:
        self._allowed = allowed
        self.refusal = lru_cache(maxsize=_VERDICTS_KEPT)(self._refusal)
        self.is_allowed = lru_cache(maxsize=_VERDICTS_KEPT)(self._is_allowed)
        """Whether an address lies in a range that was allowed by name, so that its own ceilings are lifted too."""

    def permits(self, address: str) -> bool:
        """Whether `address` (IPv4 or IPv6 text, no brackets) may be connected to. What is no address may not."""
        return not self.refusal(address)

    def _is_allowed(self, address: str) -> bool:
        parsed = _parsed(address)
        return parsed is not None and self._lifts(parsed)

    def _refusal(self, address: str) -> str:
        """Why `address` may not be connected to ("private", "loopback"); empty when it may."""
        parsed = _parsed(address)
        if parsed is None:
            return "not an address"
        return "" if self._lifts(parsed) else _special(parsed)

    def _lifts(self, address: Address) -> bool:
        return any(address in network for network in self._allowed if network.version == address.version)


def parse_networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Ranges as users write them: "127.0.0.0/8", "10.1.2.3". A wrong one is misuse, with a hint."""
    networks: list[Network] = []
    for text in texts:
        try:
            networks.append(ipaddress.ip_network(text.strip(), strict=False))
        except ValueError as error:
            raise ValueError(f"{text!r} is no address range; write 127.0.0.0/8, 10.1.2.3 or fd00::/8") from error
    return tuple(networks)


def _parsed(address: str) -> Address | None:
    """The address meant; an IPv4 address in IPv6 clothes (RFC 4291 section 2.5.5.2) is the IPv4 address."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed


def _special(address: Address) -> str:
    if isinstance(address, ipaddress.IPv6Address):
        embedded = _embedded(address)
        if embedded is not None:
            return _TABLES[4].word(int(embedded))
        if address not in _GLOBAL_UNICAST:
            return _TABLES[6].word(int(address)) or "reserved"
    return _TABLES[address.version].word(int(address))


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    if address in _SIX_TO_FOUR:
        return ipaddress.IPv4Address(int(address) >> 80 & 0xFFFF_FFFF)
    return None


class _Ranges:
    """Disjoint ranges of one IP version, found by bisection."""

    __slots__ = ("_ends", "_starts", "_words")

    def __init__(self, version: int) -> None:
        rows = [(ipaddress.ip_network(text), word) for text, word in REFUSED_NETWORKS]
        kept = sorted(
            (int(network.network_address), int(network.broadcast_address), word)
            for network, word in rows
            if network.version == version
        )
        self._starts = [start for start, _, _ in kept]
        self._ends = [end for _, end, _ in kept]
        self._words = [word for _, _, word in kept]

    def word(self, address: int) -> str:
        """The word of the range that holds `address`, or an empty string."""
        row = bisect_right(self._starts, address) - 1
        return self._words[row] if row >= 0 and address <= self._ends[row] else ""


_TABLES: Final = {4: _Ranges(4), 6: _Ranges(6)}
