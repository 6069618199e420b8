"""Every command of the README, the tutorial and the how-to pages runs as it is written, and prints what the page says.

Each page begins in a fresh folder. The names that it crawls (docs.example.org and others) are sites of nginx with
certificates, at the usual ports of a loopback address, so that no character of a command has to change. Quick: the
tutorial and a few pages.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from tests.docs import page_commands

QUICK = ("missing-page.md", "three-domains.md", "change-settings.md", "stop-a-host.md", "duckdb.md")
PAGES_MIN = 12
COMMANDS_MIN = 50
"""Of a whole run; fewer would mean that blocks have lost their marks."""


def run(quick: bool) -> int:
    if not page_commands.can_serve():
        print(f"port 443 of {page_commands.ADDRESS} cannot be listened at: run this as root, or in `unshare -rn`")
        return 1
    chosen = [path for path in page_commands.pages() if not quick or path.name in QUICK]
    problems: list[str] = []
    ran = checked = 0
    with tempfile.TemporaryDirectory(prefix="gossamer-pages-") as name:
        folder = Path(name)
        with page_commands.internet(folder / "web") as (_, environment):
            for number, path in enumerate(chosen):
                began = time.monotonic()
                page = page_commands.run(path, folder / f"page-{number}", environment)
                problems += page.problems
                ran, checked = ran + page.ran, checked + page.checked
                said = f"{page.ran:3} commands, {page.checked:2} outputs, {time.monotonic() - began:5.1f} s"
                print(f"{path.name:22} {said}  {len(page.problems)} problems", flush=True)
                for reason in page.left_out:
                    print(f"{'':22} left out: {reason}")
    print("\n".join(problems[:20]))
    print(f"{ran} commands of {len(chosen)} pages were run, {checked} outputs compared; {len(problems)} problems")
    too_few = not quick and (ran < COMMANDS_MIN or len(chosen) < PAGES_MIN)
    return 1 if problems or too_few else 0
