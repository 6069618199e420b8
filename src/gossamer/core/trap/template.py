"""The template of a URL: what is left when its numbers, hashes and values are taken for one.

`https://shop.example.org/item/4711?colour=red&size=m` has the template `shop.example.org/item/N?colour&size`. A URL
that has nothing to be taken for anything else is one of a kind: no supply comes from it, and nothing is counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from typing import Final

from gossamer.core.limits import TEMPLATE_CHARACTERS_MAX
from gossamer.core.url.parse import host_of, target_of

TEMPLATE_ID_BYTES: Final = 8
NUMBER: Final = "N"
HASH: Final = "H"
ANY: Final = "*"
HOST_ENDING: Final = " (host)"
"""Ends the row of a single host."""
DATES_ENDING: Final = " (dates)"
"""Ends the row of all forms of dates in one place."""

_UUID: Final = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_HEX: Final = r"(?=[a-fA-F]{0,64}[0-9])(?=[0-9]{0,64}[a-fA-F])[0-9a-fA-F]{8,}"
"""Eight hexadecimal digits and more, both sorts among the first: neither `deadbeef` nor a number."""
_MIXED: Final = r"(?=(?:[A-Za-z]{0,8}[0-9]){4})[0-9A-Za-z]{16,}"
"""Sixteen letters and digits and more, thickly mixed: what sessions and caches are called."""
_HASHES: Final = re.compile(rf"(?<![0-9A-Za-z])(?:{_UUID}|{_HEX}|{_MIXED})(?![0-9A-Za-z])")
_DIGITS: Final = re.compile(r"(?<![A-Za-z0-9])[0-9]+|[0-9]{2,}")
"""Numbers; a single digit behind a letter is part of a name: gtk4, v2, python3."""
_PATH_VALUE: Final = re.compile(r"(;[^=/;]*)=[^/;]*")
_MADE: Final = frozenset(
    {"date", "day", "month", "year", "sid", "sess", "session", "sessid", "session_id", "sessionid"}
)
"""Names of single parameters whose values a program makes, a date or a session, as several parameters are made."""
_DATED: Final = re.compile(r"/N/N(?:/N)?/?$|/N-N(?:-N)?/?$")
_SEGMENTS_REPEATING_MIN: Final = 4
_ANY_DIGIT: Final = frozenset("0123456789")


class Kind(Enum):
    """How URLs of a family come about, and so what may be concluded from what their pages say."""

    PLAIN = "plain"
    """A number in the path, one parameter: lists of real things have such URLs, and things may differ by numbers alone.
    What the pages say may put them last; only bodies equal to the byte, and redirects, close the template."""
    COMBINED = "combined"
    """Several parameters, a date, a session: URLs that programs make without end. What their pages say closes the
    template, however few words it is."""
    HOSTS = "hosts"
    """Hosts below a site. Bodies equal to the byte close them, and a long row of pages that say nothing new."""
    REST = "rest"
    """URLs of many kinds: bodies equal to the byte, and many of them."""


@dataclass(frozen=True, slots=True)
class Family:
    """Rows of counts that a URL's fetches go into together, and by which it may be refused."""

    rows: tuple[str, ...]
    """The narrowest first, as people read them. A wider one has no say about a URL whose narrowest has brought
    something new."""
    kind: Kind

    @property
    def narrow(self) -> str:
        """The row that stands for the least."""
        return self.rows[0]

    @property
    def wide(self) -> str:
        """The row that stands for the most; what the pages of the family say is compared within it."""
        return self.rows[-1]


def template_of(url: str) -> str:
    """The template of a normalised URL, without its scheme and port: a host, a path, and parameter names in order."""
    return _template(host_of(url), target_of(url))


def _template(host: str, target: str) -> str:
    path, mark, query = target[: 2 * TEMPLATE_CHARACTERS_MAX].partition("?")
    if ";" in path:
        path = _PATH_VALUE.sub(r"\1", path)
    if mark:
        names = sorted({pair.partition("=")[0] for pair in query.replace(";", "&").split("&")} - {""})
        path += "?" + "&".join(names)
    # A host stays what it is: who has many has a family for them.
    return (host + _variables_taken(path))[:TEMPLATE_CHARACTERS_MAX]


def template_id(text: str) -> bytes:
    """8 bytes for the text of a row; with the id of its site the key under which its counts are kept."""
    return blake2b(text.encode(), digest_size=TEMPLATE_ID_BYTES, person=b"gossamer.tmpl").digest()


def families_of(url: str, site: str) -> tuple[Family, ...]:
    """The rows that a URL counts in; none for a URL that is one of a kind on a host that every site has."""
    host, target = host_of(url), target_of(url)
    template = _template(host, target)
    families: list[Family] = []
    path, mark, names = template.partition("?")
    if "&" in names:
        # Each set of parameters is a template of its own, and of some names there are exponentially many.
        families.append(Family((template, f"{path}?{ANY}"), Kind.COMBINED))
    elif mark:
        families.append(Family((template,), Kind.COMBINED if names.lower() in _MADE else Kind.PLAIN))
    elif path != host + target:
        # The pages of a calendar are months as well as days.
        dated = _DATED.search(path)
        rows = (template,) if dated is None else (template, dates_row(path[: dated.start()]))
        families.append(Family(rows, Kind.PLAIN if dated is None else Kind.COMBINED))
    elif _repeats(path):
        families.append(Family((again_row(path),), Kind.COMBINED))
    if host not in (site, f"www.{site}"):
        families.append(Family((host_row(host), hosts_row(site)), Kind.HOSTS))
    return tuple(families)


def _repeats(path: str) -> bool:
    """Whether two segments of a path, or one of them twice, have been in it before."""
    if path.count("/") < _SEGMENTS_REPEATING_MIN:
        return False
    segments = [segment for segment in path.split("/")[1:] if segment]
    return len(segments) - len(set(segments)) > 1


def dates_row(path: str) -> str:
    """The row of the paths that begin alike and end in a date."""
    return f"{path}/{ANY}{DATES_ENDING}"


def again_row(path: str) -> str:
    """The row of the paths that begin with the same segment and in which segments come again: growing paths do."""
    host, _, rest = path.partition("/")
    return f"{host}/{rest.partition('/')[0]}/{ANY} (segments that come again)"


def host_row(host: str) -> str:
    """The row of one host below its site: whether it has ever brought anything new."""
    return host + HOST_ENDING


def hosts_row(site: str) -> str:
    """The row of all hosts below a site that have brought nothing yet."""
    return f"{ANY}.{site}"


def rest_row(site: str) -> str:
    """The row of all templates of a site beyond those that are told apart."""
    return f"{site} (all other templates)"


def shape_row(site: str, rule: str) -> str:
    """The row of the URLs of a site that a shape rule refused."""
    return f"{site} ({rule})"


SHAPE_ENDINGS: Final = tuple(
    f" ({rule})"
    for rule in (
        "depth",
        "length",
        "repeated segments",
        "calendar",
        "parameters",
        "sessions",
        "subdomains",
        "session",
        "permuted parameters",
    )
)
"""Ends the row of what a rule of shapes or spellings refused."""


def host_in(row: str) -> str:
    """The host, or the site, that the text of a row begins with."""
    return row.removeprefix(f"{ANY}.").partition("/")[0].partition(" ")[0]


def _variables_taken(text: str) -> str:
    if _ANY_DIGIT.isdisjoint(text):
        return text
    return _DIGITS.sub(NUMBER, _HASHES.sub(HASH, text))
