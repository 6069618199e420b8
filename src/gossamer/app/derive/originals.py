"""The captures that revisits stand for, found in the derived index and read from the archive."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

from gossamer import warc
from gossamer.core.limits import REVISIT_STEPS_MAX, URL_PARSED_LENGTH_MAX
from gossamer.core.url.surt import surt
from gossamer.core.warc.date import timestamp
from gossamer.core.warc.digest import SHA1_LABEL
from gossamer.core.warc.lookup import IndexLine, moment_seconds, parse_line, sorted_lines
from gossamer.core.warc.target import target_uri

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from gossamer.warc import Record


class Originals:
    """Answers which record holds a revisit's body. `files`: the archive's files by their names in the index."""

    def __init__(self, index: list[Path], files: Mapping[str, Path]) -> None:
        self._files = files
        self._maps: list[mmap.mmap] = []
        for path in index:
            with path.open("rb") as file:
                if file.seek(0, 2):
                    self._maps.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def close(self) -> None:
        """Let the index go."""
        while self._maps:
            self._maps.pop().close()

    def of(self, revisit: Record, steps: int = REVISIT_STEPS_MAX) -> Record | None:
        """The response that a revisit names by URL and date, or by its digest where it does not; None without one."""
        url = revisit.field("WARC-Refers-To-Target-URI") or revisit.url
        moment = moment_seconds(revisit.field("WARC-Refers-To-Date"))
        lines = list(self._lines(url))
        if moment is not None:
            lines = [line for line in lines if line.moment == timestamp(moment)]
        else:
            digest = revisit.field("WARC-Payload-Digest").removeprefix(SHA1_LABEL)
            lines = [line for line in lines if digest and line.digest == digest]
        for line in sorted(lines, key=lambda line: (line.is_revisit, line.moment)):
            found = self._read(line)
            if found is None or found.record_id == revisit.record_id:
                continue
            if found.kind == "response":
                return found
            if steps > 0:
                return self.of(found, steps - 1)
        return None

    def _lines(self, url: str) -> Iterator[IndexLine]:
        if len(url) > URL_PARSED_LENGTH_MAX:
            return
        wanted = surt(target_uri(url))
        for content in self._maps:
            for text in sorted_lines(content, wanted):
                line = parse_line(text, "")
                if line is not None:
                    yield line

    def _read(self, line: IndexLine) -> Record | None:
        path = self._files.get(line.place.file)
        return warc.read_at(path, line.place.offset) if path is not None else None
