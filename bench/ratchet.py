"""Counts that may only fall: bytecodes of the crawl itself, and instructions of the pure stages over the composite's.

Run: `./dev bench --ratchet [--record]`; it takes about half a minute, however busy the machine is, and needs valgrind.

* *crawl*: bytecodes that Python executes in core, flow and ports for each contact, while a made-up calm world is
  crawled under the simulator's clock. The world and the steps are the same to the last bytecode every time.
* *read*, *archive*: processor instructions, as valgrind counts them, of reading a made page (content coding, charset,
  tree, links, keys) and of archiving it (records, digests, index line), divided by those of the composite's steps for
  the same page in the same process (bench/composite.py). They vary by a part in a hundred.

bench/ratchet.json has what was reached, for each Python. A count beyond it by more than TOLERANCE fails; one that is
lower by more than that asks to be recorded. Network, threads, RocksDB and the kernel are not in it: `./dev bench cost`
measures these, and no machine shared with others can hold anybody to its figures.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import gossamer
from tools import programs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

KEPT: Final = Path(__file__).with_name("ratchet.json")
TOLERANCE: Final = {"crawl": 1.01, "read": 1.02, "archive": 1.03}
"""What each count may grow by: the first is exact but for a library's release; the others repeat to a hundredth."""
WORDS: Final = {
    "crawl": "bytecodes a contact",
    "read": "times the composite's instructions",
    "archive": "times the composite's instructions",
}
PYTHON: Final = f"{sys.version_info.major}.{sys.version_info.minor}"
COUNTED: Final = tuple(str(Path(gossamer.__file__).parent / layer) for layer in ("core", "flow", "ports"))
SIMULATION_SEED: Final = 6
PAGE_BYTES, PAGE_LINKS, PAGES = 55_000, 100, 30
_TOTALS: Final = re.compile(r"^totals: (\d+)$", re.MULTILINE)


def main() -> int:
    """Count, compare, print; the exit code."""
    parser = argparse.ArgumentParser(description="Hold this tree to the counts that were reached")
    parser.add_argument("--record", action="store_true", help="keep these counts as those that were reached")
    parser.add_argument("--count", choices=("bytecodes", "instructions"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count:
        print(json.dumps(bytecodes() if options.count == "bytecodes" else work_counted()))
        return 0
    missing = programs.ensure(("valgrind",))
    if missing:
        print(f"ratchet: no valgrind: {missing['valgrind']}", file=sys.stderr)
        return 2
    found = {"crawl": _child("bytecodes"), **instructions()}
    kept: dict[str, dict[str, float]] = json.loads(KEPT.read_bytes()) if KEPT.exists() else {}
    if options.record:
        KEPT.write_text(json.dumps({**kept, PYTHON: found}, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    lines, code = compared(found, found if options.record else kept.get(PYTHON, {}))
    print("\n".join(lines))
    return code


def compared(found: dict[str, float], kept: dict[str, float]) -> tuple[list[str], int]:
    """What to say of counts beside those that were reached, and the exit code."""
    lines: list[str] = []
    for name, count in found.items():
        before = kept.get(name)
        if before is None:
            lines.append(f"UNKNOWN {name}: {count:g} {WORDS[name]}; --record keeps it for Python {PYTHON}")
            continue
        limit = before * TOLERANCE[name]
        state = "DEARER" if count > limit else "cheaper" if count * TOLERANCE[name] < before else "holds"
        hint = "; --record keeps it" if state == "cheaper" else ""
        lines.append(f"{state:7} {name}: {count:g} {WORDS[name]}, {before:g} was reached, at most {limit:g}{hint}")
    bad = any(line.startswith(("DEARER", "UNKNOWN")) for line in lines)
    return lines, int(bad)


def _child(count: str, *before: str, cwd: Path | None = None) -> Any:
    """Count in a process of its own, where hashes of strings are the same every time."""
    command = [*before, sys.executable, "-m", "bench.ratchet", "--count", count]
    root = str(Path(__file__).parents[1])
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": root}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"counting {count} failed: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


# --- bytecodes -------------------------------------------------------------------------------------------------------


def bytecodes() -> float:
    """Bytecodes of our layers for each contact of a simulated crawl in which nothing goes wrong."""
    from gossamer.simulation.growth import WorldSize
    from gossamer.simulation.run import Rehearsal, run

    counter = Counter()
    rehearsal = Rehearsal(kills=0, size=WorldSize(hosts=(8, 8), pages=(120, 120), calm=True))
    sys.settrace(counter.enter)
    try:
        verdict = run(SIMULATION_SEED, rehearsal)
    finally:
        sys.settrace(None)
    if not verdict.passed:
        raise RuntimeError("\n".join(verdict.lines()))
    return round(counter.executed / verdict.contacts, 1)


class Counter:
    """Counts bytecodes in functions of the layers counted, by tracing."""

    def __init__(self) -> None:
        self.executed = 0

    def enter(self, frame: FrameType, _event: str, _argument: Any) -> Callable[..., Any] | None:
        """Called for each function."""
        if not frame.f_code.co_filename.startswith(COUNTED):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return self.step

    def step(self, _frame: FrameType, event: str, _argument: Any) -> Callable[..., Any]:
        """Called for each bytecode in it."""
        self.executed += event == "opcode"
        return self.step


# --- instructions ----------------------------------------------------------------------------------------------------


def instructions() -> dict[str, float]:
    """Instructions of each stage over those of the composite's steps for it."""
    with tempfile.TemporaryDirectory(prefix="gossamer-ratchet-") as name:
        valgrind = ("valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=counted")
        order = _child("instructions", *valgrind, cwd=Path(name))
        counts = [_total(Path(name, f"counted.{number}")) for number in range(1, len(order) + 1)]
    nothing, *rest = counts
    counted = {work: count - nothing for work, count in zip(order[1:], rest, strict=True)}
    return {stage: round(counted[stage] / counted[f"{stage}, composite"], 3) for stage in ("read", "archive")}


def _total(dump: Path) -> int:
    found = _TOTALS.search(dump.read_text(encoding="utf-8"))
    if found is None:
        raise RuntimeError(f"{dump.name} of valgrind has no totals")
    return int(found[1])


def work_counted() -> list[str]:
    """In the child, under valgrind: do each piece of work once to warm up, once counted; their names in order."""
    order: list[str] = []
    gc.disable()  # whose turn a collection falls into would be chance
    with tempfile.TemporaryDirectory(prefix="gossamer-ratchet-") as name:
        for work, take in _works(Path(name)):
            for page in range(2):
                take(page)
            _control("--instr=on")
            for page in range(PAGES):
                take(page + 2)
            _control("--instr=off")
            _control("--dump")
            order.append(work)
    return order


def _control(what: str) -> None:
    subprocess.run(["callgrind_control", what, str(os.getpid())], check=True, capture_output=True)


def _works(folder: Path) -> Iterator[tuple[str, Callable[[int], object]]]:
    """Each piece of work: its name, and what does it for the page of a number. The first is what counting costs."""
    from bench.composite import Composite, Page
    from bench.fetching import Answer
    from gossamer.app.machine_rate import made_page

    body = made_page(PAGE_BYTES, PAGE_LINKS)
    pages = [Answer(_url(n), _HEAD, gzip.compress(body + b"<p>%d" % n, 6)) for n in range(PAGES + 2)]
    composite = Composite(folder)
    made = [Page(answer) for answer in pages]
    steps = list(composite.steps.items())
    reading = [step for name, step in steps if name in {"gunzip", "decode", "parse", "links", "URL keys"}]
    archiving = [step for name, step in steps if name == "WARC"]
    yield "nothing", lambda _: None
    yield "read, composite", lambda n: [step(made[n]) for step in reading]
    yield "archive, composite", lambda n: [step(made[n]) for step in archiving]
    yield "read", _reader(pages)
    yield "archive", _archiver(folder, pages)
    composite.close()


_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n\r\n"


def _url(number: int) -> str:
    return f"http://site.test/guide/page-{number}.html"


def _reader(pages: list[Any]) -> Callable[[int], object]:
    from gossamer.adapters.parser_turbohtml import TurboParser
    from gossamer.core.http.content_coding import decode
    from gossamer.core.limits import DECODED_BYTES_MAX
    from gossamer.core.seen.fingerprint import Fingerprinter
    from gossamer.core.url.key import KEY_RULES_NEWEST, KeyRules, url_keys
    from gossamer.core.url.parse import host_of

    parser, ids, rules = TurboParser(), Fingerprinter(bytes(16)), KeyRules(KEY_RULES_NEWEST)

    def read(number: int) -> object:
        answer = pages[number]
        body = decode(answer.body, ["gzip"], DECODED_BYTES_MAX).data
        urls = parser.parse(body, answer.url, "text/html; charset=utf-8", ()).links.urls
        return ids.page_keys([host_of(url) for url in urls], url_keys(urls, rules))

    return read


def _archiver(folder: Path, pages: list[Any]) -> Callable[[int], object]:
    from gossamer.adapters.archive_files import WarcFiles
    from gossamer.adapters.clock_system import SystemClock
    from gossamer.adapters.disk_files import FolderDisk
    from gossamer.core.warc import cdx, record
    from gossamer.core.warc.digest import sha1_label
    from gossamer.simulation.entropy import SimEntropy

    (folder / "files").mkdir()
    entropy = SimEntropy(1, "ratchet")
    files = WarcFiles(FolderDisk(folder / "files"), SystemClock(), entropy, record.WarcInfo("bench", "bench"))
    asked_for = b"GET / HTTP/1.1\r\nHost: site.test\r\nUser-Agent: gossamer\r\nAccept-Encoding: gzip\r\n\r\n"

    def archive(number: int) -> object:
        answer = pages[number]
        capture = record.Capture(answer.url, 1_700_000_000.25, files.warcinfo_id, "127.0.0.1", ("http/1.1",))
        asked, answered = record.record_id(entropy.bytes(16)), record.record_id(entropy.bytes(16))
        digest = sha1_label(answer.body)
        response = record.response(capture, answered, answer.head, answer.body, (asked,), payload_digest=digest)
        request = record.request(capture, asked, asked_for, (answered,))
        files.index(cdx.response_line(capture, answer.head, digest, files.append([response, request])[0]), 0, 1)
        return None

    return archive


if __name__ == "__main__":
    sys.exit(main())
