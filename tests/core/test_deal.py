"""Which shards and files are whose."""

from __future__ import annotations

import pytest

from gossamer.core.deal import ALONE, Deal, newest_commits

FILES = (
    "archive/gossamer-20261201000259-00000-w0.warc.gz",
    "journal/.tmp-pages-20261201000259-00002-w13.arrows",
    "archive/strange",
)


@pytest.mark.parametrize("workers", [1, 2, 3, 16])
def test_each_shard_is_dealt_to_one_worker(workers: int) -> None:
    deals = [Deal(number, workers) for number in range(workers)]
    assert sorted(shard for deal in deals for shard in deal.shards(16)) == list(range(16))
    assert all(deal.owner_of(shard) == deal.worker for deal in deals for shard in deal.shards(16))


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize("workers", [1, 2, 3, 16])
def test_each_file_falls_to_one_worker(workers: int, path: str) -> None:
    assert sum(Deal(number, workers).owns_file(path) for number in range(workers)) == 1


def test_a_worker_owns_the_files_with_its_number() -> None:
    assert Deal(13, 16).owns_file(FILES[1])
    assert ALONE.owns_file(FILES[1])


def test_the_newest_commit_is_that_of_the_worker_that_had_the_shard() -> None:
    commits = {0: 7, 1: 12, 2: 9, 3: 3}
    assert newest_commits(commits, {0: 2, 1: 2, 2: 1, 3: 1}) == {0: 9, 1: 12, 2: 9, 3: 12}
    assert newest_commits(commits, {}) == dict.fromkeys(commits, 12)
    assert newest_commits({}, {}) == {}
