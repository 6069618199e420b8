"""robots.txt: the RFC's cases, Google's, those of three libraries, and thousands of live files."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from gossamer.core.limits import CRAWL_DELAY_MAX_SECONDS, ROBOTS_SITEMAPS_MAX
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.url.parse import parse
from tests.conformance.frame import Bar, Case, Suite, compare, jsonl

ESCAPES = (
    "RFC 9309 section 2.2.2, figure 4: URL and pattern are brought to one spelling before they are compared; Google's "
    "library leaves that to its caller"
)
TOKEN = (
    "RFC 9309 section 2.2.1: a product token is letters, '_' and '-'; what follows (a digit, a blank) is no part of it"
)
WHOLE = "RFC 9309 section 2.2.1: a group counts for the product token it names, not for one that begins or ends like it"
NO_GROUP = "RFC 9309 section 2.2.1: rules before the first User-agent line belong to no group"
GROUPING = (
    "RFC 9309 section 2.2: lines that are no rule end no group, so the User-agent lines around them share what follows"
)
INDEX = "Google's own: that /dir/index.html allows /dir/ is in no standard"
END_MARK = "RFC 9309 section 2.2.3: `$` ends a pattern; a dollar sign itself is written %24"
NO_NAME = "a line of the two words `user agent` and no name is no User-agent line of Google's parser"
OCTETS = "RFC 9309 section 2.2.2: the most octets count, and `/*` has more of them than `/`"
DELAY = "a site that asks for a long Crawl-delay is crawled that slowly (60 s at most), not refused"
TYPOS = "the misspelt names taken are those of Google's parser; `Desallow` is none of them"
SCHEME = "ftp is not crawled, so no robots.txt of ours speaks of it"


def _allowed(robots: str | bytes, agent: str, url: str) -> bool:
    body = robots if isinstance(robots, bytes) else robots.encode("utf-8", "surrogatepass")
    parsed = parse(url)
    return RobotsRules.parse(body, agent).verdict(parsed.target if parsed is not None else url).allowed


def _body(row: Mapping[str, Any]) -> str | bytes:
    return base64.b64decode(row["robots_base64"]) if "robots_base64" in row else row["robots"]


def _asked(name: str, row: Mapping[str, Any]) -> Case:
    got = _allowed(_body(row), row["agent"], row["url"])
    kind = row["test"].rpartition(".")[2]
    return compare(name, got=got, expected=row["allowed"], kind=kind, given=f"{row['agent']} {row['url']}")


def _plain(file: str) -> Callable[[Path], Iterator[Case]]:
    def cases(data: Path) -> Iterator[Case]:
        for name, row in jsonl(data / "robots" / file):
            yield _asked(name, row)

    return cases


def _disputed(data: Path) -> set[tuple[str, str]]:
    """Robots and URL of the rows on which Google's library and the RFC disagree."""
    return {(row["robots"].strip(), row["url"]) for _, row in jsonl(data / "robots/conflicts.jsonl")}


def _google(data: Path) -> Iterator[Case]:
    disputed = _disputed(data)
    for name, row in jsonl(data / "robots/google.jsonl"):
        if not row["google_only"] and (row["robots"].strip(), row["url"]) not in disputed:
            yield _asked(name, row)


def _google_left_out(data: Path) -> Mapping[str, int]:
    count = sum(row["google_only"] for _, row in jsonl(data / "robots/google.jsonl"))
    return {
        "marked google_only: beyond RFC 9309": count,
        "the RFC says otherwise (judged under conflicts.jsonl)": len(_disputed(data)),
    }


def _conflicts(data: Path) -> Iterator[Case]:
    """One case for each suite's word on each disputed question."""
    for name, row in jsonl(data / "robots/conflicts.jsonl"):
        got = _allowed(row["robots"], row["agent"], row["url"])
        for file, _, expected, _ in row["verdicts"]:
            yield compare(f"{name}, {file}", got=got, expected=expected, kind=file, given=row["url"])


def _lines_and_marks(data: Path) -> Iterator[Case]:
    for name, row in jsonl(data / "robots/google-other.jsonl"):
        kind = row["kind"]
        if kind == "line_count":
            # Both user agents' groups are read, and the last rule stands on the line expected.
            last = RobotsRules.parse(row["robots"].encode(), "bar").rules[-1].line_number
            yield compare(name, got=last, expected=row["expected_last_line"], kind=kind, given=row["label"])
        elif kind == "bom":
            rules = RobotsRules.parse(base64.b64decode(row["robots_base64"]), "foo").rules
            yield compare(name, got=len(rules), expected=row["expected_directives"] - 1, kind=kind, given=row["label"])
        elif kind == "sitemap":
            sitemaps = list(RobotsRules.parse(row["robots"].encode(), "foo").sitemaps)
            yield compare(name, got=sitemaps, expected=row["expected"], kind=kind)


def _other_apis(data: Path) -> Mapping[str, int]:
    kinds = [row["kind"] for _, row in jsonl(data / "robots/google-other.jsonl")]
    judged = ("line_count", "bom", "sitemap")
    return {
        "functions of Google's library (escaping a pattern, the path of a URL), judged by their effect elsewhere": sum(
            kind not in judged for kind in kinds
        )
    }


def _commons_rows(data: Path) -> list[dict[str, Any] | None]:
    """The rows, None for one that is not JSON: line ends in its text were taken for the file's."""
    text = (data / "robots/crawler-commons.jsonl").read_text(encoding="utf-8", errors="strict")
    rows: list[dict[str, Any] | None] = []
    for part in text.split('{"suite": ')[1:]:
        try:
            rows.append(json.loads('{"suite": ' + part.strip(), strict=False))
        except ValueError:
            rows.append(None)
    return rows


def _commons(data: Path) -> Iterator[Case]:
    for number, row in enumerate(_commons_rows(data), 1):
        if row is not None and "allowed" in row:
            yield _asked(f"crawler-commons:{number}", row)


def _commons_left_out(data: Path) -> Mapping[str, int]:
    rows = _commons_rows(data)
    asked = sum(row is not None and "allowed" in row for row in rows)
    broken = sum(row is None for row in rows)
    left = {"rows that are not JSON": broken, "rows without a question": len(rows) - asked - broken}
    return {reason: count for reason, count in left.items() if count}


FILES: Mapping[str, tuple[str, float, int]] = {
    "astore.amazon.com-robots.txt": ("any", 5.0, 0),
    "crawl-delay-group-merging.txt": ("mybot", 10.0, 0),
    "directive-typos-robots.txt": ("any", 0.0, 0),
    "dos-line-endings.txt": ("any", 1.0, 0),
    "extended-standard-robots.txt": ("any", 0.0, 0),
    "extension-robots.txt": ("mybot", 6.0, 1),
    "extensions-group-merging.txt": ("mybot", 6.0, 0),
    "format-errors-robots.txt": ("any", 0.0, 1),
    "malformed-path.txt": ("any", 0.0, 0),
    "many-user-agents.txt": ("any", 0.0, 0),
    "merge-rules.txt": ("any", 0.0, 0),
    "precedence-of-rules.txt": ("any", 0.0, 0),
    "relative-sitemap-robots.txt": ("any", 0.0, 1),
    "rfc9309-example-longest-match-robots.txt": ("any", 0.0, 0),
    "rfc9309-example-rule-group-merging.txt": ("any", 0.0, 0),
    "rfc9309-example-simple-robots.txt": ("any", 0.0, 0),
    "robots-with-utf16be-bom.txt": ("any", 0.0, 1),
    "robots-with-utf16le-bom.txt": ("any", 0.0, 1),
    "robots-with-utf8-bom.txt": ("any", 0.0, 1),
    "sitemap-robots-dedup.txt": ("any", 0.0, 2),
    "sitemap-robots.txt": ("any", 0.0, 2),
    "twitter.com-robots.txt": ("any", 0.0, 0),
    "wildcards.txt": ("any", 0.0, 8),
    "www.flot.com-robots.txt": ("any", 0.0, 1),
}
"""By file of crawler-commons, read by hand: an agent, its delay in seconds, Sitemap lines. Verdicts are in its rows."""


def _files(data: Path) -> Iterator[Case]:
    for path in sorted((data / "robots/crawler-commons").glob("*.txt")):
        agent, *expected = FILES.get(path.name, ("any", None, None))
        rules = RobotsRules.parse(path.read_bytes(), agent)
        yield compare(path.name, got=[rules.crawl_delay, len(rules.sitemaps)], expected=expected)


def live_files(data: Path) -> Iterator[tuple[str, bytes]]:
    """Host and body of each live file."""
    with gzip.open(data / "robots-real/robots-top10000.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            text = row.get("text")
            yield row["host"], text.encode() if text is not None else base64.b64decode(row["base64"])


def _live(data: Path) -> Iterator[Case]:
    for number, (host, body) in enumerate(live_files(data), 1):
        name = f"robots-top10000:{number}"
        try:
            rules = RobotsRules.parse(body, "gossamer")
            verdict = rules.verdict("/a/page.html?with=query&and=%2Fescape")
            usage = rules.usage("/a/page.html")
        except Exception as error:  # noqa: BLE001 - whatever it is, the case says so
            yield compare(name, got=repr(error), expected="no crash", given=host)
            continue
        within = rules.crawl_delay <= CRAWL_DELAY_MAX_SECONDS and len(rules.sitemaps) <= ROBOTS_SITEMAPS_MAX
        same = verdict.allowed == rules.verdict("/a/page.html?with=query&and=%2Fescape").allowed
        yield compare(name, got=(within, same, "\n" in usage.content_signal), expected=(True, True, False), given=host)


SUITES = [
    Suite("robots.txt: RFC 9309", "robots/rfc9309.jsonl", Bar.ALL, _plain("rfc9309.jsonl")),
    Suite(
        "robots.txt: Google's library",
        "robots/google.jsonl",
        Bar.ALL,
        _google,
        left_out=_google_left_out,
    ),
    Suite(
        "robots.txt: where two suites disagree",
        "robots/conflicts.jsonl",
        Bar.FACTS,
        _conflicts,
        differences={"google.jsonl": ESCAPES},
    ),
    Suite(
        "robots.txt: Google's documentation",
        "robots/google-doc-table.jsonl",
        Bar.FACTS,
        _plain("google-doc-table.jsonl"),
        differences={"order of precedence for user agents": WHOLE},
    ),
    Suite(
        "robots.txt: line ends, marks, sitemaps",
        "robots/google-other.jsonl",
        Bar.ALL,
        _lines_and_marks,
        left_out=_other_apis,
    ),
    Suite(
        "robots.txt: Protego",
        "robots/protego.jsonl",
        Bar.FACTS,
        _plain("protego.jsonl"),
        differences={
            "test_allowed_wildcards": TOKEN,
            "test_1996rfc_examples": TOKEN,
            "test_unicode_url_and_useragent": TOKEN,
            "test_empty_user_agent_line": NO_NAME,
            "test_1994rfc_example": SCHEME,
            "test_grouping_unknown_keys": GROUPING,
            "test_generosity": WHOLE,
            "test_index_html_is_directory": INDEX,
            "test_special_symbols_dual_behaviour": END_MARK,
            "group3-hedwig-new]": WHOLE,
            "group3-hedwig-images]": WHOLE,
            "test_user_agent_boundary_matching[googlebot-googlebot-news-True]": WHOLE,
            "0)-True]": WHOLE,
        },
    ),
    Suite(
        "robots.txt: reppy",
        "robots/reppy.jsonl",
        Bar.FACTS,
        _plain("reppy.jsonl"),
        differences={"test_no_leading_user_agent": NO_GROUP},
    ),
    Suite(
        "robots.txt: crawler-commons",
        "robots/crawler-commons.jsonl",
        Bar.FACTS,
        _commons,
        differences={
            "testAgentNotListed": TOKEN,
            "testNutchCases": TOKEN,
            "testNutchCases2": TOKEN,
            "testNutchCases3": TOKEN,
            "testHeritrixCases": WHOLE,
            "testUnsupportedFields": GROUPING,
            "testBigCrawlDelay": DELAY,
            "testDirectiveTypos": TYPOS,
            "testFormatErrors": TOKEN,
            "testPrecedenceOfRules": OCTETS,
        },
        left_out=_commons_left_out,
    ),
    Suite("robots.txt: crawler-commons' files", "robots/crawler-commons", Bar.ALL, _files),
    Suite("robots.txt: live files", "robots-real/robots-top10000.jsonl.gz", Bar.SURVIVES, _live),
]
