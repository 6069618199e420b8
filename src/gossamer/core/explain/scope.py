"""The verdict of scope and filters in words: which rule decides, with the pattern or number that it decides by."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from gossamer.core.explain.explanation import ScopePart
from gossamer.core.frontier.records import PageRecord
from gossamer.core.frontier.rejudging import finding_of
from gossamer.core.page.links import LinkKind
from gossamer.core.scope.extensions import extension_of
from gossamer.core.scope.judge import NAMED_BY_PEOPLE, LinkJudge
from gossamer.core.scope.reasons import EXPLANATIONS, Reason
from gossamer.core.scope.refusal import Finding
from gossamer.core.scope.rules import ScopeKind
from gossamer.core.url.parse import host_of

WANTED: Final = "wanted"
_FOUND_AS: Final = {
    LinkKind.REDIRECT: "a redirect's target",
    LinkKind.FRAME: "a frame of a page",
    LinkKind.IFRAME: "a frame of a page",
    LinkKind.SITEMAP: "an entry of a sitemap",
    LinkKind.FEED: "an entry of a feed",
    LinkKind.TO_SITEMAP: "a sitemap",
    LinkKind.TO_FEED: "a feed",
    LinkKind.SEED: "a seed",
    LinkKind.OPERATOR: "a seed that the operator added",
}
"""Kind of link -> in words; any other is a link on a page."""


def judged_anew(judge: LinkJudge, url: str, record: PageRecord | None, site: str) -> ScopePart:
    """What scope and filters say of a normalised URL under the settings now in force.

    A known URL is judged as it was found; one without a record as a plain link, one step from a seed, or as an entry of
    a sitemap or feed where no links are followed.
    """
    if record is not None:
        finding = finding_of(record)._replace(url=url)
        judged_as = f"judged anew, as it was found: {_words(finding)}, depth {record.depth}"
    else:
        finding = _first_step(judge, url)
        what = "a plain link" if finding.kinds[0] is LinkKind.A else _words(finding)
        judged_as = f"judged anew, as {what} one step from a seed: it has no record"
    if finding.group in judge.groups:
        judged_as += f", seed group {finding.group}"
    reason = judge.judge_finding(finding)
    text = refusal_words(judge, reason, finding) if reason else _admission(judge, finding, site)
    return ScopePart(verdict=reason or WANTED, text=text, judged_as=judged_as)


def _first_step(judge: LinkJudge, url: str) -> Finding:
    """A link one step from a seed of the group that wants the URL, or else has it in scope; of no group without one.

    The link is of the plainest kind that is followed.
    """
    kinds = (LinkKind.A, LinkKind.SITEMAP, LinkKind.FEED)
    kind = next((each for each in kinds if each in judge.filters.kinds), LinkKind.A)
    links = [Finding(url, (kind,), nofollow=False, depth=1, group=group) for group in ("", *judge.groups)]
    verdicts = {link: judge.judge_finding(link) for link in links}
    return min(links, key=lambda link: (verdicts[link] != "", verdicts[link] == Reason.SCOPE))


def _words(finding: Finding) -> str:
    return _FOUND_AS.get(finding.kinds[0], "a link on a page")


def refusal_words(judge: LinkJudge, reason: str, finding: Finding) -> str:
    """A refusal in words, with what it is decided by."""
    detail = _DETAILS.get(reason)
    return f"{meaning(reason)} ({detail(judge, finding)})" if detail is not None else meaning(reason)


def _scope_detail(judge: LinkJudge, finding: Finding) -> str:
    url, kind = finding.url, judge.scope_of(finding.group).kind
    what = {
        ScopeKind.PAGE: "it is none of the seeds",
        ScopeKind.PREFIX: f"no seed on {host_of(url)} has a folder that it lies in",
        ScopeKind.HOST: f"no seed is on {host_of(url)}",
        ScopeKind.SITE: f"no seed is on the site of {host_of(url)}",
        ScopeKind.ANY: f"{host_of(url)} lies under none of scope.domains",
    }
    return f"{_whose(judge, finding, 'scope', 'scope.kind')} is {kind}: {what[kind]}"


def _depth_detail(judge: LinkJudge, finding: Finding) -> str:
    whose = _whose(judge, finding, "depth", "scope.max_depth")
    return f"depth {finding.depth}, {whose} {judge.depth_max_of(finding.group)}"


def _whose(judge: LinkJudge, finding: Finding, name: str, key: str) -> str:
    """The setting that decides: the crawl's, or that of the seed group."""
    return f"{name} of seed group {finding.group}" if finding.group in judge.groups else key


_DETAILS: Final[Mapping[str, Callable[[LinkJudge, Finding], str]]] = {
    Reason.SCOPE: _scope_detail,
    Reason.DEPTH: _depth_detail,
    Reason.URL_LENGTH: lambda judge, found: f"{len(found.url)} characters, limit {judge.filters.url_length_max}",
    Reason.EXTENSION: lambda _, found: f".{extension_of(found.url)}",
    Reason.TRAP: lambda judge, found: judge.traps.words_of(found.url) if judge.traps is not None else "",
    Reason.EXCLUDED: lambda judge, found: f"scope.exclude {judge.filters.exclude.find(found.url)}",
}
_SENTENCES: Final[Mapping[str, str]] = {str(reason): sentence for reason, sentence in EXPLANATIONS.items()}


def meaning(word: str) -> str:
    """The sentence for a stored reason; the word itself where it is none of ours, or says all (a failure's)."""
    return _SENTENCES.get(word, word)


def _admission(judge: LinkJudge, finding: Finding, site: str) -> str:
    host = host_of(finding.url)
    if finding.kinds[0] in NAMED_BY_PEOPLE:
        return "it is a seed"
    rules, whose = judge.scope_of(finding.group), _whose(judge, finding, "scope", "scope.kind")
    if rules.is_listed(host):
        return f"{host} lies under one of scope.domains"
    return {
        ScopeKind.PAGE: f"it is a seed, and {whose} is page",
        ScopeKind.PREFIX: f"it lies in the folder of a seed on {host}, and {whose} is prefix",
        ScopeKind.HOST: f"a seed is on {host}, and {whose} is host",
        ScopeKind.SITE: f"a seed is on the site {site}, and {whose} is site",
        ScopeKind.ANY: f"{whose} is any",
    }[rules.kind]
