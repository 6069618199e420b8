"""Growing the pages of a world: a tree that reaches every page from some seed, then links across, then oddities."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from gossamer.core.url.parse import authority_of, host_of, target_of
from gossamer.simulation.world import Link, Page, PageKind, RobotsKind, Stumble, Trouble, World, key_of

if TYPE_CHECKING:
    import random

KIND_WEIGHTS: Final = {
    PageKind.PAGE: 78,
    PageKind.REDIRECT: 9,
    PageKind.ERROR: 4,
    PageKind.BROKEN: 1,
    PageKind.COOKIE_WALL: 2,
    PageKind.SELF_LOOP: 1,
    PageKind.SPELLING: 2,
    PageKind.MEDIA: 1,
    PageKind.EMPTY: 1,
    PageKind.CUT: 1,
    PageKind.BINARY: 1,
}
PATHS: Final = (
    "/n{}.html", "/n{}.html", "/a/b/n{}", "/?n={}", "/~n{}", "/private/n{}", "/search?q=n{}", "/p?a=1&n={}"
)  # fmt: skip
STATUS_WEIGHTS: Final = {404: 5, 410: 2, 403: 1}
REDIRECT_STATUSES: Final = (301, 302, 307, 308)
CHAIN_LENGTHS: Final = (9, 10, 11, 12)
"""Around the limit of ten redirects."""
DIGIT_WORDS: Final = ("nought", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
JUNK: Final = ("mailto:someone@site0.example", "javascript:void(0)", "http://[bad", "#here", "tel:123")


@dataclass(slots=True)
class Draft:
    """A page while it grows."""

    url: str
    kind: PageKind = PageKind.PAGE
    status: int = 200
    target: str = ""
    links: list[Link] = field(default_factory=list[Link])
    nofollow: bool = False
    header_nofollow: bool = False
    gzip: bool = False
    copy_of: str = ""
    stumbles: tuple[Stumble, ...] = ()

    def page(self, number: int) -> Page:
        """The finished page."""
        return Page(
            url=self.url,
            kind=self.kind,
            status=self.status,
            target=self.target,
            links=tuple(self.links),
            nofollow=self.nofollow,
            header_nofollow=self.header_nofollow,
            gzip=self.gzip,
            copy_of=self.copy_of,
            words=f"Page {number}: here {_spelled_out(number)} is what we write about",
            stumbles=self.stumbles,
        )


def _spelled_out(number: int) -> str:
    """In words: pages that differ by a figure alone are what traps are made of, and a crawl closes their template."""
    return " ".join(DIGIT_WORDS[int(digit)] for digit in str(number))


class PageGrowth:
    """Grows `count` pages over the hosts of a world, most of them on few hosts."""

    def __init__(self, dice: random.Random, world: World, *, calm: bool) -> None:
        self._dice = dice
        self._world = world
        self._calm = calm
        self._drafts: dict[str, Draft] = {}
        self._parents: list[Draft] = []
        names = list(world.hosts)
        dice.shuffle(names)
        self._origins = [[each.origin for each in world.hosts[name].authorities] for name in names]
        self._weights = [1.0 / (rank + 1) ** 1.2 for rank in range(len(names))]

    def grow(self, count: int) -> None:
        """Put the pages into the world."""
        self._add_roots()
        while len(self._drafts) < count:
            self._add_child()
        for draft in self._parents:
            self._add_links_across(draft)
        self._add_oddities()  # last: nothing else may name the steps of a chain of redirects
        for number, draft in enumerate(self._drafts.values()):
            self._world.pages[key_of(draft.url)] = draft.page(number)

    # --- the tree ---------------------------------------------------------------------------------------------
    def _add_roots(self) -> None:
        for origins in self._origins:
            roots = [self._draft(f"{origin}/") for origin in origins]
            self._parents.append(roots[0])
            for extra in roots[1:]:
                self._parents.append(extra)
                self._dice.choice(self._parents[:-1]).links.append(Link(extra.url))
            if len(roots) > 1 and self._dice.random() < 0.4:  # http -> https
                roots[0].kind, roots[0].status, roots[0].target = PageKind.REDIRECT, 301, roots[1].url
                self._parents.remove(roots[0])

    def _add_child(self) -> Draft:
        draft = self._new()
        parent = self._parent_of(draft)
        parent.links.append(Link(self._spelled(draft.url), nofollow=self._dice.random() < 0.03))
        kinds = {PageKind.PAGE: 1} if self._calm else KIND_WEIGHTS
        draft.kind = self._dice.choices(list(kinds), list(kinds.values()))[0]
        if draft.kind is PageKind.PAGE:
            self._dress(draft)
        elif draft.kind is PageKind.REDIRECT:
            self._aim(draft)
        elif draft.kind is PageKind.ERROR:
            draft.status = self._dice.choices(list(STATUS_WEIGHTS), list(STATUS_WEIGHTS.values()))[0]
        elif draft.kind is PageKind.BROKEN:
            draft.status = self._dice.choice((500, 0))
        elif draft.kind is PageKind.SPELLING:
            draft.target = self._other_spelling(draft)
        if not self._calm and self._dice.random() < 0.08:
            draft.stumbles = self._stumbles(draft.url)
        return draft

    def _new(self) -> Draft:
        origin = self._dice.choice(self._dice.choices(self._origins, self._weights)[0])
        return self._draft(origin + self._dice.choice(PATHS).format(len(self._drafts)))

    def _draft(self, url: str) -> Draft:
        draft = self._drafts[url] = Draft(url)
        return draft

    def _parent_of(self, draft: Draft) -> Draft:
        host = host_of(draft.url)
        near = [parent for parent in self._parents if host_of(parent.url) == host]
        return self._dice.choice(near if near and self._dice.random() < 0.8 else self._parents)

    def _dress(self, draft: Draft) -> None:
        """What a usual page may be besides: a copy, or one that asks not to be followed."""
        chance = self._dice.random()
        draft.gzip = self._dice.random() < 0.15
        if chance < 0.10:
            originals = [each for each in self._parents if not (each.nofollow or each.header_nofollow)]
            draft.copy_of = key_of(self._dice.choice(originals).url) if originals else ""
            return
        if chance < 0.14 and not self._calm:
            draft.nofollow = chance < 0.12
            draft.header_nofollow = not draft.nofollow
        elif not target_of(draft.url).startswith(("/private/", "/search")):
            self._parents.append(draft)

    def _aim(self, draft: Draft) -> None:
        """A redirect's target: a page reached in no other way, or any page there is."""
        draft.status = self._dice.choice(REDIRECT_STATUSES)
        if self._dice.random() < 0.6:
            target = self._new()
            if self._dice.random() < 0.3:
                target.kind = PageKind.REDIRECT
                self._aim(target)
            elif not target_of(target.url).startswith(("/private/", "/search")):
                self._parents.append(target)
            draft.target = target.url
        else:
            draft.target = self._dice.choice([each for each in self._drafts if each != draft.url])

    def _other_spelling(self, draft: Draft) -> str:
        """Gives the draft a path with a tilde, and returns its other spelling."""
        del self._drafts[draft.url]
        other = f"{authority_of(draft.url)}/%7Es{len(self._drafts)}"
        spelled = other.replace("%7E", "~")
        for parent in self._parents:
            parent.links = [Link(spelled, link.nofollow) if link.url == draft.url else link for link in parent.links]
        draft.url = spelled
        self._drafts[spelled] = draft
        return other

    def _spelled(self, url: str) -> str:
        return url.replace("~", "%7e") if self._dice.random() < 0.5 else url

    def _stumbles(self, url: str) -> tuple[Stumble, ...]:
        """At most two: the third failure of a URL is its end. An outage by resets may itself count once."""
        host = self._world.hosts[host_of(url)]
        most = 1 if any(outage.trouble is Trouble.RESET for outage in host.outages) else 2
        return tuple(self._dice.choice(list(Stumble)) for _ in range(self._dice.randint(1, most)))

    # --- links across and oddities ----------------------------------------------------------------------------
    def _add_links_across(self, draft: Draft) -> None:
        urls = list(self._drafts)
        for _ in range(self._dice.randint(0, 5)):
            draft.links.append(Link(self._spelled(self._dice.choice(urls)), nofollow=self._dice.random() < 0.05))
        if self._calm:
            return
        if self._dice.random() < 0.15:
            draft.links.append(Link(f"{authority_of(draft.url)}/missing-{len(draft.links)}"))
        if self._dice.random() < 0.2:
            draft.links.append(Link("", junk=self._dice.choice(JUNK)))
        if self._dice.random() < 0.1 and self._world.scope == "host":
            draft.links.append(Link("https://elsewhere.example/out-of-scope"))
        self._dice.shuffle(draft.links)

    def _add_oddities(self) -> None:
        if self._calm:
            return
        if self._dice.random() < 0.2:
            self._add_chain(self._dice.choice(CHAIN_LENGTHS))
        if self._dice.random() < 0.2:
            one, other = self._new(), self._new()
            for draft, target in ((one, other), (other, one)):
                draft.kind, draft.status, draft.target = PageKind.REDIRECT, 302, target.url
            self._dice.choice(self._parents).links.append(Link(one.url))

    def _add_chain(self, length: int) -> None:
        """So many redirects in a row, named nowhere else, and a page at the end."""
        origins = [
            origin
            for origins in self._origins
            for origin in origins
            if self._world.wants(f"{origin}/") and not self._world.hosts[host_of(f"{origin}/")].dead
        ]
        kinds = {RobotsKind.ERRORS, RobotsKind.UNREACHABLE}
        steps = [f"{self._dice.choice(origins)}/chain-{length}-{step}" for step in range(length + 1)]
        for step, target in pairwise(steps):
            draft = self._draft(step)
            authority = self._world.authority(authority_of(step))
            assert authority is not None
            draft.kind, draft.status, draft.target = PageKind.REDIRECT, 302, target
            if authority.robots.kind in kinds:
                break
        self._draft(steps[-1])
        self._dice.choice(self._parents).links.append(Link(steps[0]))
