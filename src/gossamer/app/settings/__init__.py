"""Settings: a typed, frozen tree from defaults, a TOML file, the environment, flags and `--set`, in rising order."""

from gossamer.app.settings.checks import check
from gossamer.app.settings.layers import Changed, Given, Settings, Source, SourceKind, load, reload
from gossamer.app.settings.tree import Change

__all__ = ["Change", "Changed", "Given", "Settings", "Source", "SourceKind", "check", "load", "reload"]
