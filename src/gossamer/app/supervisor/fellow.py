"""A worker process as its supervisor sees it: started, spoken with, and missed when it is gone."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

from gossamer.adapters.exchange_socket.frames import FrameConnection
from gossamer.app.errors import UserError
from gossamer.app.supervisor import messages
from gossamer.core.limits import SUPERVISOR_ANSWER_SECONDS_MAX, SUPERVISOR_FRAME_BYTES_MAX

if TYPE_CHECKING:
    from collections.abc import Callable

    from gossamer.app.worker_figures import WorkerFigures

PROGRAM: Final = ("-P", "-m", "gossamer.app.supervisor.worker_process")
REAP_SECONDS: Final = 10.0
"""How long a process may take to end whose connection has ended."""


class Fellow:
    """One worker. `heard` is told what it says, `gone` that its connection is over, in this order."""

    def __init__(
        self, number: int, heard: Callable[[Fellow, messages.FromWorker], None], gone: Callable[[Fellow], None]
    ) -> None:
        self.number = number
        self.figures: WorkerFigures | None = None
        self.is_ready = False
        self.ended: messages.Ended | None = None
        """How it ended, where it came to its end."""
        self._heard = heard
        self._gone = gone
        self._connection: FrameConnection | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._number = 0

    @property
    def process(self) -> int:
        """The id of its process; 0 before there is one."""
        return self._process.pid if self._process is not None else 0

    async def start(self, start: messages.Start, lock: int) -> None:
        """Start a process and tell it what is its part. `lock`: the descriptor of the folder's lock, which it keeps."""
        self.is_ready, self.ended = False, None
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, *PROGRAM, str(theirs.fileno()), str(os.getpid())]
            self._process = subprocess.Popen(  # noqa: S603, ASYNC220 - our own program; it is in no hurry
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, pass_fds=(theirs.fileno(), lock)
            )
        connection = FrameConnection(self._hear, SUPERVISOR_FRAME_BYTES_MAX)
        await asyncio.get_running_loop().create_unix_connection(lambda: connection, sock=ours)
        self._connection = connection
        connection.lost.add_done_callback(lambda _: self._over())
        self.send(start)

    def send(self, message: messages.ToWorker) -> None:
        """Tell it; nothing happens where it is gone."""
        if self._connection is not None:
            self._connection.send(messages.encode(message))

    async def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Its answer to a request. Raises UserError where it has none."""
        if self._connection is None or not self.is_ready:
            raise UserError(f"worker {self.number} is being started", "ask again in a moment")
        self._number += 1
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._asked[self._number] = answer
        self.send(messages.Ask(self._number, request))
        try:
            return await asyncio.wait_for(answer, SUPERVISOR_ANSWER_SECONDS_MAX)
        except TimeoutError as error:
            raise UserError(f"worker {self.number} does not answer", "ask again in a moment") from error
        finally:
            self._asked.pop(self._number, None)

    async def reap(self) -> int:
        """The exit status of its process, which has ended or is made to; that of a signal is below zero."""
        process = self._process
        assert process is not None, "it was started"
        try:
            return await asyncio.to_thread(process.wait, REAP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return await asyncio.to_thread(process.wait)

    def kill(self) -> None:
        """End its process at once."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()

    def _hear(self, payload: bytes) -> None:
        message = messages.read_from_worker(payload)
        if isinstance(message, messages.Answered):
            waiting = self._asked.get(message.number)
            if waiting is not None and not waiting.done():
                waiting.set_result(message.answer)
        else:
            self._heard(self, message)

    def _over(self) -> None:
        self._connection = None
        self.is_ready = False
        for waiting in self._asked.values():
            if not waiting.done():
                waiting.set_exception(UserError(f"worker {self.number} is gone", "ask again in a moment"))
        self._gone(self)
