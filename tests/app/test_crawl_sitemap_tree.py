"""A whole tree of sitemaps, from robots.txt to the pages, in every odd spelling that sites write."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests import crawls, ledgers
from tests.servers import small_site
from tests.servers.small_site import Answer, page

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

BOM = "\ufeff"
PAGES = (
    *("/plain", "/cdata?a=1&b=2", "/blank", "/relative", "/rooted", "/schemeless", "/upper", "/escaped%20space"),
    *("/text-1", "/text-2", "/text-3", "/wide", "/packed", "/twice-packed", "/unnamed-gz", "/deep", "/prefixed"),
    *("/no-namespace", "/latin-%C3%A4", "/from-rss", "/from-atom", "/late", "/query", "/from-html", "/mixed", "/cr"),
)


def urlset(*locs: str, head: str = '<?xml version="1.0" encoding="UTF-8"?>\n', prefix: str = "") -> str:
    entries = "".join(f"<{prefix}url><{prefix}loc>{loc}</{prefix}loc></{prefix}url>\n" for loc in locs)
    return f'{head}<{prefix}urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</{prefix}urlset>'


def index(*locs: str) -> str:
    entries = "".join(f"<sitemap>\n<loc>\n{loc}\n</loc><lastmod>2024-01-01</lastmod></sitemap>" for loc in locs)
    return f'<?xml version="1.0"?><sitemapindex xmlns="x">{entries}</sitemapindex>'


def tree_of(main: str) -> dict[str, Answer]:
    robots = (
        f"{BOM}SITEMAP:{main}/one.xml\r\nUser-agent: *\r\nsitemap : /two.txt\r\nDisallow: /private\r\n"
        f"Site-map: //{main.partition('//')[2]}/three.xml # a comment\r\r\nSitemap:\tindex.xml\nSitemap:\n"
        f"Sitemap: {main}/sitemap?type=q&amp=1#part\nSitemaps: {main}/four\n\nsitemap {main}/five.xml"
    )
    one = urlset(
        f"{main}/plain", "<![CDATA[" + f"{main}/cdata?a=1&b=2" + "]]>", f"\n\t {main}/blank \n", "relative", "/rooted",
        f"//{main.partition('//')[2]}/schemeless", main.replace("http:", "HTTP:") + "/upper",
        f"{main}/escaped space", f"{main}/private/x", "ftp://main.example/no", "",
    )  # fmt: skip
    lines = f"{BOM}{main}/text-1\n\n  {main}/text-2  \r\n# a comment\nwords\n{main}/text-3"
    latin = urlset(f"{main}/latin-\xe4", head="<?xml version='1.0' encoding='ISO-8859-1'?>").encode("latin-1")
    rss = f"<rss><channel><link>{main}/</link><item><link>{main}/from-rss</link></item></channel></rss>"
    atom = f"<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='{main}/from-atom'/></entry></feed>"
    mixed = (
        f"<urlset><url><loc>{main}/mixed</loc></url><sitemap><loc>/twice.xml.gz</loc></sitemap>"
        "<sitemap><loc>/cr.txt</loc></sitemap></urlset>"
    )
    packed = gzip.compress(urlset(f"{main}/packed").encode())
    bodies: dict[str, tuple[str | bytes, str]] = {
        "/robots.txt": (robots, "text/plain"),
        "/one.xml": (one, "application/xml"),
        "/two.txt": (lines, "text/plain; charset=utf-8"),
        "/three.xml": (BOM + urlset(f"{main}/wide").replace("UTF-8", "UTF-16"), "text/xml"),
        "/four": (gzip.compress(urlset(f"{main}/unnamed-gz").encode()), "application/octet-stream"),
        "/five.xml": (f"\n\n  {urlset(f'{main}/late')}<!-- served in 3 ms -->", "application/xml"),
        "/sitemap?type=q&amp=1": (urlset(f"{main}/query"), "text/html"),
        "/index.xml": (index("in/index.xml", f"{main}/packed.xml.gz", "rss.xml", "/atom.xml", "as-html"), "text/xml"),
        "/in/index.xml": (index("deep.xml", "../prefixed.xml", "/bare.xml", "/latin.xml", "/mixed.xml"), "text/xml"),
        "/in/deep.xml": (index("deeper.xml"), "text/xml"),
        "/in/deeper.xml": (urlset(f"{main}/deep"), "text/xml"),
        "/packed.xml.gz": (packed + gzip.compress(b"\n"), "application/x-gzip"),
        "/prefixed.xml": (urlset(f"{main}/prefixed", prefix="sm:"), "text/xml"),
        "/bare.xml": (f"<urlset><url><loc>{main}/no-namespace</loc></url></urlset>", ""),
        "/latin.xml": (latin, "text/xml"),
        "/rss.xml": (rss, "application/rss+xml"),
        "/atom.xml": (atom, "application/atom+xml"),
        "/as-html": (urlset(f"{main}/from-html"), "text/html; charset=utf-8"),
        "/mixed.xml": (mixed, "text/xml"),
        "/twice.xml.gz": (gzip.compress(gzip.compress(urlset(f"{main}/twice-packed").encode())), "application/gzip"),
        "/cr.txt": (f"{main}/cr\r{main}/plain\r", "text/plain"),
    }
    files = {
        path: Answer(body if isinstance(body, bytes) else _encoded(path, body), media_type=media_type)
        for path, (body, media_type) in bodies.items()
    }
    return files | {path: page(title=path) for path in PAGES} | {"/": page(title="home"), "/private/x": page()}


def _encoded(path: str, body: str) -> bytes:
    return body.encode("utf-16-le" if path == "/three.xml" else "utf-8")


def test_every_page_of_the_tree_is_found_and_nothing_else(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        main = site.url("", "main.example").removesuffix("/")
        site.table.update({f"//main.example{path}": answer for path, answer in tree_of(main).items()})
        code, crawl = crawls.crawl(
            tmp_path / "out", f"{main}/", "--follow", "sitemaps", "--resolve=main.example=127.0.0.1"
        )
        assert code == 0
        assert set(crawl.fetched()) == {f"{main}/", *(main + path for path in PAGES)}
        assert crawl.refused()[f"{main}/private/x"] == "robots"
        asked = [hit.uri for hit in site.hits()]
        assert sorted(asked) == sorted(set(asked))
        kinds = {row["url"]: row["malformed"] for row in crawl.rows("pages") if row["kind"] == "sitemap"}
        assert {url.removeprefix(main): said for url, said in kinds.items() if said} == {}
        assert ledgers.problems(crawl) == []
