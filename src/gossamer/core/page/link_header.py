"""Links that an answer's head names: the Link field (RFC 8288 section 3), read tolerantly."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from gossamer.core.limits import LINK_HEADER_LINKS_MAX
from gossamer.core.page.link_columns import LinkColumns
from gossamer.core.page.link_rules import flags_of, kind_of_link
from gossamer.core.page.links import Links

_LINK: Final = re.compile(r"<([^<>]*+)>((?:[^,\"<]++|\"(?:[^\"\\]|\\.)*+(?:\"|\Z))*+)")
_PARAMETER: Final = re.compile(r";\s*+([^\s=;,\"]++)\s*+(?:=\s*+(?:\"((?:[^\"\\]|\\.)*+)(?:\"|\Z)|([^\s;,]*+)))?")


def header_links(values: Iterable[str], url: str) -> Links:
    """The links of an answer's Link fields, resolved against its URL (section 3.1); the page's base does not count.

    A link from something else than the document itself (`anchor`) is left out. The first `rel` counts (section 3.3).
    """
    columns, taken = LinkColumns(), 0
    for value in values:
        for found in _LINK.finditer(value):
            if taken == LINK_HEADER_LINKS_MAX:
                break
            parameters = _parameters(found[2])
            if "anchor" not in parameters:
                taken += 1
                rel = parameters.get("rel", "")
                kind = kind_of_link(rel, parameters.get("type", ""))
                columns.add(found[1].strip(), kind, flags_of(rel), parameters.get("title", ""))
    return columns.resolve(url, "utf-8")


def _parameters(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in _PARAMETER.finditer(text):
        quoted = re.sub(r"\\(.)", r"\1", each[2]) if each[2] else each[2]
        found.setdefault(each[1].lower(), quoted if quoted is not None else each[3] or "")
    return found
