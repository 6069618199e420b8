from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from gossamer.app.python import handover
from gossamer.app.python.handover import HandOver

if TYPE_CHECKING:
    import pytest

    from gossamer.app.python.page import Page


class Body:
    """As much of a page as a hand-over looks at."""

    def __init__(self, size: int) -> None:
        self.body = bytes(size)


def page(size: int = 1) -> Page:
    return cast("Page", cast("Any", Body(size)))


async def began(task: asyncio.Task[Any]) -> None:
    """Let a task run until it waits."""
    while not task.done():
        before = task.get_coro()
        await asyncio.sleep(0)
        if task.get_coro() is before:
            return


def test_room_shrinks_with_what_waits_and_grows_with_what_is_taken() -> None:
    async def main() -> None:
        pages = HandOver(pages_max=3)
        assert pages.room() == 3
        pages.put(page())
        pages.put(page())
        assert pages.room() == 1
        await pages.take_one()
        assert pages.room() == 2
        assert len(await pages.take()) == 1
        assert pages.room() == 3

    asyncio.run(main())


def test_much_to_read_leaves_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handover, "BYTES_WAITING_MAX", 10)
    pages = HandOver()
    pages.put(page(10))
    assert pages.room() == 0


def test_it_is_read_once_the_reader_waits_for_more() -> None:
    async def main() -> None:
        pages = HandOver()
        calls: list[bool] = []
        pages.changed = lambda: calls.append(pages.is_read())
        assert not pages.is_read()
        pages.put(page())
        assert await pages.take_one() is not None
        assert not pages.is_read()
        waiting = asyncio.create_task(pages.take_one())
        await began(waiting)
        assert pages.is_read()
        assert calls[-1]
        pages.put(page())
        assert not pages.is_read()
        assert await waiting is not None

    asyncio.run(main())


def test_what_waits_at_the_end_is_still_handed_out() -> None:
    async def main() -> None:
        pages = HandOver()
        pages.put(page())
        pages.end()
        pages.put(page())
        assert await pages.take_one() is not None
        assert await pages.take_one() is None
        assert await pages.take() == []

    asyncio.run(main())


def test_a_reader_who_left_is_no_hindrance() -> None:
    pages = HandOver(pages_max=1)
    pages.put(page())
    pages.drop()
    pages.put(page())
    assert pages.is_read()
    assert pages.room() == 1
