"""References resolved before: a site's pages name the same targets again and again, in the same spelling.

What a reference means depends on little of its base (URL standard, section 4.4): one that begins with a slash on the
authority, one that begins with a name on the folder, one with a scheme and two slashes on nothing. So the answers of
one page serve the next, kept by that little and the reference. What depends on more (an empty reference, a query alone,
a scheme without slashes) or begins with what the parser would skip or turn is resolved anew each time.
"""

from __future__ import annotations

import re
from typing import Final, cast

from gossamer.core.limits import REFERENCE_CHARACTERS_KEPT, REFERENCES_KEPT
from gossamer.core.url.parse import resolve
from gossamer.core.url.plain import from_dots, is_free, is_named, is_rooted

_FREE: Final = re.compile(r"https?://", re.IGNORECASE)
_ROOTED: Final = re.compile(r"/(?![/\\\t\n\r])")
_NAMED: Final = re.compile(r"[A-Za-z0-9._~%-][^:]*\Z")
_WEB: Final = ("http://", "https://")
_Known = tuple[dict[str, str], dict[str, str], dict[str, str]]
"""Of one base: what is known of references that depend on its folder, on its authority, and on nothing."""


class KnownReferences:
    """Remembers the URLs of references, boundedly; what it answers is what `core.url.parse.resolve` does."""

    __slots__ = ("_count", "_former", "_present")

    def __init__(self) -> None:
        self._present: dict[str, dict[str, str]] = {}
        """What a meaning depends on -> reference -> URL, or ""."""
        self._former: dict[str, dict[str, str]] = {}
        self._count = 0

    def resolve(self, base: str, references: list[str]) -> list[str]:
        """Each reference (without fragment) resolved against `base`, a normalised URL or none; "" where it is none."""
        start = base.find("/", 8) if base.startswith(_WEB) else -1
        if start < 0:
            return resolve(base, references)
        query = base.find("?", start)
        folder = base[: base.rindex("/", start, query if query >= 0 else len(base)) + 1]
        known = self._of(folder), self._of(base[:start]), self._of("")
        urls = list(map(known[0].get, references))
        if None in urls:
            self._complete(base, folder, references, urls, known)
        return cast("list[str]", urls)

    def _complete(self, base: str, folder: str, references: list[str], urls: list[str | None], known: _Known) -> None:
        """Fill the gaps in `urls`; what may serve another page is remembered."""
        authority = base[: base.index("/", 8)]
        before = sum(map(len, known))
        odd: list[int] = []
        for row in [row for row, url in enumerate(urls) if url is None]:
            reference = references[row]
            url = urls[row] = _known_or_joined(reference, folder, authority, known)
            if url is None:
                odd.append(row)
        if odd:
            _resolve(base, references, odd, urls, known)
        self._count += sum(map(len, known)) - before
        if self._count >= REFERENCES_KEPT:
            self._former, self._present, self._count = self._present, {}, 0

    def _of(self, part: str) -> dict[str, str]:
        """What is known of references that depend on `part`; what was in use of the former generation stays."""
        found = self._present.get(part)
        if found is None:
            found = self._former.pop(part, {})
            self._present[part] = found
            self._count += len(found) + 1
        return found


def _known_or_joined(reference: str, folder: str, authority: str, known: _Known) -> str | None:
    """The URL of a reference that was met before, or is plain; None for any other."""
    named, rooted, free = known
    url = rooted.get(reference)
    if url is None:
        url = free.get(reference)
    if url is not None:
        return url
    if not reference or len(reference) > REFERENCE_CHARACTERS_KEPT:
        return None
    if is_named(reference):
        named[reference] = url = folder + reference
    elif is_rooted(reference):
        rooted[reference] = url = authority + reference
    elif is_free(reference):
        free[reference] = url = reference
    elif reference[0] == "." and (url := from_dots(folder, reference)) is not None:
        named[reference] = url
    return url


def _resolve(base: str, references: list[str], odd: list[int], urls: list[str | None], known: _Known) -> None:
    """The rows that are not plain."""
    named, rooted, free = known
    for row, url in zip(odd, resolve(base, [references[row] for row in odd]), strict=True):
        reference = references[row]
        urls[row] = url
        if len(reference) > REFERENCE_CHARACTERS_KEPT:
            continue
        if _NAMED.match(reference):
            named[reference] = url
        elif _ROOTED.match(reference):
            rooted[reference] = url
        elif _FREE.match(reference):
            free[reference] = url
