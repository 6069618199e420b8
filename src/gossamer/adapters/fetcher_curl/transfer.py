"""One attempt at an exchange: what libcurl calls back, and what came of it."""

from __future__ import annotations

import asyncio
import re
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pycurl

from gossamer.adapters.fetcher_curl import failures, options
from gossamer.adapters.fetcher_curl.body import SpooledBody
from gossamer.adapters.fetcher_curl.multi import CurlMulti, Result
from gossamer.core.http import media_type
from gossamer.core.http.exchange import Exchange, FailureKind, FetchRequest, Truncation
from gossamer.core.http.headers import Head, parse_head

if TYPE_CHECKING:
    from gossamer.adapters.fetcher_curl.due import DueTimes
    from gossamer.adapters.fetcher_curl.kept import Connection, KeptConnections
    from gossamer.core.http.host_request import Proxy
    from gossamer.ports.clock import Clock

_TLS_VERSION: Final = re.compile(rb"SSL connection using TLSv([0-9.]+)")
_EMPTY_LINES: Final = (b"\r\n", b"\n")
_HTTP2: Final = re.compile(rb"HTTP/2[ \t]+(\d{3})[^\r\n]*\r?\n")
_STATUS: Final = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})")


@dataclass(frozen=True, slots=True)
class World:
    """What all transfers of a fetcher share."""

    multi: CurlMulti
    kept: KeptConnections
    due: DueTimes
    clock: Clock
    loop: asyncio.AbstractEventLoop
    permits: options.Permits
    ca_file: str
    spool_folder: str | None
    http2: bool = True


class Goal(NamedTuple):
    """The URL of a request, as far as a connection needs it."""

    authority: str
    """"https://host[:port]"."""
    target: str
    """Path and query."""

    @property
    def href(self) -> str:
        """The whole URL."""
        return self.authority + self.target


class Transfer:
    """One easy handle with its call backs; used for one attempt after the other."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._opened: socket.SocketType | None = None
        self.due = 0.0
        self.curl = pycurl.Curl()
        options.prepare(self.curl, world.ca_file, http2=world.http2)
        self._proxy: Proxy | None = None
        options.set_proxy(self.curl, None)
        self._said: dict[int, object] = {}
        """Options as they were set last: most requests change few of them."""
        for option, call_back in (
            (pycurl.OPENSOCKETFUNCTION, self._open_socket),
            (pycurl.PREREQFUNCTION, self._before_request),
            (pycurl.HEADERFUNCTION, self._receive_line),
            (pycurl.WRITEFUNCTION, self._receive_body),
            (pycurl.DEBUGFUNCTION, self._notice),
        ):
            self.curl.setopt(option, call_back)

    # --- one attempt ---------------------------------------------------------------------------------------------

    async def attempt(self, request: FetchRequest, goal: Goal, exchange: Exchange, connect_seconds: float) -> None:
        """Send `request` to `exchange.address` and put what comes into `exchange`."""
        self._reset(request, exchange)
        self._set_options(goal, connect_seconds)
        try:
            result = await self._world.multi.add(self.curl)
        except asyncio.CancelledError:
            self._world.multi.abort(self.curl, Result(0, ""))
            self._body.close()
            raise
        finally:
            self._close_opened()
            self._world.due.forget(self)
        if self._disk_error is not None:
            self._body.close()
            raise self._disk_error
        self._conclude(result, goal)

    def _reset(self, request: FetchRequest, exchange: Exchange) -> None:
        self._request = request
        self._exchange = exchange
        self._body = SpooledBody(self._world.spool_folder)
        self._room = request.limits.body_bytes
        self._lines: list[bytes] = []
        self._head: Head | None = None
        self._header_bytes = 0
        self._header_limit = request.limits.header_bytes
        self._overlong = False
        self._refused = False
        self._closed = False
        self._fresh = False
        self._cut = False
        self._connection: Connection | None = None
        self._disk_error: OSError | None = None
        self._tls = ""
        self._is_http2 = False
        self._slow_since: tuple[float, int] | None = None

    def _set_options(self, goal: Goal, connect_seconds: float) -> None:
        request, exchange = self._request, self._exchange
        authority, target = goal
        host, proxy, kept = authority.partition("://")[2], request.proxy, self._world.kept
        lines, sent = options.request_lines(request.headers)
        # RFC 9112 section 3.2.2: a proxy that is told names is asked for the whole URL, but not through a tunnel.
        whole = proxy is not None and proxy.resolves and proxy.url.startswith("http:") and authority.startswith("http:")
        if whole:
            target = goal.href
            lines = (*lines, b"Proxy-Connection:")
        if host.partition(":")[0].endswith("."):
            # libcurl says Host by itself, and as we do, but for a final dot.
            lines = (f"Host: {host}".encode("ascii"), *lines)
        exchange.request = f"GET {target} HTTP/1.1\r\nHost: {host}\r\n".encode("ascii") + sent + b"\r\n"
        total = request.limits.total_seconds - (self._world.clock.now() - exchange.started)
        self.curl.setopt(pycurl.REQUEST_TARGET, target)
        if proxy != self._proxy:
            self._proxy = proxy
            options.set_proxy(self.curl, proxy)
        self._set(pycurl.URL, f"{authority}/")
        self._set(pycurl.HTTPHEADER, lines)
        self._set(pycurl.CONNECT_TO, options.pin(exchange.address) if self._pins else ())
        self._set(pycurl.CONNECTTIMEOUT_MS, max(1, round(connect_seconds * 1000)))
        self._set(pycurl.TIMEOUT_MS, max(1, round(total * 1000)))
        self._set(pycurl.FORBID_REUSE, 0 if request.keep_seconds > 0 else 1)
        self._set(pycurl.FRESH_CONNECT, 0 if kept.are_open(authority) else 1)
        # Only libcurl's log names the TLS version, and it is wanted once per connection.
        self._set(pycurl.VERBOSE, 1 if authority.startswith("https:") and not kept.has(authority) else 0)

    def _set(self, option: int, value: Any) -> None:
        if self._said.get(option) != value:
            self.curl.setopt(option, value)
            self._said[option] = value

    # --- libcurl calls back --------------------------------------------------------------------------------------

    def _open_socket(self, _purpose: int, peer: tuple[int, int, int, tuple[str, int]]) -> socket.SocketType | int:
        """The last moment before a connection is made: is this an address we may talk to?"""
        family, kind, protocol, (address, *_) = peer
        if self._is_second() or not self._may_connect(address):
            return -1
        try:
            # libcurl takes a duplicate; ours is closed as soon as the connection stands.
            self._opened = socket.SocketType(family, kind, protocol)
            self._fresh = True
        except OSError:
            return -1
        return self._opened

    def _before_request(self, address: str, _local: str, port: int, local_port: int) -> int:
        """Connected, perhaps on a kept connection, which another verdict may have been true for when it was made."""
        self._close_opened()
        if self._is_second() or not self._may_connect(address):
            return pycurl.PREREQFUNC_ABORT
        self._connection = (address, port, local_port)
        self._tls = self._world.kept.take(self._connection) or self._tls
        self._look_after(self._world.loop.time() + self._request.limits.first_byte_seconds)
        return pycurl.PREREQFUNC_OK

    def _is_second(self) -> bool:
        """Libcurl repeats a request by itself when a kept connection dies under it. To the host that is a request
        without a gap, so it is not allowed.
        """
        self._closed = self._connection is not None
        return self._closed

    @property
    def _pins(self) -> bool:
        """Whether the host's address was resolved and checked here."""
        return self._request.proxy is None or not self._request.proxy.resolves

    def _may_connect(self, address: str) -> bool:
        """Whether to connect to `address`: the host's own, or its proxy's, which the operator named."""
        straight = self._request.proxy is None
        misled = straight and address != self._exchange.address
        self._refused = misled or (self._pins and not self._world.permits(self._exchange.address))
        return not self._refused

    def _receive_line(self, line: bytes) -> int | None:
        if not self._header_bytes:
            self._exchange.first_byte = self._world.clock.now()
            self._slow_since = (self._world.loop.time(), 0)
        self._lines.append(line)
        self._header_bytes += len(line)
        if self._header_bytes > self._header_limit:
            self._overlong = True
            return 0
        # What follows the head is a trailer.
        if len(line) <= 2 and line in _EMPTY_LINES and self._head is None and not self._end_of_head():
            return 0
        return None

    def _end_of_head(self) -> bool:
        """Whether to read on."""
        first = self._lines[0]
        if first.startswith(b"HTTP/2") and (second := _HTTP2.fullmatch(first)) is not None:
            # Written as HTTP/1.1 says it (the archive's readers know no other); WARC-Protocol tells what was spoken.
            self._is_http2 = True
            self._lines[0] = first = b"HTTP/1.1 %s \r\n" % second[1]
        status = _STATUS.match(first)
        if status is not None and status[1][:1] == b"1":
            self._lines = []  # RFC 9110 section 15.2: an interim answer, the final one follows
            return True
        raw = b"".join(self._lines)
        self._head = parse_head(raw)
        self._exchange.head = raw
        self._exchange.unwanted = self._is_unwanted(self._head)
        return not self._exchange.unwanted

    def _is_unwanted(self, head: Head) -> bool:
        wanted = self._request.wanted_media
        if wanted is None or not 200 <= head.status < 300:
            return False
        said = media_type.combined(head.values.get("content-type", ()))
        # What does not say its type is read: the parser will see what it is.
        return said is not None and said.essence not in wanted

    def _receive_body(self, data: bytes) -> int | None:
        size = len(data)
        self._cut = size > self._room
        if self._cut:
            data = data[: self._room]
        try:
            self._body.write(data)
        except OSError as error:
            self._disk_error = error
            return 0
        self._room -= len(data)
        return 0 if self._cut else None

    def _notice(self, kind: int, text: bytes) -> None:
        if kind == pycurl.INFOTYPE_TEXT:
            version = _TLS_VERSION.search(text)
            if version is not None:
                self._tls = "tls/" + version[1].decode("ascii")

    # --- pace ----------------------------------------------------------------------------------------------------

    def _look_after(self, due: float) -> None:
        self.due = due
        self._world.due.watch(self)

    def look(self) -> None:
        """The first byte must have come by now; from then on each span must bring its share of bytes."""
        limits, now = self._request.limits, self._world.loop.time()
        if self._slow_since is None:
            self._world.multi.abort(self.curl, Result(failures.NO_FIRST_BYTE, "no answer within the limit"))
            return
        since, before = self._slow_since
        span, received = now - since, self._header_bytes + self._body.size
        if span < limits.low_speed_seconds:
            self._look_after(since + limits.low_speed_seconds)
        elif received - before < limits.low_speed_bytes_per_second * span:
            self._world.multi.abort(self.curl, Result(failures.TOO_SLOW, "slower than the limit"))
        else:
            self._slow_since = (now, received)
            self._look_after(now + limits.low_speed_seconds)

    def _close_opened(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    # --- what came of it -----------------------------------------------------------------------------------------

    def _conclude(self, result: Result, goal: Goal) -> None:
        exchange, head = self._exchange, self._head
        exchange.connections_opened += self.curl.getinfo(pycurl.NUM_CONNECTS)
        exchange.tls = self._tls
        if self._connection is None:
            exchange.request = b""  # never sent
        if head is not None:
            exchange.take(head)
            if self._is_http2:
                exchange.protocol = "h2"
            exchange.body = self._body
        exchange.failure, exchange.truncated = self._verdict(result)
        if exchange.failure or exchange.truncated or exchange.unwanted:
            exchange.detail = self._own_words() or result.words or f"libcurl ended with {result.code}"
        else:
            exchange.detail = ""
        if result.descriptor >= 0 and self._connection is not None and self._request.keep_seconds > 0:
            # Promise the server an end of the connection that stayed open.
            self._world.kept.keep(
                self._connection, goal.authority, result.descriptor, tls=self._tls, seconds=self._request.keep_seconds
            )

    def _own_words(self) -> str:
        """What happened when it was us who ended the transfer: libcurl only knows that we did."""
        if self._refused:
            return f"{self._exchange.address} may not be connected to"
        if self._closed:
            return "the request was refused" if self._fresh else "the kept connection was closed"
        if self._overlong:
            return f"more than {self._request.limits.header_bytes} bytes of headers"
        if self._cut:
            return f"cut after {self._request.limits.body_bytes} bytes"
        if self._head is not None and not self._head.status:
            return "unreadable status line"
        return "closed after its headers" if self._exchange.unwanted else ""

    def _verdict(self, result: Result) -> tuple[FailureKind | None, Truncation | None]:
        code = result.code
        if self._refused:
            return FailureKind.ADDRESS_REFUSED, None
        if self._closed:
            # On a connection of its own it was no accident of time: HTTP/2 servers may refuse a request outright.
            return FailureKind.RESET if self._fresh else FailureKind.CLOSED, None
        if self._overlong:
            return FailureKind.HEADERS_TOO_LARGE, None
        if self._connection is None:
            return failures.connect_failure(code, self.curl.getinfo(pycurl.OS_ERRNO)), None
        if self._cut:
            return None, Truncation.LENGTH
        if self._head is None or (code and not self._body.size and not self._exchange.unwanted):
            return failures.answer_failure(code, result.words), None
        if code == 0 or self._exchange.unwanted:
            return (None if self._head.status else FailureKind.BAD_ANSWER), None
        return None, failures.truncation(code, result.words)
