"""Messages on a stream, however it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.framing import FrameReader, FrameRefused, framed


@given(st.lists(st.binary(max_size=50), max_size=8), st.integers(1, 20))
def test_messages_come_as_they_were_sent(messages: list[bytes], size: int) -> None:
    stream = b"".join(map(framed, messages))
    reader = FrameReader(50)
    found = [each for start in range(0, len(stream), size) for each in reader.feed(stream[start : start + size])]
    assert found == messages
    assert reader.is_between


def test_a_part_of_a_message_waits() -> None:
    reader = FrameReader(10)
    assert reader.feed(framed(b"hello")[:6]) == []
    assert not reader.is_between


@pytest.mark.parametrize("head", [b"\x00\x00\x00\x0b", b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n"])
def test_a_long_message_is_refused_by_its_head(head: bytes) -> None:
    with pytest.raises(FrameRefused, match="10 are allowed"):
        FrameReader(10).feed(head)
