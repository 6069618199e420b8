"""The books: equations, sums, stored form."""

from __future__ import annotations

import msgspec
import pytest

from gossamer.core.frontier.ledger import Ledger, count, decode_ledger, encode_ledger, total


def balanced() -> Ledger:
    return Ledger(
        found=10,
        refused_links={"scope": 2, "depth": 1},
        sent=3,
        seen=1,
        new=3,
        received=4,
        received_refused=1,
        received_seen=1,
        received_new=2,
        known=5,
        queued=1,
        held=1,
        done=1,
        gone=0,
        failed={"timeout": 1},
        refused={"robots": 1},
    )


def test_balanced_books_have_no_problems() -> None:
    assert balanced().problems() == []
    assert Ledger().problems() == []


@pytest.mark.parametrize(
    ("field", "problems"),
    [
        ("found", ["found = "]),
        ("sent", ["found = "]),
        ("seen", ["found = "]),
        ("new", ["found = ", "known = new"]),
        ("received", ["received = "]),
        ("received_refused", ["received = "]),
        ("received_seen", ["received = "]),
        ("received_new", ["received = ", "known = new"]),
        ("known", ["known = queued", "known = new"]),
        ("queued", ["known = queued"]),
        ("held", ["known = queued"]),
        ("done", ["known = queued"]),
        ("gone", ["known = queued"]),
    ],
)
def test_one_more_of_anything_is_a_problem(field: str, problems: list[str]) -> None:
    ledger = balanced()
    setattr(ledger, field, getattr(ledger, field) + 1)
    found = ledger.problems()
    assert len(found) == len(problems)
    assert all(any(each.startswith(start) for each in found) for start in problems)


@pytest.mark.parametrize(("table", "start"), [("refused_links", "found"), ("failed", "known"), ("refused", "known")])
def test_one_more_of_a_reason_is_a_problem(table: str, start: str) -> None:
    ledger = balanced()
    count(getattr(ledger, table), "another reason")
    (problem,) = ledger.problems()
    assert problem.startswith(start)
    assert "10 is not 11" in problem or "5 is not 6" in problem


def test_total_adds_numbers_and_reasons_and_changes_nothing() -> None:
    one, other = balanced(), balanced()
    count(other.refused, "address", 4)
    both = total([one, other])
    assert both.found == 20
    assert both.refused == {"robots": 2, "address": 4}
    assert one.refused == {"robots": 1}
    assert total([]) == Ledger()
    assert total([one]) == one


def test_stored_form() -> None:
    assert decode_ledger(encode_ledger(balanced())) == balanced()
    older = msgspec.msgpack.encode({"found": 3})
    assert decode_ledger(older) == Ledger(found=3)
    with pytest.raises(msgspec.DecodeError):
        decode_ledger(b"\xc1")


def test_ledgers_share_no_tables() -> None:
    one, other = Ledger(), Ledger()
    count(one.failed, "timeout")
    assert other.failed == {}
