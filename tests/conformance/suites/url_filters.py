"""Nutch's rule files for URLs, their patterns matched by ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from gossamer.core.scope.patterns import Patterns
from tests.conformance.frame import Bar, Case, Suite, compare

CLAUSES = {"patterns": "patterns are RE2's, in linear time: no back references and no looking around"}


def _filters(data: Path) -> Iterator[Case]:
    for plugin in ("regex", "automaton"):
        for path in sorted((data / f"url-canon/nutch/urlfilter-{plugin}").glob("*.rules")):
            rules = _ordered(path, whole=plugin == "automaton")
            for number, line in enumerate(path.with_suffix(".urls").read_text(encoding="utf-8").splitlines(), 1):
                case = f"{plugin}/{path.stem}.urls:{number}"
                yield compare(case, got=_first(rules, line[1:]), expected=line[0], kind="patterns", given=line)


FAST = (("fast-urlfilter-test.txt", "test.urls"), ("fast-urlfilter-benchmark.txt", "Benchmarks.urls"))


def _fast(data: Path) -> Iterator[Case]:
    """Rules below hosts and domains, each refusing; what none refuses is taken."""
    folder = data / "url-canon/nutch/urlfilter-fast"
    for file, urls in FAST:
        rules = _below_hosts(folder / file)
        for number, line in enumerate((folder / urls).read_text(encoding="utf-8").splitlines(), 1):
            yield compare(f"{file}:{number}", got=_sign(rules, line[1:]), expected=line[0], kind="patterns", given=line)


def _below_hosts(path: Path) -> list[tuple[str, str, Patterns | None]]:
    """("Host name" or "Domain name", what is looked at, pattern); None for a pattern that is not RE2's."""
    rules: list[tuple[str, str, Patterns | None]] = []
    place = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(("Host ", "Domain ")):
            place = line.strip()
        elif line.startswith("  Deny"):
            what, pattern = line.split()
            try:
                rules.append((place, what, Patterns([pattern])))
            except ValueError:
                rules.append((place, what, None))
    return rules


def _sign(rules: list[tuple[str, str, Patterns | None]], text: str) -> str:
    parts = urlsplit(text)
    looked_at = {"DenyPath": parts.path, "DenyPathQuery": parts.path + (f"?{parts.query}" if parts.query else "")}
    for place, what, pattern in rules:
        kind, name = place.split()
        inside = name in (".", parts.hostname) or (kind == "Domain" and f".{parts.hostname}".endswith(f".{name}"))
        if inside and pattern is not None and pattern.find(looked_at[what]):
            return "-"
    return "+"


def _ordered(path: Path, *, whole: bool) -> list[tuple[str, str, Patterns]]:
    """Rules in order: sign, host they are for (any without one), pattern; one that is not RE2's finds anything."""
    rules: list[tuple[str, str, Patterns]] = []
    host = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith((">", "<")):
            host = line[1:].strip()
        elif line.startswith(("+", "-")):
            try:
                rules.append((line[0], host, Patterns([f"^(?:{line[1:]})$" if whole else line[1:]])))
            except ValueError:
                rules.append(("patterns", host, Patterns(["."])))
    return rules


def _first(rules: list[tuple[str, str, Patterns]], url: str) -> str:
    """The sign of the first rule that finds a match, as Nutch reads them; "-" without one."""
    host = re.sub("^[a-z]+://([^/]*).*", r"\1", url)
    return next((sign for sign, only, pattern in rules if only in ("", host) and pattern.find(url)), "-")


SUITES = [
    Suite(
        "URL filters: Nutch, by pattern",
        "url-canon/nutch (urlfilter-regex, urlfilter-automaton)",
        Bar.FACTS,
        _filters,
        CLAUSES,
    ),
    Suite("URL filters: Nutch, by host", "url-canon/nutch/urlfilter-fast", Bar.FACTS, _fast, CLAUSES),
]
