"""The jar of one host: what RFC 6265 stores and sends, and that nothing is ever sent elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core import limits
from gossamer.core.http.cookie_jar import FOREVER, CookieJar, JarCookie, read_netscape

NOW = 1_800_000_000.0
SITE = "http://www.example.org/docs/index.html"
TLS = "https://www.example.org/docs/index.html"


def sent(jar: CookieJar, url: str, now: float = NOW) -> str:
    return "; ".join(f"{name}={value}" for name, value in jar.cookies_for(url, now))


@pytest.mark.parametrize(
    ("set_cookie", "set_at", "asked", "expected"),
    [
        ("a=1", SITE, "http://www.example.org/docs/", "a=1"),
        ("a=1", SITE, "http://www.example.org/docs", "a=1"),
        ("a=1", SITE, "http://www.example.org/", ""),
        ("a=1", SITE, "http://www.example.org/docs2", ""),
        ("a=1; Path=/", SITE, "http://www.example.org/other", "a=1"),
        ("a=1; Path=/doc", SITE, "http://www.example.org/docs/", ""),
        ("a=1; path=relative", SITE, "http://www.example.org/docs/x", "a=1"),
        ("a=1; Path=/; Secure", TLS, "https://www.example.org/", "a=1"),
        ("a=1; Path=/; Secure", TLS, "http://www.example.org/", ""),
        ("a=1; Path=/; Secure", SITE, "https://www.example.org/", ""),
        ("a=1; Path=/; Domain=example.org", SITE, "http://www.example.org/", "a=1"),
        ("a=1; Path=/; Domain=.EXAMPLE.org", SITE, "http://www.example.org/", "a=1"),
        ("a=1; Path=/; Domain=ample.org", SITE, "http://www.example.org/", ""),
        ("a=1; Path=/; Domain=other.net", SITE, "http://www.example.org/", ""),
        ("a=1; Path=/; Max-Age=60", SITE, "http://www.example.org/", "a=1"),
        ("a=1; Path=/; Max-Age=0", SITE, "http://www.example.org/", ""),
        ("a=1; Path=/; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", SITE, "http://www.example.org/", "a=1"),
        ("a=1; Path=/; Expires=Thu, 01-Jan-1970 00:00:00 GMT", SITE, "http://www.example.org/", ""),
        ("a=1; Path=/; Expires=nonsense", SITE, "http://www.example.org/", "a=1"),
        ("__Host-a=1; Path=/; Secure", TLS, "https://www.example.org/", "__Host-a=1"),
        ("__Host-a=1; Path=/docs; Secure", TLS, "https://www.example.org/docs", ""),
        ("__Secure-a=1; Path=/", TLS, "https://www.example.org/", ""),
        ("=1", SITE, "http://www.example.org/docs/", ""),
        ("a", SITE, "http://www.example.org/docs/", ""),
        ("a=1\x01", SITE, "http://www.example.org/docs/", ""),
        ("a=" + "x" * 5000, SITE, "http://www.example.org/docs/", ""),
    ],
)
def test_what_is_stored_and_sent(set_cookie: str, set_at: str, asked: str, expected: str) -> None:
    jar = CookieJar()
    jar.learn(set_at, [set_cookie], NOW)
    assert sent(jar, asked) == expected


def test_a_cookie_is_replaced_by_name_and_path_and_longer_paths_come_first() -> None:
    jar = CookieJar()
    jar.learn(SITE, ["a=1; Path=/", "b=2; Path=/docs", "a=3; Path=/"], NOW)
    assert sent(jar, SITE) == "b=2; a=3"
    jar.learn(SITE, ["a=; Path=/; Max-Age=-1"], NOW)
    assert sent(jar, SITE) == "b=2"


def test_a_cookie_ends() -> None:
    jar = CookieJar()
    jar.learn(SITE, ["a=1; Path=/; Max-Age=60"], NOW)
    assert sent(jar, SITE, NOW + 59) == "a=1"
    assert sent(jar, SITE, NOW + 60) == ""


def test_a_jar_is_bounded() -> None:
    jar = CookieJar()
    jar.learn(SITE, [f"a{number}={'x' * 100}; Path=/" for number in range(1000)], NOW)
    assert len(jar) == limits.JAR_COOKIES_MAX
    assert len(sent(jar, SITE)) <= limits.COOKIE_BYTES_MAX


@given(st.lists(st.text(alphabet=st.characters(max_codepoint=255), max_size=60), max_size=20))
def test_whatever_a_server_sets_can_be_sent_back(set_cookie: list[str]) -> None:
    jar = CookieJar()
    jar.learn(TLS, set_cookie, NOW)
    assert not set(sent(jar, TLS)) & {"\r", "\n", "\0"}


NETSCAPE = """\
# Netscape HTTP Cookie File
www.example.org\tFALSE\t/\tFALSE\t0\tsession\tabc
.example.org\tTRUE\t/\tTRUE\t1900000000\tshared\tdef
#HttpOnly_www.example.org\tFALSE\t/docs\tFALSE\t1900000000\thidden\tghi
example.org\tFALSE\t/\tFALSE\t0\tparent\tno
other.net\tTRUE\t/\tFALSE\t0\telse\tno
www.example.org\tFALSE\t/\tFALSE\t0\tempty
"""


def test_a_netscape_file_gives_a_host_its_own() -> None:
    cookies, problems = read_netscape(NETSCAPE, "www.example.org")
    assert problems == []
    assert cookies == [
        JarCookie("session", "abc", "/", secure=False, expires=FOREVER),
        JarCookie("shared", "def", "/", secure=True, expires=1_900_000_000.0),
        JarCookie("hidden", "ghi", "/docs", secure=False, expires=1_900_000_000.0),
        JarCookie("empty", "", "/", secure=False, expires=FOREVER),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name=value\n", "line 1 is no line of a Netscape cookie file"),
        ("# x\n\na\tFALSE\t/\tFALSE\tsoon\tn\tv\n", "line 3 is no line"),
        ("a\tFALSE\t/\tFALSE\t0\tn\tv;w\n", "line 1 holds a name or a value"),
    ],
)
def test_a_netscape_file_that_is_none_is_named_by_line_without_its_values(text: str, problem: str) -> None:
    _, problems = read_netscape(text, "a")
    assert problems[0].startswith(problem)
    assert "v;w" not in problems[0]


def test_no_value_is_shown() -> None:
    assert "geheim" not in repr(JarCookie("a", "geheim"))
