"""The witness itself: what the web of many hosts serves, and what it judges."""

from __future__ import annotations

import gzip
import http.client
import re
import socket

import dns.message
import pytest

from tests.servers import debian, many_hosts


def asked(web: many_hosts.Web, host: int, path: str) -> bytes:
    address = many_hosts.addresses_of(7)[host % 7]
    connection = http.client.HTTPConnection(address, web.port, timeout=10)
    connection.request("GET", path, headers={"Host": f"h{host}.test:{web.port}"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200
    return gzip.decompress(body) if answer.getheader("Content-Encoding") == "gzip" else body


def address_of(web: many_hosts.Web, name: str) -> str:
    server, _, port = web.nameserver.partition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as questioner:
        questioner.settimeout(10)
        questioner.sendto(dns.message.make_query(name, "A").to_wire(), (server, int(port)))
        answer = dns.message.from_wire(questioner.recv(4096)).answer
    return answer[0][0].to_text() if answer else ""


def test_pages_differ_hubs_name_all_hosts_and_haste_is_noticed() -> None:
    try:
        debian.site(many_hosts.SITES[0])
    except debian.UnavailableError as reason:
        pytest.skip(str(reason))
    with many_hosts.serve(hosts=50, addresses=7, hubs=3) as web:
        pages = {asked(web, host, path) for host in (3, 4, 13) for path in ("/", "/p/1", "/p/2")}
        named = {int(number) for hub in range(3) for number in re.findall(rb"//h(\d+)\.test", asked(web, hub, "/hub"))}
        assert b"Disallow" in asked(web, 3, "/robots.txt")
        assert address_of(web, "h9.test") == many_hosts.addresses_of(7)[9 % 7]
        assert address_of(web, "h50.test") == ""
    assert len(pages) == 9
    assert all(40_000 < len(page) < 70_000 and page.endswith(b"</html>\n") for page in pages)
    assert named == set(range(50))
    counts = {name: web.stats[name] for name in ("pages", "hubs", "robots", "hosts_asked", "questions")}
    assert counts == {"pages": 9, "hubs": 3, "robots": 1, "hosts_asked": 6, "questions": 2}
    assert web.stats["gaps_too_short"] >= 6
