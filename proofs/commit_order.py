"""A traced crawl: every commit syncs archive and journals before the store, and folders after create and rename.

The system calls of a crawl and of its resumption (strace) are replayed here. Whenever bytes go to a store's log, which
is how a commit becomes true, no archive file or journal may have bytes that were not synced, and no folder a name that
was not; a journal is removed only after a synced commit that followed its Parquet file. The same trace with a kind of
sync taken out must not pass.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from proofs import documentation
from tests import crawls
from tests.servers import debian
from tools import programs

SITES = ("stl-manual", "haskell98-report", "debian-policy")
SITES_QUICK = ("haskell98-report", "debian-policy")
SMALL_FILES = ("--set", "archive.warc_bytes=200k", "--set", "archive.journal_bytes=100k", "--set", "crawl.shards=4")
"""Files close and become others many times in a short crawl."""
CALLS = (
    "openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,rename,renameat,renameat2,"
    "unlink,unlinkat,ftruncate,link,linkat"
)
WRITING = frozenset({"write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate"})
FOLDERS = ("archive", "index", "journal", "pages", "links", "refused")

_LINE = re.compile(r"^(\d+) +([\d.]+) (?:<\.\.\. (\w+) resumed>(.*)|(\w+)\((.*))$")
_PATH = re.compile(r"^(?:AT_FDCWD|\d+)<([^>]*)>")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
UNFINISHED = " <unfinished ...>"


@dataclass(frozen=True)
class Call:
    """One system call as it began or ended. Calls of several threads overlap."""

    name: str
    arguments: str
    ended: bool
    began: bool


@dataclass
class Replay:
    """What is on the disk for certain, as the calls go by."""

    root: str
    problems: list[str] = field(default_factory=list[str])
    counts: Counter[str] = field(default_factory=Counter[str])
    dirty: set[str] = field(default_factory=set[str])
    """Archive files and journals with bytes that no sync covers yet."""
    syncing: dict[str, bool] = field(default_factory=dict[str, bool])
    """Files being synced; False once something was written meanwhile."""
    names: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Folder -> names made or changed in it and not synced yet."""
    written_logs: set[str] = field(default_factory=set[str])
    """Store logs with bytes that no sync covers yet."""
    due: dict[str, int] = field(default_factory=dict[str, int])
    """Final file -> number of synced commits when its name became durable."""

    def step(self, call: Call) -> None:
        """One call."""
        paths = self._paths(call)
        if not paths or not all(path.startswith(self.root) for path in paths[:1]):
            return
        inner = [path[len(self.root) + 1 :] for path in paths]
        if call.name in WRITING:
            self._write(inner[0], call)
        elif call.name in {"fsync", "fdatasync"}:
            self._sync(inner[0], call)
        elif call.ended and not call.arguments.rstrip().startswith("failed"):
            self._change_names(inner, call)

    def _write(self, path: str, call: Call) -> None:
        if is_store_log(path) and call.began and call.name != "ftruncate":
            self.counts["writes to store logs"] += 1
            self.written_logs.add(path)
            self._expect_all_synced(path)
        if path.partition("/")[0] in FOLDERS:
            self.dirty.add(path)
            if path in self.syncing:
                self.syncing[path] = False

    def _expect_all_synced(self, log: str) -> None:
        for path in sorted(self.dirty):
            if not is_draft(path):
                self.problems.append(f"{log} was written while {path} had bytes that were not synced")
        for folder, names in self.names.items():
            unsynced = sorted(name for name in names if not is_draft(name))
            if unsynced:
                self.problems.append(
                    f"{log} was written before {folder or 'the crawl folder'} was synced for {unsynced}"
                )

    def _sync(self, path: str, call: Call) -> None:
        if call.began:
            self.syncing[path] = True
        if not call.ended:
            return
        whole = self.syncing.pop(path, True)
        if whole:
            self.dirty.discard(path)
        if path in self.names:
            for name in self.names.pop(path):
                self.due[f"{path}/{name}"] = self.counts["synced commits"]
            self.counts["folder syncs after create or rename"] += 1
        if is_store_log(path) and path in self.written_logs:
            self.written_logs.discard(path)
            self.counts["synced commits"] += 1
        if path.partition("/")[0] in FOLDERS and path not in FOLDERS:
            self.counts["syncs of archive files and journals"] += 1

    def _change_names(self, paths: list[str], call: Call) -> None:
        if call.name in {"openat", "open", "creat"} and ("O_CREAT" in call.arguments or call.name == "creat"):
            self._name(paths[-1])
        elif call.name.startswith(("rename", "link")):
            self._unname(paths[0])
            self._name(paths[-1])
            if paths[0] in self.dirty:
                self.problems.append(f"{paths[-1]} was renamed before its bytes were synced")
                self.dirty.discard(paths[0])
            self.counts["renames"] += 1
        elif call.name.startswith("unlink"):
            self._remove(paths[-1])

    def _name(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        if folder in FOLDERS:
            self.names.setdefault(folder, set()).add(name)
            self.counts["files made"] += 1

    def _unname(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        self.names.get(folder, set()).discard(name)

    def _remove(self, path: str) -> None:
        self._unname(path)
        self.dirty.discard(path)
        source = PurePosixPath(path)
        if source.parts[0] != "journal" or is_draft(path):
            return
        self.counts["journals removed"] += 1
        products = [name for name in self.due if PurePosixPath(name).stem == source.stem and name != path]
        finals = [name for name in products if not name.startswith(("journal/", "archive/"))]
        if not finals:
            self.problems.append(f"{path} was removed and nothing stands for it")
        elif self.counts["synced commits"] <= self.due[finals[0]]:
            self.problems.append(f"{path} was removed before a commit named {finals[0]}")

    def _paths(self, call: Call) -> list[str]:
        """The files a call is about, absolute."""
        found = _PATH.match(call.arguments)
        if call.name in WRITING or call.name in {"fsync", "fdatasync"}:
            return [found[1]] if found else []
        base = found[1] if found else ""
        names = _STRING.findall(call.arguments)
        return [name if name.startswith("/") else f"{base}/{name}" for name in names]


def is_store_log(path: str) -> bool:
    """Is it the write-ahead log of a shard's store?"""
    return re.fullmatch(r"state/shard-\d+/\d+\.log", path) is not None


def is_draft(path: str) -> bool:
    """Is it a file being written aside?"""
    return path.rpartition("/")[2].startswith(".")


def calls_of(trace: Path) -> list[Call]:
    """The calls of a trace; one that was interrupted by another thread's appears as it began and as it ended."""
    calls: list[Call] = []
    waiting: dict[str, str] = {}
    with trace.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = _LINE.match(line.rstrip("\n"))
            if match is None:
                continue
            thread, _, resumed, rest, name, arguments = match.groups()
            if resumed:
                whole = waiting.pop(thread, "") + rest
                if not failed(whole):
                    calls.append(Call(resumed, whole, ended=True, began=False))
            elif arguments.endswith(UNFINISHED):
                waiting[thread] = arguments.removesuffix(UNFINISHED)
                calls.append(Call(name, waiting[thread], ended=False, began=True))
            elif not failed(arguments):
                calls.append(Call(name, arguments, ended=True, began=True))
    return calls


def failed(text: str) -> bool:
    """Did the call return an error?"""
    return " = -1 " in text


def run(quick: bool) -> int:
    strace = programs.find("strace")
    if strace is None:
        print("strace is not here (./dev setup installs it where it may): NOTHING WAS SHOWN")
        return 1
    with tempfile.TemporaryDirectory(prefix="gossamer-order-") as name:
        folder = Path(name).resolve()
        sites = {f"{kind}.test": debian.site(kind) for kind in (SITES_QUICK if quick else SITES)}
        root = str(folder / "crawl")
        with documentation.served(sites, folder / "server") as (_, hosts):
            limited = documentation.flags(hosts, folder / "crawl", *SMALL_FILES, "--max-pages", "20")
            first = _traced(strace, folder / "first", crawls.command(*limited))
            then = _traced(strace, folder / "then", crawls.command("resume", root, "--max-pages", "none"))
        calls = calls_of(folder / "first") + calls_of(folder / "then")
    replay = replayed(calls, root)
    for kind in ("archive/", "journal/", "archive", "pages", "state/"):
        without = [call for call in calls if not (call.name.endswith("sync") and _is_on(call, f"{root}/{kind}"))]
        if not replayed(without, root).problems and not replayed(without, root).written_logs:
            replay.problems.append(f"the judge is blind: without the syncs of {kind} it finds nothing")
    return _judge(replay, [first, then])


def _traced(strace: str, trace: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    options = ["-f", "-y", "-ttt", "-s", "400", "-e", f"trace={CALLS}", "-o", str(trace)]
    command = [strace, *options, *command]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=crawls.environment())


def replayed(calls: list[Call], root: str) -> Replay:
    """What the calls did to the crawl folder `root`."""
    replay = Replay(root)
    for call in calls:
        replay.step(call)
    return replay


def _is_on(call: Call, path: str) -> bool:
    """Is the call about that folder itself, or (with a slash at the end) about files in it?"""
    found = _PATH.match(call.arguments)
    return found is not None and (found[1].startswith(path) if path.endswith("/") else found[1] == path)


def _judge(replay: Replay, ended: list[subprocess.CompletedProcess[str]]) -> int:
    problems = replay.problems
    problems += [f"a crawl ended with {one.returncode}: {one.stderr[-300:]}" for one in ended if one.returncode]
    if replay.dirty or replay.names or replay.written_logs:
        left = [*replay.dirty, *replay.names, *replay.written_logs]
        problems.append(f"at the end these were not synced: {left[:5]}")
    for what in ("synced commits", "renames", "journals removed", "folder syncs after create or rename"):
        if replay.counts[what] < 3:
            problems.append(f"only {replay.counts[what]} {what}: too few to show anything")
    print("\n".join(["", *problems[:30], *(f"{count:6} {what}" for what, count in sorted(replay.counts.items()))]))
    print(f"{len(problems)} problems")
    return 1 if problems else 0
