"""Content seen: has this body been archived before? Each digest belongs to one shard, which answers for it.

The answer *known* is given only for captures whose commit was confirmed, so no revisit ever points at nothing. A
question about a body that another visit is archiving just now waits for that visit's commit; who gets no answer in
time stores the body again, which wastes bytes and breaks nothing.
"""

from __future__ import annotations

import asyncio

import msgspec

from gossamer.core.limits import DIGEST_ANSWER_SECONDS_MAX
from gossamer.flow.pending import PendingStore
from gossamer.ports.exchange import Claim
from gossamer.ports.store import Table

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Claim)


class ContentSeen:
    """The digests that one shard owns."""

    def __init__(self, rows: PendingStore) -> None:
        self._rows = rows
        self._under_way: dict[bytes, asyncio.Future[Claim | None]] = {}

    async def earlier_copy(self, digest: bytes) -> Claim | None:
        """The first capture of a body; None when it is new, and then the asker owes `claimed` or `released`."""
        while True:
            known = self._rows.get(Table.CONTENT, [digest])[0]
            if known is not None:
                return _decoder.decode(known)
            waiting = self._under_way.get(digest)
            if waiting is None:
                self._under_way[digest] = asyncio.get_running_loop().create_future()
                return None
            try:
                claim = await asyncio.wait_for(asyncio.shield(waiting), DIGEST_ANSWER_SECONDS_MAX)
            except TimeoutError:
                return None
            if claim is not None:
                return claim

    def claimed(self, digest: bytes, claim: Claim) -> None:
        """A capture is durable: from now on its body is known."""
        # While it is under way nobody has claimed it: it was not there when that began.
        if digest in self._under_way or self._rows.get(Table.CONTENT, [digest])[0] is None:
            self._rows.put(Table.CONTENT, digest, _encoder.encode(claim))
        self._end(digest, claim)

    def released(self, digest: bytes) -> None:
        """A body taken for new was not archived after all: whoever waits is next to try."""
        self._end(digest, None)

    def _end(self, digest: bytes, claim: Claim | None) -> None:
        waiting = self._under_way.pop(digest, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(claim)
