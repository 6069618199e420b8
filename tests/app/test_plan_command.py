"""`gossamer plan`: the textbooks, a crawl's own figures, a job's settings, and what it refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gossamer.app import cli
from gossamer.app.commands.plan import FLAGS, read_number, read_share
from gossamer.app.exit_codes import Exit
from gossamer.app.machine_rate import made_page
from tests import crawls
from tests.servers import small_site
from tests.servers.small_site import page

if TYPE_CHECKING:
    from pathlib import Path

CHEAP = ("--page-cpu", "10ms")
"""Nothing is measured."""


def planned(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    assert cli.main(["plan", *flags, "--json"]) == Exit.DONE
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


TEXTBOOKS = [
    (["--pages", "1e9"], "pages_per_second", 386, 0.001),
    (["--pages", "1e9"], "pages_per_second", 400, 0.04),
    (["--pages", "1e9"], "peak_per_second", 800, 0.04),
    (["--pages", "1e9", "--page-size", "500kB"], "raw_per_period", 500e12, 0.001),
    (["--pages", "1e9", "--page-size", "500kB", "--years", "5"], "raw_kept", 30e15, 0.02),
    (["--pages", "1e9", "--stored-size", "100kB"], "stored_per_period", 100e12, 0.001),
    (["--pages", "1e9"], "bandwidth", 1.5e9, 0.04),
    (["--pages", "1e9"], "bandwidth_peak", 3e9, 0.04),
    (["--pages", "1 billion", "--urls", "10 billion"], "filter_bytes", 12e9, 0.01),
    (["--pages", "15e9", "--period", "28d"], "pages_per_second", 6200, 0.001),
    (["--pages", "15e9", "--period", "4w", "--stored-size", "100kB"], "stored_per_period", 1.5e15, 0.001),
]


@pytest.mark.parametrize(("flags", "figure", "textbook", "within"), TEXTBOOKS)
def test_the_textbooks(
    flags: list[str], figure: str, textbook: float, within: float, capsys: pytest.CaptureFixture[str]
) -> None:
    found = planned(capsys, *flags, *CHEAP)
    assert found["plan"][figure] == pytest.approx(textbook, rel=within)


def test_lines_say_what_is_needed_and_from_what(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", "--pages", "1e9", "--hosts", "100", *CHEAP]) == Exit.DONE
    text = capsys.readouterr().out
    for words in (
        "386 pages/s",
        "500 TB in 30d",
        "30.4 PB in 5 years",
        "only 100: the gap slows",
        "--page-cpu",
        "22.0 GB of memory with",
    ):
        assert words in text


def test_the_rate_of_this_machine_is_measured_and_said_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    found = planned(capsys, "--pages", "1M", "--page-size", "20kB")
    assert 0 < found["wish"]["page_cpu"] < 1
    assert found["sources"]["page_cpu"].startswith("measured here on ")


def test_a_made_page_has_its_size_and_links() -> None:
    body = made_page(50_000, 100)
    assert len(body) == 50_000
    assert body.count(b"<a href=") == 100
    assert made_page(10, 100).count(b"<a href=") == 100


def test_a_crawl_lends_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "crawl"
    with small_site.serve({"/": page("/a", "/b"), "/a": page(title="a"), "/b": page(title="b")}) as site:
        crawls.crawl(folder, site.url("/"))
    found = planned(capsys, "--from", str(folder), "--pages", "1M")
    assert found["wish"]["hosts"] == 1
    assert found["wish"]["largest_host"] == 1.0
    assert found["wish"]["links"] == pytest.approx(1.0)
    assert found["wish"]["pages"] == 1_000_000
    assert found["wish"]["page_cpu"] > 0
    assert found["sources"]["page_cpu"].startswith(f"crawl {folder}")
    assert planned(capsys, "--from", str(folder))["wish"]["pages"] == 3


def test_the_copies_of_a_crawl_are_planned_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "crawl"
    same = {f"/{name}": page(title="same") for name in "abcd"}
    with small_site.serve({"/": page(*same), **same}) as site:
        crawls.crawl(folder, site.url("/"))
    found = planned(capsys, "--from", str(folder), "--period", "5s", *CHEAP)
    assert found["wish"]["duplicates"] == pytest.approx(0.6)
    assert found["wish"]["pages"] == 2
    assert found["plan"]["fetches_per_second"] == pytest.approx(1.0), "five URLs, and as many fetches"


def test_a_jobs_settings_come_before_a_crawl_and_after_flags(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = tmp_path / "job.toml"
    job.write_text('[crawl]\nmax_pages = 1000\nmax_pages_per_host = 100\nmax_time = "2d"\n[politeness]\ngap = "3s"\n')
    found = planned(capsys, "--config", str(job), "--period", "4d", *CHEAP)
    assert (found["wish"]["pages"], found["wish"]["gap"], found["wish"]["largest_host"]) == (1000, 3.0, 0.1)
    assert found["wish"]["period"] == 4 * 86400
    assert found["sources"]["gap"] == f"politeness.gap of {job}"


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ([], "--from DIR"),
        (["--pages", "many"], "--pages wants a number"),
        (["--pages", "1.5"], "--pages wants a number"),
        (["--pages", "1e9", "--period", "0"], "--period wants more than 0"),
        (["--pages", "1e9", "--duplicates", "140%"], "--duplicates wants a share"),
        (["--pages", "1e9", "--duplicates", "60%", "--recrawls", "50%"], "--duplicates wants with recrawls"),
        (["--pages", "1e9", "--page-size", "0"], "--page-size wants more than 0"),
        (["--pages", "1e9", "--peak", "0.5"], "--peak wants 1 or more"),
        (["--pages", "1e9", "--gap", "soon"], "--gap wants a duration"),
        (["--from", "/nowhere"], "/nowhere"),
        (["--config", "/nowhere.toml"], "/nowhere.toml"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_line(flags: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["plan", *flags]) != Exit.DONE
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("text", "number"),
    [("1e9", 1e9), ("1_000", 1e3), ("10,000", 1e4), ("10M", 1e7), ("1.5 billion", 1.5e9), ("2k", 2e3), ("1B", 1e9)],
)
def test_numbers_as_people_write_them(text: str, number: float) -> None:
    assert read_number(text) == number


def test_shares_as_people_write_them() -> None:
    assert read_share("30%") == read_share("0.3") == 0.3


def test_every_flag_sets_a_field_of_the_wish() -> None:
    from gossamer.core.plan import Wish

    assert {flag.field for flag in FLAGS} == set(Wish.__dataclass_fields__)
