"""One parser under Atheris: `python -m proofs.fuzz_one NAME [libFuzzer's options] [corpus]`. Ends the process."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["gossamer"]):
    from tests.fuzz_targets import TARGETS


def main() -> None:
    """Fuzz until the time is over or an invariant breaks."""
    name = sys.argv.pop(1)
    target = next(target for target in TARGETS if target.name == name)
    atheris.Setup(sys.argv, target.check)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
