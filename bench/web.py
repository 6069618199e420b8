"""Many small hosts on loopback that serve one of the page sets: nginx, files written beforehand, every page distinct.

Each host has an address of its own. A page is a real one whose relative links lead to its host's pages, equal targets
to equal ones, with a foot of its own, so that no two pages of the web are equal; links to other sites stay, and lead a
crawl of these hosts nowhere but to its rows of refusals, as in life.

The files are gzip-coded as by a server at level 6 and sent as they are (`gzip_static`): making pages distinct costs
nothing while they are sent. What nginx took is told in `Web.server_seconds`. With more than one core the server runs on
the last and whoever asks on the first.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench import page_sets
from gossamer.app.bench.pages import Deflated, deflate, gzipped, led
from tests.servers.many_hosts import addresses_of
from tests.servers.nginx import Certificate, Host, Nginx, free_port, nginx

NEXT_PAGES: Final = 4
"""Links in a foot to pages further on, beside the page's own links: so all pages of a host are found."""
ROBOTS: Final = "User-agent: *\\nDisallow: /private/\\n"
DIRECTIVES: Final = """
    access_log off; gzip_static always; charset utf-8; tcp_nopush on; keepalive_timeout {keep};
    ssl_protocols TLSv1.3; ssl_session_cache off; ssl_session_tickets off;
    location = /robots.txt {{ default_type text/plain; return 200 "{robots}"; }}
"""
MEMORY: Final = Path("/dev/shm")


@dataclass(frozen=True)
class Shape:
    """What a web is made of."""

    pages: str = "55"
    """Name of the set."""
    hosts: int = 64
    pages_of_a_host: int = 32

    @property
    def count(self) -> int:
        """Pages in all."""
        return self.hosts * self.pages_of_a_host


@dataclass(frozen=True)
class Files:
    """A web on disk: `roots[n]` is the folder that host n serves."""

    shape: Shape
    folder: Path
    paths: tuple[str, ...]
    """Path of each page of a host: the same on all of them."""
    decoded: int
    """Mean bytes of a page, decoded."""
    coded: int
    """Mean bytes of a page as sent."""

    def host(self, number: int) -> str:
        """Name of a host."""
        return f"h{number}.test"


@dataclass(frozen=True)
class Web:
    """A web that is being served."""

    files: Files
    scheme: str
    port: int
    addresses: tuple[str, ...]
    ca_file: Path | None
    server: Nginx

    def origin(self, number: int) -> str:
        """Scheme, name and port of a host."""
        return f"{self.scheme}://{self.files.host(number)}:{self.port}"

    def seeds(self) -> list[str]:
        """The first page of each host."""
        return [self.origin(number) + self.files.paths[0] for number in range(self.files.shape.hosts)]

    def urls(self) -> list[tuple[str, str]]:
        """Every page and the address it is at, host by host in turn, so that neighbours are of different hosts."""
        hosts = [(self.origin(number), self.addresses[number]) for number in range(self.files.shape.hosts)]
        return [(origin + path, address) for path in self.files.paths for origin, address in hosts]

    def names(self) -> str:
        """Names and addresses as in a hosts file."""
        return "".join(f"{address} {self.files.host(number)}\n" for number, address in enumerate(self.addresses))

    def server_seconds(self) -> float:
        """CPU seconds of the server so far."""
        return sum(map(_cpu_seconds, _family(self.server.pid)))


@contextlib.contextmanager
def written(shape: Shape) -> Iterator[Files]:
    """A web's files, in memory where the system has such a place."""
    with tempfile.TemporaryDirectory(prefix="gossamer-web-", dir=MEMORY if MEMORY.is_dir() else None) as name:
        yield write(shape, Path(name))


def write(shape: Shape, folder: Path) -> Files:
    """Write a web's files into a folder."""
    real = page_sets.pages_of(shape.pages)
    paths = tuple(f"/{real[number % len(real)].name}-{number}.html" for number in range(shape.pages_of_a_host))
    pieces = [deflate(led(page.text, lambda n: paths[n % len(paths)].encode())) for page in real]
    decoded = coded = 0
    for host in range(shape.hosts):
        root = folder / f"h{host}.test"
        for parent in {(root / path[1:]).parent for path in paths}:
            parent.mkdir(parents=True, exist_ok=True)
        for number, path in enumerate(paths):
            body, length = _page(pieces[(host + number) % len(pieces)], host, number, paths)
            (root / f"{path[1:]}.gz").write_bytes(body)
            decoded, coded = decoded + length, coded + len(body)
    return Files(shape, folder, paths, decoded // shape.count, coded // shape.count)


def _page(piece: Deflated, host: int, number: int, paths: tuple[str, ...]) -> tuple[bytes, int]:
    further = (paths[(number * NEXT_PAGES + step) % len(paths)] for step in range(1, NEXT_PAGES + 1))
    links = " ".join(f'<a href="{path}">{path}</a>' for path in further)
    foot = f"<p>Host {host}, page {number}: {links}</p>\n</body></html>\n".encode()
    return b"".join(gzipped(piece, foot)), piece.length + len(foot)


@contextlib.contextmanager
def served(files: Files, *, tls: bool, kept: bool) -> Iterator[Web]:
    """Serve a web's files. Connections are kept, or closed by the server after each answer; TLS resumes no session."""
    hosts = files.shape.hosts
    port = free_port()
    addresses = tuple(addresses_of(hosts))
    directives = DIRECTIVES.format(keep="75s" if kept else "0", robots=ROBOTS)
    with tempfile.TemporaryDirectory(prefix="gossamer-certificates-") as name:
        names = [files.host(number) for number in range(hosts)]
        certificates = _certificates(Path(name), names) if tls else [None] * hosts
        servers = [
            Host((names[n],), files.folder / names[n], ((addresses[n], port),), directives, certificates[n])
            for n in range(hosts)
        ]
        with nginx(servers) as server:
            for process in _family(server.pid):
                pin(process, first=False)
            ca_file = Path(name) / "ca.pem" if tls else None
            yield Web(files, "https" if tls else "http", port, addresses, ca_file, server)


def _certificates(folder: Path, names: list[str]) -> list[Certificate]:
    """An ECDSA P-256 certificate for each name, all on one key, signed by one authority (`ca.pem`)."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Bench CA", "-days", "2")
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "leaf.key")
    for name in names:
        extensions = ("-addext", f"subjectAltName=DNS:{name}", "-addext", "basicConstraints=critical,CA:FALSE")
        signed = ("-key", "leaf.key", "-out", f"{name}.pem", "-CA", "ca.pem", "-CAkey", "ca.key", *extensions)
        openssl("req", "-x509", *signed, "-subj", f"/CN={name}", "-days", "2")
    return [Certificate(folder / f"{name}.pem", folder / "leaf.key") for name in names]


def pin(process: int, *, first: bool) -> None:
    """Keep a process (0: this one, with all it starts) on the first core, or on the last; with one core it stays."""
    cores = sorted(os.sched_getaffinity(0)) if process == 0 else sorted(os.sched_getaffinity(process))
    if len(cores) > 1:
        os.sched_setaffinity(process, {cores[0] if first else cores[-1]})


def _family(process: int) -> list[int]:
    """A process and its children."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8")
    except OSError:
        return [process]
    return [process, *map(int, children.split())]


def _cpu_seconds(process: int) -> float:
    """CPU seconds of a process so far; 0 for one that is gone."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
