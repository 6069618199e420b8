"""URL seen: is a URL new to the frontier? Recent keys first, then a memory of prints; the store only while that mends.

Nine of ten questions are about URLs known already, most of them named by the host's pages before; the recent keys
answer those. The memory (`seen.runs`, or `seen.bloom` for crawls made so) answers the rest, without the store.

The memory lies in files, and follows the commits. Keys added are listed in each commit. When many are listed, they are
frozen and a file is written that holds them; the commit after that names it and deletes their rows. So a kill at any
point leaves a commit that names whole files and lists what is not in them.

Where files are missing or damaged, or were written by a release that had none, the memory is rebuilt from the keys of
the page records, while the crawl runs. Until it has come to their end a *yes* holds and a *no* does not: what is not
found is left to the store.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from gossamer.core.seen.prints import PRINT_BYTES, PRINT_TYPE, print_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gossamer.core.seen.memory import Rewrite, SeenMemory
    from gossamer.core.seen.prints import Prints
    from gossamer.core.seen.recent import RecentKeys

STATE_KEY: Final = b"files"
"""Row of the table SEEN: a `SeenState`."""
LISTED_PREFIX: Final = b"listed:"
"""Begins the rows that list prints; the commit's number follows."""
Change = tuple[str, bytes, bytes | None]
"""Table name, key, value (None deletes)."""


class SeenState(msgspec.Struct, array_like=True):
    """What a commit says of the memory. Fields are only ever appended."""

    files: list[str]
    """Names of the files that hold it, oldest first; each is added to its folder's path."""
    rebuilt_to: bytes | None = None
    """While rebuilding: the files hold the page keys before this one. None: they hold all that is not listed."""


class UrlSeen:
    """The URL-seen test of one shard."""

    def __init__(
        self,
        memory: SeenMemory,
        recent: RecentKeys,
        listed_max: int,
        state: SeenState | None = None,
        *,
        outdated: Sequence[bytes] = (),
        taken: Sequence[str] = (),
    ) -> None:
        """`memory` rests on the files of `state`; None for a shard without any. `outdated`: rows to be deleted.
        `taken`: names that the last commit gives to files, which may be gone.

        `listed_max`: prints listed in the store before a file is written.
        """
        self._memory = memory
        self._recent = recent
        self._listed_max = listed_max
        self._state_unsaved = state is None or bool(outdated)
        self.state = state or SeenState([])
        self.taken = tuple(taken)
        """Names of files that no other file may have: a kill brings back the commit that gives them."""
        self._added: list[bytes] = []
        """Prints since the last commit."""
        self._listed: list[bytes] = []
        """Keys of the rows that list prints."""
        self._listed_prints = 0
        self._frozen: list[bytes] = []
        """Keys of the rows whose prints go into the next file."""
        self._obsolete = list(outdated)
        """Keys of rows that the next commit deletes."""
        self._writing = False
        self._beyond: bytes | None = None
        """What `state.rebuilt_to` will be once the file under way is settled."""

    def sort(self, keys: Sequence[bytes], host: str = "") -> tuple[list[bytes], list[bytes]]:
        """`keys` (page keys, each once) less those known: (new, to be looked up in the store).

        `host`: whose page names them.
        """
        asked = self._recent.unmet(host, keys)
        if not asked:
            return [], []
        known = self._memory.contains(np.frombuffer(print_bytes(asked), PRINT_TYPE)).tolist()
        met = list(compress(asked, known))
        left: list[bytes] = []
        if len(met) < len(asked):
            left = [key for key, is_known in zip(asked, known, strict=True) if not is_known]
        if met:
            self._recent.meet(host, met)
        return (left, []) if self.is_complete else ([], left)

    def unknown(self, keys: Sequence[bytes]) -> set[bytes]:
        """Those of `keys` that the memory does not hold; while it is rebuilt the store may know them all the same."""
        if not keys:
            return set()
        known = self._memory.contains(np.frombuffer(print_bytes(keys), PRINT_TYPE)).tolist()
        return {key for key, is_known in zip(keys, known, strict=True) if not is_known}

    def add(self, keys: Sequence[bytes], host: str = "") -> None:
        """These keys, each once, are known from now on."""
        if not keys:
            return
        prints = print_bytes(keys)
        self._memory.add(np.frombuffer(prints, PRINT_TYPE))
        self._added.append(prints)
        self._recent.meet(host, keys)

    def recall(self, keys: Sequence[bytes], host: str) -> None:
        """The store knows these keys, which a page of `host` names."""
        if keys:
            self._recent.meet(host, keys)

    # --- commits -------------------------------------------------------------------------------------------------

    def changes(self, commit: int) -> list[Change]:
        """What the coming commit must hold, so that the memory can be made whole at the next opening."""
        changes: list[Change] = []
        if self._added:
            prints = b"".join(self._added)
            row = LISTED_PREFIX + commit.to_bytes(8, "big")
            changes.append(("seen", row, prints))
            self._note_listed(row, prints)
            self._added = []
        if self._state_unsaved:
            changes.append(("seen", STATE_KEY, msgspec.msgpack.encode(self.state)))
            changes += [("seen", row, None) for row in self._obsolete]
            self._obsolete, self._state_unsaved = [], False
        if self._listed_prints >= self._listed_max and not self._frozen and not self._writing:
            self._memory.freeze()
            self._frozen, self._listed, self._listed_prints = self._listed, [], 0
        return changes

    def relist(self, rows: Sequence[tuple[bytes, bytes]]) -> None:
        """Add what the last commits listed."""
        for row, prints in rows:
            self._memory.add(np.frombuffer(prints, PRINT_TYPE))
            self._note_listed(row, prints)

    def _note_listed(self, row: bytes, prints: bytes) -> None:
        self._listed.append(row)
        self._listed_prints += len(prints) // PRINT_BYTES

    # --- files ---------------------------------------------------------------------------------------------------

    @property
    def is_complete(self) -> bool:
        """Whether the memory's *no* holds."""
        return self.state.rebuilt_to is None

    @property
    def count(self) -> int:
        """Keys in memory, about."""
        return self._memory.count

    def touch(self, bytes_max: int) -> Iterator[None]:
        """Bring what files of up to so many bytes hold to where it is asked for, step by step, on any thread."""
        return self._memory.touch(bytes_max)

    def rewrite(self) -> Rewrite | None:
        """The file to be written now, if it is time; `settle` must follow, or nothing more is written."""
        return self._begin(self.state.rebuilt_to) if self._frozen and not self._writing else None

    def rebuild(self, prints: Prints, beyond: bytes | None) -> Rewrite | None:
        """Take in known keys up to before `beyond`, None when these were the last; the file to be written now, if any.

        The keys come in order, from `state.rebuilt_to` on, and while no file is under way.
        """
        wants_file = len(prints) > 0 and self._memory.take_in(prints)
        if not wants_file and beyond is not None:
            return None
        rewrite = self._begin(beyond)
        if rewrite is None:
            self.state, self._state_unsaved = SeenState(self.state.files), True
        return rewrite

    def settle(self, rewrite: Rewrite, name: str, file: memoryview) -> list[str]:
        """The file is written and durable under that name: rest on it. The names of those whose place it takes.

        They may be removed once the next commit is durable.
        """
        self._memory.settle(rewrite, file)
        replaced = self.state.files[rewrite.kept :]
        self.state = SeenState([*self.state.files[: rewrite.kept], name], self._beyond)
        self._obsolete += self._frozen
        self._frozen, self._writing, self._state_unsaved = [], False, True
        return replaced

    def distrust(self) -> None:
        """A file is damaged: rest on none of them, and have the memory rebuilt."""
        if self._writing:
            raise RuntimeError("a file is under way; distrust the memory once it is settled")
        self._memory.drop_files()
        self.state, self._state_unsaved = SeenState([], b""), True

    def _begin(self, beyond: bytes | None) -> Rewrite | None:
        rewrite = self._memory.rewrite()
        self._writing, self._beyond = rewrite is not None, beyond
        return rewrite
