"""What pages of one template say: dates, numbers, names from the URL, other orders are nothing new; sentences are."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from gossamer.core.trap.text_blocks import BlockMemory, blocks_of, says_something_new

FRAME = "<nav><a href='/'>Home of the world</a></nav><footer>All rights reserved by us and by nobody else here</footer>"
WORDS = [f"word{chr(97 + a)}{chr(97 + b)}" for a in range(20) for b in range(20)]


def new(memory: BlockMemory, url: str, text: str, *, combined: bool = True) -> bool:
    return says_something_new(blocks_of((FRAME + text).encode()), url, memory, combined=combined)


def test_a_calendar_says_something_once() -> None:
    memory = BlockMemory()
    months = ("January", "May", "December")
    said = [
        new(memory, f"http://h.test/cal/{year}/{month}", f"<h1>{name} {year}</h1><p>No events in {name}</p>")
        for year in range(2020, 2026)
        for month, name in enumerate(months)
    ]
    assert said == [True] + [False] * 17


def test_the_same_list_in_another_order_says_nothing_new() -> None:
    memory, goods = BlockMemory(), [f"<p>A fine {word} of the very best make</p>" for word in WORDS[:30]]
    said: list[bool] = []
    for number in range(10):
        random.Random(number).shuffle(goods)
        said.append(new(memory, f"http://h.test/shop?sort={number}&size=m", f"<h1>Size m</h1>{''.join(goods)}"))
    assert said == [True] + [False] * 9


def test_a_host_that_calls_itself_by_its_name_says_nothing_new() -> None:
    memory = BlockMemory()
    said = [
        new(memory, f"http://{name}.site.test/", f"<h1>Welcome to {name}</h1><p>{name} is the best place of all.</p>")
        for name in ("harbour", "lantern", "meadow")
    ]
    assert said == [True, False, False]


def test_a_sentence_of_its_own_is_new() -> None:
    memory = BlockMemory()
    for number in range(50):
        text = " ".join(random.Random(number).sample(WORDS, 12))
        assert new(memory, f"http://h.test/item/{number}", f"<h1>Item {number}</h1><p>{text}</p>", combined=False)


def test_pages_of_few_words_are_not_judged_by_them_unless_their_urls_are_combined() -> None:
    for combined in (False, True):
        memory = BlockMemory()
        said = [
            says_something_new(blocks_of(f"<p>Page {number}</p>".encode()), "http://h.test/", memory, combined=combined)
            for number in range(3)
        ]
        assert said == [True, not combined, not combined]


def test_a_table_of_measurements_and_a_new_image_are_new_and_counters_are_not() -> None:
    tables, pictures, counters = BlockMemory(), BlockMemory(), BlockMemory()
    chance = random.Random(1)
    for day in range(40):
        url = f"http://h.test/weather/2025/01/{day:02}"
        values = [f"<td>{chance.randrange(99) / 10}<td>{chance.randrange(900, 1000)} hPa" for _ in range(24)]
        cells = "".join(f"<tr><td>{hour}:00{value}" for hour, value in enumerate(values))
        assert new(tables, url, f"<h1>Measured</h1><table>{cells}</table>")
        other = 'alt="x" ' * (day % 2)
        assert new(pictures, url, f'<img {other}src="/comic/{day}.png">')
        images = f"<img src='/logo.png'><img src='/i?d={day}'>"
        text = f"<p>{day:02} January 2025, {chance.randrange(10**6)} visitors</p>{images}"
        assert new(counters, url, text) == (day == 0)


def test_the_same_rows_in_another_order_are_not_new_nor_are_the_weeks_of_a_calendar() -> None:
    memory, chance, url = BlockMemory(), random.Random(1), "http://h.test/shop?sort=a&size=m"
    rows, said = [f"<td>{number}.50 EUR<td>{WORDS[number % 9]}" for number in range(100, 160)], list[bool]()
    for _ in range(3):
        chance.shuffle(rows)
        said.append(new(memory, url, "".join(f"<tr><td>{place}{row}" for place, row in enumerate(rows))))
    assert said == [True, False, False]
    weeks = "".join(f"<tr><td>{day}.05.<td>nothing<td>2031-05-{day}<td>{day}.05<td>10:30" for day in range(10, 31))
    said = [new(memory, url, weeks.replace("05", f"{month:02}")) for month in range(1, 13)]
    assert said == [False] * 12


@given(st.binary(max_size=3000))
def test_any_bytes_are_read(body: bytes) -> None:
    memory = BlockMemory()
    assert says_something_new(blocks_of(body), "http://h.test/", memory)
    blocks = blocks_of(b"<p>and something else</p>" + body)
    says_something_new(blocks, "http://h.test/", memory, combined=True)


def test_what_was_said_long_ago_is_forgotten() -> None:
    memory = BlockMemory()
    assert new(memory, "http://h.test/a?x=1&y=1", "<p>A very special sentence about herons</p>")
    for number in range(200):
        texts = "".join(f"<p>{' '.join(random.Random(number * 100 + each).sample(WORDS, 5))}</p>" for each in range(40))
        new(memory, "http://h.test/a?x=2&y=1", texts)
    assert new(memory, "http://h.test/a?x=1&y=1", "<p>A very special sentence about herons</p>")


def test_one_long_word_is_read_in_linear_time() -> None:
    memory = BlockMemory()
    assert new(memory, "http://h.test/a?x=1&y=1", "<p>a first page</p>")
    assert new(memory, "http://h.test/a?x=2&y=1", f"<p>{'a' * 60_000}</p>")
