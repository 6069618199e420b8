"""The flags of the crawl commands, each with the key it names. `--set KEY=VALUE` names any key."""

from __future__ import annotations

from typing import Final, NamedTuple


class Flag(NamedTuple):
    """One flag."""

    names: tuple[str, ...]
    key: str
    metavar: str | None = None
    """What stands for its value in the help; None for a flag without one."""


FLAGS: Final = (
    Flag(("-o", "--output"), "output.folder", "DIR"),
    Flag(("--seeds",), "seeds.files", "FILE"),
    Flag(("--scope",), "scope.kind", "KIND"),
    Flag(("--domains",), "scope.domains", "FILE"),
    Flag(("--include",), "scope.include", "PATTERN"),
    Flag(("--exclude",), "scope.exclude", "PATTERN"),
    Flag(("--follow",), "scope.follow", "WHAT"),
    Flag(("--media",), "scope.media", "TYPES"),
    Flag(("--max-depth",), "scope.max_depth", "N"),
    Flag(("--block-file",), "scope.block_file", "FILE"),
    Flag(("--gap",), "politeness.gap", "SECONDS"),
    Flag(("--contact",), "politeness.contact", "ADDRESS"),
    Flag(("--purposes",), "politeness.purposes", "LIST"),
    Flag(("--max-pages",), "crawl.max_pages", "N"),
    Flag(("--max-bytes",), "crawl.max_bytes", "SIZE"),
    Flag(("--max-time",), "crawl.max_time", "DURATION"),
    Flag(("--workers",), "crawl.workers", "N"),
    Flag(("--copies",), "copies.follow", "WHICH"),
    Flag(("--allow-address",), "network.allow_address", "CIDR"),
    Flag(("--resolve",), "dns.resolve", "HOST=ADDRESS"),
    Flag(("--resolve-file",), "dns.resolve_file", "HOSTS"),
    Flag(("--ca-file",), "fetch.ca_file", "FILE"),
    Flag(("--metrics",), "metrics.address", "ADDRESS"),
    Flag(("--quiet",), "output.quiet"),
    Flag(("--json",), "output.json"),
)

FLAG_OF: Final = {flag.key: flag.names[-1] for flag in FLAGS}
"""key -> its long flag."""
