"""What cannot work gets one clear line and a hint, the right exit code, and leaves nothing damaged."""

from __future__ import annotations

import errno
import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from gossamer.app.cli import main
from tests import crawls, ledgers, readers
from tests.servers import small_site
from tests.servers.small_site import Answer, page

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

URL = "http://127.0.0.1:9/"
BAD = [
    (["crawl", "http://"], 2, "http://"),
    (["crawl", "http://[::1"], 2, "[::1"),
    (["crawl", "ftp://example.org/"], 2, "ftp"),
    (["crawl", ""], 2, "seed"),
    (["crawl"], 2, "no seed"),
    (["crawl", "--seeds", "{here}/empty"], 2, "no seed"),
    (["crawl", "--seeds", "{here}/absent"], 2, "absent"),
    (["crawl", "--seeds", "{here}/bad-seeds"], 2, "line 2"),
    (["crawl", URL, "--set", "politness.gap=1"], 2, "politeness.gap"),
    (["crawl", URL, "--set", "crawl.max_page=1"], 2, "crawl.max_pages"),
    (["crawl", URL, "--max-page", "1"], 2, "--max-pages"),
    (["crawl", URL, "--gap", "soon"], 2, "gap"),
    (["crawl", URL, "--allow-address", "127.0.0.0/99"], 2, "127.0.0.0/99"),
    (["crawl", URL, "--resolve", "name"], 2, "name"),
    (["crawl", URL, "--exclude", "("], 2, "a pattern that RE2 cannot read, '(': missing )"),
    (["crawl", URL, "--config", "{here}/bad.toml"], 2, "bad.toml"),
    (["crawl", URL, "--config", "{here}/unknown.toml"], 2, "scope.max_depth"),
    (["crawl", URL, "-o", "{here}/strange"], 7, "not empty"),
    (["crawl", URL, "-o", "{here}/empty"], 7, "not a folder"),
    (["resume", "{here}/strange"], 7, "strange"),
    (["resume", "{here}/absent"], 7, "does not exist"),
    (["status", "{here}/strange"], 7, "strange"),
    (["status", "{here}/absent"], 7, "does not exist"),
    (["resme", "x"], 2, "resume"),
    (["http://example.org/"], 2, "gossamer crawl http://example.org/"),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder the commands are given in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_text("# nothing\n\n")
    (tmp_path / "bad-seeds").write_text("http://one.example/\nhttp://[\n")
    (tmp_path / "bad.toml").write_text("[crawl\n")
    (tmp_path / "unknown.toml").write_text("[scope]\nmax_depht = 3\n")
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange" / "thesis.txt").write_text("mine\n")
    return tmp_path


@pytest.mark.parametrize(("arguments", "code", "words"), BAD, ids=[" ".join(row[0])[:40] for row in BAD])
def test_one_line_and_a_hint(
    here: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    before = sorted(here.rglob("*"))
    assert main([argument.format(here=here) for argument in arguments]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert "Traceback" not in said.err
    assert 1 <= len(said.err.splitlines()) <= 2
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize(
    ("error", "writes"), [(errno.ENOSPC, 1), (errno.ENOSPC, 3), (errno.EROFS, 2), (errno.EIO, 1), (errno.EDQUOT, 3)]
)
def test_a_disk_that_takes_no_more(tmp_path: Path, error: int, writes: int) -> None:
    pwrite, left = os.pwrite, [writes]

    def refuse(handle: int, data: bytes, offset: int) -> int:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(error, os.strerror(error))
        return pwrite(handle, data, offset)

    table = {"/": page("/a", "/b"), "/a": page("/c", title="a"), "/b": page(title="b"), "/c": page(title="c")}
    with small_site.serve(table) as site:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "pwrite", refuse)
            code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"), "--set", "crawl.commit_interval=0.05s")
            assert code == 6
        code, crawl = crawls.resume(tmp_path / "crawl")
        assert (code, len(crawl.fetched())) == (0, 4)
        assert ledgers.problems(crawl) == []
        assert readers.fastwarc_problems(crawl.warcs()) == []
        assert readers.index_problems(crawl) == []


DISKS = """
set -u
mount -t tmpfs -o size=3m none "$1"
shift
crawl=$1; resume=$2; status=$3
sh -c "$crawl"; echo "crawl $?"
sh -c "$status"; echo "status $?"
mount -o remount,size=200m "$4"
sh -c "$resume"; echo "resume $?"
cp -r "$4/crawl" "$5"
mount -o remount,ro "$4"
sh -c "$resume"; echo "read-only $?"
sh -c "$status"; echo "read-only status $?"
"""
"""A small disk that fills up, then grows, then is read-only; all in a mount namespace of its own."""


def may_mount() -> bool:
    try:
        done = subprocess.run(
            ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
        )
    except FileNotFoundError:
        return False
    return done.returncode == 0


@pytest.mark.slow
def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    if not may_mount():
        pytest.skip("no mount namespaces here")
    leaves = [f"/{number}" for number in range(40)]
    # What compresses badly fills the disk at once.
    table = {path: Answer(b"<title>" + path.encode() + b"</title>" + os.urandom(200_000)) for path in leaves}
    with small_site.serve({"/": page(*leaves), **table}) as site:
        disk = tmp_path / "disk"
        disk.mkdir()
        flags = ["--gap", "0", "--quiet", *crawls.LOOPBACK, "--set", "crawl.shards=1"]
        crawl = " ".join(crawls.command("crawl", site.url("/"), "-o", disk / "crawl", *flags)) + " >/dev/null"
        resume = " ".join(crawls.command("resume", disk / "crawl", "--quiet")) + " >/dev/null"
        status = " ".join(crawls.command("status", disk / "crawl", "--json")) + " >/dev/null"
        script = ["unshare", "-rm", "sh", "-c", DISKS, "sh", str(disk), crawl, resume, status, str(disk)]
        done = subprocess.run(
            [*script, str(tmp_path / "copy")], capture_output=True, text=True, check=False, env=crawls.environment()
        )
    assert done.stdout.splitlines() == ["crawl 6", "status 0", "resume 0", "read-only 6", "read-only status 0"]
    assert "Traceback" not in done.stderr
    assert "disk" in done.stderr
    crawl_folder = crawls.Crawl(tmp_path / "copy")
    assert len(crawl_folder.fetched()) == 41
    assert ledgers.problems(crawl_folder) == []
    assert readers.fastwarc_problems(crawl_folder.warcs()) == []
