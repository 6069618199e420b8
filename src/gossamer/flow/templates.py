"""The templates of a shard: what the fetches of each have brought, kept with the shard's commits; and their verdicts.

Bounded: so many templates of one site are told apart, and the fetches of all others are counted in one row. That row is
judged only by bodies equal to the byte, and only after a hundred fetches; it speaks for URLs without a row of their
own. What the pages of a template say is remembered in memory alone, for the templates met last: the page that
fills an empty memory, the second of a template and the first after a restart, counts neither way.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from gossamer.core.facts import Fact, TrapSuspected
from gossamer.core.frontier.holds import Ruling
from gossamer.core.frontier.records import LAST, HostState, PageRecord
from gossamer.core.limits import (
    TEMPLATE_MEMORIES_MAX,
    TEMPLATES_CACHED_MAX,
    TEMPLATES_PER_SITE_MAX,
)
from gossamer.core.page.found import FoundLinks
from gossamer.core.scope.reasons import Reason
from gossamer.core.trap.hosts_asked import HostsAsked
from gossamer.core.trap.novelty import (
    Counts,
    Verdict,
    after_fetch,
    decode_counts,
    encode_counts,
    evidence_of,
    is_looked_at,
    judged,
    note_example,
    speaks_for_itself,
)
from gossamer.core.trap.rules import SPARED, TrapRules, Word
from gossamer.core.trap.template import (
    HOST_ENDING,
    Family,
    Kind,
    families_of,
    host_in,
    rest_row,
    shape_row,
    template_id,
)
from gossamer.core.trap.text_blocks import BlockMemory, blocks_of, says_something_new
from gossamer.core.url.parse import host_of
from gossamer.flow.pending import PendingStore
from gossamer.flow.shard_rules import ShardRules
from gossamer.ports.store import Table

COUNTS: Final = b"c"
"""Begins the key of counts: then site id (8) and template id (8)."""
SUSPECT: Final = b"s"
"""The same for a row that is throttled, closed or has refused something; its value is empty."""
REFUSED: Final = b"r"
"""The same, then the page key (24) of a known URL that the row refused; its value is empty."""
SITE_ROW: Final = bytes(8)
"""Stands for a template id in the key of a site's own row."""
END: Final = b"\xff" * 48
ROWS_AT_ONCE: Final = 256
HOST_PAUSE_SECONDS: Final = 5.0
"""How long a host waits below whose site others are asked already, and nothing was found so far."""


class SiteBooks(msgspec.Struct, array_like=True):
    """What is counted of a whole site. Fields are appended, never reordered or removed."""

    visits: int = 0
    """Pages and redirects fetched."""
    templates: int = 0
    """Templates told apart."""
    watched: int = 0
    """Those of them that were ever throttled or closed."""


class Templates:
    """The counts of one shard."""

    def __init__(self, rows: PendingStore, rules: ShardRules, traps: TrapRules | None) -> None:
        """Without `traps` nothing is counted and nothing refused."""
        self._rows: Final = rows
        self._rules: Final = rules
        self.traps = traps
        """Replaced by `adopt` only."""
        self._counts: dict[bytes, Counts | None] = {}
        """Rows by key without its beginning, oldest first; None for one that does not exist."""
        self._sites: dict[str, SiteBooks] = {}
        self._touched: set[bytes] = set()
        self._sites_touched: set[str] = set()
        self._memories: dict[bytes, BlockMemory] = {}
        """What templates' pages said lately, those met last at the end."""
        self._hosts_asked: Final = HostsAsked()
        """By the rows of hosts."""

    # --- what fetches bring --------------------------------------------------------------------------------------

    def visited(self, url: str, now: float, body: bytes, *, novel: bool) -> tuple[bool, list[Fact]]:
        """Count a fetch. `novel`: what came is not known to be old; then its text, if there is a `body`, is compared.

        Whether it is new after that, and what follows from it for whoever listens.
        """
        if self.traps is None:
            return novel, []
        site = self._site_of(url)
        books = self._books(site)
        books.visits += 1
        self._sites_touched.add(site)
        facts: list[Fact] = []
        is_new = novel
        blocks: list[bytes] | None = None
        for family in families_of(url, site):
            rows = self._rows_of(family, site)
            if family.kind is Kind.HOSTS:
                self._hosts_asked.answered(site, family.narrow)
            if not rows or self._is_proven(family, rows):
                continue
            for counts in rows.values():
                counts.visits += 1
            self._touched.update(rows)
            is_mixed = rest_row(site) == next(iter(rows.values())).text
            widest, says_new = list(rows.values())[-1], novel
            # The first page of all is not read: most templates have no second one. What is not read is held for as new
            # as the last that was.
            if novel and body and not is_mixed and widest.fetches and is_looked_at(widest, family.kind):
                blocks = blocks_of(body) if blocks is None else blocks
                memory = self._memory(family, site)
                is_filled = not memory.is_empty
                says_new = says_something_new(blocks, url, memory, combined=family.kind is Kind.COMBINED)
                if not is_filled:
                    continue
            is_new = is_new and says_new
            for key, counts in rows.items():
                after_fetch(counts, url, now, novel=says_new, fresh=novel)
                facts += self._judge(key, counts, site, now, Kind.REST if is_mixed else family.kind)
        return is_new, facts

    def _is_proven(self, family: Family, rows: dict[bytes, Counts]) -> bool:
        """Whether a host below its site has brought something: then it needs no counting any more."""
        first = next(iter(rows.values()))
        return family.narrow.endswith(HOST_ENDING) and first.text == family.narrow and first.novel > 0

    def _judge(self, key: bytes, counts: Counts, site: str, now: float, kind: Kind) -> list[Fact]:
        if counts.text.endswith(HOST_ENDING):
            return []  # it speaks for its host, and is not judged itself
        books, traps = self._books(site), self.traps or TrapRules()
        verdict, rule = judged(counts, books.visits, traps.novelty, kind)
        if verdict == counts.verdict:
            return []
        if not counts.since:
            books.watched += 1
        counts.verdict, counts.rule, counts.since = int(verdict), rule, now
        self._rows.put(Table.TEMPLATE, SUSPECT + key, b"")
        return [TrapSuspected(site, counts.text, verdict.word, rule, counts.fetches, counts.novel)]

    # --- verdicts ------------------------------------------------------------------------------------------------

    def judge(self, _: HostState, record: PageRecord, now: float) -> Ruling | None:
        """A `UrlJudge` of the frontier: refuses a queued URL whose template is closed, puts one last whose template is
        throttled, and lets few of a suspicious site's hosts be asked at once.
        """
        if record.link_kind in SPARED or record.hints is not None or not record.hops or self.traps is None:
            return None
        site = self._site_of(record.url)
        if not (self._books(site).watched or self.traps.words):
            return None
        families = families_of(record.url, site)
        closed, excluded = self._closed_by(families, site)
        if closed is not None:
            return Ruling(Reason.TRAP, self.evidence(closed))
        if excluded:
            return None
        if not self._is_hosts_turn(families, site, now):
            return Ruling("", until=now + HOST_PAUSE_SECONDS, host=True)
        return Ruling("", last=True) if self._is_throttled(families, site) else None

    def _is_hosts_turn(self, families: tuple[Family, ...], site: str, now: float) -> bool:
        """Whether a host below its site may be asked: the gaps of a thousand new ones bound nothing together."""
        if not families or families[-1].kind is not Kind.HOSTS:
            return True
        family = families[-1]
        rows = self._rows_of(family, site, make=False)
        if not rows or self._is_proven(family, rows) or list(rows.values())[-1].verdict == Verdict.OPEN:
            return True
        return self._hosts_asked.ask(site, family.narrow, now)

    def evidence(self, counts: Counts) -> str:
        """The verdict on a row in one line."""
        word = self._word(counts.text)
        return f"{evidence_of(counts)}; a person's word: {word}" if word else evidence_of(counts)

    def told(self, url: str) -> str:
        """What is held of a URL's templates, for people; empty where nothing is held against them."""
        site = self._site_of(url)
        rows = [row for family in families_of(url, site) for row in self._rows_of(family, site, make=False).values()]
        return "; ".join(self.evidence(row) for row in rows if row.verdict != Verdict.OPEN or self._word(row.text))

    def ranked(self, found: FoundLinks, rows: list[int]) -> FoundLinks:
        """The batch with those of `rows` last in line whose template is throttled or closed."""
        if self.traps is None:
            return found
        levels: bytearray | None = None
        for row in rows:
            if found.link_kinds and found.link_kinds[row] in SPARED:
                continue
            url = found.urls[row]
            site = self._site_of(url)
            if self._books(site).watched and self._is_throttled(families_of(url, site), site):
                levels = levels if levels is not None else bytearray(found.levels)
                levels[row] = LAST
        return msgspec.structs.replace(found, levels=bytes(levels)) if levels is not None else found

    def _is_throttled(self, families: tuple[Family, ...], site: str) -> bool:
        return any(
            rows and list(rows.values())[-1].verdict != Verdict.OPEN and not self._is_proven(family, rows)
            for family in families
            for rows in (self._rows_of(family, site, make=False),)
        )

    def _closed_by(self, families: tuple[Family, ...], site: str) -> tuple[Counts | None, bool]:
        """The row by which a URL of those families is refused, None for none; and whether a person said it is none."""
        words = {row: word for family in families for row in family.rows if (word := self._word(row))}
        if Word.EXCLUDE in words.values():
            return None, True
        for family in families:
            rows = self._rows_of(family, site, make=False)
            by_text = {counts.text: counts for counts in rows.values()}
            for place, row in enumerate(family.rows):
                counts = by_text.get(row)
                if words.get(row) == Word.CONFIRM:
                    return counts or Counts(row, verdict=Verdict.CLOSED, rule="a person's word"), False
                if counts is None or counts.verdict != Verdict.CLOSED:
                    continue
                if not place or not speaks_for_itself(by_text.get(family.narrow), row):
                    return counts, False
            rest = by_text.get(rest_row(site))
            if rest is not None and rest.verdict == Verdict.CLOSED:
                return rest, False
        return None, False

    # --- what was refused ----------------------------------------------------------------------------------------

    def refused(self, url: str, page_key: bytes) -> None:
        """A known URL ended as refused by `judge`: keep that for whoever frees its template."""
        site = self._site_of(url)
        closed = self._closed_by(families_of(url, site), site)[0] if self.traps is not None else None
        if closed is not None:
            key = self._key(site, closed.text)
            if (counts := self._row(key)) is None:
                counts = self._counts[key] = closed
            counts.refused += 1
            self._touched.add(key)
            self._rows.put(Table.TEMPLATE, SUSPECT + key, b"")
            self._rows.put(Table.TEMPLATE, REFUSED + key + page_key, b"")

    def refused_by_shape(self, url: str, rule: str, now: float) -> None:
        """A link was refused where it was found, by a rule of shapes: it is counted here, whoever owns its site."""
        site = self._site_of(url)
        text = shape_row(site, rule)
        key = self._key(site, text)
        counts = self._row(key)
        if counts is None:
            counts = self._counts[key] = Counts(text, first=now, verdict=Verdict.CLOSED, since=now, rule=rule)
            self._rows.put(Table.TEMPLATE, SUSPECT + key, b"")
        counts.refused += 1
        counts.last = now
        note_example(counts, url)
        self._touched.add(key)

    def suspects(self, after: bytes = b"") -> Iterator[tuple[bytes, Counts]]:
        """Every row of the shard that is or was held for a trap's, by key, from behind the key `after` on."""
        start = SUSPECT + after + b"\0" if after else SUSPECT
        while found := self._rows.scan(Table.TEMPLATE, start, SUSPECT + END, ROWS_AT_ONCE):
            start = found[-1][0] + b"\0"
            for key, _ in found:
                counts = self._row(key[1:])
                if counts is not None:
                    yield key[1:], counts

    def adopt(self, traps: TrapRules | None) -> None:
        """Put other rules, or other words of a person, in force."""
        self.traps = traps

    def forget(self, text: str) -> bool:
        """Take back the verdict on a row and its evidence; whether there was such a row."""
        site = self._rules.sites.site_of(host_in(text))
        key = self._key(site, text)
        counts = self._row(key)
        if counts is None:
            return False
        self._counts[key] = Counts(text)
        self._touched.add(key)
        self._memories.pop(key, None)
        self._rows.delete(Table.TEMPLATE, SUSPECT + key)
        return True

    def refused_keys(self, text: str, limit: int) -> list[bytes]:
        """Page keys of known URLs that a row refused, and that were not taken back yet."""
        prefix = REFUSED + self._key(self._rules.sites.site_of(host_in(text)), text)
        return [key[len(prefix) :] for key, _ in self._rows.scan(Table.TEMPLATE, prefix, prefix + END, limit)]

    def taken_back(self, text: str, page_keys: list[bytes]) -> None:
        """Those URLs are refused no more."""
        prefix = REFUSED + self._key(self._rules.sites.site_of(host_in(text)), text)
        for page_key in page_keys:
            self._rows.delete(Table.TEMPLATE, prefix + page_key)

    # --- commits -------------------------------------------------------------------------------------------------

    @property
    def changed(self) -> bool:
        """Whether there is something to commit."""
        return bool(self._touched or self._sites_touched)

    def begin_commit(self) -> None:
        """Put the changed rows among the changes of the coming commit; keep no more rows than the cache holds."""
        for key in self._touched:
            if (counts := self._counts[key]) is not None:
                self._rows.put(Table.TEMPLATE, COUNTS + key, encode_counts(counts))
        for site in self._sites_touched:
            key = COUNTS + self._rules.ids.site_id(site) + SITE_ROW
            self._rows.put(Table.TEMPLATE, key, msgspec.msgpack.encode(self._sites[site]))
        self._touched.clear()
        self._sites_touched.clear()
        while len(self._counts) > TEMPLATES_CACHED_MAX:
            del self._counts[next(iter(self._counts))]
        while len(self._sites) > TEMPLATES_CACHED_MAX:
            del self._sites[next(iter(self._sites))]

    # --- rows ----------------------------------------------------------------------------------------------------

    def _rows_of(self, family: Family, site: str, *, make: bool = True) -> dict[bytes, Counts]:
        """The rows of a family by key, narrowest first; the row of all others where one has none and may have none."""
        found: dict[bytes, Counts] = {}
        for text in family.rows:
            key = self._key(site, text)
            counts = self._row(key)
            if counts is None and make and self._books(site).templates < TEMPLATES_PER_SITE_MAX:
                self._books(site).templates += 1
                counts = self._counts[key] = Counts(text)
            if counts is not None:
                found[key] = counts
        if not found and not family.narrow.endswith(HOST_ENDING):
            key = self._key(site, rest_row(site))
            counts = self._row(key)
            if counts is None and make:
                counts = self._counts[key] = Counts(rest_row(site))
            if counts is not None:
                found[key] = counts
        return found

    def _row(self, key: bytes) -> Counts | None:
        if key not in self._counts:
            value = self._rows.get(Table.TEMPLATE, [COUNTS + key])[0]
            self._counts[key] = decode_counts(value) if value is not None else None
        return self._counts[key]

    def _books(self, site: str) -> SiteBooks:
        books = self._sites.get(site)
        if books is None:
            value = self._rows.get(Table.TEMPLATE, [COUNTS + self._rules.ids.site_id(site) + SITE_ROW])[0]
            books = SiteBooks() if value is None else msgspec.msgpack.decode(value, type=SiteBooks)
            self._sites[site] = books
        return books

    def _memory(self, family: Family, site: str) -> BlockMemory:
        key = self._key(site, family.wide)
        memory = self._memories.pop(key, None) or BlockMemory()
        self._memories[key] = memory
        if len(self._memories) > TEMPLATE_MEMORIES_MAX:
            del self._memories[next(iter(self._memories))]
        return memory

    def _key(self, site: str, text: str) -> bytes:
        return self._rules.ids.site_id(site) + template_id(text)

    def _site_of(self, url: str) -> str:
        return self._rules.sites.site_of(host_of(url))

    def _word(self, text: str) -> str:
        return self.traps.words.get(text, "") if self.traps is not None else ""
