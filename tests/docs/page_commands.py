"""The commands of a page, run in their order and as they are written, with servers on loopback as the internet.

A block marked `sh` is run, line by line; one marked `output` behind it says what was printed (lines in that order,
others between them allowed, `…` for anything); a comment `# exit 7` says with which code a line ends. A `toml`, `sql`,
`text` or `python` block whose first line is a comment with a file name is what the reader saves under that name. Every
page begins in a fresh folder. Other blocks are not run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gossamer.app.settings.layers import VARIABLES
from tests import crawls
from tests.docs.documents import FENCE, ROOT
from tests.servers import misbehaving
from tests.servers.nginx import Certificate, Host, nginx

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.nginx import Nginx

HOSTS: Final = (
    *("docs.example.org", "www.example.org", "blog.example.net", "shop.example.com"),
    *("north.example.org", "news.example.org", "south.example.org", "west.example.org", "harbour.example.net"),
    *("docs.partner.example", "www.mine.example"),
)
"""Every host that a command of a page crawls."""
ADDRESS: Final = "127.77.0.1"
PAGES: Final = 40
SECONDS_MAX: Final = 180.0
SAVED: Final = frozenset({"toml", "sql", "python", "yaml", "text"})
EXIT: Final = re.compile(r"\s+# exit (\d+)$")
COMMENT: Final = re.compile(r"\s+# .*$")
NAME: Final = re.compile(r"(?:#|--) ([\w./-]+\.\w+)(?::.*)?\n")
LEFT_OUT: Final = {"./dev test": "it runs this proof's own tests", "pip install .": "it needs the network"}
"""Commands that are not run, and why."""
STANDARD_PAGES: Final = ("README.md", "docs/tutorial.md", "docs/how-to")


@dataclass(frozen=True)
class Block:
    """A code block of a page."""

    kind: str
    text: str


@dataclass(frozen=True)
class Command:
    """One command line, and the code it ends with."""

    text: str
    code: int


@dataclass
class Page:
    """A page, and what came of its commands."""

    path: Path
    blocks: list[Block]
    ran: int = 0
    checked: int = 0
    left_out: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])


def pages() -> list[Path]:
    """The pages whose commands run."""
    found: list[Path] = []
    for name in STANDARD_PAGES:
        place = ROOT / name
        found += sorted(place.glob("*.md")) if place.is_dir() else [place]
    return found


def read(path: Path) -> Page:
    """A page's blocks."""
    return Page(path, [Block(kind, text) for kind, text in FENCE.findall(path.read_text(encoding="utf-8"))])


def commands(text: str) -> list[Command]:
    """The command lines of a block: continued lines are one, comments none."""
    joined = text.replace("\\\n", " ")
    lines = [line.rstrip() for line in joined.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return [Command(COMMENT.sub("", line), int(found[1]) if (found := EXIT.search(line)) else 0) for line in lines]


def run(path: Path, folder: Path, environment: dict[str, str]) -> Page:
    """Run a page's commands in a fresh folder."""
    page = read(path)
    environment = dict(environment)
    _furnish(folder)
    groups: list[int] = []
    try:
        printed = ""
        for block in page.blocks:
            if block.kind == "sh":
                printed = _run_block(page, block, folder, environment, groups)
            elif block.kind == "output":
                _compare(page, block, printed)
            elif block.kind in SAVED and (name := NAME.match(block.text)):
                (folder / name[1]).write_text(block.text, encoding="utf-8")
    finally:
        _end(groups)
    return page


def _furnish(folder: Path) -> None:
    """What a reader has where the tree was unpacked: the launchers, the environment, the examples."""
    folder.mkdir(parents=True)
    program = folder / "gossamer"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m gossamer "$@"\n')
    program.chmod(0o755)
    (folder / ".venv").symlink_to(sys.prefix)
    for name in ("examples", "docs"):
        (folder / name).symlink_to(ROOT / name)


def _run_block(page: Page, block: Block, folder: Path, environment: dict[str, str], groups: list[int]) -> str:
    printed = ""
    for command in commands(block.text):
        if command.text in LEFT_OUT:
            page.left_out.append(f"{command.text} ({LEFT_OUT[command.text]})")
            continue
        if command.text.startswith("export "):
            environment.update(word.split("=", 1) for word in shlex.split(command.text)[1:])
            continue
        code, said = _run(command, folder, environment, groups)
        page.ran += 1
        printed += said
        if code != command.code:
            page.problems.append(f"{page.path.name}: {command.text}: exit {code}, not {command.code}:\n{said[-1500:]}")
    return printed


def _run(command: Command, folder: Path, environment: dict[str, str], groups: list[int]) -> tuple[int, str]:
    # Into a file: what a command leaves running would keep a pipe open.
    with (folder / ".said").open("w+b") as said:
        process = subprocess.Popen(
            ["bash", "-c", command.text],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        groups.append(process.pid)
        try:
            code = process.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        return code, (folder / ".said").read_text(encoding="utf-8", errors="replace")


def _end(groups: list[int]) -> None:
    """End what the page left running; each group is one that was started here."""
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            continue


def _compare(page: Page, block: Block, printed: str) -> None:
    page.checked += 1
    lines = [" ".join(line.split()) for line in printed.splitlines()]
    for expected in block.text.splitlines():
        wanted = " ".join(expected.split())
        if wanted in ("", "…"):
            continue
        pattern = re.compile(re.escape(wanted).replace("…", ".*"))
        place = next((number for number, line in enumerate(lines) if pattern.fullmatch(line)), None)
        if place is None:
            page.problems.append(f"{page.path.name}: not printed: {expected}\nin:\n{printed[-3000:]}")
            return
        lines = lines[place + 1 :]


def can_serve() -> bool:
    """Whether the ports of the web may be listened at here."""
    try:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((ADDRESS, 443))
    except OSError:
        return False
    return True


@contextmanager
def internet(folder: Path) -> Iterator[tuple[Nginx, dict[str, str]]]:
    """The sites that pages name, at the usual ports of a loopback address; and the environment that leads there."""
    folder.mkdir(parents=True)
    made = misbehaving.make_certificates(folder, *HOSTS)
    certificate = Certificate(made.certificate, made.key)
    served: list[Host] = []
    for host in HOSTS:
        root = folder / host
        write_site(root, host)
        plain = Host((host,), root, ((ADDRESS, 80),))
        served += [plain, replace(plain, listen=((ADDRESS, 443),), certificate=certificate)]
    with nginx(served, folder / "nginx") as server:
        yield server, environment(made.ca_file)


def environment(ca_file: Path) -> dict[str, str]:
    """The caller's, with the names of `HOSTS` on loopback and without a gap."""
    settings: dict[str, Any] = {
        "dns.resolve": [f"{host}={ADDRESS}" for host in HOSTS],
        "network.allow_address": ["127.0.0.0/8"],
        "fetch.ca_file": str(ca_file),
        "politeness.gap": 0,
    }
    names = {key: variable for variable, key in VARIABLES.items()}
    own = {names[key]: ",".join(value) if isinstance(value, list) else str(value) for key, value in settings.items()}
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests" / "docs" / "loopback")])
    own |= {"PYTHONPATH": paths, "LOOPBACK_DEFAULTS": json.dumps(settings), "COLUMNS": "120"}
    return {**crawls.environment(), **own}


def write_site(root: Path, host: str) -> None:
    """Some pages, and one of each kind of link that is not followed."""
    (root / "guide").mkdir(parents=True)
    (root / "private").mkdir()
    (root / "changelog").mkdir()
    (root / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    guide = [f"/guide/{number}.html" for number in range(PAGES)]
    others = ["/private/plan.html", "/download/manual.pdf", "/guide/lost.html", "/changelog/1.html"]
    others += ["https://elsewhere.example.com/", "/guide/0-again.html"]
    _write(root / "index.html", f"{host}", [*guide, *others])
    for number, path in enumerate(guide):
        more = f"<p>Chapter {number} of the guide of {host}. " + f"Sentence {number} of it. " * 20
        _write(root / path[1:], f"Chapter {number}", ["/", guide[(number + 1) % PAGES]], more)
    (root / "guide" / "0-again.html").write_bytes((root / "guide" / "0.html").read_bytes())
    _write(root / "changelog" / "1.html", "What changed", ["/"])
    _write(root / "private" / "plan.html", "The plan", ["/"])


def _write(path: Path, title: str, links: list[str], more: str = "") -> None:
    anchors = "\n".join(f'<a href="{link}">{link}</a>' for link in links)
    path.write_text(f"<!doctype html><title>{title}</title>{more}\n{anchors}\n", encoding="utf-8")
