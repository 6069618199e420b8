"""What the next commit says of files, and when a journal may become its final file. No file is touched here.

A journal's way to its final file takes three commits, so that no final file ever holds a row whose shard did not reach
that row's commit:

1. a commit names the journal CLOSED: no more rows go to it;
2. once that commit is acknowledged every row in it is durable, and the conversion may run;
3. a later commit names the product CLOSED and the journal REMOVED; acknowledged, the journal's file goes.
"""

from __future__ import annotations

from collections import deque

from gossamer.core.warc.location import FileMark, FileState


class FileLedger:
    """Marks for the coming commit, and the journals on their way to final files."""

    def __init__(self) -> None:
        self._last: dict[str, FileMark] = {}
        self._noted: dict[str, FileMark] = {}
        self._offered: dict[str, FileMark] = {}
        self._closing: set[str] = set()
        self._convertible: deque[str] = deque()

    def note(self, path: str, length: int, state: FileState) -> None:
        """The coming commit vouches for `length` bytes of `path`; nothing when the last one did already."""
        mark = FileMark(path, length, state)
        if self._last.get(path) != mark:
            self._last[path] = self._noted[path] = mark

    def close_journal(self, path: str, length: int) -> None:
        """No more rows go to this journal; it may be converted once the coming commit is acknowledged."""
        self.note(path, length, FileState.CLOSED)
        self._closing.add(path)

    def convertible(self, journal: str) -> None:
        """A closed journal found by recovery: all its rows are committed already."""
        self._convertible.append(journal)

    def next_conversion(self) -> str | None:
        """A closed journal whose rows are all committed, each named once; None when there is none."""
        return self._convertible.popleft() if self._convertible else None

    def release_all(self) -> None:
        """Let also those journals be converted whose closing is not acknowledged yet: for the end of a crawl."""
        self._convertible.extend(sorted(self._closing))
        self._closing.clear()

    def superseded(self, journal: str, product: str, length: int) -> None:
        """`product`, durable under its name with that length, stands for `journal` from the next commit on."""
        self.note(product, length, FileState.CLOSED)
        self.note(journal, 0, FileState.REMOVED)
        self._closing.discard(journal)

    def marks(self) -> list[FileMark]:
        """All that changed since the last acknowledged commit, for the coming one."""
        self._offered.update(self._noted)
        self._noted.clear()
        return list(self._offered.values())

    def acknowledge(self) -> list[str]:
        """The commit that holds the last marks is durable. Returns the files that may go now."""
        gone: list[str] = []
        for path, mark in self._offered.items():
            if mark.state is FileState.OPEN:
                continue
            if mark.state is FileState.REMOVED:
                gone.append(path)
            elif path in self._closing:
                self._closing.discard(path)
                self._convertible.append(path)
            if path not in self._noted:
                del self._last[path]
        self._offered.clear()
        return gone
