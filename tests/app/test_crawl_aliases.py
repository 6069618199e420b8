"""A site on loopback that has every page twice: with and without a final slash."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gossamer.app.cli import main
from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.small_site import Answer

pytestmark = pytest.mark.slow

EARLY, LATE = range(8), range(8, 40)
NO_TRAPS = ("--set", "traps.watch=false")
"""Twins of pages bring nothing new, and would be closed as a trap."""


def site() -> dict[str, Answer]:
    """A start page with a few pages in both spellings; behind the last of them, many more."""
    table = {"/": page(*(f"/p{number}{slash}" for number in EARLY for slash in ("", "/")), "/more?b=1&a=2")}
    table["/more?b=1&a=2"] = page(
        *(f"/p{number}{slash}" for number in LATE for slash in ("", "/")),
        "/more?a=2&b=1",
        "/more?b=1&utm_source=here&a=2",
        title="more",
    )
    for number in (*EARLY, *LATE):
        table[f"/p{number}"] = table[f"/p{number}/"] = page(title=f"page {number}")
    return table


def test_a_site_with_two_spellings_of_every_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with small_site.serve(site()) as served:
        code, crawl = crawls.crawl(tmp_path / "crawl", served.url("/"))
        asked = {hit.uri for hit in served.log}
    assert code == 0
    fetched = {row["url"] for row in crawl.pages() if row["kind"] == "page"}
    for number in (*EARLY, *LATE):
        assert {served.url(f"/p{number}"), served.url(f"/p{number}/")} & fetched
    # The URL is asked for as it was found, and its other spellings are the same by the key.
    assert {target for target in asked if target.startswith("/more")} == {"/more?b=1&a=2"}
    refused = [row for row in crawl.rows("refused") if row["reason"] == "alias"]
    assert len(LATE) / 2 < len(refused) <= len(LATE)
    capsys.readouterr()
    assert main(["explain", str(crawl.folder), refused[0]["url"], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["state"] == "refused"
    assert told["cause"]["code"] == "alias"
    assert told["key"]["alias_of"] == refused[0]["url"].removesuffix("/")
    assert told["key"]["aliases"] == [told["key"]["alias_of"]]
    assert told["key"]["rules"][0].startswith("final slash (")
    assert main(["explain", str(crawl.folder), refused[0]["url"]]) == 0
    words = capsys.readouterr().out
    assert f"alias of     {told['key']['alias_of']}" in words


def test_learning_may_be_turned_off(tmp_path: Path) -> None:
    with small_site.serve(site()) as served:
        _, crawl = crawls.crawl(tmp_path / "crawl", served.url("/"), "--set", "keys.learn=false", *NO_TRAPS)
    fetched = [row["url"] for row in crawl.pages() if row["kind"] == "page"]
    assert len(fetched) == 2 + 2 * len((*EARLY, *LATE))
