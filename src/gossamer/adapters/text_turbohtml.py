"""The readable text of a page, on turbohtml: blocks apart, lists under their bullets, tables as a grid."""

from __future__ import annotations

import re
from typing import Final

import turbohtml

from gossamer.core.limits import HTML_NODES_MAX
from gossamer.core.page.charset import decode
from gossamer.core.page.expansion import nodes_at_most
from gossamer.core.page.xhtml import as_html
from gossamer.core.url.parse import host_of

_HTML: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXTUAL: Final = re.compile(r"text/.*|application/(?:.*\+)?(?:json|xml)|application/(?:javascript|x-ndjson)")


def page_text(body: bytes, url: str, content_type: str, media_type: str) -> str:
    """What a reader sees of a decoded body; "" where that is nothing: a picture, an archive, an unreadable page.

    `content_type` is the header as received; `media_type` its essence, as the crawl understood it.
    """
    if media_type not in _HTML and _TEXTUAL.fullmatch(media_type) is None:
        return ""
    text, _, problem = decode(body, content_type, host_of(url).rpartition(".")[2] if url.startswith("http") else "")
    if problem or media_type not in _HTML:
        return text
    text = as_html(text, content_type)
    if nodes_at_most(text) > HTML_NODES_MAX:
        return ""
    tree = turbohtml.parse(text, positions=False, allow_declarative_shadow_roots=False)
    tree.remove("title, template")
    return tree.to_text().strip()
