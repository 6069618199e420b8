"""A chunked body as some archives keep it (RFC 9112, section 7.1), made whole."""

from __future__ import annotations

import re
from typing import Final

_SIZE_LINE: Final = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\n]*)?\r?\n")


def unchunked(body: bytes) -> bytes:
    """The body without its chunks; as it is where it has none, up to the fault where they break off.

    Many writers remove the chunks and leave the field that announces them, so a body that does not begin with a
    chunk, or whose first chunk does not end where it says, is taken as it stands.
    """
    parts: list[bytes] = []
    position = 0
    while line := _SIZE_LINE.match(body, position):
        size = int(line[1], 16)
        start = line.end()
        if not size:
            return b"".join(parts)
        end = start + size
        parts.append(body[start:end])
        if end >= len(body):
            break
        after = _LINE_END.match(body, end)
        if after is None:
            # The first chunk must convince; a later one that does not end is where the damage begins.
            return body if len(parts) == 1 else b"".join(parts)
        position = after.end()
    return b"".join(parts) if parts else body


_LINE_END: Final = re.compile(rb"\r?\n")
