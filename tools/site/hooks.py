"""What mkdocs does beyond its settings: decisions by number, pages from the top, anchors and search as we want them."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from mkdocs.structure.files import File

from tools.house.pages import anchor_of

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).resolve().parents[2]
FROM_THE_TOP: Final = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
"""Page of the site -> the file that it is made from, which lies beside docs/."""
DECISIONS: Final = "decisions/"
UPWARDS: Final = re.compile(r"\[([^\]]*)\]\((\.\./[^)\s#]+)[^)]*\)")
INTO_DOCS: Final = re.compile(r"\]\(docs/")
TITLE: Final = re.compile(r"# (\d{4}: .*)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Headings get the anchors that they have where the repository is shown; every decision is in the contents."""
    extensions = cast("dict[str, dict[str, object]]", config["mdx_configs"])
    extensions.setdefault("toc", {})["slugify"] = _slug
    for entry in cast("list[dict[str, object]]", config.nav or []):
        for title in [title for title, target in entry.items() if target == DECISIONS]:
            entry[title] = _decisions(Path(config.docs_dir))
    return config


def _slug(heading: str, separator: str) -> str:  # noqa: ARG001 - the form that the extension calls
    return anchor_of(heading)


def _decisions(docs: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for path in sorted((docs / DECISIONS).glob("*.md")):
        title = TITLE.match(path.read_text(encoding="utf-8"))
        found.append({title[1] if title else path.stem: f"{DECISIONS}{path.name}"})
    return found


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages that lie at the top of the repository belong to the site, too."""
    for name, source in FROM_THE_TOP.items():
        text = INTO_DOCS.sub("](", (ROOT / source).read_text(encoding="utf-8"))
        for other, there in FROM_THE_TOP.items():
            text = text.replace(f"]({there}", f"]({other}")
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001 - mkdocs' names
    """Of links out of docs/, those to pages from the top lead there; of others the words are left."""
    folder = posixpath.dirname(page.file.src_uri)
    tops = {source: name for name, source in FROM_THE_TOP.items()}

    def leading(link: re.Match[str]) -> str:
        place = posixpath.normpath(posixpath.join(folder, link[2]))
        if not place.startswith("../"):
            return link[0]
        name = tops.get(place.removeprefix("../"))
        return f"[{link[1]}]({posixpath.relpath(name, folder or '.')})" if name else link[1]

    return UPWARDS.sub(leading, markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """The search index as a script: a page that was opened as a file may load one, and may not fetch anything."""
    folder = Path(config.site_dir) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var searchIndex = {index};\n", encoding="utf-8")
