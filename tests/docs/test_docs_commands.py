"""Every command line that the documentation shows is one that the command line takes."""

from __future__ import annotations

import re

import pytest

from gossamer.app.cli import COMMANDS, make_parser
from gossamer.app.command_settings import given
from gossamer.app.settings import load
from tests.docs.documents import Line, command_lines, documents, spans
from tools import scripts
from tools.dev import VERBS

PAGES = documents()
GOSSAMER = [line for page, text in PAGES.items() for line in command_lines("gossamer", text, page)]
DEV = [line for page, text in PAGES.items() for line in command_lines("dev", text, page)]
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OVERALL_FLAGS = {"--help", "--version"}
DEV_FLAGS = {"--list", "--quick", "--ratchet", "--record", "--serve"}
STRANGERS = {"pip", "curl"}
"""Programs of others, with flags of their own."""
SIMULATE = "simulate"
"""A verb of ./dev that its launcher hands on to ./gossamer."""


@pytest.mark.parametrize("line", GOSSAMER, ids=lambda line: f"{line.page}: {' '.join(line.words)[:60]}")
def test_a_gossamer_line_parses(line: Line) -> None:
    name, *arguments = line.words
    assert name in COMMANDS
    args = make_parser(name).parse_args(arguments)
    # A settings file is on the page, too; test_docs_pages has it.
    if name == "crawl" and args.config is None:
        load(given(args))


@pytest.mark.parametrize("line", DEV, ids=lambda line: f"{line.page}: {' '.join(line.words)[:60]}")
def test_a_dev_line_names_what_there_is(line: Line) -> None:
    verb, *arguments = line.words
    assert verb in {*VERBS, SIMULATE}
    named = {"prove": scripts.proofs, "bench": scripts.measurements}.get(verb)
    places = [word for word in arguments if not word.startswith("-")]
    if named is not None and places:
        assert places[0] in named()


def test_there_are_lines_to_judge() -> None:
    assert len(GOSSAMER) >= 10
    assert len(DEV) >= 5


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_flags_in_running_text_exist(page: str) -> None:
    flags = {flag for name in COMMANDS for action in make_parser(name)._actions for flag in action.option_strings}
    for span in spans(PAGES[page]):
        words = span.removeprefix("./").split()
        if words[:1] == ["gossamer"] and len(words) > 1:
            assert words[1] in {*COMMANDS, *OVERALL_FLAGS, "COMMAND"}, span
        if words[:1] == ["dev"] and len(words) > 1:
            assert words[1] in {*VERBS, SIMULATE}, span
        if not STRANGERS & set(words[:1]):
            assert set(FLAG.findall(span)) <= flags | OVERALL_FLAGS | DEV_FLAGS, span


def test_every_command_has_its_section_and_every_flag_its_row() -> None:
    page = PAGES["docs/reference-commands.md"]
    for name in COMMANDS:
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        for action in make_parser(name)._actions:
            for flag in action.option_strings:
                assert action.dest == "help" or f"`{flag}" in section or f", {flag}" in section
