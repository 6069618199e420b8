"""Sites with a known answer: reading the truth, and making hosts that share no bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.servers import debian

if TYPE_CHECKING:
    from pathlib import Path


def test_every_published_truth_is_whole(shared: Path) -> None:
    for name in debian.truths():
        right = debian.truth(name)
        assert right.package
        assert set(right.starts) <= set(right.pages) == set(right.depth), name
        assert not set(right.dead) & set(right.pages), name
        assert all(len(group) > 1 and set(group) <= set(right.pages) for group in right.duplicates), name


def test_an_unknown_site_is_refused_by_name() -> None:
    with pytest.raises(debian.UnavailableError, match="no-such-site"):
        debian.truth("no-such-site")


def test_hosts_with_bytes_of_their_own_keep_links_and_groups(tmp_path: Path) -> None:
    root = tmp_path / "site"
    (root / "sub").mkdir(parents=True)
    for name in ("index.html", "sub/same.html.fr"):
        (root / name).write_text("<a href=x>x</a>")
    (root / "style.css").write_text("a {}")
    (root / "dangling").symlink_to("nowhere")
    copies = [debian.with_bytes_of_its_own(root, tmp_path / mark, mark) for mark in ("h1", "h2")]
    texts = [[(copy / name).read_text() for name in ("index.html", "sub/same.html.fr")] for copy in copies]
    assert texts[0][0] == texts[0][1] == "<a href=x>x</a>\n<!-- h1 -->\n"
    assert texts[1][0] != texts[0][0]
    assert all((copy / "style.css").samefile(root / "style.css") for copy in copies)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("index.html", True),
        ("INDEX.HTM", True),
        ("index.html.zh-cn.utf8", True),
        ("html", False),
        ("html.css", False),
        ("notes.txt", False),
    ],
)
def test_page_names(name: str, page: bool) -> None:
    assert debian.is_page_name(name) is page
