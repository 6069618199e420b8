from __future__ import annotations

import pytest

from gossamer.core import limits
from gossamer.core.url import site
from gossamer.core.url.site import SiteList


@pytest.fixture(scope="module")
def sites() -> SiteList:
    return SiteList()


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("example.com", "example.com"),
        ("a.b.example.com", "example.com"),
        ("www.example.co.uk", "example.co.uk"),
        # The private section counts.
        ("someone.github.io", "someone.github.io"),
        ("deep.someone.github.io", "someone.github.io"),
        # Own sites.
        ("github.io", "github.io"),
        ("co.uk", "co.uk"),
        ("com", "com"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("2001:db8::1", "2001:db8::1"),
        ("a..b", "a..b"),
        (".", "."),
        # A name that only looks like an address, and an unlisted ending.
        ("10.example1", "10.example1"),
        ("a.b.no-such-ending", "b.no-such-ending"),
        ("www.食狮.公司.cn", "食狮.公司.cn"),
        ("www.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
    ],
)
def test_sites(sites: SiteList, host: str, expected: str) -> None:
    assert sites.site_of(host) == expected
    assert sites.site_of(host) == expected  # remembered


def test_the_list_names_its_version(sites: SiteList) -> None:
    assert sites.version[0].isdigit()


def test_memory_is_bounded(sites: SiteList, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "SITES_CACHED_MAX", 10)
    assert limits.SITES_CACHED_MAX > 10
    small = SiteList.__new__(SiteList)
    small.__dict__.update(_list=sites._list, _cache={})
    for number in range(100):
        small.site_of(f"{number}.example.com")
    assert len(small._cache) == 10


@pytest.mark.parametrize(
    ("host", "expected"),
    [("a.b.example.co.uk", "example.co.uk"), ("co.uk", ""), ("localhost", ""), ("1.2.3.4", ""), (".com", "")],
)
def test_registrable_domains(sites: SiteList, host: str, expected: str) -> None:
    assert sites.registrable_domain(host) == expected
