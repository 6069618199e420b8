"""Gossamer: a polite, durable web crawler.

    import gossamer

    for page in gossamer.crawl("https://docs.example.org/", max_pages=500):
        print(page.url, page.title, len(page.links))

`gossamer.Crawl` is the same for programs with an event loop; docs/reference-python.md describes every name.

The package is built in layers, each of which may import only those to its left:

    core  <-  ports  <-  ( flow | adapters | plugins )  <-  simulation  <-  app

``core`` decides, ``ports`` says what a decision needs from the world, ``flow`` is the crawl loop, ``adapters`` are the
world, ``simulation`` is a made-up world, and ``app`` puts the parts together. One noun names one thing everywhere: the
folder in ``core/``, the file in ``ports/``, the prefix in ``adapters/`` and the folder in ``tests/``.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from gossamer import errors
    from gossamer.app.python.blocking import BlockingCrawl, crawl, resume
    from gossamer.app.python.capture import Capture
    from gossamer.app.python.crawl import Crawl
    from gossamer.app.python.page import Headers, Link, Page, PageLinks
    from gossamer.app.python.summary import Summary

__all__ = [
    "BlockingCrawl",
    "Capture",
    "Crawl",
    "Headers",
    "Link",
    "Page",
    "PageLinks",
    "Summary",
    "crawl",
    "errors",
    "resume",
]

# Loaded when first asked for: the crawler's libraries take half a second, and the command line needs few of them.
_HOME = {
    "BlockingCrawl": "gossamer.app.python.blocking",
    "Capture": "gossamer.app.python.capture",
    "Crawl": "gossamer.app.python.crawl",
    "Headers": "gossamer.app.python.page",
    "Link": "gossamer.app.python.page",
    "Page": "gossamer.app.python.page",
    "PageLinks": "gossamer.app.python.page",
    "Summary": "gossamer.app.python.summary",
    "crawl": "gossamer.app.python.blocking",
    "resume": "gossamer.app.python.blocking",
}


def __getattr__(name: str) -> Any:
    import importlib  # noqa: PLC0415 - only for names of the Python interface

    if name == "errors":
        return importlib.import_module("gossamer.errors")
    if name not in _HOME:
        raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
