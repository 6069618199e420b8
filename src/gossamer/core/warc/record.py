"""WARC/1.1 records as bytes: header, block, and the two line ends that close a record (WARC 1.1, section 4).

All records of one capture bear one date, the start of its fetch, and name each other in WARC-Concurrent-To. The block
of a response is the answer with its transfer coding removed and its content coding kept; the Transfer-Encoding field
is left out, all other header bytes are as received. That way the payload digest, which the standard takes over the
entity body, is also the digest of the bytes that lie in the record, and every reader agrees with it.

A field that holds anything but printable ASCII is percent-escaped, so nothing foreign can begin a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final, NamedTuple

from gossamer.core.http.exchange import Truncation
from gossamer.core.warc.date import timestamp, warc_date
from gossamer.core.warc.digest import sha1_label
from gossamer.core.warc.head import archived_head, is_plain
from gossamer.core.warc.target import printable, target_uri

_REQUEST: Final = "application/http;msgtype=request"
_RESPONSE: Final = "application/http;msgtype=response"
_FIELDS: Final = "application/warc-fields"
DNS_TYPE: Final = "text/dns"

Fields = Iterable[tuple[str, str]]


class Profile(StrEnum):
    """What a revisit record claims (WARC 1.1, section 6.7; the URIs with erratum 36)."""

    IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


@dataclass(frozen=True, slots=True)
class WarcInfo:
    """What the first record of every file says of the crawl."""

    software: str
    user_agent: str
    operator: str = ""
    robots: str = "obey"
    """The robots policy followed; "obey" is Heritrix's word for it, RFC 9309 ours."""
    connections: str = ""
    """Hosts asked for several things at once, with how many; empty where none is."""
    blanked: str = ""
    """Which fields are archived without their value."""


class Capture(NamedTuple):
    """What all records of one fetch have in common."""

    url: str
    """The fetch URL."""
    started: float
    """Start of the fetch, seconds since the epoch."""
    warcinfo_id: str
    """The warcinfo record of the file that the records go to."""
    address: str = ""
    """The address connected to; empty when not known."""
    protocols: tuple[str, ...] = ()
    """Protocols spoken, "http/1.1", "tls/1.3" (IIPC proposal 42)."""
    truncated: Truncation | None = None
    """Why the body is shorter than sent."""


@dataclass(frozen=True, slots=True)
class Original:
    """The capture that a revisit stands for."""

    record_id: str
    """Its WARC-Record-ID; empty when not known."""
    url: str
    started: float


def record_id(random: bytes) -> str:
    """A WARC-Record-ID from 16 random bytes: a version 4 UUID (RFC 9562, section 5.4) as a URN in angle brackets."""
    if len(random) != 16:
        raise ValueError(f"a record id is made of 16 random bytes, not {len(random)}")
    digits = random.hex()
    variant = "89ab"[random[8] >> 4 & 3]
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}>"


def warcinfo(identity: str, at: float, filename: str, info: WarcInfo) -> bytes:
    """The first record of a file. `at`: seconds since the epoch; `filename`: the file's name without folders."""
    head = _line("WARC-Type", "warcinfo") + _line("WARC-Record-ID", identity) + _line("WARC-Date", warc_date(at))
    return _record(head + _line("WARC-Filename", filename), _FIELDS, (warcinfo_block(info),))


def warcinfo_block(info: WarcInfo) -> bytes:
    """What a warcinfo record says, the same for all files of a crawl with the same settings."""
    return _fields_block(
        (
            ("software", info.software),
            ("format", "WARC File Format 1.1"),
            ("conformsTo", "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
            ("robots", info.robots),
            ("http-header-user-agent", info.user_agent),
            ("operator", info.operator),
            ("connections", info.connections),
            ("blanked", info.blanked),
        )
    )


def request(capture: Capture, identity: str, head: bytes, concurrent: Sequence[str] = ()) -> bytes:
    """The request as sent. `head` ends in an empty line; `concurrent`: ids of the capture's other records."""
    return _record(_exchange_fields("request", capture, identity, concurrent), _REQUEST, (head,))


def response(
    capture: Capture,
    identity: str,
    head: bytes,
    body: bytes,
    concurrent: Sequence[str] = (),
    *,
    payload_digest: str = "",
) -> bytes:
    """The answer. `head` as received, `body` without transfer coding; `payload_digest` saves taking it again.

    No payload digest is written where there is no payload, nor where readers would not find the payload (`is_plain`).
    """
    head = archived_head(head)
    fields = _exchange_fields("response", capture, identity, concurrent)
    if body and is_plain(head):
        fields += _line("WARC-Payload-Digest", payload_digest or sha1_label(body))
    if capture.truncated is not None:
        fields += _line("WARC-Truncated", capture.truncated)
    return _record(fields, _RESPONSE, (head, body))


def revisit(
    capture: Capture,
    identity: str,
    head: bytes,
    original: Original,
    concurrent: Sequence[str] = (),
    *,
    profile: Profile = Profile.IDENTICAL,
    payload_digest: str = "",
) -> bytes:
    """An answer whose payload is archived already, by its head alone.

    `payload_digest` is that of the original, and IDENTICAL cannot be claimed without it. Hand this over only once the
    original is durable: a revisit of nothing cannot be read.
    """
    if profile is Profile.IDENTICAL and not payload_digest:
        raise ValueError("a revisit of an identical payload names its digest (WARC 1.1, section 6.7.2)")
    fields = _exchange_fields("revisit", capture, identity, concurrent)
    fields += _line("WARC-Profile", profile)
    if payload_digest:
        fields += _line("WARC-Payload-Digest", payload_digest)
    if original.record_id:
        fields += _line("WARC-Refers-To", original.record_id)
    fields += _line("WARC-Refers-To-Target-URI", target_uri(original.url))
    fields += _line("WARC-Refers-To-Date", warc_date(original.started))
    if profile is Profile.IDENTICAL:
        # "shall be used for any identical-digest truncation" (WARC 1.1, section 6.7.2): the body is left out.
        fields += _line("WARC-Truncated", Truncation.LENGTH)
    return _record(fields, _RESPONSE, (archived_head(head),))


def metadata(capture: Capture, identity: str, fields: Fields, concurrent: Sequence[str] = ()) -> bytes:
    """What is known of a fetch beside its bytes: `fields` as `core/warc/visit_fields.py` makes them, less the empty."""
    return _record(_common_fields("metadata", capture, identity, concurrent), _FIELDS, (_fields_block(fields),))


def lookup(capture: Capture, identity: str, block: bytes) -> bytes:
    """A name look-up (WARC 1.1, section 6.4, scheme dns): `capture.url` is "dns:HOST", `block` from `dns_block`."""
    return _record(_common_fields("resource", capture, identity, ()), DNS_TYPE, (block,))


def dns_block(host: str, addresses: Sequence[str], ttl_seconds: float, at: float) -> bytes:
    """What name servers said, as text/dns (RFC 4027; RFC 2540, section 2): the moment, then a line a record."""
    kinds = (("AAAA" if ":" in address else "A", address) for address in addresses)
    lines = [timestamp(at), *(f"{host}.\t{max(0, int(ttl_seconds))}\tIN\t{kind}\t{text}" for kind, text in kinds)]
    return "".join(f"{line}\n" for line in lines).encode("ascii", "replace")


def _common_fields(kind: str, capture: Capture, identity: str, concurrent: Sequence[str]) -> str:
    """The lines that begin every record of a capture but the first of a file."""
    others = "".join([_line("WARC-Concurrent-To", other) for other in concurrent])
    about = _what(capture.url, capture.started)
    return f"WARC-Type: {kind}\r\nWARC-Record-ID: {printable(identity)}\r\n{about}{others}{_file(capture.warcinfo_id)}"


def _exchange_fields(kind: str, capture: Capture, identity: str, concurrent: Sequence[str]) -> str:
    return _common_fields(kind, capture, identity, concurrent) + _whence(capture.address, capture.protocols)


@lru_cache(maxsize=16)
def _what(url: str, started: float) -> str:
    """Asked for by all records of a capture."""
    return _line("WARC-Date", warc_date(started)) + _line("WARC-Target-URI", target_uri(url))


@lru_cache(maxsize=16)
def _file(warcinfo_id: str) -> str:
    return _line("WARC-Warcinfo-ID", warcinfo_id)


@lru_cache(maxsize=256)
def _whence(address: str, protocols: tuple[str, ...]) -> str:
    """The lines of a connection, which are those of many captures."""
    came_from = _line("WARC-IP-Address", address) if address else ""
    return came_from + "".join([_line("WARC-Protocol", protocol) for protocol in protocols])


def _line(name: str, value: str) -> str:
    return f"{name}: {printable(value)}\r\n"


def _record(fields: str, content_type: str, block: tuple[bytes, ...]) -> bytes:
    """`fields` are whole lines, each of them made by `_line` or of our own words."""
    head = (
        f"WARC/1.1\r\n{fields}WARC-Block-Digest: {sha1_label(*block)}\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {sum(map(len, block))}\r\n\r\n"
    )
    return b"".join((head.encode("ascii"), *block, b"\r\n\r\n"))


def _fields_block(fields: Fields) -> bytes:
    """A block of application/warc-fields: UTF-8, a line a field (WARC 1.1, section 9); empty fields are left out."""
    lines = [f"{name}: {_one_line(value)}\r\n" for name, value in fields if value]
    return "".join(lines).encode("utf-8", "replace")


def _one_line(value: str) -> str:
    if not value.isprintable():
        value = "".join([character if character.isprintable() else " " for character in value])
    # The space is the only blank that is printable.
    return " ".join(value.split()) if " " in value else value
