"""A crawl folder: where everything in it lies, how it is made, and how it is opened again."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, cast

import msgspec
import publicsuffixlist

from gossamer.adapters.folder_lock import FolderBusy, FolderLock
from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.seeds import Seed, decode_seeds, encode_seeds
from gossamer.app.settings.crawl_toml import read_crawl_toml, write_crawl_toml
from gossamer.app.whole_file import append_lines, sync_folder, whole_lines, write_whole
from gossamer.core.url.key import KEY_RULES_NEWEST, KeyRules
from gossamer.core.url.site import SiteList

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gossamer.app.settings import Changed, Settings
    from gossamer.app.settings.tree import KeySettings

HASH_KEY_BYTES: Final = 16
"""Bytes of the key of the fingerprint hash; a fingerprint has as many."""


class FixedFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided when the crawl was made, and that every later run must know: in state/keys.json.

    The hash key is no secret towards the crawl's owner; it keeps strangers from making URLs that collide.
    """

    key_rules: int
    """Version of the URL key rules (core/url/key.py)."""
    psl: str
    """Version of the Public Suffix List that sites are told by; the list itself lies beside this file."""
    hash_key: bytes
    """Of the keyed hash that makes fingerprints and chooses shards."""
    key_drop: tuple[str, ...] = ()
    """Parameters that keys leave out beyond those of the version (`keys.drop`)."""
    key_keep: tuple[str, ...] = ()
    """Parameters that keys keep whatever the version says (`keys.keep`)."""

    @classmethod
    def new(cls, settings: KeySettings | None = None) -> Self:
        """For a crawl that starts now."""
        return cls(
            key_rules=KEY_RULES_NEWEST,
            psl=SiteList.version,
            hash_key=secrets.token_bytes(HASH_KEY_BYTES),
            key_drop=settings.drop if settings else (),
            key_keep=settings.keep if settings else (),
        )

    @property
    def keys(self) -> KeyRules:
        """What makes two URLs one in this crawl. Raises ValueError for a version of a newer release."""
        return KeyRules(self.key_rules, self.key_drop, self.key_keep)


@dataclass(frozen=True, slots=True)
class CrawlFolder:
    """The layout of the crawl folder at `path` (absolute)."""

    path: Path

    @property
    def crawl_toml(self) -> Path:
        """The settings in force; a folder is a crawl folder once it has this file."""
        return self.path / "crawl.toml"

    @property
    def summary_json(self) -> Path:
        """Numbers at the end, with the end state."""
        return self.path / "summary.json"

    @property
    def state(self) -> Path:
        """What the crawl needs to go on."""
        return self.path / "state"

    @property
    def lock(self) -> Path:
        """Locked by the process that works on the folder."""
        return self.state / "lock"

    @property
    def keys(self) -> Path:
        """The fixed facts."""
        return self.state / "keys.json"

    @property
    def suffixes(self) -> Path:
        """The Public Suffix List the crawl began with."""
        return self.state / "public_suffix_list.dat"

    @property
    def seeds(self) -> Path:
        """The seeds, one a line behind their group."""
        return self.state / "seeds.tsv"

    @property
    def added(self) -> Path:
        """Seeds that the operator added later, in the same form."""
        return self.state / "added.tsv"

    @property
    def orders(self) -> Path:
        """The operator's standing orders."""
        return self.state / "orders.json"

    @property
    def control(self) -> Path:
        """Where the control socket of the running crawl is."""
        return self.state / "control.json"

    @property
    def changes(self) -> Path:
        """Changed settings and operator's orders, one JSON line each."""
        return self.state / "changes.jsonl"

    def shard(self, number: int) -> Path:
        """The store of a shard."""
        return self.state / f"shard-{number:03}"

    def seen(self, number: int) -> str:
        """Where a shard's files of URL seen lie, in the folder."""
        return str((self.shard(number) / "seen").relative_to(self.path))

    def read_seeds(self) -> list[Seed]:
        """The seeds the crawl was made with, and those added later."""
        return decode_seeds(self.seeds.read_bytes()) + self.read_added()

    def read_added(self) -> list[Seed]:
        """The seeds that the operator added."""
        return decode_seeds(whole_lines(self.added.read_bytes())) if self.added.exists() else []

    def read_facts(self) -> FixedFacts:
        """The fixed facts. Raises UserError (exit 7) when they are damaged."""
        try:
            facts = msgspec.json.decode(self.keys.read_bytes(), type=FixedFacts)
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"{self.keys} is damaged or missing", "restore it from a copy", Exit.FOLDER) from error
        if len(facts.hash_key) != HASH_KEY_BYTES:
            raise UserError(f"{self.keys} is damaged: the hash key is too short", "restore it from a copy", Exit.FOLDER)
        return facts

    def read_sites(self) -> SiteList:
        """The sites as this crawl tells them. Raises UserError (exit 7) when the list is damaged or missing."""
        try:
            return SiteList(self.suffixes.read_bytes())
        except (OSError, ValueError) as error:
            raise UserError(f"{self.suffixes} is damaged or missing", "restore it from a copy", Exit.FOLDER) from error

    def read_settings(self) -> Settings:
        """The settings in force. Raises UserError (exit 7) when this is no crawl folder."""
        return read_crawl_toml(self.crawl_toml)

    def write_summary(self, summary: Mapping[str, object]) -> None:
        """Replace summary.json, whole."""
        write_whole(self.summary_json, (json.dumps(summary, indent=2, ensure_ascii=False) + "\n").encode())

    def begin_run(self) -> None:
        """A run begins: what the summary says is the end of an earlier one, so it goes. Raises OSError."""
        self.summary_json.unlink(missing_ok=True)

    def read_summary(self) -> dict[str, Any] | None:
        """What summary.json says; None without one, or when it is unreadable."""
        try:
            found = json.loads(self.summary_json.read_bytes())
        except (OSError, ValueError):
            return None
        return cast("dict[str, Any]", found) if isinstance(found, dict) else None

    def hold(self) -> FolderLock:
        """Lock the folder for this process. Raises UserError (exit 7) when another has it."""
        try:
            return FolderLock(self.lock)
        except FolderBusy as error:
            holder = f"process {error.process}" if error.process else "another process"
            raise UserError(
                f"{self.path} is in use by {holder}",
                f"gossamer status {self.path} shows what it does",
                Exit.FOLDER,
            ) from error


def library_suffixes() -> bytes:
    """The Public Suffix List that the library carries."""
    return Path(publicsuffixlist.PSLFILE).read_bytes()


def make_folder(path: Path, settings: Settings, seeds: list[Seed], facts: FixedFacts) -> tuple[CrawlFolder, FolderLock]:
    """Make a crawl folder and lock it. crawl.toml comes last: until then it is no crawl folder, and may be made again.

    Raises UserError (exit 7) for a folder that is a crawl already or has other things in it, and OSError.
    """
    folder = CrawlFolder(path.absolute())
    refuse_existing(folder)
    try:
        folder.state.mkdir(parents=True, exist_ok=True)
    except FileNotFoundError as error:
        # What a folder that is made by a program, such as /proc, answers.
        raise UserError(f"no folder can be made at {folder.path}", "choose another -o DIR") from error
    lock = folder.hold()
    try:
        refuse_existing(folder)
        write_whole(folder.keys, msgspec.json.encode(facts) + b"\n")
        write_whole(folder.seeds, encode_seeds(seeds))
        write_whole(folder.suffixes, library_suffixes())
        write_crawl_toml(folder.crawl_toml, settings)
        sync_folder(folder.path.parent)
    except BaseException:
        lock.release()
        raise
    return folder, lock


def open_folder(path: Path) -> tuple[CrawlFolder, Settings]:
    """A crawl folder that was made before. Raises UserError (exit 7) for what is none."""
    if not path.exists():
        raise UserError(f"{path} does not exist", "gossamer crawl URL -o DIR makes a crawl folder", Exit.FOLDER)
    folder = CrawlFolder(path.absolute())
    return folder, folder.read_settings()


def refuse_existing(folder: CrawlFolder) -> None:
    """Raise UserError (exit 7) unless a crawl may be made there."""
    path = folder.path
    if folder.crawl_toml.exists():
        raise UserError(
            f"{path} is already a crawl", f"go on with: gossamer resume {path}   or choose another -o DIR", Exit.FOLDER
        )
    if path.exists() and not path.is_dir():
        raise UserError(f"{path} is not a folder", "choose another -o DIR", Exit.FOLDER)
    strangers = _strangers(folder) if path.is_dir() else []
    if strangers:
        raise UserError(
            f"{path} is not empty and not a crawl (it has {strangers[0]!r})", "choose another -o DIR", Exit.FOLDER
        )


def record_changes(folder: CrawlFolder, settings: Settings, changes: Iterable[Changed], now: float) -> None:
    """Put changed settings in force: a line each in state/changes.jsonl, and crawl.toml anew. `now`: s since epoch."""
    lines = [
        json.dumps({"time": now, "key": key, "before": before, "after": after, "source": source.words})
        for key, before, after, source in changes
    ]
    if not lines:
        return
    append_lines(folder.changes, lines)
    write_crawl_toml(folder.crawl_toml, settings)


def _strangers(folder: CrawlFolder) -> list[str]:
    """Names in the folder that a crawl made but not finished cannot have left there."""
    ours = {"lock", "keys.json", "seeds.tsv", "public_suffix_list.dat"}
    outer = [item.name for item in folder.path.iterdir() if item != folder.state and not _is_draft(item)]
    inner = [f"state/{item.name}" for item in _state_items(folder) if item.name not in ours and not _is_draft(item)]
    return sorted(outer) + sorted(inner)


def _state_items(folder: CrawlFolder) -> list[Path]:
    return list(folder.state.iterdir()) if folder.state.is_dir() else []


def _is_draft(path: Path) -> bool:
    return path.name.startswith(".") and path.name.endswith(".draft")
