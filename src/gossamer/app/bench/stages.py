"""The stages of a page, each by the files and functions of the product that make it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app.bench.sampler import LOOP, OTHER_THREADS, REST

if TYPE_CHECKING:
    from gossamer.app.bench.sampler import Parts

STORE: Final = "store"
STAGES: Final[dict[str, str]] = {
    "network": "libcurl, its sockets and timers, the fetcher",
    "names": "looking up addresses",
    "robots": "robots.txt: parsing and verdicts",
    "decode": "undoing content codings",
    "digest": "hashing bodies",
    "charset": "from bytes to text",
    "parse": "the tree of a page",
    "links": "from the tree to columns of links",
    "URLs, keys": "resolving URLs, their keys and fingerprints",
    "scope": "which links are wanted",
    "seen": "URL seen: filters, runs, admission",
    "frontier": "queues, turns, gaps, budgets, traps",
    "archive": "WARC records and index lines",
    "datasets": "rows of pages, links and refusals",
    STORE: "RocksDB and the making of commits, its own threads included",
    "flow": "a visit's way through all of these",
    LOOP: "the event loop",
    OTHER_THREADS: "what commits and files do on threads: compressing, syncing",
    REST: "commands, settings, display",
}
"""Stage -> what it is, in the order in which a page meets them."""

PARTS: Final[Parts] = (
    ("core/page/charset", "charset"),
    ("adapters/parser_turbohtml.py:TurboParser.parse", "parse"),
    ("adapters/parser_turbohtml.py:_is_too_deep", "parse"),
    ("core/page/expansion", "parse"),
    ("adapters/parser_", "links"),
    ("core/page/", "links"),
    ("core/http/content_coding", "decode"),
    ("flow/reading", "digest"),
    ("core/url/", "URLs, keys"),
    ("core/seen/fingerprint", "URLs, keys"),
    ("core/seen/", "seen"),
    ("flow/admission", "seen"),
    ("flow/seen_files", "seen"),
    ("core/scope/", "scope"),
    ("core/robots/", "robots"),
    ("flow/robots_errand", "robots"),
    ("adapters/resolver_", "names"),
    ("core/dns/", "names"),
    ("core/frontier/", "frontier"),
    ("core/budget/", "frontier"),
    ("core/trap/", "frontier"),
    ("core/politeness/", "frontier"),
    ("flow/shard", "frontier"),
    ("flow/pending", "frontier"),
    ("flow/sites", "frontier"),
    ("flow/templates", "frontier"),
    ("flow/aliases", "frontier"),
    ("flow/budget", "frontier"),
    ("flow/inbox", "frontier"),
    ("flow/outbox", "frontier"),
    ("flow/delivery", "frontier"),
    ("adapters/fetcher_", "network"),
    ("core/http/", "network"),
    ("adapters/archive_", "archive"),
    ("core/warc/", "archive"),
    ("flow/capture", "archive"),
    ("adapters/datasets_", "datasets"),
    ("adapters/refused_", "datasets"),
    ("adapters/visit_rows", "datasets"),
    ("core/datasets", "datasets"),
    ("flow/rows", "datasets"),
    ("adapters/store_", STORE),
    ("flow/commit", STORE),
    ("flow/", "flow"),
    ("app/running", LOOP),
)
"""Where each stage is in the package; what several would fit belongs to the first."""
