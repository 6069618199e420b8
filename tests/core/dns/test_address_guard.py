"""Which addresses may be connected to."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.dns.address_guard import REFUSED_NETWORKS, AddressGuard, parse_networks

PUBLIC = [
    *("8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1", "192.0.1.1"),
    *("223.255.255.1", "2606:4700::1", "2001:200::1", "2a00::1", "::ffff:8.8.8.8", "64:ff9b::808:808"),
    "2002:808:808::1",
]

REFUSED = [
    ("127.0.0.1", "loopback"),
    ("127.255.255.255", "loopback"),
    ("0.0.0.0", "this network"),
    ("10.1.2.3", "private"),
    ("172.16.0.1", "private"),
    ("192.168.1.1", "private"),
    ("169.254.169.254", "link-local"),
    ("100.100.100.200", "carrier-grade NAT"),
    ("168.63.129.16", "metadata"),
    ("192.0.0.192", "protocol assignments"),
    ("192.0.2.1", "documentation"),
    ("198.51.100.1", "documentation"),
    ("203.0.113.1", "documentation"),
    ("198.19.255.255", "benchmarking"),
    ("224.0.0.1", "multicast"),
    ("255.255.255.255", "reserved"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::127.0.0.1", "reserved"),
    ("fd00:ec2::254", "private"),
    ("fe80::1", "link-local"),
    ("fe80::1%eth0", "link-local"),
    ("fec0::1", "site-local"),
    ("ff02::1", "multicast"),
    ("2001:db8::1", "documentation"),
    ("3fff::1", "documentation"),
    ("2001:0:7f00:1::", "protocol assignments"),
    ("64:ff9b:1::808:808", "local translation"),
    ("5f00::1", "segment routing"),
    ("100::1", "discard"),
    ("4000::1", "reserved"),
    # IPv4 in IPv6 clothes is judged as what it leads to.
    ("::ffff:127.0.0.1", "loopback"),
    ("::ffff:10.0.0.1", "private"),
    ("::ffff:169.254.169.254", "link-local"),
    ("64:ff9b::7f00:1", "loopback"),
    ("64:ff9b::a9fe:a9fe", "link-local"),
    ("2002:7f00:1::", "loopback"),
    ("2002:c0a8:101::1", "private"),
    # What is no address is not connected to.
    ("", "not an address"),
    ("localhost", "not an address"),
    ("127.1", "not an address"),
    ("0x7f.0.0.1", "not an address"),
    ("0177.0.0.1", "not an address"),
    ("[::1]", "not an address"),
    ("8.8.8.8 ", "not an address"),
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are_permitted(address: str) -> None:
    assert AddressGuard().permits(address)


@pytest.mark.parametrize(("address", "word"), REFUSED)
def test_other_addresses_are_refused(address: str, word: str) -> None:
    assert AddressGuard().refusal(address) == word
    assert not AddressGuard().permits(address)


@pytest.mark.parametrize("text", [text for text, _ in REFUSED_NETWORKS])
def test_both_ends_of_every_range(text: str) -> None:
    network = ipaddress.ip_network(text)
    assert not AddressGuard().permits(str(network.network_address))
    assert not AddressGuard().permits(str(network.broadcast_address))


@pytest.mark.parametrize(
    ("allowed", "address", "permitted"),
    [
        ("127.0.0.0/8", "127.0.0.1", True),
        ("127.0.0.0/8", "::ffff:127.0.0.1", True),
        ("127.0.0.0/8", "10.0.0.1", False),
        ("127.0.0.0/8", "::1", False),
        ("127.0.0.1", "127.0.0.2", False),
        ("10.1.2.3/8", "10.9.9.9", True),
        ("::1", "::1", True),
        ("fd00::/8", "fd00::1", True),
        # A translator is lifted by its own range, not by what it would translate to.
        ("127.0.0.0/8", "64:ff9b::7f00:1", False),
        ("64:ff9b::/96", "64:ff9b::7f00:1", True),
    ],
)
def test_allowed_ranges(allowed: str, address: str, permitted: bool) -> None:
    guard = AddressGuard(parse_networks([allowed]))
    assert guard.permits(address) is permitted
    assert guard.is_allowed(address) is permitted
    assert guard.permits("8.8.8.8")
    assert not guard.is_allowed("8.8.8.8")


@pytest.mark.parametrize("text", ["", "localhost", "127.0.0.0/33", "1.2.3", "::/129"])
def test_a_wrong_range_is_misuse(text: str) -> None:
    with pytest.raises(ValueError, match="no address range"):
        parse_networks([text])


@given(st.ip_addresses(v=4))
def test_agrees_with_the_standard_library_where_it_refuses(address: ipaddress.IPv4Address) -> None:
    if not address.is_global or address.is_multicast:
        assert not AddressGuard().permits(str(address))


@given(st.ip_addresses(v=6), st.ip_addresses(v=4))
def test_ipv6_refuses_at_least_what_the_standard_library_does(
    address: ipaddress.IPv6Address, carried: ipaddress.IPv4Address
) -> None:
    guard = AddressGuard()
    if not address.is_global and address.ipv4_mapped is None and address not in ipaddress.ip_network("64:ff9b::/96"):
        assert not guard.permits(str(address)) or address.sixtofour is not None
    assert guard.permits(f"::ffff:{carried}") == guard.permits(str(carried))


@given(st.text(max_size=20))
def test_never_raises(text: str) -> None:
    AddressGuard().permits(text)
