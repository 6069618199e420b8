"""`gossamer plan`: how much a crawl will need, before it starts."""

from __future__ import annotations

import math
import os
import re
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from gossamer.app.errors import UserError
from gossamer.app.escape import json_line
from gossamer.app.exit_codes import Exit
from gossamer.app.plan_lines import plan_lines
from gossamer.app.settings.kinds import NUMBER_AND_UNIT, read_duration, read_size
from gossamer.core.plan import Plan, Wish, plan

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from gossamer.app.plan_sources import Figure

MULTIPLES: Final = {"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9, "bn": 1e9, "t": 1e12} | {
    "thousand": 1e3,
    "million": 1e6,
    "billion": 1e9,
    "trillion": 1e12,
}
"""Word behind a count -> what it stands for."""
PERCENT: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*%", re.ASCII)


def read_number(text: str) -> float:
    """A number such as 1000000, 1_000_000, 1e9, 10M or "1 billion"; ValueError for anything else."""
    plain = text.strip().replace("_", "").replace(",", "")
    if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?(?:[eE]\+?[0-9]{1,2})?", plain, re.ASCII):
        return float(plain)
    found = NUMBER_AND_UNIT.fullmatch(plain)
    if found is None or found[2].lower() not in MULTIPLES:
        raise ValueError(text)
    return float(found[1]) * MULTIPLES[found[2].lower()]


def read_whole(text: str) -> int:
    """Such a number without a fraction."""
    number = read_number(text)
    if number != int(number):
        raise ValueError(text)
    return int(number)


def read_share(text: str) -> float:
    """A part of all: 0.3 or 30%."""
    percent = PERCENT.fullmatch(text.strip())
    return float(percent[1]) / 100 if percent else read_number(text)


class Flag(NamedTuple):
    """A flag of the command: the field of the wish that it sets."""

    name: str
    field: str
    metavar: str
    read: Callable[[str], Any]
    wants: str
    meaning: str


COUNT_WORDS: Final = "a number such as 500000, 10M or 1e9"
SIZE_WORDS: Final = "a size such as 500kB"
TIME_WORDS: Final = "a duration such as 90s, 30d or 4w"
SHARE_WORDS: Final = "a share such as 0.3 or 30%"
FLAGS: Final = (
    Flag("--pages", "pages", "N", read_whole, COUNT_WORDS, "pages to have in one period"),
    Flag("--period", "period", "TIME", read_duration, TIME_WORDS, "time for them; a month of 30 days by default"),
    Flag("--page-size", "page_bytes", "SIZE", read_size, SIZE_WORDS, "a page as decoded"),
    Flag("--stored-size", "stored_bytes", "SIZE", read_size, SIZE_WORDS, "a page as received and archived"),
    Flag("--links", "links", "N", read_number, COUNT_WORDS, "links of a page"),
    Flag("--new-links", "new_links", "SHARE", read_share, SHARE_WORDS, "share of them that were not known before"),
    Flag("--urls", "urls", "N", read_whole, COUNT_WORDS, "URLs ever seen, instead of what pages and links make"),
    Flag("--hosts", "hosts", "N", read_whole, COUNT_WORDS, "hosts that the pages are spread over"),
    Flag("--largest-host", "largest_host", "SHARE", read_share, SHARE_WORDS, "share of all pages on the largest host"),
    Flag("--gap", "gap", "TIME", read_duration, TIME_WORDS, "time from one request to a host to the next"),
    Flag("--duplicates", "duplicates", "SHARE", read_share, SHARE_WORDS, "share of fetches that bring known bodies"),
    Flag("--recrawls", "recrawls", "SHARE", read_share, SHARE_WORDS, "share of fetches that look at pages again"),
    Flag("--rendered", "rendered", "SHARE", read_share, SHARE_WORDS, "share of pages that a browser renders"),
    Flag("--peak", "peak", "TIMES", read_number, COUNT_WORDS, "the highest rate, in averages"),
    Flag("--false-positives", "false_positives", "SHARE", read_share, SHARE_WORDS, "of a Bloom filter for URL seen"),
    Flag("--years", "years", "N", read_number, COUNT_WORDS, "how long all is kept"),
    Flag("--page-cpu", "page_cpu", "TIME", read_duration, TIME_WORDS, "CPU of a page, instead of measuring it here"),
    Flag("--rendered-cpu", "rendered_cpu", "TIME", read_duration, TIME_WORDS, "CPU of a page that a browser renders"),
    Flag("--cores", "cores", "N", read_whole, COUNT_WORDS, "cores of one machine; as many as here by default"),
)
"""Every flag that sets a field of the wish."""
FLAG_OF: Final = {flag.field: flag.name for flag in FLAGS}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `gossamer.app.cli.Command`."""
    for flag in FLAGS:
        parser.add_argument(flag.name, dest=flag.field, metavar=flag.metavar, help=flag.meaning)
    parser.add_argument("--from", dest="crawl", metavar="DIR", type=Path, help="figures of a crawl, running or not")
    parser.add_argument("--config", metavar="FILE", type=Path, help="a job's settings: pages, time, gap, cap per host")
    parser.add_argument("--json", action="store_true", help="as one JSON object; seconds, bytes, bits a second")


def run(args: argparse.Namespace) -> int:
    """See `gossamer.app.cli.Command`."""
    figures = _figures(args)
    if "pages" not in figures:
        raise UserError("a plan wants --pages, --from DIR or a --config that caps them", "for example --pages 1e9")
    _add_rate(figures)
    try:
        wish = Wish(**{name: figure.value for name, figure in figures.items()})
    except ValueError as error:
        name, _, rest = str(error).partition(" ")
        raise UserError(f"{FLAG_OF.get(name, name)} {rest}", "gossamer plan --help says what each is") from error
    found = plan(wish)
    print(json_line(_as_json(wish, found, figures)) if args.json else "\n".join(plan_lines(wish, found, figures)))
    return Exit.DONE


def _figures(args: argparse.Namespace) -> dict[str, Figure]:
    """What is known of the wish, each later source over the earlier: a crawl, a job's settings, flags."""
    from gossamer.app.plan_sources import Figure, crawl_figures, job_figures  # noqa: PLC0415 - the store's library

    figures: dict[str, Figure] = {"cores": Figure(os.cpu_count() or 1, "this machine")}
    if args.crawl is not None:
        figures |= crawl_figures(args.crawl)
    if args.config is not None:
        figures |= job_figures(args.config)
    for flag in FLAGS:
        text = getattr(args, flag.field)
        if text is not None:
            figures[flag.field] = Figure(_read(flag, text), flag.name)
    return figures


def _read(flag: Flag, text: str) -> Any:
    try:
        value = flag.read(text)
    except ValueError as error:
        raise UserError(f"{flag.name} wants {flag.wants}, not {text!r}", f"it is: {flag.meaning}") from error
    if not math.isfinite(value):
        raise UserError(f"{flag.name} wants {flag.wants}, not {text!r}")
    return value


def _add_rate(figures: dict[str, Figure]) -> None:
    """The CPU of a page as measured here, unless a crawl or a flag says it."""
    if "page_cpu" in figures:
        return
    from gossamer.app.machine_rate import measure  # noqa: PLC0415 - the parser
    from gossamer.app.plan_sources import Figure  # noqa: PLC0415 - as above

    defaults: dict[str, Any] = {item.name: item.default for item in fields(Wish)}
    size = figures["page_bytes"].value if "page_bytes" in figures else defaults["page_bytes"]
    links = figures["links"].value if "links" in figures else defaults["links"]
    if not size > 0 or not links >= 0:
        return  # the wish itself says what is wrong
    rate = measure(size, min(round(links), 20_000))
    words = f"measured here on {rate.pages} made pages: reading, link keys, digest, compression; no network, no store"
    figures["page_cpu"] = Figure(rate.page_seconds, words)


def _as_json(wish: Wish, found: Plan, figures: dict[str, Figure]) -> dict[str, Any]:
    sources = {name: figures[name].source if name in figures else "default" for name in asdict(wish)}
    return {"wish": asdict(wish), "sources": sources, "plan": asdict(found)}
