from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import ROBOTS_BYTES_MAX, ROBOTS_LINE_SHOWN_MAX, ROBOTS_SITEMAPS_MAX
from gossamer.core.robots import match
from gossamer.core.robots.match import Rule
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.verdict import RobotsVerdict
from gossamer.core.url.parse import parse
from tests.published import rows


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


def _judged(name: str) -> tuple[int, list[dict[str, Any]]]:
    """Cases of a suite that are not Google's own, and those answered otherwise."""
    cases = [case for case in rows(f"robots/{name}.jsonl") if not case.get("google_only")]
    wrong = []
    for case in cases:
        url = parse(case["url"])
        assert url is not None, case
        if allowed(case["robots"], url.target, case["agent"]) != case["allowed"]:
            wrong.append(case)
    return len(cases), wrong


def test_rfc_9309(shared: Path) -> None:
    assert _judged("rfc9309") == (35, [])


def test_google(shared: Path) -> None:
    """All but three rows on which the RFC (section 2.2.2, figure 4) says otherwise; conflicts.jsonl lists them."""
    count, wrong = _judged("google")
    conflicts = {(case["robots"].strip(), case["url"]) for case in rows("robots/conflicts.jsonl")}
    assert count == 53
    assert len(wrong) == 3
    assert {(case["robots"].strip(), case["url"]) for case in wrong} == conflicts


def test_google_documentation(shared: Path) -> None:
    """All but two rows, noted there as Google's own (a longer token falling back to a shorter one)."""
    count, wrong = _judged("google-doc-table")
    assert count == 45
    assert [case["agent"] for case in wrong] == ["Googlebot-Images"] * 2


def test_google_lines_and_marks(shared: Path) -> None:
    judged = 0
    for case in rows("robots/google-other.jsonl"):
        if case["kind"] == "line_count":
            # Both user agents' groups are read, and the last rule stands on the line expected.
            last = RobotsRules.parse(case["robots"].encode(), "bar").rules[-1]
            assert last.line_number == case["expected_last_line"]
        elif case["kind"] == "bom":
            rules = RobotsRules.parse(base64.b64decode(case["robots_base64"]), "foo").rules
            assert len(rules) == case["expected_directives"] - 1
        elif case["kind"] == "sitemap":
            assert list(RobotsRules.parse(case["robots"].encode(), "foo").sitemaps) == case["expected"]
        else:
            continue
        judged += 1
    assert judged == 10


def test_bug_reports(shared: Path) -> None:
    judged = 0
    for case in (json.loads(line) for line in (shared / "data/buglog.jsonl").read_text("utf-8").splitlines()):
        given_, expected = case["input"], case["expected"]
        if given_["kind"] in ("robots_check", "robots_check_bytes") and "allowed" in expected:
            body = given_["robots"].encode() if "robots" in given_ else base64.b64decode(given_["robots_base64"])
            urls = [parse(url) for url in given_["urls"]]
            assert [allowed(body, url.target, given_["agent"]) for url in urls if url] == expected["allowed"], case[
                "id"
            ]
        elif given_["kind"] == "robots_delay" and "crawl_delay" in expected:
            rules = RobotsRules.parse(given_["robots"].encode(), given_["agent"])
            assert rules.crawl_delay == expected["crawl_delay"], case["id"]
        elif given_["kind"] == "robots_sitemaps":
            rules = RobotsRules.parse(given_["robots"].encode(), given_["agent"])
            assert list(rules.sitemaps) == expected["sitemaps"], case["id"]
        else:
            continue
        judged += 1
    assert judged >= 12


@pytest.mark.slow
def test_live_files(shared: Path) -> None:
    """Thousands of live files: none raises, and all keep to the bounds."""
    judged = 0
    with gzip.open(shared / "data/robots-real/robots-top10000.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            body = row["text"].encode() if row.get("text") is not None else base64.b64decode(row["base64"])
            rules = RobotsRules.parse(body, "gossamer")
            rules.verdict("/a/page.html?with=query&and=%2Fescape")
            assert rules.crawl_delay <= 60
            judged += 1
    assert judged == 4231
