"""What name servers say is archived, once for each look-up; what nobody was asked for is not."""

from __future__ import annotations

import json

import pytest

from gossamer import warc
from gossamer.core.dns.answer import Answer
from gossamer.core.http.exchange import FailureKind
from gossamer.core.warc.lookup import parse_line
from gossamer.flow.loop import resolve
from gossamer.simulation.clock import EPOCH
from tests.workers import ADDRESS, Bench, StillClock, Web, run

URL = "http://a.test/"


class Servers(Web):
    """Answers with what it is told."""

    answer: Answer

    async def resolve(self, host: str) -> Answer:
        del host
        return self.answer


def archived(answer: Answer) -> list[str]:
    """The index lines after a host was looked up."""
    web = Servers()
    web.answer = answer
    bench = Bench(web=web, clock=StillClock())
    host_id = bench.lease(URL).host_id
    before = bench.archive.captures()
    run(resolve(bench.worker, bench.shard, host_id, "a.test"))
    run(bench.worker.committer.commit())
    lines = bench.archive.captures()[len(before) :]
    for line in lines:
        place = parse_line(line.encode(), "archive/")
        assert place is not None
        (record,) = warc.read(bench.archive.record(place.place))
        assert (record.kind, record.url, record.field("Content-Type")) == ("resource", "dns:a.test", "text/dns")
        assert record.block_digest_matches()
        assert record.block.splitlines()[1:] == [b"a.test.\t60\tIN\tA\t" + ADDRESS.encode()]
    return lines


def test_a_fresh_answer_is_archived_and_indexed() -> None:
    moment = EPOCH + 1e9
    (line,) = archived(Answer((ADDRESS,), moment + 60, answered=moment))
    assert line.startswith("dns:a.test ")
    assert json.loads(line.split(" ", 2)[2])["mime"] == "text/dns"


@pytest.mark.parametrize(
    "answer",
    [
        Answer((ADDRESS,), EPOCH + 60),
        Answer((ADDRESS,), EPOCH + 60, answered=EPOCH - 10),
        Answer((), EPOCH + 60, FailureKind.NAME_NOT_FOUND, answered=EPOCH + 1e9),
    ],
    ids=["given by hand", "remembered", "no address"],
)
def test_what_nobody_was_asked_for_is_not(answer: Answer) -> None:
    assert archived(answer) == []
