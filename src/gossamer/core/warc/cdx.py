"""CDXJ lines: SURT, 14-digit moment, JSON; equal to what pywb's indexer writes for the same record.

    org,example)/page 20261130134700 {"url": "https://example.org/page", "mime": "text/html", "status": "200", ...}

Lines are sorted bytewise over a file. Everything in the JSON is a string, as pywb writes it.
"""

from __future__ import annotations

from functools import lru_cache
from json.encoder import encode_basestring_ascii as _quoted
from typing import TYPE_CHECKING

from gossamer.core.url.surt import surt
from gossamer.core.warc.date import timestamp
from gossamer.core.warc.digest import SHA1_LABEL
from gossamer.core.warc.head import indexed
from gossamer.core.warc.target import target_uri

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gossamer.core.warc.location import Location
    from gossamer.core.warc.record import Capture


def response_line(capture: Capture, head: bytes, payload_digest: str, location: Location) -> str:
    """The line of a response record, without line end. `head` as given to `record.response`.

    `payload_digest` is `sha1_label(body)` also where the body is empty, for an index names the digest even so.
    """
    seen = indexed(head)
    return _line(capture, (("mime", seen.mime), ("status", seen.status), ("digest", _bare(payload_digest))), location)


def revisit_line(capture: Capture, payload_digest: str, location: Location) -> str:
    """The line of a revisit record, without line end; `payload_digest` as given to `record.revisit`."""
    return _line(capture, (("mime", "warc/revisit"), ("digest", _bare(payload_digest))), location)


def resource_line(capture: Capture, media_type: str, block_digest: str, location: Location) -> str:
    """The line of a resource record, without line end; `block_digest` is that of its block."""
    return _line(capture, (("mime", media_type), ("digest", _bare(block_digest))), location)


def _bare(digest: str) -> str:
    return digest.removeprefix(SHA1_LABEL)


def _line(capture: Capture, fields: Iterable[tuple[str, str]], location: Location) -> str:
    url = target_uri(capture.url)
    # What `json.dumps` writes of texts alone, without its general way to get there.
    said = "".join([f'"{name}": {_quoted(value)}, ' for name, value in fields if value not in ("", "-")])
    where = f'"length": "{location.length}", "offset": "{location.offset}", "filename": {_file_name(location.file)}'
    return f'{surt(url)} {timestamp(capture.started)} {{"url": {_quoted(url)}, {said}{where}}}'


@lru_cache(maxsize=16)
def _file_name(path: str) -> str:
    return _quoted(path.rpartition("/")[2])
