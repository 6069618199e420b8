"""libcurl's multi interface on the running event loop: sockets and timers are the loop's, no thread, no polling."""

from __future__ import annotations

import asyncio
from typing import Final, NamedTuple

import pycurl

from gossamer.core import limits

_TIMER_SECONDS: Final = 0.001
"""The event loop's own grain: what is due within it is due."""


class Result(NamedTuple):
    """How a transfer ended."""

    code: int
    """libcurl's error number; 0 for success."""
    words: str
    """libcurl's own, of the failure."""
    descriptor: int = -1
    """The socket of the connection if it stays open; -1 if not. libcurl tells only while it holds the transfer."""


class CurlMulti:
    """Performs easy handles. Bound to the event loop it is made in (asyncio's selector loop or uvloop)."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, limits.CONNECTIONS_KEPT_MAX)
        self._multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_NOTHING)
        self._waiting: dict[pycurl.Curl, asyncio.Future[Result]] = {}
        self._watched: dict[int, int] = {}
        self._soon: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline: float | None = None

    def add(self, curl: pycurl.Curl) -> asyncio.Future[Result]:
        """Start a transfer; its result comes with the future. The handle is free again when the future is done."""
        future: asyncio.Future[Result] = self._loop.create_future()
        self._waiting[curl] = future
        self._multi.add_handle(curl)
        return future

    def abort(self, curl: pycurl.Curl, result: Result) -> None:
        """End a transfer from outside, if it is still under way; its connection is closed. Not from a call back."""
        future = self._waiting.pop(curl, None)
        if future is None:
            return
        self._multi.remove_handle(curl)
        if not future.done():
            future.set_result(result)

    def close(self) -> None:
        """Cancel every transfer and close every connection."""
        for curl, future in list(self._waiting.items()):
            self._multi.remove_handle(curl)
            future.cancel()
        self._waiting.clear()
        self._multi.close()
        for descriptor in list(self._watched):
            self._watch(pycurl.POLL_REMOVE, descriptor, self._multi, None)
        for handle in (self._soon, self._timer):
            if handle is not None:
                handle.cancel()
        self._soon = self._timer = self._deadline = None

    def _watch(self, what: int, descriptor: int, _multi: pycurl.CurlMulti, _data: object) -> None:
        """Which events of a socket libcurl waits for."""
        before = self._watched.pop(descriptor, 0)
        wanted = 0 if what == pycurl.POLL_REMOVE else what
        if wanted:
            self._watched[descriptor] = wanted
        if wanted & pycurl.POLL_IN and not before & pycurl.POLL_IN:
            self._loop.add_reader(descriptor, self._act, descriptor, pycurl.CSELECT_IN)
        elif before & pycurl.POLL_IN and not wanted & pycurl.POLL_IN:
            self._loop.remove_reader(descriptor)
        if wanted & pycurl.POLL_OUT and not before & pycurl.POLL_OUT:
            self._loop.add_writer(descriptor, self._act, descriptor, pycurl.CSELECT_OUT)
        elif before & pycurl.POLL_OUT and not wanted & pycurl.POLL_OUT:
            self._loop.remove_writer(descriptor)

    def _set_timer(self, milliseconds: int) -> None:
        """When libcurl wants to be called; -1 for not at all. It changes its mind with each transfer, so a timer that
        is set stays, and finds out when it fires whether it was too early.
        """
        self._deadline = None
        if milliseconds == 0:
            # Not at once: libcurl is in the middle of something.
            self._soon = self._soon or self._loop.call_soon(self._act_soon)
        elif milliseconds > 0:
            self._deadline = self._loop.time() + milliseconds / 1000
            if self._timer is None or self._deadline < self._timer.when():
                self._arm(milliseconds / 1000)

    def _arm(self, seconds: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._time_out)

    def _time_out(self) -> None:
        self._timer = None
        if self._deadline is None:
            return
        left = self._deadline - self._loop.time()
        if left > _TIMER_SECONDS:
            self._arm(left)
            return
        self._act(pycurl.SOCKET_TIMEOUT, 0)
        self._arm_again()

    def _arm_again(self) -> None:
        """In case libcurl found it too early by its own clock: it does not say the same moment twice."""
        if self._timer is None and self._deadline is not None:
            self._arm(_TIMER_SECONDS)

    def _act_soon(self) -> None:
        self._soon = None
        self._act(pycurl.SOCKET_TIMEOUT, 0)

    def _act(self, descriptor: int, events: int) -> None:
        _, running = self._multi.socket_action(descriptor, events)
        if running < len(self._waiting):
            self._collect()

    def _collect(self) -> None:
        queued = 1
        while queued:
            queued, done, failed = self._multi.info_read()
            for curl in done:
                self._finish(curl, Result(0, "", curl.getinfo(pycurl.ACTIVESOCKET)))
            for curl, code, message in failed:
                self._finish(curl, Result(code, message))

    def _finish(self, curl: pycurl.Curl, result: Result) -> None:
        future = self._waiting.pop(curl)
        self._multi.remove_handle(curl)
        if not future.done():
            future.set_result(result)
