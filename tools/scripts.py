"""Proofs and measurements: one file each in `proofs/` and `bench/`, run by name.

Such a file's docstring begins with one line saying what it shows. It has `run(quick: bool) -> int`, which prints its
figures last and returns 0 when what it shows holds. `quick` is a smaller run of the same kind.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import sys
import time
from typing import TYPE_CHECKING

from tools.environment import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence


def known(folder: str) -> dict[str, str]:
    """Name of each script in the folder, with the first line of its docstring. A file without `run` is no script."""
    found: dict[str, str] = {}
    for path in sorted((ROOT / folder).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(isinstance(node, ast.FunctionDef) and node.name == "run" for node in tree.body):
            found[path.stem] = (ast.get_docstring(tree) or "(says nothing)").splitlines()[0]
    return found


def run(folder: str, verb: str, arguments: Sequence[str]) -> int:
    """Run the one that is named; `--list` or no name lists them."""
    scripts = known(folder)
    quick = "--quick" in arguments
    names = [argument for argument in arguments if argument != "--quick"]
    if not names or names == ["--list"]:
        for name, shows in scripts.items():
            print(f"{name:24} {shows}")
        return 0 if names else 2
    name = names[0]
    if len(names) > 1 or name not in scripts:
        near = difflib.get_close_matches(name, scripts, 1)
        hint = f"; did you mean {near[0]}?" if near else f"; ./dev {verb} --list says what there is"
        print(f"{verb}: no {name} in {folder}/{hint}", file=sys.stderr)
        return 2
    return _run_one(folder, name, quick=quick)


def _run_one(folder: str, name: str, *, quick: bool) -> int:
    print(f"{folder}/{name}{' QUICK: a smaller run of the same kind' if quick else ''}", flush=True)
    began = time.monotonic()
    code = int(importlib.import_module(f"{folder}.{name}").run(quick=quick))
    ended = f"{'holds' if code == 0 else 'FAILS'} after {time.monotonic() - began:.0f} s{' (QUICK)' if quick else ''}"
    print(f"{folder}/{name}: {ended}", flush=True)
    return code
