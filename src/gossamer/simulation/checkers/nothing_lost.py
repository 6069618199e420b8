"""Once the faults have ended and the crawl is complete, what was fetched is what had to be, no more and no less."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gossamer.simulation.world import key_of

if TYPE_CHECKING:
    from gossamer.simulation.checkers.evidence import Evidence


def check(evidence: Evidence) -> list[str]:
    """The URLs missing from the servers' log or from the pages dataset, and those that have no business there."""
    truth = evidence.truth
    served = {key_of(contact.url) for contact in evidence.log if contact.final and 200 <= contact.status < 300}
    asked = {key_of(contact.url) for contact in evidence.log}
    written = {key_of(row["url"]) for row in evidence.pages if row["kind"] == "page" and row["outcome"] == "fetched"}
    pairs = {(one, other) for one, other in truth.pairs if not {one, other} & served}
    may_be = truth.fetched | truth.perhaps
    return [
        *(f"nothing lost: neither {one} nor {other} was served" for one, other in sorted(pairs)),
        *(f"nothing lost: {url} was never served" for url in sorted(truth.fetched - served)),
        *(
            f"nothing lost: {url} was served, and no pages row says so"
            for url in sorted(served & truth.fetched - written)
        ),
        *(f"nothing lost: {url} was never asked for" for url in sorted(truth.answered - asked)),
        *(
            f"nothing lost: a pages row says {url} was fetched, and it cannot be"
            for url in sorted(written - may_be)
            if evidence.world.trap(url) is None
        ),
    ]
