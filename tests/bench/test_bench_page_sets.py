"""Pages of a measured web: links lead to their host's pages, bodies are distinct, sets have the size of their names."""

from __future__ import annotations

import gzip

import pytest

from bench import page_sets, web
from tests.servers.debian import UnavailableError

PAGE = b'<p><a href="a.html">1</a> <a href="../b.html#part">2</a> <a href="https://elsewhere.test/">e</a>'


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize(("name", "mean"), page_sets.SETS.items())
def test_a_set_has_the_mean_that_it_is_named_for(name: str, mean: int) -> None:
    try:
        pages = page_sets.pages_of(name)
    except UnavailableError as error:
        pytest.skip(str(error))
    assert len(pages) == page_sets.PAGES
    assert sum(len(page.text) for page in pages) / len(pages) == pytest.approx(mean, rel=0.05)
    assert len({page.text for page in pages}) == len(pages)


def test_all_pages_of_a_web_are_distinct_and_found_from_the_first(tmp_path, monkeypatch) -> None:
    real = tuple(page_sets.RealPage(f"part/page{n}", b"<title>%d</title>%s" % (n, PAGE)) for n in range(3))
    monkeypatch.setattr(page_sets, "pages_of", lambda _: real)
    files = web.write(web.Shape("55", hosts=2, pages_of_a_host=20), tmp_path)
    bodies = {path: gzip.decompress(path.read_bytes()) for path in tmp_path.rglob("*.gz")}
    assert len(bodies) == files.shape.count == len(set(bodies.values())) == 40
    assert all(body.endswith(b"</body></html>\n") for body in bodies.values())
    assert files.decoded == sum(map(len, bodies.values())) // 40
    reached, waiting = {files.paths[0]}, [files.paths[0]]
    while waiting:
        body = bodies[tmp_path / files.host(1) / f"{waiting.pop()[1:]}.gz"].decode()
        new = {path for path in files.paths if f'"{path}' in body} - reached
        reached |= new
        waiting += new
    assert reached == set(files.paths)


def test_neighbours_among_the_urls_are_of_different_hosts(tmp_path) -> None:
    files = web.Files(web.Shape("55", hosts=3, pages_of_a_host=2), tmp_path, ("/a", "/b"), 1, 1)
    served = web.Web(files, "http", 8080, ("127.1.0.1", "127.1.0.2", "127.1.0.3"), None, None)
    urls = served.urls()
    assert [url for url, _ in urls[:4]] == [*served.seeds(), "http://h0.test:8080/b"]
    assert urls[1][1] == "127.1.0.2"
    assert served.names().splitlines()[2] == "127.1.0.3 h2.test"
