from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import ROBOTS_BYTES_MAX, ROBOTS_LINE_SHOWN_MAX, ROBOTS_SITEMAPS_MAX
from gossamer.core.robots import match
from gossamer.core.robots.match import Rule
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.verdict import RobotsVerdict


def allowed(robots: str | bytes, target: str, product: str = "gossamer") -> bool:
    body = robots if isinstance(robots, bytes) else robots.encode()
    return RobotsRules.parse(body, product).verdict(target).allowed


GROUPS = """\
User-agent: FooBot
Disallow: /foo
User-agent: BarBot
User-agent: BazBot
Crawl-delay: 4
Sitemap: https://h.example/1.xml
User-agent: gossamer/2.1 (crawler)
Disallow: /shared
Unknown: line

User-agent: *
Disallow: /all
User-agent: FooBot
Disallow: /foo2
"""


@pytest.mark.parametrize(
    ("product", "refused"),
    [
        ("FOOBOT", {"/foo", "/foo2"}),
        ("barbot", {"/shared"}),
        ("bazbot", {"/shared"}),
        ("gossamer", {"/shared"}),
        ("Gossamer/9", {"/shared"}),
        ("foo", {"/all"}),
        ("foobot-images", {"/all"}),
        ("otherbot", {"/all"}),
        ("", {"/all"}),
    ],
)
def test_groups_are_matched_by_whole_token_and_merged(product: str, refused: set[str]) -> None:
    targets = ["/foo", "/foo2", "/shared", "/all", "/else"]
    # "/foo" refuses "/foo2" too: patterns are prefixes.
    found = {target for target in targets if not allowed(GROUPS, target, product)}
    assert found == refused


@pytest.mark.parametrize(
    ("robots", "target", "expected"),
    [
        ("", "/a", True),
        ("Disallow: /", "/a", True),  # no group
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("User-agent: *\nDisallow: /", "/", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nAllow: /a\nDisallow: /ab", "/abc", False),
        ("User-agent: *\nDisallow: /a*c", "/abbbc", False),
        ("User-agent: *\nDisallow: /a$", "/ab", True),
        ("User-agent: *\nDisallow: /a$", "/a", False),
        ("User-agent: *\nDisallow: /a$b", "/a$b", False),
        ("User-agent: *\nDisallow: *.gif$", "/x/y.gif", False),
        ("User-agent: *\nDisallow: *.gif$", "/x/y.gif?z", True),
        ("User-agent: *\nDisallow: /**x**$", "/axb", False),
        ("User-agent: *\nDisallow: /a*a", "/a", True),
        ("User-agent: *\nDisallow: /ab*b$", "/ab", True),
        ("User-agent: *\nDisallow: a", "/a", True),
        ("User-agent: *\nDisallow: http://h.example/a", "/a", True),
        ("User-agent: *\nDisallow: /*find=", "/?find=hat", False),
        ("User-agent: *\nDisallow: /*?", "/page", True),
        ("User-agent: *\nDisallow: /?", "/?page=2", False),
        # Escapes.
        ("User-agent: *\nDisallow: /%7Eann", "/~ann/", False),
        ("User-agent: *\nDisallow: /~ann", "/%7eann/", False),
        ("User-agent: *\nDisallow: /caf\u00e9", "/caf%C3%A9", False),
        ("User-agent: *\nDisallow: /caf%c3%a9", "/caf%C3%A9", False),
        ("User-agent: *\nDisallow: /a%2Ab", "/a*b", False),
        ("User-agent: *\nDisallow: /a%2Ab", "/axb", True),
        ("User-agent: *\nDisallow: /a%24", "/a$", False),
        ("User-agent: *\nDisallow: /a/b", "/a%2Fb", True),
        ("User-agent: *\nDisallow: /x?u=https://a", "/x?u=https%3A%2F%2Fa", False),
        ("User-agent: *\nDisallow: /x?u=https%3A%2F%2Fa", "/x?u=https://a", False),
        ("User-agent: *\nDisallow: /*u=https%3A%2F%2Fa", "/x?u=https%3A%2F%2Fa", False),
        ("User-agent: *\nDisallow: /*u=https://a", "/x?u=https%3A%2F%2Fa", False),
        ("User-agent: *\nDisallow: /a<b", "/a%3Cb", False),
        # Lines.
        ("user agent : *\ndisallow : /a # why", "/a", False),
        ("User-agent *\nDisallow /a", "/a", False),
        ("User-agent *\nDisallow /a /b", "/a", True),
        ("User-agent: * beta\nDisallow: /a", "/a", False),
        ("User-agent: *\rDisallow: /a\r", "/a", False),
        ("User-agent: *\r\n\r\n\r\nDissallow: /a", "/a", False),
        ("\t User-agent: *\nUseragent: x\nDisalow:/a", "/a", False),
        ("User-agent: *\n# Disallow: /a\n#Disallow: /a", "/a", True),
        ("User-agent: *\nAllow-Nothing: x\nDisallow: /a", "/a", False),
        ("User-agents: *\nDisallowed: /a", "/a", False),
        ("User-agent: *\nUser-agent must match exactly: see below\nDisallow: /a", "/a", False),
        ("User-agent: *\nDisallow: /a\nDisallow all: /", "/b", True),
        # Octets that are blanks elsewhere: U+00E0 ends in 0xA0, U+0105 in 0x85.
        ("User-agent: *\nDisallow: /voil\u00e0", "/voil%C3%A9", True),
        ("User-agent: *\nDisallow: /voil\u00e0", "/voil%C3%A0", False),
        ("User-agent: *\nDisallow: /\u0105\u2028b", "/%C4%85%E2%80%A8b", False),
        ("User-agent: *\nDisallow: /a\vb", "/a%0Bb", False),
        # A NUL is an octet like any other: it ends nothing and hides nothing.
        ("User-agent: *\nDisallow: /a\x00\nDisallow: /b", "/a", True),
        ("User-agent: *\nDisallow: /a\x00b", "/a%00b", False),
        ("User-agent: *\nDisallow: /a\x00", "/b", True),
        ("User-agent: *\n\x00Disallow: /a\nDis\x00allow: /a", "/a", True),
        ("<html>\nUser-agent: *\n<p>Disallow: /b\nDisallow: /a", "/a", False),
    ],
)
def test_rules(robots: str, target: str, expected: bool) -> None:
    assert allowed(robots, target) == expected


def test_a_group_without_rules_is_a_group() -> None:
    assert allowed("User-agent: *\nDisallow: /a\nUser-agent: gossamer\nCrawl-delay: 5\n", "/a")


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbfUser-agent: *\nDisallow: /a",
        b"\xef\xbbUser-agent: *\nDisallow: /a",
        b"\xefUser-agent: *\nDisallow: /a",
        "\ufeffUser-agent: *\nDisallow: /a".encode("utf-16-le"),
        "\ufeffUser-agent: *\nDisallow: /a".encode("utf-16-be"),
        b"\xff\xc0 junk\nUser-agent: *\nDisallow: /caf\xe9\nDisallow: /a",
    ],
)
def test_octets_of_all_kinds(body: bytes) -> None:
    assert not allowed(body, "/a")


def test_the_deciding_line_is_named() -> None:
    rules = RobotsRules.parse(b"# c\r\nUser-agent: *\r\n\r\nDisallow: /b\xc3\xbc # no\r\nAllow: /b\r\n", "gossamer")
    assert rules.verdict("/b%C3%BC") == RobotsVerdict(allowed=False, line="Disallow: /bü", line_number=4)
    assert rules.verdict("/b") == RobotsVerdict(allowed=True, line="Allow: /b", line_number=5)
    assert rules.verdict("/c") == RobotsVerdict(allowed=True)
    long = RobotsRules.parse(b"User-agent: *\nDisallow: /" + b"a" * 999, "gossamer").verdict("/" + "a" * 999)
    assert len(long.line) == ROBOTS_LINE_SHOWN_MAX


def test_rules_are_listed_before_and_after_a_verdict() -> None:
    rules = RobotsRules.parse(b"User-agent: *\nDisallow: /b\nAllow: /a*\n", "gossamer")
    listed = [Rule(allow=False, pattern="/b", line_number=2), Rule(allow=True, pattern="/a*", line_number=3)]
    assert rules.rules == listed
    rules.verdict("/")
    assert rules.rules == listed


@pytest.mark.parametrize(
    ("robots", "seconds"),
    [
        ("User-agent: *\nCrawl-delay: 10", 10.0),
        ("User-agent: *\nCrawl-delay: 0.5", 0.5),
        ("User-agent: *\ncrawldelay: .5", 0.5),
        ("User-agent: *\nCrawl-delay: 10s", 10.0),
        ("User-agent: *\nCrawl-delay: 3600", 60.0),
        ("User-agent: *\nCrawl-delay: 0", 0.0),
        ("User-agent: *\nCrawl-delay: -5", 0.0),
        ("User-agent: *\nCrawl-delay: soon", 0.0),
        ("User-agent: *\nCrawl-delay: nan", 0.0),
        ("User-agent: *\nCrawl-delay: " + "9" * 5000, 60.0),
        ("User-agent: *\nCrawl-delay: 2\nCrawl-delay: 7\nCrawl-delay: 3", 7.0),
        ("User-agent: *\nCrawl-delay: 10\n\nUser-agent: gossamer\nCrawl-delay: 2\n", 2.0),
        ("User-agent: gossamer\nCrawl-delay: 2\nUser-agent: *\nCrawl-delay: 10\n", 2.0),
        ("User-agent: gossamer\nUser-agent: *\nCrawl-delay: 10\n", 10.0),
        ("User-agent: other\nCrawl-delay: 10\n", 0.0),
        ("User-agent: *\nRequest-rate: 1/5", 5.0),
        ("User-agent: *\nRequest-rate: 2/1m", 30.0),
        ("User-agent: *\nRequest-rate: 1/10s 0600-0845", 10.0),
        ("User-agent: *\nRequest-rate: 0/5", 0.0),
        ("User-agent: *\nRequest-rate: 1/1h\nCrawl-delay: 1", 60.0),
    ],
)
def test_delays(robots: str, seconds: float) -> None:
    assert RobotsRules.parse(robots.encode(), "gossamer").crawl_delay == seconds


def test_a_delay_does_not_split_a_group() -> None:
    robots = "User-agent: gossamer\nCrawl-delay: 3\nUser-agent: other\nDisallow: /a\nCrawl-delay: 9\n"
    assert not allowed(robots, "/a")
    assert RobotsRules.parse(robots.encode(), "gossamer").crawl_delay == 3.0


def test_sitemaps_stand_outside_groups() -> None:
    robots = "Sitemap: https://h.example/a.xml\nUser-agent: x\nsite-map : /b\nSitemap:\nSITEMAP: /ü # c\nsitemap /d"
    assert RobotsRules.parse(robots.encode(), "gossamer").sitemaps == ("https://h.example/a.xml", "/b", "/ü", "/d")
    robots = "sitemap https://h.example/a.xml\n  SITEMAPS\thttp://h.example/b\nsite map https://h.example/c\nx http://y"
    assert RobotsRules.parse(robots.encode(), "x").sitemaps == ("https://h.example/a.xml", "http://h.example/b")
    many = "".join(f"Sitemap: /{number}\n" for number in range(ROBOTS_SITEMAPS_MAX + 5))
    assert len(RobotsRules.parse(many.encode(), "gossamer").sitemaps) == ROBOTS_SITEMAPS_MAX


def test_what_lies_beyond_the_limit_is_not_read_nor_is_half_a_line() -> None:
    head = b"User-agent: *\nDisallow: /a\n#"
    body = head + b"x" * (ROBOTS_BYTES_MAX - len(head) - 12) + b"\nDisallow: /b/c\nDisallow: /d\n"
    rules = RobotsRules.parse(body, "gossamer")
    assert [rule.pattern for rule in rules.rules] == ["/a"]


def test_a_pattern_made_to_take_long_does_not() -> None:
    robots = "User-agent: *\n" + "".join(f"Disallow: /{'a*' * 200}{number}$\n" for number in range(200))
    assert allowed(robots, "/" + "a" * 2000)


@given(st.binary(), st.text())
def test_nothing_raises_and_robots_txt_is_always_allowed(body: bytes, product: str) -> None:
    for each in (body, b"User-agent: *\nDisallow: /" + body, body + b"\nUser-agent: gossamer\n" + body):
        rules = RobotsRules.parse(each, product)
        rules.verdict("/" + body.decode("latin-1"))
        assert rules.verdict("/robots.txt").allowed
        assert 0 <= rules.crawl_delay <= 60


PIECES = st.text(alphabet="ab*$%2Ff/?", max_size=12)


@given(st.lists(st.tuples(st.booleans(), PIECES), max_size=8), PIECES)
def test_the_table_decides_as_trying_every_rule_would(lines: list[tuple[bool, str]], target: str) -> None:
    """The same answer as from one file for each rule, compared by hand."""
    written = [f"{'Allow' if allow else 'Disallow'}: /{pattern}" for allow, pattern in lines]
    whole = RobotsRules.parse("\n".join(["User-agent: *", *written]).encode(), "gossamer").verdict("/" + target)
    matching = []
    for (allow, pattern), line in zip(lines, written, strict=True):
        alone = RobotsRules.parse(f"User-agent: *\n{line}".encode(), "gossamer").verdict("/" + target)
        if alone.line:
            matching.append((len(match._spelled("/" + pattern)), allow))
    assert whole.allowed == (max(matching)[1] if matching else True)


def test_many_ways_of_writing_rules_are_read_alike() -> None:
    names = [
        "Disallow: ",
        "disallow:",
        "DISALLOW :  ",
        " Disallow:\t",
        "dissallow: ",
        "Disalow:",
        "disallaw: ",
        "Disallow ",
    ]
    names += [f"{' ' * blanks}Disallow: " for blanks in range(2, 9)]
    lines = [f"{name}/p{number} # {number}" for number, name in enumerate(names)]
    text = "User-agent: *\n" + "\nSome: line\n".join(lines) + "\nAllow: /p1/ok\nallow:/p2*ok\n"
    rules = RobotsRules.parse(text.encode(), "gossamer")
    assert {rule.pattern for rule in rules.rules} == {
        *(f"/p{number}" for number in range(len(names))),
        "/p1/ok",
        "/p2*ok",
    }
    for number in range(len(names)):
        verdict = rules.verdict(f"/p{number}/no")
        assert (verdict.allowed, verdict.line, verdict.line_number) == (False, f"Disallow: /p{number}", 2 + 2 * number)
    assert rules.verdict("/p1/ok").allowed
    assert rules.verdict("/p2/x/ok").allowed


WRITTEN = st.sampled_from(
    ["Disallow: ", "disallow:", "Allow: ", " Allow :\t", "Crawl-delay: ", "x: ", "Disallow ", "# "]
)


@given(st.lists(st.tuples(WRITTEN, st.text(alphabet="/ab*$#% \x00\x85\xa0:", max_size=6)), max_size=12), PIECES)
def test_spans_split_at_once_and_lines_one_by_one_are_the_same(lines: list[tuple[str, str]], target: str) -> None:
    body = ("User-agent: *\n" + "\n".join(name + value for name, value in lines)).encode("latin-1")
    listed = RobotsRules.parse(body, "gossamer").rules
    again = "User-agent: *\n" + "\n".join(f"{'Allow' if rule.allow else 'Disallow'}: {rule.pattern}" for rule in listed)
    whole, one = RobotsRules.parse(body, "gossamer"), RobotsRules.parse(again.encode("latin-1"), "gossamer")
    assert whole.verdict("/" + target).allowed == one.verdict("/" + target).allowed
    assert whole.verdict("/" + target).line == one.verdict("/" + target).line


def test_equal_short_files_share_their_rules_and_other_products_do_not() -> None:
    body = b"User-agent: one\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n"
    assert RobotsRules.parse(body, "one") is RobotsRules.parse(bytes(bytearray(body)), "one")
    for product, allowed in (("one", (False, True)), ("two", (True, False))):
        rules = RobotsRules.parse(body, product)
        assert (rules.verdict("/a").allowed, rules.verdict("/b").allowed) == allowed
