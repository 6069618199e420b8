"""Builds the documentation with mkdocs, strictly, and serves what was built on loopback."""

from __future__ import annotations

import functools
import http.server
import subprocess
from typing import TYPE_CHECKING

from tools.environment import ROOT, python_of

if TYPE_CHECKING:
    from pathlib import Path

PORT = 8000
MKDOCS = (str(python_of("dev")), "-m", "mkdocs")
"""Not with --quiet: warnings that are not shown do not count as such."""


def build(folder: Path) -> int:
    """The site in `folder`, which is replaced; 0 when it was built without a warning, else what went wrong is shown."""
    done = subprocess.run(
        [*MKDOCS, "build", "--clean", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print((done.stdout + done.stderr).strip(), flush=True)
    return done.returncode


def serve(folder: Path, port: int = PORT) -> int:
    """Serve a folder on loopback until Ctrl-C."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"docs: http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C ends)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return 0
    return 0
