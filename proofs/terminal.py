"""What a terminal is sent."""

from __future__ import annotations

import os


def read_terminal(ours: int) -> bytes:
    """All that comes out of a pseudo-terminal until its other end is closed; `ours` is closed, too."""
    shown: list[bytes] = []
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed (EIO)
            break
        if not data:
            break
        shown.append(data)
    os.close(ours)
    return b"".join(shown)
