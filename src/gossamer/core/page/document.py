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
    unavailable_after: float | None = None
    """From this moment (s since the epoch) on the page asks not to be in an index; None where it does not say."""
    rules: tuple[str, ...] = ()
    """All rules that hold for us, in lower case, each once: "noindex", "max-snippet:20"."""
    stated: tuple[tuple[str, str], ...] = ()
    """Name and content of metas that state preferences: tdm-reservation, tdm-policy."""

    def is_unindexed(self, at: float) -> bool:
        """Whether an index must not hold the page at a moment."""
        return self.noindex or (self.unavailable_after is not None and self.unavailable_after <= at)


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
