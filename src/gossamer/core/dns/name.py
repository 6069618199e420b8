"""Host names as the domain name system takes them (RFC 1035 section 2.3.4)."""

from __future__ import annotations

import re
from typing import Final

_NAME_MAX: Final = 253
_USUAL: Final = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*+")
"""Names that are spelt as they are asked for: nearly all."""


def dns_name(text: str) -> str:
    """`text` in lower case without final dot, or an empty string when no name server can be asked for it."""
    if len(text) <= _NAME_MAX and _USUAL.fullmatch(text) is not None:
        return text
    name = text.strip().lower().removesuffix(".")
    fits = 0 < len(name) <= _NAME_MAX and all(0 < len(label) <= 63 for label in name.split("."))
    return name if fits and name.isascii() and name.isprintable() and " " not in name else ""
