"""The settings of single hosts: `hosts.NAME.KEY`, in TOML the tables `[hosts."NAME"]`.

NAME is one host, with all its dots; KEY is what follows the last dot. Names are spelled as URLs spell hosts (lower
case, IDNA), so every spelling of a host is the same table. Nothing here is a secret: see `host_kinds`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, cast

from gossamer.app.errors import UserError
from gossamer.app.nearest import nearest
from gossamer.app.orders import host_name
from gossamer.app.settings import host_kinds, kinds
from gossamer.app.settings.host_kinds import Auth
from gossamer.app.settings.tree import DEFAULTS, TRAITS, Change, Trait, setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SECTION: Final = "hosts"


@dataclass(frozen=True, slots=True)
class HostSettings:
    """What is set for one host. A host is all its ports and both schemes."""

    mine: bool = setting(False, kinds.BOOL, "it is your own host: lets other settings go further")  # noqa: FBT003
    gap: float | None = setting(
        None,
        kinds.optional(kinds.DURATION),
        "least time between exchanges with it, instead of politeness.gap; under 1s only with mine",
        Change.LIVE,
    )
    connections: int = setting(1, kinds.POSITIVE, "its fetches at once; more than 1 only with mine", Change.LIVE)
    robots: str = setting(
        "obey", kinds.choice("obey", "ignore"), "whether its robots.txt is obeyed, or not even fetched; only with mine"
    )
    headers: tuple[tuple[str, str], ...] = setting((), host_kinds.FIELDS, "fields added to every request")
    user_agent_suffix: str | None = setting(None, kinds.optional(kinds.FIELD), "text at the end of User-Agent")
    auth: Auth | None = setting(  # noqa: RUF009 - a field with its trait, as everywhere here
        None, kinds.optional(host_kinds.AUTH), "how to log in; the secret is in the variable"
    )
    cookies: bool | str = setting(
        False,  # noqa: FBT003 - a default
        host_kinds.COOKIES,
        "whether its cookies are kept during the run and sent back to it; a file is what to begin with",
    )
    proxy: str | None = setting(None, kinds.optional(host_kinds.PROXY_URL), "proxy through which it is reached")
    proxy_resolves: bool = setting(
        False,  # noqa: FBT003 - a default
        kinds.BOOL,
        "the proxy resolves names, so the address that it connects to is not checked",
    )
    proxy_auth: str | None = setting(
        None, kinds.optional(host_kinds.VARIABLE_NAME), "variable with user:password for the proxy"
    )


HOST_TRAITS: Final = {item.name: cast("Trait", item.metadata["trait"]) for item in fields(HostSettings)}
"""KEY -> its trait."""
HOST_DEFAULTS: Final[dict[str, Any]] = {item.name: item.default for item in fields(HostSettings)}
SECRET_WORDS: Final = frozenset(
    {"password", "passwd", "token", "secret", "bearer", "basic", "user", "login", "api_key"}
)
"""Keys that somebody may try who wants to write a secret down."""
EXAMPLE: Final = '[hosts."www.example.org"], or --set hosts.www.example.org.gap=2'


def trait_of(key: str) -> Trait:
    """The trait of a setting's key, of one host or of all."""
    return HOST_TRAITS[key.rpartition(".")[2]] if is_host_key(key) else TRAITS[key]


def default_of(key: str) -> Any:
    """Its default."""
    return HOST_DEFAULTS[key.rpartition(".")[2]] if is_host_key(key) else DEFAULTS[key]


def is_host_key(key: str) -> bool:
    """Whether a key is of one host."""
    return key.startswith(SECTION + ".")


def host_key(name: str, key: str, words: str) -> str:
    """The key of a host's setting, the host spelled as URLs spell it. `words`: its source. Raises UserError."""
    if key not in HOST_TRAITS:
        raise _unknown(name, key, words)
    return f"{SECTION}.{_host(name, words)}.{key}"


def split_key(text: str, words: str) -> str:
    """The key that "hosts.NAME.KEY" means, NAME being all between the first and the last dot. Raises UserError."""
    name, _, key = text.removeprefix(SECTION + ".").rpartition(".")
    if not name:
        raise UserError(f"{text!r} names no host's setting (from {words})", f"write {EXAMPLE}")
    return host_key(name.strip("\"'"), key, words)


def table_entries(table: object, words: str) -> Iterator[tuple[str, object]]:
    """Key and raw value of each entry of a `hosts` table. Raises UserError."""
    if not isinstance(table, dict):
        raise UserError(f"hosts holds one table for each host (from {words})", f"write {EXAMPLE}")
    for name, settings in cast("dict[str, object]", table).items():
        if not isinstance(settings, dict):
            raise UserError(f"hosts.{name} is no table (from {words})", f"write {EXAMPLE}")
        for key, raw in cast("dict[str, object]", settings).items():
            if isinstance(raw, dict) and key not in HOST_TRAITS:
                hint = f'a name with dots is quoted: [hosts."{name}.{key}"]'
                raise UserError(f"hosts.{name} has no setting {key!r} (from {words})", hint)
            yield host_key(name, key, words), raw


def host_tables(values: Mapping[str, Any]) -> dict[str, HostSettings]:
    """Host -> its settings, from the values of all keys."""
    tables: dict[str, dict[str, Any]] = {}
    for key, value in values.items():
        if is_host_key(key):
            name, _, setting_name = key.removeprefix(SECTION + ".").rpartition(".")
            tables.setdefault(name, {})[setting_name] = value
    return {name: HostSettings(**table) for name, table in sorted(tables.items())}


def keys_of(name: str, values: Mapping[str, Any]) -> list[str]:
    """The keys that are set for a host, in the order of the settings."""
    return [key for each in HOST_TRAITS if (key := f"{SECTION}.{name}.{each}") in values]


def _host(name: str, words: str) -> str:
    if "*" in name:
        hint = "write a table for each host; politeness.gap and the like count for all"
        raise UserError(f"hosts.{name}: a table is for one host, and {name!r} is a pattern (from {words})", hint)
    try:
        return host_name(name)
    except UserError as error:
        raise UserError(f"hosts.{name}: {error.message} (from {words})", error.hint) from error


def _unknown(name: str, key: str, words: str) -> UserError:
    if key.lower() in SECRET_WORDS:
        message = f"hosts.{name} has no setting {key!r}, and no secret is written here (from {words})"
        return UserError(message, host_kinds.AUTH_HINT)
    found = nearest(key, HOST_TRAITS)
    hint = f"did you mean {found}?" if found else f"there are: {', '.join(HOST_TRAITS)}"
    return UserError(f"hosts.{name} has no setting {key!r} (from {words})", hint)
