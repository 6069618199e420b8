"""What the package imports is what pyproject.toml declares, the lock files hold and docs/dependencies.md explains."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from typing import TYPE_CHECKING

from tools.house.tree import Source, sources

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IMPORT_NAMES = {"google-re2": "re2"}
"""Import names that differ from the distribution's by more than case and hyphens."""

REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)")
EXPLAINED = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)(?: ; (.*?))? \\$", re.MULTILINE)


def normal(name: str) -> str:
    """A distribution's name as compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(root: Path) -> list[str]:
    """Run-time dependencies of pyproject.toml."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [name for group in project.get("optional-dependencies", {}).values() for name in group]
    return [normal(REQUIREMENT.findall(text)[0]) for text in [*project["dependencies"], *extras]]


def locked(root: Path, lock: str) -> set[tuple[str, str, str]]:
    """(name, version, marker) of everything in a lock file."""
    return {
        (normal(name), version, marker)
        for name, version, marker in LOCKED.findall((root / "requirements" / lock).read_text(encoding="utf-8"))
    }


def imported(source: Source) -> Iterator[tuple[int, str]]:
    """Line and top module of every import that is neither ours nor the standard library's."""
    for node in ast.walk(source.syntax):
        match node:
            case ast.Import(names=names):
                modules = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), level=0):
                modules = [module]
            case _:
                continue
        for top in (module.partition(".")[0] for module in modules):
            if top != "gossamer" and top not in sys.stdlib_module_names:
                yield node.lineno, top


def find(root: Path) -> list[str]:
    """Imports without a declaration; declarations that are not locked or not explained."""
    names = declared(root)
    modules = {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in names}
    findings = [
        f"{source.name}:{line} imports {top}, which pyproject.toml does not declare"
        for source in sources(root, "src")
        for line, top in imported(source)
        if top not in modules
    ]
    run = locked(root, "run.lock")
    rows = EXPLAINED.findall((root / "docs" / "dependencies.md").read_text(encoding="utf-8"))
    explained = {normal(name) for name in rows}
    for name in names:
        if name not in {entry[0] for entry in run}:
            findings.append(f"requirements/run.lock:1 lacks {name}: run requirements/lock.sh")
        if name not in explained:
            findings.append(f"docs/dependencies.md:1 does not explain `{name}`")
    findings += [
        f"requirements/dev.lock:1 has another {name} than run.lock: run requirements/lock.sh"
        for name, _, _ in sorted(run - locked(root, "dev.lock"))
    ]
    return findings
