"""docs/reference-reasons.md: every word that says why a URL was not fetched, or what was wrong with what came."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from gossamer.adapters.parser_turbohtml import TOO_DEEP, TOO_MANY_ELEMENTS
from gossamer.app.reference.markdown import table
from gossamer.core.frontier.fate import RETRY_FACTOR, Blame
from gossamer.core.http.exchange import FailureKind, Truncation
from gossamer.core.http.failure_policy import FAILURES, STATUSES
from gossamer.core.limits import URL_TRIES_MAX
from gossamer.core.page.charset import BINARY, EMPTY, UNDECODABLE
from gossamer.core.scope.reasons import EXPLANATIONS, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

NOT_GIVEN: Final = frozenset({Reason.SCHEME, Reason.ROBOTS_UNREACHABLE})
"""Words that are reserved and that nothing gives yet; a test holds this."""
OF_URLS: Final = (Reason.ROBOTS, Reason.ADDRESS, Reason.MEDIA_TYPE)
"""Given to known URLs, at their turn or their visit; all others are given to links where they are found."""

FAILURE_MEANINGS: Final[Mapping[FailureKind, str]] = MappingProxyType(
    {
        FailureKind.NAME_NOT_FOUND: "the host's name does not exist",
        FailureKind.NAME_FAILED: "no resolver could say whether the host's name exists",
        FailureKind.CONNECT_REFUSED: "nobody listens at the port",
        FailureKind.CONNECT_TIMEOUT: "no connection within fetch.connect",
        FailureKind.CONNECT_FAILED: "the network says that there is no way to the address",
        FailureKind.TLS: "the certificate does not verify, or no common protocol was found",
        FailureKind.RESET: "the connection was cut before the answer was whole",
        FailureKind.CLOSED: "a kept connection had been closed; asked again after the gap",
        FailureKind.TIMEOUT: "no first byte within fetch.first_byte, or no end within fetch.total",
        FailureKind.SLOW: "slower than fetch.low_speed for fetch.low_speed_time",
        FailureKind.HEADERS_TOO_LARGE: "status line and headers exceed fetch.header_bytes",
        FailureKind.BAD_ANSWER: "what came is not HTTP",
    }
)
MALFORMED: Final[Mapping[str, str]] = MappingProxyType(
    {
        EMPTY: "there is no text at all",
        BINARY: "the bytes are those of another format, whatever the media type says",
        UNDECODABLE: "its encoding may not be decoded, or more than a quarter of the text would be lost",
        TOO_DEEP: "elements are nested deeper than any reader would follow",
        TOO_MANY_ELEMENTS: "the tree would have more elements than memory should be given to",
    }
)
TRUNCATED: Final[Mapping[Truncation, str]] = MappingProxyType(
    {
        Truncation.LENGTH: "longer than fetch.body_bytes, or than what a cap left",
        Truncation.TIME: "not whole within fetch.total, or slower than fetch.low_speed",
        Truncation.DISCONNECT: "the connection ended before the announced length",
    }
)
BLAMED: Final = {
    Blame.HOST: "the host",
    Blame.URL: "the URL",
    Blame.EITHER: "the host; the URL too while the host otherwise answers",
    Blame.NOBODY: "nobody",
}

HEAD: Final = """\
# Reasons

Made from the code by `python -m gossamer.app.reference docs`.

*Refused* means that we chose not to fetch, *failed* that we tried and got nothing usable, *gone* that the server knows
of no such page. The words below stand in the column `reason` of `pages/` and `refused/`, in `verdict` of `links/`, and
with their counts in `summary.json`. They are never renamed.

## Links refused

Given to a link where it is found; the first that applies, in the order kind, nofollow, depth, length, scope, block
list, extension, exclude, include. Nothing of such a URL is remembered, so it may be taken when it is met again under
better conditions.
"""
URLS: Final = """
## URLs refused

Given to a URL that is known already, at its turn or at its visit.
"""
FAILED: Final = f"""
## Failures without an answer

What counts against the host leaves the URL where it is: the host is asked ever more rarely, and the URL stays queued.
What counts against the URL is tried again later, each wait {RETRY_FACTOR:g} times the one before; the URL has failed
after {URL_TRIES_MAX} such tries.
"""
ANSWERED: Final = """
## Answers that are none

An answer that brings no page is named by its status. 404 and 410 are *gone*, at once and for good; any other 4xx is
*failed* at once, for the server has understood and declined. These are tried again:
"""
REDIRECTS: Final = """
Redirects fail at once:
"""
PAGES: Final = """
## Pages that could not be read

The word stands in the column `malformed`. Such a page is archived as it came; no links are taken from it.
"""
CUT: Final = """
## Bodies that were cut

The word stands in the column `truncated` and in the field WARC-Truncated of the record. What came is kept.
"""


def reasons_document() -> str:
    """docs/reference-reasons.md."""
    links = [reason for reason in Reason if reason not in {*NOT_GIVEN, *OF_URLS, Reason.REDIRECT_LOOP}]
    word_meaning = ("word", "meaning")
    failures = [(f"`{kind}`", text, BLAMED[FAILURES[kind].blame]) for kind, text in FAILURE_MEANINGS.items()]
    statuses = [(f"`http {status}`", BLAMED[policy.blame]) for status, policy in sorted(STATUSES.items())]
    redirects = [
        (Reason.REDIRECT_LOOP.value, EXPLANATIONS[Reason.REDIRECT_LOOP] + ", with the same cookies"),
        ("bad redirect: conflicting Location", "several Location fields that differ"),
        ("bad redirect: Location is ...", "Location is no http or https URL; the word behind it says what it is"),
    ]
    return "".join(
        [
            HEAD + "\n" + table(word_meaning, _explained(links)),
            URLS + "\n" + table(word_meaning, _explained(OF_URLS)),
            FAILED + "\n" + table(("word", "meaning", "counts against"), failures),
            ANSWERED
            + "\n"
            + table(("word", "counts against"), [*statuses, ("any other `http 5xx`, and beyond", BLAMED[Blame.URL])]),
            REDIRECTS + "\n" + table(word_meaning, [(f"`{word}`", text) for word, text in redirects]),
            PAGES + "\n" + table(word_meaning, [(f"`{word}`", text) for word, text in MALFORMED.items()]),
            CUT + "\n" + table(word_meaning, [(f"`{word}`", text) for word, text in TRUNCATED.items()]),
        ]
    )


def _explained(reasons: list[Reason] | tuple[Reason, ...]) -> list[tuple[str, str]]:
    return [(f"`{reason}`", EXPLANATIONS[reason]) for reason in reasons]
