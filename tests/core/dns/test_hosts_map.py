"""Names with addresses given by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.dns.hosts_map import parse_entries, parse_hosts

HOSTS = b"""
# a comment
127.0.0.1   localhost
::1         localhost ip6-localhost   # the same name again
192.0.2.7   WWW.Example.ORG. example.org
192.0.2.8   example.org
not-an-address name
192.0.2.9
192.0.2.10  fine ..bad..
\xff\xfe junk
"""


def test_hosts_file() -> None:
    hosts = parse_hosts(HOSTS)
    assert hosts.addresses == {
        "localhost": ("127.0.0.1", "::1"),
        "ip6-localhost": ("::1",),
        "www.example.org": ("192.0.2.7",),
        "example.org": ("192.0.2.7", "192.0.2.8"),
        "fine": ("192.0.2.10",),
    }
    assert [problem.partition(":")[0] for problem in hosts.problems] == ["line 7", "line 8", "line 9", "line 10"]
    assert hosts.lookup("nowhere") == ()


def test_entries() -> None:
    hosts = parse_entries(["A.example.=192.0.2.1", "b.example=::1", "a.example=192.0.2.2"])
    assert hosts.addresses == {"a.example": ("192.0.2.1", "192.0.2.2"), "b.example": ("::1",)}


@pytest.mark.parametrize("entry", ["", "a", "a=", "=192.0.2.1", "a=b", "a b=192.0.2.1", "a=192.0.2.1=x", "\u00e9=::1"])
def test_a_wrong_entry_is_misuse(entry: str) -> None:
    with pytest.raises(ValueError, match="no HOST=ADDRESS"):
        parse_entries([entry])


def test_one_map_over_another() -> None:
    over = parse_entries(["a=192.0.2.1"]).over(parse_hosts(b"192.0.2.9 a b\n"))
    assert over.addresses == {"a": ("192.0.2.1",), "b": ("192.0.2.9",)}


@given(st.binary(max_size=200))
def test_never_raises(data: bytes) -> None:
    hosts = parse_hosts(data)
    assert len(hosts.problems) <= 10
    assert all(name == name.lower() and addresses for name, addresses in hosts.addresses.items())
