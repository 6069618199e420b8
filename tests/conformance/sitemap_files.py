"""What each sitemap and feed of shared/data/sitemaps names: the project's own table, each row checked by hand.

Checked against the files with grep: `loc` right in a `url` or `sitemap`, `link` of a channel, item or entry (of Atom
the alternates, one without relation being one), `lastmod` and `updated` of entries, `publication_date` within
`news:news` (a video's date is the video's), `pubDate` of items where it holds a date, `hreflang` within a `url`.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Named(NamedTuple):
    """What one file names."""

    format: str
    urls: int
    files: int
    first: str
    last: str
    changed: int
    """Entries with a date of their last change."""
    published: int
    """Entries with a date of their publication."""
    alternates: int
    """Pages in other languages, named by all entries together."""


SITEMAP_FILES: Final[dict[str, Named]] = {
    "crawler-commons/rss/feed.rss": Named(
        "rss", 4, 0, "https://www.example.com/main.html", "https://www.example.com/foo?q=a&l=fr", 0, 1, 0
    ),
    "crawler-commons/rss/xmlRss_pubDate.xml": Named(
        "rss", 8, 0, "http://www.example.com/rss.xml", "http://www.example.com/article_7", 0, 5, 0
    ),
    "crawler-commons/sitemaps/atom.xml": Named(
        "atom", 3, 0, "http://example.org/", "http://example.org/2003/12/13/atom03.html", 2, 0, 0
    ),
    "crawler-commons/sitemaps/do-not-visit.txt": Named(
        "text", 1, 0, "http://www.example.com/do-not-visit-here", "http://www.example.com/do-not-visit-here", 0, 0, 0
    ),
    "crawler-commons/sitemaps/extension/hebdenbridgetimes-articles-sitemap.xml": Named(
        "urlset",
        74,
        0,
        "http://www.hebdenbridgetimes.co.uk/news/local/video-tour-de-yorkshire-in-calderdale-1-7242580",
        "http://www.hebdenbridgetimes.co.uk/news/local/now-you-see-it-now-you-don-t-it-s-off-the-wall-1-7229940",
        74,
        0,
        0,
    ),
    "crawler-commons/sitemaps/extension/pagemaps-sitemap.xml": Named(
        "urlset", 2, 0, "http://www.example.com/foo", "http://www.example.com/bar", 0, 0, 0
    ),
    "crawler-commons/sitemaps/extension/shinpaideshou-news-sitemap.xml": Named(
        "urlset",
        3,
        0,
        "https://shinpaideshou.wordpress.com/2017/04/25/job-opening-reischauer-policy-research-fellow/",
        "https://shinpaideshou.wordpress.com/2017/04/24/job-opening-lecturer-in-japanese-studies-university-of-leeds/",
        0,
        3,
        0,
    ),
    "crawler-commons/sitemaps/extension/sitemap-images.xml": Named(
        "urlset",
        1,
        0,
        "http://www.example.com/images/some_image_landing_page.html",
        "http://www.example.com/images/some_image_landing_page.html",
        0,
        0,
        0,
    ),
    "crawler-commons/sitemaps/extension/sitemap-links.xml": Named(
        "urlset", 3, 0, "http://www.example.com/english/", "http://www.example.com/schweiz-deutsch/", 0, 0, 9
    ),
    "crawler-commons/sitemaps/extension/sitemap-mobile.xml": Named(
        "urlset", 3, 0, "http://www.example.com/mobile-friendly-1/", "http://www.example.com/no-mobile/", 0, 0, 0
    ),
    "crawler-commons/sitemaps/extension/sitemap-news.xml": Named(
        "urlset",
        2,
        0,
        "http://www.example.org/business/article55.html",
        "http://www.example.org/empty_news_name.html",
        0,
        2,
        0,
    ),
    "crawler-commons/sitemaps/extension/sitemap-videos-tvshow.xml": Named(
        "urlset", 1, 0, "https://example.org/my-tv-show/23/13/", "https://example.org/my-tv-show/23/13/", 0, 0, 0
    ),
    "crawler-commons/sitemaps/extension/sitemap-videos.xml": Named(
        "urlset",
        3,
        0,
        "http://www.example.com/videos/some_video_landing_page.html",
        "http://www.example.com/videos/some_video_landing_page-3.html",
        0,
        0,
        0,
    ),
    "crawler-commons/sitemaps/sitemap-with-bom.txt": Named(
        "text", 2, 0, "http://www.domain.com/page1.html", "http://www.domain.com/page2.html", 0, 0, 0
    ),
    "crawler-commons/sitemaps/sitemap.badns.xml": Named(
        "urlset", 2, 0, "http://www.example.com/1", "http://www.example.com/2", 0, 0, 0
    ),
    "crawler-commons/sitemaps/sitemap.index.xml": Named(
        "sitemapindex",
        0,
        15,
        "https://example.com/sitemap.jss?portalCode=10260&lang=en",
        "https://example.com/sitemap.jss?portalCode=10570&lang=en",
        0,
        0,
        0,
    ),
    "crawler-commons/sitemaps/sitemap.ns.xml": Named(
        "urlset", 2, 0, "http://www.example.com/1", "http://www.example.com/2", 0, 0, 0
    ),
    "crawler-commons/sitemaps/sitemap.txt": Named(
        "text", 2, 0, "http://www.domain.com/page1.html", "http://www.domain.com/page2.html", 0, 0, 0
    ),
    "crawler-commons/sitemaps/sitemap.txt.gz": Named(
        "text", 5, 0, "http://www.example.com/", "http://www.example.com/catalog?item=83&desc=vacation_usa", 0, 0, 0
    ),
    "crawler-commons/sitemaps/xmlSitemap.gz": Named(
        "urlset", 5, 0, "http://www.example.com/", "http://www.example.com/catalog?item=83&desc=vacation_usa", 4, 0, 0
    ),
    "stormcrawler/stormcrawler.rss": Named(
        "rss", 7, 0, "https://stormcrawler.apache.org/", "https://stormcrawler.apache.org/support/", 0, 6, 0
    ),
    "stormcrawler/stormcrawler.sitemap.extensions.all.xml": Named(
        "urlset", 7, 0, "http://www.example.com/", "https://stormcrawler.apache.org/support/", 7, 1, 1
    ),
    "stormcrawler/stormcrawler.sitemap.extensions.image.xml": Named(
        "urlset", 7, 0, "http://www.example.com/", "https://stormcrawler.apache.org/support/", 7, 0, 0
    ),
    "stormcrawler/stormcrawler.sitemap.extensions.links.xml": Named(
        "urlset", 6, 0, "https://stormcrawler.apache.org/", "https://stormcrawler.apache.org/support/", 6, 0, 1
    ),
    "stormcrawler/stormcrawler.sitemap.extensions.mobile.xml": Named(
        "urlset", 6, 0, "https://stormcrawler.apache.org/", "https://stormcrawler.apache.org/support/", 6, 0, 0
    ),
    "stormcrawler/stormcrawler.sitemap.extensions.news.xml": Named(
        "urlset", 6, 0, "https://stormcrawler.apache.org/", "https://stormcrawler.apache.org/support/", 6, 1, 0
    ),
    "stormcrawler/stormcrawler.sitemap.extensions.video.xml": Named(
        "urlset", 6, 0, "https://stormcrawler.apache.org/", "https://stormcrawler.apache.org/support/", 6, 0, 0
    ),
    "stormcrawler/stormcrawler.sitemap.index.xml": Named(
        "sitemapindex",
        0,
        4,
        "https://stormcrawler.apache.org/sitemap-001.xml.gz",
        "https://stormcrawler.apache.org/sitemap-004.xml.gz",
        0,
        0,
        0,
    ),
    "stormcrawler/stormcrawler.sitemap.xml": Named(
        "urlset", 6, 0, "https://stormcrawler.apache.org/", "https://stormcrawler.apache.org/support/", 6, 0, 0
    ),
    "stormcrawler/stormcrawler.sitemap.xml.gz": Named(
        "urlset", 6, 0, "https://stormcrawler.apache.org/", "https://stormcrawler.apache.org/support/", 6, 0, 0
    ),
    "trafilatura/feed.json": Named(
        "json feed",
        26,
        0,
        "https://www.npr.org/sections/technology/?utm_medium=JSONFeed&utm_campaign=technology",
        "https://www.npr.org/2021/10/20/1047307202/netflix-fired-trans-nonbinary-walkout-organizer-speaks?utm_medium=JSONFeed&utm_campaign=technology",
        22,
        25,
        0,
    ),
    "trafilatura/feed1.atom": Named(
        "atom", 2, 0, "http://example.org/", "http://example.org/2003/12/13/atom03", 1, 0, 0
    ),
    "trafilatura/feed2.rss": Named(
        "rss", 2, 0, "http://www.example.com/main.html", "http://www.example.com/blog/post/1", 0, 1, 0
    ),
    "trafilatura/sitemap-hreflang.xml": Named(
        "urlset",
        3,
        1,
        "http://www.example.com/english/page.html",
        "http://www.example.com/schweiz-deutsch/page.html",
        0,
        0,
        9,
    ),
    "trafilatura/sitemap.xml": Named(
        "urlset", 84, 0, "https://www.sitemaps.org/", "https://www.sitemaps.org/zh_TW/terms.html", 84, 0, 0
    ),
    "trafilatura/sitemap.xml.gz": Named(
        "urlset", 84, 0, "https://www.sitemaps.org/", "https://www.sitemaps.org/zh_TW/terms.html", 84, 0, 0
    ),
    "trafilatura/sitemap2.xml": Named(
        "sitemapindex",
        0,
        2,
        "http://www.example.com/sitemap1.xml.gz",
        "http://www.example.com/sitemap2.xml.gz",
        0,
        0,
        0,
    ),
}
