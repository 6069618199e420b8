"""What is remembered of URLs and hosts is what would be computed anew."""

from __future__ import annotations

import pytest

from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import host_of
from gossamer.flow import shard_rules
from gossamer.flow.shard_rules import ShardRules
from gossamer.simulation.crawler import site_list

IDS = Fingerprinter(bytes(16))
KEYS = KeyRules()


def rules() -> ShardRules:
    return ShardRules(IDS, KEYS, site_list(), 16)


def expected(urls: list[str]) -> tuple[list[str], list[bytes]]:
    hosts = [host_of(url) for url in urls]
    return hosts, [IDS.page_key(host, url_key(url, KEYS)) for host, url in zip(hosts, urls, strict=True)]


def test_keys_are_the_same_the_second_time() -> None:
    known = rules()
    urls = [f"http://h{number % 3}.test/{number}?utm_source=x" for number in range(20)] * 2
    assert known.page_keys(urls) == known.page_keys(urls) == expected(urls)
    assert known.page_keys([]) == ([], [])


def test_a_place_names_the_site_and_its_shard() -> None:
    known = rules()
    urls = ["http://a.b.co.uk/1", "http://www.b.co.uk/2", "http://b.co.uk:8080/", "http://127.0.0.1/"]
    for url, (host, key, shard, site) in zip(urls, known.places(urls), strict=True):
        assert ([host], [key]) == expected([url])
        assert site == known.sites.site_of(host) == known.site_of_url(url) == rules().site_of_url(url)
        assert shard == IDS.shard_of(site, 16)


def test_keys_are_right_when_generations_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_rules, "PAGE_KEYS_KEPT", 10)
    known = rules()
    for start in range(0, 60, 3):
        urls = [f"http://h.test/{number % 25}" for number in range(start, start + 8)]
        assert known.page_keys(urls) == expected(urls)


def test_owners_are_right_when_many_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shard_rules, "SITES_CACHED_MAX", 5)
    known = rules()
    for host in [f"h{number % 12}.test" for number in range(40)]:
        assert known.shard_of(host) == IDS.shard_of(known.sites.site_of(host), 16)
