"""References so plain that joining them to what they depend on is resolving them (URL standard, section 4.4).

Nothing in them is escaped, dropped, turned or folded by the standard's parser: dot segments at the beginning alone, no
empty segment, no character outside a set that paths and queries hold as it stands, no host that could be an address, a
name in Punycode or one in upper case, no default port. Most references of most pages are so, and the parser proper
takes several times as long. Whatever is not plain is the parser's.
"""

from __future__ import annotations

import re
from typing import Final

_INNER: Final = r"[A-Za-z0-9_~$!*,;=@&()+.-]"
_SEGMENT: Final = rf"[A-Za-z0-9_~$!*,;=@&()+-]{_INNER}*+"
_PATH: Final = rf"{_SEGMENT}(?:/{_SEGMENT})*+/?+"
_QUERY: Final = r"(?:\?[A-Za-z0-9_~$!*,;=@&()+./:?%-]*+)?+"
_LABEL: Final = r"(?!xn--)[a-z0-9](?:[a-z0-9-]*+)"
_PORT: Final = r"(?::(?!(?:80|443)(?:/|\Z))[1-9][0-9]{0,3}+)?+"

is_named: Final = re.compile(rf"{_PATH}{_QUERY}").fullmatch
"""`name`, `folder/name?query`: what follows the last slash of the base's path is replaced."""
is_rooted: Final = re.compile(rf"/(?:{_PATH})?+{_QUERY}").fullmatch
"""`/`, `/folder/name?query`: it follows the base's authority."""
is_free: Final = re.compile(
    rf"https?://(?:{_LABEL}\.)*+(?!xn--)[a-z]+(?:-[a-z]+)*+{_PORT}/(?:{_PATH})?+{_QUERY}"
).fullmatch
"""`https://host/folder/name?query`: it is normalised already. A last label of letters makes no number of the host."""
_DOTTED: Final = re.compile(r"(?:\.\.?/)++").match


def from_dots(folder: str, reference: str) -> str | None:
    """The URL of a reference that begins with `./` or `../`; None where it is not plain.

    `folder`: the normalised URL of the base, up to the last slash of its path.
    """
    found = _DOTTED(reference)
    if found is None:
        return None
    dots, rest = found[0], reference[found.end() :]
    if rest and is_named(rest) is None:
        return None
    root = folder.index("/", 8)
    for _ in range(dots.count("../")):
        # At the root there is no further way up.
        if len(folder) - 1 > root:
            folder = folder[: folder.rindex("/", 0, len(folder) - 1) + 1]
    return folder + rest
