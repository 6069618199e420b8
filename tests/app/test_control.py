from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import socket
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.app.control import ControlServer, ask, socket_path
from gossamer.app.errors import UserError
from gossamer.app.folder import CrawlFolder
from gossamer.core.limits import CONTROL_CONNECTIONS_MAX

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CrawlFolder:
    runtime = tmp_path / "run"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    found = CrawlFolder(tmp_path / "crawl")
    found.state.mkdir(parents=True)
    return found


def status(message: dict[str, Any]) -> dict[str, Any]:
    return {"pages": 3, "asked": message}


def refuse(_: dict[str, Any]) -> dict[str, Any]:
    raise UserError("not now")


def asked(folder: CrawlFolder, request: dict[str, Any]) -> dict[str, Any] | None:
    """The answer to `request` while a server runs."""

    async def serve() -> dict[str, Any] | None:
        async with ControlServer(folder, {"status": status, "refuse": refuse}):
            return await asyncio.to_thread(ask, folder, request)

    return asyncio.run(serve())


def test_asked_and_answered(folder: CrawlFolder) -> None:
    assert asked(folder, {"ask": "status", "n": 1}) == {"pages": 3, "asked": {"ask": "status", "n": 1}}
    assert ask(folder, {"ask": "status"}) is None, "the server is gone"
    assert not folder.control.exists()
    assert not socket_path(folder).exists()


@pytest.mark.parametrize(
    ("request_", "message"),
    [({"ask": "refuse"}, "not now"), ({"ask": "statsu"}, "did you mean status"), ({}, "unknown")],
)
def test_refusals_are_told(folder: CrawlFolder, request_: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        asked(folder, request_)


def test_it_is_ours_alone(folder: CrawlFolder) -> None:
    async def look() -> tuple[int, int]:
        async with ControlServer(folder, {}):
            path = socket_path(folder)
            return stat.S_IMODE(path.stat().st_mode), stat.S_IMODE(path.parent.stat().st_mode)

    assert asyncio.run(look()) == (0o600, 0o700)


def test_a_stale_socket_is_taken_over(folder: CrawlFolder) -> None:
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(socket_path(folder)))
    folder.control.write_text(
        json.dumps({"socket": str(socket_path(folder)), "folder": str(folder.path.resolve()), "process": 1})
    )
    assert ask(folder, {"ask": "status"}) is None
    assert asked(folder, {"ask": "status"}) is not None


def test_a_copied_folder_does_not_ask_the_original(folder: CrawlFolder, tmp_path: Path) -> None:
    async def serve() -> dict[str, Any] | None:
        async with ControlServer(folder, {"status": status}):
            shutil.copytree(folder.path, tmp_path / "copy")
            return await asyncio.to_thread(ask, CrawlFolder(tmp_path / "copy"), {"ask": "status"})

    assert asyncio.run(serve()) is None


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"socket": 1, "folder": 2}', b"\xff", b'{"socket": "/absent"}']
)
def test_a_damaged_pointer_is_no_running_crawl(folder: CrawlFolder, content: bytes) -> None:
    folder.control.write_bytes(content)
    assert ask(folder, {"ask": "status"}) is None


def test_a_long_path_has_a_short_socket(tmp_path: Path) -> None:
    path = tmp_path.joinpath(*["deep" * 20] * 5)
    assert len(str(socket_path(CrawlFolder(path)))) <= 107


def test_a_folder_of_somebody_else_is_not_used(
    folder: CrawlFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_to_all = socket_path(folder).parent
    open_to_all.chmod(0o777)
    other = tmp_path / "tmp"
    other.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(other))
    assert socket_path(folder).is_relative_to(other)


@pytest.mark.parametrize("line", [b"\n", b"[1]\n", b"{\n", b"\xff\xfe\n", b'"x"\n', b"[" * 100_000 + b"\n"])
def test_whatever_comes_in_it_goes_on(folder: CrawlFolder, line: bytes) -> None:
    async def serve() -> dict[str, Any] | None:
        async with ControlServer(folder, {"status": status}):
            reader, writer = await asyncio.open_unix_connection(socket_path(folder))
            writer.write(line)
            assert "error" in json.loads(await reader.readline())
            writer.close()
            return await asyncio.to_thread(ask, folder, {"ask": "status"})

    assert asyncio.run(serve()) is not None


def test_an_endless_line_ends_only_its_connection(folder: CrawlFolder) -> None:
    async def serve() -> dict[str, Any] | None:
        async with ControlServer(folder, {"status": status}):
            reader, writer = await asyncio.open_unix_connection(socket_path(folder))
            writer.write(b"x" * 3_000_000)
            with contextlib.suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()
            return await asyncio.to_thread(ask, folder, {"ask": "status"})

    assert asyncio.run(serve()) is not None


@pytest.mark.parametrize(
    "error", [TypeError("no"), KeyError("x"), OverflowError(), AttributeError("y"), RecursionError()]
)
def test_a_question_without_an_answer_ends_nothing(folder: CrawlFolder, error: Exception) -> None:
    def fail(_: dict[str, Any]) -> dict[str, Any]:
        raise error

    async def serve() -> dict[str, Any] | None:
        async with ControlServer(folder, {"status": status, "fail": fail}):
            with pytest.raises(UserError, match=type(error).__name__):
                await asyncio.to_thread(ask, folder, {"ask": "fail"})
            return await asyncio.to_thread(ask, folder, {"ask": "status"})

    assert asyncio.run(serve()) is not None


def test_an_unknown_request_of_a_million_characters_is_answered(folder: CrawlFolder) -> None:
    with pytest.raises(UserError, match=r"unknown request$"):
        asked(folder, {"ask": "status" * 100_000})


def test_a_crowd_is_closed_unheard_and_harms_nothing(folder: CrawlFolder) -> None:
    async def crowd() -> tuple[bytes, dict[str, Any] | None]:
        async with ControlServer(folder, {"status": status}) as server:
            place = socket_path(folder)
            waiting = [await asyncio.open_unix_connection(place) for _ in range(CONTROL_CONNECTIONS_MAX)]
            await until(lambda: server._connections == CONTROL_CONNECTIONS_MAX)
            reader, writer = await asyncio.open_unix_connection(place)
            unheard = b""
            with contextlib.suppress(ConnectionResetError):
                unheard = await reader.read()
            writer.close()
            for _, each in waiting:
                each.close()
            await until(lambda: not server._connections)
            return unheard, await asyncio.to_thread(ask, folder, {"ask": "status"})

    unheard, answer = asyncio.run(crowd())
    assert unheard == b""
    assert answer is not None


def test_who_asks_waits_while_others_are_accepted(folder: CrawlFolder) -> None:
    """A full backlog refuses a socket that does not block, and the crawl would seem not to run."""
    place = socket_path(folder)
    answers: list[dict[str, Any] | None] = []
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as first:
        server.bind(str(place))
        server.listen(0)
        folder.control.write_text(json.dumps({"socket": str(place), "folder": str(folder.path.resolve())}))
        first.connect(str(place))
        asking = threading.Thread(target=lambda: answers.append(ask(folder, {"ask": "status"})))
        asking.start()
        for _ in range(2):
            peer, _ = server.accept()
            first.close()
            with peer, peer.makefile("rb") as lines:
                if lines.readline():
                    peer.sendall(b'{"pages": 1}\n')
        asking.join()
    assert answers == [{"pages": 1}]


async def until(done: Callable[[], bool]) -> None:
    """Let the loop go on until what was begun has happened."""
    for _ in range(100_000):
        if done():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never happened")
