"""The parser on turbohtml: a native HTML5 tree, read in one pass over the elements that matter.

The tree decides what is markup: comments, scripts and raw text give no links, `noscript` is read (scripting is off),
and the contents of `template` belong to no document. The rules themselves are in core/page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import turbohtml
import turbohtml.saxparse

from gossamer.core.limits import (
    HTML_DEPTH_COMMON,
    HTML_DEPTH_MAX,
    HTML_NODES_MAX,
    LINK_ROWS_PER_PAGE_MAX,
    TITLE_CHARACTERS_MAX,
)
from gossamer.core.page import json_ld
from gossamer.core.page.charset import decode
from gossamer.core.page.directives import read_directives
from gossamer.core.page.document import Document
from gossamer.core.page.expansion import nodes_at_most, tags_at_most
from gossamer.core.page.known_references import KnownReferences
from gossamer.core.page.link_columns import LinkColumns, folded
from gossamer.core.page.link_rules import ELEMENT_RULES, RARE_RULES, SRCSET_ELEMENTS, LinkRule, flags_of, kind_of_link
from gossamer.core.page.links import LinkKind
from gossamer.core.page.refresh import parse_refresh
from gossamer.core.page.srcset import srcset_urls
from gossamer.core.page.xhtml import as_html
from gossamer.core.url.parse import host_of, resolve_all

TOO_DEEP: Final = "nested too deep"
TOO_MANY_ELEMENTS: Final = "too many elements"

_DEEPER_THAN_COMMON: Final = " > ".join(["*"] * HTML_DEPTH_COMMON + [":first-child"])
"""An element that deep. Where there is one, its parent's first child is as deep: only first children are looked at."""
_LANGUAGE: Final = re.compile(r"[A-Za-z]{1,8}(?:[-_][A-Za-z0-9]{1,8}){0,5}")
_NO_BASE: Final = frozenset({"invalid", "too long", "data", "javascript"})
"""Why a base's href is not taken (HTML standard section 4.2.3, "set the frozen base URL")."""
_TEXT_COPIES_MAX: Final = 2
"""Times the page's length that link texts may add up to: links inside links would copy it once each."""


class TurboParser:
    """Reads HTML with turbohtml. One serves a whole worker: it remembers how references were resolved, nothing else."""

    def __init__(self) -> None:
        self._known = KnownReferences()

    def parse(self, body: bytes, url: str, content_type: str, robots_tags: tuple[str, ...]) -> Document:
        """As ports/parser.py says."""
        text, encoding, problem = decode(body, content_type, _tld(url))
        document = Document(charset=encoding, base=url, malformed=problem)
        if not problem:
            written, text = text, as_html(text, content_type)
            tags = tags_at_most(text, body, encoding) if text is written else text.count("<")
            if nodes_at_most(text, tags) > HTML_NODES_MAX:
                document.malformed = TOO_MANY_ELEMENTS
            else:
                tree = turbohtml.parse(text, positions=False, allow_declarative_shadow_roots=False)
                if not _is_too_deep(tree, text, tags):
                    _read(tree, document, len(text), robots_tags, self._known)
                    return document
                document.malformed = TOO_DEEP
        document.directives = read_directives((), robots_tags)
        return document


def _read(
    tree: turbohtml.Document, document: Document, characters: int, robots_tags: tuple[str, ...], known: KnownReferences
) -> None:
    """Fill `document` with what `tree`, made from so many characters, says."""
    rare = _rare_rules(tree)
    reading = _Reading(characters * _TEXT_COPIES_MAX)
    reading.walk(tree, rare)
    if reading.has_template:
        tree.remove("template")
        reading = _Reading(characters * _TEXT_COPIES_MAX)
        reading.walk(tree, rare)
    document.title = reading.title
    document.language = reading.language or reading.pragma_language
    document.directives = read_directives(reading.named, robots_tags)
    if reading.base is not None:
        document.base = _resolved_base(reading.base, document.base)
    document.links = reading.columns.resolve(document.base, document.charset, known)


def _tld(url: str) -> str:
    return host_of(url).rpartition(".")[2] if url.startswith("http") else ""


def _is_too_deep(tree: turbohtml.Document, text: str, tags: int) -> bool:
    """Whether elements nest beyond HTML_DEPTH_MAX (the parser itself stops just there). `tags`: at most so many."""
    # A tag opens two elements at most: `<td>` in a table brings its row, say.
    if tags * 2 < HTML_DEPTH_MAX or tree.select_one(_DEEPER_THAN_COMMON) is None:
        return False
    # A selector walks up from every element, which a deep and wide page makes slow; counting events does not.
    depth = _Depth()
    turbohtml.saxparse.sax_parse(text, depth)
    return depth.deepest > HTML_DEPTH_MAX


def _rare_rules(tree: turbohtml.Document) -> dict[str, tuple[LinkRule, ...]]:
    """The rules for elements that are seldom links, where one of them has the attribute that makes it one.

    The tree knows its elements by name: this costs a microsecond for each name, and no look at all others.
    """
    found: dict[str, tuple[LinkRule, ...]] = {}
    for selector, rules in RARE_RULES.items():
        if tree.select_one(selector) is not None:
            found.update(rules)
    return found


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


class _Reading:
    """What one walk over a tree gathers."""

    __slots__ = ("_text_budget", "base", "columns", "has_template", "language", "named", "pragma_language", "title")

    def __init__(self, text_budget: int) -> None:
        self.columns = LinkColumns()
        self.title = ""
        self.language = ""
        self.pragma_language = ""
        self.base: str | None = None
        """As the first base with an href has it."""
        self.named: list[tuple[str, str]] = []
        """Name and content of each meta with a name."""
        self.has_template = False
        self._text_budget = text_budget

    def walk(self, tree: turbohtml.Document, rare: dict[str, tuple[LinkRule, ...]]) -> None:
        """Visit the elements that may say something, in document order; `rare` has the rules of further ones."""
        columns, budget = self.columns, self._text_budget
        references, texts = columns.references, columns.texts
        some_rel = tree.select_one("a[rel]") is not None
        for element in tree.iter_elements((*_READ_TAGS, *rare) if rare else _READ_TAGS):
            tag = element.tag
            if tag == "a":
                # Most of a page's links: read on the spot.
                attribute = element.attr
                href = attribute("href")
                if href is None:
                    href = attribute("xlink:href")
                if href is not None:
                    rel = attribute("rel") if some_rel else None
                    text = element.text if budget > 0 else ""
                    budget -= len(text)
                    if not text or text.isspace():
                        text = _description(element)
                    if rel or len(references) >= LINK_ROWS_PER_PAGE_MAX:
                        columns.add(href, LinkKind.A, flags_of(rel or ""), text)
                    else:
                        references.append(href)
                        texts.append(text)
            elif tag in _LINK_READERS:
                _LINK_READERS[tag](element, columns)
            elif tag in _PAGE_READERS:
                _PAGE_READERS[tag](self, element)
            if tag in rare:
                _add_by_rules(element, rare[tag], columns)

    def read_title(self, element: turbohtml.Element) -> None:
        """The first title counts; a picture's title (SVG) is none."""
        if not self.title and element.namespace is turbohtml.Namespace.HTML:
            self.title = folded(element.text, TITLE_CHARACTERS_MAX)

    def read_root(self, element: turbohtml.Element) -> None:
        """The language of the root element (HTML standard section 3.2.6.2)."""
        self.language = self.language or _language(element.attr("lang") or element.attr("xml:lang") or "")

    def read_base(self, element: turbohtml.Element) -> None:
        """The first base with an href counts, even where it is refused."""
        if self.base is None:
            self.base = element.attr("href")

    def read_template(self, element: turbohtml.Element) -> None:  # noqa: ARG002
        """Contents of a template are no part of the document, though they are in the tree."""
        self.has_template = True

    def read_meta(self, element: turbohtml.Element) -> None:
        """Directives, a refresh, the language pragma."""
        content = element.attr("content")
        if not content:
            return
        name = element.attr("name")
        if name:
            self.named.append((name, content))
        pragma = (element.attr("http-equiv") or "").strip().lower()
        if pragma == "refresh":
            # Without a URL the page itself is loaded again, which leads nowhere.
            refresh = parse_refresh(content)
            if refresh is not None and refresh.url:
                self.columns.add(refresh.url, LinkKind.REFRESH, 0, "")
        elif pragma == "content-language":
            self.pragma_language = self.pragma_language or _language(content)


def _language(tag: str) -> str:
    tag = tag.strip()
    return tag if _LANGUAGE.fullmatch(tag) else ""


def _resolved_base(href: str, url: str) -> str:
    """The URL to resolve against, for the href of the page's base."""
    resolved, dropped = resolve_all(url, [href])
    if resolved[0]:
        return resolved[0]
    # Against a base of another scheme (ftp:) relative references are that scheme's, so none of ours.
    return url if _NO_BASE & dropped.keys() else href.strip()


def _description(element: turbohtml.Element) -> str:
    """What describes a link without text: its own title, or the first picture in it."""
    title = element.attr("title")
    if title:
        return title
    image = element.find("img")
    return (image.attr("alt") or "") if image is not None else ""


def _read_by_rules(element: turbohtml.Element, columns: LinkColumns) -> None:
    tag = element.tag
    _add_by_rules(element, ELEMENT_RULES[tag], columns)
    if tag in SRCSET_ELEMENTS:
        source = element.attr("src")
        for candidate in srcset_urls(element.attr("srcset") or ""):
            if candidate != source:
                columns.add(candidate, LinkKind.IMAGE, 0, "")


def _add_by_rules(element: turbohtml.Element, rules: tuple[LinkRule, ...], columns: LinkColumns) -> None:
    for attribute, kind, text_attribute in rules:
        value = element.attr(attribute)
        if value:
            columns.add(value, kind, 0, element.attr(text_attribute) or "" if text_attribute else "")


def _read_area(element: turbohtml.Element, columns: LinkColumns) -> None:
    href = element.attr("href")
    if href is not None:
        columns.add(href, LinkKind.AREA, flags_of(element.attr("rel") or ""), element.attr("alt") or "")


def _read_link(element: turbohtml.Element, columns: LinkColumns) -> None:
    """An empty href makes no link (HTML standard section 4.6.7.1, "create a link element request" fails)."""
    href = element.attr("href")
    if href:
        rel = element.attr("rel") or ""
        kind = kind_of_link(rel, element.attr("type") or "")
        columns.add(href, kind, flags_of(rel), element.attr("title") or "")
    candidates = element.attr("imagesrcset")
    if candidates:
        for candidate in srcset_urls(candidates):
            if candidate != href:
                columns.add(candidate, LinkKind.IMAGE, 0, "")


def _read_form(element: turbohtml.Element, columns: LinkColumns) -> None:
    """A form that asks by GET leads to pages; one without an action leads to its own."""
    action = element.attr("action")
    if action and (element.attr("method") or "get").strip().lower() not in ("post", "dialog"):
        columns.add(action, LinkKind.FORM, 0, element.attr("name") or "")


def _read_button(element: turbohtml.Element, columns: LinkColumns) -> None:
    """A button may send its form elsewhere (section 4.10.18.6, `formaction`)."""
    action = element.attr("formaction")
    if action and (element.attr("formmethod") or "get").strip().lower() not in ("post", "dialog"):
        columns.add(action, LinkKind.FORM, 0, element.attr("name") or "")


def _read_input(element: turbohtml.Element, columns: LinkColumns) -> None:
    _read_by_rules(element, columns)
    _read_button(element, columns)


def _read_script(element: turbohtml.Element, columns: LinkColumns) -> None:
    """A script of HTML or SVG, or a block of linked data."""
    source = element.attr("src") or element.attr("href") or element.attr("xlink:href")
    if source:
        columns.add(source, LinkKind.SCRIPT, 0, "")
    elif (element.attr("type") or "").partition(";")[0].strip().lower() == json_ld.MEDIA_TYPE:
        for url in json_ld.json_ld_urls(element.text):
            columns.add(url, LinkKind.JSON_LD, 0, "")


_LINK_READERS: Final[dict[str, Callable[[turbohtml.Element, LinkColumns], None]]] = {
    **dict.fromkeys(ELEMENT_RULES, _read_by_rules),
    "area": _read_area,
    "link": _read_link,
    "form": _read_form,
    "button": _read_button,
    "input": _read_input,
    "script": _read_script,
}
_PAGE_READERS: Final[dict[str, Callable[[_Reading, turbohtml.Element], None]]] = {
    "html": _Reading.read_root,
    "base": _Reading.read_base,
    "title": _Reading.read_title,
    "meta": _Reading.read_meta,
    "template": _Reading.read_template,
}
_READ_TAGS: Final = ("a", *_LINK_READERS, *_PAGE_READERS)
