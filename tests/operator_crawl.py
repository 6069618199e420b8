"""A crawl of loopback hosts that runs in a process of its own while a test gives it orders."""

from __future__ import annotations

import contextlib
import io
import json
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gossamer.app.cli import main
from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import Answer, page

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from pathlib import Path

LEAVES = 3000
PATIENCE = 30.0


@dataclass(frozen=True)
class Told:
    """How a command in this process ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.stdout, self.stderr
        return json.loads(self.stdout)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """JSON lines."""
        return [json.loads(line) for line in self.stdout.splitlines()]


def told(*arguments: str | Path) -> Told:
    """Run a command in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    return Told(code, out.getvalue(), err.getvalue())


def order(*arguments: str | Path) -> dict[str, Any]:
    """An order that must be taken; what came of it."""
    answer = told(*arguments, "--json")
    assert answer.code == 0, answer.stderr
    return answer.json


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait for something that must come about."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)


@dataclass
class Running:
    """The crawl under way, and the site it crawls."""

    folder: Path
    site: small_site.Site
    process: subprocess.Popen[bytes]

    def hits(self, host: str, since: float = 0.0) -> int:
        """Requests of a host that began after a moment."""
        return sum(hit.host == host and hit.started > since for hit in list(self.site.log))

    def more(self, host: str, count: int = 5) -> None:
        """Wait for that many further requests of a host."""
        before = self.hits(host)
        until(lambda: self.hits(host) >= before + count, f"{count} more requests of {host}")

    def state(self, host: str) -> dict[str, Any]:
        """A host's row in the table."""
        rows = told("hosts", self.folder, "--all", "--json").lines
        return next(row for row in rows if row["host"] == host)

    def end(self) -> int:
        """Wait for the end; the exit code."""
        return self.process.wait(PATIENCE)


def table(*hosts: str, leaves: int = LEAVES) -> dict[str, Answer]:
    """Sites of many pages, each host its own bytes."""
    found: dict[str, Answer] = {}
    for host in hosts:
        found[f"//{host}/"] = page(*(f"/{number}" for number in range(leaves)), title=f"root of {host}")
        found |= {f"//{host}/{number}": page(title=f"{number} of {host}") for number in range(leaves)}
    return found


@contextmanager
def running(
    folder: Path, site: small_site.Site, hosts: tuple[str, ...], *flags: str, begun: int = 3
) -> Iterator[Running]:
    """Crawl those hosts until the block ends; it begins when each was asked for so much."""
    seeds = [site.url("/", host) for host in hosts]
    resolved = [part for host in (*hosts, "three.test") for part in ("--resolve", f"{host}=127.0.0.1")]
    process = crawls.start(
        *("crawl", *seeds, "-o", folder, "--quiet", "--gap", "0.02"),
        *(*crawls.LOOPBACK, *crawls.FEW_SHARDS, *resolved, *flags),
    )
    crawl = Running(folder, site, process)
    try:
        until(
            lambda: all(crawl.hits(host) >= begun for host in hosts) or process.poll() is not None, "a crawl under way"
        )
        yield crawl
    finally:
        process.kill()
        process.wait()
