"""CPU per request of the curl fetcher against nginx on loopback.

Run: `PYTHONPATH=.:src python bench/fetcher.py [--requests N] [--hosts N]`.

Prints, for plain and TLS, kept and new connections, at 200 at once: CPU milliseconds a request of this process, and
requests a second. Each of the 200 asks a host of its own. Then one request each to thousands of host names, with the
growth of resident memory: pins must not pile up.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import uvloop

from gossamer.adapters.fetcher_curl import CurlFetcher
from gossamer.core.http.exchange import FetchLimits, FetchRequest
from gossamer.core.http.request import request_fields, user_agent
from tests.servers.misbehaving import make_certificates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PLAIN, TLS = 18080, 18443
NAME = "bench.test"
AT_ONCE = 200
PAGE = b"<!doctype html><title>page</title>" + b"<p>Some words of a page, again and again.</p>\n" * 240
LIMITS = FetchLimits(10, 20, 120, 500, 20, 262_144, 10_485_760)
FIELDS = request_fields(user_agent("0.1", "https://example.org/bot"))
CONFIG = """
worker_processes 1; daemon off; pid nginx.pid; error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000; root pages; default_type text/html;
  client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
  server {{ listen 127.0.0.1:{plain} backlog=4096; }}
  server {{ listen 127.0.0.1:{tls} ssl backlog=4096; ssl_certificate leaf.pem; ssl_certificate_key leaf.key; }}
}}
"""


class WallClock:
    """The port `clock`."""

    def now(self) -> float:
        """Epoch seconds."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Sleep."""
        await asyncio.sleep(seconds)


@contextlib.contextmanager
def nginx() -> Iterator[Path]:
    """A server in a folder of its own; the path of its CA file."""
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        certificates = make_certificates(folder, f"*.{NAME}")
        (folder / "pages").mkdir()
        (folder / "pages" / "index.html").write_bytes(PAGE)
        (folder / "nginx.conf").write_text(CONFIG.format(plain=PLAIN, tls=TLS))
        with subprocess.Popen([binary, "-p", name, "-c", "nginx.conf"]) as process:
            try:
                time.sleep(0.5)
                yield certificates.ca_file
            finally:
                process.terminate()


async def run(fetcher: CurlFetcher, lanes: Iterable[Iterator[str]], keep_seconds: float) -> None:
    """Fetch all URLs of all lanes, one at a time of each lane."""

    async def worker(urls: Iterator[str]) -> None:
        for url in urls:
            exchange = await fetcher.fetch(FetchRequest(url, ("127.0.0.1",), FIELDS, LIMITS, keep_seconds=keep_seconds))
            assert exchange.status == 200, (exchange.failure, exchange.detail)
            assert exchange.body is not None
            assert exchange.body.size == len(PAGE)

    await asyncio.gather(*map(worker, lanes))


def lanes(scheme: str, port: int, requests: int) -> list[Iterator[str]]:
    """That many requests, to as many hosts as are asked at once: a host is asked one thing at a time, as in a crawl."""
    urls = (f"{scheme}://h{lane}.{NAME}:{port}/" for lane in range(AT_ONCE))
    return [iter([url] * (requests // AT_ONCE)) for url in urls]


async def measure(label: str, ca_file: Path, where: tuple[str, int], keep_seconds: float, requests: int) -> None:
    """Print the cost of that many requests."""
    fetcher = CurlFetcher(lambda _: True, WallClock(), ca_file=ca_file)
    await run(fetcher, lanes(*where, 2 * AT_ONCE), keep_seconds)
    cpu, wall = time.process_time(), time.perf_counter()
    await run(fetcher, lanes(*where, requests), keep_seconds)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(f"{label:12} {cpu / requests * 1000:.3f} ms CPU a request, {requests / wall:,.0f} requests/s")
    await fetcher.close()


def resident_bytes() -> int:
    """Resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


async def many_hosts(hosts: int) -> None:
    """One request to each of many names; memory may not grow with them."""
    fetcher = CurlFetcher(lambda _: True, WallClock())
    part = hosts // 4
    for index in range(4):
        before = resident_bytes()
        urls = iter([f"http://h{number}.test:{PLAIN}/" for number in range(index * part, (index + 1) * part)])
        await run(fetcher, [urls] * AT_ONCE, 1.0)
        print(f"hosts to {(index + 1) * part:,}: resident {resident_bytes() - before:+,} bytes")
    await fetcher.close()


async def main() -> None:
    """Measure all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--hosts", type=int, default=20_000)
    options = parser.parse_args()
    with nginx() as ca_file:
        for scheme, port in (("http", PLAIN), ("https", TLS)):
            for word, keep_seconds in (("kept", 30.0), ("new", 0.0)):
                count = options.requests // (4 if scheme == "https" and not keep_seconds else 1)
                await measure(f"{scheme} {word}", ca_file, (scheme, port), keep_seconds, count)
        await many_hosts(options.hosts)


if __name__ == "__main__":
    uvloop.run(main())
