"""The verdict of scope and filters in words: which rule decides, with the pattern or number that it decides by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from gossamer.core.explain.explanation import ScopePart
from gossamer.core.frontier.records import PageRecord, UrlKind
from gossamer.core.page.links import LinkKind
from gossamer.core.scope.extensions import extension_of
from gossamer.core.scope.judge import LinkJudge
from gossamer.core.scope.reasons import EXPLANATIONS, Reason
from gossamer.core.scope.rules import ScopeKind
from gossamer.core.url.parse import host_of

WANTED: Final = "wanted"
_FOUND_AS: Final = {
    "R": (LinkKind.REDIRECT, "a redirect's target"),
    "E": (LinkKind.IFRAME, "a frame of a page"),
    "L": (LinkKind.A, "a link on a page"),
    "M": (LinkKind.SITEMAP, "an entry of a sitemap"),
    "F": (LinkKind.FEED, "an entry of a feed"),
    "": (LinkKind.SEED, "a seed"),
}
"""Last hop letter -> the kind of link it is judged as, in words."""

_FILES: Final = {
    int(UrlKind.SITEMAP): (LinkKind.TO_SITEMAP, "a sitemap"),
    int(UrlKind.FEED): (LinkKind.TO_FEED, "a feed"),
}


def judged_anew(judge: LinkJudge, url: str, record: PageRecord | None, site: str) -> ScopePart:
    """What scope and filters say of a normalised URL under the settings now in force.

    A known URL is judged as it was found; one without a record as a plain link, one step from a seed.
    """
    kind, depth, judged_as = LinkKind.A, 1, "judged anew, as a plain link one step from a seed: it has no record"
    if record is not None:
        kind, words = _FILES.get(record.kind) or _FOUND_AS.get(record.hops[-1:], _FOUND_AS["L"])
        depth, judged_as = record.depth, f"judged anew, as it was found: {words}, depth {record.depth}"
    reason = judge.judge_one(url, kind, depth)
    text = _refusal(judge, reason, url, depth) if reason else _admission(judge, url, site, kind)
    return ScopePart(verdict=reason or WANTED, text=text, judged_as=judged_as)


def _refusal(judge: LinkJudge, reason: str, url: str, depth: int) -> str:
    detail = _DETAILS.get(reason)
    return f"{meaning(reason)} ({detail(judge, url, depth)})" if detail is not None else meaning(reason)


def _scope_detail(judge: LinkJudge, url: str, _depth: int) -> str:
    kind = judge.scope.kind
    what = {
        ScopeKind.PAGE: "it is none of the seeds",
        ScopeKind.PREFIX: f"no seed on {host_of(url)} has a folder that it lies in",
        ScopeKind.HOST: f"no seed is on {host_of(url)}",
        ScopeKind.SITE: f"no seed is on the site of {host_of(url)}",
        ScopeKind.ANY: f"{host_of(url)} lies under none of scope.domains",
    }
    return f"scope.kind is {kind}: {what[kind]}"


_DETAILS: Final[Mapping[str, Callable[[LinkJudge, str, int], str]]] = {
    Reason.SCOPE: _scope_detail,
    Reason.DEPTH: lambda judge, _, depth: f"depth {depth}, scope.max_depth {judge.filters.depth_max}",
    Reason.URL_LENGTH: lambda judge, url, _: f"{len(url)} characters, limit {judge.filters.url_length_max}",
    Reason.EXTENSION: lambda _, url, __: f".{extension_of(url)}",
    Reason.EXCLUDED: lambda judge, url, _: f"scope.exclude {judge.filters.exclude.find(url)}",
}
_SENTENCES: Final[Mapping[str, str]] = {str(reason): sentence for reason, sentence in EXPLANATIONS.items()}


def meaning(word: str) -> str:
    """The sentence for a stored reason; the word itself where it is none of ours, or says all (a failure's)."""
    return _SENTENCES.get(word, word)


def _admission(judge: LinkJudge, url: str, site: str, kind: LinkKind) -> str:
    host = host_of(url)
    if kind is LinkKind.SEED:
        return "it is a seed"
    scope = judge.scope.kind
    if judge.scope.is_listed(host):
        return f"{host} lies under one of scope.domains"
    return {
        ScopeKind.PAGE: "it is a seed, and scope.kind is page",
        ScopeKind.PREFIX: f"it lies in the folder of a seed on {host}, and scope.kind is prefix",
        ScopeKind.HOST: f"a seed is on {host}, and scope.kind is host",
        ScopeKind.SITE: f"a seed is on the site {site}, and scope.kind is site",
        ScopeKind.ANY: "scope.kind is any",
    }[scope]
