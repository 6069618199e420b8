"""Domain to ASCII, as the URL standard asks for it (section 3.3): UTS 46 by today's Unicode tables.

The URL parser brings tables of its own, older ones, and does not look at directions; so hosts with characters outside
ASCII come here. They are few, so speed matters little.

Python's own character data is older still. Of characters newer than it, normalisation and direction are not known;
they are taken as they stand, and as not written from right to left.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import idna

_FORBIDDEN: Final = re.compile(r"[\x00-\x20#%/:<>?@\[\\\]^|\x7f]")
"""Forbidden domain code points (URL standard, section 3.1): no name that has one is a host."""
_RIGHT_TO_LEFT: Final = frozenset(("R", "AL", "AN"))
_PREFIX: Final = "xn--"


def domain_to_ascii(domain: str) -> str | None:
    """The ASCII spelling of a domain name, lower case; None where the standard says failure. Never raises.

    A name of ASCII alone is only lowered: its labels, `xn--` ones too, are taken as they stand.
    """
    ascii_name = domain.lower() if domain.isascii() else _mapped(domain)
    return None if ascii_name is None or _FORBIDDEN.search(ascii_name) else ascii_name


def _mapped(domain: str) -> str | None:
    """UTS 46 section 4, not transitional, without the checks that the URL standard switches off."""
    try:
        labels = [_decoded(label) for label in idna.uts46_remap(domain, std3_rules=False).split(".")]
        if any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for label in labels for character in label):
            for label in filter(None, labels):
                idna.check_bidi(label, check_ltr=True)
    except UnicodeError:
        return None
    return ".".join(
        label if label.isascii() else _PREFIX + label.encode("punycode").decode("ascii") for label in labels
    )


def _decoded(label: str) -> str:
    """A mapped label, out of its Punycode, once it is found valid (UTS 46 section 4.1). Raises UnicodeError."""
    if label.startswith(_PREFIX):
        label = label[len(_PREFIX) :].encode("ascii").decode("punycode")
        # What mapping would still change holds a character that is not valid, or is not in form C.
        if label.isascii() or label.startswith(_PREFIX) or idna.uts46_remap(label, std3_rules=False) != label:
            raise UnicodeError(label)
    idna.check_initial_combiner(label)
    if not all(_joins(label, place) for place, character in enumerate(label) if character in "\u200c\u200d"):
        raise UnicodeError(label)
    return label


def _joins(label: str, place: int) -> bool:
    try:
        return idna.valid_contextj(label, place)
    except ValueError:  # beside a character that Python has no data of
        return False
