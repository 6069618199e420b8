"""Where a redirect leads: the Location field resolved as browsers do (RFC 9110 section 10.2.2, WHATWG URL)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from gossamer.core.http.headers import Field, field_values
from gossamer.core.url.parse import resolve_all

if TYPE_CHECKING:
    from collections.abc import Sequence

REDIRECT_STATUSES: Final = frozenset({301, 302, 303, 307, 308})
"""The statuses that redirect. 300 offers a choice, 304 answers a condition, 305 and 306 are dead."""

_HIGH: Final = re.compile(r"[\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Redirect:
    """`target` is an absolute http or https URL without fragment; empty when the answer leads nowhere.

    `problem` says why a Location could not be followed; empty with an empty target means a plain answer.
    """

    target: str = ""
    problem: str = ""


def redirect_target(status: int, headers: Sequence[Field], url: str) -> Redirect:
    """Where an answer to `url` redirects. Never raises.

    A redirect status without Location, or with an empty one, is a plain answer, as in browsers. Several different
    Location fields lead nowhere: a sign of header injection, which browsers refuse too.
    """
    if status not in REDIRECT_STATUSES:
        return Redirect()
    locations = {value for value in field_values(headers, "location") if value}
    if not locations:
        return Redirect()
    if len(locations) > 1:
        return Redirect(problem="conflicting Location")
    (target,), dropped = resolve_all(url, [_as_text(locations.pop())])
    if not target:
        return Redirect(problem=f"Location is {next(iter(dropped))}")
    return Redirect(target=target)


def _as_text(location: str) -> str:
    """Field bytes (as latin-1) to text: UTF-8 if they are UTF-8, otherwise every high byte is percent-encoded."""
    if location.isascii():
        return location
    try:
        return location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return _HIGH.sub(lambda match: f"%{ord(match.group()):02X}", location)
