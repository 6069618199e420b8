from __future__ import annotations

import io
from pathlib import Path

import pytest

from gossamer.app.errors import UserError
from gossamer.app.exit_codes import Exit
from gossamer.app.seeds import Seed, decode_seeds, encode_seeds, read_seeds
from gossamer.app.settings.tree import SeedSettings


def test_from_arguments_files_and_standard_input(tmp_path: Path) -> None:
    file = tmp_path / "news sites.txt"
    file.write_bytes(b"\xef\xbb\xbfhttps://b.example/x\r\n\n# none\n  https://c.example  \nhttps://a.example/#top\n")
    settings = SeedSettings(urls=("HTTPS://A.example",), files=(str(file), "-"))
    seeds = read_seeds(settings, io.BytesIO(b"http://d.example/\nhttps://b.example/x\n"))
    assert seeds == [
        Seed("https://a.example/", "given"),
        Seed("https://b.example/x", "news sites"),
        Seed("https://c.example/", "news sites"),
        Seed("http://d.example/", "given"),
    ]
    assert decode_seeds(encode_seeds(seeds)) == seeds


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("example.com", "did you mean https://example.com/?"),
        ("example.com/a", "did you mean https://example.com/a?"),
        ("ftp://example.com/", "http:// or https://"),
        ("http://", "http:// or https://"),
        ("words", "http:// or https://"),
        ("https://exa mple.com/", "http:// or https://"),
        ("\x1b[31mred", "http:// or https://"),
    ],
)
def test_what_is_no_seed(text: str, hint: str) -> None:
    with pytest.raises(UserError, match="is not a URL that can be crawled") as raised:
        read_seeds(SeedSettings(urls=("https://a.example/", text)))
    assert hint in raised.value.hint
    assert "\x1b" not in raised.value.message


def test_the_line_of_a_bad_seed_is_named(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_bytes(b"# first\nhttps://a.example/\n\xff\xfe\n")
    with pytest.raises(UserError, match=r"seeds.txt, line 3: "):
        read_seeds(SeedSettings(files=(str(file),)))


def test_no_seed_at_all(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("# nothing\n\n")
    with pytest.raises(UserError, match=r"empty.txt holds no seed"):
        read_seeds(SeedSettings(files=(str(tmp_path / "empty.txt"),)))
    with pytest.raises(UserError, match="no seed was given"):
        read_seeds(SeedSettings())
    with pytest.raises(UserError, match="holds no seed"):
        read_seeds(SeedSettings(files=("-",)), io.BytesIO(b""))
    with pytest.raises(UserError, match="cannot be read: No such file"):
        read_seeds(SeedSettings(files=(str(tmp_path / "absent.txt"),)))


def test_a_tab_in_a_file_name_cannot_break_the_kept_seeds(tmp_path: Path) -> None:
    file = tmp_path / "a\tb\nc.txt"
    file.write_text("https://a.example/\n")
    seeds = read_seeds(SeedSettings(files=(str(file),)))
    assert decode_seeds(encode_seeds(seeds)) == seeds == [Seed("https://a.example/", "a b c")]


@pytest.mark.parametrize(
    "line",
    [
        b"http://a.example/",
        b"given\tftp://a.example/",
        b"given\thttp:///",
        b"given\t",
        b"\thttp://a.example/",
        b"given\thttp://a.example/\xff",
        b"\0\0\0\0",
        b'{"a": 1}',
        b"given\thttp://a.example/\thttp://b.example/",
        b"\x1b[31m\x80",
        b"given\thttp://a.exam",
        b"",
    ],
)
def test_damaged_kept_seeds_are_said_not_guessed(line: bytes) -> None:
    kept = encode_seeds([Seed("http://first.example/", "given")])
    with pytest.raises(UserError, match="line 2") as told:
        decode_seeds(kept + line + b"\n")
    assert told.value.exit_code is Exit.FOLDER
    assert told.value.message.isprintable()


def test_kept_seeds_that_were_cut_are_damaged() -> None:
    kept = encode_seeds([Seed("http://first.example/", "given"), Seed("http://second.example/page", "given")])
    whole = {0, kept.index(b"\n") + 1, len(kept)}
    for length in set(range(len(kept))) - whole:
        with pytest.raises(UserError, match="damaged"):
            decode_seeds(kept[:length])
