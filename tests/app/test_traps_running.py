"""Orders about suspects to a crawl that runs: what each brings about is read from the server's log."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from tests import crawls
from tests.operator_crawl import Running, order, running, table, told, until
from tests.servers import small_site
from tests.servers.small_site import Answer, page

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

HOST = "one.test"
GO, ITEM = f"{HOST}/go/N", f"{HOST}/item/N"
LINKS, ITEMS = 100, 1500
IN_FLIGHT = 1


def trap_table() -> dict[str, Answer]:
    """A host that goes on for a while: pages of their own, and /go/N which are all one page; both linked from "/"."""
    found = {f"//{HOST}/item/{number}": page(title=f"item {number}") for number in range(ITEMS)}
    found |= {f"//{HOST}/go/{number}": page(title="the same") for number in range(LINKS)}
    links = [*(f"/go/{number}" for number in range(LINKS)), *(f"/item/{number}" for number in range(ITEMS))]
    return {**table(HOST, leaves=0), **found, f"//{HOST}/": page(*links, title="root")}


def asked(crawl: Running, path: str, since: float = 0.0) -> int:
    return sum(hit.uri.startswith(path) and hit.started > since for hit in list(crawl.site.log))


def suspect(folder: Path, name: str) -> dict[str, Any]:
    rows = told("report", folder, "traps", "--json").lines
    return next((row for row in rows if row["suspect"] == name), {})


def test_a_suspect_is_freed_confirmed_and_excluded_while_the_crawl_runs(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    with small_site.serve(trap_table()) as site, running(folder, site, (HOST,)) as crawl:
        until(lambda: suspect(folder, GO).get("verdict") == "closed", "the suspect is closed")
        until(lambda: suspect(folder, GO).get("refused", 0) > LINKS // 2, "its URLs are refused")
        before = asked(crawl, "/go/")

        order("traps", folder, "free", GO)
        until(lambda: asked(crawl, "/go/") > before, "a freed one is asked for again")
        until(lambda: suspect(folder, GO).get("verdict") == "closed", "it is suspected anew")
        assert asked(crawl, "/go/") <= before + before + IN_FLIGHT

        order("traps", folder, "confirm", ITEM)
        confirmed_at = time.time()
        order("traps", folder, "exclude", GO)
        until(lambda: asked(crawl, "/go/") == LINKS, "all of an excluded one is asked for")
        assert asked(crawl, "/item/", confirmed_at) <= IN_FLIGHT
        until(lambda: suspect(folder, ITEM).get("word") == "confirm", "the word is shown")
        assert crawl.end() == 0
    kept = crawls.Crawl(folder)
    assert kept.summary()["end_state"] == "complete"
    assert kept.reasons()["trap"] >= 1
    assert kept.summary()["balanced"]
    assert suspect(folder, GO)["word"] == "exclude"
