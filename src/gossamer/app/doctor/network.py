"""The network: names, certificates, IPv6, the control socket's folder."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gossamer.adapters.clock_system import SystemClock
from gossamer.adapters.fetcher_curl.options import system_ca_file
from gossamer.adapters.resolver_cares import CaresResolver, has_ipv6_route
from gossamer.app.control import socket_path
from gossamer.app.doctor.finding import Finding, fail, ok, warn
from gossamer.app.errors import UserError
from gossamer.app.folder import CrawlFolder
from gossamer.core.dns.address_guard import AddressGuard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gossamer.app.settings import Settings

NAME: Final = "example.com"
"""Kept for documentation by RFC 2606, and always there."""
SECONDS_MAX: Final = 5.0
CERTIFICATE: Final = re.compile(rb"-----BEGIN (?:TRUSTED )?CERTIFICATE-----")
CERTIFICATES_FEW: Final = 20


def network_findings(settings: Settings) -> Iterator[Finding]:
    """Everything about the network; a few seconds where it is slow."""
    yield asyncio.run(_names(settings))
    yield _certificates(settings)
    route = has_ipv6_route()
    yield ok("ipv6", "there is a route") if route else ok("ipv6", "no route: hosts are reached by IPv4")
    yield _control(Path.cwd())


async def _names(settings: Settings) -> Finding:
    asked = ", ".join(settings.dns.nameservers) or "the system's resolvers"
    hint = "crawls of hosts named with --resolve, and of address literals, work without it"
    resolver = CaresResolver(AddressGuard(()), SystemClock(), nameservers=settings.dns.nameservers)
    try:
        answer = await asyncio.wait_for(resolver.resolve(NAME), SECONDS_MAX)
    except TimeoutError:
        return warn("dns", f"{asked} gave no answer for {NAME} within {SECONDS_MAX:g} s", hint)
    finally:
        await resolver.close()
    if answer.failure is not None:
        detail = f" ({answer.detail})" if answer.detail else ""
        return warn("dns", f"{NAME}: {answer.failure.value}{detail}, from {asked}", hint)
    return ok("dns", f"{asked} know {NAME}")


def _certificates(settings: Settings) -> Finding:
    hint = "install your system's ca-certificates, or name a PEM file with --ca-file"
    try:
        file = settings.fetch.ca_file or system_ca_file()
    except FileNotFoundError:
        return fail("tls", "no certificates were found: no page can be fetched", hint)
    try:
        count = len(CERTIFICATE.findall(Path(file).read_bytes()))
    except OSError as error:
        return fail("tls", f"{file} cannot be read: {error.strerror}", hint)
    if not count:
        return fail("tls", f"{file} holds no certificate", hint)
    few = count < CERTIFICATES_FEW and settings.fetch.ca_file is None
    return (
        warn("tls", f"{file} holds only {count} certificates", hint)
        if few
        else ok("tls", f"{count} certificates in {file}")
    )


def _control(place: Path) -> Finding:
    try:
        path = socket_path(CrawlFolder(place))
    except UserError as error:
        return fail("control", error.message, error.hint)
    return ok("control", f"sockets of running crawls lie in {path.parent}")
