"""A page as a program sees it: what was fetched, what it says, what it links to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, overload

from gossamer.core.http.outcome import Fetched
from gossamer.core.page.links import LinkFlag, LinkKind, Links
from gossamer.flow.rows import page_row

if TYPE_CHECKING:
    from gossamer.flow.finished import Finished


class Link(NamedTuple):
    """One link of a page."""

    url: str
    """Where it leads: absolute, without fragment."""
    kind: str
    """How the page names it: "a", "iframe", "canonical", "image", ..."""
    text: str
    """Anchor text (or alt, or title); often empty."""
    nofollow: bool
    """Whether its rel says nofollow."""
    ugc: bool
    """Whether its rel says ugc (written by users)."""
    sponsored: bool
    """Whether its rel says sponsored."""


_KINDS = {int(kind): kind.name.lower() for kind in LinkKind}


class PageLinks(Sequence[Link]):
    """The links of a page in document order: a sequence of `Link`, kept in columns; each is made when asked for."""

    __slots__ = ("_links",)

    def __init__(self, links: Links) -> None:
        self._links = links

    @property
    def urls(self) -> list[str]:
        """Where they lead, one for each link, repetitions included."""
        return self._links.urls

    @property
    def texts(self) -> list[str]:
        """Their anchor texts."""
        return self._links.texts

    def __len__(self) -> int:
        return len(self._links)

    @overload
    def __getitem__(self, index: int) -> Link: ...
    @overload
    def __getitem__(self, index: slice) -> list[Link]: ...
    def __getitem__(self, index: int | slice) -> Link | list[Link]:
        if isinstance(index, slice):
            return [self._link(row) for row in range(*index.indices(len(self)))]
        return self._link(range(len(self))[index])

    def __iter__(self) -> Iterator[Link]:
        return map(self._link, range(len(self)))

    def __repr__(self) -> str:
        return f"<{len(self)} links>"

    def _link(self, row: int) -> Link:
        links = self._links
        flag = LinkFlag(links.flags[row])
        return Link(
            links.urls[row],
            _KINDS[links.kinds[row]],
            links.texts[row],
            LinkFlag.NOFOLLOW in flag,
            LinkFlag.UGC in flag,
            LinkFlag.SPONSORED in flag,
        )


class Headers(Mapping[str, str]):
    """The header fields of an answer. Names count in any case; of a repeated field, `[]` gives the first."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Sequence[tuple[str, str]]) -> None:
        self._fields = tuple(fields)

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """Names as received and values, in order, repetitions included."""
        return self._fields

    def all(self, name: str) -> list[str]:
        """The values of every field of that name, in order."""
        wanted = name.lower()
        return [value for key, value in self._fields if key.lower() == wanted]

    def __getitem__(self, name: str) -> str:
        wanted = name.lower()
        for key, value in self._fields:
            if key.lower() == wanted:
                return value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(key.lower() for key, _ in self._fields))

    def __len__(self) -> int:
        return len({key.lower() for key, _ in self._fields})

    def __repr__(self) -> str:
        return f"Headers({list(self._fields)!r})"


@dataclass(slots=True, eq=False, repr=False, kw_only=True)
class Page:
    """One visit's result. Unless `every_visit` was asked for, it is a page: a 2xx answer, copies included."""

    url: str
    """The URL that was fetched."""
    outcome: str
    """"fetched", "not modified", "redirected", "refused" or "failed"."""
    reason: str
    """Why refused or failed; empty otherwise."""
    status: int
    """HTTP status; 0 when no answer came."""
    headers: Headers
    """Header fields of the answer."""
    body: bytes
    """The body after content decoding; empty unless fetched."""
    truncated: str
    """Why the body is shorter than the server meant: "length", "time", "disconnect"; empty when it is whole."""
    media_type: str
    """Media type without parameters, lower case: "text/html"."""
    charset: str
    """The encoding used to decode an HTML page, by its WHATWG name."""
    title: str
    """Title of an HTML page."""
    language: str
    """Declared language; often empty."""
    links: PageLinks
    """Links of an HTML page; none for other media."""
    noindex: bool
    """Whether the page asks not to be indexed (robots meta, X-Robots-Tag)."""
    nofollow: bool
    """Whether the page asks that its links not be followed."""
    malformed: str
    """Why an HTML page could not be read: "binary", "undecodable", "empty", ...; empty otherwise."""
    location: str
    """Where a redirect leads; empty otherwise."""
    copy_of: str
    """The URL under which the same body was archived before; empty for a new one."""
    digest: str
    """sha256 of `body` in hexadecimal; empty for an empty or cut one."""
    depth: int
    """Links from a seed."""
    referrer: str
    """The first page found linking here; empty for a seed."""
    hops: str
    """The way from a seed: L link, E embed, R redirect."""
    group: str
    """Seed group."""
    fetched_at: datetime
    """Start of the exchange, UTC."""
    seconds: float
    """Time of the exchange."""
    address: str
    """The address connected to; empty when none was."""
    _text: str | None = field(default=None)

    @property
    def is_copy(self) -> bool:
        """Whether the same body was archived before under another URL."""
        return bool(self.copy_of)

    @property
    def text(self) -> str:
        """What a reader sees, blocks apart; made from `body` when first asked for. Empty for pictures and the like."""
        if self._text is None:
            from gossamer.adapters.text_turbohtml import page_text  # noqa: PLC0415 - many programs never ask

            self._text = page_text(self.body, self.url, self.headers.get("content-type", ""), self.media_type)
        return self._text

    def __repr__(self) -> str:
        return f"<Page {self.status} {self.url}>"


def page_of(finished: Finished) -> Page:
    """The page that a finished visit is for programs."""
    reading, exchange = finished.reading, finished.exchange
    row = {name: values[0] for name, values in page_row(finished, 0).items()}
    document = reading.document
    same = ("outcome", "reason", "status", "media_type", "charset", "title", "language", "noindex", "nofollow")
    more = ("malformed", "truncated", "location", "copy_of", "digest", "referrer", "depth", "hops", "group", "seconds")
    return Page(
        url=exchange.url,
        headers=Headers(exchange.headers),
        body=reading.decoded if isinstance(reading.outcome, Fetched) else b"",
        links=PageLinks(document.links if document is not None else Links()),
        fetched_at=datetime.fromtimestamp(exchange.started, UTC),
        address=exchange.address,
        **{name: row[name] for name in (*same, *more)},
    )
