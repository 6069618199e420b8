"""What a measurement says to people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from gossamer.app import figures

if TYPE_CHECKING:
    from gossamer.app.bench.measuring import Measured

MONTH_SECONDS: Final = 30 * 86_400


@dataclass(frozen=True, slots=True)
class Benched:
    """A measured crawl, and the web that it was of."""

    measured: Measured
    hosts: int
    server_seconds: float

    def as_dict(self) -> dict[str, Any]:
        """For a program to read: milliseconds a page, bytes, seconds."""
        measured, summary = self.measured, self.measured.summary
        pages = max(1, measured.pages)
        return {
            "pages": measured.pages,
            "hosts": self.hosts,
            "seconds": round(measured.seconds, 3),
            "pages_a_second": round(measured.pages / measured.seconds, 1),
            "received_bytes_a_page": round(summary["bytes"] / pages),
            "cpu_ms_a_page": round(measured.cpu_seconds / pages * 1e3, 3),
            "cpu_busy": round(measured.cpu_seconds / measured.seconds, 3),
            "server_cpu_ms_a_page": round(self.server_seconds / pages * 1e3, 3),
            "stages_ms": {stage: round(value / pages * 1e3, 4) for stage, value in measured.stages.items()},
            "memory_bytes_peak": summary["memory_bytes_peak"],
        }

    def lines(self) -> list[str]:
        """For people."""
        found = self.as_dict()
        received = figures.size(found["received_bytes_a_page"])
        month = found["pages_a_second"] * MONTH_SECONDS
        whole, served = found["cpu_ms_a_page"], f"{found['server_cpu_ms_a_page']:.2f}"
        lines = [
            f"{found['pages']:,} pages of {received} as received, {self.hosts} hosts, {found['seconds']:.1f} s",
            f"{found['pages_a_second']:,.0f} pages/s: {month / 1e6:,.0f} million in 30 days, where hosts allow it",
            f"{whole:.2f} ms of CPU a page, {found['cpu_busy']:.0%} of a core; the server took {served}",
            f"{figures.size(found['memory_bytes_peak'])} of memory at most",
            "",
            f"{'stage':14}{'ms a page':>10}{'share':>8}",
        ]
        stages = sorted(found["stages_ms"].items(), key=lambda stage: -stage[1])
        return lines + [f"{stage:14}{value:10.3f}{value / whole:8.1%}" for stage, value in stages]
