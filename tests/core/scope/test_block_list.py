from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.scope.block_list import read_block_list
from gossamer.core.url.parse import host_of

TEXT = """
# hosts
bad.example
*.worse.example          # and all below
https://half.example/private/
both.example/x
203.0.113.0/24
2001:db8::/32
198.51.100.7
"""


def test_entries_of_every_form() -> None:
    blocked, problems = read_block_list(TEXT)
    assert problems == []
    cases = {
        "http://bad.example/": True,
        "http://sub.bad.example/": False,
        "http://worse.example/": True,
        "https://a.b.worse.example/x": True,
        "http://notworse.example/": False,
        "https://half.example/private/a": True,
        "http://half.example/private/a": False,
        "https://half.example/public": False,
        "http://both.example/x1": True,
        "https://both.example/x": True,
        "https://both.example/y": False,
        "http://203.0.113.9/": True,
        "http://203.0.114.9/": False,
        "http://[2001:db8::5]/": True,
        "http://198.51.100.7:81/": True,
    }
    for url, expected in cases.items():
        host = host_of(url)
        assert (blocked.blocks_host(host) or blocked.blocks_url(url, host)) == expected, url


def test_addresses_behind_names() -> None:
    blocked, _ = read_block_list(TEXT)
    assert blocked.blocks_address("203.0.113.1")
    assert blocked.blocks_address("2001:db8::1")
    assert not blocked.blocks_address("192.0.2.1")
    assert not blocked.blocks_address("a name")


def test_two_lists_block_what_either_blocks() -> None:
    first, _ = read_block_list("a.example\nh.example/x/\n192.0.2.0/24")
    second, _ = read_block_list("*.b.example\nh.example/y/")
    both = first.joined(second)
    assert all(both.blocks_host(host) for host in ("a.example", "x.b.example", "192.0.2.3"))
    assert both.blocks_url("http://h.example/x/1", "h.example")
    assert both.blocks_url("http://h.example/y/1", "h.example")
    assert not both.blocks_host("h.example")


def test_what_is_no_entry_is_named_by_line() -> None:
    blocked, problems = read_block_list("ok.example\nbad host\na.*.example\nftp://x.example/\n")
    assert blocked.hosts == {"ok.example"}
    assert [problem.partition(":")[0] for problem in problems] == ["line 2", "line 3", "line 4"]


@given(st.text())
def test_nothing_raises(text: str) -> None:
    blocked, _ = read_block_list(text)
    blocked.blocks_host("h.example")
