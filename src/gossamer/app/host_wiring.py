"""From the settings of single hosts to what the frontier and the requests know of them; every fault in one line.

Secrets are read here, from the environment, when a crawl starts; they live in the values made here and nowhere else.
"""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from gossamer.app.errors import UserError
from gossamer.app.scope_wiring import read_text_file
from gossamer.app.settings.host_kinds import FROM_ENVIRONMENT
from gossamer.core import limits
from gossamer.core.frontier.host_rules import HostRule
from gossamer.core.http.cookie_jar import JarCookie, read_netscape
from gossamer.core.http.host_request import AUTHORIZATION, HostRequest, Proxy, basic_credentials
from gossamer.core.http.request import is_sendable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gossamer.app.settings import Settings
    from gossamer.app.settings.host_kinds import Auth
    from gossamer.app.settings.host_settings import HostSettings
    from gossamer.core.http.headers import Field

RESOLVING_SCHEME: Final = "socks5h://"
LOCAL_SCHEME: Final = "socks5://"


def host_rules(settings: Settings) -> Mapping[str, HostRule]:
    """What the frontier knows of single hosts."""
    rules = {
        name: HostRule(host.gap, host.mine, host.connections, robots_ignored=host.robots == "ignore")
        for name, host in settings.hosts.items()
    }
    return MappingProxyType({name: rule for name, rule in rules.items() if rule != HostRule()})


def host_requests(settings: Settings, environment: Mapping[str, str] | None = None) -> Mapping[str, HostRequest]:
    """What is special about requests to single hosts. Raises UserError for a secret or a file that is not there."""
    known = os.environ if environment is None else environment
    found = {name: _request(name, host, known) for name, host in settings.hosts.items()}
    return MappingProxyType({name: request for name, request in found.items() if request != HostRequest()})


def check_hosts(settings: Settings, *, starting: bool) -> None:
    """Raise UserError for the first thing that does not hold. `starting`: secrets are needed now, and must be there."""
    for name, host in settings.hosts.items():
        for rule in RULES:
            rule(name, host, settings)
        _cookies(name, host)
    if starting:
        host_requests(settings)


def _mine(name: str, host: HostSettings, settings: Settings) -> None:
    further = {"connections": host.connections > 1, "robots": host.robots == "ignore"}
    if not host.mine:
        for key in (key for key, goes_further in further.items() if goes_further):
            raise _wrong(name, key, settings, "is only for a host of your own", "mine = true")
    if host.connections > limits.HOST_CONNECTIONS_MAX:
        message = f"hosts.{name}.connections is {host.connections}; at most {limits.HOST_CONNECTIONS_MAX} are possible"
        raise UserError(message)


def _gap(name: str, host: HostSettings, settings: Settings) -> None:
    short = host.gap is not None and host.gap < limits.GAP_PUBLIC_MIN_SECONDS
    if short and not host.mine and not settings.network.allow_address:
        words = f"of less than {limits.GAP_PUBLIC_MIN_SECONDS:g}s is only for a host of your own, or --allow-address"
        raise _wrong(name, "gap", settings, words, "mine = true")


def _proxy(name: str, host: HostSettings, settings: Settings) -> None:
    if host.proxy is None:
        for key in ("proxy_resolves", "proxy_auth"):
            if getattr(host, key):
                raise _wrong(name, key, settings, "says something of a proxy, but there is none", "proxy = ...")
        return
    if host.proxy.startswith(RESOLVING_SCHEME) and not host.proxy_resolves:
        words = "lets the proxy resolve names, so nobody checks which address it connects to"
        raise _wrong(name, "proxy", settings, words, "proxy_resolves = true, or use socks5://")
    if host.proxy.startswith(LOCAL_SCHEME) and host.proxy_resolves:
        words = "does not go with socks5://, which is told addresses"
        raise _wrong(name, "proxy_resolves", settings, words, 'proxy = "socks5h://..." for that')


RULES: Final[tuple[Callable[[str, HostSettings, Settings], None], ...]] = (_mine, _gap, _proxy)


def _wrong(name: str, key: str, settings: Settings, words: str, remedy: str) -> UserError:
    full = f"hosts.{name}.{key}"
    return UserError(f"{full} {words} (from {settings.sources[full].words})", f'below [hosts."{name}"] write {remedy}')


def _request(name: str, host: HostSettings, environment: Mapping[str, str]) -> HostRequest:
    secrets = [_from_environment(name, field, environment) for field in host.headers if _is_secret(field)]
    if host.auth is not None:
        secrets.append((AUTHORIZATION, _authorization(name, host.auth, environment)))
    return HostRequest(
        fields=tuple(field for field in host.headers if not _is_secret(field)),
        secret_fields=tuple(secrets),
        agent_suffix=host.user_agent_suffix or "",
        keeps_cookies=bool(host.cookies),
        cookies=_cookies(name, host),
        proxy=_made_proxy(name, host, environment),
        mine=host.mine,
    )


def _is_secret(field: Field) -> bool:
    return field[1].startswith(FROM_ENVIRONMENT)


def _from_environment(name: str, field: Field, environment: Mapping[str, str]) -> Field:
    variable = field[1].removeprefix(FROM_ENVIRONMENT)
    return field[0], _secret(f"hosts.{name}.headers", variable, environment)


def _authorization(name: str, auth: Auth, environment: Mapping[str, str]) -> str:
    key = f"hosts.{name}.auth"
    secret = _secret(key, auth.variable, environment)
    if auth.scheme == "bearer":
        return f"Bearer {secret}"
    _expect_login(key, auth.variable, secret)
    return basic_credentials(secret)


def _made_proxy(name: str, host: HostSettings, environment: Mapping[str, str]) -> Proxy | None:
    if host.proxy is None:
        return None
    login = ""
    if host.proxy_auth is not None:
        key = f"hosts.{name}.proxy_auth"
        login = _secret(key, host.proxy_auth, environment)
        _expect_login(key, host.proxy_auth, login)
    return Proxy(host.proxy, resolves=host.proxy_resolves, login=login)


def _secret(key: str, variable: str, environment: Mapping[str, str]) -> str:
    secret = environment.get(variable, "").strip()
    if not secret:
        raise UserError(f"{key} needs the environment variable {variable}, which is not set", f"export {variable}=...")
    if not is_sendable(secret):
        raise UserError(f"{key}: the environment variable {variable} holds what cannot stand in a header")
    return secret


def _expect_login(key: str, variable: str, secret: str) -> None:
    user, colon, _ = secret.partition(":")
    if not user or not colon:
        raise UserError(f"{key}: the environment variable {variable} does not hold user:password")


def _cookies(name: str, host: HostSettings) -> tuple[JarCookie, ...]:
    """What the jar begins with. Raises UserError."""
    if isinstance(host.cookies, bool):
        return ()
    key = f"hosts.{name}.cookies"
    text = read_text_file(host.cookies, key).decode("utf-8", "replace")
    found, problems = read_netscape(text, name)
    if problems:
        raise UserError(f"{key}: {host.cookies}, {problems[0]}")
    return tuple(found)
