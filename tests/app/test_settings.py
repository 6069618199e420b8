from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given as given_values
from hypothesis import strategies as st

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.settings import Given, Settings, SourceKind, check, kinds, load, reload
from gossamer.app.settings.flags import FLAGS
from gossamer.app.settings.kinds import read_count, read_duration, read_size, write_duration, write_size
from gossamer.app.settings.layers import VARIABLES
from gossamer.app.settings.tree import DEFAULTS, TRAITS, Change


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("15m", 900),
        ("6h", 21600),
        ("2d", 172800),
        ("1w", 604800),
        ("250ms", 0.25),
        ("1.5", 1.5),
        (0, 0),
        (2, 2.0),
        (0.25, 0.25),
        ("1h30m", 5400),
        (" 1h 30m ", 5400),
        ("0", 0),
    ],
)
def test_durations(text: object, seconds: float) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-1", "1y", "1 2", "m", "1e3", "٣s", True, None, -1, float("nan"), []])
def test_no_durations(text: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        read_duration(text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("10MiB", 10 << 20),
        ("500kB", 500_000),
        ("1GB", 10**9),
        ("1.5 kib", 1536),
        ("7", 7),
        (7, 7),
        ("0", 0),
        ("2g", 2 * 10**9),
    ],
)
def test_sizes(text: object, count: int) -> None:
    assert read_size(text) == count


NO_NUMBERS = (math.inf, -math.inf, math.nan, 10**400, "9" * 400)
"""What Python or TOML take for numbers, and no setting is."""


@pytest.mark.parametrize(
    "text",
    ["", "10 MiBs", "MiB", "-1", 1.5, -1, True, "1e9", None, "9" * 400 + "TiB", *NO_NUMBERS],
)
def test_no_sizes(text: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        read_size(text)


@given_values(st.floats(0, 1e9).map(lambda value: round(value, 3)))
def test_a_written_duration_reads_the_same(seconds: float) -> None:
    assert read_duration(write_duration(seconds)) == pytest.approx(seconds, rel=1e-12)


@given_values(st.integers(0, 1 << 50))
def test_a_written_size_reads_the_same(count: int) -> None:
    assert read_size(write_size(count)) == count


@given_values(st.text())
def test_counts_are_read_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert read_count(text) >= 0


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [
        (kinds.NETWORKS, "127.0.0.0/8, 10.1.2.3", ("127.0.0.0/8", "10.1.2.3/32")),
        (kinds.NETWORKS, ["::1"], ("::1/128",)),
        (kinds.NETWORKS, "127.0.0.1/8", ("127.0.0.0/8",)),
        (kinds.RESOLVES, "A.example=127.0.0.1", ("a.example=127.0.0.1",)),
        (kinds.RESOLVES, {"a.example": "127.0.0.1"}, ("a.example=127.0.0.1",)),
        (kinds.NAMESERVERS, "127.0.0.1:5353, [::1]:53, 9.9.9.9", ("127.0.0.1:5353", "[::1]:53", "9.9.9.9")),
        (kinds.PATTERNS, "/a,b/", ("/a,b/",)),
        (kinds.PATTERNS, '["/a/", "/b/"]', ("/a/", "/b/")),
        (kinds.PATTERNS, "[a-z]", ("[a-z]",)),
        (kinds.PATTERNS, "[]", ()),
        (kinds.EXTENSIONS, ".PDF,zip", ("pdf", "zip")),
        (kinds.MEDIA, "html, application/pdf", ("html", "application/pdf")),
        (kinds.TEXTS, "none", ()),
        (kinds.BOOL, "Yes", True),
        (kinds.choice("a", "b"), "B", "b"),
        (kinds.optional(kinds.COUNT), "None", None),
        (kinds.optional(kinds.COUNT), "1_000", 1000),
    ],
)
def test_kinds(kind: kinds.Kind[Any], value: object, wanted: object) -> None:
    assert kind.read(value) == wanted


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (kinds.NETWORKS, "127.0.0.0/40"),
        (kinds.RESOLVES, "a.example"),
        (kinds.RESOLVES, "=1.2.3.4"),
        (kinds.NAMESERVERS, "1.2.3.4:99999"),
        (kinds.NAMESERVERS, "dns.example"),
        (kinds.PATTERNS, "("),
        (kinds.PATTERNS, r"(a)\1"),
        (kinds.EXTENSIONS, "a/b"),
        (kinds.MEDIA, "pages"),
        (kinds.TEXT, "a\nb"),
        (kinds.TEXT, ""),
        (kinds.TEXT, "\udc80"),
        (kinds.BOOL, "perhaps"),
        (kinds.choice("a"), "b"),
        (kinds.POSITIVE, 0),
        (kinds.CONTACT, "a)b"),
        (kinds.TEXTS, 3),
        (kinds.COUNT, 1.5),
        *((kind, number) for kind in (kinds.COUNT, kinds.POSITIVE, kinds.DURATION) for number in NO_NUMBERS),
        (kinds.TEXTS, '["a" "b"]'),
    ],
)
def test_wrong_values(kind: kinds.Kind[Any], value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        kind.read(value)


def test_every_default_is_read_back_from_what_is_written() -> None:
    for key, trait in TRAITS.items():
        assert trait.kind.read(trait.kind.write(DEFAULTS[key])) == DEFAULTS[key], key


def test_every_flag_names_a_key_and_none_twice() -> None:
    assert {flag.key for flag in FLAGS} <= TRAITS.keys()
    names = [name for flag in FLAGS for name in flag.names]
    assert len(names) == len(set(names))


def test_rising_precedence_with_sources(tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text('[crawl]\nmax_pages = 1\nmax_bytes = "1kB"\nmax_time = "1m"\nmax_fetches = 9\n')
    settings = load(
        Given(
            config=config,
            environment={
                "GOSSAMER_CRAWL_MAX_PAGES": "2",
                "GOSSAMER_CRAWL_MAX_BYTES": "2kB",
                "HOME": "x",
                "GOSSAMER_PYTHON": "y",
                "GOSSAMER_CRAWL_MAX_TIME": "2m",
                "GOSSAMER_SCOPE_KIND": "",
            },
            flags={"crawl.max_pages": "3", "crawl.max_bytes": "3kB"},
            sets=["crawl.max_pages=4"],
        )
    )
    crawl = settings.crawl
    assert (crawl.max_pages, crawl.max_bytes, crawl.max_time, crawl.max_fetches) == (4, 3000, 120.0, 9)
    sources = [
        settings.sources[f"crawl.{name}"] for name in ("max_pages", "max_bytes", "max_time", "max_fetches", "shards")
    ]
    assert [source.kind for source in sources] == [
        SourceKind.SET,
        SourceKind.FLAG,
        SourceKind.ENVIRONMENT,
        SourceKind.FILE,
        SourceKind.DEFAULT,
    ]
    assert sources[0].words == "--set crawl.max_pages"
    assert sources[1].words == "flag --max-bytes"
    assert sources[2].words == "environment GOSSAMER_CRAWL_MAX_TIME"
    assert sources[3].words == f"file {config}"


@pytest.mark.parametrize(
    ("given", "message", "hint"),
    [
        (Given(sets=["crawl.maxpages=1"]), "'crawl.maxpages' is no setting", "crawl.max_pages"),
        (Given(sets=["max_pages=1"]), "no setting", "crawl.max_pages"),
        (Given(sets=["crawl.max_pages"]), "KEY=VALUE", "--set crawl.max_pages=500"),
        (Given(environment={"GOSSAMER_CRAWL_MAX_PAGE": "1"}), "no variable of ours", "GOSSAMER_CRAWL_MAX_PAGES"),
        (Given(flags={"politeness.gap": "soon"}), "not 'soon' (from flag --gap)", "least time"),
        (Given(environment={"GOSSAMER_SCOPE_KIND": "all"}), "one of page, prefix, host, site, any, not 'all'", ""),
    ],
)
def test_errors_name_key_value_source_and_help(given: Given, message: str, hint: str) -> None:
    with pytest.raises(UserError) as raised:
        load(given)
    assert message in raised.value.message
    assert hint in raised.value.hint
    assert raised.value.exit_code == Exit.BAD_INPUT
    assert "\n" not in raised.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[crwal]\nmax_pages = 1", "'crwal' is no section"),
        ("max_pages = 1", "'max_pages' is no section"),
        ("[crawl]\nmax_pagse = 1", "'crawl.max_pagse' is no setting"),
        ("[crawl]\nmax_pages = true", "crawl.max_pages wants a whole number"),
        ("[crawl", "is no TOML file"),
        ("\udcff", "is no TOML file"),
    ],
)
def test_errors_of_a_file(tmp_path: Path, text: str, message: str) -> None:
    config = tmp_path / "bad.toml"
    config.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UserError, match=r"bad\.toml") as raised:
        load(Given(config=config))
    assert message in raised.value.message


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"absent.toml cannot be read: No such file"):
        load(Given(config=tmp_path / "absent.toml"))


def test_relative_paths_count_from_the_file_that_names_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub" / "c.toml").write_text('[scope]\ndomains = "d.txt"\n')
    settings = load(Given(config=Path("sub/c.toml"), flags={"seeds.files": ["-", "s.txt"], "output.folder": "out"}))
    assert settings.scope.domains == str(tmp_path / "sub" / "d.txt")
    assert settings.seeds.files == ("-", str(tmp_path / "s.txt"))
    assert settings.output.folder == "out"


def test_a_repeated_flag_of_a_list_gathers() -> None:
    settings = load(Given(flags={"network.allow_address": ["127.0.0.0/8,::1", "127.0.0.0/8", "10.0.0.0/8"]}))
    assert settings.network.allow_address == ("127.0.0.0/8", "::1/128", "10.0.0.0/8")


def test_every_key_has_one_variable() -> None:
    assert len(VARIABLES) == len(TRAITS)


def test_settings_are_frozen() -> None:
    settings = load(Given())
    with pytest.raises(AttributeError):
        settings.crawl.max_pages = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        settings.values["crawl.max_pages"] = 3  # type: ignore[index]


def test_derived_values() -> None:
    settings = load(Given())
    assert settings.scope.wanted_media == {"text/html", "application/xhtml+xml"}
    assert settings.politeness.public_pages_max == 1000
    assert settings.politeness.agent.startswith("Gossamer/")
    other = load(Given(sets=["scope.media=any", "politeness.contact=https://bot.example/", "politeness.gap=0"]))
    assert other.scope.wanted_media is None
    assert other.politeness.public_pages_max is None
    assert "(+https://bot.example/)" in other.politeness.agent
    assert (other.politeness.gap_seconds(allowed=True), other.politeness.gap_seconds(allowed=False)) == (0.0, 1.0)
    assert load(Given(sets=["politeness.user_agent=Mine/1"])).politeness.agent == "Mine/1"
    assert load(Given(sets=["scope.media=html,text/plain"])).scope.wanted_media == {
        "text/html",
        "application/xhtml+xml",
        "text/plain",
    }


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (["politeness.gap=0.5"], "only for hosts reached through --allow-address"),
        (["crawl.workers=17"], "16 shards"),
        (["crawl.shards=5000"], "at most"),
        (["crawl.commit_interval=0"], "more than 0s"),
        (["scope.domains=/absent/d.txt"], "does not exist"),
        (["fetch.ca_file=/"], "cannot be read"),
    ],
)
def test_what_does_not_go_together(sets: list[str], message: str) -> None:
    settings = load(Given(sets=sets))
    with pytest.raises(UserError) as raised:
        check(settings)
    assert message in raised.value.message


def test_what_goes_together(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("")
    check(load(Given(sets=["politeness.gap=0", "network.allow_address=127.0.0.0/8", f"dns.resolve_file={hosts}"])))


def stored() -> Settings:
    return load(Given(sets=["crawl.max_pages=5", "crawl.shards=4"]))


def test_resume_changes_what_may_change() -> None:
    settings, changes = reload(
        stored(), Given(flags={"crawl.max_pages": "9", "output.quiet": True}, sets=["crawl.shards=4"])
    )
    assert settings.crawl.max_pages == 9
    assert settings.crawl.shards == 4
    assert settings.output.quiet
    assert [(change.key, change.before, change.after) for change in changes] == [("crawl.max_pages", 5, 9)]
    assert changes[0].source.words == "flag --max-pages"


def test_resume_refuses_what_is_fixed() -> None:
    with pytest.raises(UserError, match=r"crawl.shards is fixed.*from --set crawl.shards"):
        reload(stored(), Given(sets=["crawl.shards=8"]))
    assert TRAITS["crawl.shards"].change is Change.FIXED
