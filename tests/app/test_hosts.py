"""`gossamer hosts`: the table, a host's card, and the requests with the robots rule then in force."""

from __future__ import annotations

import csv
import io
import math
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.app.commands.hosts import SORTS
from gossamer.app.errors import UserError
from gossamer.app.folder import open_folder
from gossamer.app.host_books import QUERIES, open_books
from gossamer.app.host_history import prefix_of
from tests import crawls
from tests.operator_crawl import told
from tests.servers import small_site
from tests.servers.small_site import Answer, page, redirect, robots

if TYPE_CHECKING:
    from pathlib import Path

HOSTS = ("good.test", "slow.test", "gone.test", "moved.test", "rules.test")
SITE = {
    "//good.test/": page("/docs/a", "/docs/b", "/docs/copy", "/blog/x", "/missing"),
    "//good.test/docs/a": page(title="a"),
    "//good.test/docs/b": page(title="b"),
    "//good.test/docs/copy": page(title="b"),
    "//good.test/blog/x": page(title="x"),
    "//slow.test/": Answer(b"busy", 503),
    "//moved.test/robots.txt": redirect("http://rules.test/robots.txt"),
    "//moved.test/": page("/yes", "/no/1", title="moved"),
    "//moved.test/yes": page(title="yes"),
    "//rules.test/": page(title="rules"),
    "//rules.test/robots.txt": robots("User-agent: *", "Disallow: /no/", "Allow: /yes", "Crawl-delay: 0.1"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hosts") / "crawl"
    with small_site.serve({}) as site:
        moved = redirect(site.url("/robots.txt", "rules.test"))
        site.table.update({**SITE, "//moved.test/robots.txt": moved})
        resolved = [part for host in HOSTS[:2] + HOSTS[3:] for part in ("--resolve", f"{host}=127.0.0.1")]
        seeds = [site.url("/", host) for host in HOSTS]
        crawls.crawl(path, *seeds, *resolved, "--set", "crawl.patience=0s")
    return path


def rows(folder: Path, *flags: str) -> list[str]:
    return [row["host"] for row in told("hosts", folder, "--json", *flags).lines]


def test_the_table_tells_where_each_host_stands(folder: Path) -> None:
    states = {row["host"]: row["state"] for row in told("hosts", folder, "--json").lines}
    assert states["good.test"] == "done"
    assert states["gone.test"] in ("backing off", "parked", "ready")
    assert set(states) == set(HOSTS)


@pytest.mark.parametrize("order", SORTS)
def test_every_order(folder: Path, order: str) -> None:
    table = told("hosts", folder, "--json", "--sort", order).lines
    assert table == sorted(table, key=SORTS[order])
    assert rows(folder, "--sort", order, "--limit", "2") == [row["host"] for row in table[:2]]


def test_filters(folder: Path) -> None:
    assert "good.test" in rows(folder, "--state", "done")
    assert "gone.test" not in rows(folder, "--state", "done")
    assert set(rows(folder, "--failing")) <= {"slow.test", "gone.test"}
    assert sorted(rows(folder, "--all")) == sorted(HOSTS)


def test_the_table_for_people(folder: Path) -> None:
    answer = told("hosts", folder, "--sort", "name")
    assert answer.stdout.splitlines()[0].split()[:2] == ["host", "state"]
    assert [line.split()[0] for line in answer.stdout.splitlines()[1:]] == sorted(HOSTS)
    assert answer.stderr.startswith("5 hosts: ")


def test_a_card(folder: Path) -> None:
    card = told("hosts", folder, "good.test", "--json").json
    assert card["pages"] == 5
    assert card["statuses"] == {"200": 5, "404": 2}
    assert card["gap"]["source"] == "minimum"
    assert card["gap"]["seconds"] == 0
    assert card["gap"]["minimum_from"] == "flag --gap"
    assert [row["kind"] for row in card["robots"]] == ["allow all"]
    assert card["connected"] == {"127.0.0.1": 7}
    gained = {row["prefix"]: (row["pages"], row["copies"]) for row in card["yield"]}
    assert gained == {"/": (1, 0), "/docs/": (3, 1), "/blog/": (1, 0)}
    assert [row["status"] for row in card["last_errors"]] == [404]
    text = told("hosts", folder, "good.test").stdout
    for word in ("state            done", "politeness.gap from flag --gap", "yield by path", "robots.txt fetched"):
        assert word in text


def test_a_card_of_a_host_whose_robots_txt_asks_for_a_delay(folder: Path) -> None:
    card = told("hosts", folder, "rules.test", "--json", "--brief").json
    assert card["gap"]["source"] == "crawl-delay"
    assert card["gap"]["seconds"] == 0.1
    assert "Crawl-delay 0.1s" in told("hosts", folder, "rules.test", "--brief").stdout


def test_requests_name_the_rule_then_in_force(folder: Path) -> None:
    requests = told("hosts", folder, "moved.test", "--requests", "--json").lines
    rules = {row["url"].rpartition(".test")[2].partition("/")[2]: row["robots"] for row in requests}
    assert rules["yes"] == "Allow: /yes (line 3)"
    assert rules[""] == "no rule matches: allowed"
    assert "no/1" not in rules
    assert all(row["address"] == "127.0.0.1" for row in requests)
    good = told("hosts", folder, "good.test", "--requests", "--json").lines
    assert {row["robots"] for row in good if row["kind"] == "page"} == {"all is allowed: no robots.txt (404)"}


def test_requests_since(folder: Path) -> None:
    assert told("hosts", folder, "good.test", "--requests", "--json", "--since", "2d").lines
    assert not told("hosts", folder, "good.test", "--requests", "--json", "--since", "2999-01-01").lines


def test_requests_as_csv(folder: Path) -> None:
    table = list(csv.DictReader(io.StringIO(told("hosts", folder, "good.test", "--requests").stdout)))
    assert len(table) == 7
    assert list(table[0]) == ["time", "url", "kind", "address", "status", "outcome", "robots"]


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@sum", "\t=1", "\x1b[2J", "a\nb"])
def test_cells_are_safe(cell: str) -> None:
    from gossamer.app.commands.hosts import _cell

    assert _cell(cell)[0] not in "=+-@\t\r\x1b"
    assert "\n" not in _cell(cell)


@pytest.mark.parametrize(
    ("url", "prefix"),
    [
        ("http://a/", "/"),
        ("http://a/x", "/"),
        ("http://a/x/", "/x/"),
        ("http://a/x/y/z?q=/", "/x/"),
        ("http://a/?a/b", "/"),
    ],
)
def test_prefixes(url: str, prefix: str) -> None:
    assert prefix_of(url) == prefix


@pytest.mark.parametrize(
    "request_",
    [
        *({"shard": wrong} for wrong in (None, -1, 1.5, math.inf, "0", [], {})),
        *({"states": wrong} for wrong in (True, -1, "queued", {"a": 1})),
        *({"after": wrong} for wrong in ("no hexadecimal", 7, None)),
    ],
    ids=str,
)
def test_wrong_questions_are_refused(folder: Path, request_: dict[str, Any]) -> None:
    crawl, settings = open_folder(folder)
    with open_books(crawl, settings) as books, pytest.raises((UserError, ValueError)):
        QUERIES["hosts"](books, request_)


@pytest.mark.parametrize("wrong", [None, 5, [], {}, "x" * 10_000, "../../state"])
def test_of_an_unknown_data_set_no_journal_lives(folder: Path, wrong: object) -> None:
    crawl, settings = open_folder(folder)
    with open_books(crawl, settings) as books:
        assert QUERIES["journals"](books, {"dataset": wrong}) == {"journals": []}
