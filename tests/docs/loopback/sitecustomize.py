"""Read by Python at its start where pages run programs of theirs: the names of the pages lead to loopback.

A program that uses Gossamer takes no settings from the environment, so the defaults change in its place.
"""

from __future__ import annotations

import json
import os

if "LOOPBACK_DEFAULTS" in os.environ:
    from gossamer.app.settings.tree import DEFAULTS

    for key, value in json.loads(os.environ["LOOPBACK_DEFAULTS"]).items():
        DEFAULTS[key] = tuple(value) if isinstance(value, list) else value
