"""A web of a few hosts that all link to each other, for crawls on several workers: every page is known beforehand."""

from __future__ import annotations

from dataclasses import replace

from tests.servers import small_site

HOSTS, PAGES = 12, 10
NAMES = [f"h{number}.test" for number in range(HOSTS)]


def table(port: int, seconds: float = 0.0, pages: int = PAGES) -> dict[str, small_site.Behaviour]:
    """Answers that take `seconds`.

    Page k of host n names the next page of its host, a page of another host, and one that both of these have.
    """
    site: dict[str, small_site.Behaviour] = {}
    for n, name in enumerate(NAMES):
        for k in range(pages):
            other = NAMES[(n + k + 1) % HOSTS]
            links = [f"/{(k + 1) % pages}", f"http://{other}:{port}/{(k * 3) % pages}", "/same"]
            page = small_site.page(*links, title=f"{name} {k}", more="word " * 50)
            site[f"//{name}/{k}"] = replace(page, seconds=seconds)
        site[f"//{name}/same"] = small_site.page(title="the same everywhere", more="body " * 80)
    return site


def hold(site: small_site.Site) -> None:
    """Keep the crawl from its end until the site is told to release."""
    last = f"//{NAMES[-1]}/{PAGES - 1}"
    answer = site.table[last]
    assert isinstance(answer, small_site.Answer)
    site.table[last] = replace(answer, held=True)


def urls(port: int, pages: int = PAGES) -> set[str]:
    """All pages of the web."""
    return {f"http://{name}:{port}/{path}" for name in NAMES for path in [*map(str, range(pages)), "same"]}


def flags(port: int) -> list[str]:
    """What a crawl of it is given; the first host's first page is the seed.

    Deep pages are wanted by whatever way they are met first: in another order of fetches it would be too deep.
    """
    named = [flag for name in NAMES for flag in ("--resolve", f"{name}=127.0.0.1")]
    return [f"http://{NAMES[0]}:{port}/0", "--scope", "any", "--max-depth", "1000", *named]
