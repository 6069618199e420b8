"""The schemas of the datasets a crawl leaves behind: name, type, meaning of every column. Version 1.

Types are names that both Arrow and the docs know: "string", "int64", "int32", "float64", "bool", "binary",
"timestamp" (UTC, milliseconds). Journals carry the two extra columns `_shard` and `_commit`; Parquet files do not.
"""

from __future__ import annotations

from typing import Final, NamedTuple

SCHEMA_VERSION: Final = 1


class Column(NamedTuple):
    """One column of a dataset."""

    name: str
    type: str
    meaning: str


PAGES: Final = (
    Column("url", "string", "fetch URL of the visit"),
    Column("host", "string", "host"),
    Column("site", "string", "registrable domain"),
    Column("kind", "string", "page, robots, sitemap, feed or probe"),
    Column("outcome", "string", "fetched, not modified, redirected, refused or failed"),
    Column("reason", "string", "why refused or failed; empty otherwise"),
    Column("status", "int32", "HTTP status; 0 without an answer"),
    Column("started", "timestamp", "start of the exchange"),
    Column("seconds", "float64", "request sent to last byte"),
    Column("address", "string", "address connected to"),
    Column("media_type", "string", "media type of the answer, without parameters"),
    Column("charset", "string", "encoding used to decode"),
    Column("bytes", "int64", "body bytes as received"),
    Column("decoded_bytes", "int64", "body bytes after content decoding"),
    Column("digest", "string", "sha256 of the decoded body, hexadecimal; empty without a body"),
    Column("copy_of", "string", "URL under which the same body was archived before; empty otherwise"),
    Column("title", "string", "title of the page"),
    Column("language", "string", "declared language"),
    Column("noindex", "bool", "a page directive asks not to index, now or since unavailable_after"),
    Column("nofollow", "bool", "a page directive asks not to follow"),
    Column("malformed", "string", "why the page gave no links; empty otherwise"),
    Column("truncated", "string", "WARC-Truncated reason; empty otherwise"),
    Column("location", "string", "redirect target; empty otherwise"),
    Column("referrer", "string", "first page found linking here"),
    Column("depth", "int32", "links from a seed"),
    Column("hops", "string", "hop path from a seed: L link, R redirect, E embed, P prerequisite, M sitemap, F feed"),
    Column("group", "string", "seed group"),
    Column("attempt", "int32", "1 for the first visit of this URL"),
    Column("links", "int32", "links found"),
    Column("warc", "string", "archive file; empty when nothing was stored"),
    Column("offset", "int64", "offset of the response or revisit record"),
    Column("length", "int64", "compressed length of that record"),
    Column("noarchive", "bool", "a page directive asks not to keep a copy"),
    Column("unavailable_after", "timestamp", "when the page asks to leave an index; null where it does not"),
    Column("robots_rules", "string", "all rules of meta robots and X-Robots-Tag that hold for us, in lower case"),
    Column("content_signal", "string", "Content-Signal as stated, each with its source (robots.txt, header)"),
    Column("content_usage", "string", "Content-Usage (AIPREF) as stated, each with its source"),
    Column("license", "string", "RSL licences named, each with its source"),
    Column("tdm_reservation", "string", "TDMRep: 1 reserved, 0 not; empty where not stated"),
    Column("tdm_policy", "string", "TDMRep: URL of the policy; empty where not stated"),
    Column("denied_uses", "string", "purposes that these statements deny, blanks between"),
    Column("hint_lastmod", "string", "last change as a sitemap or feed claims it; empty without a claim"),
    Column("hint_changefreq", "string", "change frequency as a sitemap claims it"),
    Column("hint_priority", "float64", "priority as a sitemap claims it; null without a claim"),
    Column("hint_published", "string", "date of publication as a news sitemap or feed claims it"),
    Column(
        "hint_alternates", "string", "LANGUAGE=URL of each hreflang alternate that a sitemap claims, blanks between"
    ),
)

LINKS: Final = (
    Column("source", "string", "fetch URL of the page the link stands on"),
    Column("target", "string", "resolved URL"),
    Column("kind", "string", "a, area, frame, iframe, refresh, link, canonical, ..."),
    Column("text", "string", "anchor text"),
    Column("nofollow", "bool", "rel=nofollow"),
    Column("ugc", "bool", "rel=ugc"),
    Column("sponsored", "bool", "rel=sponsored"),
    Column("verdict", "string", "followed, or the reason it was refused"),
)

REFUSED: Final = (
    Column("url", "string", "URL refused or failed"),
    Column("reason", "string", "why"),
    Column("count", "int64", "times met in this file's span"),
    Column("first", "timestamp", "first met"),
    Column("last", "timestamp", "last met"),
    Column("depth", "int32", "least depth met at"),
    Column("referrer", "string", "first referrer"),
    Column("hops", "string", "hop path"),
    Column("group", "string", "seed group"),
    Column("kinds", "string", "kinds of link it was met as, words of `links`.`kind` between spaces; seed, redirect"),
    Column("nofollow", "bool", "every link met, or its page, said nofollow"),
)

TEXTS: Final = (
    Column("url", "string", "fetch URL of the capture"),
    Column("started", "timestamp", "start of the exchange"),
    Column("text", "string", "what a reader sees of it"),
    Column("warc", "string", "archive file"),
    Column("offset", "int64", "offset of the response or revisit record"),
)

DATASETS: Final = {"pages": PAGES, "links": LINKS, "refused": REFUSED}
"""Those of a crawl."""
DERIVED: Final = {"pages": PAGES, "links": LINKS, "texts": TEXTS}
"""Those that `gossamer derive` makes from an archive."""
KNOWN: Final = {**DATASETS, **DERIVED}
