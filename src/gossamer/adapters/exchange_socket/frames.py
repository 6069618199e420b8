"""A connection whose messages are frames: what comes goes to `heard`, and who sends too fast can be made to wait."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from gossamer.core.framing import FrameReader, FrameRefused, framed

if TYPE_CHECKING:
    from collections.abc import Callable


class FrameConnection(asyncio.Protocol):
    """One end of a stream. `heard` is called with each message; one that raises FrameRefused ends the connection."""

    def __init__(self, heard: Callable[[bytes], None], bytes_max: int) -> None:
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the connection is over, however it ended."""
        self._heard = heard
        self._reader = FrameReader(bytes_max)
        self._transport: asyncio.Transport | None = None

    def send(self, payload: bytes) -> None:
        """Send a message; nothing happens where the connection is over."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(framed(payload))

    def read(self, *, on: bool) -> None:
        """Let the other end send, or wait."""
        if self._transport is None or self._transport.is_closing():
            return
        if on and not self._transport.is_reading():
            self._transport.resume_reading()
        elif not on and self._transport.is_reading():
            self._transport.pause_reading()

    def close(self) -> None:
        """End the connection, what is being sent apart."""
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """End it at once."""
        if self._transport is not None:
            self._transport.abort()

    # --- asyncio's side ------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See asyncio.Protocol."""
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        try:
            for payload in self._reader.feed(data):
                self._heard(payload)
        except FrameRefused:
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        del exc
        if not self.lost.done():
            self.lost.set_result(None)
