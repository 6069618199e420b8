"""The parser on turbohtml: a native HTML5 tree, read in one pass over the elements that matter.

The tree decides what is markup: comments, scripts and raw text give no links, `noscript` is read (scripting is off),
and the contents of `template` belong to no document. The rules themselves are in core/page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import turbohtml
import turbohtml.saxparse

from gossamer.core.limits import HTML_DEPTH_COMMON, HTML_DEPTH_MAX, HTML_NODES_MAX, TITLE_CHARACTERS_MAX
from gossamer.core.page.charset import decode
from gossamer.core.page.directives import read_directives
from gossamer.core.page.document import Document
from gossamer.core.page.expansion import nodes_at_most
from gossamer.core.page.link_columns import LinkColumns, folded
from gossamer.core.page.link_rules import ELEMENT_RULES, SRCSET_ELEMENTS, flags_of, kind_of_link
from gossamer.core.page.links import LinkKind
from gossamer.core.page.refresh import parse_refresh
from gossamer.core.page.srcset import srcset_urls
from gossamer.core.url.parse import host_of, resolve_all

TOO_DEEP: Final = "nested too deep"
TOO_MANY_ELEMENTS: Final = "too many elements"

_READ_TAGS: Final = ("a", *ELEMENT_RULES, "html", "base", "title", "meta", "link", "form", "template")
_DEEPER_THAN_COMMON: Final = " > ".join(["*"] * (HTML_DEPTH_COMMON + 1))
_LANGUAGE: Final = re.compile(r"[A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8}){0,5}")
_NO_BASE: Final = frozenset({"invalid", "too long", "data", "javascript"})
"""Why a base's href is not taken (HTML standard section 4.2.3, "set the frozen base URL")."""
_TEXT_COPIES_MAX: Final = 2
"""Times the page's length that link texts may add up to: links inside links would copy it once each."""


class TurboParser:
    """Reads HTML with turbohtml. Stateless; one serves a whole worker."""

    def parse(self, body: bytes, url: str, content_type: str, robots_tags: tuple[str, ...]) -> Document:
        """As ports/parser.py says."""
        text, encoding, problem = decode(body, content_type, _tld(url))
        document = Document(charset=encoding, base=url, directives=read_directives((), robots_tags), malformed=problem)
        if problem:
            return document
        if nodes_at_most(text) > HTML_NODES_MAX:
            document.malformed = TOO_MANY_ELEMENTS
            return document
        tree = turbohtml.parse(text, positions=False, allow_declarative_shadow_roots=False)
        if _is_too_deep(tree, text):
            document.malformed = TOO_DEEP
            return document
        _read(tree, document, len(text), robots_tags)
        return document


def _read(tree: turbohtml.Document, document: Document, characters: int, robots_tags: tuple[str, ...]) -> None:
    """Fill `document` with what `tree` says."""
    elements, tags = _elements(tree)
    metas = [element for element, tag in zip(elements, tags, strict=True) if tag == "meta"]
    document.title = _title([element for element, tag in zip(elements, tags, strict=True) if tag == "title"])
    document.language = _language(elements, metas)
    named = [(element.attr("name") or "", element.attr("content") or "") for element in metas]
    document.directives = read_directives(named, robots_tags)
    if "base" in tags:
        document.base = _base(tree, document.base)
    columns = LinkColumns()
    text_budget = characters * _TEXT_COPIES_MAX
    for element, tag in zip(elements, tags, strict=True):
        if tag == "a":
            text_budget -= _read_anchor(element, columns, text_budget)
        elif tag in _READERS:
            _READERS[tag](element, columns)
    document.links = columns.resolve(document.base, document.charset)


def _elements(tree: turbohtml.Document) -> tuple[list[turbohtml.Element], list[str]]:
    """The elements that may say something, in document order, without those inside templates; and their names."""
    elements = list(tree.iter_elements(_READ_TAGS))
    tags = [element.tag for element in elements]
    if "template" in tags:
        tree.remove("template")
        elements = list(tree.iter_elements(_READ_TAGS))
        tags = [element.tag for element in elements]
    return elements, tags


def _tld(url: str) -> str:
    return host_of(url).rpartition(".")[2] if url.startswith("http") else ""


def _is_too_deep(tree: turbohtml.Document, text: str) -> bool:
    """Whether elements nest beyond HTML_DEPTH_MAX (the parser itself stops just there)."""
    if text.count("<") <= HTML_DEPTH_COMMON or tree.select_one(_DEEPER_THAN_COMMON) is None:
        return False
    # A selector walks up from every element, which a deep and wide page makes slow; counting events does not.
    depth = _Depth()
    turbohtml.saxparse.sax_parse(text, depth)
    return depth.deepest > HTML_DEPTH_MAX


class _Depth(turbohtml.saxparse.SaxHandler):
    """Measures the deepest nesting."""

    def __init__(self) -> None:
        self.deepest = 0
        self._depth = 0

    def start_element(self, tag: str, attrs: tuple[tuple[str, str | None], ...]) -> None:  # noqa: ARG002
        """One level down."""
        self._depth += 1
        self.deepest = max(self.deepest, self._depth)

    def end_element(self, tag: str) -> None:  # noqa: ARG002
        """One level up."""
        self._depth -= 1


def _title(titles: Sequence[turbohtml.Element]) -> str:
    """The document's title; a picture's title (SVG) is none."""
    html = (title for title in titles if title.namespace is turbohtml.Namespace.HTML)
    title = next(html, None)
    return "" if title is None else folded(title.text, TITLE_CHARACTERS_MAX)


def _language(elements: Sequence[turbohtml.Element], metas: Sequence[turbohtml.Element]) -> str:
    """The language tag of the root, or of the content-language pragma (HTML standard section 3.2.6.2); "" if none."""
    candidates = [element.attr("lang") or element.attr("xml:lang") or "" for element in elements[:1]]
    candidates += [meta.attr("content") or "" for meta in metas if _pragma(meta) == "content-language"]
    return next((tag.strip() for tag in candidates if _LANGUAGE.fullmatch(tag.strip())), "")


def _pragma(meta: turbohtml.Element) -> str:
    return (meta.attr("http-equiv") or "").strip().lower()


def _base(tree: turbohtml.Document, url: str) -> str:
    """The URL to resolve against: the first base with an href counts, even where it is refused."""
    base = tree.select_one("base[href]")
    href = base.attr("href") if base is not None else None
    if href is None:
        return url
    resolved, dropped = resolve_all(url, [href])
    if resolved[0]:
        return resolved[0]
    # Against a base of another scheme (ftp:) relative references are that scheme's, so none of ours.
    return url if _NO_BASE & dropped.keys() else href.strip()


def _read_anchor(element: turbohtml.Element, columns: LinkColumns, text_budget: int) -> int:
    """Read an `a` of HTML or SVG; the number of characters of its text."""
    href = element.attr("href")
    if href is None:
        href = element.attr("xlink:href")
        if href is None:
            return 0
    rel = element.attr("rel")
    text = element.text if text_budget > 0 else ""
    if text and not text.isspace():
        columns.add(href, LinkKind.A, flags_of(rel) if rel else 0, text)
    else:
        columns.add(href, LinkKind.A, flags_of(rel) if rel else 0, _description(element))
    return len(text)


def _description(element: turbohtml.Element) -> str:
    """What describes a link without text: its own title, or the first picture in it."""
    title = element.attr("title")
    if title:
        return title
    image = element.find("img")
    return (image.attr("alt") or "") if image is not None else ""


def _read_by_rules(element: turbohtml.Element, columns: LinkColumns) -> None:
    tag = element.tag
    for attribute, kind, text_attribute in ELEMENT_RULES[tag]:
        value = element.attr(attribute)
        if value:
            columns.add(value, kind, 0, element.attr(text_attribute) or "" if text_attribute else "")
    if tag in SRCSET_ELEMENTS:
        for candidate in srcset_urls(element.attr("srcset") or ""):
            columns.add(candidate, LinkKind.IMAGE, 0, "")


def _read_area(element: turbohtml.Element, columns: LinkColumns) -> None:
    href = element.attr("href")
    if href is not None:
        columns.add(href, LinkKind.AREA, flags_of(element.attr("rel") or ""), element.attr("alt") or "")


def _read_link(element: turbohtml.Element, columns: LinkColumns) -> None:
    """An empty href makes no link (HTML standard section 4.6.7.1, "create a link element request" fails)."""
    href = element.attr("href")
    if href:
        rel = element.attr("rel") or ""
        columns.add(href, kind_of_link(rel), flags_of(rel), element.attr("title") or "")


def _read_meta(element: turbohtml.Element, columns: LinkColumns) -> None:
    """A refresh without a URL loads the page itself again and leads nowhere."""
    refresh = parse_refresh(element.attr("content") or "") if _pragma(element) == "refresh" else None
    if refresh is not None and refresh.url:
        columns.add(refresh.url, LinkKind.REFRESH, 0, "")


def _read_form(element: turbohtml.Element, columns: LinkColumns) -> None:
    """A form that asks by GET leads to pages; one without an action leads to its own."""
    action = element.attr("action")
    if action and (element.attr("method") or "get").strip().lower() not in ("post", "dialog"):
        columns.add(action, LinkKind.FORM, 0, element.attr("name") or "")


_READERS: Final[dict[str, Callable[[turbohtml.Element, LinkColumns], None]]] = {
    **dict.fromkeys(ELEMENT_RULES, _read_by_rules),
    "area": _read_area,
    "link": _read_link,
    "meta": _read_meta,
    "form": _read_form,
}
"""How each element is read; `a`, by far the most frequent, is read apart."""
