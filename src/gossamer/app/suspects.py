"""The suspects of a crawl, running or not, with their evidence; and what a person says of them."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.control import ask
from gossamer.app.errors import UserError
from gossamer.app.orders import read_orders, write_orders
from gossamer.core.limits import SUSPECTS_PER_ANSWER_MAX, SUSPECTS_SHOWN_MAX
from gossamer.core.trap.novelty import Verdict
from gossamer.core.trap.rules import Word
from gossamer.core.trap.template import SHAPE_ENDINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gossamer.app.folder import CrawlFolder
    from gossamer.app.operations import Operated
    from gossamer.app.settings import Settings
    from gossamer.core.trap.novelty import Counts
    from gossamer.flow.templates import Templates
    from gossamer.flow.worker import Worker

Message = dict[str, Any]

FREE: Final = "free"
WORDS: Final = (Word.CONFIRM.value, Word.EXCLUDE.value, FREE)


def suspects_of(folder: CrawlFolder, settings: Settings) -> list[Message]:
    """All suspects, those with most against them first. Raises UserError."""
    words, by_name = read_orders(folder).traps, _by_name(folder, settings)
    for row in by_name.values():
        row["word"] = words.get(row["suspect"], "")
    return heapq.nlargest(SUSPECTS_SHOWN_MAX, by_name.values(), key=_weight)


def remarks_on(folder: CrawlFolder, settings: Settings, word: str, named: Sequence[str]) -> list[str]:
    """What to tell before a word is said of suspects: nobody has heard of one, or another refuses the same URLs."""
    by_name = _by_name(folder, settings)
    heard = {*by_name, *read_orders(folder).traps}
    strange = [text for text in named if text not in heard]
    lines = [f"no suspect is named {text} so far: gossamer report DIR traps lists them" for text in strange]
    if word != FREE:
        return lines
    examples = {url for text in named if text in by_name for url in by_name[text]["examples"]}
    for row in by_name.values():
        is_closed = row["verdict"] == Verdict.CLOSED.word and row["suspect"] not in named
        if is_closed and not examples.isdisjoint(row["examples"]):
            lines.append(f"{row['suspect']} refuses URLs of it as well: free it, too, or exclude one of them")
    return lines


def _by_name(folder: CrawlFolder, settings: Settings) -> dict[str, Message]:
    by_name: dict[str, Message] = {}
    for row in _rows(folder, settings):
        before = by_name.get(row["suspect"])
        by_name[row["suspect"]] = _joined(before, row) if before is not None else row
    return by_name


def _weight(row: Message) -> tuple[int, int, str]:
    return int(row["refused"]) + int(row["fetches"]) - int(row["novel"]), int(row["fetches"]), str(row["suspect"])


def _rows(folder: CrawlFolder, settings: Settings) -> Iterator[Message]:
    first: Message = {"shard": 0, "after": ""}
    answer = ask(folder, {"ask": "suspects", **first})
    if answer is None:
        from gossamer.app import stopped  # noqa: PLC0415 - opens the store's library

        with stopped.open_templates(folder, settings) as templates:
            counts, shards = dict(enumerate(templates)), settings.crawl.shards
            first_rows = some_suspects(counts, first, shards)
            yield from _to_the_end(first_rows, lambda place: some_suspects(counts, place, shards))
        return
    yield from _to_the_end(answer, lambda place: ask(folder, {"ask": "suspects", **place}))


def _to_the_end(answer: Message, more: Callable[[Message], Message | None]) -> Iterator[Message]:
    yield from answer["rows"]
    while (place := answer["next"]) is not None:
        following = more(place)
        if following is None:
            raise UserError("the crawl ended meanwhile", "ask again")
        answer = following
        yield from answer["rows"]


def answer_suspects(worker: Worker, message: Message) -> Message:
    """The control socket's answer to "suspects"; the rows end where another worker's shard begins."""
    return some_suspects({shard.number: shard.templates for shard in worker.shards}, message, worker.rules.shards)


def some_suspects(templates: Mapping[int, Templates], request: Message, shards: int) -> Message:
    """Some suspects from `shard` and the key `after` (hexadecimal) on, and where to go on."""
    number, after = int(request.get("shard", 0)), bytes.fromhex(str(request.get("after", "")))
    rows: list[Message] = []
    while number < shards:
        if number not in templates:
            return {"rows": rows, "next": {"shard": number, "after": ""}}
        for key, counts in templates[number].suspects(after):
            if len(rows) >= SUSPECTS_PER_ANSWER_MAX:
                return {"rows": rows, "next": {"shard": number, "after": after.hex()}}
            rows.append(_row(counts))
            after = key
        number, after = number + 1, b""
    return {"rows": rows, "next": None}


def _row(counts: Counts) -> Message:
    return {
        "suspect": counts.text,
        "verdict": Verdict(counts.verdict).word,
        "rule": counts.rule,
        "fetches": counts.fetches,
        "novel": counts.novel,
        "share": round(counts.share, 4) if counts.fetches else None,
        "visits": counts.visits,
        "refused": counts.refused,
        "first": counts.first or None,
        "last": counts.last or None,
        "since": counts.since or None,
        "examples": list(counts.examples),
    }


def _joined(one: Message, other: Message) -> Message:
    """Two rows of one name: links into a site may be refused in several shards."""
    moments = [row[name] for row in (one, other) for name in ("first", "last") if row[name] is not None]
    return {
        **one,
        "refused": one["refused"] + other["refused"],
        "first": min(moments, default=None),
        "last": max(moments, default=None),
    }


def say(operated: Operated, request: Message) -> Message:
    """An operation: say `word` ("confirm", "exclude" or "free") of `suspects`, each as the report names it."""
    word, suspects = str(request.get("word", "")), _texts(request)
    if word not in WORDS:
        raise UserError(f"{word!r} is none of {', '.join(WORDS)}")
    shapes = [text for text in suspects if text.endswith(SHAPE_ENDINGS)]
    if word == FREE and shapes:
        hint = f"gossamer traps DIR exclude {shapes[0]!r} exempts its site from the rule"
        raise UserError(f"{shapes[0]} goes by the looks of URLs, and would suspect them again", hint)
    orders = read_orders(operated.folder)
    for text in suspects:
        orders.traps.pop(text, None)
        orders.freed.pop(text, None)
        if word != FREE:
            orders.traps[text] = word
        if word != Word.CONFIRM:
            orders.freed[text] = operated.now()
    operated.keep(orders, f"traps {word}", suspects)
    if operated.live is not None:
        operated.live.release_freed()
    return {"word": word, "suspects": suspects}


def release_freed(
    worker: Worker, folder: CrawlFolder, durable: Callable[[dict[str, float]], None] | None = None
) -> None:
    """Queue what freed suspects refused, in a crawl that runs; called again at each start until it is durable.

    `durable` is told of it then, with the moments; without it the suspects are taken off the list.
    """
    from gossamer.flow.freeing import free  # noqa: PLC0415 - a whole shard; a stopped crawl has none

    moments = dict(read_orders(folder).freed)

    def done(texts: Iterable[str]) -> None:
        freed = {text: moments[text] for text in texts}
        if durable is not None:
            durable(freed)
        else:
            take_off_freed(folder, freed)

    free(worker, moments, done)


def take_off_freed(folder: CrawlFolder, moments: Mapping[str, float]) -> None:
    """These suspects are free, and all they refused is queued again, if they were not freed once more meanwhile."""
    orders = read_orders(folder)
    for text, moment in moments.items():
        if orders.freed.get(text) == moment:
            del orders.freed[text]
    write_orders(folder, orders)


def _texts(request: Message) -> list[str]:
    found = request.get("suspects", [])
    if not isinstance(found, list) or not found:
        raise UserError("no suspect is named", "gossamer report DIR traps lists them")
    texts = [str(item) for item in found]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    for text in texts:
        if not text.isprintable() or not text:
            raise UserError(f"{text!r} is not a suspect's name", "gossamer report DIR traps lists them")
    return texts
