"""Links that are traps by their looks alone: the shape of the URL, or another spelling of one that was met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from gossamer.core.page.links import Links
from gossamer.core.scope.reasons import Reason
from gossamer.core.trap.rules import SPARED, Word
from gossamer.core.trap.shape import ShapeLimits, Shapes
from gossamer.core.trap.spelling import Spellings
from gossamer.core.trap.template import families_of, shape_row
from gossamer.core.url.parse import host_of


@dataclass(slots=True)
class LinkTraps:
    """What is asked about links where they are found."""

    limits: ShapeLimits
    site_of: Callable[[str], str]
    years: tuple[int, int] = (0, 0)
    """Years back and ahead, by which `limits` were made: they are what a changed setting is noticed by."""
    words: Mapping[str, str] = field(default_factory=dict[str, str])
    """Text of a row -> what a person said of it, a `Word`."""
    shapes: Shapes = field(init=False)
    spellings: Spellings = field(default_factory=Spellings)

    def __post_init__(self) -> None:
        self.shapes = Shapes(self.limits, self._is_excluded)

    @property
    def told_apart_by(self) -> list[object]:
        """What other settings, or other words, change in the verdicts; the turn of the year is no such change."""
        return ["traps", list(self.years), sorted(row for row, word in self.words.items() if word == Word.EXCLUDE)]

    def adopt(self, words: Mapping[str, str]) -> None:
        """Take other words of a person for true, from the next link on."""
        self.words = words
        self.shapes = Shapes(self.limits, self._is_excluded)

    def judge_spellings(self, links: Links, verdicts: list[str]) -> None:
        """Refuse the rows, wanted so far, that are another spelling of a URL met before."""
        asked = self.spellings.of_several(links.urls)
        if not asked:
            return
        for row, url in enumerate(links.urls):
            if url in asked and not verdicts[row] and links.kinds[row] not in SPARED:
                rule = self.spellings.met(url)
                if rule and not self._is_excluded(url, rule):
                    verdicts[row] = Reason.TRAP

    def rule_of(self, url: str) -> str:
        """The rule that refuses a URL; empty for none."""
        return self.shapes.rule_of(url) or self.spellings.rule_of(url)

    def words_of(self, url: str) -> str:
        """The same with what it found."""
        return self.shapes.words(url) or self.spellings.rule_of(url)

    def _is_excluded(self, url: str, rule: str) -> bool:
        if not self.words:
            return False
        site = self.site_of(host_of(url))
        rows = (shape_row(site, rule), *(row for family in families_of(url, site) for row in family.rows))
        return any(self.words.get(row) == Word.EXCLUDE for row in rows)
