"""Alias rules: what a host has taught about the spellings of its own URLs.

The key (`core.url.key`) folds only what is one page everywhere. Whether `/a` and `/a/` are one, or `http` and `https`,
is different from host to host, so it is learned: a *sample* is a pair of fetched URLs that differ in exactly one thing
and turned out to be one page (equal bodies, or the one redirects to the other for good). A rule comes into force after
enough samples that have nothing else in common (bodies of their own, so that one "not found" page said over and over
is one sample), and without a single pair that differed since the first that agreed.

A rule never decides alone: it only lets a URL be left alone whose other spelling *is known*. One in a few is fetched
all the same; the first pair that differs ends the rule for good, and what was left alone under it is fetched then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple

import msgspec

from gossamer.core.limits import (
    ALIAS_CHECKED_ONE_IN,
    ALIAS_PARAMETER_SAMPLES_MIN,
    ALIAS_PARAMETERS_MAX,
    ALIAS_RULES_MAX,
    ALIAS_SAMPLES_MIN,
    ALIAS_SPELLINGS_MAX,
)

INDEX_PAGES: Final = (
    "index.html",
    "index.htm",
    "index.php",
    "index.shtml",
    "index.jsp",
    "index.asp",
    "default.aspx",
    "default.htm",
)
"""Names that servers show for their folder; which of them, if any, is what the rule learns."""


class AliasKind(StrEnum):
    """In what two spellings differ. The words are stored and shown; never rename one."""

    SLASH = "final slash"
    INDEX = "index page"
    WWW = "www"
    SCHEME = "scheme"
    PARAMETER = "parameter"


ACROSS_AUTHORITIES: Final = frozenset({AliasKind.WWW, AliasKind.SCHEME})
"""Kinds whose spellings have different robots.txt files."""


class Standing(IntEnum):
    """What a rule is good for."""

    WATCHED = 0
    IN_FORCE = 1
    REFUTED = 2
    """A pair differed. It stays so."""


class Spelling(NamedTuple):
    """Another spelling of a URL, and in what it differs."""

    kind: AliasKind
    name: str
    """Of the index page or the parameter; else empty."""
    url: str


class AliasRule(msgspec.Struct, array_like=True):
    """One thing that may make no difference on a host, and what speaks for and against it."""

    kind: AliasKind
    name: str = ""
    standing: int = Standing.WATCHED
    agreed: int = 0
    """Samples with something of their own."""
    samples: list[bytes] = []
    """What they had of their own, shortened; while watched."""
    example: tuple[str, str] = ("", "")
    """The last pair that agreed."""
    against: tuple[str, str] = ("", "")
    """The pair that differed."""

    @property
    def is_in_force(self) -> bool:
        """Whether URLs are left alone by it."""
        return self.standing == Standing.IN_FORCE

    @property
    def words(self) -> str:
        """What it is about, for people."""
        return f"{self.kind} {self.name}".rstrip()


def spellings(key: str) -> list[Spelling]:
    """Every URL key that differs from `key` in one thing that a host may teach to be none."""
    start = key.index("/", 8)
    authority, (path, mark, query) = key[:start], key[start:].partition("?")
    behind = mark + query
    found: list[Spelling] = []
    if path != "/" and not path.endswith("//"):
        other = path[:-1] if path.endswith("/") else f"{path}/"
        found.append(Spelling(AliasKind.SLASH, "", f"{authority}{other}{behind}"))
    found += [
        Spelling(AliasKind.INDEX, name, f"{authority}{other}{behind}") for name, other in _without_or_with_index(path)
    ]
    found += [Spelling(kind, "", f"{other}{key[start:]}") for kind, other in _authorities(authority)]
    names = dict.fromkeys(_name(parameter) for parameter in query.split("&")) if query else {}
    found += [
        Spelling(AliasKind.PARAMETER, name, without_parameters(key, {name}))
        for name in list(names)[:ALIAS_PARAMETERS_MAX]
    ]
    return found


def between(one: str, other: str) -> Spelling | None:
    """In what two keys differ, as a spelling of the first; None where it is more than one thing, or none."""
    for spelling in spellings(one):
        if spelling.url == other:
            return spelling
    for spelling in spellings(other):
        if spelling.url == one:
            return Spelling(spelling.kind, spelling.name, other)
    return None


def watch(rules: list[AliasRule], kind: AliasKind, name: str) -> None:
    """A first pair says that this may make no difference: from now on such pairs are looked for."""
    if rule_for(rules, kind, name) is None and len(rules) < ALIAS_RULES_MAX:
        rules.append(AliasRule(kind, name))


def others(key: str, rules: Iterable[AliasRule]) -> list[tuple[str, bool]]:
    """The spellings that the rules in force call the same page; with each whether it has the same authority."""
    met: dict[str, bool] = {key: True}
    useless = {rule.name for rule in rules if rule.is_in_force and rule.kind == AliasKind.PARAMETER}
    bare = without_parameters(key, useless)
    met.setdefault(bare, True)
    for rule in rules:
        if rule.is_in_force and rule.kind != AliasKind.PARAMETER:
            near = rule.kind not in ACROSS_AUTHORITIES
            for url, is_near in list(met.items()):
                for spelling in spellings(url):
                    if (spelling.kind, spelling.name) == (rule.kind, rule.name):
                        met.setdefault(spelling.url, near and is_near)
    del met[key]
    return list(met.items())[:ALIAS_SPELLINGS_MAX]


def without_useless(key: str, rules: Iterable[AliasRule]) -> str:
    """The key without the parameters that make no difference: what stands for all of their values."""
    return without_parameters(key, {rule.name for rule in rules if rule.is_in_force and rule.kind == "parameter"})


def without_parameters(key: str, names: set[str]) -> str:
    """The key without these parameters."""
    if not names:
        return key
    base, _, query = key.partition("?")
    left = "&".join(parameter for parameter in query.split("&") if _name(parameter) not in names)
    return f"{base}?{left}" if left else base


def is_checked(fingerprint: bytes) -> bool:
    """Whether this URL is fetched although a rule would leave it alone, so that a rule that errs is found out."""
    return fingerprint[-1] % ALIAS_CHECKED_ONE_IN == 0


def rule_for(rules: Sequence[AliasRule], kind: AliasKind, name: str) -> AliasRule | None:
    """The rule about one thing, if there is one."""
    return next((rule for rule in rules if (rule.kind, rule.name) == (kind, name)), None)


def learn(rules: list[AliasRule], spelling: Spelling, url: str, own: bytes) -> AliasRule | None:
    """Take in a pair that was one page; the rule, if that brought it into force.

    `own` is what only this sample has: of its body, or of its URL for a redirect.
    """
    watch(rules, spelling.kind, spelling.name)
    rule = rule_for(rules, spelling.kind, spelling.name)
    if rule is None or rule.standing == Standing.REFUTED:
        return None
    rule.example = (url, spelling.url)
    if rule.is_in_force or own in rule.samples:
        rule.agreed += rule.is_in_force
        return None
    rule.samples = [*rule.samples, own]
    rule.agreed = len(rule.samples)
    least = ALIAS_PARAMETER_SAMPLES_MIN if rule.kind == AliasKind.PARAMETER else ALIAS_SAMPLES_MIN
    if rule.agreed < least:
        return None
    rule.standing, rule.samples = Standing.IN_FORCE, []
    return rule


def refute(rules: list[AliasRule], spelling: Spelling, url: str) -> AliasRule | None:
    """Take in a pair that was not one page; the rule, if it was in force until now."""
    watch(rules, spelling.kind, spelling.name)
    rule = rule_for(rules, spelling.kind, spelling.name)
    if rule is None or rule.standing == Standing.REFUTED:
        return None
    was_in_force = rule.is_in_force
    rule.standing, rule.samples, rule.against = Standing.REFUTED, [], (url, spelling.url)
    return rule if was_in_force else None


def _name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _without_or_with_index(path: str) -> list[tuple[str, str]]:
    folder, _, last = path.rpartition("/")
    if not last:
        return [(name, path + name) for name in INDEX_PAGES]
    return [(last, f"{folder}/")] if last in INDEX_PAGES else []


def _authorities(authority: str) -> list[tuple[AliasKind, str]]:
    """The same host's other scheme, and with or without `www.`; an address literal or another port has none."""
    scheme, _, host = authority.partition("://")
    if ":" in host or host.rpartition(".")[2].isdecimal():
        return []
    found = [(AliasKind.SCHEME, f"{'http' if scheme == 'https' else 'https'}://{host}")]
    if host.startswith("www."):
        found.append((AliasKind.WWW, f"{scheme}://{host[4:]}"))
    elif "." in host:
        found.append((AliasKind.WWW, f"{scheme}://www.{host}"))
    return found
