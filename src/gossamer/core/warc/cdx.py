"""CDXJ lines: SURT, 14-digit moment, JSON; equal to what pywb's indexer writes for the same record.

    org,example)/page 20261130134700 {"url": "https://example.org/page", "mime": "text/html", "status": "200", ...}

Lines are sorted bytewise over a file. Everything in the JSON is a string, as pywb writes it.
"""

from __future__ import annotations

from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING

from gossamer.core.url.surt import surt
from gossamer.core.warc.date import timestamp
from gossamer.core.warc.digest import SHA1_LABEL
from gossamer.core.warc.head import indexed
from gossamer.core.warc.target import target_uri

if TYPE_CHECKING:
    from gossamer.core.warc.location import Location
    from gossamer.core.warc.record import Capture


def response_line(capture: Capture, head: bytes, payload_digest: str, location: Location) -> str:
    """The line of a response record, without line end. `head` as given to `record.response`.

    `payload_digest` is `sha1_label(body)` also where the body is empty, for an index names the digest even so.
    """
    seen = indexed(head)
    return _line(capture, {"mime": seen.mime, "status": seen.status, "digest": _bare(payload_digest)}, location)


def revisit_line(capture: Capture, payload_digest: str, location: Location) -> str:
    """The line of a revisit record, without line end; `payload_digest` as given to `record.revisit`."""
    return _line(capture, {"mime": "warc/revisit", "digest": _bare(payload_digest)}, location)


def resource_line(capture: Capture, media_type: str, block_digest: str, location: Location) -> str:
    """The line of a resource record, without line end; `block_digest` is that of its block."""
    return _line(capture, {"mime": media_type, "digest": _bare(block_digest)}, location)


def _bare(digest: str) -> str:
    return digest.removeprefix(SHA1_LABEL)


def _line(capture: Capture, fields: dict[str, str], location: Location) -> str:
    url = target_uri(capture.url)
    fields = {"url": url, **{name: value for name, value in fields.items() if value not in ("", "-")}}
    fields["length"] = str(location.length)
    fields["offset"] = str(location.offset)
    fields["filename"] = location.file.rpartition("/")[2]
    # What `json.dumps` writes of texts alone, without its general way to get there.
    written = [f'"{name}": {encode_basestring_ascii(value)}' for name, value in fields.items()]
    return f"{surt(url)} {timestamp(capture.started)} {{{', '.join(written)}}}"
