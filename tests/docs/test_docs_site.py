"""The documentation as a site: it builds without a warning, asks no other server for anything, and can be searched."""

from __future__ import annotations

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.docs.documents import ROOT
from tools import programs
from tools.house.pages import documents
from tools.site import builder

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow
pytest.importorskip("mkdocs")

ELSEWHERE = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "object": "data", "source": "src"}
LOADED_BY_CSS = re.compile(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)")
DOM = r"""
const fs = require("fs"), vm = require("vm"), path = require("path");
const [root, query] = process.argv.slice(2);
const shown = [];
function element(tag) {
  return { tag, textContent: "", value: "", children: [], addEventListener() {},
    appendChild(child) { this.children.push(child); if (child.tag === "script") run(child); else shown.push(child); } };
}
const box = element("input"), list = element("div"), head = element("head");
const document = { head, createElement: element,
  getElementById: (id) => ({ "mkdocs-search-query": box, "mkdocs-search-results": list })[id] || null };
const context = vm.createContext({ document, base_url: ".", URLSearchParams, console,
  window: { location: { search: "?q=" + encodeURIComponent(query) } } });
function run(script) {
  vm.runInContext(fs.readFileSync(path.join(root, script.src), "utf8"), context);
  if (script.onload) script.onload();
}
run({ src: "search/main.js" });
console.log(JSON.stringify(shown.filter((made) => made.tag === "a").map((made) => made.href)));
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert builder.build(folder) == 0
    return folder


class Loads(HTMLParser):
    """What a page makes a browser fetch, and the pages it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag in LOADED and found.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(found.get(LOADED[tag]) or "")
        if tag == "a":
            self.links.append(found.get("href") or "")
        self.loaded += [match[1] or match[2] for match in LOADED_BY_CSS.finditer(found.get("style") or "")]


def pages_of(site: Path) -> Iterator[tuple[Path, Loads]]:
    for path in sorted(site.rglob("*.html")):
        yield path, Loads(path.read_text(encoding="utf-8"))


def test_every_document_is_a_page(site: Path) -> None:
    names = {str(path.relative_to(ROOT / "docs")) for path in documents(ROOT) if path.is_relative_to(ROOT / "docs")}
    wanted = {name.removesuffix(".md") + ".html" for name in names} | {"contributing.html", "changelog.html"}
    built = {str(path.relative_to(site)) for path in site.rglob("*.html")} - {"404.html", "search.html"}
    assert built == wanted


def test_no_page_asks_another_server_for_anything(site: Path) -> None:
    seen = 0
    for path, page in pages_of(site):
        seen += len(page.loaded)
        assert [target for target in page.loaded if ELSEWHERE.match(target)] == [], path
    assert seen > 100
    for path in site.rglob("*.css"):
        found = [first or second for first, second in LOADED_BY_CSS.findall(path.read_text(encoding="utf-8"))]
        assert [target for target in found if ELSEWHERE.match(target)] == [], path


def test_what_pages_load_and_link_to_is_there(site: Path) -> None:
    for path, page in pages_of(site):
        if path.name == "404.html":  # its links are those of a server's root
            continue
        for target in [*page.loaded, *page.links]:
            name = target.partition("#")[0].partition("?")[0]
            if name and not ELSEWHERE.match(target) and not target.startswith(("data:", "mailto:")):
                assert (path.parent / name).exists(), f"{path.relative_to(site)}: {target}"


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("stop one host", "how-to/stop-a-host.html"),
        ("duckdb", "how-to/duckdb.html"),
        ("Crawl-delay", "webmasters.html"),
        ("bloom filter", "questions.html"),
    ],
)
def test_the_search_finds_pages(site: Path, query: str, page: str) -> None:
    node = programs.find("node")
    if node is None:
        pytest.skip("node is not installed")
    program = site.parent / "search.js"
    program.write_text(DOM)
    done = subprocess.run(
        [node, str(program), str(site), query], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert any(target.removeprefix("./").partition("#")[0] == page for target in found[:5]), found[:8]


def test_a_dead_link_fails_the_build(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# One\n\n[two](two.md)\n")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[0]
    settings = settings.replace(" tools/site/", f" {ROOT}/tools/site/")
    (tmp_path / "mkdocs.yml").write_text(settings)
    command = [*builder.MKDOCS, "build", "--strict", "--config-file", str(tmp_path / "mkdocs.yml")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "two.md" in done.stdout + done.stderr
