"""`core` has no clock, chance, file, task or log of its own. import-linter sees imports; this sees calls.

Also banned there: what differs from one process to the next (salted `hash`, the order of a set).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tools.house.tree import Source, sources

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CORE = "src/gossamer/core"

BANNED_NAMES = {
    "open": "a file: hand the bytes in",
    "print": "output: return the value",
    "input": "input: take an argument",
    "hash": "salted anew in every process: use a keyed digest",
    "exec": "code from text",
    "eval": "code from text",
    "__import__": "an import that no contract sees",
    "breakpoint": "left from debugging",
}
"""Built-in functions that core may not call."""

BANNED_METHODS = {
    "now": "a clock: take the time as an argument",
    "utcnow": "a clock: take the time as an argument",
    "today": "a clock: take the time as an argument",
    "getenv": "the environment: a setting is an argument",
    "urandom": "chance: take the draw as an argument",
    "read_text": "a file: hand the text in",
    "read_bytes": "a file: hand the bytes in",
    "write_text": "a file: return the text",
    "write_bytes": "a file: return the bytes",
    "memmap": "a file: hand the bytes in",
    "fromfile": "a file: hand the bytes in",
    "tofile": "a file: return the bytes",
    "create_task": "a task: return what is to be done",
}
"""Methods and module functions that core may not call, whatever they belong to."""

BANNED_MODULES = {
    "asyncio": "tasks belong to flow",
    "importlib": "an import that no contract sees",
    "io": "files belong to adapters",
    "logging": "return a fact",
    "os": "the system belongs to adapters",
    "pathlib": "files belong to adapters",
    "random": "chance is an argument",
    "secrets": "chance is an argument",
    "socket": "the network belongs to adapters",
    "subprocess": "the system belongs to adapters",
    "threading": "threads belong to adapters",
    "time": "time is an argument",
    "urllib.request": "the network belongs to adapters",
    "numpy.random": "chance is an argument",
    "uuid": "its numbers come from clock and chance: take them as an argument",
}
"""Modules that core may not import, also where import-linter cannot look (parts of a module, imports in functions)."""


UNORDERED = "walks over a set: its order differs from process to process; sort it"


def find(root: Path) -> list[str]:
    """Impure calls and imports in core."""
    findings: list[str] = []
    for source in sources(root, CORE):
        findings += _impure(source)
    return findings


def _impure(source: Source) -> Iterator[str]:
    inside_hash = set(_bodies_of_dunder_hash(source.syntax))
    for node in ast.walk(source.syntax):
        for line, what in _faults(node, in_dunder_hash=node in inside_hash):
            yield f"{source.name}:{line} {what}"


def _faults(node: ast.AST, *, in_dunder_hash: bool) -> Iterator[tuple[int, str]]:
    match node:
        case ast.Import(names=names):
            yield from _imports(node.lineno, [alias.name for alias in names])
        case ast.ImportFrom(module=str(module), names=names):
            yield from _imports(node.lineno, [module, *(f"{module}.{alias.name}" for alias in names)])
        case ast.Call(func=ast.Name(id=name)) if name in BANNED_NAMES and not (in_dunder_hash and name == "hash"):
            yield node.lineno, f"calls {name}(): {BANNED_NAMES[name]}"
        case ast.Call(func=ast.Attribute(attr=name)) if name in BANNED_METHODS:
            yield node.lineno, f"calls .{name}(): {BANNED_METHODS[name]}"
        case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="random"):
            yield node.lineno, f"uses numpy.random: {BANNED_MODULES['numpy.random']}"
        case ast.For(iter=over) if _is_set(over):
            yield over.lineno, UNORDERED
        case ast.ListComp(generators=parts) | ast.GeneratorExp(generators=parts):
            # One that makes a set or a look-up table is harmless: there the order is lost anyway.
            yield from ((part.iter.lineno, UNORDERED) for part in parts if _is_set(part.iter))
        case _:
            pass


def _imports(line: int, modules: list[str]) -> Iterator[tuple[int, str]]:
    for banned, why in BANNED_MODULES.items():
        if any(module == banned or module.startswith(banned + ".") for module in modules):
            yield line, f"imports {banned}: {why}"


def _is_set(node: ast.expr) -> bool:
    match node:
        case ast.Set() | ast.SetComp() | ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case _:
            return False


def _bodies_of_dunder_hash(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes inside a `__hash__`, where a salted hash is what the language asks for."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == "__hash__":
            yield from ast.walk(node)
