"""Which URLs a page links to: known and new ones of a filled shard, by two traces.

*zipf*: site locality, as on the web. Of a page's links most stay on its host, the others lead to hosts drawn by their
size, and within a host to pages drawn by a power law, so what was met a moment ago is met again.
*uniform*: every known URL as likely as any other, new ones on hosts drawn evenly: no cache of recent things helps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from bench.filled_rows import Numbers, host_name
from bench.filled_shard import Shape, sizes_of

LINKS: Final = 100
KNOWN_SHARE: Final = 0.85
OWN_HOST_SHARE: Final = 0.8
TRACES: Final = ("zipf", "uniform")


@dataclass
class Trace:
    """Links of pages of a shard of that shape."""

    shape: Shape
    kind: str
    chance: np.random.Generator
    before: int = 0
    """URLs named as new in earlier runs, at most so many on one host."""
    added: dict[int, int] = field(default_factory=dict[int, int])
    """Host number -> new URLs named there in this run, by any trace."""
    sizes: Numbers = field(init=False)
    """URLs of each host, by its number."""
    ends: Numbers = field(init=False)

    def __post_init__(self) -> None:
        self.sizes = sizes_of(self.shape.urls, self.shape.host_count)
        self.ends = np.cumsum(self.sizes)

    def links(self, host: int, count: int = LINKS) -> list[str]:
        """The distinct URLs that a page of a host links to, known ones and new ones."""
        known = round(count * KNOWN_SHARE)
        return list(dict.fromkeys(self.known(known, host) + self.new(count - known, host)))

    def known(self, count: int, host: int | None = None) -> list[str]:
        """URLs that are known; for zipf mostly of one host, where one is given."""
        hosts = self._hosts(count)
        if self.kind == "uniform":
            pages = (self.chance.random(count) * self.sizes[hosts]).astype(np.int64)
        else:
            if host is not None:
                hosts = np.where(self.chance.random(count) < OWN_HOST_SHARE, host, hosts)
            pages = (self.chance.random(count) ** 3 * self.sizes[hosts]).astype(np.int64)
        return [self.url(at, page) for at, page in zip(hosts.tolist(), pages.tolist(), strict=True)]

    def new(self, count: int, host: int | None = None) -> list[str]:
        """URLs that nobody has named yet."""
        if self.kind == "uniform":
            hosts = self.chance.integers(0, len(self.sizes), count)
        else:
            hosts = self._hosts(count)
            if host is not None:
                hosts = np.where(self.chance.random(count) < OWN_HOST_SHARE, host, hosts)
        return [self._next(at) for at in hosts.tolist()]

    def absent(self, count: int) -> list[str]:
        """URLs that are not known and never will be."""
        pages = self.chance.integers(50_000_000, 99_000_000, count).tolist()
        return [self.url(at, page) for at, page in zip(self._hosts(count).tolist(), pages, strict=True)]

    def url(self, host: int, page: int) -> str:
        """The URL of a page of a host, both by number."""
        site = host - (host % 4 == 3)
        name, port = host_name(host, site), self.shape.port
        start = f"http://{name}:{port}" if port else f"https://{name}"
        return f"{start}/docs/{page:08}.html"

    def _hosts(self, count: int) -> Numbers:
        """Hosts by their size: each known URL as likely as any other."""
        return np.searchsorted(self.ends, self.chance.integers(0, self.shape.urls, count), side="right")

    def _next(self, host: int) -> str:
        added = self.added[host] = self.added.get(host, 0) + 1
        return self.url(host, int(self.sizes[host]) + self.before + added - 1)


def host_number(host: str) -> int:
    """The number of a host, from its name."""
    return int(host[1 : host.index(".")])
