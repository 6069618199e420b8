"""What the pages of shared/data/link-extraction name: the project's own table, each row read off its page by hand.

Pages are taken to stand at `http://page.test/dir/` and their own name; those of the archive have URLs of their own.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Count(NamedTuple):
    """What a longer page names, counted with grep; first and last of its `a` links."""

    anchors: int
    others: int
    first: str
    last: str


HERE: Final = "http://page.test/dir/"
EXAMPLE: Final = "http://example.com/"
VIDEO: Final = "https://archive.org/download/WebmVp8Vorbis/"
FACEBOOK: Final = "https://www.facebook.com/facebook"
ARCHIVED: Final = "webarchive-commons/link-extraction-test.warc"

NOTHING: Final[tuple[str, ...]] = ()
HOME: Final = (f"{HERE}index.html",)
PAGES: Final[dict[str, tuple[str, ...] | Count]] = {
    "nutch/fetch-test-site/dup_of_pagea.html": HOME,
    "nutch/fetch-test-site/exception.html": NOTHING,
    "nutch/fetch-test-site/index.html": (f"{HERE}pagea.html", f"{HERE}pageb.html", f"{HERE}dup_of_pagea.html"),
    "nutch/fetch-test-site/nested_spider_trap.html": NOTHING,
    "nutch/fetch-test-site/pagea.html": HOME,
    "nutch/fetch-test-site/pageb.html": HOME,
    "nutch/parse_embedded_js_test.html": Count(43, 14, "http://www.apache.org/", "http://www.apache.org/licenses/"),
    "nutch/testMetatags.html": NOTHING,
    "nutch/testMultivalueMetatags.html": NOTHING,
    "scrapy/linkextractor.html": (
        f"{EXAMPLE}sample1.html",
        f"{EXAMPLE}sample2.html",
        f"{EXAMPLE}sample2.jpg",
        *[f"{EXAMPLE}sample3.html"] * 4,
        "http://www.google.com/something",
        f"{EXAMPLE}innertag.html",
        f"{EXAMPLE}page%204.html",
    ),
    # Declared as latin-1 and written as UTF-8.
    "scrapy/linkextractor_latin1.html": (
        f"{EXAMPLE}sample_%C3%B1.html",
        f"{EXAMPLE}sample2.jpg",
        f"{EXAMPLE}sample_%C3%A1.html",
        f"{EXAMPLE}sample_%C3%B6.html?price=%C2%A332&%C2%B5=unit",
        f"{EXAMPLE}sample3.jpg",
    ),
    "scrapy/linkextractor_no_href.html": (
        f"{EXAMPLE}author/Albert-Einstein",
        *(f"{EXAMPLE}page/{number}/" for number in (1, 3, 4)),
    ),
    "scrapy/linkextractor_noenc.html": (
        f"{EXAMPLE}sample_%C3%B1.html",
        f"{EXAMPLE}sample2.jpg",
        f"{EXAMPLE}sample_%E2%82%AC.html",
    ),
    "stormcrawler/duplicateLinks.html": ("http://stormcrawler.net/",) * 2,
    "stormcrawler/javascriptLinks.html": (f"{HERE}mylink",),
    "stormcrawler/redir.html": ("http://www.somesite.com/site",),
    "stormcrawler/stackexception.html": Count(34, 0, "", ""),
    "stormcrawler/stormcrawler.apache.org.html": Count(
        26, 12, "http://page.test/", "https://www.apache.org/foundation/sponsors"
    ),
}
"""By file: every link in document order, or their number."""

ARCHIVED_PAGES: Final[dict[str, tuple[str, ...]]] = {
    "http://www.example.com/html4.html": (
        "http://www.example.com/redirected.html",
        "http://www.example.com/background.jpg",
        "http://www.example.com/a-href.html",
        "http://www.example.com/",
        "http://www.example.com/image.png",
        "http://www.example.com/image.gif",
        f"{EXAMPLE}image-description.html",
        "http://www.example.com/helloworld.swf",
        "http://www.example.com/shakespeare.html",
        "http://www.example.com/shakespeare-long.html",
    ),
    "http://www.example.com/link-extraction-test-html5-video.html": (
        "http://www.example.com/video.html",
        "http://www.example.com/video.rss",
        f"{VIDEO}webmvp8.gif",
        f"{VIDEO}webmvp8.webm",
        f"{VIDEO}webmvp8_512kb.mp4",
        f"{VIDEO}webmvp8.ogv",
    ),
    "http://www.example.com/poor_html5.html": ("http://www.example.com/",),
    "http://www.example.com/fb-video.html": (
        f"{FACEBOOK}/videos/10153231379946729/",
        f"{FACEBOOK}/videos/10153231379946729/",
        f"{FACEBOOK}/",
    ),
    # Links in data- attributes are none (HTML standard 3.2.6.6): they are private to the page's scripts.
    "http://www.example.com/data-href.examples.html": (
        "http://www.example.com/standard.css",
        f"{FACEBOOK}/videos/10153231379946729/",
        f"{FACEBOOK}/videos/10153231379946729/",
        f"{FACEBOOK}/",
        "http://edge.flowplayer.org/bauhaus.webm",
        "http://edge.flowplayer.org/bauhaus.mp4",
        "http://www.example.com/content-page",
        "http://www.example.com/tags/content",
        "http://www.example.com/tags/headlines",
        "http://www.example.com/jackbox/img/thumbs/4.jpg",
        "http://www.example.com/data-href.examples.html",
        "http://www.example.com/data-href.examples.html",
        "http://www.youtube.com/v/itTskyFLSS8&rel=0&autohide=1&showinfo=0",
    ),
    "http://www.example.com/fb-social-plugins.html": (FACEBOOK, FACEBOOK),
    # Its record lacks a target, and its links are made by scripts.
    "": NOTHING,
}
"""By URL of the record: every link in document order."""
