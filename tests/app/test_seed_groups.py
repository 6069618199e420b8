"""Seed groups from a settings file: scope and depth of their own, their share, and their name wherever it helps."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from gossamer.app.errors import UserError
from gossamer.app.settings import Given, load, reload
from gossamer.app.settings.crawl_toml import crawl_toml, read_crawl_toml
from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = ("north.test", "www.north.test", "south.test", "plain.test")
RESOLVE = [part for name in NAMES for part in ("--resolve", f"{name}=127.0.0.1")]


@pytest.fixture(scope="module")
def web() -> Iterator[small_site.Site]:
    with small_site.serve({}) as site:
        for name in NAMES:
            for number in range(30):
                links = [f"/{number + 1}", *(site.url(f"/{number}", other) for other in NAMES if other != name)]
                site.table[f"//{name}/{number}"] = page(*links, title=f"{name} {number}")
        yield site


def settings_file(folder: Path, web: small_site.Site, north: str = "", south: str = "", more: str = "") -> Path:
    (folder / "south.txt").write_text(f"# seeds of the south\n{web.url('/0', 'south.test')}\n")
    path = folder / "groups.toml"
    path.write_text(
        f"""
[[seeds]]
group = "north"
urls = ["{web.url("/0", "north.test")}"]
scope = "site"
{north}

[[seeds]]
group = "south"
files = ["south.txt"]
{south}

{more}
"""
    )
    return path


@pytest.mark.slow
def test_each_group_has_its_own_scope_and_depth(web: small_site.Site, tmp_path: Path) -> None:
    path = settings_file(tmp_path, web, "depth = 2", "depth = 4", "[scope]\nmax_depth = 6\n")
    code, crawl = crawls.crawl(
        tmp_path / "crawl", web.url("/0", "plain.test"), *RESOLVE, "--config", path, "--set", "scope.max_depth=6"
    )
    assert code == 0
    fetched = {url.removeprefix("http://").replace(f":{web.port}", ""): row for url, row in crawl.fetched().items()}
    expected = {f"plain.test/{number}": "given" for number in range(7)}
    expected |= {f"south.test/{number}": "south" for number in range(5)}
    expected |= {f"north.test/{number}": "north" for number in range(3)}
    expected |= {f"www.north.test/{number}": "north" for number in range(2)}
    assert {url: row["group"] for url, row in fetched.items()} == expected
    assert crawl.summary()["group_pages"] == dict(sorted(Counter(expected.values()).items()))
    groups = {(row["url"], row["reason"]): row["group"] for row in crawl.rows("refused")}
    assert groups[web.url("/3", "north.test"), "depth"] == "north"
    _explained(crawl, web)
    _resumed(crawl, web, tmp_path)


def _explained(crawl: crawls.Crawl, web: small_site.Site) -> None:
    known = crawls.run("explain", crawl.folder, web.url("/1", "www.north.test"), "--json").numbers
    assert known["found"]["group"] == "north"
    assert known["scope"]["text"] == "a seed is on the site north.test, and scope of seed group north is site"
    refused = crawls.run("explain", crawl.folder, web.url("/3", "north.test"), "--search", "--json").numbers
    assert refused["cause"]["code"] == "depth"
    card = crawls.run("hosts", crawl.folder, "www.north.test", "--json").numbers
    assert card["group"] == "north"


def _resumed(crawl: crawls.Crawl, web: small_site.Site, folder: Path) -> None:
    """The depth of one group is raised: it goes on, the others do not."""
    path = settings_file(folder, web, "depth = 3", "depth = 4")
    before: Counter[str] = Counter(crawl.summary()["group_pages"])
    code, crawl = crawls.resume(crawl.folder, "--config", path)
    assert code == 0
    after: Counter[str] = Counter(crawl.summary()["group_pages"])
    assert after - before == Counter(north=2)
    assert crawl.summary()["balanced"]


@pytest.mark.slow
def test_groups_share_the_crawl_by_weight(web: small_site.Site, tmp_path: Path) -> None:
    path = settings_file(tmp_path, web, 'scope = "host"\nshare = 3'.replace('scope = "host"\n', ""), "share = 1")
    code, crawl = crawls.crawl(
        tmp_path / "crawl", *RESOLVE, "--config", path, "--set", "crawl.max_fetches=1", "--max-pages", "20"
    )
    assert code == 0
    pages = crawl.summary()["group_pages"]
    assert sum(pages.values()) == 20
    assert 13 <= pages["north"] <= 17


@pytest.mark.slow
def test_a_url_of_two_groups_belongs_to_the_first(web: small_site.Site, tmp_path: Path) -> None:
    path = settings_file(tmp_path, web, "depth = 0", f'urls = ["{web.url("/0", "north.test")}"]\ndepth = 0')
    code, crawl = crawls.crawl(tmp_path / "crawl", *RESOLVE, "--config", path)
    assert code == 0
    assert {row["group"] for url, row in crawl.fetched().items() if "north" in url} == {"north"}


def test_groups_come_back_from_crawl_toml(web: small_site.Site, tmp_path: Path) -> None:
    given = Given(config=settings_file(tmp_path, web, "depth = 2\nshare = 2.5", 'depth = "none"'))
    settings = load(given)
    (tmp_path / "crawl.toml").write_text(crawl_toml(settings))
    stored = read_crawl_toml(tmp_path / "crawl.toml")
    assert stored.seeds.groups == settings.seeds.groups
    north, south = stored.seeds.groups
    assert (north.scope, north.depth, north.share, north.depth_max(7)) == ("site", 2, 2.5, 2)
    assert (south.scope, south.depth_max(7), south.files) == (None, None, (str(tmp_path / "south.txt"),))
    assert reload(stored, given) == (stored, [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[seeds]]\nurls = ["http://a/"]', "without a name"),
        ('[[seeds]]\ngroup = "a"', "no seeds for 'a'"),
        ('[[seeds]]\ngroup = "a"\nurl = "http://a/"', "'url', which no seed group has"),
        ('[[seeds]]\ngroup = "a"\nurls = ["http://a/"]\nscope = "hots"', "scope wants one of page"),
        ('[[seeds]]\ngroup = "a"\nurls = ["http://a/"]\nshare = 0', "share wants a number above 0"),
        ('[[seeds]]\ngroup = "a"\nurls = ["http://a/"]\ndepth = -1', "depth wants a whole number"),
        ('[[seeds]]\ngroup = ""\nurls = ["http://a/"]', "group wants a name"),
        ('[[seeds]]\ngroup = "a\\tb"\nurls = ["http://a/"]', "group wants a name"),
        (2 * '[[seeds]]\ngroup = "a"\nurls = ["http://a/"]\n', "two groups named 'a'"),
        ("[seeds]\ngroups = 3", "wants an array of tables"),
        ("[seeds]\ngroups = [3]", "no table"),
    ],
)
def test_wrong_tables_are_refused_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "wrong.toml").write_text(text)
    with pytest.raises(UserError) as refused:
        load(Given(config=tmp_path / "wrong.toml"))
    assert words in refused.value.message
    assert "wrong.toml" in refused.value.message
    assert "\n" not in refused.value.message


def test_the_seeds_of_a_group_are_fixed(web: small_site.Site, tmp_path: Path) -> None:
    stored = load(Given(config=settings_file(tmp_path, web)))
    (tmp_path / "other").mkdir()
    moved = settings_file(tmp_path / "other", web, more='[[seeds]]\ngroup = "east"\nurls = ["http://e/"]')
    with pytest.raises(UserError, match="changes the seeds of 'east'"):
        reload(stored, Given(config=moved))
    wider = '[{group = "south", files = ["south.txt"], scope = "any"}]'
    with pytest.raises(UserError, match="changes the seeds of 'north'"):
        reload(stored, Given(sets=[f"seeds.groups={wider}"]))
