"""Live settings: changed while a crawl runs, or for its next run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.app.errors import UserError
from gossamer.app.settings.checks import check
from gossamer.app.settings.host_settings import is_host_key, split_key, trait_of
from gossamer.app.settings.layers import Changed, Given, Settings, reload
from gossamer.app.settings.tree import TRAITS, Change

if TYPE_CHECKING:
    from collections.abc import Iterable


def changed_settings(settings: Settings, sets: Iterable[str]) -> tuple[Settings, list[Changed]]:
    """The settings with some live ones set anew ("KEY=VALUE" each), checked. Raises UserError."""
    values: list[tuple[str, object, str]] = []
    for text in sets:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise UserError(f"set wants KEY=VALUE, not {text!r}", "for example crawl.max_pages=500")
        key = split_key(key, "gossamer set") if is_host_key(key) else key
        if (key in TRAITS or is_host_key(key)) and trait_of(key).change is not Change.LIVE:
            raise _not_live(key)
        values.append((key, value, "gossamer set"))
    new, changes = reload(settings, Given(values=values))
    check(new, starting=False)
    return new, changes


def _not_live(key: str) -> UserError:
    if trait_of(key).change is Change.FIXED or not trait_of(key).kept:
        return UserError(f"{key} is fixed: it was set when the crawl was made", "start a new crawl for another value")
    hint = f"stop the crawl, then: gossamer resume DIR --set {key}=VALUE"
    return UserError(f"{key} cannot be changed while a crawl runs", hint)
