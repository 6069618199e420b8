"""Documentation sites out of Debian packages, unpacked without being installed, kept in a cache.

`site("apache2-doc")` gives the unpacked package with what an independent walker found in it. The truth is read from the
published cases; the package comes from the package mirror of the system (or from the cache).
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.published import SHARED

TRUTHS = SHARED / "data" / "sites" / "ground_truth"
WALKER = SHARED / "tools" / "site_walker.py"


class UnavailableError(RuntimeError):
    """The site cannot be had here; the message says why."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What is right for one site. All names are paths beginning with a slash, percent-encoded."""

    name: str
    package: str
    folder: str
    """Document root, relative to the unpacked package."""
    starts: tuple[str, ...]
    pages: dict[str, int]
    """Every page reachable from the start, with the number of its distinct links within the site."""
    depth: dict[str, int]
    dead: dict[str, str | None]
    """Link targets that do not exist, each with a page that links to it."""
    redirects: dict[str, str]
    other: frozenset[str]
    """Linked files that are no pages."""
    duplicates: tuple[tuple[str, ...], ...]
    """Groups of pages with the same bytes."""


@dataclass(frozen=True, slots=True)
class Site:
    """A site that can be served: its truth, and the folder to serve."""

    truth: Truth
    root: Path


def cache() -> Path:
    """Where packages are kept between runs; safe to delete."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "gossamer-tests"


def truths() -> dict[str, Path]:
    """Names of the sites with a published truth, and its file."""
    return {path.name.removesuffix(".json.gz"): path for path in sorted(TRUTHS.glob("*.json.gz"))}


def truth(name: str) -> Truth:
    """The published truth of a site, by the name of its file (often the package's)."""
    path = truths().get(name)
    if path is None:
        message = f"no published truth for {name}: there are {', '.join(truths()) or 'none, ../shared is absent'}"
        raise UnavailableError(message)
    return _truth(name, path)


def _truth(name: str, path: Path) -> Truth:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        raw: dict[str, Any] = json.load(file)
    package, _, folder = raw["report"]["root"].partition("/")
    return Truth(
        name=name,
        package=package,
        folder=folder,
        starts=tuple(raw["report"]["start"]),
        pages=raw["pages"],
        depth=raw["depth"],
        dead=raw["dead"],
        redirects=raw["redirects"],
        other=frozenset(raw["other"]),
        duplicates=tuple(tuple(group) for group in raw["duplicates"]),
    )


def site(name: str) -> Site:
    """A site with a published truth, unpacked. Raises UnavailableError with the reason."""
    right = truth(name)
    return Site(right, unpacked(right.package) / right.folder)


def walked(served: Site) -> Truth:
    """What the independent walker finds in the folder as it is unpacked here.

    Equal to the published truth as long as the mirror has the package in the same version; a proof that finds them
    unequal says so and judges by this one.
    """
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "walked.json.gz"
        command = [sys.executable, str(WALKER), str(served.root), *served.truth.starts, "--out", str(out)]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        found = _truth(served.truth.name, out)
    return Truth(
        **{name: getattr(found, name) for name in Truth.__slots__ if name not in {"package", "folder"}},
        package=served.truth.package,
        folder=served.truth.folder,
    )


def unpacked(package: str) -> Path:
    """A Debian package unpacked in the cache; fetched at the first call."""
    target = cache() / "unpacked" / package
    if target.is_dir():
        return target
    archive = _archive(package)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".unpacking-") as folder:
        aside = Path(folder) / package
        aside.mkdir()
        _run(["dpkg-deb", "-x", str(archive), str(aside)], "unpacking")
        _drop_absolute_links(aside)
        try:
            aside.rename(target)
        except OSError:
            if not target.is_dir():  # else another process was first, with the same bytes
                raise
    return target


def _archive(package: str) -> Path:
    """The package file, from the cache or from the mirror."""
    kept = sorted((cache() / "packages").glob(f"{package}_*.deb"))
    if kept:
        return kept[-1]
    (cache() / "packages").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache() / "packages", prefix=".fetching-") as folder:
        try:
            _run(["apt-get", "download", "-q", package], "fetching", Path(folder))
        except UnavailableError:
            if os.geteuid() != 0:
                raise
            _run(["apt-get", "update", "-q"], "updating the package lists")
            _run(["apt-get", "download", "-q", package], "fetching", Path(folder))
        (fetched,) = Path(folder).glob("*.deb")
        return Path(shutil.move(str(fetched), str(cache() / "packages" / fetched.name)))


def _run(command: list[str], what: str, folder: Path | None = None) -> None:
    try:
        subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except FileNotFoundError:
        message = f"{what} failed: {command[0]} is not here (these sites are Debian packages)"
        raise UnavailableError(message) from None
    except subprocess.CalledProcessError as error:
        said = (error.stderr.strip().splitlines() or ["no reason given"])[-1]
        message = f"{what} failed: {said}"
        raise UnavailableError(message) from None


def _drop_absolute_links(folder: Path) -> None:
    """Absolute links point into other packages: dead in the truth, so they must not meet what is installed here."""
    for path in folder.rglob("*"):
        if path.is_symlink() and path.readlink().is_absolute():
            path.unlink()


def with_bytes_of_its_own(root: Path, target: Path, mark: str) -> Path:
    """A copy of a site in which every page ends with a comment of its own, so that hosts share no bytes.

    Links and groups of equal pages stay as they are. Other files are hard links. Returns the target.
    """
    comment = f"\n<!-- {mark} -->\n".encode()

    def copy(source: str, destination: str) -> str:
        if is_page_name(Path(source).name):
            Path(destination).write_bytes(Path(source).read_bytes() + comment)
            return destination
        return _link_or_copy(source, destination)

    shutil.copytree(root, target, symlinks=True, copy_function=copy, ignore_dangling_symlinks=True)
    return target


def _link_or_copy(source: str, destination: str) -> str:
    try:
        Path(destination).hardlink_to(source)
    except OSError:  # another file system
        shutil.copyfile(source, destination)
    return destination


def is_page_name(name: str) -> bool:
    """Is a file of this name HTML, as the server of the tests sees it? `index.html.fr.utf8` is."""
    first, *rest = name.lower().split(".")
    return bool(first or rest) and any(part in {"html", "htm", "xhtml", "shtml"} for part in rest)
