"""A plan as lines for people: what is needed, and what it was reckoned from, each figure with its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app import figures as words
from gossamer.app.escape import inert
from gossamer.core.seen.loss import BITS_PER_PRINT, bloom_losses

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.app.plan_sources import Figure
    from gossamer.core.plan import Plan, Wish

BITS: Final = ((1e12, "Tbit/s"), (1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"))
LARGE: Final = ((1e18, "EB"), (1e15, "PB"))


def plan_lines(wish: Wish, found: Plan, figures: Mapping[str, Figure]) -> list[str]:
    """All lines."""
    rows = _needed(wish, found)
    needed = [f"{label:18}{text}" for label, text in rows]
    reckoned = [f"  {label:16}{text:>12}  {_source(name, figures)}" for name, label, text in _reckoned(wish, found)]
    return [*needed, "reckoned from", *reckoned]


def _source(name: str, figures: Mapping[str, Figure]) -> str:
    if name in figures:
        return inert(figures[name].source, 200)
    return "pages x (1 + links a page x new of those)" if name == "urls" else "default"


def _needed(wish: Wish, found: Plan) -> list[tuple[str, str]]:
    period, years = words.duration(wish.period), f"{wish.years:g} year{'' if wish.years == 1 else 's'}"
    fetches = f"{_rate(found.fetches_per_second)} fetches/s, {_rate(found.peak_per_second)} at the peak"
    enough = "there are enough" if found.hosts_enough else f"there are only {wish.hosts:,}: the gap slows the crawl"
    lost = _share(bloom_losses(found.urls, found.urls) / found.urls)
    fits = "that is within the period" if found.largest_host_fits else "it ends after the period: begin it first"
    return [
        ("rate", f"{_rate(found.pages_per_second)} pages/s on average; {fetches}"),
        ("bandwidth", f"{_bits(found.bandwidth)}, {_bits(found.bandwidth_peak)} at the peak, uncompressed"),
        ("", f"{_bits(found.bandwidth_stored)} as received"),
        ("storage raw", _stored(found.raw_per_period, found.raw_per_year, found.raw_kept, period, years)),
        ("storage archived", _stored(found.stored_per_period, found.stored_per_year, found.stored_kept, period, years)),
        ("URLs seen", f"{found.urls:,}"),
        ("", f"{_size(found.runs_bytes)} as sorted runs in files with url_seen = exact, the default"),
        ("", f"{_size(BITS_PER_PRINT / 8 * found.urls)} of memory with url_seen = bloom; it loses {lost} of them"),
        ("", f"{_size(found.filter_bytes)} would do for a Bloom filter that errs in {_share(wish.false_positives)}"),
        ("hosts ready", f"{found.hosts_ready:,} at once at the peak (rate x gap); {enough}"),
        ("largest host", f"{words.duration(found.largest_host_seconds)} at its gap; {fits}"),
        ("machines", f"{found.machines:,} with {words.counted(wish.cores, 'core')} at the peak"),
        ("", f"{found.cores:,.1f} cores busy on average, {found.cores_peak:,.1f} at the peak"),
    ]


def _reckoned(wish: Wish, found: Plan) -> list[tuple[str, str, str]]:
    return [
        ("pages", "pages", f"{wish.pages:,}"),
        ("period", "period", words.duration(wish.period)),
        ("page_bytes", "page decoded", _size(wish.page_bytes)),
        ("stored_bytes", "page archived", _size(wish.stored_bytes)),
        ("links", "links a page", f"{wish.links:.1f}"),
        ("new_links", "new of those", _share(wish.new_links)),
        ("urls", "URLs seen", f"{found.urls:,}"),
        ("hosts", "hosts", f"{wish.hosts:,}"),
        ("largest_host", "largest host", _share(wish.largest_host)),
        ("gap", "gap", words.duration(wish.gap)),
        ("duplicates", "duplicates", _share(wish.duplicates)),
        ("recrawls", "recrawls", _share(wish.recrawls)),
        ("rendered", "rendered", _share(wish.rendered)),
        ("peak", "peak", f"{wish.peak:g} x"),
        ("page_cpu", "CPU of a page", f"{wish.page_cpu * 1000:.1f} ms"),
        ("rendered_cpu", "CPU if rendered", f"{wish.rendered_cpu * 1000:,.0f} ms"),
        ("cores", "cores", f"{wish.cores:,}"),
    ]


def _stored(period_bytes: float, year_bytes: float, kept_bytes: float, period: str, years: str) -> str:
    return f"{_size(period_bytes)} in {period}, {_size(year_bytes)} a year, {_size(kept_bytes)} in {years}"


def _rate(number: float) -> str:
    return f"{number:,.0f}" if number >= 99.95 else f"{number:.3g}"


def _size(number: float) -> str:
    unit, name = next(((unit, name) for unit, name in LARGE if number >= unit * 0.9995), (1.0, ""))
    return f"{number / unit:,.1f} {name}" if name else words.size(number)


def _bits(number: float) -> str:
    unit, name = next(((unit, name) for unit, name in BITS if number >= unit * 0.9995), (1.0, "bit/s"))
    return f"{number / unit:.1f} {name}"


def _share(share: float) -> str:
    return f"{share * 100:.3g} %"
