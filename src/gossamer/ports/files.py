"""Port: append-only files that follow the commit (architecture, section 5).

The archive and the datasets share this rhythm. In one step of the loop the committer calls `marks`; then, on a
thread, `sync`; then the store's batch, which holds the marks, is written and synced; then `acknowledge`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.core.warc.location import FileMark


@dataclass(slots=True)
class Recovery:
    """What opening after a crash did, for the person who asks."""

    cut: dict[str, int] = field(default_factory=dict[str, int])
    """path -> bytes cut from its end."""
    aside: list[str] = field(default_factory=list[str])
    """Files moved to aside/, by their former path."""
    rows_dropped: int = 0
    """Journal rows whose shard did not reach their commit."""
    orphaned: int = 0
    """WARC records that stay but that no index names."""
    dropped_commits: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    """(shard, commit number) of the rows dropped."""
    lost: list[int] = field(default_factory=list[int])
    """See `lost_shards`."""

    def lost_shards(self, newest: Mapping[int, int]) -> list[int]:
        """Shards that have lost a commit they had acknowledged: one before `newest`, the greatest their worker reached.

        Commits follow each other, so the newest alone may have been under way at a crash. An older one that a shard
        does not know was there once: its store's log is damaged.
        """
        return sorted({shard for shard, commit in self.dropped_commits if commit < newest.get(shard, 0)})


class CrawlDamaged(Exception):  # noqa: N818 - says what is the matter, not that it is an error
    """Committed bytes are not there: a file is missing, too short, or not what was written."""

    def __init__(self, files: Mapping[str, str]) -> None:
        """`files`: path -> what is wrong with it."""
        super().__init__("; ".join(f"{path} {wrong}" for path, wrong in files.items()))
        self.files = dict(files)


class CommittedFiles(Protocol):
    """Files whose bytes count only up to the length that a commit vouches for."""

    def marks(self) -> list[FileMark]:
        """Files changed since the last call, with the lengths and states that the coming commit shall vouch for.

        Includes bytes still in buffers. Also where files roll over: a long WARC closes, an old journal becomes a
        dataset file, which appears here CLOSED beside the journal's REMOVED.
        """
        ...

    def sync(self) -> None:
        """Make durable all that the last `marks` named, directories included. Runs on a thread; appends go on."""
        ...

    def acknowledge(self) -> None:
        """The commit that holds the last marks is durable: files it calls REMOVED may go."""
        ...

    def recover(self, committed: Mapping[str, FileMark], commits: Mapping[int, int]) -> Recovery:
        """Called once before anything else on an existing folder. Cuts, moves aside and drops as section 5 says.

        `committed`: path -> mark, the greatest any shard committed. `commits`: shard -> its last commit number.
        """
        ...

    def finish(self) -> None:
        """Turn every journal into its final file and close all; then one more marks / sync / acknowledge follows."""
        ...
