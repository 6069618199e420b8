"""The teaching exercises this crawler's design grew from, each in a few lines of standard library.

They stand outside the crawler and use nothing of it; docs/lessons.md shows for each the place in the crawler that does
the same at scale. From the command line they read standard input:

    python -m gossamer.lessons normalize|extract-links|polite-frontier|crawl
    python -m gossamer.lessons is-allowed ROBOTS_FILE
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlparse

NOT_PAGES = (".jpg", ".jpeg", ".png", ".gif", ".pdf", ".zip")
"""Ends of paths, in any case, that are no pages."""

Page = tuple[str, list[str]]
"""Content and links of a page of a simulated web."""


def normalize(base: str, href: str) -> tuple[str, str]:
    """(url, host) of `href` found on `base`: scheme://host/path, the host in lower case; ("", "") without a host.

    The fragment, parameters, query, port and user are left out; an empty path is "/".
    """
    try:
        parts = urlparse(urldefrag(urljoin(base, href)).url)
        host = (parts.hostname or "").lower()
    except ValueError:
        return "", ""
    if not host:
        return "", ""
    return f"{parts.scheme}://{host}{parts.path or '/'}", host


class _Anchors(HTMLParser):
    """Gathers the href of every `a`."""

    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser for each start tag."""
        if tag == "a":
            self.hrefs += [value for name, value in attrs if name == "href" and value is not None][:1]


def extract_links(base_url: str, html: str, max_len: int) -> list[str]:
    """The links of a page in the order first seen: resolved, without fragment, http and https only.

    Those to files that are no pages, and those longer than `max_len` characters, are dropped.
    """
    parser = _Anchors()
    parser.feed(html)
    parser.close()
    found: dict[str, None] = {}
    for href in parser.hrefs:
        try:
            url = urldefrag(urljoin(base_url, href)).url
            parts = urlparse(url)
        except ValueError:
            continue
        if parts.scheme in ("http", "https") and len(url) <= max_len and not parts.path.lower().endswith(NOT_PAGES):
            found[url] = None
    return list(found)


class PoliteFrontier:
    """A queue for each host, and never two URLs of one host in a batch."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[str]] = {}

    def add(self, url: str) -> None:
        """Put a URL at the end of its host's queue."""
        self._queues.setdefault(urlparse(url).netloc, deque()).append(url)

    def next_batch(self) -> list[str]:
        """One URL of each host, hosts in the order their queues were made; [] when nothing is left."""
        batch = [queue.popleft() for queue in self._queues.values()]
        self._queues = {host: queue for host, queue in self._queues.items() if queue}
        return batch


def is_allowed(robots: str, agent: str, path: str) -> bool:
    """Whether a robots.txt lets `agent` fetch `path`: the Disallow lines of its own group, else of `*`.

    A pattern matches from the start of the path; `*` stands for anything, `$` at the end for the path's end.
    """
    groups = _groups(robots)
    rules = groups.get(agent.lower(), groups.get("*", []))
    return not any(_matches(rule, path) for rule in rules)


def _groups(robots: str) -> dict[str, list[str]]:
    """Lower-case agent -> its Disallow patterns. Each User-agent line starts or resumes the group of that name."""
    groups: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in robots.splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        if not colon:
            continue
        key, value = key.strip().lower(), value.strip()
        if key == "user-agent":
            current = groups.setdefault(value.lower(), [])
        elif key == "disallow" and value and current is not None:
            current.append(value)
    return groups


def _matches(pattern: str, path: str) -> bool:
    anchored = pattern.endswith("$")
    parts = map(re.escape, (pattern[:-1] if anchored else pattern).split("*"))
    return re.match(".*".join(parts) + (r"\Z" if anchored else ""), path, re.DOTALL) is not None


def crawl(seeds: Iterable[str], web: Mapping[str, Page], max_pages: int) -> list[str]:
    """Breadth first over a simulated web; the log, a line an attempt: "fetch URL", "duplicate URL", "error URL".

    A URL is seen once it is queued. A page whose content was fetched before is a duplicate: its links are not
    followed. Fetches and duplicates count towards `max_pages`, errors do not.
    """
    queue = deque(dict.fromkeys(seeds))
    seen, digests = set(queue), set[bytes]()
    log: list[str] = []
    downloads = 0
    while queue and downloads < max_pages:
        url = queue.popleft()
        if url not in web:
            log.append(f"error {url}")
            continue
        content, links = web[url]
        downloads += 1
        digest = hashlib.sha256(content.encode()).digest()
        if digest in digests:
            log.append(f"duplicate {url}")
            continue
        digests.add(digest)
        log.append(f"fetch {url}")
        new = [link for link in dict.fromkeys(links) if link not in seen]
        seen.update(new)
        queue.extend(new)
    return log


# --- on standard input --------------------------------------------------------------------------------------------


def _normalize(lines: list[str]) -> list[str]:
    rows = (line.split(None, 1) for line in lines if line.strip())
    return [str(normalize(row[0], row[1].strip() if len(row) > 1 else "")) for row in rows]


def _extract_links(lines: list[str]) -> list[str]:
    base_url, max_len = lines[0].split()
    return extract_links(base_url, "\n".join(lines[1:]), int(max_len))


def _polite_frontier(lines: list[str]) -> list[str]:
    frontier = PoliteFrontier()
    for line in lines:
        if line.strip():
            frontier.add(line.strip())
    batches: list[str] = []
    while batch := frontier.next_batch():
        batches.append(" ".join(batch))
    return batches


def _is_allowed(robots: str, lines: list[str]) -> list[str]:
    rows = (line.split(None, 1) for line in lines if line.strip())
    return ["true" if is_allowed(robots, row[0], row[1].strip() if len(row) > 1 else "") else "false" for row in rows]


def _crawl(lines: list[str]) -> list[str]:
    rows = (line.split() for line in lines[2:] if line.strip())
    web = {url: (content, [] if links == "-" else links.split(",")) for url, content, links in rows}
    return crawl(lines[0].split(), web, int(lines[1]))


LESSONS: dict[str, Callable[[list[str]], list[str]]] = {
    "normalize": _normalize,
    "extract-links": _extract_links,
    "polite-frontier": _polite_frontier,
    "crawl": _crawl,
}


def main(arguments: list[str]) -> int:
    """Run one lesson on standard input; results go to standard output, one a line."""
    name = arguments[0] if arguments else ""
    if name == "is-allowed" and len(arguments) == 2:
        robots = Path(arguments[1]).read_text(encoding="utf-8", errors="replace")
        results = _is_allowed(robots, sys.stdin.read().splitlines())
    elif name in LESSONS and len(arguments) == 1:
        results = LESSONS[name](sys.stdin.read().splitlines())
    else:
        sys.stderr.write(f"usage: python -m gossamer.lessons {'|'.join(LESSONS)}, or is-allowed ROBOTS_FILE\n")
        return 2
    sys.stdout.writelines(f"{line}\n" for line in results)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
