"""nginx on loopback, serving folders; its log is the witness of how politely a crawler behaved.

    with nginx([Host(("docs.test",), root, (("127.0.0.1", port),))]) as server:
        ...
    server.hits()

Only the process that was started here is ended, by its number.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.servers.debian import UnavailableError
from tools import programs

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

STARTUP_SECONDS = 10.0
SHUTDOWN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Certificate:
    """Files in PEM format."""

    chain: Path
    key: Path


@dataclass(frozen=True, slots=True)
class Host:
    """One virtual server. With a certificate its ports speak TLS."""

    names: tuple[str, ...]
    root: Path
    listen: tuple[tuple[str, int], ...]
    directives: str = ""
    """Further nginx directives for the server block, e.g. `location = /slow { return 503; }`."""
    certificate: Certificate | None = None
    http2: bool = False
    """Whether HTTP/2 is offered; needs a certificate."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One request as the server saw it. Seconds since the epoch, to the millisecond."""

    started: float
    """First byte of the request read."""
    ended: float
    """Last byte of the answer handed to the system."""
    host: str
    port: int
    method: str
    uri: str
    """Path and query as sent."""
    status: int
    body_bytes: int
    connection: int
    """Number of the connection; equal for requests that shared one."""
    agent: str
    address: str
    """The server's address that was connected to."""


@dataclass(frozen=True, slots=True)
class Nginx:
    """A running nginx, or one that has ended: its log stays readable until the folder goes."""

    folder: Path
    pid: int

    @property
    def log(self) -> Path:
        """One JSON object per finished request."""
        return self.folder / "access.jsonl"

    def hits(self) -> list[Hit]:
        """All finished requests, in the order in which they began."""
        with self.log.open(encoding="utf-8") as lines:
            return sorted((_hit(json.loads(line)) for line in lines), key=lambda hit: (hit.started, hit.ended))


@contextmanager
def nginx(hosts: Sequence[Host], folder: Path | None = None, *, workers: int = 1) -> Generator[Nginx]:
    """Serve the hosts until the block ends. The folder holds configuration and logs; without one a temporary is made.

    Raises UnavailableError where nginx is not installed, RuntimeError with nginx's own words where it does not start.
    """
    program = programs.find("nginx")
    if program is None:
        message = "nginx is not installed (./dev setup tries to)"
        raise UnavailableError(message)
    with tempfile.TemporaryDirectory(prefix="gossamer-nginx-") as temporary:
        home = folder or Path(temporary)
        home.mkdir(parents=True, exist_ok=True)
        (home / "nginx.conf").write_text(configuration(hosts, home, workers), encoding="utf-8")
        (home / "access.jsonl").touch()
        command = [program, "-p", str(home), "-c", str(home / "nginx.conf"), "-e", str(home / "error.log")]
        nothing = subprocess.DEVNULL
        with subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing) as process:
            try:
                _await_ready(process, hosts, home)
                yield Nginx(home, process.pid)
            finally:
                _end(process)


def free_port(address: str = "127.0.0.1") -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as probe:
        probe.bind((address, 0))
        return int(probe.getsockname()[1])


def configuration(hosts: Sequence[Host], home: Path, workers: int) -> str:
    """The whole configuration; nothing of the system's own nginx is read."""
    user = "user root;" if os.geteuid() == 0 else ""  # the cache may be readable by its owner only
    temporary = "\n".join(
        f'    {kind}_temp_path "{home}/{kind}";' for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return _FRAME.format(
        user=user,
        workers=workers,
        home=home,
        temporary=temporary,
        servers="\n".join(_server(host, first=number == 0) for number, host in enumerate(hosts)),
    )


def _server(host: Host, *, first: bool) -> str:
    tls = (" ssl" if host.certificate else "") + (" http2" if host.http2 else "")
    default = " default_server" if first else ""
    listens = [
        f"    listen {f'[{address}]' if ':' in address else address}:{port}{tls}{default};"
        for address, port in host.listen
    ]
    if host.certificate:
        listens.append(f'    ssl_certificate "{host.certificate.chain}"; ssl_certificate_key "{host.certificate.key}";')
    return _SERVER.format(
        listens="\n".join(listens), names=" ".join(host.names), root=host.root, directives=host.directives
    )


def _await_ready(process: subprocess.Popen[bytes], hosts: Iterable[Host], home: Path) -> None:
    until = time.monotonic() + STARTUP_SECONDS
    waiting = {listen for host in hosts for listen in host.listen}
    while waiting:
        waiting = {listen for listen in waiting if not _accepts(listen)}
        if process.poll() is not None or time.monotonic() > until:
            message = f"nginx did not start: {(home / 'error.log').read_text(encoding='utf-8')[-2000:]}"
            raise RuntimeError(message)
        if waiting:
            time.sleep(0.01)


def _accepts(listen: tuple[str, int]) -> bool:
    try:
        with socket.create_connection(listen, timeout=1):
            return True
    except OSError:
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask it to finish what it serves; then insist."""
    process.terminate()
    try:
        process.wait(SHUTDOWN_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def _hit(raw: dict[str, str]) -> Hit:
    ended = float(raw["ended"])
    return Hit(
        started=round(ended - float(raw["took"]), 3),
        ended=ended,
        host=raw["host"],
        port=int(raw["port"]),
        method=raw["method"],
        uri=raw["uri"],
        status=int(raw["status"]),
        body_bytes=int(raw["bytes"]),
        connection=int(raw["connection"]),
        agent=raw["agent"],
        address=raw["address"],
    )


# 403 as 404: a folder without an index page is no page, and the truth calls it dead. A name like index.html.fr.utf8 is
# HTML in a language and a charset; nginx by itself sees only the last part.
_FRAME = """\
daemon off;
{user}
worker_processes {workers};
pid "{home}/nginx.pid";
error_log "{home}/error.log" warn;
events {{ worker_connections 4096; }}
http {{
    log_format hit escape=json '{{"ended":"$msec","took":"$request_time","host":"$host","port":"$server_port",'
        '"method":"$request_method","uri":"$request_uri","status":"$status","bytes":"$body_bytes_sent",'
        '"connection":"$connection","agent":"$http_user_agent","address":"$server_addr"}}';
    access_log "{home}/access.jsonl" hit;
{temporary}
    types {{
        text/html html htm shtml;
        application/xhtml+xml xhtml;
        text/css css;
        text/plain txt;
        text/xml xml;
        application/javascript js;
        application/json json;
        application/pdf pdf;
        image/png png;
        image/gif gif;
        image/jpeg jpg jpeg;
        image/svg+xml svg;
        font/woff2 woff2;
    }}
    default_type application/octet-stream;
    server_names_hash_bucket_size 128;
    sendfile on;
    tcp_nodelay on;
    keepalive_timeout 75s;
    keepalive_requests 1000000;
    server_tokens off;
{servers}
}}
"""

_SERVER = """\
server {{
{listens}
    server_name {names};
    root "{root}";
    index index.html;
    error_page 403 =404 /gossamer-tests-no-such-page;
    location ~ "\\.html\\.[A-Za-z0-9._-]+$" {{ types {{ }} default_type text/html; }}
    {directives}
}}
"""
