"""The judge of the commit order sees a commit that is out of order: a check nobody has seen fail is none."""

from __future__ import annotations

import pytest

from proofs.commit_order import Judge

WARC = "5</c/archive/a.warc.gz>"
LOG = "7</c/state/shard-000/000012.log>"
FOLDER = "9</c/archive>"
NEW = 'AT_FDCWD, "/c/archive/a.warc.gz", O_WRONLY|O_CREAT'

ORDERS = {
    "in order": ([("openat", NEW), ("write", WARC), ("fsync", WARC), ("fsync", FOLDER), ("write", LOG)], 0),
    "file not synced": ([("openat", NEW), ("write", WARC), ("fsync", FOLDER), ("write", LOG)], 1),
    "folder not synced": ([("openat", NEW), ("write", WARC), ("fsync", WARC), ("write", LOG)], 1),
    "rename not synced": ([("rename", '"/c/index/.x", "/c/index/x.cdxj"'), ("write", LOG)], 1),
    "log not synced": ([("write", WARC), ("fsync", WARC), ("write", LOG), ("write", WARC)], 1),
}


@pytest.mark.parametrize(("calls", "problems"), ORDERS.values(), ids=ORDERS.keys())
def test_judge(calls: list[tuple[str, str]], problems: int) -> None:
    judge = Judge()
    for call, arguments in calls:
        judge.see(call, arguments, 0)
    assert len(judge.problems) == problems
