"""The sites of a shard: their states, from a bounded cache or the store, and which other sites link to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from gossamer.core.budget.site_state import SiteState, decode_site, encode_site
from gossamer.core.budget.ties import TIE_BYTES, each_tie, tie_to, with_ways
from gossamer.core.limits import (
    LINKING_SITES_MAX,
    LINKS_OF_SITES_CACHED_MAX,
    SITE_STATES_CACHED_MAX,
    TIES_IN_STATE_MAX,
)
from gossamer.core.seen.fingerprint import SITE_ID_BYTES, Fingerprinter
from gossamer.flow.pending import PendingStore
from gossamer.ports.store import Table

LINKS_HERE: Final = 1
LINKED_FROM_HERE: Final = 2
BOTH_WAYS: Final = LINKS_HERE | LINKED_FROM_HERE


class Sites:
    """The site states of one shard. Changes are written with its commits."""

    def __init__(
        self,
        rows: PendingStore,
        ids: Fingerprinter,
        *,
        cached_max: int = SITE_STATES_CACHED_MAX,
        ties_max: int = TIES_IN_STATE_MAX,
    ) -> None:
        self._rows: Final = rows
        self._ties_max: Final = ties_max
        self._ids: Final = ids
        self._cached_max: Final = cached_max
        self._states: dict[str, SiteState] = {}
        """Oldest first."""
        self._touched: set[str] = set()
        self._pairs: dict[bytes, int] = {}
        """Pairs of sites that have rows, or would have, and which ways are known; oldest first."""
        self._booked: dict[int, None] = {}
        """Hashes of which way, whose page, which other sites: the pages of a site name the same ones again and again. A
        page may name thousands of sites, so the sites themselves are not kept."""

    @property
    def changed(self) -> bool:
        """Whether there is something to commit."""
        return bool(self._touched)

    def state(self, site: str) -> SiteState:
        """What is known of a site, the last changes included; made anew for one never met.

        One object until the next commit at least: whoever changes it says so with `touch`.
        """
        if site not in self._states:
            self._load((site,))
        return self._states[site]

    def _load(self, sites: Iterable[str]) -> None:
        """Have the states of all these at hand, with one look into the store."""
        missing = [site for site in sites if site not in self._states]
        values = self._rows.get(Table.SITE, self._ids.site_ids(missing)) if missing else []
        for site, value in zip(missing, values, strict=True):
            self._states[site] = decode_site(value) if value is not None else SiteState(site)

    def touch(self, site: str) -> SiteState:
        """The state of a site, to be changed; the next commit saves it."""
        self._touched.add(site)
        return self.state(site)

    def linked(self, links: Iterable[tuple[str, Collection[str]]]) -> None:
        """Pages link to sites of this shard: of each the site it is of, and those it links to, itself not among them.
        One look into the store for all of them.
        """
        met: dict[str, list[bytes]] = {}
        for source, targets in links:
            if not self._is_booked(LINKS_HERE, source, targets):
                source_id = self._ids.site_id(source)
                for target in targets:
                    met.setdefault(target, []).append(source_id)
        if met:
            self._book(met, LINKS_HERE)

    def links_out(self, source: str, targets: Collection[str]) -> None:
        """A page of `source`, a site of this shard, links to these other sites, wherever they are."""
        if not self._is_booked(LINKED_FROM_HERE, source, targets):
            self._book({source: self._ids.site_ids(targets)}, LINKED_FROM_HERE)

    def begin_commit(self) -> None:
        """Put the changed states among the changes of the coming commit; keep no more states than the cache holds."""
        states = map(encode_site, map(self._states.__getitem__, self._touched))
        self._rows.put_all(Table.SITE, zip(self._ids.site_ids(self._touched), states, strict=True))
        self._touched.clear()
        while len(self._states) > self._cached_max:
            del self._states[next(iter(self._states))]

    def _is_booked(self, way: int, source: str, targets: Collection[str]) -> bool:
        """Whether the very same was booked shortly before; from now on it was."""
        key = hash((way, source, *targets) if len(targets) == 1 else (way, source, frozenset(targets)))
        if key in self._booked:
            return True
        if len(self._booked) >= SITE_STATES_CACHED_MAX:
            del self._booked[next(iter(self._booked))]
        self._booked[key] = None
        return False

    def _book(self, met: dict[str, list[bytes]], way: int) -> None:
        """Note one way of the ties of sites of this shard to others, given by their ids. One look into each table."""
        self._load(met)
        rows: dict[bytes, str] = {}
        states = self._states
        for site, others in met.items():
            state = states[site]
            if state.has_all_ties:
                self._tie(state, others, way)
            else:
                own = self._ids.site_id(site)
                rows.update((own + other, site) for other in others)
        if rows:
            self._book_rows(rows, way)

    def _tie(self, state: SiteState, others: list[bytes], way: int) -> None:
        """The same for a site whose ties stand in its state."""
        ties, both = state.ties, 0
        # Nearly always all of them are new; what only looks like one of the ties, across two of them, is rare.
        fresh = [other for other in (dict.fromkeys(others) if len(others) > 1 else others) if other not in ties]
        added = len(fresh)
        if added < len(others):
            known = [other for other in dict.fromkeys(others) if other in ties]
            for other in known:
                at = tie_to(ties, other)
                if at < 0:
                    fresh.append(other)
                elif ties[at + SITE_ID_BYTES] & way:
                    continue
                else:
                    ties = with_ways(ties, at, BOTH_WAYS)
                    both += 1
                added += 1
        if not added:
            return
        if fresh:
            ways = bytes((way,))
            ties = b"%b%b%b" % (ties, ways.join(fresh), ways)
        self._touched.add(state.site)
        if way == LINKS_HERE:
            state.linking_sites += added
        else:
            state.linked_sites += added
        state.mutual_sites += both
        state.ties = ties
        if len(ties) > self._ties_max * TIE_BYTES:
            self._move_ties(state)

    def _move_ties(self, state: SiteState) -> None:
        """They have become many: each gets a row."""
        own = self._ids.site_id(state.site)
        for other, ways in each_tie(state.ties):
            self._rows.put(Table.LINKER, own + other, ways)
        state.ties = b""

    def _book_rows(self, pairs: dict[bytes, str], way: int) -> None:
        """The same for pairs of sites that have rows, whose value is the site that the row is kept for.

        One look into the store for all pairs that are not known from shortly before.
        """
        known = self._pairs
        unknown = [key for key in pairs if key not in known]
        if unknown:
            for key, value in zip(unknown, self._rows.get(Table.LINKER, unknown), strict=True):
                known[key] = value[0] if value else 0
        for key, site in pairs.items():
            if not known[key] & way:
                self._count(key, site, way)
        while len(known) > LINKS_OF_SITES_CACHED_MAX:
            del known[next(iter(known))]

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
