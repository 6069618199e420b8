"""Every file of shared/data and who judges it, or why nobody does. The page shows it; a test holds it complete."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

NO_CASES: Final = "words about the cases, licences"
LATER: Final = "belongs to the issue on content"
SITES: Final = "`./dev prove sites` crawls them"
REASONS: Final[Mapping[str, str]] = {
    "*README.md": NO_CASES,
    "*/LICENSE": NO_CASES,
    "*/notes.txt": NO_CASES,
    "main-text-readability/*": LATER,
    "near-duplicates/*": LATER,
    "sites/*": SITES,
    "encoding-html5lib/encoding/scripted/*": "needs scripts to run, which a crawler does not",
    "http-bodies/scrapy/feed-sample1.tar": "no content coding of HTTP",
    "http-bodies/scrapy/feed-sample1.xml.bz2": "no content coding of HTTP",
    "http-bodies/scrapy/feed-sample1.zip": "no content coding of HTTP",
    "link-extraction/nutch/fetch-test-site/robots.txt": "comments alone",
    "link-extraction/nutch/*.js": "a script: what looks like a URL in one is a guess; scripts are not searched",
    "link-extraction/stormcrawler/*.json": "settings of StormCrawler's filters, without inputs",
    "link-extraction/stormcrawler/*.txt": "settings of StormCrawler's filters, without inputs",
    "url-canon/stormcrawler/*.json": "settings of StormCrawler's normalizer, without inputs",
    "url-canon/nutch/urlnormalizer-regex/*.xml": "Nutch's own rules; what they make of URLs is judged",
}
"""Pattern of files that no suite judges -> why."""

JUDGED: Final[Mapping[str, str]] = {
    "buglog.jsonl": "bug reports",
    "encoding-detect/*": "encodings: detection",
    "encoding-html5lib/encoding/chardet/*": "encodings: html5lib sample",
    "encoding-html5lib/encoding/*.dat": "encodings: html5lib prescan",
    "facts-courlan/*": "URL functions: courlan",
    "facts-w3lib/*": "URL functions: w3lib",
    "feeds/*": "feeds: feedparser's files",
    "http-bodies/scrapy/*": "HTTP: coded bodies",
    "http-llhttp/*": "HTTP: llhttp's answers",
    "link-extraction/heritrix-facts.jsonl": "links: Heritrix",
    "link-extraction/scrapy-facts.jsonl": "links: Scrapy",
    "link-extraction/*.html": "links: pages of other projects",
    "link-extraction/*.warc": "links: pages of other projects",
    "public-suffix/*": "public suffixes",
    "robots-real/*": "robots.txt: live files",
    "robots/conflicts.jsonl": "robots.txt: where two suites disagree",
    "robots/crawler-commons.jsonl": "robots.txt: crawler-commons",
    "robots/crawler-commons/*": "robots.txt: crawler-commons' files",
    "robots/google-doc-table.jsonl": "robots.txt: Google's documentation",
    "robots/google-other.jsonl": "robots.txt: line ends, marks, sitemaps",
    "robots/google.jsonl": "robots.txt: Google's library",
    "robots/protego.jsonl": "robots.txt: Protego",
    "robots/reppy.jsonl": "robots.txt: reppy",
    "robots/rfc9309.jsonl": "robots.txt: RFC 9309",
    "sitemaps/*": "sitemaps: what each file names",
    "url-canon/crawler-commons/*": "URL keys: crawler-commons",
    "url-canon/nutch/urlfilter-fast/*": "URL filters: Nutch, by host",
    "url-canon/nutch/urlfilter-*": "URL filters: Nutch, by pattern",
    "url-canon/nutch/urlnormalizer-regex/*": "URL keys: Nutch",
    "url-canon/urlcanon/funky_ipv4.json": "odd addresses: urlcanon",
    "url-canon/urlcanon/idempotence.json": "URL keys: idempotence",
    "url-canon/urlcanon/parsing.json": "URL parts: urlcanon",
    "url-canon/urlcanon/path_dots.json": "dot segments: urlcanon",
    "url-canon/urlcanon/supplemental_whatwg.json": "URL parsing: urlcanon",
    "url-canon/urlcanon/s*surt.json": "SURT: urlcanon",
    "url-canon/urlcanon/*": "URL keys: urlcanon",
    "url-whatwg/IdnaTestV2*.json": "URLs: hosts",
    "url-whatwg/toascii.json": "URLs: hosts",
    "url-whatwg/percent-encoding.json": "URLs: queries in legacy encodings",
    "url-whatwg/setters_tests.json": "URLs: setters",
    "url-whatwg/*urltestdata*.json": "URLs: parsing and resolving",
    "url-whatwg/verifydnslength_tests.json": "URLs: names that DNS can carry",
    "warc/webarchive-commons/format/gzip/IAH*": "archives: records found",
    "warc/webarchive-commons/format/gzip/*": "archives: odd gzip members",
    "warc/*": "archives: records found",
    "wpt-html/base.json": "links: base",
    "wpt-html/meta-refresh.json": "links: meta refresh",
    "wpt-html/srcset.json": "links: srcset",
    "wpt-http/content-length.json": "HTTP: Content-Length (Fetch)",
    "wpt-http/content-type.json": "HTTP: media types",
    "wpt-http/h1-inputs.json": "HTTP: odd heads",
    "wpt-http/mime-type.json": "HTTP: media types",
    "wpt-http/status-code.json": "HTTP: status lines (Fetch)",
}
"""Pattern of files, the closest first -> the suite that reads them (the first where several do)."""


def files(data: Path) -> Iterator[str]:
    """Every file, by its path under shared/data."""
    return (path.relative_to(data).as_posix() for path in sorted(data.rglob("*")) if path.is_file())


def judge_of(file: str) -> str:
    """The suite that judges a file; "" for one that is left out."""
    if reason_of(file):
        return ""
    return next((suite for pattern, suite in JUDGED.items() if fnmatchcase(file, pattern)), "")


def reason_of(file: str) -> str:
    """Why no suite judges a file; "" for one that is judged."""
    return next((reason for pattern, reason in REASONS.items() if fnmatchcase(file, pattern)), "")


def left_out(data: Path) -> dict[str, list[str]]:
    """Reason -> the patterns of files left out for it, each with their number."""
    counts: dict[str, int] = {}
    for file in files(data):
        pattern = next((pattern for pattern in REASONS if fnmatchcase(file, pattern)), "")
        if pattern:
            counts[pattern] = counts.get(pattern, 0) + 1
    found: dict[str, list[str]] = {}
    for pattern, reason in REASONS.items():
        if pattern in counts:
            found.setdefault(reason, []).append(f"`{pattern}` ({counts[pattern]:,})")
    return found
