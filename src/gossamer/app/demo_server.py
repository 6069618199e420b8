"""The documentation that every Python carries, as a web site on loopback. Standard library only, nothing of ours.

Run it as a script: it prints its port and serves until its standard input ends. It is meant for `python -I -S` in an
empty folder, so that no stranger's module can be found. Pages are made by `pydoc`, which imports the module it
describes: modules whose import does things are kept out, here as well as by the demo crawl's own filter.
"""

from __future__ import annotations

import contextlib
import io
import os
import pydoc
import re
import sys
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

KEPT_OUT = (
    "__main__",
    "__phello__",
    "antigravity",
    "idlelib",
    "lib2to3",
    "pip",
    "test",
    "this",
    "tkinter",
    "turtle",
    "turtledemo",
)
"""Modules that open windows or browsers, print, or run something when imported, and all below them."""

KEPT_OUT_BELOW = ("__main__", "test", "tests")
"""Parts of a dotted name that mark programs and tests, which pydoc must not import either."""

MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*")


def kept_out_pattern() -> str:
    """An RE2 pattern of the page addresses that are kept out."""
    first, below = "|".join(KEPT_OUT), "|".join(KEPT_OUT_BELOW)
    return rf"^[a-z]+://[^/]+/(?:(?:{first})(?:\.[^/]*)?|[^/]*\.(?:{below})(?:\.[^/]*)?)\.html"


def is_kept_out(module: str) -> bool:
    """Whether this module's page is not served."""
    first, *below = module.split(".")
    return first in KEPT_OUT or any(part in KEPT_OUT_BELOW for part in below)


def page(path: str) -> str | None:
    """The page at `path`; None when there is none."""
    name = unquote(path.partition("?")[0]).removeprefix("/").removesuffix(".html")
    if name in {"", "index"}:
        return pydoc.html.page("Python documentation", _index())
    if not MODULE.fullmatch(name) or is_kept_out(name):
        return None
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            found = pydoc.locate(name)
            return None if found is None else pydoc.html.page(pydoc.describe(found), pydoc.html.document(found, name))
    except pydoc.ErrorDuringImport:
        return None


def _index() -> str:
    seen: dict[str, bool] = {}
    builtin = [name for name in sys.builtin_module_names if not is_kept_out(name)]
    links = pydoc.html.multicolumn(builtin, lambda name: f'<a href="{name}.html">{name}</a>')
    parts = [pydoc.html.bigsection("Built-in Modules", "index", links)]
    parts += [pydoc.html.index(folder, seen) for folder in sys.path if os.path.isdir(folder)]  # noqa: PTH112
    return "".join(parts)


class DocumentationHandler(BaseHTTPRequestHandler):
    """Answers GET with pages; keeps connections."""

    protocol_version = "HTTP/1.1"
    server_version = "pydoc"
    timeout = 60

    def do_GET(self) -> None:
        """Called for each GET request."""
        try:
            text = page(self.path)
        except Exception as error:  # noqa: BLE001 - any module can fail to describe itself
            self._send(500, f"<title>500</title><p>pydoc cannot describe this: {type(error).__name__}</p>")
            return
        self._send(200 if text is not None else 404, text or "<title>404</title><p>no such module</p>")

    def _send(self, status: int, text: str) -> None:
        body = text.encode("utf-8", "replace")
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name for it
        """Say nothing."""


def main() -> None:
    """Serve on a free port of 127.0.0.1 until standard input ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), DocumentationHandler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdout.write(f"{server.server_address[1]}\n")
    sys.stdout.flush()
    sys.stdin.read()
    server.shutdown()


if __name__ == "__main__":
    main()
