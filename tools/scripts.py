"""Proofs and measurements: one file each in `proofs/` and `bench/`, run by name.

The docstring of such a file begins with one line saying what it shows. A proof has `run(quick: bool) -> int`, which
prints its figures last and returns 0 when what it shows holds; `quick` is a smaller run of the same kind. A measurement
is a program with arguments of its own.
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
    from collections.abc import Callable, Sequence


def proofs(folder: str = "proofs") -> dict[str, str]:
    """Name of each proof and what it shows. A file without `run` is something that proofs share."""
    return _told(folder, lambda node: isinstance(node, ast.FunctionDef) and node.name == "run")


def measurements(folder: str = "bench") -> dict[str, str]:
    """Name of each measurement and what it measures. A file that is no program is something that they share."""
    return _told(folder, lambda node: isinstance(node, ast.If) and "__name__" in ast.unparse(node.test))


def _told(folder: str, is_entry: Callable[[ast.stmt], bool]) -> dict[str, str]:
    told: dict[str, str] = {}
    for path in sorted((ROOT / folder).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if any(is_entry(node) for node in tree.body):
            told[path.stem] = (ast.get_docstring(tree) or "(says nothing)").splitlines()[0]
    return told


def choose(verb: str, scripts: dict[str, str], arguments: Sequence[str]) -> str | int:
    """The script that the first argument names; or, where it names none, the exit code after saying what there is."""
    if not arguments or arguments[0] == "--list":
        for name, shows in scripts.items():
            print(f"{name:24} {shows}")
        return 0 if arguments else 2
    name = arguments[0]
    if name in scripts:
        return name
    near = difflib.get_close_matches(name, scripts, 1)
    hint = f"did you mean {near[0]}?" if near else f"./dev {verb} --list says what there is"
    print(f"{verb}: there is no {name}; {hint}", file=sys.stderr)
    return 2


def prove(module: str, *, quick: bool) -> int:
    """Run one proof, by the name of its module."""
    print(f"{module}{' QUICK: a smaller run of the same kind' if quick else ''}", flush=True)
    began = time.monotonic()
    code = int(importlib.import_module(module).run(quick=quick))
    ended = f"{'holds' if code == 0 else 'FAILS'} after {time.monotonic() - began:.0f} s{' (QUICK)' if quick else ''}"
    print(f"{module}: {ended}", flush=True)
    return code
