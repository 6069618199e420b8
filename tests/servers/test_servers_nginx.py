"""The witness itself: what nginx serves to tests, and what its log says."""

from __future__ import annotations

import http.client
from pathlib import Path

import pytest

from tests.servers.nginx import Host, free_port, nginx

CASES = [
    ("/", 200, "text/html", ""),
    ("/index.html.fr.utf8", 200, "text/html", ""),
    ("/notes.txt", 200, "text/plain", ""),
    ("/odd.unknown", 200, "application/octet-stream", ""),
    ("/folder", 301, "text/html", "/folder/"),
    ("/folder/", 404, "text/html", ""),
    ("/gone.html", 404, "text/html", ""),
    ("/dangling.html", 404, "text/html", ""),
    ("/busy", 503, "text/html", ""),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    site = tmp_path / "a site"
    (site / "folder").mkdir(parents=True)
    for name in ("index.html", "index.html.fr.utf8", "notes.txt", "odd.unknown", "folder/x.html"):
        (site / name).write_text("<title>x</title>")
    (site / "dangling.html").symlink_to("../elsewhere/x.html")
    return site


def test_what_is_served_and_what_is_logged(root: Path, tmp_path: Path, nginx_program: str) -> None:
    port = free_port()
    host = Host(("docs.test",), root, (("127.0.0.1", port), ("127.0.0.2", port)), "location = /busy { return 503; }")
    with nginx([host], tmp_path / "nginx") as server:
        for address in ("127.0.0.1", "127.0.0.2"):
            connection = http.client.HTTPConnection(address, port, timeout=10)
            for path, status, media, location in CASES:
                connection.request("GET", path, headers={"Host": "docs.test"})
                answer = connection.getresponse()
                body = answer.read()
                assert (answer.status, answer.getheader("Content-Type")) == (status, media), path
                assert (answer.getheader("Location") or "").endswith(location)
                assert status != 200 or body == b"<title>x</title>"
            connection.close()
    hits = server.hits()
    assert [(hit.uri, hit.status) for hit in hits] == [(path, status) for path, status, *_ in CASES] * 2
    assert {hit.host for hit in hits} == {"docs.test"}
    assert [hit.address for hit in hits] == ["127.0.0.1"] * len(CASES) + ["127.0.0.2"] * len(CASES)
    assert len({hit.connection for hit in hits}) == 2
    assert all(hit.started <= hit.ended for hit in hits)
    assert not Path(f"/proc/{server.pid}").exists()


def test_a_configuration_that_does_not_start_says_why(root: Path, tmp_path: Path, nginx_program: str) -> None:
    host = Host(("docs.test",), root, (("127.0.0.1", free_port()),), "no_such_directive on;")
    with pytest.raises(RuntimeError, match="no_such_directive"), nginx([host], tmp_path / "nginx"):
        pass
