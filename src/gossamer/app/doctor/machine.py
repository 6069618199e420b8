"""The machine: Python, libraries, limits, disk, clock, terminal."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import platform
import re
import resource
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer import __version__
from gossamer.app import figures
from gossamer.app.doctor.finding import Finding, fail, ok, warn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.app.settings import Settings

PYTHONS: Final = ((3, 11), (3, 14))
"""The oldest and the newest Python that this release is tested with."""
MODULES: Final = {
    "aiodns": "aiodns",
    "brotli": "brotli",
    "can_ada": "can_ada",
    "chardet": "chardet",
    "google-re2": "re2",
    "idna": "idna",
    "isal": "isal",
    "msgspec": "msgspec",
    "numpy": "numpy",
    "publicsuffixlist": "publicsuffixlist",
    "pyarrow": "pyarrow",
    "pycares": "pycares",
    "pycurl": "pycurl",
    "rich": "rich",
    "rocksdict": "rocksdict",
    "turbohtml": "turbohtml",
    "uvloop": "uvloop",
    "zstandard": "zstandard",
}
"""Distribution -> the module that it brings."""
FILES_OF_SHARD: Final = 24
"""Files a store keeps open: its log, its manifest and some tables."""
FILES_BESIDE: Final = 128
"""Files beside stores and connections: archive, journals, libraries."""
DISK_BYTES_WARN: Final = 5_000_000_000
DISK_BYTES_FAIL: Final = 200_000_000
SYNC_SECONDS_WARN: Final = 0.1
"""A commit syncs a few times, and there are four commits a second."""
SYNCS: Final = 5
CLOCK_EARLIEST: Final = 1_767_225_600.0
"""The start of 2026: this release was made after it."""
CLOCK_LATEST: Final = 4_102_444_800.0
"""The start of 2100."""
COLUMNS_WANTED: Final = 80


def machine_findings(settings: Settings, place: Path) -> Iterator[Finding]:
    """Everything that needs no network. `place`: where crawl folders are to be made."""
    yield _python()
    yield from _libraries()
    yield _processor()
    yield _open_files(settings)
    yield from _disk(place)
    yield _clock()
    yield _terminal()


def _python() -> Finding:
    words = f"{platform.python_version()} ({platform.python_implementation()}), Gossamer {__version__}"
    if PYTHONS[0] <= sys.version_info[:2] <= PYTHONS[1]:
        return ok("python", words)
    oldest, newest = (".".join(map(str, each)) for each in PYTHONS)
    return fail("python", words, f"this release wants Python {oldest} to {newest}")


def _libraries() -> Iterator[Finding]:
    """One line for all that is well, one for each that is not."""
    wanted = _wanted()
    versions: list[str] = []
    for name, module in MODULES.items():
        try:
            version = importlib.metadata.version(name)
            importlib.import_module(module)
        except importlib.metadata.PackageNotFoundError:
            yield fail(
                "library", f"{name} is not installed", "install Gossamer anew: pip install --force-reinstall gossamer"
            )
        except ImportError as error:
            yield fail("library", f"{name} cannot be loaded: {error}", f"pip install --force-reinstall {name}")
        else:
            least = wanted.get(name)
            if least is not None and _numbers(version) < _numbers(least):
                yield fail(
                    "library", f"{name} is {version}", f"this release wants {least} or later: pip install -U {name}"
                )
            versions.append(f"{name} {version}")
    yield ok("libraries", ", ".join(versions))


def _wanted() -> dict[str, str]:
    """Distribution -> its least version, as our own metadata has it; {} where there is none."""
    try:
        requirements = importlib.metadata.requires("gossamer") or []
    except importlib.metadata.PackageNotFoundError:
        return {}
    found = (re.match(r"([\w.-]+)\s*\(?>=\s*([\w.]+)", text) for text in requirements)
    return {match[1]: match[2] for match in found if match is not None}


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _processor() -> Finding:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    words = f"{os.cpu_count() or 1} cores, {figures.size(memory)} memory, {platform.system()} {platform.machine()}"
    return ok("machine", words)


def _open_files(settings: Settings) -> Finding:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    crawl = settings.crawl
    needed = crawl.max_fetches * 2 + crawl.shards * FILES_OF_SHARD + FILES_BESIDE
    words = f"limit {_limit(soft)}; a crawl with these settings needs about {needed:,}"
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return ok("open files", words)
    possible = hard == resource.RLIM_INFINITY or hard >= needed
    hint = (
        f"ulimit -n {needed}"
        if possible
        else f"the hard limit is {_limit(hard)}; lower crawl.max_fetches or crawl.shards"
    )
    return warn("open files", words, hint)


def _limit(number: int) -> str:
    return "unlimited" if number == resource.RLIM_INFINITY else f"{number:,}"


def _disk(place: Path) -> Iterator[Finding]:
    try:
        free = shutil.disk_usage(place).free
        seconds = _sync_seconds(place)
    except OSError as error:
        yield fail("disk", f"{place} cannot be written to: {error.strerror}", "crawl into a folder of yours: -o DIR")
        return
    words = f"{figures.size(free)} free in {place}"
    if free < DISK_BYTES_FAIL:
        yield fail("disk", words, "make room before crawling")
    elif free < DISK_BYTES_WARN:
        yield warn("disk", words, "a million pages take about 30 GB")
    else:
        yield ok("disk", words)
    words = f"a sync takes {seconds * 1000:.1f} ms (median of {SYNCS})"
    slow = seconds > SYNC_SECONDS_WARN
    yield warn("sync", words, "raise crawl.commit_interval, or use a faster disk") if slow else ok("sync", words)


def _sync_seconds(place: Path) -> float:
    """The median time to make 4 KiB durable."""
    taken: list[float] = []
    with tempfile.NamedTemporaryFile(dir=place, prefix=".gossamer-doctor-") as file:
        for _ in range(SYNCS):
            file.write(b"\0" * 4096)
            file.flush()
            began = time.perf_counter()
            os.fsync(file.fileno())
            taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def _clock() -> Finding:
    now = time.time()
    words = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    if not CLOCK_EARLIEST <= now < CLOCK_LATEST:
        return fail("clock", words, "the clock is wrong: certificates will not verify, and captures get a wrong date")
    return ok("clock", words)


def _terminal() -> Finding:
    if not sys.stdout.isatty():
        return ok("terminal", "output goes to a file or a program: plain lines, no colour")
    columns, encoding = shutil.get_terminal_size().columns, (sys.stdout.encoding or "").lower()
    words = f"{os.environ.get('TERM', 'unknown')}, {columns} columns, {encoding}"
    if "utf" not in encoding:
        return warn("terminal", words, "titles in other scripts show as question marks; set LANG to a UTF-8 locale")
    if columns < COLUMNS_WANTED:
        return warn("terminal", words, f"the display is made for {COLUMNS_WANTED} columns")
    return ok("terminal", words)
