"""What came of one simulation, and the line that runs it again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

PROBLEMS_SHOWN: Final = 8


@dataclass(slots=True)
class Verdict:
    """What came of one simulation."""

    simulation_seed: int
    kills: int
    problems: list[str]
    features: list[str] = field(default_factory=list[str])
    """What the number drew of the rarer things."""
    ending: str = ""
    """How the last life ended."""
    pages: int = 0
    """Pages that had to be fetched; of a capped crawl, those that were."""
    contacts: int = 0
    orphaned: int = 0
    """Captures in the archive that no index names: their commits were lost."""
    steps: int = 0
    lives: int = 0
    seconds: float = 0.0
    """Virtual time from the first opening to the end."""
    trace: str = ""
    """Digest of the servers' log: equal traces mean equal runs."""
    asked: str = ""
    """What was asked for beside the number, as options of the command."""

    @property
    def passed(self) -> bool:
        """Whether every checker was content."""
        return not self.problems

    def replay(self) -> str:
        """The line that runs this simulation again."""
        return f"gossamer simulate {self.simulation_seed}{self.asked}"

    def lines(self) -> list[str]:
        """What to print."""
        figures = f"{self.pages} pages, {self.contacts} contacts, {self.lives} lives, {self.seconds:.0f} s of crawl"
        figures += f"; {', '.join(self.features)}" if self.features else ""
        if self.passed:
            return [f"simulation {self.simulation_seed}: passed ({figures})"]
        more = len(self.problems) - PROBLEMS_SHOWN
        shown = [*self.problems[:PROBLEMS_SHOWN], *([f"and {more} more"] if more > 0 else [])]
        return [
            f"simulation {self.simulation_seed}: FAILED ({figures})",
            *(f"  {problem}" for problem in shown),
            f"  replay: {self.replay()}",
        ]
