"""One attempt at an exchange: what libcurl calls back, and what came of it."""

from __future__ import annotations

import asyncio
import re
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pycurl

from gossamer.adapters.fetcher_curl import failures, options
from gossamer.adapters.fetcher_curl.body import SpooledBody
from gossamer.adapters.fetcher_curl.multi import CurlMulti, Result
from gossamer.core.http import media_type
from gossamer.core.http.exchange import Exchange, FailureKind, FetchRequest, Truncation
from gossamer.core.http.headers import Head, field_values, parse_head

if TYPE_CHECKING:
    from gossamer.adapters.fetcher_curl.kept import Connection, KeptConnections
    from gossamer.core.http.host_request import Proxy
    from gossamer.core.url.parse import Url
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
    clock: Clock
    loop: asyncio.AbstractEventLoop
    permits: options.Permits
    ca_file: str
    spool_folder: str | None
    http2: bool = True


class Transfer:
    """One easy handle with its call backs; used for one attempt after the other."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._timer: asyncio.TimerHandle | None = None
        self._opened: socket.socket | None = None
        self.curl = pycurl.Curl()
        options.prepare(self.curl, world.ca_file, http2=world.http2)
        self._proxy: Proxy | None = None
        options.set_proxy(self.curl, None)
        for option, call_back in (
            (pycurl.OPENSOCKETFUNCTION, self._open_socket),
            (pycurl.PREREQFUNCTION, self._before_request),
            (pycurl.HEADERFUNCTION, self._receive_line),
            (pycurl.WRITEFUNCTION, self._receive_body),
            (pycurl.DEBUGFUNCTION, self._notice),
        ):
            self.curl.setopt(option, call_back)

    # --- one attempt ---------------------------------------------------------------------------------------------

    async def attempt(self, request: FetchRequest, url: Url, exchange: Exchange, connect_seconds: float) -> None:
        """Send `request` to `exchange.address` and put what comes into `exchange`."""
        self._reset(request, exchange)
        self._set_options(url, connect_seconds)
        try:
            result = await self._world.multi.add(self.curl)
        except asyncio.CancelledError:
            self._world.multi.abort(self.curl, Result(0, ""))
            self._body.close()
            raise
        finally:
            self._stop_watching()
        if self._disk_error is not None:
            self._body.close()
            raise self._disk_error
        self._conclude(result, url)

    def _reset(self, request: FetchRequest, exchange: Exchange) -> None:
        self._request = request
        self._exchange = exchange
        self._body = SpooledBody(self._world.spool_folder)
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

    def _set_options(self, url: Url, connect_seconds: float) -> None:
        request, exchange, curl = self._request, self._exchange, self.curl
        host, proxy = url.authority.partition("://")[2], request.proxy
        lines, sent = options.request_lines(request.headers)
        # RFC 9112 section 3.2.2: a proxy that is told names is asked for the whole URL, but not through a tunnel.
        whole = proxy is not None and proxy.resolves and proxy.url.startswith("http:") and url.scheme == "http"
        target = url.href if whole else url.target
        exchange.request = f"GET {target} HTTP/1.1\r\nHost: {host}\r\n".encode("ascii") + sent + b"\r\n"
        total = request.limits.total_seconds - (self._world.clock.now() - exchange.started)
        curl.setopt(pycurl.URL, f"{url.authority}/")
        curl.setopt(pycurl.REQUEST_TARGET, target)
        curl.setopt(
            pycurl.HTTPHEADER, [f"Host: {host}".encode("ascii"), *lines, *([b"Proxy-Connection:"] if whole else [])]
        )
        curl.setopt(pycurl.CONNECT_TO, options.pin(exchange.address) if self._pins else [])
        if proxy != self._proxy:
            self._proxy = proxy
            options.set_proxy(curl, proxy)
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, max(1, round(connect_seconds * 1000)))
        curl.setopt(pycurl.TIMEOUT_MS, max(1, round(total * 1000)))
        curl.setopt(pycurl.FORBID_REUSE, 0 if request.keep_seconds > 0 else 1)
        curl.setopt(pycurl.FRESH_CONNECT, 0 if self._world.kept.are_open(url.authority) else 1)
        # Only libcurl's log names the TLS version, and it is wanted once per connection.
        curl.setopt(pycurl.VERBOSE, 1 if url.scheme == "https" and not self._world.kept.has(url.authority) else 0)

    # --- libcurl calls back --------------------------------------------------------------------------------------

    def _open_socket(self, _purpose: int, peer: tuple[int, int, int, tuple[str, int]]) -> socket.socket | int:
        """The last moment before a connection is made: is this an address we may talk to?"""
        family, kind, protocol, (address, *_) = peer
        if self._is_second() or not self._may_connect(address):
            return -1
        try:
            # libcurl takes a duplicate; ours is closed as soon as the connection stands.
            self._opened = socket.socket(family, kind, protocol)
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
        self._timer = self._world.loop.call_later(self._request.limits.first_byte_seconds, self._check_pace)
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

    def _receive_line(self, line: bytes) -> int:
        if not self._header_bytes:
            self._exchange.first_byte = self._world.clock.now()
            self._slow_since = (self._world.loop.time(), 0)
        size = len(line)
        self._header_bytes += size
        if self._header_bytes > self._header_limit:
            self._overlong = True
            return 0
        if self._head is not None:
            return size  # a trailer field
        if not self._lines and (second := _HTTP2.fullmatch(line)) is not None:
            # Written as HTTP/1.1 says it (the archive's readers know no other); WARC-Protocol tells what was spoken.
            self._is_http2 = True
            line = b"HTTP/1.1 %s \r\n" % second[1]
        self._lines.append(line)
        if size <= 2 and line in _EMPTY_LINES and not self._end_of_head():
            return 0
        return size

    def _end_of_head(self) -> bool:
        """Whether to read on."""
        status = _STATUS.match(self._lines[0])
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
        said = media_type.combined(field_values(head.fields, "content-type"))
        # What does not say its type is read: the parser will see what it is.
        return said is not None and said.essence not in wanted

    def _receive_body(self, data: bytes) -> int:
        room = self._request.limits.body_bytes - self._body.size
        self._cut = len(data) > room
        try:
            self._body.write(data[:room] if self._cut else data)
        except OSError as error:
            self._disk_error = error
            return 0
        return 0 if self._cut else len(data)

    def _notice(self, kind: int, text: bytes) -> None:
        if kind == pycurl.INFOTYPE_TEXT:
            version = _TLS_VERSION.search(text)
            if version is not None:
                self._tls = "tls/" + version[1].decode("ascii")

    # --- pace ----------------------------------------------------------------------------------------------------

    def _check_pace(self) -> None:
        """The first byte must have come by now; from then on each span must bring its share of bytes."""
        limits, now = self._request.limits, self._world.loop.time()
        if self._slow_since is None:
            self._world.multi.abort(self.curl, Result(failures.NO_FIRST_BYTE, "no answer within the limit"))
            return
        since, before = self._slow_since
        span, received = now - since, self._header_bytes + self._body.size
        if span < limits.low_speed_seconds:
            self._timer = self._world.loop.call_later(limits.low_speed_seconds - span, self._check_pace)
        elif received - before < limits.low_speed_bytes_per_second * span:
            self._world.multi.abort(self.curl, Result(failures.TOO_SLOW, "slower than the limit"))
        else:
            self._slow_since = (now, received)
            self._timer = self._world.loop.call_later(limits.low_speed_seconds, self._check_pace)

    def _stop_watching(self) -> None:
        self._close_opened()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_opened(self) -> None:
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    # --- what came of it -----------------------------------------------------------------------------------------

    def _conclude(self, result: Result, url: Url) -> None:
        exchange, head = self._exchange, self._head
        exchange.connections_opened += self.curl.getinfo(pycurl.NUM_CONNECTS)
        exchange.tls = self._tls
        if self._connection is None:
            exchange.request = b""  # never sent
        if head is not None:
            exchange.status, exchange.headers = head.status, head.fields
            exchange.protocol = "h2" if self._is_http2 else head.protocol
            exchange.body = self._body
        exchange.failure, exchange.truncated = self._verdict(result)
        if exchange.failure or exchange.truncated or exchange.unwanted:
            exchange.detail = self._own_words() or result.words or f"libcurl ended with {result.code}"
        else:
            exchange.detail = ""
        if result.descriptor >= 0 and self._connection is not None and self._request.keep_seconds > 0:
            # Promise the server an end of the connection that stayed open.
            self._world.kept.keep(
                self._connection, url.authority, result.descriptor, tls=self._tls, seconds=self._request.keep_seconds
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
