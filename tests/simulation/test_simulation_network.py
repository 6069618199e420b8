"""The simulated fetcher, resolver, parser and offload keep their ports' promises, and the servers write it all down."""

import asyncio
import gzip

import pytest

from gossamer.core.http.exchange import FailureKind, FetchLimits, FetchRequest
from gossamer.simulation.clock import EPOCH, SimLoop
from gossamer.simulation.entropy import SimEntropy
from gossamer.simulation.network import Network, SimFetcher, SimResolver
from gossamer.simulation.offload import SimOffload
from gossamer.simulation.parser import SimParser
from gossamer.simulation.server import render
from gossamer.simulation.world import (
    NEVER_ENDS,
    Authority,
    Link,
    Outage,
    Page,
    PageKind,
    Robots,
    RobotsKind,
    SimHost,
    Stumble,
    Trouble,
    World,
)

LIMITS = FetchLimits(10.0, 20.0, 120.0, 500, 20, 1 << 18, 1 << 20)


def make_world(**options):
    origin = "http://a.example"
    host = SimHost(
        name="a.example",
        site="a.example",
        addresses=options.pop("addresses", ("20.0.0.1",)),
        authorities=(Authority(origin, Robots(RobotsKind.ALLOW)),),
        one_way_seconds=0.01,
        service_seconds=0.1,
        **options,
    )
    pages = [
        Page(f"{origin}/", words="Root", links=(Link(f"{origin}/x"), Link(f"{origin}/y", nofollow=True))),
        Page(f"{origin}/png", kind=PageKind.MEDIA),
        Page(f"{origin}/gz", words="Packed", gzip=True),
        Page(f"{origin}/slow", words="Slow", stumbles=(Stumble.SILENCE, Stumble.RESET, Stumble.TOO_MANY)),
    ]
    return World(0, {host.name: host}, {page.url: page for page in pages})


def fetch(world, *urls, addresses=("20.0.0.1",), wanted=None):
    network = Network(world)

    async def work():
        fetcher = SimFetcher(network)
        return [await fetcher.fetch(FetchRequest(url, addresses, (), LIMITS, wanted)) for url in urls]

    return SimLoop().run_until_complete(work()), network.log


def test_a_page_arrives_after_its_flight_and_is_logged():
    [exchange], [contact] = fetch(make_world(), "http://a.example/")
    assert (exchange.status, exchange.failure) == (200, None)
    assert exchange.started == contact.start == EPOCH
    assert exchange.ended == contact.end == pytest.approx(EPOCH + 0.14)
    assert exchange.address == "20.0.0.1"
    assert exchange.head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert exchange.request.startswith(b"GET / HTTP/1.1\r\n")
    assert exchange.body.read().startswith(b"<!doctype html>")
    assert contact.final


def test_unwanted_media_come_without_a_body():
    [exchange], _ = fetch(make_world(), "http://a.example/png", wanted=frozenset({"text/html"}))
    assert exchange.unwanted
    assert exchange.body.size == 0


def test_content_coding_is_kept():
    [exchange], _ = fetch(make_world(), "http://a.example/gz")
    assert exchange.header("content-encoding") == "gzip"
    assert b"Packed" in gzip.decompress(exchange.body.read())


def test_stumbles_are_failures_then_an_answer():
    exchanges, log = fetch(make_world(), *["http://a.example/slow"] * 4)
    assert [each.failure for each in exchanges] == [FailureKind.TIMEOUT, FailureKind.RESET, None, None]
    assert [each.status for each in exchanges] == [0, 0, 429, 200]
    assert exchanges[0].ended - exchanges[0].started > LIMITS.first_byte_seconds
    assert [contact.final for contact in log] == [False, False, False, True]
    assert 18.0 < log[2].retry_after <= 20.0


@pytest.mark.parametrize(
    ("trouble", "failure"),
    [
        (Trouble.CONNECT_REFUSED, FailureKind.CONNECT_REFUSED),
        (Trouble.CONNECT_TIMEOUT, FailureKind.CONNECT_TIMEOUT),
        (Trouble.RESET, FailureKind.RESET),
    ],
)
def test_outages_end(trouble, failure):
    world = make_world(outages=(Outage(EPOCH, EPOCH + 0.02, trouble),))
    exchanges, _ = fetch(world, "http://a.example/", "http://a.example/")
    assert [each.failure for each in exchanges] == [failure, None]


def test_a_wrong_address_answers_nothing():
    [exchange], _ = fetch(make_world(), "http://a.example/", addresses=("20.9.9.9",))
    assert exchange.failure is FailureKind.CONNECT_REFUSED


def test_a_cancelled_fetch_ends_in_the_log():
    network = Network(make_world())

    async def work():
        request = FetchRequest("http://a.example/", ("20.0.0.1",), (), LIMITS)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(SimFetcher(network).fetch(request), 0.05)

    SimLoop().run_until_complete(work())
    assert network.log[0].end == EPOCH + 0.05


def test_a_kill_ends_every_connection():
    network = Network(make_world())

    async def work():
        task = asyncio.ensure_future(
            SimFetcher(network).fetch(FetchRequest("http://a.example/", ("20.0.0.1",), (), LIMITS))
        )
        await asyncio.sleep(0.05)
        network.drop_all(asyncio.get_running_loop().time())
        await task

    SimLoop().run_until_complete(work())
    assert network.log[0].end == EPOCH + 0.05
    assert network.process == 1


@pytest.mark.parametrize(
    ("addresses", "trouble", "expected", "failure"),
    [
        (("20.0.0.1",), None, ("20.0.0.1",), None),
        (("10.0.0.1", "20.0.0.1"), None, ("20.0.0.1",), None),
        (("10.0.0.1",), None, (), FailureKind.ADDRESS_REFUSED),
        (("20.0.0.1",), Trouble.NAME_PRIVATE, (), FailureKind.ADDRESS_REFUSED),
        (("20.0.0.1",), Trouble.NAME_NOT_FOUND, (), FailureKind.NAME_NOT_FOUND),
        (("20.0.0.1",), Trouble.NAME_FAILED, (), FailureKind.NAME_FAILED),
    ],
)
def test_names(addresses, trouble, expected, failure):
    outages = (Outage(EPOCH, NEVER_ENDS, trouble),) if trouble else ()
    resolver = SimResolver(make_world(addresses=addresses, outages=outages))
    answer = SimLoop().run_until_complete(resolver.resolve("a.example"))
    assert (answer.addresses, answer.failure) == (expected, failure)
    assert answer.expires > EPOCH


@pytest.mark.parametrize(
    ("literal", "failure"),
    [
        ("20.7.7.7", None),
        ("2a00:7::7", None),
        ("127.0.0.1", FailureKind.ADDRESS_REFUSED),
        ("::1", FailureKind.ADDRESS_REFUSED),
    ],
)
def test_literals_answer_themselves(literal, failure):
    answer = SimLoop().run_until_complete(SimResolver(make_world()).resolve(literal))
    assert answer.failure is failure


def test_the_parser_reads_what_the_servers_render():
    page = make_world().pages["http://a.example/"]
    document = SimParser().parse(render(page), page.url, "text/html", ())
    assert document.title == "Root"
    assert document.links.urls == ["http://a.example/x", "http://a.example/y"]
    assert list(document.links.flags) == [0, 1]
    assert not document.directives.nofollow


@pytest.mark.parametrize(("body", "word"), [(b"", "empty"), (bytes(range(256)), "binary")])
def test_the_parser_marks_what_it_cannot_read(body, word):
    assert SimParser().parse(body, "http://a.example/", "", ()).malformed == word


def test_the_parser_obeys_page_directives():
    page = Page("http://a.example/", nofollow=True, links=(Link("http://a.example/x"), Link("", junk="mailto:x@y")))
    document = SimParser().parse(render(page), page.url, "", ())
    assert document.directives.nofollow
    assert document.links.dropped == {"mailto": 1}
    assert SimParser().parse(b"<html>", page.url, "", ("noindex, nofollow",)).directives.nofollow


def test_offloaded_work_takes_time_and_raises_here():
    async def work():
        offload = SimOffload(SimEntropy(1).dice())
        moments = [await offload.run(asyncio.get_running_loop().time) for _ in range(20)]
        with pytest.raises(ZeroDivisionError):
            await offload.run(lambda: 1 // 0)
        return moments

    moments = SimLoop().run_until_complete(work())
    assert moments == sorted(moments)
    assert moments[-1] > EPOCH
