"""Links on their way: stored form and parts."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.page.found import FoundLinks, decode_batches, encode_batches, part

TEXT = st.text(max_size=20)


@st.composite
def found_links(draw: st.DrawFn) -> FoundLinks:
    urls = draw(st.lists(TEXT, max_size=8))
    letters = draw(st.sampled_from(["", "".join(draw(st.sampled_from("LER")) for _ in urls)]))
    return FoundLinks(
        source=draw(TEXT),
        depth=draw(st.integers(0, 99)),
        hops=draw(TEXT),
        group=draw(TEXT),
        redirects=draw(st.integers(0, 9)),
        found_at=draw(st.floats(0, 1e10)),
        urls=urls,
        letters=letters,
        levels=bytes(draw(st.integers(0, 4)) for _ in urls),
    )


@given(st.lists(found_links(), max_size=3))
def test_what_was_stored_is_read_back(batches: list[FoundLinks]) -> None:
    assert decode_batches(encode_batches(batches)) == batches


@given(found_links())
def test_a_batch_that_an_older_release_stored_by_itself_is_read(found: FoundLinks) -> None:
    assert decode_batches(msgspec.msgpack.encode(found)) == [found]


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x91\xa1x", b"\x99\xa0\x00\xa0\xa0\x00\x00\x90\xa0"])
def test_what_is_no_batch_says_so(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_batches(data)


@given(found_links(), st.data())
def test_a_part_has_its_rows_and_the_rest_of_the_whole(found: FoundLinks, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.sampled_from(range(len(found))), unique=True)) if len(found) else []
    some = part(found, rows)
    assert len(some) == len(rows)
    assert some.urls == [found.urls[row] for row in rows]
    assert list(some.levels) == [found.levels[row] for row in rows]
    assert some.letters == ("".join(found.letters[row] for row in rows) if found.letters else "")
    whole = (found.source, found.depth, found.hops, found.group, found.redirects, found.found_at)
    assert (some.source, some.depth, some.hops, some.group, some.redirects, some.found_at) == whole


@given(found_links())
def test_all_rows_make_the_whole(found: FoundLinks) -> None:
    assert part(found, list(range(len(found)))) == found
