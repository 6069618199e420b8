"""Fetching as fast as libcurl goes: its multi interface on the running event loop, and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pycurl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

FIELDS: Final = ("User-Agent: composite", "Accept: text/html,*/*;q=0.8", "Accept-Encoding: gzip")
REQUEST_FIELDS: Final = "".join(f"{line}\r\n" for line in FIELDS)


@dataclass(slots=True)
class Answer:
    """What came for a URL: head and body as received."""

    url: str
    head: bytes
    body: bytes


@dataclass(slots=True, eq=False)
class _Handle:
    """An easy handle, and what has come through it."""

    curl: pycurl.Curl
    url: str = ""
    head: list[bytes] = field(default_factory=list[bytes])
    body: list[bytes] = field(default_factory=list[bytes])

    def finish(self) -> Answer:
        """The answer; the handle is empty again."""
        answer = Answer(self.url, b"".join(self.head), b"".join(self.body))
        self.head.clear()
        self.body.clear()
        return answer


async def fetch_all(
    urls: Sequence[tuple[str, str]], take: Callable[[Answer], object], *, at_once: int, ca_file: str = ""
) -> None:
    """Fetch URLs, each at its address, and give each answer to `take`. Raises RuntimeError at the first failure."""
    if not urls:
        return
    fetching = _Fetching(iter(urls), take, at_once)
    for _ in range(min(at_once, len(urls))):
        fetching.start(_handle(ca_file))
    try:
        await fetching.done
    finally:
        fetching.close()


def _handle(ca_file: str) -> _Handle:
    handle = _Handle(pycurl.Curl())
    curl = handle.curl
    curl.setopt(pycurl.HTTPHEADER, list(FIELDS))
    curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
    curl.setopt(pycurl.HTTP_CONTENT_DECODING, 0)
    curl.setopt(pycurl.HEADERFUNCTION, handle.head.append)
    curl.setopt(pycurl.WRITEFUNCTION, handle.body.append)
    curl.setopt(pycurl.NOSIGNAL, 1)
    curl.setopt(pycurl.SSL_SESSIONID_CACHE, 0)
    if ca_file:
        curl.setopt(pycurl.CAINFO, ca_file)
    return handle


class _Fetching:
    """Transfers under way."""

    def __init__(self, urls: Iterator[tuple[str, str]], take: Callable[[Answer], object], at_once: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._urls, self._take = urls, take
        self.done: asyncio.Future[None] = self._loop.create_future()
        self._handles: dict[pycurl.Curl, _Handle] = {}
        self._timer: asyncio.Handle | None = None
        self._watched: dict[int, int] = {}
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, at_once * 2)
        self._multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_NOTHING)

    def start(self, handle: _Handle) -> None:
        """Start a handle's next transfer, if a URL is left."""
        found = next(self._urls, None)
        if found is None:
            return
        handle.url, address = found
        origin = handle.url.split("/", 3)[2]
        handle.curl.setopt(pycurl.RESOLVE, [f"+{origin}:{address}"])
        handle.curl.setopt(pycurl.URL, handle.url)
        self._handles[handle.curl] = handle
        self._multi.add_handle(handle.curl)

    def close(self) -> None:
        """Close every connection."""
        self._multi.close()
        for descriptor in list(self._watched):
            self._watch(pycurl.POLL_REMOVE, descriptor, self._multi, None)
        self._set_timer(-1)

    def _watch(self, what: int, descriptor: int, _multi: pycurl.CurlMulti, _data: object) -> None:
        before = self._watched.pop(descriptor, 0)
        wanted = 0 if what == pycurl.POLL_REMOVE else what
        if wanted:
            self._watched[descriptor] = wanted
        for event, add, remove, selected in (
            (pycurl.POLL_IN, self._loop.add_reader, self._loop.remove_reader, pycurl.CSELECT_IN),
            (pycurl.POLL_OUT, self._loop.add_writer, self._loop.remove_writer, pycurl.CSELECT_OUT),
        ):
            if wanted & event and not before & event:
                add(descriptor, self._act, descriptor, selected)
            elif before & event and not wanted & event:
                remove(descriptor)

    def _set_timer(self, milliseconds: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if milliseconds == 0:
            self._timer = self._loop.call_soon(self._act, pycurl.SOCKET_TIMEOUT, 0)
        elif milliseconds > 0:
            self._timer = self._loop.call_later(milliseconds / 1000, self._act, pycurl.SOCKET_TIMEOUT, 0)

    def _act(self, descriptor: int, events: int) -> None:
        _, running = self._multi.socket_action(descriptor, events)
        if running < len(self._handles):
            self._collect()

    def _collect(self) -> None:
        queued = 1
        while queued:
            queued, done, failed = self._multi.info_read()
            for curl in done:
                self._finish(curl)
            for curl, _, message in failed:
                self._end(RuntimeError(f"{self._handles[curl].url}: {message}"))

    def _finish(self, curl: pycurl.Curl) -> None:
        handle = self._handles.pop(curl)
        self._multi.remove_handle(curl)
        status = curl.getinfo(pycurl.RESPONSE_CODE)
        if status != 200:
            self._end(RuntimeError(f"{handle.url}: status {status}"))
            return
        answer = handle.finish()
        self.start(handle)  # before the page is taken: the server works on it meanwhile
        try:
            self._take(answer)
        except Exception as error:  # noqa: BLE001 - whoever awaits shall have it
            self._end(error)
        if not self._handles:
            self._end()

    def _end(self, error: Exception | None = None) -> None:
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)
