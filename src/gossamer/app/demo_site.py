"""The demo's web site as a child process that ends with us, whatever happens to us."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Self

from gossamer.app import demo_server
from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit

if TYPE_CHECKING:
    from types import TracebackType

START_SECONDS: Final = 20.0
"""How long the child may take to say its port; a slow disk loads the library in two."""
END_SECONDS: Final = 5.0


class DemoSite:
    """Serves while the `with` block lasts. `url` is its start page."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="gossamer-demo-")
        # The Python below the virtual environment, isolated (-I) and without installed packages (-S).
        python = getattr(sys, "_base_executable", None) or sys.executable
        self._process = subprocess.Popen(  # noqa: S603 - our own file, by our own Python
            [python, "-I", "-S", os.fspath(Path(demo_server.__file__).absolute())],
            cwd=self._folder.name,
            env={},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.url = ""

    def __enter__(self) -> Self:
        try:
            self.url = f"http://127.0.0.1:{self._port()}/index.html"
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the child; calling it twice is harmless."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def _port(self) -> int:
        output = self._process.stdout
        line = _first_line(output) if output is not None else b""
        if not line.strip().isdigit():
            raise UserError(
                "the demo's web site did not start",
                "its Python may come without the pydoc module; on Debian that is the package python3",
                Exit.NOTHING_FETCHED,
            )
        return int(line)


def _first_line(output: IO[bytes]) -> bytes:
    """The first line, or nothing when it does not come in time."""
    with selectors.DefaultSelector() as ready:
        ready.register(output, selectors.EVENT_READ)
        return output.readline(100) if ready.select(START_SECONDS) else b""
