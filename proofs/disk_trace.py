"""A traced folder, laid out anew as a disk would have it that lost its power at some moment of the trace.

Of each file counts what was written before its last sync began, of each folder the names it had at its last sync; what
came later is left out, as the hardest disk that keeps its promises would leave it. The trace is strace's, with every
byte written (`TRACED`). Calls that put bytes into the folder in ways that a trace does not show raise ValueError.
"""

from __future__ import annotations

import codecs
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from proofs.commit_order import calls_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from proofs.commit_order import Call

CALLS: Final = (
    "openat,open,creat,close,dup,dup2,dup3,lseek,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,ftruncate,"
    "truncate,fallocate,rename,renameat,renameat2,unlink,unlinkat,link,linkat,symlink,symlinkat,mkdir,mkdirat,rmdir,"
    "mmap,copy_file_range,sendfile"
)
TRACED: Final = ("-f", "-y", "-ttt", "-s", "100000000", "-e", f"trace={CALLS}", "-e", "signal=none")
"""What strace is asked for."""
LINKED_BYTES: Final = 1 << 20
"""Files that are longer and were not changed are linked, not copied, if their like is never changed in place."""
UNCHANGING: Final = (".sst", ".run")

_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"(\.\.\.)?')
_HANDLE: Final = re.compile(r"(\d+)<([^>]*)>")
_RESULT: Final = re.compile(r"\) += (-?\d+)(?:<[^>]*>)?(?: .*)?$")
_AT: Final = re.compile(r"(AT_FDCWD|\d+)(?:<([^>]*)>)?, ")


@dataclass(eq=False)
class File:
    """One file: how it was before the trace, and what was done to its bytes."""

    before: Path | None = None
    changes: list[tuple[int, bytes | None]] = field(default_factory=list[tuple[int, bytes | None]])
    """(offset, bytes written there), or (length, None) where it was cut or made longer."""
    synced: int = 0
    """How many changes the last sync covers."""

    def content(self, changes: int | None = None) -> bytes:
        """Its bytes after so many changes; None: after all."""
        data = bytearray(self.before.read_bytes() if self.before is not None else b"")
        for offset, written in self.changes[:changes]:
            if written is None:
                data = data[:offset] + bytes(max(0, offset - len(data)))
            else:
                data += bytes(max(0, offset - len(data)))
                data[offset : offset + len(written)] = written
        return bytes(data)

    @property
    def length(self) -> int:
        """Its length after all changes."""
        size = self.before.stat().st_size if self.before is not None else 0
        for offset, written in self.changes:
            size = offset if written is None else max(size, offset + len(written))
        return size


@dataclass
class Handle:
    """An open file, and where the next write goes."""

    file: File
    position: int = 0
    appends: bool = False


@dataclass
class TracedFolder:
    """The folder `root` as the calls go by. `before`: a copy of it as it was when the trace began."""

    root: str
    before: Path
    names: dict[str, File] = field(default_factory=dict[str, File])
    """Path in the folder -> file, as processes see it."""
    folders: set[str] = field(default_factory=set[str])
    kept: dict[str, File] = field(default_factory=dict[str, File])
    """The names that would be there after a loss of power."""
    kept_folders: set[str] = field(default_factory=set[str])
    handles: dict[int, Handle] = field(default_factory=dict[int, Handle])
    syncing: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Handle -> changes that the syncs under way will cover."""

    def __post_init__(self) -> None:
        self.folders.add("")
        for path in sorted(self.before.rglob("*")):
            name = str(path.relative_to(self.before))
            if path.is_dir():
                self.folders.add(name)
            else:
                self.names[name] = File(path)
        self.kept, self.kept_folders = dict(self.names), set(self.folders)

    # --- the calls -----------------------------------------------------------------------------------------------

    def step(self, call: Call) -> None:
        """One call, as it began or as it ended."""
        if call.name in {"fsync", "fdatasync"}:
            self._sync(call)
        elif not call.ended:
            return
        elif call.name in {"open", "openat", "creat"}:
            self._open(call)
        elif call.name in {"write", "writev", "pwrite64", "pwritev", "pwritev2"}:
            self._write(call)
        elif call.name in {"close", "dup", "dup2", "dup3", "lseek", "ftruncate", "fallocate"}:
            self._handle(call)
        elif call.name in {"mmap", "copy_file_range", "sendfile", "truncate"}:
            self._unseen(call)
        else:
            self._rename(call)

    def _open(self, call: Call) -> None:
        number, name = _result(call), self._named(call)[0]
        if name is None or number < 0:
            return
        if name in self.folders:
            return
        if name not in self.names:
            self.names[name] = File()
        file = self.names[name]
        if ("O_TRUNC" in call.arguments or call.name == "creat") and file.length:
            file.changes.append((0, None))
        self.handles[number] = Handle(file, appends="O_APPEND" in call.arguments)

    def _write(self, call: Call) -> None:
        handle = self.handles.get(_number(call))
        if handle is None:
            return
        data = b"".join(_texts(call.arguments))
        written = _result(call)
        if len(data) < written:
            raise ValueError(f"the trace does not hold the {written} bytes of a {call.name}")
        data = data[:written]
        if call.name.startswith("p"):
            end = r", (\d+), [\w|]+\) +=" if call.name == "pwritev2" else r", (\d+)\) +="
            handle.file.changes.append((int(re.findall(end, call.arguments)[-1]), data))
            return
        offset = handle.file.length if handle.appends else handle.position
        handle.file.changes.append((offset, data))
        handle.position = offset + len(data)

    def _handle(self, call: Call) -> None:
        number = _number(call)
        if call.name == "close":
            self.handles.pop(number, None)
            return
        handle = self.handles.get(number)
        if handle is None:
            return
        if call.name.startswith("dup"):
            self.handles[_result(call)] = handle
        elif call.name == "lseek":
            handle.position = _result(call)
        elif call.name == "ftruncate":
            handle.file.changes.append((int(re.findall(r", (\d+)\) +=", call.arguments)[-1]), None))
        elif "KEEP_SIZE" not in call.arguments:
            offset, length = map(int, re.findall(r", (\d+), (\d+)\) +=", call.arguments)[-1])
            handle.file.changes.append((max(handle.file.length, offset + length), None))

    def _unseen(self, call: Call) -> None:
        """Calls whose bytes a trace does not show: harmless unless they change the folder."""
        shown = call.arguments
        if call.name == "mmap" and not ("MAP_SHARED" in shown and "PROT_WRITE" in shown):
            return
        paths = [path for _, path in _HANDLE.findall(shown)] + [text.decode() for text in _texts(shown)]
        if any(self._inner(path) is not None for path in paths[-1 if call.name == "copy_file_range" else 0 :]):
            raise ValueError(f"{call.name} changes the folder, and a trace does not show how: {shown[:200]}")

    def _sync(self, call: Call) -> None:
        number = _number(call)
        path = self._inner(next(iter(_HANDLE.findall(call.arguments)), ("", ""))[1])
        handle = self.handles.get(number)
        if handle is not None:
            if call.began:
                self.syncing.setdefault(number, []).append(len(handle.file.changes))
            if call.ended:
                handle.file.synced = max(handle.file.synced, self.syncing[number].pop(0))
        elif call.ended and path is not None and path in self.folders:
            self._keep_names(path)

    def _keep_names(self, folder: str) -> None:
        self.kept = {path: file for path, file in self.kept.items() if _parent(path) != folder}
        self.kept.update({path: file for path, file in self.names.items() if _parent(path) == folder})
        self.kept_folders = {path for path in self.kept_folders if not path or _parent(path) != folder}
        self.kept_folders |= {path for path in self.folders if path and _parent(path) == folder}

    def _rename(self, call: Call) -> None:
        names = self._named(call)
        last = names[-1]
        if call.name.startswith("mkdir"):
            if last is not None:
                self.folders.add(last)
        elif call.name == "rmdir" or "AT_REMOVEDIR" in call.arguments:
            self.folders.discard(last or "")
        elif call.name.startswith("unlink"):
            self.names.pop(last or "", None)
        elif last is not None:
            source = names[0]
            if source is None or source not in self.names or call.name.startswith("symlink"):
                raise ValueError(f"{call.name} of what is no file of the folder: {call.arguments[:200]}")
            self.names[last] = self.names[source]
            if call.name.startswith("rename"):
                del self.names[source]

    def _named(self, call: Call) -> list[str | None]:
        """The paths that a call names, in the folder; None for one elsewhere."""
        bases = [path for _, path in _AT.findall(call.arguments)]
        texts = [text.decode(errors="surrogateescape") for text in _texts(call.arguments)]
        found: list[str | None] = []
        for place, text in enumerate(texts):
            base = bases[place] if place < len(bases) else ""
            found.append(self._inner(text if text.startswith("/") else f"{base}/{text}"))
        return found

    def _inner(self, path: str) -> str | None:
        path = os.path.normpath(path) if path else path
        if path == self.root:
            return ""
        return path[len(self.root) + 1 :] if path.startswith(self.root + "/") else None

    # --- the disk ------------------------------------------------------------------------------------------------

    def lay_out(self, target: Path) -> int:
        """Make the folder as it would be after a loss of power now; how many bytes and names were left out."""
        lost = sum(len(file.changes) - file.synced for file in set(self.names.values()))
        lost += len(self.names.items() ^ self.kept.items())
        for folder in sorted(self.kept_folders):
            if all(str(above) in self.kept_folders or str(above) == "." for above in PurePosixPath(folder).parents):
                target.joinpath(folder).mkdir(parents=True, exist_ok=True)
        for name, file in self.kept.items():
            path = target / name
            if not path.parent.is_dir():
                continue
            if file.synced:
                path.write_bytes(file.content(file.synced))
            elif file.before is not None:
                _copy(file.before, path)
            else:
                path.touch()
        return lost

    def seen_now(self, name: str) -> bytes:
        """What a process would read of a file now; empty where there is none."""
        file = self.names.get(name)
        return file.content() if file is not None else b""


def _copy(source: Path, target: Path) -> None:
    if source.suffix in UNCHANGING and source.stat().st_size > LINKED_BYTES:
        target.hardlink_to(source)
    else:
        shutil.copyfile(source, target)


def copy_folder(source: Path, target: Path) -> None:
    """A copy of a folder; its large unchanging files are linked."""
    shutil.copytree(source, target, copy_function=lambda one, other: _copy(Path(one), Path(other)), dirs_exist_ok=True)


def steps(trace: Path) -> Iterator[Call]:
    """The calls of a trace."""
    yield from calls_of(trace)


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def _number(call: Call) -> int:
    found = re.match(r"(\d+)", call.arguments)
    return int(found[1]) if found else -1


def _result(call: Call) -> int:
    found = _RESULT.search(call.arguments)
    return int(found[1]) if found else -1


def _texts(arguments: str) -> list[bytes]:
    found: list[bytes] = []
    for text, cut in _TEXT.findall(arguments):
        if cut:
            raise ValueError("the trace was cut: strace must be asked for whole strings")
        found.append(codecs.escape_decode(text.encode("latin-1"))[0])
    return found
