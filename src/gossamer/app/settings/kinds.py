"""The kinds of values a setting can have: how each is read from TOML or text, and how it is written back.

A kind's `read` takes what TOML gives (text, number, truth value, array) or the text of a flag, of the environment or of
`--set`, and raises ValueError when it is not such a value. `write` gives a TOML value that `read` takes again.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeVar, cast

import msgspec
import re2

from gossamer.core.disk_guard import Threshold
from gossamer.core.facts import Topic
from gossamer.core.http.request import is_sendable, user_agent
from gossamer.core.preference.purpose import Purpose
from gossamer.core.url.parse import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

T = TypeVar("T")

SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
BYTES: Final = {
    "": 1,
    "b": 1,
    "k": 1000,
    "kb": 1000,
    "mb": 1000**2,
    "m": 1000**2,
    "gb": 1000**3,
    "g": 1000**3,
    "tb": 1000**4,
    "kib": 1024,
    "mib": 1024**2,
    "gib": 1024**3,
    "tib": 1024**4,
}
LOOPBACK: Final = "127.0.0.1"
TRUTH: Final = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
AUTO: Final = "auto"
NONE: Final = "none"
"""The written form of "no such value"."""

NUMBER_MAX: Final = 1e300
"""A greater number is a slip of the pen, or infinite."""
NUMBER_AND_UNIT: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)\s*", re.ASCII)

MAIL: Final = re.compile(r"[^\s@<>,;:\"]+@(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]{2,}\.?", re.ASCII)

TOML_ARRAY: Final = re.compile(r"\[\s*(?:\]|\".*\"\s*,?\s*\]|'.*'\s*,?\s*\])\Z", re.DOTALL)
"""What is read as an array rather than as one text: patterns such as [a-z] begin with a bracket, too."""


class WrongValueError(ValueError):
    """A wrong value that is explained better than by the name of its kind: `words` complete "KEY ..."."""

    def __init__(self, words: str, hint: str) -> None:
        super().__init__(words)
        self.words = words
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """A kind of value. `name` completes "wants ..."."""

    name: str
    read: Callable[[object], T]
    write: Callable[[T], object] = lambda value: value
    many: bool = False
    """A list: text may be a TOML array, and a flag may be repeated."""
    flag_only: bool = False
    """A truth value: its flag takes no value."""
    path: bool = False
    """A path: relative ones count from the folder of the file that names them."""
    quiet: bool = False
    """Not repeated when it is wrong: somebody may have written a secret there."""


def _number(value: object) -> float:
    if isinstance(value, bool):
        raise TypeError
    if not isinstance(value, int | float):
        raise TypeError
    # A comparison, for float() of an integer of 400 digits raises; and of what is no number it is false.
    if not abs(value) <= NUMBER_MAX:
        raise ValueError(value)
    return float(value)


def read_duration(value: object) -> float:
    """Seconds from a number of seconds, or text such as "90s", "15m", "6h", "2d", "1h30m"."""
    if not isinstance(value, str):
        seconds = _number(value)
    else:
        text = value.strip()
        parts = re.findall(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|[smhdw])", text, re.ASCII)
        if parts and re.fullmatch(r"(?:[0-9]+(?:\.[0-9]+)?\s*(?:ms|[smhdw])\s*)+", text, re.ASCII):
            seconds = sum(float(count) * SECONDS[unit] for count, unit in parts)
        else:
            seconds = _plain(text)
    if not 0 <= seconds < float("inf"):
        raise ValueError(value)
    return seconds


def _plain(text: str) -> float:
    if not re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text, re.ASCII):
        raise ValueError(text)
    return float(text)


def write_duration(seconds: float) -> object:
    """The shortest exact form: 600.0 -> "10m"."""
    for unit in ("d", "h", "m", "s"):
        count = seconds / SECONDS[unit]
        if count >= 1 and count == int(count):
            return f"{int(count)}{unit}"
    return f"{seconds!r}s".replace(".0s", "s")


def read_size(value: object) -> int:
    """Bytes from a number of bytes, or text such as "10MiB", "500kB", "1GB"."""
    if not isinstance(value, str):
        return read_count(value)
    found = NUMBER_AND_UNIT.fullmatch(value)
    if found is None or found[2].lower() not in BYTES:
        raise ValueError(value)
    return int(_number(float(found[1]) * BYTES[found[2].lower()]))


def write_size(count: int) -> object:
    """The shortest exact form: 10485760 -> "10MiB"."""
    for unit in ("TiB", "GiB", "MiB", "KiB", "GB", "MB"):
        size = BYTES[unit.lower()]
        if count >= size and count % size == 0:
            return f"{count // size}{unit}"
    return count


def read_count(value: object) -> int:
    """A whole number, 0 or more; text may group digits with "_" or ","."""
    if isinstance(value, str):
        text = value.strip().replace("_", "").replace(",", "")
        if not re.fullmatch(r"[0-9]{1,18}", text, re.ASCII):
            raise ValueError(value)
        return int(text)
    number = _number(value)
    if number < 0 or number != int(number):
        raise ValueError(value)
    return int(number)


def read_positive(value: object) -> int:
    """A whole number, 1 or more."""
    count = read_count(value)
    if count < 1:
        raise ValueError(value)
    return count


def read_number(value: object) -> float:
    """A number of 0 or more."""
    number = _plain(value.strip()) if isinstance(value, str) else _number(value)
    if not 0 <= number <= NUMBER_MAX:
        raise ValueError(value)
    return number


def read_share(value: object) -> float:
    """A number above 0 and up to 1."""
    share = read_number(value)
    if not 0 < share <= 1:
        raise ValueError(value)
    return share


def read_truth(value: object) -> bool:
    """A truth value; text may be true, yes, on, 1 and their opposites."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in TRUTH:
        return TRUTH[value.strip().lower()]
    raise ValueError(value)


def read_text(value: object) -> str:
    """Text of one line, as people type it."""
    if not isinstance(value, str) or not value.strip() or not _one_line(value):
        raise ValueError(value)
    return value.strip()


def _one_line(text: str) -> bool:
    """Whether no control character or lone surrogate is in it: TOML and terminals could not show those."""
    return not any(
        ord(character) < 32 or 0x7F <= ord(character) < 0xA0 or 0xD800 <= ord(character) < 0xE000 for character in text
    )


def read_address(value: object) -> str:
    """An IPv4 or IPv6 address."""
    return str(ipaddress.ip_address(read_text(value)))


def read_network(value: object) -> str:
    """An address range in CIDR form; a single address is a range of one."""
    return str(ipaddress.ip_network(read_text(value), strict=False))


def read_nameserver(value: object) -> str:
    """An address, or address:port ([address]:port for IPv6)."""
    text = read_text(value)
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):([0-9]{1,5})", text, re.ASCII)
    if found is None:
        return read_address(text)
    address = ipaddress.ip_address(found[1] or found[2])
    if not 0 < int(found[3]) < 65536:
        raise ValueError(text)
    return f"[{address}]:{found[3]}" if address.version == 6 else f"{address}:{found[3]}"


def read_listen(value: object) -> str:
    """Where to listen, as address:port ([address]:port for IPv6); a port alone, or with a colon, is of loopback."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    text = read_text(value)
    if re.fullmatch(r":?[0-9]{1,5}", text, re.ASCII):
        text = f"{LOOPBACK}:{text.removeprefix(':')}"
    if text.startswith("localhost:"):
        text = LOOPBACK + text.removeprefix("localhost")
    place = read_nameserver(text)
    if not re.fullmatch(r"(?:\[[0-9a-f:.]+\]|[0-9.]+):[0-9]+", place, re.ASCII):
        raise ValueError(value)
    return place


def read_room(value: object) -> Threshold:
    """Room on a disk: a size, a share such as 5%, or two of them with "or" between, the smaller of which counts."""
    if not isinstance(value, str):
        return Threshold(read_size(value))
    size: int | None = None
    share: float | None = None
    for part in re.split(r"\s+or\s+", value.strip()):
        found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*%", part, re.ASCII)
        if found is None and size is None:
            size = read_size(part)
        elif found is not None and share is None and float(found[1]) < 100:
            share = float(found[1]) / 100
        else:
            raise ValueError(value)
    return Threshold(size, share)


def write_room(room: Threshold) -> object:
    """The form that `read_room` takes: "2GiB or 5%"."""
    parts = [str(write_size(room.bytes))] if room.bytes is not None else []
    if room.share is not None:
        parts.append(f"{room.share * 100:g}%")
    return " or ".join(parts)


def read_resolve(value: object) -> str:
    """HOST=ADDRESS."""
    host, equals, address = read_text(value).partition("=")
    if not equals or not re.fullmatch(r"[A-Za-z0-9._-]+", host.strip(), re.ASCII):
        raise ValueError(value)
    return f"{host.strip().lower().rstrip('.')}={read_address(address)}"


PATTERN_HINT: Final = "patterns are RE2 syntax: no look-around, no back-references"


def read_pattern(value: object) -> str:
    """A regular expression of the linear-time engine RE2."""
    text = read_text(value)
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(text, options)
    except re2.error as error:
        said = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        raise WrongValueError(f"has a pattern that RE2 cannot read, {text!r}: {said}", PATTERN_HINT) from error
    return text


def read_extension(value: object) -> str:
    """A file name extension, without its dot, in lower case."""
    text = read_text(value).lower().removeprefix(".")
    if not re.fullmatch(r"[a-z0-9_+.-]+", text, re.ASCII):
        raise ValueError(value)
    return text


def read_media(value: object) -> str:
    """A media type, or one of the words html and any."""
    text = read_text(value).lower()
    if text not in {"html", "any"} and not re.fullmatch(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+", text, re.ASCII):
        raise ValueError(value)
    return text


def read_purpose(value: object) -> str:
    """A purpose of the crawl."""
    return Purpose(read_text(value).lower()).value


def read_contact(value: object) -> str:
    """A mail or web address that can stand in the User-Agent header: whoever reads it there must be able to use it."""
    text = read_text(value)
    user_agent("", text)
    if not MAIL.fullmatch(text.removeprefix("mailto:")) and (" " in text or parse(text) is None):
        raise ValueError(value)
    return text


def read_field(value: object) -> str:
    """A header field's value (RFC 9110 section 5.5)."""
    text = read_text(value)
    if not is_sendable(text):
        raise ValueError(value)
    return text


def read_workers(value: object) -> int:
    """A number of workers; 0 stands for one on each core."""
    if isinstance(value, str) and value.strip().lower() == AUTO:
        return 0
    return read_positive(value)


def optional(kind: Kind[T]) -> Kind[T | None]:
    """That kind, or no value: the word "none"."""

    def read(value: object) -> T | None:
        if value is None or (isinstance(value, str) and value.strip().lower() == NONE):
            return None
        return kind.read(value)

    def write(value: T | None) -> object:
        return NONE if value is None else kind.write(value)

    return Kind(f"{kind.name}, or {NONE}", read, write, path=kind.path, quiet=kind.quiet)


def many(
    name: str, read_one: Callable[[object], str], *, commas: bool = True, path: bool = False
) -> Kind[tuple[str, ...]]:
    """A list of such texts. In a flag or variable: a TOML array, or items between commas unless `commas` is false."""

    def read(value: object) -> tuple[str, ...]:
        return tuple(dict.fromkeys(read_one(item) for item in _items(value, commas=commas)))

    return Kind(name, read, list, many=True, path=path)


def _items(value: object, *, commas: bool) -> Iterable[object]:
    if isinstance(value, dict):
        return [f"{key}={item}" for key, item in cast("dict[str, object]", value).items()]
    if not isinstance(value, str):
        if not isinstance(value, list | tuple):
            raise TypeError
        return cast("Iterable[object]", value)
    text = value.strip()
    if TOML_ARRAY.match(text):
        return cast("list[object]", tomllib.loads(f"items = {text}")["items"])
    if not text or text.lower() == NONE:
        return []
    return [part for part in text.split(",") if part.strip()] if commas else [text]


def choice(*words: str) -> Kind[str]:
    """One of these words."""

    def read(value: object) -> str:
        if not isinstance(value, str) or value.strip().lower() not in words:
            raise ValueError(value)
        return value.strip().lower()

    return Kind("one of " + ", ".join(words), read)


def toml_value(value: object) -> str:
    """A value as TOML writes it, on one line."""
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return "{ " + ", ".join(f"{name} = {toml_value(item)}" for name, item in table.items()) + " }"
    if isinstance(value, list) and any(isinstance(item, dict) for item in cast("list[object]", value)):
        return "[" + ", ".join(map(toml_value, cast("list[object]", value))) + "]"
    return msgspec.json.encode(value).decode() if not isinstance(value, bool) else str(value).lower()


DURATION: Final = Kind("a duration such as 90s, 15m, 6h or 2d", read_duration, write_duration)
SIZE: Final = Kind("a size such as 500kB or 10MiB", read_size, write_size)
COUNT: Final = Kind("a whole number, 0 or more", read_count)
POSITIVE: Final = Kind("a whole number, 1 or more", read_positive)
WORKERS: Final = Kind(f"a whole number, 1 or more, or {AUTO}", read_workers, lambda value: value or AUTO)
NUMBER: Final = Kind("a number, 0 or more", read_number)
SHARE: Final = Kind("a number above 0, at most 1", read_share)
BOOL: Final = Kind("true or false", read_truth, flag_only=True)
TEXT: Final = Kind("a line of text", read_text)
CONTACT: Final = Kind("a mail address or an http(s) URL", read_contact)
FIELD: Final = Kind("text that can stand in a header", read_field)
PATH: Final = Kind("a path", lambda value: str(Path(read_text(value)).expanduser()), path=True)
TEXTS: Final = many("a list of texts", read_text)
PATHS: Final = many("a list of paths", read_text, commas=False, path=True)
URLS: Final = many("a list of URLs", read_text, commas=False)
PATTERNS: Final = many("a list of RE2 patterns", read_pattern, commas=False)
SOURCES: Final = many("a list of links, sitemaps, feeds", choice("links", "sitemaps", "feeds").read)
EXTENSIONS: Final = many("a list of file name extensions", read_extension)
MEDIA: Final = many('"html", "any" or a list of media types', read_media)
NETWORKS: Final = many("a list of address ranges such as 127.0.0.0/8", read_network)
NAMESERVERS: Final = many("a list of addresses, each with a port if it is not 53", read_nameserver)
RESOLVES: Final = many("a list of HOST=ADDRESS", read_resolve)
LISTEN: Final = Kind("a port of loopback, or ADDRESS:PORT", read_listen)
ROOM: Final = Kind('a size such as 2GiB, a share such as 5%, or "2GiB or 5%" for the smaller', read_room, write_room)
PURPOSES: Final = many("a list of " + ", ".join(Purpose), read_purpose)
TOPICS: Final = many("a list of " + ", ".join(Topic), lambda value: Topic(read_text(value)).value)
