"""What reading a page brings: title, directives, links, charset. A value; nothing here reads."""

from __future__ import annotations

from dataclasses import dataclass, field

from gossamer.core.page.links import Links


@dataclass(slots=True)
class Directives:
    """Page directives from `meta robots` and `X-Robots-Tag`, most restrictive wins."""

    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False


@dataclass(slots=True)
class Document:
    """One HTML page, read once."""

    title: str = ""
    charset: str = ""
    """The encoding used to decode, by its WHATWG name in lower case ("utf-8", "windows-1252")."""
    language: str = ""
    directives: Directives = field(default_factory=Directives)
    links: Links = field(default_factory=Links)
    base: str = ""
    """The URL that links were resolved against."""
    malformed: str = ""
    """Why the page gives no links and is not indexed: "binary", "undecodable", "empty", "nested too deep",
    "too many elements"; or empty."""
