"""The kinds of values that settings of one host have beside the usual ones. None of them holds a secret.

Where a secret is needed the setting names an environment variable that holds it. Names of variables are capitals, so
that a secret written in their place is hardly ever taken for one; and no message repeats what was written.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from gossamer.app.settings.kinds import Kind, WrongValueError, read_text, read_truth
from gossamer.core.http.request import is_sendable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]{0,63}", re.ASCII)
FIELD_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
FROM_ENVIRONMENT: Final = "env:"
"""Begins a field's value that an environment variable holds."""
SCHEMES: Final = ("basic", "bearer")
PROXY: Final = re.compile(
    r"(http|socks5|socks5h)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?):([0-9]{1,5})/?",
    re.ASCII | re.IGNORECASE,
)
NOT_AS_FIELD: Final = {
    "authorization": "auth",
    "cookie": "cookies",
    "proxy-authorization": "proxy_auth",
    "user-agent": "user_agent_suffix",
}
"""Fields that have a setting of their own."""
SET_BY_US: Final = frozenset(
    (
        *("host", "content-length", "transfer-encoding", "connection", "expect", "te", "upgrade", "trailer"),
        *("accept-encoding", "range", "if-range", "if-match", "if-none-match"),
        *("if-modified-since", "if-unmodified-since", "proxy-connection"),
    )
)
"""Fields that frame the exchange, or that say what the crawler can read."""
SECRET_FIELD: Final = re.compile(r"auth(?!or)|token|secret|passw|session|api-?key", re.IGNORECASE)
"""Names of fields whose value is a secret more often than not."""


class Auth(NamedTuple):
    """How a host is logged in to; the environment variable `variable` holds "user:password", or the token."""

    scheme: str
    variable: str


def read_variable(value: object) -> str:
    """The name of an environment variable."""
    if not isinstance(value, str) or not VARIABLE.fullmatch(value.strip()):
        raise WrongValueError("wants the name of an environment variable in capitals, not a secret", AUTH_HINT)
    return value.strip()


def read_auth(value: object) -> Auth:
    """The text "basic VARIABLE" or "bearer VARIABLE", or a table with one of these: { bearer = "VARIABLE" }."""
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        scheme, variable = next(iter(table.items())) if len(table) == 1 else ("", "")
    else:
        scheme, _, variable = read_text(value).partition(" ")
    if str(scheme).lower() not in SCHEMES:
        raise WrongValueError('wants "basic VARIABLE" or "bearer VARIABLE", and no secret', AUTH_HINT)
    return Auth(str(scheme).lower(), read_variable(variable))


def read_fields(value: object) -> tuple[tuple[str, str], ...]:
    """A table of fields, its text, or a list of "Name: value"."""
    if isinstance(value, str):
        text = value.strip()
        if not text.startswith(("{", "[")):
            return _fields(_split(text))
        try:
            value = tomllib.loads(f"fields = {text}")["fields"]
        except tomllib.TOMLDecodeError as error:
            raise WrongValueError("wants a table of fields", FIELDS_HINT) from error
    if isinstance(value, list | tuple):
        return _fields(pair for item in cast("Iterable[object]", value) for pair in _split(read_text(item)))
    if not isinstance(value, dict):
        raise WrongValueError("wants a table of fields", FIELDS_HINT)
    return _fields(cast("Mapping[str, object]", value).items())


def _split(text: str) -> list[tuple[str, object]]:
    name, colon, content = text.partition(":")
    if not colon:
        raise WrongValueError("wants fields as Name: value", FIELDS_HINT)
    return [(name.strip(), content.strip())]


def _fields(pairs: Iterable[tuple[str, object]]) -> tuple[tuple[str, str], ...]:
    found: dict[str, tuple[str, str]] = {}
    for name, content in pairs:
        if not FIELD_NAME.fullmatch(name):
            raise WrongValueError(f"holds {name[:100]!r}, which is no field's name", FIELDS_HINT)
        found[name.lower()] = (name, _content(name, content))
    return tuple(found.values())


def _content(name: str, content: object) -> str:
    if name.lower() in NOT_AS_FIELD:
        raise WrongValueError(f"may not hold {name}", f"use the setting {NOT_AS_FIELD[name.lower()]} of the same host")
    if name.lower() in SET_BY_US:
        raise WrongValueError(f"may not hold {name}, which the crawler sets itself", "leave it out")
    if not isinstance(content, str) or not is_sendable(content.strip()):
        raise WrongValueError(f"holds a value of {name} that no field can have", FIELDS_HINT)
    text = content.strip()
    if text.startswith(FROM_ENVIRONMENT):
        return FROM_ENVIRONMENT + read_variable(text.removeprefix(FROM_ENVIRONMENT))
    if SECRET_FIELD.search(name):
        hint = f'put it into an environment variable and name that: "{name}" = "{FROM_ENVIRONMENT}VARIABLE"'
        raise WrongValueError(f"holds {name}, whose value is a secret and is not written here", hint)
    return text


def read_cookies(value: object) -> bool | str:
    """Whether cookies are kept, or the path of a Netscape cookie file to begin with."""
    try:
        return read_truth(value)
    except ValueError:
        return str(Path(read_text(value)).expanduser())


def read_proxy(value: object) -> str:
    """A proxy as scheme://host:port, without user and password."""
    text = read_text(value)
    if "@" in text:
        raise WrongValueError(
            "holds a user and a password, which are not written here",
            'put "user:password" into an environment variable and name that: proxy_auth = "VARIABLE"',
        )
    found = PROXY.fullmatch(text)
    if found is None or not 0 < int(found[4]) < 65536:
        raise WrongValueError("wants http://HOST:PORT, socks5://HOST:PORT or socks5h://HOST:PORT", "a port is needed")
    return f"{found[1].lower()}://{found[2].lower()}:{int(found[4])}"


AUTH_HINT: Final = 'put the secret into an environment variable and name that: auth = "bearer MY_TOKEN"'
FIELDS_HINT: Final = 'for example headers = { "Accept-Language" = "de" }'

AUTH: Final = Kind(
    '"basic VARIABLE" or "bearer VARIABLE", the variable holding user:password or the token',
    read_auth,
    " ".join,
    quiet=True,
)
VARIABLE_NAME: Final = Kind("the name of an environment variable", read_variable, quiet=True)
FIELDS: Final = Kind(
    'a table of fields; "env:VARIABLE" stands for a secret value',
    read_fields,
    lambda fields: [f"{name}: {value}" for name, value in fields],
    quiet=True,
)
COOKIES: Final = Kind("true, false or the path of a Netscape cookie file", read_cookies, path=True)
PROXY_URL: Final = Kind("http://, socks5:// or socks5h:// with host and port", read_proxy, quiet=True)
