"""The live view as lines of text: what it says, and what is left out where there is no room.

Nothing here moves a cursor. Text that came from the web goes through `inert`; numbers and words are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text

from gossamer.app import figures
from gossamer.app.escape import inert

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.app.history import History
    from gossamer.app.progress import DiskShown, Progress
    from gossamer.app.tallies import HostShown

LABEL_COLUMNS: Final = 10
HOSTS_SHOWN: Final = 5
BAR_COLUMNS: Final = 20
HISTORY_COLUMNS: Final = 30
WIDE_COLUMNS: Final = 100
"""From here on the two lists of hosts stand side by side."""
BARS: Final = "▁▂▃▄▅▆▇█"
BARS_ASCII: Final = "_.-:=+*#"
DAYS_SHOWN_MAX: Final = 365.0

GOOD, BAD, WARN, DIM, STRONG = "green", "red", "yellow", "dim", "bold"


@dataclass(frozen=True, slots=True)
class Part:
    """Some lines that stand or fall together; the greatest rank falls first."""

    rank: int
    lines: list[Text]


@dataclass(frozen=True, slots=True)
class Canvas:
    """What there is to write on. `unicode`: whether block characters can be shown."""

    columns: int
    rows: int
    unicode: bool = True


def view(progress: Progress, history: History, canvas: Canvas) -> list[Text]:
    """The lines of the view: at most `rows`, none wider than `columns`."""
    parts = [
        Part(0, [_head(progress)]),
        Part(1, [_pages(progress, history, canvas)]),
        Part(2, [_received(progress, history, canvas)]),
        Part(1, [_queue(progress, canvas)]),
        Part(3, _table("answers", progress.statuses, canvas)),
        Part(4, _table("failed", progress.failed, canvas, style=BAD)),
        Part(5, _table("refused", progress.refused, canvas)),
        Part(8, _table("links out", progress.refused_links, canvas)),
        Part(4, [_hosts(progress, canvas)]),
        Part(9, _tops(progress, canvas)),
        Part(7, _workers(progress)),
        Part(6, [_disk(disk, history, canvas) for disk in progress.disks]),
        Part(5, _end(progress, history)),
        Part(6, _line("note", inert(progress.note, _room(canvas)), WARN)),
        Part(8, _line("newest", inert(progress.newest, _room(canvas)))),
    ]
    lines = [line for part in _fitting(parts, canvas.rows) for line in part.lines]
    for line in lines:
        line.truncate(canvas.columns, overflow="ellipsis" if canvas.unicode else "crop")
    return lines[: canvas.rows]


def spark(values: Sequence[float], *, unicode: bool = True) -> str:
    """Bars as high as the values, the greatest the highest."""
    bars = BARS if unicode else BARS_ASCII
    top = max(values, default=0.0)
    if top <= 0:
        return bars[0] * len(values)
    return "".join(bars[min(len(bars) - 1, int(value / top * len(bars)))] for value in values)


def time_band(least: float, most: float | None) -> str:
    """From the least to the most of seconds: "2h 10m to 3h", "over 2h", or one time where both are about the same."""
    if most is None:
        return f"over {_time(least)}"
    if most <= least * 1.1 + 1.0:
        return f"about {_time(most)}"
    return f"{_time(least)} to {_time(most)}"


def _time(seconds: float) -> str:
    return figures.duration(seconds) if seconds >= 59.5 else f"{seconds:.0f}s"


def _fitting(parts: list[Part], rows: int) -> list[Part]:
    """The parts that fit, in order: those of the greatest rank go first."""
    kept = [part for part in parts if part.lines]
    while sum(len(part.lines) for part in kept) > rows and len(kept) > 1:
        kept.remove(max(kept, key=lambda part: part.rank))
    return kept


def _labelled(label: str) -> Text:
    return Text(f"{label:{LABEL_COLUMNS}}", style=DIM)


def _line(label: str, text: str, style: str = "") -> list[Text]:
    return [_labelled(label).append(text, style=style)] if text else []


def _room(canvas: Canvas) -> int:
    return max(0, canvas.columns - LABEL_COLUMNS)


def _head(progress: Progress) -> Text:
    state, style = "crawling", GOOD
    if progress.paused:
        state, style = f"paused: {', '.join(progress.paused)}", WARN
    if progress.stopping:
        state, style = "stopping: what is in flight is finished", WARN
    line = Text(f"{'gossamer':{LABEL_COLUMNS}}", style=STRONG)
    return line.append(state, style=style).append(f"   for {figures.duration(progress.elapsed)}", style=DIM)


def _pages(progress: Progress, history: History, canvas: Canvas) -> Text:
    rate = history.rate(lambda sample: sample.pages)
    line = _labelled("pages").append(f"{figures.count(progress.pages):>13}", style=STRONG)
    line.append(f"  {figures.rate(rate):>8}/s   ")
    return line.append(_bars([*history.bars(lambda sample: sample.pages, HISTORY_COLUMNS)], canvas), style=GOOD)


def _received(progress: Progress, history: History, canvas: Canvas) -> Text:
    rate = history.rate(lambda sample: sample.bytes)
    line = _labelled("received").append(f"{figures.size(progress.bytes):>13}", style=STRONG)
    line.append(f"  {figures.size(rate):>8}/s   ")
    return line.append(_bars([*history.bars(lambda sample: sample.bytes, HISTORY_COLUMNS)], canvas), style=GOOD)


def _bars(values: list[float], canvas: Canvas) -> str:
    return spark(values, unicode=canvas.unicode)


def _queue(progress: Progress, canvas: Canvas) -> Text:
    line = _labelled("queue").append(f"{figures.count(progress.queued):>13}", style=STRONG)
    line.append(f"  {progress.leased} in flight")
    if progress.held:
        line.append(f"  {figures.count(progress.held)} held", style=WARN)
    share = progress.done / progress.known if progress.known else 0.0
    full = round(share * BAR_COLUMNS)
    on, off = ("█", "░") if canvas.unicode else ("#", ".")
    line.append("  ").append(on * full, style=GOOD).append(off * (BAR_COLUMNS - full), style=DIM)
    return line.append(f" {share:.0%} of {figures.count(progress.known)} known")


def _table(label: str, table: Mapping[str, int], canvas: Canvas, *, style: str = "") -> list[Text]:
    """The greatest entries of a table that fit on one line, and how many are left out."""
    if not table:
        return []
    line = _labelled(label)
    entries = sorted(table.items(), key=lambda item: (-item[1], item[0]))
    for shown, (name, number) in enumerate(entries):
        more = f"  and {len(entries) - shown} more"
        text = f"{inert(_name(name), 40)} {figures.count(number)}"
        last = shown == len(entries) - 1
        if shown and line.cell_len + len(text) + 3 + (0 if last else len(more)) > canvas.columns:
            line.append(more, style=DIM)
            break
        line.append("   " if shown else "").append(text, style=style)
    return [line]


def _name(name: str) -> str:
    return "no answer" if name == "0" else name


def _hosts(progress: Progress, canvas: Canvas) -> Text:
    line = _labelled("hosts").append(f"{figures.count(progress.ready)} ready", style=GOOD)
    line.append(f"  {figures.count(progress.waiting)} waiting")
    line.append(f"  {figures.count(progress.parked)} parked", style=WARN if progress.parked else "")
    if progress.slowed:
        reasons = sorted(progress.slowed.items(), key=lambda item: (-item[1], item[0]))[:3]
        words = ", ".join(f"{name} {figures.count(number)}" for name, number in reasons)
        line.append("   slowed by " + inert(words, _room(canvas)), style=DIM)
    return line


def _tops(progress: Progress, canvas: Canvas) -> list[Text]:
    """Busiest and slowest hosts: side by side where there is room, otherwise the busiest only."""
    wide = canvas.columns >= WIDE_COLUMNS
    width = (canvas.columns - LABEL_COLUMNS - 3) // 2 if wide else canvas.columns - LABEL_COLUMNS
    busiest = [_busy(each, width) for each in progress.busiest[:HOSTS_SHOWN]]
    if not wide:
        return [_labelled("" if row else "busiest").append(text) for row, text in enumerate(busiest)]
    slowest = [_slow(each, width) for each in progress.slowest[:HOSTS_SHOWN]]
    if not busiest:
        return []
    head = _labelled("").append(f"{'busiest hosts':{width}}   slowest hosts", style=DIM)
    empty = " " * width
    rows = range(max(len(busiest), len(slowest)))
    pairs = [
        (busiest[row] if row < len(busiest) else empty, slowest[row] if row < len(slowest) else "") for row in rows
    ]
    return [head, *(_labelled("").append(left).append("   ").append(right) for left, right in pairs)]


def _busy(shown: HostShown, width: int) -> str:
    return _host_line(shown, f"{figures.count(shown.fetches):>9}  {figures.size(shown.bytes):>8}", width)


def _slow(shown: HostShown, width: int) -> str:
    time = f"{shown.seconds * 1000:,.0f} ms" if shown.seconds < 9.9995 else figures.duration(shown.seconds)
    return _host_line(shown, f"{time:>9}  {figures.count(shown.fetches):>7} fetches", width)


def _host_line(shown: HostShown, numbers: str, width: int) -> str:
    room = max(8, width - len(numbers) - 1)
    return Text(inert(shown.host, room)).plain.ljust(room) + " " + numbers


def _workers(progress: Progress) -> list[Text]:
    return [
        _labelled(f"worker {each.number}").append(
            f"{each.fetches} of {each.fetches_max} fetches   commit {each.commit_seconds * 1000:,.0f} ms   "
            f"memory {figures.size(each.memory_bytes)}"
        )
        for each in progress.workers
    ]


def _disk(disk: DiskShown, history: History, canvas: Canvas) -> Text:
    tight = disk.free < 2 * disk.pause_below
    line = _labelled("disk").append(f"{figures.size(disk.free)} free", style=WARN if tight else "")
    line.append(f" of {figures.size(disk.total)}   pauses below {figures.size(disk.pause_below)}")
    left = history.until_full(disk.mount, disk.free, disk.pause_below)
    if left is not None and left / 86400 < DAYS_SHOWN_MAX:
        line.append(f", in about {figures.duration(left)}", style=WARN if left < 86400 else "")
    return line.append(f"   {inert(disk.mount, max(0, _room(canvas) - line.cell_len))}", style=DIM)


def _end(progress: Progress, history: History) -> list[Text]:
    band = history.end(progress)
    if band is None:
        return []
    bounds = progress.bounds
    caps = [f"{figures.count(bounds.pages)} pages"] if bounds.pages is not None else []
    caps += [figures.size(bounds.bytes)] if bounds.bytes is not None else []
    caps += [f"{figures.duration(bounds.seconds)} left"] if bounds.seconds is not None else []
    why = f"   at most {', '.join(caps)}" if caps else "   as the queue shrinks"
    return [_labelled("ends in").append(time_band(*band), style=STRONG).append(why, style=DIM)]
