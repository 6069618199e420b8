"""The measured web as a child process that ends with us, whatever happens to us."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit

if TYPE_CHECKING:
    from collections.abc import Generator

END_SECONDS: Final = 5.0


@dataclass(slots=True)
class Site:
    """A running web of so many hosts, all at 127.0.0.1."""

    hosts: int
    port: int
    path: str
    """Of the first page of each host."""
    server_seconds: float = field(default=0.0)
    """CPU that the server took for its answers; known when it has ended."""

    @property
    def names(self) -> list[str]:
        """Names of the hosts: each a site of its own."""
        return [f"host-{number}.test" for number in range(self.hosts)]

    @property
    def seeds(self) -> list[str]:
        """The first page of each host."""
        return [f"http://{name}:{self.port}{self.path}" for name in self.names]


@contextmanager
def served(hosts: int) -> Generator[Site]:
    """Serve while the block lasts. Raises UserError where the child does not start."""
    command = [sys.executable, "-P", "-m", "gossamer.app.bench.server"]
    with subprocess.Popen(  # noqa: S603 - our own module, by our own Python
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        started = _line(process.stdout)
        if not started:
            raise UserError("the measured web did not start", "gossamer doctor says what is missing here", Exit.BUG)
        site = Site(hosts, started["port"], started["path"])
        try:
            yield site
        finally:
            if process.stdin is not None:
                process.stdin.close()
            site.server_seconds = _line(process.stdout).get("cpu_seconds", 0.0)
            _end(process)


def _line(output: IO[str] | None) -> dict[str, Any]:
    """The next line of the child; empty when it has ended."""
    line = output.readline() if output is not None else ""
    found: dict[str, Any] = json.loads(line) if line else {}
    return found


def _end(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
