"""No URL is fetched twice, no body stored twice, no visit written twice.

A URL is asked for again only after an answer that was not final, in a redirect that stays on its key, or when a kill
came before its first answer was committed. A body is stored twice only when two captures raced each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import inf
from typing import TYPE_CHECKING, Final

from gossamer.core.limits import SITEMAP_ASKED_SECONDS_MAX
from gossamer.core.url.parse import target_of
from gossamer.simulation.checkers.evidence import SURE_SECONDS
from gossamer.simulation.world import PageKind, key_of

if TYPE_CHECKING:
    from gossamer.simulation.checkers.evidence import Evidence, StoredBody
    from gossamer.simulation.network import Contact
    from gossamer.simulation.world import Page

CHAINED_KINDS: Final = (PageKind.COOKIE_WALL, PageKind.SPELLING, PageKind.SELF_LOOP)
"""Kinds that redirect to their own key: two final answers belong to one visit chain."""
BROKEN_TRIES: Final = 3
"""A URL that is broken for ever gives its true answer this often."""


def check(evidence: Evidence) -> list[str]:
    """Repeated fetches, bodies and rows, in words."""
    return [*_fetched_twice(evidence), *_stored_twice(evidence), *_written_twice(evidence)]


def _fetched_twice(evidence: Evidence) -> list[str]:
    visits: dict[str, list[Contact]] = defaultdict(list)
    for contact in evidence.log:
        if target_of(contact.url) != "/robots.txt" and contact.url not in evidence.world.robots_files:
            visits[key_of(contact.url)].append(contact)
    found: list[str] = []
    for key, contacts in visits.items():
        answers = [each for each in contacts if each.final]
        failures = len(contacts) - len(answers)
        if _counted(evidence, answers) > _usual(evidence.world.pages.get(key), failures):
            moments = ", ".join(f"{each.start:.3f}" for each in answers)
            found.append(f"nothing twice: {key} was answered {len(answers)} times, at {moments}")
    return found


def _usual(page: Page | None, failures: int) -> float:
    """True answers that a URL may give at most."""
    kind = page.kind if page is not None else PageKind.ERROR
    if page is not None and kind is PageKind.BROKEN:
        # Resets are blamed on a host that gives no other answer, and such a URL is tried on and on.
        return BROKEN_TRIES if page.status else inf
    # A failure in the middle of a chain of redirects begins it anew: its cookie may be old by then.
    return 2 + failures if kind in CHAINED_KINDS else 1


def _counted(evidence: Evidence, answers: list[Contact]) -> int:
    """The answers less those that a kill may have swallowed before they were committed."""
    last = max((each.process for each in answers), default=0)
    return sum(each.process == last or evidence.surely_known(_told(evidence, each), each.process) for each in answers)


def _told(evidence: Evidence, contact: Contact) -> float:
    """When an answer must have been reported: for a sitemap, the hosts it speaks for are asked first."""
    asked = SITEMAP_ASKED_SECONDS_MAX if contact.url in evidence.world.listings else 0.0
    return (contact.end or contact.start) + asked


def _stored_twice(evidence: Evidence) -> list[str]:
    """Equal bodies in two records. One body under two content codings is stored under each, however often."""
    if not evidence.has_true_clock or evidence.faults.stall is not None:
        # Which capture came first, and who could know of it, cannot be told.
        return []
    groups: dict[str, list[StoredBody]] = defaultdict(list)
    for body in evidence.bodies:
        groups[body.digest].append(body)
    found: list[str] = []
    for bodies in groups.values():
        bodies.sort(key=lambda body: body.at)
        first = bodies[0]
        later = [body for body in bodies[1:] if _knew(evidence, first, body)]
        if later and len({body.payload_digest for body in bodies}) == 1:
            found.append(f"nothing twice: the body of {first.url} was stored again for {later[0].url}")
    return found


def _knew(evidence: Evidence, first: StoredBody, second: StoredBody) -> bool:
    """Whether the crawler must have known of the first when the second came: no race, and no kill in between."""
    raced = second.at <= first.at + SURE_SECONDS
    return not raced and evidence.surely_known(first.at, evidence.process_at(first.at))


def _written_twice(evidence: Evidence) -> list[str]:
    visits = Counter((row["url"], row["kind"], row["started"]) for row in evidence.pages)
    return [
        f"nothing twice: {count} rows for the visit of {url} ({kind})"
        for (url, kind, _), count in visits.items()
        if count > 1
    ]
