"""Every commit, as the system calls show it: files synced before the store is written, directories after new names.

A crawl and a resumed one run under strace. When a store's log is written, no byte of archive, index, journals and
datasets may wait for a sync, and no directory for the name of a file made or renamed in it. After the write the log
itself is synced before the next commit writes anything.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from proofs import documentation
from tests import crawls
from tests.servers import debian
from tools import programs

SITE, SITE_QUICK = "octave-doc", "haskell98-report"
CALLS = "fsync,fdatasync,write,pwrite64,writev,pwritev,rename,renameat,renameat2,openat,open,creat,ftruncate"
OURS = re.compile(r"/(archive|index|journal|pages|links|refused)/[^/]+$")
STORE_LOG = re.compile(r"/state/shard-\d+/\d+\.log$")

_LINE = re.compile(r"^(\d+)\s+(.*)$")
_UNFINISHED = re.compile(r"^(\w+)\((.*) <unfinished \.\.\.>$")
_RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$")
_CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)")
_DESCRIPTOR = re.compile(r"^\d+<([^>]*)>")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass
class Judge:
    """What is written and not yet durable, call by call."""

    dirty: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Directories in which a name is new and not yet durable."""
    made: set[str] = field(default_factory=set)
    logs: set[str] = field(default_factory=set)
    """Store logs written and not yet synced."""
    opening: bool = True
    """No commit of this process has begun: what stores write while they are opened is their own affair."""
    problems: list[str] = field(default_factory=list)
    syncs: int = 0
    commits: int = 0
    directories: int = 0

    def see(self, call: str, arguments: str, result: int) -> None:
        """Take in one finished call."""
        if result < 0:
            return
        if call in ("fsync", "fdatasync"):
            self._synced(_path(arguments))
        elif call in ("write", "pwrite64", "writev", "pwritev", "ftruncate"):
            self._wrote(_path(arguments))
        elif call.startswith("rename"):
            self._renamed(_QUOTED.findall(arguments)[-1])
        elif call == "creat" or "O_CREAT" in arguments:
            self._made(_QUOTED.findall(arguments)[-1])

    def _synced(self, path: str) -> None:
        self.syncs += path in self.dirty
        self.directories += path in self.names
        self.dirty.discard(path)
        self.names.discard(path)
        if path in self.logs:
            self.logs.discard(path)
            self.commits += not self.logs

    def _wrote(self, path: str) -> None:
        if STORE_LOG.search(path):
            self._say(self.dirty, "was written and not synced")
            self._say(self.names, "has a new name and was not synced")
            self.logs.add(path)
        elif OURS.search(path):
            if not self.opening:
                self._say(self.logs, "was written and not synced when the next commit began")
            self.opening = False
            self.logs.clear()
            self.dirty.add(path)

    def _say(self, paths: set[str], what: str) -> None:
        self.problems += (f"{path} {what}" for path in sorted(paths))

    def _renamed(self, path: str) -> None:
        if OURS.search(path):
            self.names.add(str(Path(path).parent))

    def _made(self, path: str) -> None:
        if OURS.search(path) and path not in self.made:
            self.made.add(path)
            self.names.add(str(Path(path).parent))


def run(quick: bool) -> int:
    strace = programs.find("strace")
    if strace is None:
        print("strace is not here; ./dev setup installs it where it is root")
        return 1
    with tempfile.TemporaryDirectory(prefix="gossamer-order-") as name:
        folder = Path(name)
        judge = Judge()
        site = debian.site(SITE_QUICK if quick else SITE)
        with documentation.served({"traced.test": site}, folder / "server") as (_, [one]):
            crawl = documentation.flags([one], folder / "crawl", "--max-pages", "20" if quick else "250")
            for number, arguments in enumerate((crawl, ["resume", str(folder / "crawl"), "--max-pages", "100000"])):
                _traced(str(strace), arguments, folder / f"trace-{number}", judge)
        judge.problems += (f"{path} was never synced" for path in sorted(judge.dirty))
    print("\n".join(["", *judge.problems[:40]]))
    print(f"{judge.commits} commits, {judge.syncs} syncs of archive, index, journals and datasets before them")
    print(f"{judge.directories} syncs of directories after {len(judge.made)} files made, and after renames")
    print(f"{len(judge.problems)} problems")
    return 1 if judge.problems or not (judge.commits and judge.syncs and judge.directories) else 0


def _traced(strace: str, arguments: list[str], trace: Path, judge: Judge) -> None:
    watched = [strace, "-f", "-y", "-s", "0", "-e", f"trace={CALLS}", "-o", str(trace)]
    done = subprocess.run(
        [*watched, *crawls.command(*arguments)], capture_output=True, text=True, check=False, env=crawls.environment()
    )
    if done.returncode:
        judge.problems.append(f"the traced crawl ended with {done.returncode}: {done.stderr[-300:]}")
    judge.opening = True
    for call, text, result in _calls(trace):
        judge.see(call, text, result)


def _calls(trace: Path) -> Iterator[tuple[str, str, int]]:
    """(name, arguments, result) of each call, in the order they ended; a write counts when it begins."""
    begun: dict[str, str] = {}
    with trace.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            thread, text = _LINE.findall(line)[0]
            if unfinished := _UNFINISHED.match(text):
                begun[thread] = unfinished[0].removesuffix(" <unfinished ...>")
                continue
            if resumed := _RESUMED.match(text):
                text = begun.pop(thread, "") + resumed[2]
            if call := _CALL.match(text):
                yield call[1], call[2], int(call[3])


def _path(arguments: str) -> str:
    found = _DESCRIPTOR.match(arguments)
    return found[1] if found else ""
