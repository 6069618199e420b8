"""What a request to one host says beyond the usual, by the operator's word: fields, log-in, cookies, proxy.

Every secret is a value that no `repr` shows: it goes into requests to its host, and nowhere else.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from gossamer.core.http.cookie_jar import JarCookie
    from gossamer.core.http.headers import Field

AUTHORIZATION: Final = "Authorization"


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy through which a host is reached."""

    url: str
    """"http://192.0.2.1:3128", "socks5://..." or "socks5h://..."; no user, no password."""
    resolves: bool = False
    """It is told names and resolves them itself; otherwise it is told the address that we resolved and checked."""
    login: str = field(default="", repr=False)
    """"user:password", or empty."""


@dataclass(frozen=True, slots=True)
class HostRequest:
    """What is special about requests to one host."""

    fields: tuple[Field, ...] = ()
    """Added to every request; one with the name of a usual field takes its place."""
    secret_fields: tuple[Field, ...] = field(default=(), repr=False)
    """The same for fields whose value is a secret, Authorization among them."""
    agent_suffix: str = ""
    """Stands at the end of User-Agent, after a space."""
    keeps_cookies: bool = False
    """Cookies that the host sets are sent back to it during the run."""
    cookies: tuple[JarCookie, ...] = field(default=(), repr=False)
    """What its jar holds at the start."""
    proxy: Proxy | None = None
    mine: bool = False
    """The operator's own host: secrets may go to it without TLS."""

    @property
    def has_session(self) -> bool:
        """Whether it knows us by a secret or by cookies, so that the cookies it sets are secrets as well."""
        return bool(self.secret_fields) or self.keeps_cookies or bool(self.cookies)


USUAL: Final = HostRequest()
"""Of every host without a word of the operator's."""
NO_REQUESTS: Final[Mapping[str, HostRequest]] = MappingProxyType({})
"""Host, as URLs spell it -> what is special about its requests."""


def basic_credentials(login: str) -> str:
    """The Authorization value for "user:password" (RFC 7617 section 2), in UTF-8."""
    return "Basic " + base64.b64encode(login.encode()).decode("ascii")


def with_fields(usual: tuple[Field, ...], added: tuple[Field, ...]) -> tuple[Field, ...]:
    """`usual` and `added`: an added field takes the place of a usual one of its name (any case), others follow."""
    given = {name.lower(): (name, value) for name, value in added}
    placed = [given.pop(name.lower(), (name, value)) for name, value in usual]
    return (*placed, *given.values())
