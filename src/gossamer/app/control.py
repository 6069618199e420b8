"""The control socket of a running crawl: how another process on this machine asks it things.

A Unix socket in a private folder outside the crawl folder, because a socket's path may have no more than 107 bytes
(unix(7)) and a crawl folder's may have thousands. Its name is a hash of the folder's path; `state/control.json` says
where it is. One request a line and one answer a line, both JSON objects.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import stat
import struct
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, cast

from gossamer.app.errors import UserError
from gossamer.app.nearest import nearest
from gossamer.app.whole_file import write_whole
from gossamer.core.limits import CONTROL_BYTES_MAX, CONTROL_CONNECTIONS_MAX, CONTROL_SECONDS_MAX

if TYPE_CHECKING:
    import asyncio
    from types import TracebackType

    from gossamer.app.folder import CrawlFolder

Message = dict[str, Any]
Answering = Callable[[Message], Message]
LaterAnswering = Callable[[Message], Message | Awaitable[Message]]
"""One whose answer may have to be waited for."""

SOCKET_PATH_BYTES_MAX: Final = 107
"""unix(7): sun_path has 108 bytes, the last one zero."""
TIMEVAL: Final = struct.Struct("@ll")
"""socket(7): what the time-outs of a socket are given as: seconds and microseconds."""
ERROR_CHARACTERS: Final = 400
"""Characters of an error that an asker is told."""


class ControlServer:
    """Answers requests about the crawl in `folder`: `{"ask": NAME, ...}` by `answers[NAME]`, on the event loop.

    An answer may raise UserError or ValueError, which the asker is told; of any other error he is told, too, and the
    crawl goes on: no question is worth a crawl.
    """

    def __init__(self, folder: CrawlFolder, answers: Mapping[str, LaterAnswering]) -> None:
        self._folder = folder
        self._answers = answers
        self._path = socket_path(folder)
        self._server: asyncio.Server | None = None
        self._connections = 0

    async def start(self) -> None:
        """Listen, and say where. Only for the holder of the folder's lock: a stale socket is taken away."""
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        # Its folder is ours alone, so nobody can connect before the rights are set.
        import asyncio  # noqa: PLC0415 - only a running crawl needs it; who asks one should not wait for it

        self._server = await asyncio.start_unix_server(self._serve, self._path, limit=CONTROL_BYTES_MAX)
        self._path.chmod(0o600)
        place = {"socket": str(self._path), "folder": str(self._folder.path.resolve()), "process": os.getpid()}
        write_whole(self._folder.control, json.dumps(place).encode() + b"\n")

    async def close(self) -> None:
        """Stop listening and take the traces away; calling it twice is harmless."""
        if self._server is not None:
            self._server.close()
            self._server = None
            for path in (self._path, self._folder.control):
                with contextlib.suppress(OSError):
                    path.unlink()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        import asyncio  # noqa: PLC0415 - as above

        if self._connections >= CONTROL_CONNECTIONS_MAX:
            # Unheard: to wait for what each says would take the descriptors that the fetches need.
            writer.transport.abort()
            return
        self._connections += 1
        # A peer that goes away, sends too much or nothing ends its own connection and nothing else; so does one that
        # does not read its answers.
        try:
            with contextlib.suppress(OSError, ValueError, TimeoutError):
                while line := await asyncio.wait_for(reader.readline(), CONTROL_SECONDS_MAX):
                    answer = answer_to(line, self._answers)
                    writer.write(_line(answer if isinstance(answer, dict) else await settled(answer)))
                    await asyncio.wait_for(writer.drain(), CONTROL_SECONDS_MAX)
                writer.close()
                await asyncio.wait_for(writer.wait_closed(), CONTROL_SECONDS_MAX)
        finally:
            self._connections -= 1
            writer.transport.abort()


async def settled(answer: Message | Awaitable[Message]) -> Message:
    """An answer once it is there; what is wrong with it under "error"."""
    try:
        return answer if isinstance(answer, dict) else await answer
    except (UserError, ValueError) as error:
        return {"error": str(error)}
    except Exception as error:  # noqa: BLE001 - as below
        return {"error": f"this question has no answer ({type(error).__name__}: {error})"[:ERROR_CHARACTERS]}


def answer_to(line: bytes, answers: Mapping[str, LaterAnswering]) -> Message | Awaitable[Message]:
    """What is answered to one line from the socket, whatever is on it; what is wrong with it under "error".

    Where an answer has to be waited for: see `settled`.
    """
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return {"error": "a request is one JSON object on one line"}
    if not isinstance(request, dict):
        return {"error": "a request is one JSON object on one line"}
    return answer_of(cast("Message", request), answers)


def answer_of(message: Message, answers: Mapping[str, LaterAnswering]) -> Message | Awaitable[Message]:
    """The same for a request that was read."""
    answering = answers.get(str(message.get("ask")))
    if answering is None:
        found = nearest(str(message.get("ask")), answers)
        return {"error": "unknown request" + (f"; did you mean {found}?" if found else "")}
    try:
        return answering(message)
    except (UserError, ValueError) as error:
        return {"error": str(error)}
    except Exception as error:  # noqa: BLE001 - the asker's bad luck, or ours, must not end the crawl
        return {"error": f"this question has no answer ({type(error).__name__}: {error})"[:ERROR_CHARACTERS]}


def ask(folder: CrawlFolder, request: Message) -> Message | None:
    """The running crawl's answer to `request`, or None when no crawl runs there (or it does not answer in time).

    An answer with the key "error" raises UserError.
    """
    path = _listening(folder)
    if path is None:
        return None
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            # Not settimeout: a socket that does not block is refused while many wait to be accepted (EAGAIN, unix(7)).
            for way in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                connection.setsockopt(socket.SOL_SOCKET, way, TIMEVAL.pack(int(CONTROL_SECONDS_MAX), 0))
            connection.connect(str(path))
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as answers:
                line = answers.readline(CONTROL_BYTES_MAX)
        answer = json.loads(line)
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    message = cast("Message", answer)
    if "error" in message:
        raise UserError(f"the running crawl refused: {message['error']}")
    return message


def socket_path(folder: CrawlFolder) -> Path:
    """Where the control socket of this crawl folder is made."""
    name = hashlib.blake2b(os.fsencode(folder.path.resolve()), digest_size=10).hexdigest() + ".sock"
    for parent in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):  # noqa: S108 - made private below
        if parent and Path(parent).is_dir():
            path = Path(parent) / f"gossamer-{os.getuid()}" / name
            if len(os.fsencode(path)) <= SOCKET_PATH_BYTES_MAX and _make_private(path.parent):
                return path
    raise UserError("no private folder for the control socket could be made", "set XDG_RUNTIME_DIR to one of yours")


def peer_path(folder: CrawlFolder, worker: int) -> Path:
    """Where a worker of the crawl in this folder listens to the others: no longer than the control socket's path."""
    return socket_path(folder).with_suffix(f".w{worker}")


def _line(answer: Message) -> bytes:
    return json.dumps(answer).encode() + b"\n"


def _make_private(folder: Path) -> bool:
    """Make `folder` for us alone; false when somebody else made one of that name, or it cannot be made."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _listening(folder: CrawlFolder) -> Path | None:
    """The socket that state/control.json names, if it is this folder's (not one it was copied from) and ours."""
    try:
        place = json.loads(folder.control.read_bytes())
        path = Path(place["socket"])
        if place["folder"] == str(folder.path.resolve()) and path.lstat().st_uid == os.getuid():
            return path
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return None
