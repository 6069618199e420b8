"""Host names as the domain name system takes them (RFC 1035 section 2.3.4)."""

from __future__ import annotations


def dns_name(text: str) -> str:
    """`text` in lower case without final dot, or an empty string when no name server can be asked for it."""
    name = text.strip().lower().removesuffix(".")
    fits = 0 < len(name) <= 253 and all(0 < len(label) <= 63 for label in name.split("."))
    return name if fits and name.isascii() and name.isprintable() and " " not in name else ""
