"""From parsed arguments to what the settings were given: the flags every crawl command shares."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.settings import Given
from gossamer.app.settings.flags import FLAGS
from gossamer.app.settings.tree import TRAITS

if TYPE_CHECKING:
    import argparse

NEW_CRAWL_ONLY: Final = frozenset({"output.folder", "seeds.files"})
"""Keys whose flags make no sense for a crawl that exists."""


def add_setting_flags(parser: argparse.ArgumentParser, *, new_crawl: bool, only: frozenset[str] | None = None) -> None:
    """The flags of FLAGS (of them `only` those of these keys), and --config and --set."""
    group = parser.add_argument_group("settings (every flag names a key; docs/reference-settings.md lists all)")
    for flag in FLAGS:
        if (not new_crawl and flag.key in NEW_CRAWL_ONLY) or (only is not None and flag.key not in only):
            continue
        trait = TRAITS[flag.key]
        choices = f": {trait.kind.name}" if trait.kind.name.startswith("one of ") else ""
        text = f"{trait.meaning}{choices} [{flag.key}]".replace("%", "%%")
        common: dict[str, Any] = {"dest": flag.key, "default": None, "help": text}
        if trait.kind.flag_only:
            group.add_argument(*flag.names, action="store_true", **common)
        elif trait.kind.many:
            group.add_argument(*flag.names, action="append", metavar=flag.metavar, **common)
        else:
            group.add_argument(*flag.names, metavar=flag.metavar, **common)
    group.add_argument("--config", metavar="FILE", type=Path, help="settings file (TOML)")
    group.add_argument(
        "--set", metavar="KEY=VALUE", action="append", default=[], help="any key; beats every other source"
    )


def given(args: argparse.Namespace) -> Given:
    """What this run was given on the command line and in the environment."""
    values: dict[str, Any] = vars(args)
    flags = {flag.key: values[flag.key] for flag in FLAGS if values.get(flag.key) is not None}
    if values.get("seeds.urls"):
        flags["seeds.urls"] = values["seeds.urls"]
    return Given(config=args.config, environment=dict(os.environ), flags=flags, sets=args.set)
