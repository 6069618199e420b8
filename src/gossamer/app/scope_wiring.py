"""From the scope settings to the judge of links: files read, patterns compiled, every fault said in one line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gossamer.app.errors import UserError
from gossamer.app.orders import read_orders
from gossamer.app.trap_wiring import link_traps
from gossamer.core.limits import SEED_FILE_BYTES_MAX
from gossamer.core.scope.block_list import BlockList, read_block_list
from gossamer.core.scope.extensions import refused_extensions
from gossamer.core.scope.filters import FilterRules, followed_kinds
from gossamer.core.scope.identity import JudgedBy, rules_digest
from gossamer.core.scope.judge import GroupRules, LinkJudge
from gossamer.core.scope.patterns import Patterns
from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules, read_domains

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.seeds import Seed
    from gossamer.app.settings import Settings
    from gossamer.app.settings.group_settings import SeedGroup
    from gossamer.app.settings.tree import ScopeSettings
    from gossamer.core.page.links import LinkKind
    from gossamer.core.trap.link_traps import LinkTraps
    from gossamer.core.url.key import KeyRules
    from gossamer.core.url.site import SiteList


def make_judge(
    settings: ScopeSettings,
    seeds: Iterable[Seed],
    sites: SiteList,
    own: Iterable[SeedGroup] = (),
    *,
    keys: KeyRules | None = None,
    traps: LinkTraps | None = None,
) -> LinkJudge:
    """The judge of a crawl's links; `own` are the seed groups with a scope of their own, drawn from their own seeds.

    Raises UserError for a file or a pattern that cannot be read.
    """
    domains, groups = _domains(settings.domains), {group.group: group for group in own}
    members: dict[str, list[str]] = {"": [], **{name: [] for name in groups}}
    for seed in seeds:
        members[seed.group if seed.group in groups else ""].append(seed.url)

    def rules(kind: str, name: str) -> ScopeRules:
        return ScopeRules(Scope(ScopeKind(kind), tuple(members[name]), domains), sites.site_of, keys)

    by_group = {
        name: GroupRules(rules(group.scope or settings.kind, name), group.depth_max(settings.max_depth))
        for name, group in groups.items()
    }
    return LinkJudge(rules(settings.kind, ""), _filters(settings), sites.site_of, by_group, traps)


def crawl_judge(settings: Settings, folder: CrawlFolder, sites: SiteList) -> LinkJudge:
    """The judge of a crawl folder: its settings, its seeds, and what its operator blocked."""
    keys = folder.read_facts().keys
    orders = read_orders(folder)
    traps = link_traps(settings.traps, sites, orders.traps)
    judge = make_judge(settings.scope, folder.read_seeds(), sites, settings.seeds.groups, keys=keys, traps=traps)
    judge.block(orders.block_list)
    return judge


def judged_by(settings: Settings, judge: LinkJudge) -> JudgedBy:
    """What a crawl is judged by now, to be kept in its shards."""
    media = settings.scope.wanted_media
    return JudgedBy(
        rules=rules_digest(judge),
        copies=settings.copies.follow,
        media=None if media is None else tuple(sorted(media)),
        addresses=tuple(sorted(settings.network.allow_address)),
        barred=tuple(sorted(map(str, judge.filters.blocked.networks))),
    )


def check_scope(settings: ScopeSettings) -> None:
    """Raise UserError for a file, pattern or word that no judge can be made from."""
    _filters(settings)
    _domains(settings.domains)


def _filters(settings: ScopeSettings) -> FilterRules:
    return FilterRules(
        include=_patterns(settings.include, "scope.include"),
        exclude=_patterns(settings.exclude, "scope.exclude"),
        extensions=refused_extensions(settings.wanted_media, settings.extensions),
        url_length_max=settings.max_url_length,
        depth_max=settings.max_depth,
        kinds=_kinds(settings.follow_kinds, settings.follow),
        obey_nofollow=settings.nofollow == "obey",
        blocked=read_block_file(settings.block_file),
    )


def _patterns(patterns: tuple[str, ...], key: str) -> Patterns:
    try:
        return Patterns(patterns)
    except ValueError as error:
        raise UserError(f"{key}: {error}", "patterns are RE2 syntax: no look-around, no back-references") from error


def _kinds(names: tuple[str, ...], sources: tuple[str, ...]) -> frozenset[LinkKind]:
    try:
        return followed_kinds(names, sources)
    except ValueError as error:
        raise UserError(f"scope.follow_kinds: {error}") from error


def _domains(file: str | None) -> tuple[str, ...]:
    if file is None:
        return ()
    domains, problems = read_domains(_text(file, "scope.domains"))
    _refuse(file, problems)
    return domains


def read_block_file(file: str | None) -> BlockList:
    """The block list that `scope.block_file` names; empty without one. Raises UserError."""
    if file is None:
        return BlockList()
    blocked, problems = read_block_list(_text(file, "scope.block_file"))
    _refuse(file, problems)
    return blocked


def read_text_file(file: str, key: str) -> bytes:
    """The bytes of a file that a setting names; bounded. Raises UserError."""
    try:
        with Path(file).open("rb") as opened:
            content = opened.read(SEED_FILE_BYTES_MAX + 1)
    except OSError as error:
        raise UserError(f"{key}: {file} cannot be read: {error.strerror}") from error
    if len(content) > SEED_FILE_BYTES_MAX:
        raise UserError(f"{key}: {file} is longer than {SEED_FILE_BYTES_MAX:,} bytes")
    return content


def _text(file: str, key: str) -> str:
    return read_text_file(file, key).decode("utf-8", "replace")


def _refuse(file: str, problems: list[str]) -> None:
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise UserError(f"{file}, {problems[0]}{more}")
