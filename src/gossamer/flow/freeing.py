"""A suspect is freed: what is held against it is forgotten, and the URLs that it refused are queued anew."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from gossamer.core.frontier.records import HOST_ID_BYTES, PageState
from gossamer.core.scope.reasons import Reason
from gossamer.flow.forgetting import queue_anew
from gossamer.flow.shard import Shard
from gossamer.flow.worker import Worker

URLS_AT_ONCE: Final = 256
"""URLs queued in one step of the loop."""


def free(worker: Worker, suspects: Iterable[str], done: Callable[[list[str]], None]) -> None:
    """Free suspects, by the texts of their rows, while the crawl goes on; `done` is told once that is durable.

    Only known URLs come back. A link that a shape rule refused left no key: it is followed when it is met again, or
    when the crawl is resumed and what was refused is judged anew.
    """
    texts = list(suspects)
    if texts:
        worker.releasing += 1
        worker.start(_free(worker, texts, done))


async def _free(worker: Worker, texts: list[str], done: Callable[[list[str]], None]) -> None:
    try:
        for text in texts:
            for shard in worker.shards:
                shard.templates.forget(text)
                while _queue_some(worker, shard, text):  # noqa: ASYNC110 - other tasks have their turns between
                    await asyncio.sleep(0)
        await worker.committer.commit()
        done(texts)
    finally:
        worker.releasing -= 1
        worker.alarm.ring()


def _queue_some(worker: Worker, shard: Shard, text: str) -> bool:
    """Queue some of the URLs that a row refused; whether there were any."""
    keys = shard.templates.refused_keys(text, URLS_AT_ONCE)
    for key in keys:
        record = shard.page(key[:HOST_ID_BYTES], key[HOST_ID_BYTES:])
        if record is not None and record.state == PageState.REFUSED and record.reason == Reason.TRAP:
            worker.perform(shard, queue_anew(shard, key, record, worker.clock.now()))
    shard.templates.taken_back(text, keys)
    return bool(keys)
