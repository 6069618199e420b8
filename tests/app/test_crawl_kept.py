"""What a wrong setting or a lost file must not do: leave a folder behind, spoil one, or go unnoticed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from gossamer.app.cli import main
from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import page

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

URL = "http://127.0.0.1:9/"
CONTENTS = {
    "block list": (["--block-file", "{bad}"], "line 1"),
    "domains": (["--domains", "{bad}"], "bad"),
    "hosts": (["--resolve-file", "{bad}"], "resolve_file"),
    "kinds": (["--set", "scope.follow_kinds=imagee"], "follow_kinds"),
}


@pytest.mark.parametrize(("flags", "named"), CONTENTS.values(), ids=CONTENTS)
def test_what_cannot_be_read_makes_no_folder_and_spoils_none(
    flags: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad"
    bad.write_text("a b c / :: not this\n")
    flags = [flag.format(bad=bad) for flag in flags]
    assert main(["crawl", URL, "-o", str(tmp_path / "new"), *flags]) == 2
    assert named in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
    old = tmp_path / "old"
    assert main(["crawl", URL, "-o", str(old), "--quiet"]) == 3
    before = (old / "crawl.toml").read_bytes()
    assert main(["resume", str(old), *flags]) == 2
    assert (old / "crawl.toml").read_bytes() == before


def test_nothing_fetched_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crawl", URL, "-o", str(tmp_path / "crawl")]) == 3
    assert "--allow-address" in capsys.readouterr().out


def test_a_missing_store_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with small_site.serve({"/": page("/a"), "/a": page()}) as site:
        code, crawl = crawls.crawl(tmp_path / "crawl", site.url("/"))
    assert code == 0
    shutil.rmtree(crawl.folder / "state" / "shard-002")
    assert main(["resume", str(crawl.folder)]) == 7
    assert "shard-002 is missing" in capsys.readouterr().err
