from __future__ import annotations

import pytest
import turbohtml
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.limits import HTML_NODES_MAX
from gossamer.core.page import expansion
from gossamer.core.page.expansion import nodes_at_most, tags_at_most

FONTS = "<p>" + "".join(f"<font size={number}>" for number in range(490))

BOMBS = {
    "unclosed fonts": FONTS + "<p>x" * 5000,
    "an object hides the end tag": "<p>"
    + "".join(f"<b id={n}><object></b></object>" for n in range(490))
    + "<p>" * 5000,
    "quotes hide the attributes": "<p>" + "".join(f'<b a=1 b=">{n}">' for n in range(490)) + "<p>x" * 5000,
    "quotes of both kinds hide the attributes": "<p>"
    + "".join(f'<b a=\'"\' b=">{n}">' for n in range(490))
    + "<p>x" * 5000,
    "comments hide the end tag": "<p>" + "".join(f"<b id={n}><!--</b>-->" for n in range(490)) + "<p>x" * 5000,
    "attributes hide the end tag": "<p>" + "".join(f"<b id={n}><x a='</b>'>" for n in range(490)) + "<p>x" * 5000,
    "scripts hide the end tag": "<p>" + "".join(f"<b id={n}><script></b></script>" for n in range(490)) + "<p>x" * 5000,
    "a table hides the end tag": "<p>" + "".join(f"<b id={n}><table></b></table>" for n in range(490)) + "<p>x" * 5000,
    "a drawing hides the end tag": "<p>"
    + "".join(f"<b id={n}><svg><desc></b></desc></svg>" for n in range(490))
    + "<p>x" * 5000,
    "many blocks keep the element": "<p>"
    + "".join(f"<b id={n}>{'<div>' * 9}</b>{'</div>' * 9}" for n in range(490))
    + "<p>x" * 5000,
    "long attributes": "<p>" + "".join(f"<i title='{'x' * 600}{n}'>" for n in range(490)) + "<p>x" * 5000,
    "other case": FONTS.upper() + "<P>x" * 5000,
    "too many tags": "<p>" * (HTML_NODES_MAX + 1),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_seen(name: str) -> None:
    assert nodes_at_most(BOMBS[name]) > HTML_NODES_MAX


ORDINARY = {
    "closed code": '<p><code class="a b">x</code> and <em>y</em>' * 20_000,
    "many different, closed": "".join(f"<p><code id=x{number}>x</code>" for number in range(20_000)),
    "unclosed, but alike": '<p><font size="2">' * 20_000,
    "cells": "<table>" + "".join(f"<tr><td><b id=c{number}>x</b><td>y" for number in range(20_000)),
    "small": FONTS,
    "closed around spans": '<p><code class="a b"><span class="pre">x</span></code> ' * 60_000,
    "icons": "".join(
        f'<p><i id=i{n}><svg viewBox="0 0 1 1"><title>x</title><path d="M0 0"/></svg></i>' for n in range(20_000)
    ),
    "in cells that nothing closes": "".join(
        f"<table><tr><td><b id={n}><a href=x>x</a></b><td><select><option>y</select><!-- </b> --></table>"
        for n in range(20_000)
    ),
    "scripts between": "".join(
        f"<p><b id={n}><a title='a > b'>x</a></b><script>if (a < b) '</b>'</script>" for n in range(20_000)
    ),
    "wide characters": "\U0001f600<p><code class='a'>\u0142</code>" * 20_000,
}


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_pages_pass(name: str) -> None:
    assert nodes_at_most(ORDINARY[name]) <= HTML_NODES_MAX


@pytest.mark.parametrize("first", ["", "\u00e9", "\u0142", "\U0001f600", "\ud800"])
@pytest.mark.parametrize("tag", ["<b>", "<B\n>", "<bIg/>", "<code id='x'>", "<STRONG>", "<tt >", "<font"])
def test_start_tags_are_found_whatever_characters_stand_before(first: str, tag: str) -> None:
    text = f"<p>{first}{tag} </p> <body>"
    assert [text[start : start + len(tag)] for start in expansion._beginnings(text)] == [tag]


@pytest.mark.parametrize(
    ("text", "left_open"),
    [
        ("<b>x</b>", set[str]()),
        ('<code class="a"><span class="pre">x</span> y</code>', set[str]()),
        ("<b>x</i></b>", {"<b>"}),
        ("<b>x<p></b>", {"<b>"}),
        ("<b a='</b>'>x", {"<b a='</b>"}),
        ('<b a=">x</b>">', {'<b a=">'}),
        ("<b><!--</b>-->", {"<b>"}),
        ("<body>x", set[str]()),
    ],
)
def test_only_what_certainly_closes_at_once_is_left_out(text: str, left_open: set[str]) -> None:
    assert expansion._distinct_left_open(text, expansion._beginnings(text).tolist()) == left_open


PIECES = [
    "<p>",
    "</p>",
    "<b x=1>",
    "<b x=2>",
    "<i y=1>",
    "</b>",
    "</i>",
    "<td>",
    "</td>",
    "<table>",
    "</table>",
    "<div>",
]
PIECES += [
    "<!--",
    "-->",
    "<!-->",
    "--!>",
    "<x a='",
    "'>",
    '<x a="',
    '">',
    "<x a=",
    ">",
    "<script>",
    "</script>",
    "<!",
    "</ ",
]
PIECES += [
    "<svg>",
    "</svg>",
    "<desc>",
    "<title>",
    "</title>",
    "<select>",
    "</select>",
    "<textarea>",
    "</textarea>",
    "<style>",
]
PIECES += [
    "</style>",
    "<template>",
    "</template>",
    "<caption>",
    "</caption>",
    "<tr>",
    "<plaintext>",
    "<div>" * 9,
    "</div>" * 9,
]
PIECES += ["</div>", "<object>", "</object>", "<font a='>'>", "</font>", "x", "<code id=1>", "<u>"]


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_the_estimate_is_no_less_than_the_tree(pieces: list[str]) -> None:
    text = "".join(pieces)
    elements = sum(1 for _ in turbohtml.parse(text).iter_elements())
    # html, head, body; a table's body and row; three clones at most for each end tag that closes out of order.
    implied = 3 + 2 * text.count("<t") + 3 * text.count("</")
    assert elements <= text.count("<") + expansion._reopened(text) + implied


@given(
    st.text("<a>\u00e9\u2019\U0001f600", max_size=40),
    st.sampled_from(["utf-8", "windows-1252", "utf-16le", "iso-2022-jp"]),
)
def test_tags_are_never_counted_short(text: str, encoding: str) -> None:
    body = text.encode(encoding, "ignore")
    read = body.decode(encoding, "replace")
    assert tags_at_most(read, body, encoding) >= read.count("<")


@pytest.mark.parametrize("letters", ["a", "\u00e9", "\u2019", "\u2019\U0001f600"])
def test_bounds_do_not_depend_on_how_wide_characters_are(letters: str) -> None:
    """What a page is judged by is where its tags stand among its characters."""
    page = "<font color={}>{}" + "<p>x</p>" * 3_000
    plain = "".join(page.format(number, "a" * len(letters)) for number in range(3))
    assert nodes_at_most(plain.replace("a" * len(letters) + "<p>", letters + "<p>")) == nodes_at_most(plain)
