"""The verbs of ./dev. Each is one function of its arguments that returns an exit code."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, NoReturn

from tools import programs, scripts
from tools.environment import ROOT, python_of
from tools.house import pages
from tools.site import builder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SITE = ROOT / "build" / "docs"
USAGE = """\
usage: ./dev VERB

  setup                  make .venv with everything a developer needs
  check                  lint, format, types, layers and house rules (changes nothing)
  test [PYTEST ARGS]     all tests, or those that the arguments choose
  prove NAME [--quick]   one proof from proofs/; --list says what each shows
  bench NAME [ARGS]      one measurement from bench/; --list says what each measures
  bench --ratchet        hold this tree to the counts that were reached (--record keeps its own)
  simulate ...           the same as ./gossamer simulate ...
  docs [--serve]         the documentation as a site in build/docs; dead links and paths fail it
"""

CHECKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("lint", ("ruff", "check", "--quiet", ".")),
    ("format", ("ruff", "format", "--check", "--quiet", ".")),
    ("layers", ("lint-imports", "--no-logo")),
    ("types, mypy", ("mypy", "--no-error-summary")),
    ("types, pyright", ("basedpyright", "--level", "error")),
    ("house rules", ("pytest", "--quiet", "tests/house", "-m", "not slow")),
)


def setup(arguments: Sequence[str]) -> int:
    """The launcher has made the environment; what tests need of the system follows here."""
    missing = programs.ensure(programs.WANTED_BY_TESTS)
    for program, reason in missing.items():
        print(f"not here: {program} ({reason}); the tests that need it will be skipped")
    print(f"ready: {python_of('dev')}")
    return 0 if not arguments else usage()


def check(arguments: Sequence[str]) -> int:
    """Run every check to its end, so that one run shows all that is wrong."""
    if arguments:
        return usage()
    failed: list[str] = []
    for name, (program, *rest) in CHECKS:
        began = time.monotonic()
        command = [str(python_of("dev").with_name(program)), *rest]
        done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        good = done.returncode == 0
        print(f"{'ok' if good else 'FAILED':6} {name} ({time.monotonic() - began:.1f} s)", flush=True)
        if not good:
            failed.append(name)
            print((done.stdout + done.stderr).rstrip(), flush=True)
    print(f"check: {'all hold' if not failed else 'failed: ' + ', '.join(failed)}", flush=True)
    return 1 if failed else 0


def test(arguments: Sequence[str]) -> int:
    """Run pytest as this process's successor, so that its closing line is the last one."""
    missing = programs.ensure(programs.WANTED_BY_TESTS)
    for program, reason in missing.items():
        print(f"not here: {program} ({reason})", flush=True)
    if missing and programs.in_ci():
        print("test: CI must have these programs; nothing was run", file=sys.stderr)
        return 1
    return _become([str(python_of("dev")), "-m", "pytest", *arguments])


def _become(command: list[str]) -> NoReturn:
    os.execv(command[0], command)


def prove(arguments: Sequence[str]) -> int:
    """One proof."""
    rest = [argument for argument in arguments if argument != "--quick"]
    chosen = scripts.choose("prove", scripts.proofs(), rest)
    if isinstance(chosen, int):
        return chosen
    if len(rest) > 1:
        return usage()
    return scripts.prove(f"proofs.{chosen}", quick="--quick" in arguments)


def bench(arguments: Sequence[str]) -> int:
    """One measurement, with the arguments that are its own."""
    if list(arguments[:1]) == ["--ratchet"]:
        arguments = ["ratchet", *arguments[1:]]
    chosen = scripts.choose("bench", scripts.measurements(), arguments)
    if isinstance(chosen, int):
        return chosen
    return _become([str(python_of("dev")), "-m", f"bench.{chosen}", *arguments[1:]])


def docs(arguments: Sequence[str]) -> int:
    """Check the documentation's links and paths, build the site, and show it where that is asked for."""
    if list(arguments) not in ([], ["--serve"]):
        return usage()
    findings = pages.find(ROOT)
    print("\n".join(findings) or "docs: every link and path leads somewhere", flush=True)
    code = builder.build(SITE)
    if findings or code:
        return 1
    print(f"docs: {SITE.relative_to(ROOT)}/index.html", flush=True)
    return builder.serve(SITE) if arguments else 0


def usage() -> int:
    """What there is, on stderr."""
    print(USAGE, end="", file=sys.stderr)
    return 2


VERBS: dict[str, Callable[[Sequence[str]], int]] = {
    "setup": setup,
    "check": check,
    "test": test,
    "prove": prove,
    "bench": bench,
    "docs": docs,
}


def main(arguments: Sequence[str]) -> int:
    """Run one verb."""
    if arguments and arguments[0] in {"-h", "--help", "help"}:
        print(USAGE, end="")
        return 0
    verb = VERBS.get(arguments[0]) if arguments else None
    return verb(arguments[1:]) if verb else usage()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
