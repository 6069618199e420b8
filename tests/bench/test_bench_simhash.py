"""The similarity hash in numpy is the one that counting bit by bit gives, and near texts are near."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import simhash as subject
from bench.simhash import simhash

BASE = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def naive(text: bytes) -> int:
    """By the definition, a bit at a time."""
    words = [
        sum((byte | 32 if 65 <= byte <= 90 else byte) * pow(BASE, n, 1 << 64) for n, byte in enumerate(word)) & MASK
        for word in re.findall(rb"[A-Za-z0-9\x80-\xff]+", text)
    ]
    if not words:
        return 0
    shingles = words
    if len(words) >= 3:
        triples = zip(words, words[1:], words[2:], strict=False)
        shingles = [(a * 3 + b * 0xC2B2AE3D27D4EB4F + c * BASE) & MASK for a, b, c in triples]
    mixed = subject._mixed(np.array(shingles, dtype=np.uint64)).tolist()
    found = 0
    for bit in range(64):
        votes = sum((value >> bit) & 1 for value in mixed)
        found |= (votes * 2 > len(mixed)) << bit
    return found


@given(st.binary(max_size=400))
def test_it_is_what_the_definition_says(text: bytes) -> None:
    assert simhash(text) == naive(text)


@pytest.mark.parametrize("words", [1, 2, 3, 254, 255, 256, 257, 258, 1000])
def test_lanes_do_not_overflow(words: int) -> None:
    text = b" ".join(b"w%d" % (n % 7) for n in range(words))
    assert simhash(text) == naive(text)


def test_near_texts_are_near_and_others_are_not() -> None:
    chance = random.Random(1)
    words = [f"word{chance.randrange(5000)}" for _ in range(3000)]
    first = simhash(" ".join(words).encode())
    changed = simhash(" ".join([*words[:1500], "another", *words[1501:]]).encode())
    other = simhash(" ".join(f"word{chance.randrange(5000)}" for _ in range(3000)).encode())
    assert (first ^ changed).bit_count() <= 3
    assert (first ^ other).bit_count() > 12


def test_case_and_what_stands_between_words_do_not_count() -> None:
    assert simhash(b"One, two; THREE four") == simhash(b"one two three (four)")
    assert simhash(b" .,;") == simhash(b"") == 0
