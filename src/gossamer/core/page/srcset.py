"""The URLs of a srcset attribute (HTML standard section 4.8.4.3.10, "parse a srcset attribute")."""

from __future__ import annotations

import re
from typing import Final

from gossamer.core.limits import SRCSET_CANDIDATES_MAX

_WHITE: Final = "\t\n\f\r "
_LEAD: Final = re.compile(r"[\t\n\f\r ,]*+")
_URL: Final = re.compile(r"[^\t\n\f\r ]++")
_DESCRIPTORS: Final = re.compile(r"(?:[^,(]|\([^)]*+(?:\)|\Z))*+,?")
_NUMBER: Final = r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_WIDTH: Final = re.compile(r"0*[1-9][0-9]*w", re.ASCII)
_HEIGHT: Final = re.compile(r"0*[1-9][0-9]*h", re.ASCII)
_DENSITY: Final = re.compile(rf"(?!-(?!0*\.?0*x)){_NUMBER}x", re.ASCII)
_TOKEN: Final = re.compile(r"(?:[^\t\n\f\r (]|\([^)]*+(?:\)|\Z))++")


def srcset_urls(value: str) -> list[str]:
    """The candidates' URLs, unresolved, in order; candidates with descriptors that are no descriptors are left out."""
    urls: list[str] = []
    position = 0
    while len(urls) < SRCSET_CANDIDATES_MAX:
        lead = _LEAD.match(value, position)
        found = _URL.match(value, lead.end() if lead else position)
        if found is None:
            break
        url, position = found[0], found.end()
        if url.endswith(","):
            urls.append(url.rstrip(","))
            continue
        rest = _DESCRIPTORS.match(value, position)
        position = rest.end() if rest else len(value)
        if _valid((rest[0] if rest else "").removesuffix(",")):
            urls.append(url)
    return urls


def _valid(text: str) -> bool:
    """Whether the descriptors make a candidate: at most one of width and density, a height only with a width."""
    counts = {"w": 0, "x": 0, "h": 0}
    for token in _TOKEN.findall(text.strip(_WHITE)):
        if _WIDTH.fullmatch(token) or _HEIGHT.fullmatch(token) or _DENSITY.fullmatch(token):
            counts[token[-1]] += 1
        else:
            return False
    if max(counts.values()) > 1 or (counts["w"] and counts["x"]):
        return False
    return not counts["h"] or (counts["w"] == 1)
