"""The report of a visit: record, books, rows, archive and frontier, all of one piece."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from gossamer.core.frontier.commands import Refuse
from gossamer.core.frontier.lease import LeaseKind
from gossamer.core.frontier.records import RETRY, PageState, retry_due
from gossamer.core.http.exchange import FailureKind, Truncation
from gossamer.core.limits import REDIRECT_HOPS_MAX, ROBOTS_BYTES_MAX, URL_TRIES_MAX
from gossamer.core.robots.answer import RobotsKind
from gossamer.flow.finished import Finished
from gossamer.flow.reading import read
from gossamer.flow.report import ATTEMPTS_KEPT, refuse_queued, report_file, report_page
from gossamer.ports.exchange import Claim
from tests.workers import HTML, Bench, Reply, exchange, page, run

if TYPE_CHECKING:
    from gossamer.core.frontier.lease import Lease
    from gossamer.core.frontier.records import PageRecord

URL = "http://a.test/page"
PAGE = page("/other", title="Title")
TAGGED = (*HTML, ("ETag", '"tag"'), ("Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT"))


def visited(bench: Bench, reply: Reply, url: str = URL, earlier: Claim | None = None) -> tuple[Claim | None, Lease]:
    """A URL leased and its visit reported."""
    lease = bench.lease(url)
    return report(bench, lease, reply, earlier), lease


def report(bench: Bench, lease: Lease, reply: Reply, earlier: Claim | None = None) -> Claim | None:
    done = exchange(lease.url, reply, started=bench.clock.now())
    done.unwanted = reply.headers == PDF
    finished = Finished(lease, done, read(done, lease.url, bench.worker.parser), earlier)
    return report_page(bench.worker, bench.owner(lease.url), finished)


PDF = (("Content-Type", "application/pdf"),)


def rows(bench: Bench, dataset: str) -> list[dict[str, Any]]:
    """The rows that a commit brings."""
    run(bench.worker.committer.commit())
    return bench.datasets.rows(dataset)


def record_of(bench: Bench, url: str = URL) -> PageRecord:
    record = bench.record(url)
    assert record is not None
    return record


@pytest.mark.parametrize(
    ("reply", "state", "reason", "outcome"),
    [
        (Reply(PAGE), PageState.DONE, "", "fetched"),
        (Reply(status=404), PageState.GONE, "http 404", "failed"),
        (Reply(status=410), PageState.GONE, "http 410", "failed"),
        (Reply(status=403), PageState.FAILED, "http 403", "failed"),
        (Reply(PAGE, headers=PDF), PageState.REFUSED, "media type", "refused"),
        (Reply(status=301, headers=(("Location", "/2"),)), PageState.DONE, "", "redirected"),
        (Reply(status=301, headers=(("Location", "ftp://x/"),)), PageState.FAILED, None, "failed"),
        (Reply(failure=FailureKind.ADDRESS_REFUSED), PageState.REFUSED, "address", "refused"),
    ],
)
def test_what_ends_a_url(reply: Reply, state: PageState, reason: str | None, outcome: str) -> None:
    bench = Bench()
    visited(bench, reply)
    record = record_of(bench)
    assert record.state == state
    assert reason is None or record.reason == reason
    assert len(record.attempts) == 1
    (row,) = rows(bench, "pages")
    assert (row["url"], row["outcome"], row["kind"]) == (URL, outcome, "page")
    assert row["reason"] == record.reason
    refused = [each["reason"] for each in rows(bench, "refused") if each["url"] == URL]
    assert refused == ([record.reason] if state in (PageState.FAILED, PageState.REFUSED) else [])
    assert bench.problems() == []
    assert bench.shard.ledger.queued == bench.shard.ledger.known - 1


@pytest.mark.parametrize(
    ("reply", "queued_again", "tries"),
    [
        (Reply(status=500), "retry", 1),
        (Reply(status=503), "retry", 1),
        (Reply(failure=FailureKind.TIMEOUT), "retry", 1),
        (Reply(failure=FailureKind.BAD_ANSWER), "retry", 1),
        (Reply(failure=FailureKind.CONNECT_REFUSED), "back", 0),
        (Reply(failure=FailureKind.CLOSED), "back", 0),
    ],
)
def test_what_is_tried_again(reply: Reply, queued_again: str, tries: int) -> None:
    bench = Bench()
    _, lease = visited(bench, reply)
    record = record_of(bench)
    assert (record.state, record.tries) == (PageState.QUEUED, tries)
    if queued_again == "retry":
        assert record.queue == RETRY
        assert retry_due(record.order) == pytest.approx(bench.clock.now() + reply.seconds + 10.0, abs=0.002)
    else:
        assert lease.entry is not None
        assert (record.queue, record.order) == (0, lease.entry.order)
    assert bench.shard.ledger.queued == 1
    assert bench.problems() == []


def test_a_url_that_always_breaks_fails_after_its_tries() -> None:
    bench = Bench()
    _, _ = visited(bench, Reply(status=500))
    for _ in range(URL_TRIES_MAX - 1):
        report(bench, bench.next_lease(bench.shard), Reply(status=500))
    record = record_of(bench)
    assert (record.state, record.reason) == (PageState.FAILED, "http 500")
    assert bench.shard.ledger.failed == {"http 500": 1}
    assert [row["attempt"] for row in rows(bench, "pages")] == [1, 2, 3]


def test_attempts_kept_are_bounded() -> None:
    bench = Bench()
    visited(bench, Reply(failure=FailureKind.CLOSED))
    for _ in range(2 * ATTEMPTS_KEPT):
        report(bench, bench.next_lease(bench.shard), Reply(failure=FailureKind.CLOSED))
    assert len(record_of(bench).attempts) == ATTEMPTS_KEPT


def test_the_record_holds_what_a_recrawl_needs() -> None:
    bench = Bench()
    claim, _ = visited(bench, Reply(PAGE, headers=TAGGED))
    record = record_of(bench)
    assert (record.etag, record.last_modified) == ('"tag"', "Mon, 01 Jan 2024 00:00:00 GMT")
    assert len(record.digest) == 32
    assert record.file.startswith("archive/")
    assert claim == Claim(URL, record.captured_at, record.record_id, record.payload_digest)
    assert bench.worker.newest == URL


def test_the_capture_is_in_the_archive_and_its_index() -> None:
    bench = Bench()
    visited(bench, Reply(PAGE))
    (row,) = rows(bench, "pages")
    (line,) = bench.archive.captures()
    assert URL in line
    assert row["warc"] in bench.folder.files
    data = bench.folder.files[row["warc"]][row["offset"] : row["offset"] + row["length"]]
    assert b"WARC-Type: response" in data
    assert PAGE in data


@pytest.mark.parametrize(
    ("reply", "digest"), [(Reply(b""), False), (Reply(PAGE, truncated=Truncation.LENGTH), False), (Reply(PAGE), True)]
)
def test_only_whole_bodies_are_claimed(reply: Reply, digest: bool) -> None:
    bench = Bench()
    claim, _ = visited(bench, reply)
    assert (claim is not None) is digest
    assert bool(record_of(bench).digest) is digest


def test_a_copy_is_a_revisit_counted_and_not_followed() -> None:
    bench = Bench()
    first, _ = visited(bench, Reply(PAGE), "http://b.test/first")
    assert first is not None
    claim, _ = visited(bench, Reply(PAGE), earlier=first)
    assert claim is None
    assert record_of(bench).copy_of == "http://b.test/first"
    assert (bench.shard.ledger.copies, bench.shard.ledger.pages) == (1, 2)
    assert bench.shard.ledger.refused_links == {}, "the links of a seed are always followed"
    assert [row["copy_of"] for row in rows(bench, "pages")] == ["", "http://b.test/first"]
    revisit = bytes(bench.folder.files[record_of(bench).file])[record_of(bench).offset :]
    assert b"WARC-Type: revisit" in revisit[: record_of(bench).length]


def test_the_same_body_under_the_same_url_is_unchanged_and_no_copy() -> None:
    bench = Bench()
    visited(bench, Reply(PAGE), earlier=Claim(URL, 1.0, "<urn:uuid:1>", "sha1:X"))
    assert record_of(bench).copy_of == ""
    assert bench.shard.ledger.copies == 0


# --- redirects that stay on their key --------------------------------------------------------------------------------


def redirect(location: str, cookie: str = "") -> Reply:
    headers = [("Location", location), *([("Set-Cookie", cookie)] if cookie else [])]
    return Reply(status=302, headers=tuple(headers))


def test_a_redirect_to_the_same_key_is_leased_again_under_the_new_spelling() -> None:
    bench = Bench()
    visited(bench, redirect("/%7Eme"), "http://a.test/~me")
    record = bench.record("http://a.test/~me")
    assert record is not None
    assert (record.url, record.state, record.queue) == ("http://a.test/%7Eme", PageState.QUEUED, RETRY)
    report(bench, bench.next_lease(bench.shard), Reply(PAGE))
    record = bench.record("http://a.test/~me")
    assert record is not None
    assert (record.state, record.tried, record.cookies) == (PageState.DONE, [], [])
    assert [row["url"] for row in rows(bench, "pages")] == ["http://a.test/~me", "http://a.test/%7Eme"]
    assert bench.problems() == []


def test_a_cookie_wall_is_passed_and_its_cookie_goes_with_the_chain_only() -> None:
    bench = Bench()
    visited(bench, redirect(URL, "a=1"))
    assert record_of(bench).cookies == [("a", "1")]
    lease = bench.next_lease(bench.shard)
    assert lease.entry is not None
    assert lease.entry.record.cookies == [("a", "1")]
    report(bench, lease, Reply(PAGE))
    assert record_of(bench).cookies == []


def test_a_redirect_that_comes_back_is_a_loop() -> None:
    bench = Bench()
    visited(bench, redirect(URL))
    record = record_of(bench)
    assert (record.state, record.reason) == (PageState.FAILED, "redirect loop")


def test_a_chain_of_ever_new_cookies_ends() -> None:
    bench = Bench()
    visited(bench, redirect(URL, "n=0"))
    for number in range(1, 2 * REDIRECT_HOPS_MAX):
        if record_of(bench).state != PageState.QUEUED:
            break
        report(bench, bench.next_lease(bench.shard), redirect(URL, f"n={number}"))
    assert record_of(bench).reason == "redirect loop"
    assert len(rows(bench, "pages")) == REDIRECT_HOPS_MAX + 1


# --- robots.txt and refusals -----------------------------------------------------------------------------------------


def robots_lease(bench: Bench) -> Lease:
    lease = bench.lease(URL)
    shard = bench.shard
    robots = replace(
        lease, kind=LeaseKind.ROBOTS, entry=None, url="http://a.test/robots.txt", authority="http://a.test"
    )
    shard.frontier.leases[robots.number] = robots
    return robots


def report_of_robots(bench: Bench, reply: Reply) -> None:
    lease = robots_lease(bench)
    bench.worker.budget.pages_reserved = 0
    done = exchange(lease.url, reply, started=bench.clock.now())
    report_file(bench.worker, bench.shard, Finished(lease, done, read(done, lease.url, bench.worker.parser)))


FILE = b"User-agent: *\nDisallow: /x\n"
LONG = FILE + b"#" * ROBOTS_BYTES_MAX
PACKED = (("Content-Encoding", "gzip"),)


@pytest.mark.parametrize(
    ("reply", "kind", "body"),
    [
        (Reply(FILE), RobotsKind.RULES, FILE),
        (Reply(b""), RobotsKind.RULES, b""),
        (Reply(gzip.compress(FILE), headers=PACKED), RobotsKind.RULES, FILE),
        (Reply(status=404), RobotsKind.ALLOW_ALL, b""),
        (Reply(FILE, status=404, truncated=Truncation.LENGTH), RobotsKind.ALLOW_ALL, b""),
        (Reply(status=503), RobotsKind.UNREACHABLE, b""),
        # A file that ends early may lack the line that forbids, whoever cut it: the network, a cap, a damaged coding.
        (Reply(FILE, truncated=Truncation.DISCONNECT), RobotsKind.UNREACHABLE, b""),
        (Reply(FILE, truncated=Truncation.LENGTH), RobotsKind.UNREACHABLE, b""),
        (Reply(gzip.compress(FILE)[:-9], headers=PACKED), RobotsKind.UNREACHABLE, b""),
        # What is longer than is read of it rules with its beginning.
        (Reply(LONG), RobotsKind.RULES, LONG[: ROBOTS_BYTES_MAX + 1]),
        (Reply(LONG, truncated=Truncation.LENGTH), RobotsKind.RULES, LONG[: ROBOTS_BYTES_MAX + 1]),
        (Reply(gzip.compress(LONG), headers=PACKED), RobotsKind.RULES, LONG[: ROBOTS_BYTES_MAX + 1]),
    ],
)
def test_a_robots_txt_is_archived_and_host_state(reply: Reply, kind: RobotsKind, body: bytes) -> None:
    bench = Bench()
    report_of_robots(bench, reply)
    (loaded,) = bench.shard.load_hosts([bench.worker.rules.ids.host_id("a.test")])
    assert loaded is not None
    robots = loaded.robots["http://a.test"]
    assert (robots.kind, robots.body) == (kind, body)
    (row,) = rows(bench, "pages")
    assert (row["kind"], row["url"], row["hops"]) == ("robots", "http://a.test/robots.txt", "P")
    assert bench.record("http://a.test/robots.txt") is None, "it is no known URL"
    assert (bench.shard.ledger.fetches, bench.shard.ledger.pages) == (1, 0)
    assert len(bench.archive.captures()) == 1


def test_a_queued_url_that_is_refused_ends_with_its_reason() -> None:
    bench = Bench()
    lease = bench.lease(URL)
    shard = bench.shard
    assert lease.entry is not None
    shard.ledger.queued -= 1
    refuse_queued(bench.worker, shard, Refuse(lease.host_id, lease.entry, "robots", "Disallow: /"))
    record = record_of(bench)
    assert (record.state, record.reason) == (PageState.REFUSED, "robots")
    assert shard.ledger.refused == {"robots": 1}
    assert [(row["url"], row["reason"]) for row in rows(bench, "refused")] == [(URL, "robots")]
    assert bench.problems() == []
