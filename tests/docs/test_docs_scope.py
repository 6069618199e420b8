"""docs/scope.md and docs/how-to/seed-groups.md: their examples load, their lists are complete."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gossamer.app.scope_wiring import make_judge
from gossamer.app.seeds import read_seeds
from gossamer.app.settings import Given, Settings, check, load
from gossamer.core.page.links import FOLLOWED_BY_DEFAULT, LinkKind
from gossamer.core.scope.block_list import read_block_list
from gossamer.core.scope.rules import ScopeKind, read_domains
from gossamer.core.url.site import SiteList
from gossamer.flow.rows import hop_letter
from tests.docs.documents import DOCS, FENCE, rows

if TYPE_CHECKING:
    from pathlib import Path

SCOPE = (DOCS / "scope.md").read_text(encoding="utf-8")
GROUPS = (DOCS / "how-to" / "seed-groups.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return [block for found, block in FENCE.findall(text) if found == language]


def loaded(folder: Path, text: str) -> Settings:
    (folder / "example.toml").write_text(text)
    settings = load(Given(config=folder / "example.toml"))
    check(settings)
    return settings


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    """The domains and the block list of the page, as files."""
    domains, blocked = blocks(SCOPE, "text")
    (tmp_path / "domains.txt").write_text(domains)
    (tmp_path / "never.txt").write_text("".join(line.split()[0] + "\n" for line in blocked.splitlines()))
    return tmp_path


def test_the_lists_are_read_as_the_page_says(lists: Path) -> None:
    assert read_domains((lists / "domains.txt").read_text()) == (("example.net", "docs.example.com"), [])
    blocked, problems = read_block_list((lists / "never.txt").read_text())
    assert problems == []
    assert (blocked.hosts, blocked.domains) == ({"example.com"}, {"example.com"})
    assert len(blocked.prefixes["example.com"]) == 3
    assert blocked.blocks_address("203.0.113.9")


def test_the_whole_example_loads_and_judges(lists: Path) -> None:
    (text,) = blocks(SCOPE, "toml")
    settings = loaded(lists, text)
    judge = make_judge(settings.scope, read_seeds(settings.seeds), SiteList())
    assert judge.judge_one("https://www.example.org/api/x", LinkKind.A, 8) == ""
    assert judge.judge_one("https://www.example.org/api/x", LinkKind.A, 9) == "depth"
    assert judge.judge_one("https://www.example.org/api/x.PHP", LinkKind.A, 1) == "excluded"
    assert judge.judge_one("https://a.example.net/guide/", LinkKind.IMAGE, 1) == ""
    assert judge.judge_one("https://elsewhere.test/guide/", LinkKind.A, 1) == "scope"
    assert judge.judge_one("https://www.example.com/guide/", LinkKind.A, 1) == "blocked"


def test_every_setting_of_the_scope_is_in_the_example() -> None:
    (text,) = blocks(SCOPE, "toml")
    written = set(re.findall(r"^(\w+) = ", text.split("[scope]")[1], re.MULTILINE))
    assert written == set(Settings().scope.__dataclass_fields__)


def test_every_scope_kind_is_explained() -> None:
    assert [row[0].strip("`") for row in rows(SCOPE, "How far: scope.kind")] == [kind.value for kind in ScopeKind]


def test_every_link_kind_is_explained() -> None:
    named: set[LinkKind] = set()
    for kinds, _, followed, letter in rows(SCOPE, "Kinds of links: scope.follow_kinds"):
        for name in re.findall(r"`(\w+)`", kinds):
            kind = LinkKind[name.upper()]
            named.add(kind)
            assert (kind in FOLLOWED_BY_DEFAULT) == (followed in ("yes", "none")) or letter == "none"
            assert hop_letter(kind) == letter.strip("`").replace("none", "")
    assert named == set(LinkKind)


def test_the_seed_groups_load(tmp_path: Path) -> None:
    (south,) = blocks(GROUPS, "text")
    (tmp_path / "south.txt").write_text(south)
    settings = loaded(tmp_path, blocks(GROUPS, "toml")[0])
    assert [(each.group, each.scope, each.depth, each.share) for each in settings.seeds.groups] == [
        ("north", "prefix", 5, 3.0),
        ("south", "site", None, 1.0),
    ]
    seeds = read_seeds(settings.seeds)
    assert [seed.group for seed in seeds] == ["north", "north", "south", "south"]
    judge = make_judge(settings.scope, seeds, SiteList(), settings.seeds.groups)
    assert judge.judge_one("https://news.example.org/north/a", LinkKind.A, 5, "north") == ""
    assert judge.judge_one("https://news.example.org/south/", LinkKind.A, 5, "north") == "scope"
    assert judge.depth_max_of("south") == 8
