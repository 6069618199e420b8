"""Hostile titles, URLs, headers and robots.txt are inert: on a terminal, in JSON, in CSV, in the logs.

A loopback server sends escape sequences, bidi controls, NUL, line ends and a megabyte without one, wherever a server
can say something. A crawl of it runs on a terminal, and so do the commands that show what came; every byte that the
terminal got is looked at. Only those sequences may be in it that our own display uses.
"""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from gossamer.app.escape import UNSAFE
from gossamer.core.limits import FACT_LINE_BYTES_MAX
from proofs.terminal import read_terminal
from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import Answer

HOST = "evil.test"
EVIL = "\x1b]0;owned\x07\x1b[2J\x1b[5;41m\x9b31m\x1bP1;2|x\x1b\\\u202egpj.exe\u2066\u200e\x08\x7f\u2028=1+1|"
"""Renames the window, clears the screen, blinks, a C1 introducer, a device string, bidi overrides, backspace."""
IN_HTML = EVIL.replace("\x07", "&#7;").replace("\x08", "&#8;")
"""A page with these bytes in it would be taken for a binary file; as references they reach title, text and URLs."""
LATIN = EVIL.encode("latin-1", "ignore").decode("latin-1")
"""As much of it as a header can hold."""
FORMULA = '=HYPERLINK(1)\t+1,"-1'
LONG = "A" * 1_000_000
ODD_STATUS = 298
OURS = re.compile(r"\x1b\[(?:K|J|\d+A|(?:0|1|2|31|32|33)(?:;(?:0|1|2|31|32|33))*m|m)|\r\n|\r|\n")
"""What our own display writes: erase line and below, up, the styles of its view, line ends."""
COLUMNS_MAX = 4100
"""The longest line that any command prints on a terminal: `show` cuts at 4,000 columns."""
SIZE = struct.pack("HHHH", 40, 120, 0, 0)


def site() -> dict[str, Answer]:
    """Everything that a server can say, said badly."""
    links = [
        f"/a{IN_HTML}",
        "/b\u202egpj",
        "/c%1B%5B2J",
        "/moved",
        "/away",
        "/typed",
        "/long",
        "/odd",
        "/secret",
        "/formula",
    ]
    links += [f"/{LONG}", f"ev\x1bil{IN_HTML}:x", f"http://{IN_HTML}/", "/charset", "/head", "/many", "/nul"]
    anchors = "".join(f'<a href="{link}" rel="{IN_HTML}">{IN_HTML}</a>\n' for link in links)
    sent = (("Server", LATIN), ("X-Robots-Tag", LATIN), ("Set-Cookie", f"a={LATIN}"), ("ETag", LATIN))

    def html(title: str, more: str = "", **rest: object) -> Answer:
        body = f"<!doctype html><meta charset=utf-8><title>{title}</title>{more}<p>{IN_HTML}</p>"
        return Answer(body.encode(), fields=sent, **rest)  # type: ignore[arg-type] - fields of Answer

    return {
        "/robots.txt": Answer(f"User-agent: *\nDisallow: /secret # {EVIL}\n{EVIL}\n".encode(), fields=sent),
        "/": html(IN_HTML, anchors),
        "/moved": Answer(b"", 302, fields=(("Location", f"/to{LATIN}"), *sent)),
        "/away": Answer(b"", 302, fields=(("Location", f"ht{LATIN}tp://x/"), *sent)),
        "/typed": Answer(b"x", media_type=f"text/{LATIN}", fields=sent),
        "/long": html(LONG + IN_HTML, f"<p>{LONG}</p>"),
        "/odd": html(IN_HTML + "odd", status=ODD_STATUS),
        "/formula": html(FORMULA, '<a href="/=1+1">=1+1</a>'),
        "/=1+1": html("=cmd|' /C calc'!A0"),
        "/charset": Answer(f'<meta charset="{IN_HTML}"><title>c{IN_HTML}</title>'.encode(), fields=sent),
        "/head": Answer(b"<title>h</title>", fields=(("X-Long", "B" * 60_000), *sent)),
        "/nul": html(EVIL + "\x00" + EVIL),
        "/many": html("many", "\n".join(f"<p>line {number} {IN_HTML}" for number in range(500))),
    }


DRIVER = """
import json, sys
from gossamer.app.cli import main
for number, (arguments, codes) in enumerate(json.loads(sys.argv[1])):
    print(f"@@{number}", flush=True)
    code = main(arguments)
    if code not in codes:
        print(f"@@exit {code}", flush=True)
"""
"""Runs commands one after the other, as the command line does each, and says on the terminal where one begins."""
BATCH = 25
Command = tuple[list[str], tuple[int, ...]]
"""Arguments, and the exit codes that may come."""


@dataclass
class Proof:
    """What was looked at, and what was wrong with it."""

    folder: Path
    env: dict[str, str]
    problems: list[str] = field(default_factory=list[str])
    outputs: int = 0
    bytes: int = 0
    longest: int = 0

    def on_a_terminal(self, commands: list[Command]) -> None:
        """Run commands with all three streams on a terminal, and look at every byte that this got."""
        for start in range(0, len(commands), BATCH):
            batch = commands[start : start + BATCH]
            code, shown = on_a_terminal([sys.executable, "-P", "-c", DRIVER, json.dumps(batch)], self.env)
            parts = re.split(rb"@@(\d+)\r\n", shown)
            self.expect(code == 0 and len(parts) == 2 * len(batch) + 1, f"the commands ended early: {shown[-500:]!r}")
            for number, part in zip(parts[1::2], parts[2::2], strict=True):
                name = " ".join(argument[:60] for argument in batch[int(number)][0])
                self.expect(b"@@exit" not in part, f"{name}: {part[-300:]!r}")
                self.look(name, part)

    def piped(self, *arguments: str, codes: tuple[int, ...] = (0,)) -> str:
        """Run a command as a program would; what it printed."""
        done = subprocess.run(crawls.command(*arguments), env=self.env, capture_output=True, check=False)
        name = " ".join(argument[:60] for argument in arguments)
        self.expect(done.returncode in codes, f"{name}: exit {done.returncode}: {done.stderr[-500:]!r}")
        self.look(name, done.stderr)
        return done.stdout.decode("utf-8", "replace")

    def look(self, name: str, shown: bytes) -> None:
        """Control characters, bidi controls and the like beside our own sequences; lines too long."""
        self.outputs += 1
        self.bytes += len(shown)
        rest = OURS.sub("\n", shown.decode("utf-8", "replace"))
        bad = sorted({f"{ord(each):04X}" for each in rest if each != "\n" and unicodedata.category(each) in UNSAFE})
        self.expect(not bad, f"{name}: {', '.join(bad)} reached the terminal")
        longest = max(map(len, rest.split("\n")))
        self.longest = max(self.longest, longest)
        self.expect(longest <= COLUMNS_MAX, f"{name}: a line of {longest} columns")

    def objects(self, *arguments: str, codes: tuple[int, ...] = (0,)) -> None:
        """`--json`: one object a line, of printable ASCII."""
        out = self.piped(*arguments, "--json", codes=codes)
        name = " ".join(arguments[:1])
        self.expect(bool(out), f"{name} --json: nothing came")
        for line in out.splitlines():
            self.expect(line.isascii() and line.isprintable(), f"{name} --json: {line[:200]!r}")
            self.expect(isinstance(json.loads(line), dict), f"{name} --json: no object")

    def expect(self, holds: bool, text: str) -> None:
        if not holds:
            self.problems.append(text)


def on_a_terminal(command: list[str], env: dict[str, str]) -> tuple[int, bytes]:
    """The exit code, and what a terminal of 120 columns got."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, SIZE)
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as process:
        os.close(theirs)
        shown = read_terminal(ours)
    return process.returncode, shown


def run(quick: bool) -> int:
    small_site.REASONS[ODD_STATUS] = LATIN
    with tempfile.TemporaryDirectory(prefix="gossamer-hostile-") as name, small_site.serve(site()) as server:
        env = {**crawls.environment(), "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"}
        proof = Proof(Path(name) / "crawl", env)
        _crawl(proof, server.url("/", HOST))
        urls = sorted(row["url"] for row in crawls.Crawl(proof.folder).rows("pages"))
        proof.expect(len(urls) >= 15, f"only {len(urls)} visits")
        asked = [url for url in urls if not quick or url.endswith((f":{server.port}/", "/long", "/formula"))]
        _ask(proof, asked)
        _logs(proof)
        _tables(proof)
    print("\n".join(proof.problems[:40]))
    figures = f"{proof.outputs} outputs, {proof.bytes:,} bytes, longest line {proof.longest:,} columns"
    print(f"{figures}; {len(asked)} URLs asked about; {len(proof.problems)} problems")
    return 1 if proof.problems else 0


FLAGS = ("--resolve", f"{HOST}=127.0.0.1", *crawls.LOOPBACK, "--gap", "0")


def _crawl(proof: Proof, url: str) -> None:
    more = ("--media", "any", "--set", "log.level=debug", "--set", "crawl.shards=2", "--set", "crawl.patience=5s")
    proof.on_a_terminal(
        [
            (["crawl", url, "-o", str(proof.folder), *FLAGS, *more], (0, 4)),
            (["resume", str(proof.folder)], (0, 4)),
            (["crawl", f"http://{EVIL}/"], (2,)),
        ]
    )


def _ask(proof: Proof, urls: list[str]) -> None:
    folder = str(proof.folder)
    whole = [["status", folder], ["hosts", folder], ["hosts", folder, HOST], ["doctor", folder]]
    commands: list[Command] = [(command, (0,)) for command in whole]
    commands += [(["hosts", folder, HOST, "--requests"], (0,)), (["hosts", folder, EVIL], (2, 7))]
    for url in urls:
        commands.append((["explain", folder, url, "--search"], (0,)))
        shows = [["show", folder, url, *part] for part in ([], ["--headers"], ["--text"], ["--links"], ["--raw"])]
        commands += [(show, (0, 2)) for show in shows]
        commands += [(["get", url, *FLAGS, part], (0, 3)) for part in ("--full", "--raw")]
    names = ("explain", "show", "add", "block", "forget")
    commands += [([name, folder, f"http://{HOST}/{EVIL}"], (0, 2, 3, 7)) for name in names]
    proof.on_a_terminal(commands)
    for command in whole:
        proof.objects(*command)
    for url in urls:
        proof.objects("explain", folder, url)
        proof.objects("get", url, *FLAGS, codes=(0, 3))


def _logs(proof: Proof) -> None:
    lines = 0
    for path in proof.folder.glob("logs/*.jsonl"):
        data = path.read_bytes()
        proof.expect(data.endswith(b"\n"), f"{path.name} ends within a line")
        for line in data.split(b"\n")[:-1]:
            lines += 1
            text = line.decode()
            proof.expect(isinstance(json.loads(text), dict), f"{path.name}: no object: {text[:200]!r}")
            proof.expect(len(line) <= FACT_LINE_BYTES_MAX, f"{path.name}: a line of {len(line)} bytes")
            bad = sorted({f"{ord(each):04X}" for each in text if unicodedata.category(each) in UNSAFE})
            proof.expect(not bad, f"{path.name}: {', '.join(bad)} in a line")
    proof.expect(lines > 20, f"only {lines} lines of log")
    print(f"{lines} lines of log, each one JSON object")


def _tables(proof: Proof) -> None:
    """Our CSV has no cell that a spreadsheet acts on; Parquet keeps what came, and a CSV of it reads back the same."""
    out = proof.piped("hosts", str(proof.folder), HOST, "--requests")
    rows = list(csv.reader(io.StringIO(out)))
    proof.expect(len(rows) == out.count("\n"), "a cell of the CSV has a line end")
    acting = [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    proof.expect(not acting, f"cells that act: {acting[:3]}")
    for name in ("pages", "links", "refused"):
        table = f"'{proof.folder}/{name}/*.parquet'"
        copied = proof.folder.parent / f"{name}.csv"
        select = "SELECT url, url AS again" if name != "links" else "SELECT target, text"
        duckdb.sql(f"{select} FROM {table}").write_csv(str(copied))
        kept = duckdb.sql(f"{select} FROM {table}").fetchall()
        with copied.open(newline="", encoding="utf-8") as file:
            read = [tuple(row) for row in csv.reader(file)][1:]
        same = [tuple("" if cell is None else cell for cell in row) for row in kept]
        proof.expect(read == same, f"{name}: a CSV made of it does not read back")
        print(f"{name}: {len(kept)} rows through CSV and back")
