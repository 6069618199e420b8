"""Crawls with settings of single hosts: log-ins, jars, proxies, several connections, and what of it is kept."""

from __future__ import annotations

import gzip
import json
import time
from typing import TYPE_CHECKING

import pytest
from warcio.archiveiterator import ArchiveIterator

from gossamer.app.cli import main
from tests import crawls
from tests.operator_crawl import told
from tests.servers import proxies, small_site
from tests.servers.small_site import Answer, Asked, page, redirect, robots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = "geheim-4711"
BEARER = f"Bearer {SECRET}"
NAMES = ("own.test", "other.test")
RESOLVED = [part for name in NAMES for part in ("--resolve", f"{name}=127.0.0.1")]
DENIED = Answer(b"who are you?", 401, fields=(("WWW-Authenticate", "Bearer"), ("Set-Cookie", "denied=1")))


def behind_login(answer: Answer) -> small_site.Behaviour:
    def behave(asked: Asked, _: int) -> Answer:
        return answer if asked.fields.get("authorization") == BEARER else DENIED

    return behave


def with_session(answer: Answer) -> small_site.Behaviour:
    def behave(asked: Asked, _: int) -> Answer:
        return answer if f"session={SECRET}" in asked.fields.get("cookie", "") else DENIED

    return behave


def records(crawl: crawls.Crawl) -> Iterator[tuple[str, str, str]]:
    """Type, URL, and block of each record, read by warcio, which checks the digests."""
    for path in crawl.warcs():
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
        with path.open("rb") as file:
            for record in ArchiveIterator(file, no_record_parse=True):
                block = record.raw_stream.read().decode("latin-1")
                yield record.rec_type, record.rec_headers.get_header("WARC-Target-URI") or "", block


def everything(folder: Path) -> bytes:
    """All bytes of a crawl folder, archives unpacked; what the stores compress is looked at before they do."""
    parts: list[bytes] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            parts.append(gzip.decompress(data) if path.suffix == ".gz" else data)
    return b"".join(parts)


@pytest.fixture
def login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_TOKEN", SECRET)


def logged_in(site: small_site.Site) -> None:
    """A site of two hosts: one wants a log-in, and leads to the other in every way there is."""
    away = site.url("/robots.txt", "other.test")
    site.table |= {
        "//own.test/robots.txt": behind_login(robots("User-agent: *", "Disallow: /never")),
        "//own.test/": behind_login(page("/inside", "/moved", site.url("/linked", "other.test"), title="start")),
        "//own.test/inside": behind_login(
            Answer(page(title="inside").body, fields=(("Set-Cookie", f"session={SECRET}"),))
        ),
        "//own.test/moved": redirect(site.url("/target", "other.test"), 302),
        "//other.test/linked": Answer(page(title="linked").body, fields=(("Set-Cookie", "theirs=1"),)),
        "//other.test/target": page(title="target"),
        "//other.test/robots.txt": redirect(away + "?again"),
        "//other.test/robots.txt?again": robots("User-agent: *", "Allow: /"),
    }


def test_a_log_in_is_for_one_host_and_its_secret_is_nowhere_in_the_folder(
    tmp_path: Path, login: None, capsys: pytest.CaptureFixture[str]
) -> None:
    with small_site.serve({}) as site:
        logged_in(site)
        own, other = site.url("/", "own.test"), site.url("/target", "other.test")
        code, crawl = crawls.crawl(
            tmp_path / "c", own, other, *RESOLVED, "--scope", "any", "--set", "hosts.own.test.auth=bearer OUR_TOKEN",
            "--set", "log.level=debug",
        )  # fmt: skip
        assert code == 0
        told_to = {
            name: [each.fields.get("authorization") for each in site.begun if each.host == name] for name in NAMES
        }
    assert set(told_to["own.test"]) == {BEARER}
    assert len(told_to["own.test"]) == 4, "its robots.txt, too"
    assert set(told_to["other.test"]) == {None}
    assert len(told_to["other.test"]) >= 3
    assert {page["host"] for page in crawl.fetched().values()} == set(NAMES)
    assert SECRET.encode() not in everything(crawl.folder)
    for asked in (("explain", str(crawl.folder), own), ("hosts", str(crawl.folder), "own.test")):
        for flags in ((), ("--json",)):
            assert SECRET not in told(*asked, *flags).stdout
    assert "hosts.own.test.auth = bearer OUR_TOKEN" in told("hosts", crawl.folder, "own.test").stdout
    assert SECRET not in "".join(capsys.readouterr())


def test_what_is_blanked_in_the_archive_is_seen_and_valid(tmp_path: Path, login: None) -> None:
    with small_site.serve({}) as site:
        logged_in(site)
        auth = ("--set", "hosts.own.test.auth=bearer OUR_TOKEN")
        linked = site.url("/linked", "other.test")
        _, crawl = crawls.crawl(tmp_path / "c", site.url("/", "own.test"), linked, *RESOLVED, *auth)
        _, kept = crawls.crawl(
            tmp_path / "k", site.url("/", "own.test"), linked, *RESOLVED, *auth, "--set", "archive.keep_secrets=true"
        )
        inside = site.url("/inside", "own.test")
    blocks = {(kind, url): block for kind, url, block in records(crawl)}
    assert "Authorization: [blanked]\r\n" in blocks["request", inside]
    assert "Set-Cookie: [blanked]\r\n" in blocks["response", inside]
    assert "Set-Cookie: theirs=1\r\n" in blocks["response", linked], "who has no log-in has no secret"
    assert "blanked: values of Authorization" in blocks["warcinfo", ""]
    whole = {(kind, url): block for kind, url, block in records(kept)}
    assert f"Authorization: {BEARER}\r\n" in whole["request", inside]
    assert f"Set-Cookie: session={SECRET}\r\n" in whole["response", inside]
    assert "blanked" not in whole["warcinfo", ""]


def test_a_cookie_opens_what_is_behind_it_during_the_run(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        given = Answer(page("/inside").body, fields=(("Set-Cookie", f"session={SECRET}; Path=/"),))
        site.table |= {
            "//own.test/": given,
            "//own.test/inside": with_session(page("/deeper", site.url("/", "other.test"))),
            "//own.test/deeper": with_session(page(title="deeper")),
            "//other.test/": page(title="other"),
        }
        seeds = (site.url("/", "own.test"), *RESOLVED, "--scope", "any", "--max-depth", "2")
        _, crawl = crawls.crawl(tmp_path / "c", *seeds, "--set", "hosts.own.test.cookies=true")
        cookies = {each.fields.get("cookie") for each in site.begun if each.host == "other.test"}
        assert set(crawl.fetched()) >= {site.url("/deeper", "own.test"), site.url("/", "other.test")}
        assert cookies == {None}
        assert SECRET.encode() not in everything(crawl.folder)
        _, without = crawls.crawl(tmp_path / "w", *seeds)
        assert site.url("/inside", "own.test") not in without.fetched()


def test_a_cookie_file_is_what_a_jar_begins_with(tmp_path: Path) -> None:
    (tmp_path / "cookies.txt").write_text(f"own.test\tFALSE\t/\tFALSE\t0\tsession\t{SECRET}\n")
    (tmp_path / "c.toml").write_text('[hosts."own.test"]\ncookies = "cookies.txt"\n')
    with small_site.serve({"//own.test/": with_session(page(title="in"))}) as site:
        _, crawl = crawls.crawl(tmp_path / "c", site.url("/", "own.test"), *RESOLVED, "--config", tmp_path / "c.toml")
        assert site.url("/", "own.test") in crawl.fetched()


def test_fields_and_the_end_of_the_user_agent(tmp_path: Path) -> None:
    with small_site.serve({"/": page(title="x")}) as site:
        crawls.crawl(
            tmp_path / "c", site.url("/", "own.test"), site.url("/", "other.test"), *RESOLVED,
            "--set", 'hosts.own.test.headers={"Accept-Language" = "de", "X-Team" = "web"}',
            "--set", "hosts.own.test.user_agent_suffix=(nightly)",
        )  # fmt: skip
        own = [each.fields for each in site.begun if each.host == "own.test"]
        assert all(fields["x-team"] == "web" and fields["user-agent"].endswith(" (nightly)") for fields in own)
        assert all("x-team" not in each.fields for each in site.begun if each.host == "other.test")


@pytest.mark.parametrize("scheme", ["socks5h", "http"])
def test_a_host_that_only_its_proxy_knows(tmp_path: Path, scheme: str) -> None:
    with small_site.serve({"/": page("/a", title="hidden"), "/a": page(title="a")}) as site:
        kind = proxies.http if scheme == "http" else proxies.socks5
        with kind(site.port) as proxy:
            _, crawl = crawls.crawl(
                tmp_path / "c", "http://hidden.onion/",
                "--set", f"hosts.hidden.onion.proxy={scheme}://127.0.0.1:{proxy.port}",
                "--set", "hosts.hidden.onion.proxy_resolves=true", "--set", "hosts.hidden.onion.mine=true",
                "--set", "hosts.hidden.onion.gap=0",
            )  # fmt: skip
            assert set(crawl.fetched()) == {"http://hidden.onion/", "http://hidden.onion/a"}, crawl.pages()
            assert {row["address"] for row in crawl.pages()} == {""}
            assert any("hidden.onion" in each for each in proxy.asked)


def test_a_proxy_that_is_told_addresses_is_told_only_those_that_are_allowed(tmp_path: Path) -> None:
    with small_site.serve({"/": page(title="x")}) as site, proxies.socks5(site.port) as proxy:
        _, crawl = crawls.crawl(
            tmp_path / "c", site.url("/", "own.test"), "http://inner.test/",
            *RESOLVED, "--resolve", "inner.test=10.0.0.1",
            "--set", f"hosts.own.test.proxy=socks5://127.0.0.1:{proxy.port}",
            "--set", f"hosts.inner.test.proxy=socks5://127.0.0.1:{proxy.port}",
        )  # fmt: skip
        assert set(crawl.fetched()) == {site.url("/", "own.test")}
        assert crawl.refused()["http://inner.test/"] == "address"
        assert set(proxy.asked) == {f"socks 127.0.0.1:{site.port}"}


def overlap(site: small_site.Site, host: str) -> int:
    """The most requests to a host that were under way at once."""
    hits = [hit for hit in site.hits() if hit.host == host]
    return max(sum(other.started <= hit.started < other.ended for other in hits) for hit in hits)


def test_several_at_once_are_for_the_owner_and_said_in_summary_and_archive(tmp_path: Path) -> None:
    links = [f"/{number}" for number in range(9)]
    slow: dict[str, small_site.Behaviour] = {link: Answer(page(title=link).body, seconds=0.15) for link in links}
    with small_site.serve({"/": page(*links), **slow}) as site:
        code, crawl = crawls.crawl(
            tmp_path / "c", site.url("/", "own.test"), site.url("/", "other.test"), *RESOLVED,
            "--set", "hosts.own.test.mine=true", "--set", "hosts.own.test.connections=3",
        )  # fmt: skip
        assert code == 0
        assert len(crawl.fetched()) == 20
        assert overlap(site, "own.test") == 3
        assert overlap(site, "other.test") == 1
    assert crawl.summary()["connections_raised"] == ["own.test: 3"]
    assert crawl.summary()["balanced"]
    info = next(block for kind, _, block in records(crawl) if kind == "warcinfo")
    assert "connections: own.test: 3\r\n" in info
    assert "robots: obey\r\n" in info


def test_an_ignored_robots_txt_is_not_fetched_and_that_is_said_everywhere(tmp_path: Path) -> None:
    rules = robots("User-agent: *", "Disallow: /")
    with small_site.serve({"/robots.txt": rules, "/": page("/a"), "/a": page(title="a")}) as site:
        seeds = (site.url("/", "own.test"), site.url("/", "other.test"), *RESOLVED)
        _, crawl = crawls.crawl(tmp_path / "c", *seeds)
        assert crawl.fetched() == {}
        first = crawl.warcs()
        url = site.url("/a", "own.test")
        own = ("--set", "hosts.own.test.mine=true", "--set", "hosts.own.test.robots=ignore", "--gap", "0")
        crawls.silently(["add", str(crawl.folder), url])
        asked = len([each for each in site.begun if each.target == "/robots.txt"])
        code, crawl = crawls.resume(crawl.folder, *own)
        assert code == 0
        assert set(crawl.fetched()) == {url}
        assert len([each for each in site.begun if each.target == "/robots.txt"]) == asked
    assert crawl.summary()["robots_ignored"] == ["own.test"]
    infos = [block for kind, _, block in records(crawl) if kind == "warcinfo"]
    assert len(crawl.warcs()) > len(first), "the file that says obey is not gone on with"
    assert "robots: obey; ignored for the operator's own: own.test\r\n" in infos[-1]
    assert "robots: obey\r\n" in infos[0]
    assert "ignored" in told("explain", crawl.folder, url).stdout


def test_the_card_says_where_a_hosts_own_gap_comes_from(tmp_path: Path) -> None:
    with small_site.serve({"/": page(title="x")}) as site:
        own = ("--set", "hosts.own.test.gap=0.25")
        _, crawl = crawls.crawl(tmp_path / "c", site.url("/", "own.test"), *RESOLVED, *own)
    card = json.loads(told("hosts", crawl.folder, "own.test", "--json").stdout)
    assert card["gap"]["seconds"] == 0.25
    assert card["gap"]["source"] == "hosts.own.test.gap"
    assert card["gap"]["minimum_from"] == "--set hosts.own.test.gap"
    words = told("hosts", crawl.folder, "own.test").stdout
    assert "0.25s: the minimum, hosts.own.test.gap from --set hosts.own.test.gap" in words


def test_get_asks_as_a_crawl_does(tmp_path: Path, login: None, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "c.toml").write_text(
        '[hosts."own.test"]\nmine = true\ngap = 0\nauth = "bearer OUR_TOKEN"\nrobots = "ignore"\n'
    )
    with small_site.serve({"//own.test/": behind_login(page(title="in"))}) as site:
        flags = ("--config", str(tmp_path / "c.toml"), "--allow-address", "127.0.0.0/8", *RESOLVED)
        assert main(["get", site.url("/", "own.test"), *flags]) == 0
        assert [each.target for each in site.begun] == ["/"]
    out = "".join(capsys.readouterr())
    assert "ignored: the host is the operator's own" in out
    assert SECRET not in out


def test_a_secret_that_is_not_there_ends_the_command_before_anything_is_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["crawl", "http://own.test/", "-o", str(tmp_path / "c"), "--set", "hosts.own.test.auth=bearer OUR_ABSENT"]
    assert main(asked) == 2
    assert "OUR_ABSENT, which is not set" in capsys.readouterr().err
    assert not (tmp_path / "c").exists()


def test_a_cookie_of_a_jar_is_not_written_down_while_a_redirect_sets_it(tmp_path: Path) -> None:
    seen: list[str] = []
    folder = tmp_path / "c"
    with small_site.serve({}) as site:

        def behave(asked: Asked, _: int) -> Answer:
            if f"session={SECRET}" not in asked.fields.get("cookie", ""):
                return redirect(site.url("/", "own.test"), 302, ("Set-Cookie", f"session={SECRET}"))
            time.sleep(3)  # until what the first answer brought is committed
            seen.extend(path.name for path in folder.rglob("*") if path.is_file() and kept_there(path))
            return page(title="in")

        def kept_there(path: Path) -> bool:
            return SECRET.encode() in path.read_bytes()

        site.table |= {"//own.test/": behave}
        asked = (site.url("/", "own.test"), *RESOLVED, "--set", "hosts.own.test.cookies=true")
        _, crawl = crawls.crawl(folder, *asked)
        assert site.url("/", "own.test") in crawl.fetched()
    assert not seen
    assert SECRET.encode() not in everything(folder)


def test_a_jar_does_not_keep_a_loop_going(tmp_path: Path) -> None:
    with small_site.serve({}) as site:
        again = ("Set-Cookie", "session=always-the-same")
        site.table |= {"//own.test/": redirect(site.url("/", "own.test"), 302, again)}
        asked = (site.url("/", "own.test"), *RESOLVED, "--set", "hosts.own.test.cookies=true")
        _, crawl = crawls.crawl(tmp_path / "c", *asked)
        assert sum(each.host == "own.test" and each.target == "/" for each in site.begun) == 2
    assert "redirect loop" in told("explain", crawl.folder, site.url("/", "own.test")).stdout
