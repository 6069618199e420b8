"""Every reason why we chose not to fetch a URL: one stable word or two, and what it means.

The words are stored, exported and shown by `explain`; programs read them. Never rename one.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Reason(StrEnum):
    """Why a URL is refused, or (caps, pauses, blocked hosts) held."""

    SCOPE = "scope"
    DEPTH = "depth"
    URL_LENGTH = "url length"
    HOST_NAME = "host name"
    EXTENSION = "extension"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not included"
    BLOCKED = "blocked"
    NOFOLLOW = "nofollow"
    KIND = "kind not followed"
    SCHEME = "scheme"
    REDIRECT_HOPS = "redirect hops"
    REDIRECT_LOOP = "redirect loop"
    ROBOTS = "robots"
    ROBOTS_UNREACHABLE = "robots unreachable"
    ADDRESS = "address"
    MEDIA_TYPE = "media type"
    COPY = "copy"
    ALIAS = "alias"
    TRAP = "trap"
    CAP = "cap"
    BUDGET = "budget"
    PAUSED = "paused"
    SITEMAP_HOST = "sitemap host"
    NESTING = "sitemap nesting"
    PURPOSE = "purpose"
    NOARCHIVE = "noarchive"


EXPLANATIONS: Final[Mapping[Reason, str]] = MappingProxyType(
    {
        Reason.SCOPE: "outside the crawl's scope; --scope or --domains widens it",
        Reason.DEPTH: "too many links away from a seed; --max-depth raises the limit",
        Reason.URL_LENGTH: "the URL is longer than scope.max_url_length",
        Reason.HOST_NAME: "its host cannot be looked up: a part of the name is empty or over 63 characters",
        Reason.EXTENSION: "its file name says that it is no page; --media any fetches it",
        Reason.EXCLUDED: "an --exclude pattern finds a match in it",
        Reason.NOT_INCLUDED: "no --include pattern finds a match in it",
        Reason.BLOCKED: "its host, address or beginning is on the block list",
        Reason.NOFOLLOW: "the page or the link says nofollow",
        Reason.KIND: "links of this kind are recorded, not followed; scope.follow and scope.follow_kinds change that",
        Reason.SCHEME: "neither http nor https",
        Reason.REDIRECT_HOPS: "reached only through more redirects than are followed",
        Reason.REDIRECT_LOOP: "its redirects lead back to it",
        Reason.ROBOTS: "the site's robots.txt disallows it",
        Reason.ROBOTS_UNREACHABLE: "the site's robots.txt could not be read, which means no (RFC 9309)",
        Reason.ADDRESS: "its address is private or reserved; --allow-address permits a range",
        Reason.MEDIA_TYPE: "the answer's media type is not wanted; --media changes that",
        Reason.COPY: "found only on a page whose body was archived before under another URL; copies.follow decides",
        Reason.ALIAS: "another spelling of a URL that is known, by a rule that its host has taught; keys.learn decides",
        Reason.TRAP: "part of an endless supply of URLs without worth",
        Reason.CAP: "known, but over a cap for now; raising the cap releases it",
        Reason.BUDGET: "known, but its site is over its budget for now; it is looked at again ever more rarely",
        Reason.SITEMAP_HOST: "a sitemap of another host names it, which that host's robots.txt does not name",
        Reason.NESTING: "a sitemap too many files away from the first one",
        Reason.PAUSED: "known, but the operator paused its host; gossamer continue DIR HOST releases it",
        Reason.PURPOSE: "the site denies a use that politeness.purposes names",
        Reason.NOARCHIVE: "its page says noarchive, and archive.noarchive obeys that: its capture is not stored",
    }
)
"""One line each, for people."""
