"""Write docs/conformance.md from the suites."""

from __future__ import annotations

import sys

from tests.conformance.frame import results
from tests.conformance.page import PAGE, table, text
from tests.published import ABSENT, SHARED


def main() -> int:
    """Write the page; 1 where a suite is not fit to publish, 2 where there are none."""
    if not SHARED.is_dir():
        print(ABSENT, file=sys.stderr)
        return 2
    faults = [f"{result.suite.name}: {fault}" for result in results() for fault in result.faults()]
    PAGE.write_text(text(results()), encoding="utf-8")
    print("\n".join(table(results())))
    print("\n".join(faults), file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
