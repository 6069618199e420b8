"""No URL is fetched twice, no body stored twice, no visit written twice.

A URL is asked for again only after an answer that was not final, in a redirect that stays on its key, or when a kill
came before its first answer was committed. A body is stored twice only when two captures raced each other.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from gossamer.core.url.parse import target_of
from gossamer.simulation.checkers.evidence import SURE_SECONDS
from gossamer.simulation.world import PageKind, key_of

if TYPE_CHECKING:
    from gossamer.simulation.checkers.evidence import Evidence, StoredBody
    from gossamer.simulation.network import Contact

CHAINED_KINDS: Final = (PageKind.COOKIE_WALL, PageKind.SPELLING, PageKind.SELF_LOOP)
"""Kinds that redirect to their own key: two final answers belong to one visit chain."""
BROKEN_TRIES: Final = 3
"""A URL that is broken for ever gives its true answer this often."""


def check(evidence: Evidence) -> list[str]:
    """Repeated fetches, bodies and rows, in words."""
    return [*_fetched_twice(evidence), *_stored_twice(evidence), *_written_twice(evidence)]


def _fetched_twice(evidence: Evidence) -> list[str]:
    answers: dict[str, list[Contact]] = defaultdict(list)
    for contact in evidence.log:
        if contact.final and target_of(contact.url) != "/robots.txt" and contact.url not in evidence.world.robots_files:
            answers[key_of(contact.url)].append(contact)
    found: list[str] = []
    for key, contacts in answers.items():
        page = evidence.world.pages.get(key)
        usual = 2 if page is not None and page.kind in CHAINED_KINDS else 1
        if page is not None and page.kind is PageKind.BROKEN:
            if page.status == 0:  # resets are blamed on a host that gives no other answer, and tried on and on
                continue
            usual = BROKEN_TRIES
        # An answer that a kill may have swallowed is asked for again: it does not count.
        sure = [each for each in contacts if evidence.surely_known(each.end or each.start, each.process)]
        last_life = max(each.process for each in contacts)
        if len([each for each in sure if each.process < last_life]) + _in_life(contacts, last_life) > usual:
            moments = ", ".join(f"{each.start:.3f}" for each in contacts)
            found.append(f"nothing twice: {key} was answered {len(contacts)} times, at {moments}")
    return found


def _in_life(contacts: list[Contact], process: int) -> int:
    return sum(each.process == process for each in contacts)


def _stored_twice(evidence: Evidence) -> list[str]:
    """Equal bodies in two records. One body under two content codings is stored under each, however often."""
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
