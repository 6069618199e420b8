"""libcurl's error numbers in our words, by how far the exchange had come."""

from __future__ import annotations

import errno
from typing import Final

from gossamer.core.http.exchange import FailureKind, Truncation

# CURLE_ numbers of libcurl's curl.h. pycurl does not name all of them, so none is taken from it.
UNSUPPORTED_PROTOCOL: Final = 1
URL_MALFORMAT: Final = 3
COULDNT_CONNECT: Final = 7
WEIRD_SERVER_REPLY: Final = 8
PARTIAL_FILE: Final = 18
WRITE_ERROR: Final = 23
OPERATION_TIMEDOUT: Final = 28
GOT_NOTHING: Final = 52
SEND_ERROR: Final = 55
RECV_ERROR: Final = 56
HTTP2: Final = 16
"""An error in HTTP/2's framing."""
HTTP2_STREAM: Final = 92
"""The server reset the stream."""
TOO_LARGE: Final = 100

TOO_SLOW: Final = -1
"""Not libcurl's: we gave up on a body slower than the low-speed limit."""
NO_FIRST_BYTE: Final = -2
"""Not libcurl's: we gave up waiting for the answer to begin."""

_TLS_CODES: Final = (35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91, 98)
"""SSL_CONNECT_ERROR, PEER_FAILED_VERIFICATION and their kin."""

_CONNECTING: Final = {
    URL_MALFORMAT: FailureKind.CONNECT_FAILED,
    6: FailureKind.NAME_FAILED,
    OPERATION_TIMEDOUT: FailureKind.CONNECT_TIMEOUT,
    **dict.fromkeys(_TLS_CODES, FailureKind.TLS),
}
"""Before the request could be sent."""

_CONNECT_ERRNOS: Final = {
    errno.ECONNREFUSED: FailureKind.CONNECT_REFUSED,
    errno.ETIMEDOUT: FailureKind.CONNECT_TIMEOUT,
    errno.ECONNRESET: FailureKind.RESET,
}
"""What the operating system said about a connection that could not be made."""

_ANSWERING: Final = {
    0: FailureKind.RESET,  # the connection ended within the head, which libcurl calls a success
    UNSUPPORTED_PROTOCOL: FailureKind.BAD_ANSWER,
    WEIRD_SERVER_REPLY: FailureKind.BAD_ANSWER,
    PARTIAL_FILE: FailureKind.RESET,
    OPERATION_TIMEDOUT: FailureKind.TIMEOUT,
    NO_FIRST_BYTE: FailureKind.TIMEOUT,
    TOO_SLOW: FailureKind.SLOW,
    GOT_NOTHING: FailureKind.RESET,
    SEND_ERROR: FailureKind.RESET,
    RECV_ERROR: FailureKind.RESET,
    HTTP2: FailureKind.BAD_ANSWER,
    HTTP2_STREAM: FailureKind.RESET,
    TOO_LARGE: FailureKind.HEADERS_TOO_LARGE,
    **dict.fromkeys(_TLS_CODES, FailureKind.TLS),
}
"""After the request was sent, while no byte of a body has come."""

_READING: Final = {OPERATION_TIMEDOUT: Truncation.TIME, TOO_SLOW: Truncation.TIME}
"""Once a part of the body is there: it is kept."""

NEXT_ADDRESS: Final = frozenset(
    {
        FailureKind.ADDRESS_REFUSED,
        FailureKind.CONNECT_REFUSED,
        FailureKind.CONNECT_TIMEOUT,
        FailureKind.CONNECT_FAILED,
    }
)
"""Failures after which another address of the host may still answer."""


def connect_failure(code: int, os_errno: int) -> FailureKind:
    """Why no connection came about (TLS included)."""
    if code in _CONNECTING:
        return _CONNECTING[code]
    if code in (GOT_NOTHING, SEND_ERROR, RECV_ERROR):
        return FailureKind.RESET
    return _CONNECT_ERRNOS.get(os_errno, FailureKind.CONNECT_FAILED)


def answer_failure(code: int, words: str = "") -> FailureKind:
    """Why a request got no usable answer; `words` are libcurl's own."""
    if _is_malformed(code, words):
        return FailureKind.BAD_ANSWER
    return _ANSWERING.get(code, FailureKind.BAD_ANSWER)


def truncation(code: int, words: str = "") -> Truncation:
    """Why a body of which some has come is not complete."""
    if _is_malformed(code, words):
        return Truncation.UNSPECIFIED
    return _READING.get(code, Truncation.DISCONNECT)


def _is_malformed(code: int, words: str) -> bool:
    """Whether the chunks were wrong: libcurl gives that the number of a connection that broke."""
    return code == RECV_ERROR and "chunk" in words.lower()
