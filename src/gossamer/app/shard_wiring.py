"""The shards of a crawl folder, without any part of the crawler's machinery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.core.seen.fingerprint import Fingerprinter
from gossamer.flow.shard_rules import ShardRules

if TYPE_CHECKING:
    from gossamer.app.folder import CrawlFolder
    from gossamer.app.settings import Settings


def shard_rules(settings: Settings, folder: CrawlFolder) -> ShardRules:
    """How URLs become keys, sites and shards in this crawl."""
    facts = folder.read_facts()
    return ShardRules(
        Fingerprinter(facts.hash_key), facts.keys, folder.read_sites(), settings.crawl.shards, settings.keys.learn
    )


def expect_stores(settings: Settings, folder: CrawlFolder) -> None:
    """Raise UserError (exit 7) where a store is missing.

    Every shard has a store once anything was committed: the archive begins with the first commit.
    """
    missing = [number for number in range(settings.crawl.shards) if not folder.shard(number).exists()]
    if missing and (folder.path / "archive").exists():
        raise UserError(
            f"{folder.shard(missing[0])} is missing, and with it what is known of its hosts",
            f"restore it from a copy, or: gossamer doctor {folder.path} --repair",
            Exit.FOLDER,
        )
