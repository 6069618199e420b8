"""How libcurl is set up, and why.

*Pinned addresses.* A request may only go to the addresses it names. CURLOPT_RESOLVE would put them into a cache shared
by all transfers, where entries stay for good, or, with "+", until a time-out that is looked at rarely: at a million
hosts that is a leak, and a pin of one request would serve another. CURLOPT_CONNECT_TO with an address literal is a
property of one transfer: nothing is cached, the name stays in Host, SNI and certificate check, and a kept connection
is only used for a request that names the very same address.

*Proxies.* One that is told addresses (socks5://, and http:// by CONNECT) is told the very address that was resolved and
checked: CURLOPT_CONNECT_TO holds for it, too. One that resolves names is told the name, and the address guard has no
say. The proxy's own address is the operator's word and is not guarded.
*One request a connection at a time*, over HTTP/2 too: politeness counts exchanges, and a second stream would be one
without a gap.

*Nothing from the surroundings.* No proxy variables, no .netrc, no cookie store, no HSTS or Alt-Svc cache.
"""

from __future__ import annotations

import os
import re
import socket
import ssl
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pycurl

from gossamer.core import limits

if TYPE_CHECKING:
    from gossamer.core.http.headers import Field
    from gossamer.core.http.host_request import Proxy

CA_BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Arch, Gentoo, Alpine
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  # Fedora, RHEL
    "/etc/pki/tls/certs/ca-bundle.crt",  # older RHEL
    "/etc/ssl/ca-bundle.pem",  # openSUSE
    "/etc/ssl/cert.pem",  # macOS, OpenBSD, Alpine
    "/usr/local/etc/ssl/cert.pem",  # FreeBSD
)
"""Where systems keep their certificates. The wheel of pycurl was built elsewhere and looks elsewhere."""

SUPPRESS_CONNECT_HEADERS: Final = 265
"""CURLOPT_SUPPRESS_CONNECT_HEADERS of libcurl's curl.h, which pycurl has no name for: a proxy's own answer is not the
host's."""
_BUFFER_BYTES: Final = 64 * 1024
"""libcurl's read buffer: pages fit in one call back; it is shared by all transfers of a multi handle."""
_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_VALUE: Final = re.compile(r"[\t\x20-\x7e\x80-\xff]*")
_SET_HERE: Final = frozenset({"host", "content-length", "transfer-encoding", "expect"})
_ADDED_BY_CURL: Final = ("User-Agent", "Accept")
"""Fields that libcurl would add of its own accord."""


def system_ca_file() -> str:
    """The file with the certificates this system trusts. Raises FileNotFoundError, with a hint, if there is none."""
    asked = os.environ.get("SSL_CERT_FILE") or ssl.get_default_verify_paths().cafile or ""
    for candidate in (asked, *CA_BUNDLES):
        if candidate and Path(candidate).is_file():
            return candidate
    raise FileNotFoundError("no certificate bundle found; install ca-certificates or name a CA file")


def prepare(curl: pycurl.Curl, ca_file: str, *, http2: bool) -> None:
    """Set what is the same for all requests. HTTP/2 is spoken where TLS agrees on it (ALPN), never without TLS."""
    for option, value in (
        (pycurl.NOSIGNAL, 1),
        (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS if http2 else pycurl.CURL_HTTP_VERSION_1_1),
        (pycurl.HTTP09_ALLOWED, 0),
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.HTTP_CONTENT_DECODING, 0),
        (SUPPRESS_CONNECT_HEADERS, 1),
        (pycurl.HEADEROPT, pycurl.HEADER_SEPARATE),
        (pycurl.NETRC, pycurl.NETRC_IGNORED),
        (pycurl.DNS_CACHE_TIMEOUT, 0),
        (pycurl.MAXAGE_CONN, int(limits.KEEP_SECONDS_MAX)),
        (pycurl.BUFFERSIZE, _BUFFER_BYTES),
        (pycurl.SSL_VERIFYPEER, 1),
        (pycurl.SSL_VERIFYHOST, 2),
        (pycurl.SSLVERSION, pycurl.SSLVERSION_TLSv1_2),
        (pycurl.CAINFO, ca_file),
    ):
        curl.setopt(option, value)


def set_proxy(curl: pycurl.Curl, proxy: Proxy | None) -> None:
    """Go through `proxy`, or straight; a handle is used for one host after the other."""
    curl.setopt(pycurl.PROXY, proxy.url if proxy is not None else "")
    curl.setopt(pycurl.NOPROXY, "" if proxy is not None else "*")
    if proxy is not None and proxy.login:
        user, _, password = proxy.login.partition(":")
        curl.setopt(pycurl.PROXYUSERNAME, user.encode())
        curl.setopt(pycurl.PROXYPASSWORD, password.encode())
    else:
        curl.unsetopt(pycurl.PROXYUSERNAME)
        curl.unsetopt(pycurl.PROXYPASSWORD)


def pin(address: str) -> tuple[str, ...]:
    """The CONNECT_TO entry that sends any host to `address`, on the port of the URL."""
    return (f"::[{address}]:" if ":" in address else f"::{address}:",)


@lru_cache(maxsize=256)
def request_lines(fields: tuple[Field, ...]) -> tuple[tuple[bytes, ...], bytes]:
    """Request fields as libcurl takes them, and as the bytes that it will send. Unsendable ones are misuse."""
    lines: list[bytes] = []
    sent: list[bytes] = []
    for name, value in fields:
        if name.lower() in _SET_HERE:
            raise ValueError(f"{name} is set by the fetcher; leave it out")
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ValueError(f"{name!r}: {value!r} cannot be sent as a field; drop control characters")
        text = value.strip(" \t")
        line = f"{name}: {text}" if text else f"{name}:"
        sent.append(line.encode("latin-1") + b"\r\n")
        # libcurl reads "Name:" as "leave that field out" and "Name;" as a field without value.
        lines.append(line.encode("latin-1") if text else f"{name};".encode("ascii"))
    given = {name.lower() for name, _ in fields}
    lines += [f"{name}:".encode() for name in _ADDED_BY_CURL if name.lower() not in given]
    return tuple(lines), b"".join(sent)


@lru_cache(maxsize=4096)
def canonical(address: str) -> str:
    """An address as the operating system writes it, so that spellings compare equal; misuse raises ValueError."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.inet_ntop(family, socket.inet_pton(family, address))
    except OSError as error:
        raise ValueError(f"{address!r} is no address; resolve names before fetching") from error


@lru_cache(maxsize=4096)
def in_turn(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses to try, canonical and each once."""
    return tuple(dict.fromkeys(map(canonical, addresses)))[: limits.CONNECT_ADDRESSES_MAX]


Permits = Callable[[str], bool]
"""Whether an address may be connected to."""
