"""What every test may use: the published cases, programs of the system, and a Hypothesis that repeats itself in CI."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import HealthCheck, settings

from tests.conformance.page import counted
from tests.published import ABSENT, SHARED
from tools import environment, programs

if TYPE_CHECKING:
    from pathlib import Path

# No deadline: a machine that is busy elsewhere must not fail a property.
settings.register_profile("local", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if programs.in_ci() else "local")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published cases; the test skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(ABSENT)
    return SHARED


@pytest.fixture(scope="session")
def nginx_program() -> str:
    """Path of nginx; the test skips where it is absent, and fails in CI, where ./dev test has installed it."""
    return _program("nginx")


@pytest.fixture(scope="session")
def strace_program() -> str:
    """Path of strace, as `nginx_program`."""
    return _program("strace")


@pytest.fixture(scope="session")
def pywb_python() -> Path:
    """A Python that has pywb, in an environment of its own, made when first asked for (about a minute).

    The test skips where it cannot be made (no network, no C compiler), and fails in CI.
    """
    try:
        return environment.ensure("pywb")
    except SystemExit:
        return _missing("pywb cannot be installed here (its captured words are above)")


def _program(name: str) -> str:
    return programs.find(name) or _missing(f"{name} is not installed (./dev setup tries to)")


def _missing(reason: str) -> NoReturn:
    """In CI a part that is missing is a failure, elsewhere a reason to skip."""
    if programs.in_ci():
        pytest.fail(reason)
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much was not judged because the published cases are absent."""
    if SHARED.is_dir():
        return
    skipped = sum(ABSENT in str(report.longrepr) for report in terminalreporter.getreports("skipped"))
    cases, suites = counted()
    terminalreporter.write_line(f"{cases:,} published cases of {suites} suites skipped: {ABSENT}", yellow=True)
    terminalreporter.write_line(f"{skipped} tests skipped with them", yellow=True)
