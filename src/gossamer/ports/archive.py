"""Port: the WARC files and their index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gossamer.core.warc.location import Location
from gossamer.ports.files import CommittedFiles


class Archive(CommittedFiles, Protocol):
    """Appends records to WARC files, one gzip member each, and their CDXJ lines to a journal."""

    def append(self, records: Sequence[bytes]) -> list[Location]:
        """Append uncompressed records (header, block and the two line ends), all to one file; where they now lie.

        Synchronous and buffered: bytes reach the disk at the next `sync`.
        """
        ...

    def index(self, line: str, shard: int, commit: int) -> None:
        """Add one CDXJ line (without line end) for a capture in the present file, with its shard's coming commit."""
        ...

    @property
    def warcinfo_id(self) -> str:
        """The WARC-Record-ID of the warcinfo record of the file that the next `append` writes to."""
        ...
