"""The tutorial's commands run, in its order, with a site on loopback in the place of the reader's."""

from __future__ import annotations

import os
import shlex
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests import crawls
from tests.docs.documents import DOCS, FENCE, ROOT
from tests.servers import small_site
from tests.servers.small_site import page

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

PLACEHOLDER = "https://docs.example.org/"
SITE = {
    "/": page(*(f"/{number}" for number in range(30)), "/changelog/1"),
    **{f"/{number}": page(title=f"page {number}") for number in range(30)},
    "/changelog/1": page(title="what changed"),
}


def tutorial_lines() -> list[str]:
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    blocks = [block for kind, block in FENCE.findall(text) if kind == "sh"]
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def adapted(line: str, site: small_site.Site) -> str:
    """The line for this machine: the tree's own program and Python, a site on loopback without a gap, a short demo."""
    program = shlex.join(crawls.command())
    if line.startswith("./gossamer demo"):
        return line.replace("./gossamer", program) + " --max-pages 30"
    if PLACEHOLDER in line:
        here = f"http://docs.example.org:{site.port}/"
        allowed = "--resolve docs.example.org=127.0.0.1 --allow-address 127.0.0.0/8 --gap 0"
        line = f"{line.replace(PLACEHOLDER, here)} {allowed}"
    if line.startswith(".venv/bin/python"):
        return line.replace(".venv/bin/python", shlex.join(crawls.command()[:1]), 1)
    return line.replace("./gossamer", program)


def test_the_tutorial_runs(tmp_path: Path) -> None:
    lines = tutorial_lines()
    assert len(lines) >= 8
    environment = {**crawls.environment(), "PYTHONPATH": os.fspath(ROOT / "src")}
    with small_site.serve(SITE) as site:
        for line in lines:
            done = subprocess.run(
                adapted(line, site),
                shell=True,
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            assert done.stdout, line
    crawl = crawls.Crawl(tmp_path / "docs-crawl")
    assert len(crawl.fetched()) == len(SITE)
    assert crawl.summary()["end_state"] == "complete"
