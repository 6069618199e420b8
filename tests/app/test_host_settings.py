"""Settings of single hosts: how they are written, what is refused and in which words, and that no secret is kept."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

import gossamer
from gossamer.app.errors import UserError
from gossamer.app.host_wiring import host_requests, host_rules
from gossamer.app.python.options import given_of
from gossamer.app.settings import Given, check, load, reload
from gossamer.app.settings.crawl_toml import read_crawl_toml, write_crawl_toml
from gossamer.app.settings.host_kinds import Auth
from gossamer.app.settings.host_settings import HOST_TRAITS
from gossamer.app.settings.live import changed_settings
from gossamer.app.settings.shown import settings_toml
from gossamer.core.frontier.host_rules import HostRule

if TYPE_CHECKING:
    from pathlib import Path

    from gossamer.app.settings import Settings

EVERYTHING = """
[hosts."WWW.Example.ORG."]
mine = true
gap = "200ms"
connections = 4
robots = "ignore"
headers = { "Accept-Language" = "de", "X-Api-Key" = "env:OUR_KEY" }
user_agent_suffix = "(nightly)"
auth = { basic = "OUR_LOGIN" }
cookies = "cookies.txt"
proxy = "SOCKS5H://Proxy.example:1080"
proxy_resolves = true
proxy_auth = "PROXY_LOGIN"

[hosts."bücher.example"]
gap = 3
auth = "bearer OUR_TOKEN"
"""
SECRETS = {
    "OUR_KEY": "geheim-1",
    "OUR_LOGIN": "me:geheim-2",
    "PROXY_LOGIN": "p:geheim-3",
    "OUR_TOKEN": "geheim-4",
}


def written(folder: Path, text: str = EVERYTHING) -> Path:
    (folder / "cookies.txt").write_text("www.example.org\tFALSE\t/\tFALSE\t0\tsession\tgeheim-5\n")
    (folder / "c.toml").write_text(text)
    return folder / "c.toml"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    found = load(Given(config=written(tmp_path)))
    check(found)
    return found


def test_every_setting_in_a_file(settings: Settings, tmp_path: Path) -> None:
    assert list(settings.hosts) == ["www.example.org", "xn--bcher-kva.example"]
    host = settings.hosts["www.example.org"]
    assert {name: getattr(host, name) for name in HOST_TRAITS} == {
        "mine": True,
        "gap": 0.2,
        "connections": 4,
        "robots": "ignore",
        "headers": (("Accept-Language", "de"), ("X-Api-Key", "env:OUR_KEY")),
        "user_agent_suffix": "(nightly)",
        "auth": Auth("basic", "OUR_LOGIN"),
        "cookies": str(tmp_path / "cookies.txt"),
        "proxy": "socks5h://proxy.example:1080",
        "proxy_resolves": True,
        "proxy_auth": "PROXY_LOGIN",
    }
    assert settings.hosts["xn--bcher-kva.example"].auth == Auth("bearer", "OUR_TOKEN")


def test_what_the_parts_are_told(settings: Settings) -> None:
    assert host_rules(settings) == {
        "www.example.org": HostRule(0.2, mine=True, connections=4, robots_ignored=True),
        "xn--bcher-kva.example": HostRule(3.0),
    }
    request = host_requests(settings)["www.example.org"]
    assert request.fields == (("Accept-Language", "de"),)
    assert request.secret_fields == (("X-Api-Key", "geheim-1"), ("Authorization", "Basic bWU6Z2VoZWltLTI="))
    assert [cookie.value for cookie in request.cookies] == ["geheim-5"]
    assert request.proxy is not None
    assert (request.proxy.login, request.proxy.resolves) == ("p:geheim-3", True)
    other = host_requests(settings)["xn--bcher-kva.example"]
    assert other.secret_fields == (("Authorization", "Bearer geheim-4"),)


def test_crawl_toml_keeps_them_and_no_secret(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "crawl.toml"
    write_crawl_toml(path, settings)
    assert "geheim" not in path.read_text()
    assert "geheim" not in settings_toml(settings)
    again = read_crawl_toml(path)
    assert again.hosts == settings.hosts
    assert again.sources["hosts.www.example.org.gap"].words == settings.sources["hosts.www.example.org.gap"].words
    shown = tmp_path / "shown.toml"
    shown.write_text(settings_toml(settings))
    assert load(Given(config=shown)).hosts == settings.hosts


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("hosts.example.org.gap=2", "gap", 2.0),
        ("hosts.EXAMPLE.org.gap=2m", "gap", 120.0),
        ('hosts."example.org".gap=2', "gap", 2.0),
        ("hosts.example.org.auth=bearer OUR_TOKEN", "auth", Auth("bearer", "OUR_TOKEN")),
        ("hosts.example.org.headers=X-A: b", "headers", (("X-A", "b"),)),
        ('hosts.example.org.headers={"X-A" = "b", "X-C" = "d"}', "headers", (("X-A", "b"), ("X-C", "d"))),
        ("hosts.example.org.cookies=true", "cookies", True),
        ("hosts.example.org.proxy=none", "proxy", None),
        ("hosts.example.org.proxy=http://[::1]:3128/", "proxy", "http://[::1]:3128"),
    ],
)
def test_as_set_writes_them(text: str, key: str, value: object) -> None:
    settings = load(Given(sets=[text]))
    assert getattr(settings.hosts["example.org"], key) == value


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_addresses_and_single_labels_are_hosts(host: str) -> None:
    assert list(load(Given(sets=[f"hosts.{host}.gap=2"])).hosts) == [host]
    assert list(load(given_of({"hosts": {host: {"gap": 2}}})).hosts) == [host]


BAD = [
    ('[hosts."a.b"]\nrobots = "ignore"', "hosts.a.b.robots is only for a host of your own", "mine = true"),
    ('[hosts."a.b"]\nconnections = 2', "hosts.a.b.connections is only for a host of your own", "mine = true"),
    ('[hosts."a.b"]\nmine = true\nconnections = 9', "hosts.a.b.connections is 9; at most 8 are possible", ""),
    ('[hosts."a.b"]\ngap = 0.5', "hosts.a.b.gap of less than 1s is only for a host of your own", "mine = true"),
    ('[hosts."a.b"]\ngap = "soon"', "hosts.a.b.gap wants a duration", "it sets"),
    ('[hosts."a.b"]\nrobots = "maybe"', "hosts.a.b.robots wants one of obey, ignore", "it sets"),
    ('[hosts."a.b"]\ngaps = 1', "hosts.a.b has no setting 'gaps'", "did you mean gap?"),
    ("[hosts.a.b]\ngap = 1", "hosts.a has no setting 'b'", '[hosts."a.b"]'),
    ('[hosts]\n"a.b" = 1', "hosts.a.b is no table", "[hosts."),
    ("hosts = 1", "hosts holds one table for each host", "[hosts."),
    ('[hosts."*.b"]\ngap = 1', "hosts.*.b: a table is for one host", "a table for each host"),
    ('[hosts."a.b:80"]\ngap = 1', "hosts.a.b:80: 'a.b:80' is not a host", "did you mean a.b?"),
    ('[hosts."a.b"]\nauth = "bearer geheim"', "hosts.a.b.auth wants the name of an environment variable", "MY_TOKEN"),
    ('[hosts."a.b"]\nauth = "geheim"', "hosts.a.b.auth wants", "environment variable"),
    ('[hosts."a.b"]\nauth = { basic = "me:geheim" }', "hosts.a.b.auth wants the name of an env", "MY_TOKEN"),
    ('[hosts."a.b"]\nauth = { user = "me", password = "geheim" }', "hosts.a.b.auth wants", "MY_TOKEN"),
    ('[hosts."a.b"]\npassword = "geheim"', "no secret is written here", "MY_TOKEN"),
    ('[hosts."a.b"]\nauth = "bearer OUR_ABSENT"', "the environment variable OUR_ABSENT, which is not set", "export"),
    ('[hosts."a.b"]\nauth = "basic OUR_TOKEN"', "OUR_TOKEN does not hold user:password", ""),
    ('[hosts."a.b"]\nauth = "bearer OUR_LINES"', "OUR_LINES holds what cannot stand in a header", ""),
    ('[hosts."a.b"]\nheaders = { Cookie = "geheim" }', "may not hold Cookie", "the setting cookies"),
    ('[hosts."a.b"]\nheaders = { Host = "c.d" }', "may not hold Host", "leave it out"),
    ('[hosts."a.b"]\nheaders = { X-Api-Key = "geheim" }', "X-Api-Key, whose value is a secret", "env:VARIABLE"),
    ('[hosts."a.b"]\nheaders = { X = "a\\nb" }', "holds a value of X that no field can have", "for example"),
    ('[hosts."a.b"]\nheaders = 3', "hosts.a.b.headers wants a table of fields", "for example"),
    ('[hosts."a.b"]\ncookies = "absent.txt"', "absent.txt cannot be read: No such file", ""),
    ('[hosts."a.b"]\ncookies = "c.toml"', "c.toml, line 1 is no line of a Netscape cookie file", ""),
    ('[hosts."a.b"]\nproxy = "socks5h://p:1"', "hosts.a.b.proxy lets the proxy resolve names", "proxy_resolves = true"),
    ('[hosts."a.b"]\nproxy = "socks5://p:1"\nproxy_resolves = true', "does not go with socks5://", "socks5h://"),
    ('[hosts."a.b"]\nproxy = "http://u:geheim@p:1"', "hosts.a.b.proxy holds a user and a password", "proxy_auth"),
    ('[hosts."a.b"]\nproxy = "ftp://p:1"', "hosts.a.b.proxy wants http://HOST:PORT", ""),
    ('[hosts."a.b"]\nproxy_auth = "OUR_LOGIN"', "says something of a proxy, but there is none", "proxy ="),
]


@pytest.mark.parametrize(("text", "message", "hint"), BAD, ids=[row[1] for row in BAD])
def test_what_is_refused_is_said_in_one_line_without_a_secret(
    text: str, message: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**SECRETS, "OUR_LINES": "geheim\nX: y"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UserError) as raised:
        check(load(Given(config=written(tmp_path, text))))
    assert message in raised.value.message
    assert hint in (raised.value.hint or "")
    assert "\n" not in raised.value.message
    assert "geheim" not in raised.value.message + (raised.value.hint or "")


def test_ones_own_hosts_may_have_a_gap_under_a_second() -> None:
    check(load(Given(sets=["hosts.a.b.mine=true", "hosts.a.b.gap=0"])))
    check(load(Given(sets=["hosts.a.b.gap=0", "network.allow_address=127.0.0.0/8"])))
    check(load(Given(sets=["hosts.a.b.mine=true", "politeness.gap=0.1"])))


def test_a_variable_cannot_name_a_host() -> None:
    with pytest.raises(UserError, match="is no variable of ours"):
        load(Given(environment={"GOSSAMER_HOSTS_EXAMPLE_ORG_GAP": "2"}))


def test_resume_and_set_change_them() -> None:
    before = load(Given(sets=["hosts.a.b.gap=2"]))
    after, changes = reload(before, Given(sets=["hosts.a.b.gap=3", "hosts.c.d.cookies=true", "hosts.e.f.gap=none"]))
    assert after.hosts["a.b"].gap == 3.0
    assert [(change.key, change.before, change.after) for change in changes] == [
        ("hosts.a.b.gap", "2s", "3s"),
        ("hosts.c.d.cookies", False, True),
    ]
    after, changes = changed_settings(before, ["hosts.A.b.gap=5"])
    assert (after.hosts["a.b"].gap, len(changes)) == (5.0, 1)
    with pytest.raises(UserError, match=r"hosts.a.b.auth cannot be changed while a crawl runs"):
        changed_settings(before, ["hosts.a.b.auth=bearer X"])


def test_a_stopped_crawl_is_changed_without_its_secrets() -> None:
    before = load(Given(sets=["hosts.a.b.auth=bearer OUR_ABSENT"]))
    after, _ = changed_settings(before, ["hosts.a.b.gap=5"])
    assert after.hosts["a.b"].gap == 5.0


def test_from_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_TOKEN", "geheim")
    hosts = {"Example.org": {"gap": 2, "auth": "bearer OUR_TOKEN", "headers": {"X-A": "b"}, "proxy": None}}
    settings = load(given_of({"hosts": hosts}, ["https://example.org/"]))
    check(settings)
    host = settings.hosts["example.org"]
    assert (host.gap, host.auth, host.headers) == (2.0, Auth("bearer", "OUR_TOKEN"), (("X-A", "b"),))
    with pytest.raises(gossamer.errors.SettingsError, match="robots is only for a host of your own"):
        gossamer.Crawl("https://example.org/", hosts={"example.org": {"robots": "ignore"}})
    with pytest.raises(TypeError, match="hosts wants a mapping, not str"):
        given_of({"hosts": "geheim"})


def test_the_comments_of_a_table_do_not_break_toml(settings: Settings) -> None:
    tables = tomllib.loads(settings_toml(settings))
    assert tables["hosts"]["www.example.org"]["headers"] == ["Accept-Language: de", "X-Api-Key: env:OUR_KEY"]
