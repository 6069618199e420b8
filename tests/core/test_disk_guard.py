"""The disk guard: when it pauses, when it goes on, and that it never does either too easily."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.disk_guard import DiskGuard, DiskPolicy, MountGuard, MountSpace, MountState, Threshold
from gossamer.core.facts import DiskLow, DiskPaused, DiskResumed
from gossamer.core.limits import DISK_FILES_MIN, DISK_SETTLED_SECONDS

POLICY = DiskPolicy(Threshold(100), Threshold(200))
TOTAL = 10_000


def space(free: int, files: int | None = None, mount: str = "/d") -> MountSpace:
    return MountSpace(mount, free, TOTAL, files)


def changes(policy: DiskPolicy, *looks: tuple[float, int]) -> list[str]:
    """What a guard says of (moment, free) after (moment, free)."""
    guard = MountGuard()
    facts = [guard.look(space(free), policy, at) for at, free in looks]
    return [type(fact).__name__ if fact else "" for fact in facts]


@pytest.mark.parametrize(
    ("threshold", "total", "wanted"),
    [
        (Threshold(), 1000, 0),
        (Threshold(10), 1000, 10),
        (Threshold(None, 0.05), 1000, 50),
        (Threshold(10, 0.05), 1000, 10),
        (Threshold(100, 0.05), 1000, 50),
        (Threshold(100, 0.05), 0, 0),
    ],
)
def test_thresholds(threshold: Threshold, total: int, wanted: int) -> None:
    assert threshold.of(total) == wanted


def test_ok_low_paused_ok() -> None:
    settled = DISK_SETTLED_SECONDS
    looks = [
        (0, 1000),
        (1, 199),
        (2, 150),
        (3, 99),
        (4, 0),
        (5, 199),
        (6, 200),
        (6 + settled, 200),
        (10 + settled, 250),
    ]
    assert changes(POLICY, *looks) == ["", "DiskLow", "", "DiskPaused", "", "", "", "DiskResumed", ""]


def test_straight_to_the_pause() -> None:
    assert changes(POLICY, (0, 50)) == ["DiskPaused"]


def test_room_must_last() -> None:
    half = DISK_SETTLED_SECONDS / 2
    looks = [(0, 50), (1, 500), (1 + half, 150), (2 + half, 500), (2 + 2 * half, 500), (2 + 3 * half, 500)]
    assert changes(POLICY, *looks) == ["DiskPaused", "", "", "", "", "DiskResumed"]


def test_low_needs_more_than_a_little_to_be_forgotten() -> None:
    assert changes(POLICY, (0, 199), (1, 250), (2, 199), (3, 300), (4, 199)) == ["DiskLow", "", "", "", "DiskLow"]


def test_inodes_count_too() -> None:
    guard = MountGuard()
    assert isinstance(guard.look(space(1000, DISK_FILES_MIN - 1), POLICY, 0.0), DiskPaused)
    assert guard.look(space(1000, DISK_FILES_MIN - 1), POLICY, 100.0) is None
    assert guard.look(space(1000, DISK_FILES_MIN), POLICY, 101.0) is None
    assert isinstance(guard.look(space(1000, DISK_FILES_MIN), POLICY, 104.0), DiskResumed)


def test_one_full_mount_pauses_all() -> None:
    guard = DiskGuard(POLICY)
    facts = guard.look([space(1000, mount="/a"), space(50, mount="/b"), space(150, mount="/c")], 0.0)
    assert facts == [DiskPaused("/b", 50, 200), DiskLow("/c", 150, 100)]
    assert guard.is_paused
    assert guard.look([space(50, mount="/a"), space(500, mount="/b")], 1.0) == [DiskPaused("/a", 50, 200)]
    assert guard.look([space(50, mount="/a"), space(500, mount="/b")], 9.0) == [DiskResumed("/b", 500)]
    assert guard.is_paused
    # A mount that does not answer stays as it stood.
    assert guard.look([], 10.0) == []
    assert guard.is_paused


def test_thresholds_the_wrong_way_round_do_not_flutter() -> None:
    policy = DiskPolicy(Threshold(200), Threshold(100))
    assert changes(policy, (0, 150), (1, 150), (9, 150), (10, 200), (13, 200)) == [
        "DiskPaused",
        "",
        "",
        "",
        "DiskResumed",
    ]


def test_without_thresholds_nothing_pauses() -> None:
    assert changes(DiskPolicy(Threshold(), Threshold()), (0, 0), (1, 0)) == ["", ""]


@given(
    bounds=st.tuples(st.integers(0, 1000), st.integers(0, 1000)),
    looks=st.lists(st.tuples(st.floats(0.0, 5.0), st.integers(0, 2000)), max_size=60),
)
def test_whatever_the_disk_does(bounds: tuple[int, int], looks: list[tuple[float, int]]) -> None:
    policy = DiskPolicy(Threshold(bounds[0]), Threshold(bounds[1]))
    pause, resume = policy.pause_bytes(TOTAL), policy.resume_bytes(TOTAL)
    guard, now, roomy_since = MountGuard(), 0.0, None
    for wait, free in looks:
        now += wait
        before = guard.state
        fact = guard.look(space(free), policy, now)
        roomy_since = (roomy_since if roomy_since is not None else now) if free >= resume else None
        # Below the threshold it is paused, always and at once.
        assert free >= pause or guard.state is MountState.PAUSED
        match fact:
            case DiskPaused():
                assert before is not MountState.PAUSED
                assert free < pause
            case DiskResumed():
                # Never for less than lasting room above the upper threshold.
                assert before is MountState.PAUSED
                assert free >= resume
                assert roomy_since is not None
                assert now - roomy_since >= DISK_SETTLED_SECONDS
            case DiskLow():
                assert before is MountState.OK
                assert pause <= free < resume
            case _:
                assert fact is None
                assert (before is MountState.PAUSED) == (guard.state is MountState.PAUSED)
    # With room for long enough it always goes on.
    for at in (now, now + DISK_SETTLED_SECONDS, now + 2 * DISK_SETTLED_SECONDS):
        guard.look(space(TOTAL), policy, at)
    assert guard.state is not MountState.PAUSED
