"""XHTML read as HTML: empty elements that would swallow the page behind them.

In XML `<script src="x"/>` is a whole element. HTML knows no such ending: its parser takes all that follows for the
script's text. A page that is sent as XHTML gets the end tags that HTML needs; no other page is touched, as in browsers.
"""

from __future__ import annotations

import re
from typing import Final

MEDIA_TYPE: Final = "application/xhtml+xml"
_EMPTY: Final = re.compile(
    r"<(script|style|title|textarea|iframe|noframes|noembed|xmp)((?:[\t\n\r ][^<]*?)?)/>", re.IGNORECASE | re.ASCII
)
"""The elements whose content is text to an HTML parser. XML has no "<" within an attribute, which bounds the search."""


def as_html(text: str, content_type: str) -> str:
    """The text of a page as an HTML parser may read it; `content_type` is the header as received."""
    if content_type.partition(";")[0].strip().lower() != MEDIA_TYPE:
        return text
    return _EMPTY.sub(_closed, text)


def _closed(tag: re.Match[str]) -> str:
    name, rest = tag.groups()
    # A ">" outside of quotes ended the tag before: then "/>" is none of its own.
    outside = re.sub(r"\"[^\"]*\"|'[^']*'", "", rest)
    return tag[0] if ">" in outside else f"<{name}{rest}></{name}>"
