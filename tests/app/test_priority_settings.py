"""Priority as people set it: weights, an importance file, the plug-in of the docs, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gossamer.app import cli
from gossamer.app.exit_codes import Exit
from tests import crawls
from tests.docs.documents import DOCS, FENCE
from tests.operator_crawl import told
from tests.servers import small_site
from tests.servers.small_site import page

if TYPE_CHECKING:
    from pathlib import Path

SITE = {
    "/": page("/other/1", "/changelog/1", "/guide/1"),
    "/other/1": page(title="other"),
    "/changelog/1": page(title="changes"),
    "/guide/1": page(title="guide"),
}


def plugin_of_the_docs() -> str:
    blocks = FENCE.findall((DOCS / "how-to" / "score-urls.md").read_text(encoding="utf-8"))
    return next(text for kind, text in blocks if kind == "python")


def levels(folder: Path, *urls: str) -> dict[str, int]:
    """What explain says that each was queued with."""
    return {url: told("explain", folder, url, "--json").json["queue"]["level"] for url in urls}


def test_the_plug_in_of_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scorers.py").write_text(plugin_of_the_docs())
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    folder = tmp_path / "crawl"
    with small_site.serve(SITE) as site:
        scored = ("--set", "plugins.scorers=scorers:Guides", "--max-pages", "1")
        crawls.run("crawl", site.url("/"), *crawls.LOOPBACK, *crawls.FEW_SHARDS, "-o", folder, "--gap", "0", *scored)
        urls = {name: site.url(f"/{name}/1") for name in ("guide", "other", "changelog")}
    found = levels(folder, *urls.values())
    assert [found[urls[name]] for name in urls] == [1, 1, 3]


def test_a_plug_in_that_raises_is_told_of_and_the_crawl_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_scorer.py").write_text("class S:\n    def score(self, links):\n        raise OSError('gone')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    folder = tmp_path / "crawl"
    with small_site.serve(SITE) as site:
        flags = ("-o", folder, "--gap", "0", "--set", "plugins.scorers=broken_scorer:S", "--json")
        ended = crawls.run("crawl", site.url("/"), *crawls.LOOPBACK, *crawls.FEW_SHARDS, *flags)
    assert (ended.code, ended.numbers["pages"]) == (Exit.DONE, 4)
    facts = [json.loads(line) for path in (folder / "logs").glob("*.jsonl") for line in path.read_text().splitlines()]
    (failed,) = [fact for fact in facts if fact["fact"] == "PluginFailed"]
    assert (failed["plugin"], failed["error"]) == ("broken_scorer:S", "OSError: gone")


def test_an_importance_file_and_explain(tmp_path: Path) -> None:
    folder, rank = tmp_path / "crawl", tmp_path / "rank.csv"
    with small_site.serve(SITE) as site:
        rank.write_text(f"url,importance\n{site.url('/other/1')},0\n")
        flags = ("-o", folder, "--gap", "0", "--set", f"priority.importance={rank}", "--max-pages", "1")
        crawls.run("crawl", site.url("/"), *crawls.LOOPBACK, *crawls.FEW_SHARDS, *flags)
        urls = site.url("/other/1"), site.url("/guide/1")
    assert list(levels(folder, *urls).values()) == [3, 1]
    assert "score        3.00, means level 1 (depth 3)" in told("explain", folder, urls[1]).stdout


REFUSED = [
    ("plugins.scorers=nothing", "wants package.module:name"),
    ("plugins.scorers=no_such_module_of_ours:S", "cannot be loaded: ModuleNotFoundError"),
    ("plugins.scorers=json:nothing", "cannot be loaded: AttributeError"),
    ("plugins.scorers=json:dumps", "has no method score"),
    ("priority.importance=/nowhere.csv", "does not exist"),
    ("priority.shape=-1", "priority.shape wants a number"),
]


@pytest.mark.parametrize(("setting", "said"), REFUSED)
def test_what_cannot_be_used_is_refused_before_anything_is_made(
    tmp_path: Path, setting: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "crawl"
    code = cli.main(["crawl", "http://127.0.0.1:1/", "-o", str(folder), "--set", setting])
    error = capsys.readouterr().err
    assert code == Exit.BAD_INPUT
    assert said in error
    assert not folder.exists()


def test_a_wrong_importance_file_is_told_with_its_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rank = tmp_path / "rank.csv"
    rank.write_text("url,importance\nhttps://a.test/,7\n")
    settings = ("--set", f"priority.importance={rank}", "--allow-address", "127.0.0.0/8")
    code = cli.main(["crawl", "http://127.0.0.1:1/", "-o", str(tmp_path / "crawl"), *settings])
    assert code == Exit.BAD_INPUT
    assert "row 1: importance is 0 to 1, not '7'" in capsys.readouterr().err
