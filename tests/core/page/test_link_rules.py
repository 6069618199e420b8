from __future__ import annotations

import pytest

from gossamer.core.page.link_rules import flags_of, kind_of_link
from gossamer.core.page.links import FOLLOWED_BY_DEFAULT, LinkFlag, LinkKind


@pytest.mark.parametrize(
    ("rel", "kind"),
    [
        ("", LinkKind.LINK),
        ("search", LinkKind.LINK),
        ("Canonical", LinkKind.CANONICAL),
        ("alternate", LinkKind.ALTERNATE),
        ("alternate stylesheet", LinkKind.RESOURCE),
        ("shortcut icon", LinkKind.RESOURCE),
        ("SHORTCUT\nICON", LinkKind.RESOURCE),
        ("mask-icon", LinkKind.RESOURCE),
        ("dns-prefetch", LinkKind.RESOURCE),
        ("modulepreload", LinkKind.RESOURCE),
        ("manifest", LinkKind.RESOURCE),
        ("next", LinkKind.NEXT),
        ("prev", LinkKind.PREV),
        ("next canonical", LinkKind.CANONICAL),
        ("shortcut", LinkKind.LINK),
    ],
)
def test_kind_of_a_link_element(rel: str, kind: LinkKind) -> None:
    assert kind_of_link(rel) is kind
    assert (kind in FOLLOWED_BY_DEFAULT) is (kind is not LinkKind.RESOURCE)


@pytest.mark.parametrize(
    ("rel", "flags"),
    [
        ("", LinkFlag.NONE),
        ("noopener", LinkFlag.NONE),
        ("NoFollow", LinkFlag.NOFOLLOW),
        ("ugc  nofollow", LinkFlag.NOFOLLOW | LinkFlag.UGC),
        ("sponsored", LinkFlag.SPONSORED),
        ("nofollower", LinkFlag.NONE),
        ("x " * 1_000_000 + "nofollow", LinkFlag.NONE),
    ],
    ids=range(7),
)
def test_flags(rel: str, flags: LinkFlag) -> None:
    assert flags_of(rel) == flags
