"""The settings in force as TOML, each with its source and meaning as a comment: what `--show-settings` prints.

What it prints is a settings file: `gossamer crawl --config` takes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from gossamer.app.settings.host_settings import HostSettings, keys_of, trait_of
from gossamer.app.settings.kinds import toml_value
from gossamer.app.settings.layers import DEFAULT, written
from gossamer.app.settings.tree import SECTIONS, TRAITS

if TYPE_CHECKING:
    from gossamer.app.settings.layers import Settings

HEAD: Final = """\
# The settings in force; behind each stands where it came from and what it sets.
# Save this to change it: gossamer crawl --config FILE
"""


def settings_toml(settings: Settings) -> str:
    """Every key, section by section. Seeds given as arguments are among them; a secret never is."""
    parts = [HEAD]
    for section, kind in SECTIONS.items():
        keys = [key for key in TRAITS if key.startswith(f"{section}.")]
        if keys:
            about = " ".join((kind.__doc__ or "").split())
            lines = [_line(key, settings) for key in keys]
            parts.append("\n".join([f"# {about}", f"[{section}]", *lines]) + "\n")
    for name in settings.hosts:
        about = " ".join((HostSettings.__doc__ or "").split())
        lines = [_line(key, settings) for key in keys_of(name, settings.values)]
        parts.append("\n".join([f"# {about}", f'[hosts."{name}"]', *lines]) + "\n")
    return "\n".join(parts)


def _line(key: str, settings: Settings) -> str:
    value = toml_value(written(key, settings.values[key]))
    source = settings.sources[key]
    words = source.words if source != DEFAULT else "default"
    shown = "".join(character if character.isprintable() else "?" for character in " ".join(words.split()))
    return f"{key.rpartition('.')[2]} = {value}  # {shown}; {trait_of(key).meaning}"
