"""How much memory this process has."""

from __future__ import annotations

import resource
import sys


def memory_now() -> int:
    """Bytes of this process's memory that are in RAM; where the system does not say, the most there ever were."""
    try:
        with open("/proc/self/statm", "rb") as statm:  # noqa: PTH123 - read twice a second; a Path would be made each time
            return int(statm.read().split()[1]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        return memory_peak()


def memory_peak() -> int:
    """The most memory this process ever had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
