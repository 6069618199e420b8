"""What is kept of a site: what it has had, who links to it, what its budget has grown to.

Records are msgpack arrays like those of hosts: fields are appended, never reordered or removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from gossamer.core.budget.ties import TIE_BYTES, Ties

if TYPE_CHECKING:
    from collections.abc import Callable


class SiteState(msgspec.Struct, array_like=True):
    """What is known of one site. All its hosts are in one shard, so one shard alone writes it."""

    site: str
    linking_sites: int = 0
    """Distinct other sites with a followed link here, exact up to LINKING_SITES_MAX."""
    mutual_sites: int = 0
    """Of them, those that this site links to as well: what two of a kind can give each other costs them nothing."""
    pages: int = 0
    bytes: int = 0
    """Body bytes received, robots.txt files and listings included."""
    fetches: int = 0
    """Exchanges, of whatever was leased."""
    fetch_seconds: float = 0.0
    """Sum of the lengths of its exchanges."""
    novel: int = 0
    """Pages whose body had a digest that was new to the crawl, and said more than its template's pages lately."""
    seeded: bool = False
    """A seed, or the operator, names a URL of it."""
    allotments: int = 1
    """How many times its budget it has been given: once, and once more with each look that found its yield good."""
    looked_pages: int = 0
    """Its pages at the last look that gave it an allotment."""
    looked_novel: int = 0
    """The same of `novel`."""
    held_at: float = 0.0
    """Since when it is over its budget; 0 while it is not."""
    held_why: str = ""
    """Which part of its budget it is over, in words."""
    next_look: float = 0.0
    """When a site over its budget is looked at again."""
    looks: int = 0
    """Looks in a row that changed nothing; each doubles the wait for the next."""
    linked_sites: int = 0
    """Distinct other sites that it links to, exact up to LINKING_SITES_MAX."""
    hosts_open: int = 0
    """Hosts of it that were asked for something; the others are held while it is over its budget of hosts."""
    ties: Ties = b""
    """Its ties to other sites, see `ties`, while they are few; empty once they have rows of their own."""

    @property
    def has_all_ties(self) -> bool:
        """Whether `ties` holds all of them. Where it does not, as in states of older releases, rows do."""
        return len(self.ties) == TIE_BYTES * (self.linking_sites + self.linked_sites - self.mutual_sites)

    @property
    def novel_share(self) -> float:
        """The share of its pages that brought a new body; 1.0 before its first page."""
        return self.novel / self.pages if self.pages else 1.0


class SiteBooks(Protocol):
    """Where a frontier finds the states of its shard's sites."""

    def state(self, site: str) -> SiteState:
        """The state of a site, made anew for one never met; the same object until it is forgotten after a commit."""
        ...

    def touch(self, site: str) -> SiteState:
        """The state of a site, to be changed; the next commit saves it."""
        ...


class SitesInMemory:
    """Site states that nothing stores."""

    def __init__(self) -> None:
        self._states: dict[str, SiteState] = {}

    def state(self, site: str) -> SiteState:
        """See `SiteBooks`."""
        return self._states.setdefault(site, SiteState(site))

    touch = state


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(SiteState)


encode_site: Final[Callable[[SiteState], bytes]] = _encoder.encode
"""The stored form."""


def decode_site(data: bytes) -> SiteState:
    """The site state of `data`; raises msgspec.DecodeError when it is none."""
    return _decoder.decode(data)
