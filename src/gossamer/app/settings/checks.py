"""What must hold between settings, and between them and the disk, before anything starts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from gossamer.app.errors import UserError
from gossamer.app.settings.tree import TRAITS
from gossamer.core import limits
from gossamer.core.preference.purpose import Purpose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gossamer.app.settings.layers import Settings


def check(settings: Settings, *, starting: bool = True) -> None:
    """Raise UserError for the first thing that does not hold. `starting`: something is about to be fetched, so the
    secrets that settings name must be there.
    """
    from gossamer.app.host_wiring import check_hosts  # noqa: PLC0415 - it needs the settings, and so this package

    for rule in RULES:
        rule(settings)
    check_hosts(settings, starting=starting)


def _gap(settings: Settings) -> None:
    gap = settings.politeness.gap
    own = settings.network.allow_address or any(host.mine for host in settings.hosts.values())
    if gap < limits.GAP_PUBLIC_MIN_SECONDS and not own:
        raise UserError(
            f"politeness.gap is {gap:g}s (from {settings.sources['politeness.gap'].words}): less than "
            f"{limits.GAP_PUBLIC_MIN_SECONDS:g}s is only for hosts reached through --allow-address or with mine = true",
            "leave --gap out, or name the range of your own hosts, such as --allow-address 127.0.0.0/8",
        )


def _purposes(settings: Settings) -> None:
    if not settings.politeness.purposes:
        raise UserError(
            f"politeness.purposes is empty (from {settings.sources['politeness.purposes'].words})",
            f"name what its content is for: {', '.join(Purpose)}",
        )


def _workers(settings: Settings) -> None:
    crawl = settings.crawl
    if crawl.workers > crawl.shards:
        raise UserError(
            f"crawl.workers is {crawl.workers}, but there are {crawl.shards} shards to share out",
            f"at most --workers {crawl.shards}; the number of shards is fixed when a crawl is made",
        )


def _shards(settings: Settings) -> None:
    if settings.crawl.shards > limits.SHARDS_MAX:
        raise UserError(f"crawl.shards is {settings.crawl.shards}; at most {limits.SHARDS_MAX} are possible")


def _commit_interval(settings: Settings) -> None:
    if not 0 < settings.crawl.commit_interval <= limits.COMMIT_INTERVAL_MAX_SECONDS:
        raise UserError(
            f"crawl.commit_interval is {settings.crawl.commit_interval:g}s; it wants more than 0s and at most "
            f"{limits.COMMIT_INTERVAL_MAX_SECONDS:g}s"
        )


def _files(settings: Settings) -> None:
    for key, path in _paths(settings):
        if not Path(path).is_file() or not os.access(path, os.R_OK):
            state = "cannot be read" if Path(path).exists() else "does not exist"
            raise UserError(f"{key} names {path}, which {state} (from {settings.sources[key].words})")


def _paths(settings: Settings) -> Iterator[tuple[str, str]]:
    for key, trait in TRAITS.items():
        if not trait.kind.path or not trait.kept or key in ("seeds.files", "seeds.groups"):
            continue
        value = settings.values[key]
        paths = cast("tuple[str, ...]", value) if isinstance(value, tuple) else (value,)
        yield from ((key, path) for path in paths if path is not None)


def _contents(settings: Settings) -> None:
    """Files and patterns are read once before anything is written: what a crawl cannot start with must not be kept."""
    from gossamer.app.policies import hosts_map  # noqa: PLC0415 - it needs the settings, and so this package
    from gossamer.app.scope_wiring import check_scope  # noqa: PLC0415 - as above

    check_scope(settings.scope)
    hosts_map(settings)


def _plugins(settings: Settings) -> None:
    from gossamer.app.priority_wiring import load_scorer  # noqa: PLC0415 - it needs the settings, and so this package

    for name in settings.plugins.scorers:
        load_scorer(name)


RULES: Final[tuple[Callable[[Settings], None], ...]] = (
    _gap,
    _purposes,
    _workers,
    _shards,
    _commit_interval,
    _files,
    _contents,
    _plugins,
)
