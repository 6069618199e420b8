"""What an importance file says of URLs, hosts and sites: sorted fingerprints and their values, ten bytes an entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from gossamer.core.seen.fingerprint import HOST_ID_BYTES, Fingerprinter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FINGERPRINT_BYTES: Final = 8
UNSAID: Final = -1.0


class Table64:
    """8 byte keys -> values from 0 to 1, to three digits. Of a key given twice the last value counts."""

    def __init__(self, keys: bytes, values: Sequence[float]) -> None:
        """`keys` are concatenated."""
        import numpy as np  # noqa: PLC0415 - a look at books needs none

        numbers = np.frombuffer(keys, dtype=">u8").astype(np.uint64)
        # Of equal keys, a stable sort leaves the last one given behind the others.
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
        last = np.ones(len(numbers), dtype=bool)
        last[:-1] = numbers[1:] != numbers[:-1]
        self._keys: NDArray[np.uint64] = numbers[last]
        self._values: NDArray[np.float16] = np.asarray(values, dtype=np.float16)[order][last]

    def __len__(self) -> int:
        return len(self._keys)

    def values(self, keys: bytes) -> list[float]:
        """The value of each of the concatenated keys; `UNSAID` where there is none."""
        import numpy as np  # noqa: PLC0415 - as above

        wanted = np.frombuffer(keys, dtype=">u8").astype(np.uint64)
        if not len(self._keys):
            return [UNSAID] * len(wanted)
        places = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        found: list[float] = np.where(self._keys[places] == wanted, self._values[places], UNSAID).tolist()
        return found


class Importance:
    """The values of one file. What it says of a URL counts before what it says of its host, that before its site."""

    def __init__(self, ids: Fingerprinter, urls: Table64, names: Table64) -> None:
        """`urls` by the first bytes of page fingerprints, `names` of hosts and sites by host id."""
        self._ids: Final = ids
        self._urls: Final = urls
        self._names: Final = names

    def __len__(self) -> int:
        return len(self._urls) + len(self._names)

    def of(self, page_keys: Sequence[bytes], sites: Sequence[str]) -> list[float]:
        """The importance of URLs by page key and site, -1 where nothing is said."""
        fingerprints = b"".join([key[HOST_ID_BYTES : HOST_ID_BYTES + FINGERPRINT_BYTES] for key in page_keys])
        values = self._urls.values(fingerprints)
        if not len(self._names):
            return values
        names = {key[:HOST_ID_BYTES]: site for key, site in zip(page_keys, sites, strict=True)}
        ids = [self._ids.host_id(site) for site in names.values()]
        found = self._names.values(b"".join([*names, *ids]))
        said = {
            host_id: host if host >= 0 else site
            for host_id, host, site in zip(names, found[: len(names)], found[len(names) :], strict=True)
        }
        return [
            value if value >= 0 else said[key[:HOST_ID_BYTES]] for value, key in zip(values, page_keys, strict=True)
        ]


def importance_of(
    ids: Fingerprinter, rows: Iterable[tuple[Sequence[bytes], Sequence[bool], Sequence[float]]]
) -> Importance:
    """What batches of rows say: the page key (a host id for a name), whether it is of a URL, the value of each."""
    keys = {True: bytearray(), False: bytearray()}
    values: dict[bool, list[float]] = {True: [], False: []}
    for batch in rows:
        for key, is_url, value in zip(*batch, strict=True):
            start = HOST_ID_BYTES if is_url else 0
            keys[is_url] += key[start : start + FINGERPRINT_BYTES]
            values[is_url].append(value)
    return Importance(ids, Table64(bytes(keys[True]), values[True]), Table64(bytes(keys[False]), values[False]))
