"""A crawl of many hosts with every kind of fate: `explain` names the right cause for each, running and stopped."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest

from gossamer.app.cli import main
from tests import crawls
from tests.fates import SECONDS_MAX, Running, crawling, problems

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with crawling(tmp_path_factory.mktemp("explain")) as found:
        yield found


def test_every_cause_is_named(running: Running) -> None:
    assert problems(running, stopped=False) == []
    check_details(running)
    check_forgetting(running)
    running.stop()
    assert problems(running, stopped=True) == []
    check_details(running)


def check_details(running: Running) -> None:
    """What is told beside the cause."""
    site = running.site
    chain = running.explain(site.url("/r2", "main.test"))
    assert [(hop["url"].rpartition("/")[2], hop["asked"], hop["status"]) for hop in chain["redirects"]] == [
        ("r1", False, 301),
        ("r2", True, 301),
        ("r3", False, 200),
    ]
    assert (chain["found"]["path"], chain["found"]["referrer"]) == (
        "seed, link, redirect",
        site.url("/r1", "main.test"),
    )
    rules = running.explain(site.url("/private/open", "main.test"))["robots"]
    assert (rules["allowed"], rules["line"], rules["line_number"]) == (False, "Disallow: /private", 2)
    assert 0 <= rules["age_seconds"] < 600
    retry = running.explain(site.url("/500", "main.test"))
    assert retry["queue"]["is_retry"]
    assert retry["next"]["at"] >= retry["queue"]["due"] > 0
    assert [attempt["status"] for attempt in retry["attempts"]][:1] == [500]
    busy = running.explain(site.url("/", "busy.test"))
    assert busy["host"]["next_at"] - busy["host"]["last_end"] >= 3599
    assert busy["host"]["gap_source"] == "minimum"
    leaf = running.explain(site.url("/leaf", "main.test"))
    assert (running.folder / leaf["capture"]["file"]).stat().st_size > leaf["capture"]["offset"]
    searched = running.explain(site.url("/leaf", "main.test"), "--search")
    assert [link["source"] for link in searched["search"]["referrers"]] == [site.url("/", "main.test")]


def check_forgetting(running: Running) -> None:
    """A page is fetched again while the crawl runs."""
    url = running.site.url("/no", "main.test")
    before = len(running.explain(url)["attempts"])
    assert crawls.run("forget", running.folder, url, "--json").numbers["before"] == "failed: http 403"
    until = time.monotonic() + SECONDS_MAX
    while len(running.explain(url)["attempts"]) == before:
        assert time.monotonic() < until, running.explain(url)
    lines = (running.folder / "state" / "changes.jsonl").read_text().splitlines()
    assert [(json.loads(line)["order"], json.loads(line)["subject"]) for line in lines][-1] == ("forget", url)


def test_words_for_people(running: Running, capsys: pytest.CaptureFixture[str]) -> None:
    running.stop()
    assert main(["explain", str(running.folder), running.site.url("/private/x", "main.test"), "--search"]) == 0
    shown = capsys.readouterr().out
    assert "refused: the site's robots.txt disallows it (line 2: Disallow: /private)" in shown
    assert "robots, met 1x" in shown
    assert "\x1b" not in shown
