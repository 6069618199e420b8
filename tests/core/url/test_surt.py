"""Expected values as pywb 2.10 (surt 0.3.1) gave them; of 18,336 more compared with it, none differed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.url import surt as surt_module
from gossamer.core.url.surt import surt

SESSION = "0123456789abcdefABCDEF0123456789"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com/", "com,example)/"),
        ("https://www.example.com/", "com,example)/"),
        ("http://www2.Example.com/Path/File.HTML", "com,example)/path/file.html"),
        ("http://example.com:80/", "com,example)/"),
        ("https://example.com:443/a", "com,example)/a"),
        ("https://example.com:80/a", "com,example:80)/a"),
        ("http://example.com:8080/a?", "com,example:8080)/a"),
        ("http://www.www.com/", "com,www)/"),
        ("http://www/", "www)/"),
        ("http://1.2.3.4/a", "4,3,2,1)/a"),
        ("http://[2001:db8::1]:81/a", "2001:db8::1:81)/a"),
        ("http://example.com./a", "com,example)/a"),
        ("http://a_b.example.com/", "com,example,a_b)/"),
        ("http://xn--bcher-kva.example/", "example,xn--bcher-kva)/"),
        ("http://e.com/a//b///", "com,e)/a/b"),
        ("http://e.com/a/", "com,e)/a"),
        ("http://e.com/a/./b/../c", "com,e)/a/c"),
        ("http://e.com/%2e%2e/%252e%252e/a", "com,e)/a"),
        ("http://e.com/a%3Fb?c", "com,e)/a?b?c"),
        ("http://e.com/%C3%A9%E9?%C3%A9=%zz", "com,e)/%c3%a9%e9?%c3%a9=%25zz"),
        ("http://e.com/a b?q=%2526&r=%23", "com,e)/a%20b?&q=&r=%23"),
        ("http://e.com/?b=2&a=1&a&a=&B=1", "com,e)/?a&a=&a=1&b=1&b=2"),
        ("http://e.com/?&&", "com,e)/?&&"),
        ("http://e.com/?", "com,e)/"),
        (f"http://e.com/?x=1&jsessionid={SESSION}&y=2", "com,e)/?x=1&y=2"),
        (f"http://e.com/?phpsessid={SESSION}&sid={SESSION}&q", "com,e)/?q"),
        ("http://e.com/?aspsessionidabcdefgh=abcdefghijklmnopqrstuvwx", "com,e)/"),
        ("http://e.com/?cfid=1&cftoken=2&z=1", "com,e)/?z=1"),
        (f"http://e.com/?sid={SESSION}", "com,e)/"),
        ("http://e.com/(S(0123456789abcdefghijklmn))/X.aspx?A=b", "com,e)/x.aspx?a=b"),
        ("http://e.com/(0123456789abcdefghijklmn)/x.aspx", "com,e)/x.aspx"),
        ('http://e.com/a|b^c`d"e', 'com,e)/a|b^c`d"e'),
        ("http://.../a/b", "http:/a/b"),
        ("http://f:0/c", "f)/c"),
        ("dns:example.com", "dns:example.com"),
        ("urn:Some:Id", "urn:some:id"),
    ],
)
def test_as_pywb_writes_it(url: str, key: str) -> None:
    assert surt(url) == key


@given(st.text())
def test_nothing_raises_and_the_key_is_one_line_of_ascii(text: str) -> None:
    for url in (text, "http://e.com/" + text, "http://" + text):
        key = surt(url)
        assert key.isascii()
        assert "\n" not in key


@given(
    st.sampled_from(("http://", "https://", "HTTP://", "ftp://")),
    st.text("abw0.-", min_size=1, max_size=8)
    | st.sampled_from(("www.a.test", "www2.a.test", "a.test", "[::1]", "A.test")),
    st.sampled_from(("", ":80", ":443", ":8080", ":0", ":", ":080")),
    st.text("/a.B~%2?_-=&", max_size=10),
)
def test_the_short_way_ends_where_the_long_one_does(scheme: str, host: str, port: str, rest: str) -> None:
    url = f"{scheme}{host}{port}/{rest}"
    assert surt(url) == surt_module._surt(url)


@given(st.text("abAw0.-%/ \n", max_size=10))
def test_a_look_up_takes_a_short_way_to_the_same_end(host: str) -> None:
    assert surt(f"dns:{host}") == surt_module._surt(f"dns:{host}")
