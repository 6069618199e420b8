"""References resolved before: a site's pages name the same targets again and again, in the same spelling.

What a reference means depends on little of its base (URL standard, section 4.4): one that begins with a slash on the
authority, one that begins with a name on the folder, one with a scheme and two slashes on nothing. So the answers of
one page serve the next, kept by that little and the reference. What depends on more (an empty reference, a query alone,
a scheme without slashes) or begins with what the parser would skip or turn is resolved anew each time.
"""

from __future__ import annotations

import re
from typing import Final

from gossamer.core.limits import REFERENCE_CHARACTERS_KEPT, REFERENCES_KEPT
from gossamer.core.url.parse import authority_of, resolve

_FREE: Final = re.compile(r"https?://", re.IGNORECASE)
_ROOTED: Final = re.compile(r"/(?![/\\\t\n\r])")
_NAMED: Final = re.compile(r"[A-Za-z0-9._~%-][^:]*\Z")
_WEB: Final = ("http://", "https://")


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
        if not base.startswith(_WEB):
            return resolve(base, references)
        start = base.find("/", 8)
        if start < 0:
            return resolve(base, references)
        authority = authority_of(base)
        query = base.find("?", start)
        folder = base[: base.rindex("/", start, query if query >= 0 else len(base)) + 1]
        rooted, named, free = self._of(authority), self._of(folder), self._of("")
        urls: list[str] = []
        missing: list[int] = []
        for reference in references:
            url = named.get(reference)
            if url is None:
                url = rooted.get(reference)
                if url is None:
                    url = free.get(reference)
                    if url is None:
                        missing.append(len(urls))
                        url = ""
            urls.append(url)
        if missing:
            self._learn(base, references, urls, missing, (rooted, named, free))
        return urls

    def _learn(
        self,
        base: str,
        references: list[str],
        urls: list[str],
        missing: list[int],
        known: tuple[dict[str, str], dict[str, str], dict[str, str]],
    ) -> None:
        rooted, named, free = known
        for row, url in zip(missing, resolve(base, [references[row] for row in missing]), strict=True):
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
            else:
                continue
            self._count += 1
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
