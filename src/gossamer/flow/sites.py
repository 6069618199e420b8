"""The sites of a shard: their states, from a bounded cache or the store, and which other sites link to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from gossamer.core.budget.site_state import SiteState, decode_site, encode_site
from gossamer.core.limits import LINKING_SITES_MAX, LINKS_OF_SITES_CACHED_MAX, SITE_STATES_CACHED_MAX
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table

LINKS_HERE: Final = 1
LINKED_FROM_HERE: Final = 2
BOTH_WAYS: Final = LINKS_HERE | LINKED_FROM_HERE


class Sites:
    """The site states of one shard. Changes are written with its commits."""

    def __init__(self, rows: PendingStore, ids: Fingerprinter, *, cached_max: int = SITE_STATES_CACHED_MAX) -> None:
        self._rows: Final = rows
        self._ids: Final = ids
        self._cached_max: Final = cached_max
        self._states: dict[str, SiteState] = {}
        """Oldest first."""
        self._touched: set[str] = set()
        self._pairs: dict[bytes, int] = {}
        """Pairs of sites whose row is known, oldest first."""
        self._booked: dict[tuple[int, str, frozenset[str]], None] = {}
        """Which way, whose page, which other sites: the pages of a site name the same ones again and again."""

    @property
    def changed(self) -> bool:
        """Whether there is something to commit."""
        return bool(self._touched)

    def state(self, site: str) -> SiteState:
        """What is known of a site, the last changes included; made anew for one never met.

        One object until the next commit at least: whoever changes it says so with `touch`.
        """
        state = self._states.get(site)
        if state is None:
            value = self._rows.get(Table.SITE, [self._ids.site_id(site)])[0]
            state = self._states[site] = decode_site(value) if value is not None else SiteState(site)
        return state

    def touch(self, site: str) -> SiteState:
        """The state of a site, to be changed; the next commit saves it."""
        self._touched.add(site)
        return self.state(site)

    def linked(self, source: str, targets: Iterable[str]) -> None:
        """A page of the site `source` links to these sites of this shard, itself not among them."""
        if not self._is_booked(LINKS_HERE, source, targets):
            source_id = self._ids.site_id(source)
            self._book({self._ids.site_id(target) + source_id: target for target in targets}, LINKS_HERE)

    def links_out(self, source: str, targets: Iterable[str]) -> None:
        """A page of `source`, a site of this shard, links to these other sites, wherever they are."""
        if not self._is_booked(LINKED_FROM_HERE, source, targets):
            source_id = self._ids.site_id(source)
            self._book({source_id + self._ids.site_id(target): source for target in targets}, LINKED_FROM_HERE)

    def begin_commit(self) -> None:
        """Put the changed states among the changes of the coming commit; keep no more states than the cache holds."""
        for site in self._touched:
            self._rows.put(Table.SITE, self._ids.site_id(site), encode_site(self._states[site]))
        self._touched.clear()
        while len(self._states) > self._cached_max:
            del self._states[next(iter(self._states))]

    def _is_booked(self, way: int, source: str, targets: Iterable[str]) -> bool:
        """Whether the very same was booked shortly before; from now on it was."""
        key = (way, source, frozenset(targets))
        if key in self._booked:
            return True
        if len(self._booked) >= SITE_STATES_CACHED_MAX:
            del self._booked[next(iter(self._booked))]
        self._booked[key] = None
        return False

    def _book(self, pairs: dict[bytes, str], way: int) -> None:
        """Note one way of each pair, whose value is the site that the row is kept for.

        One look into the store for all pairs that are not known from shortly before.
        """
        unknown = [key for key in pairs if key not in self._pairs]
        if unknown:
            for key, value in zip(unknown, self._rows.get(Table.LINKER, unknown), strict=True):
                self._pairs[key] = value[0] if value else 0
        for key, site in pairs.items():
            if not self._pairs[key] & way:
                self._count(key, site, way)
        while len(self._pairs) > LINKS_OF_SITES_CACHED_MAX:
            del self._pairs[next(iter(self._pairs))]

    def _count(self, key: bytes, site: str, way: int) -> None:
        state = self.state(site)
        if (state.linking_sites if way == LINKS_HERE else state.linked_sites) >= LINKING_SITES_MAX:
            return
        self.touch(site)
        ways = self._pairs[key] = self._pairs[key] | way
        self._rows.put(Table.LINKER, key, bytes((ways,)))
        state.linking_sites += way == LINKS_HERE
        state.linked_sites += way == LINKED_FROM_HERE
        state.mutual_sites += ways == BOTH_WAYS
