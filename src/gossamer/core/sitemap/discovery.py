"""Where sitemaps and feeds are found: robots.txt names them, pages link to them, and some stand where many do."""

from __future__ import annotations

from typing import Final

WELL_KNOWN_PATHS: Final = (
    "/sitemap.xml",
    "/sitemap_index.xml",
    "/sitemap-index.xml",
    "/sitemap.xml.gz",
    "/sitemap.txt",
    "/wp-sitemap.xml",
)
"""Paths tried by setting, where a robots.txt names nothing: what common content systems write, most common first."""

FEED_TYPES: Final = frozenset(
    {
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
        "application/x-rss+xml",
        "text/rss+xml",
        "text/atom+xml",
    }
)
"""Types by which a `link rel=alternate` announces a feed. Plain XML and JSON say too little."""

LISTING_TYPES: Final = FEED_TYPES | {
    "application/xml",
    "text/xml",
    "application/json",
    "application/gzip",
    "application/x-gzip",
    "application/octet-stream",
    "text/plain",
}
"""Types under which sitemaps and feeds are sent."""


def announces_feed(media_type: str) -> bool:
    """Whether a link's `type` says that it leads to a feed."""
    return media_type.partition(";")[0].strip().lower() in FEED_TYPES
