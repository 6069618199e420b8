"""What the settings say of budgets, and how large a site's budget is: a few pure functions of what is known of it.

A *cap* is fixed, for sites that people named as for all others, and raised by people alone. A *budget* is what a site
may have that nobody named: it begins small and grows with the number of distinct sites that link to it (STAR of Lee et
al., "IRLbot: scaling to 6 billion pages and beyond", WWW 2008), and by whole allotments as its pages prove new.
"""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.core.budget.site_state import SiteState
from gossamer.core.limits import BUDGET_PAGES_JUDGED, BUDGET_POOR_DIVISOR, BUDGET_YIELD_GOOD, BUDGET_YIELD_POOR


@dataclass(frozen=True, slots=True)
class BudgetPolicy:
    """What the settings say. None: no such bound."""

    pages_per_site: int | None = None
    """The cap of every site in pages."""
    bytes_per_site: int | None = None
    """The same in body bytes received."""
    first_pages: int | None = None
    """The budget in pages that a site begins with."""
    first_bytes: int | None = None
    """The same in body bytes received."""
    first_hosts: int | None = None
    """The same in hosts that anything is asked of."""
    growth: float = 0.0
    """What each linking site adds, as a share of the first budget; 0: budgets do not grow, by yield neither."""
    site_share: float = 1.0
    """Of the worker's fetches at once, those that a site which nobody named may have."""
    host_share: float = 1.0
    """The same of one host."""
    fetches_max: int = 1
    """Fetches of the worker at once."""


def linking_sites_counted(state: SiteState) -> int:
    """The linking sites by which a budget grows and a score rises: links that are given back count for nothing."""
    return max(0, state.linking_sites - state.mutual_sites)


def budget_of(first: int, policy: BudgetPolicy, state: SiteState) -> int:
    """What the first budget of a site has grown to; at least 1."""
    grown = first * (1.0 + policy.growth * linking_sites_counted(state)) * (state.allotments if policy.growth else 1)
    if _is_poor(state):
        grown /= BUDGET_POOR_DIVISOR
    return max(1, int(grown))


def _is_poor(state: SiteState) -> bool:
    """Whether so little of a site is new that it has a part of its budget only."""
    return state.pages >= BUDGET_PAGES_JUDGED and state.novel_share < BUDGET_YIELD_POOR


def share_of(share: float, fetches_max: int) -> int | None:
    """Fetches at once that a share of the worker's comes to, at least 1; None for all of them.

    What never has more than a share of the fetches at once never has more than that share of the fetch seconds of any
    window of time, however slow it is.
    """
    return max(1, int(share * fetches_max)) if share < 1.0 else None


def recent_yield(state: SiteState) -> float:
    """The share of new bodies among the pages since its last allotment, where they are enough to judge by."""
    pages, novel = state.pages - state.looked_pages, state.novel - state.looked_novel
    return novel / pages if pages >= BUDGET_PAGES_JUDGED else state.novel_share


def is_worth_it(state: SiteState) -> bool:
    """Whether enough of what a site brought since its last allotment was new."""
    return recent_yield(state) >= BUDGET_YIELD_GOOD


def deserves_more(policy: BudgetPolicy, state: SiteState) -> bool:
    """Whether a site is given another allotment when it is looked at."""
    return policy.growth > 0 and is_worth_it(state)


def growth_in_words(state: SiteState) -> str:
    """What a budget has grown by."""
    parts = [f"{state.linking_sites:,} linking site{'' if state.linking_sites == 1 else 's'}"]
    if state.mutual_sites:
        parts.append(f"{state.mutual_sites:,} of them linked back")
    if state.allotments > 1:
        parts.append(f"{state.allotments} allotments for {state.novel_share:.0%} new content")
    elif state.pages:
        poor = ": a quarter is left of it" if _is_poor(state) and not state.seeded else ""
        parts.append(f"{state.novel_share:.0%} new content{poor}")
    return ", ".join(parts)
