"""warcio check, FastWARC and pywb's indexer read every file of three crawls, and our index is pywb's line by line.

A documentation site with many equal pages, sent compressed, whose archive is many small files; every misbehaviour of
the misbehaving server; and a crawl that is killed several times and resumed.
"""

from __future__ import annotations

import gzip
import random
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import brotli
import zstandard

from proofs import documentation
from tests import crawls, ledgers, readers
from tests.servers import misbehaving, small_site
from tests.servers.small_site import Answer, page, redirect

SMALL_FILES = ("--set", "archive.warc_bytes=500k")
GZIP = "gzip on; gzip_types *; gzip_min_length 0;"
KILLS = 5
HTML = page("/", title="coded").body


def coded(name: str, data: bytes) -> Answer:
    """A page under a content coding."""
    return Answer(data, fields=(("Content-Encoding", name),))


ODD = {
    "/": page(
        *(
            "/gzip",
            "/deflate",
            "/raw-deflate",
            "/br",
            "/zstd",
            "/wrong-gzip",
            "/empty",
            "/none",
            "/moved",
            "/gone",
            "/big",
        ),
        *("/%FF/%zz?a=%20b&c=d", "/ünï/cödé?ключ=значение", "/a b", "/?q=" + "x" * 1500, "/UPPER/Case?B=2&A=1&a=3"),
        *("/same-1", "/same-2", "/binary", "/;jsessionid=0123456789abcdef0123456789abcdef?sid=1"),
        title="odd",
    ),
    "/gzip": coded("gzip", gzip.compress(HTML + b"1", mtime=0)),
    "/deflate": coded("deflate", zlib.compress(HTML + b"2")),
    "/raw-deflate": coded("deflate", zlib.compress(HTML + b"3")[2:-4]),
    "/br": coded("br", brotli.compress(HTML + b"4")),
    "/zstd": coded("zstd", zstandard.compress(HTML + b"5")),
    "/wrong-gzip": coded("gzip", HTML),
    "/empty": Answer(b""),
    "/none": Answer(b"", 204, ""),
    "/moved": redirect("/empty", 302, ("Set-Cookie", "a=b"), ("X-Odd", "\xe4\xf6")),
    "/gone": Answer(b"gone", 410),
    "/big": Answer(HTML + b"z" * 100_000),
    "/a%20b": page(title="blank"),
    "/same-1": page(title="same"),
    "/same-2": page(title="same"),
    "/binary": Answer(bytes(range(256)) * 50, media_type=""),
}


def odd(asked: small_site.Asked, _before: int) -> Answer:
    """What is not in the table says its own name."""
    return page(title=f"page {asked.target[:200]}")


def run(quick: bool) -> int:
    with tempfile.TemporaryDirectory(prefix="gossamer-readers-") as name:
        folder = Path(name)
        made: list[Callable[[], crawls.Crawl]] = [
            lambda: compressed(folder / "compressed", quick=quick),
            lambda: oddities(folder / "odd"),
            lambda: misbehaviours(folder / "misbehaving"),
            lambda: killed(folder / "killed"),
        ]
        problems: list[str] = []
        lines: list[str] = []
        for make in made:
            crawl = make()
            problems += _read(crawl, lines)
    print("\n".join(["", *problems[:40], *lines]))
    print(f"{len(problems)} problems")
    return 1 if problems else 0


def _read(crawl: crawls.Crawl, lines: list[str]) -> list[str]:
    """Everything that any reader has against a crawl."""
    name, files = crawl.folder.name, crawl.warcs()
    found = readers.warcio_problems(files) + readers.fastwarc_problems(files) + readers.index_problems(crawl)
    found += ledgers.problems(crawl)
    ours, theirs = crawl.index(), readers.pywb_lines(files)
    differing = Counter(ours) - Counter(theirs)
    found += [f"not in pywb's index: {line}" for line in list(differing.elements())[:5]]
    found += [f"only in pywb's index: {line}" for line in list((Counter(theirs) - Counter(ours)).elements())[:5]]
    sorted_files = [path for path in (crawl.folder / "index").glob("*.cdxj") if not _is_sorted(path)]
    found += [f"{path.name} is not sorted bytewise" for path in sorted_files]
    kinds = readers.fastwarc_records(files)
    said = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    lines.append(f"{name:12} {len(files):3} files: {said}; {len(ours)} index lines, {differing.total()} unlike pywb's")
    if not ours:
        found.append("nothing was archived")
    return [f"{name}: {text}" for text in found]


def _is_sorted(path: Path) -> bool:
    rows = path.read_bytes().splitlines()
    return rows == sorted(rows)


def compressed(folder: Path, *, quick: bool) -> crawls.Crawl:
    """Documentation with many equal pages, sent with gzip."""
    site = documentation.small_with_copies(folder.parent / "part") if quick else documentation.site_of("apache2-doc")
    with documentation.served({"packed.test": site}, folder.parent / "packed-server", GZIP) as (_, [one]):
        _must(crawls.run(*documentation.flags([one], folder, "--copies", "always", *SMALL_FILES)))
    return crawls.Crawl(folder)


def oddities(folder: Path) -> crawls.Crawl:
    """Content codings, strange URLs, empty bodies, cut bodies, equal bodies; every media type."""
    names = ("--resolve", "odd.test=127.0.0.1")
    with small_site.serve(ODD) as site:
        site.table |= dict.fromkeys(_paths_of(site), odd)
        limits = ("--set", "fetch.body_bytes=50k", "--media", "any", "--scope", "site")
        flags = ("--gap", "0", *crawls.LOOPBACK, *names, *limits, "--json")
        _must(crawls.run("crawl", site.url("/", "odd.test"), "-o", folder, *flags))
    return crawls.Crawl(folder)


def _paths_of(site: small_site.Site) -> list[str]:
    """The strange paths as they are asked for."""
    from gossamer.core.url.parse import parse

    links = [line.partition('href="')[2].partition('"')[0] for line in ODD["/"].body.decode().splitlines()]
    urls = [parse(f"{site.url('', 'odd.test')}{link}") for link in links if link.startswith("/") and link[1:2] != "/"]
    return [url.target for url in urls if url is not None and url.target not in site.table]


def misbehaviours(folder: Path) -> crawls.Crawl:
    """Every kind of misbehaviour, each on a host of its own, so that none slows another."""
    with misbehaving.serve() as server:
        paths = sorted(misbehaving.BEHAVIOURS)
        seeds = [server.url(path, f"host-{number}.test") for number, path in enumerate(paths)]
        names = [part for number in range(len(paths)) for part in ("--resolve", f"host-{number}.test=127.0.0.1")]
        short = ("first_byte=2s", "total=5s", "low_speed_time=3s", "body_bytes=200k")
        limits = [part for one in short for part in ("--set", f"fetch.{one}")]
        flags = ["--gap", "0", "--max-time", "20s", "--media", "any", *crawls.LOOPBACK, *names, *limits, "--json"]
        _must(crawls.run("crawl", *seeds, "-o", folder, *flags))
    return crawls.Crawl(folder)


def killed(folder: Path) -> crawls.Crawl:
    """A crawl that was killed and resumed several times."""
    chance = random.Random(5)
    site = documentation.small_with_copies(folder.parent / "killed-part")
    with documentation.served({"killed.test": site}, folder.parent / "killed-server") as (server, [one]):
        command = documentation.flags([one], folder, "--copies", "always", *SMALL_FILES)
        for number in range(KILLS):
            with crawls.start(*command) as process:
                wanted = len(server.hits()) + chance.randrange(5, 60)
                while len(server.hits()) < wanted and process.poll() is None:
                    time.sleep(0.02)
                process.kill()
            command = ["resume", str(folder), "--json"]
            if number == KILLS - 1:
                _must(crawls.run(*command))
    return crawls.Crawl(folder)


def _must(ended: crawls.Ended) -> None:
    if ended.code or "Traceback" in ended.stderr:
        raise RuntimeError(f"a crawl ended with {ended.code}: {ended.stderr[-1000:]}")
