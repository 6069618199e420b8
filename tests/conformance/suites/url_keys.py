"""Keys, cleaning and SURT of other software (url-canon, w3lib, courlan), beside ours.

None of it is a standard. Where the result is a URL, the question is whether both call the same URLs one: a row agrees
when the key of its input is its result, or the key of its result. What a difference is about is found by folding both
sides further, step by step, until they are equal; each kind of folding has its clause.
"""

from __future__ import annotations

import csv
import html
import itertools
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import parse, resolve
from gossamer.core.url.surt import surt
from tests.conformance.frame import Bar, Case, Suite, compare, jsonl

RULES: Final = KeyRules()
PARSED_AS_STANDARD = "the URL standard rules parsing, and url-whatwg is its suite"

FOLDS: Final[dict[str, Callable[[str], str]]] = {
    "fragment": lambda url: url.partition("#")[0],
    "order": lambda url: "&".join(sorted(re.split("[?&]", url))),
    "empty query": lambda url: re.sub(r"[?&]+$", "", re.sub("&+", "&", url.replace("?&", "?"))),
    "final slash": lambda url: re.sub(r"/+(?=$|[?#])", "", url),
    "slashes": lambda url: re.sub("(?<!:)/+", "/", url),
    "index page": lambda url: re.sub(r"/(?:index|default)\.[a-z0-9]+(?=$|[?#])", "/", url, flags=re.IGNORECASE),
    "www": lambda url: re.sub(r"//www\d*\.", "//", url),
    "scheme": lambda url: re.sub("^https:", "http:", url),
    "letter case": lambda url: url.lower(),
    "escapes": lambda url: _unescaped(url).replace("+", " "),
    "credentials": lambda url: re.sub("//[^/]*@", "//", url),
    "parameters": lambda url: re.sub(r"[?;].*", "", url),
    "entities": html.unescape,
    "host": lambda url: re.sub("//[^/]*", "//", url),
}
CLAUSES: Final = {
    "no web URL": "only http and https are fetched; of another scheme there is nothing to compare",
    "no scheme": "a URL without scheme is a relative reference (URL standard 4.4); only the command line guesses one",
    "invalid": f"no valid URL: {PARSED_AS_STANDARD}",
    "refused": f"a valid URL by the standard: {PARSED_AS_STANDARD}",
    "fragment": "a fragment is never sent (RFC 9110 4.2.5): no fetch URL and no key has one",
    "order": "parameters are sorted by name alone: the order of equal names may matter (docs/urls.md)",
    "empty query": "empty parameters are left out of the key; neither is a page",
    "final slash": "a final slash may matter; where it does not, the host teaches an alias rule (docs/urls.md)",
    "slashes": "an empty segment is one by RFC 3986 3.3, and servers do tell them apart",
    "index page": "which page a server shows for a folder is learned per host as an alias rule (docs/urls.md)",
    "www": "www. is another host by DNS; where both are one, an alias rule is learned (docs/urls.md)",
    "scheme": "http and https are two authorities; where both are one, an alias rule is learned (docs/urls.md)",
    "letter case": "paths and queries are case-sensitive (RFC 3986 6.2.2.1)",
    "escapes": "only escapes of unreserved characters are undone, once (RFC 3986 6.2.2.2); + is not %20 in a URL",
    "credentials": "user name and password of a link are not sent and not kept (core/url/parse.py)",
    "parameters": "which parameters count is decided by docs/urls.md: tracking and session ids go, the rest stays",
    "entities": "character references belong to HTML and are undone by its parser, not in a URL",
    "host": f"another spelling of the host: {PARSED_AS_STANDARD}",
    "other": f"path and query by the URL standard (UTF-8, backslashes, nothing cut out): {PARSED_AS_STANDARD}",
    "encoding": "in a page of another encoding the query alone is in that encoding (URL standard, query state)",
    "bytes": "a URL is text here; bytes in some encoding have become text before",
    "links": "picks links by language, site and rel at once; links by the standards have suites of their own",
    "domain": "cuts www. off and guesses without the Public Suffix List, which rules here",
    "not ours": "cleans text or lists beside URLs; a crawler by the standards has no counterpart",
    "guess": "a guess about the page behind a URL; what is wanted is decided by scope and filters that the owner sets",
    "dialect": "another spelling of SURT; ours is pywb's, which looks captures up by it",
}


def _unescaped(url: str) -> str:
    for _ in range(8):
        url = unquote(url)
    return url


def _key(text: str) -> str:
    """The key of an input; "" where it is no web URL."""
    url = parse(text)
    return url_key(url.href, RULES) if url else ""


def _kind(text: str, got: str, expected: object) -> str:
    """What a difference is about."""
    if not isinstance(expected, str) or not expected:
        return "refused"
    if not expected.lower().startswith(("http:", "https:")):
        return "no web URL"
    if not re.match(r"\s*[a-z][a-z0-9+.\-]*:", text, re.IGNORECASE) or re.match(r"[\w.]+:\d", text):
        return "no scheme"
    if not got:
        return "invalid"
    for number in (1, 2, 3):
        for names in itertools.combinations(FOLDS, number):
            one, other = got, expected
            for name in names:
                one, other = FOLDS[name](one), FOLDS[name](other)
            if one == other:
                return " + ".join(names)
    return "other"


def _judged(case: str, text: str, expected: object, kind: str = "") -> Case:
    got, wanted = _key(text), expected or ""
    if isinstance(wanted, str) and got == _key(wanted) and (got or not wanted):
        return Case(case, passed=True)
    return compare(case, got=got, expected=wanted, kind=kind or _kind(text, got, wanted), given=text)


# --- url-canon: urlcanon ------------------------------------------------------------------------------------------

CANONICAL = ("aggressive", "semantic_precise", "supplemental_whatwg")


def _urlcanon(data: Path, name: str) -> Any:
    return json.loads((data / f"url-canon/urlcanon/{name}.json").read_text(encoding="utf-8"))


def _canonical(data: Path) -> Iterator[Case]:
    for name in CANONICAL:
        for number, (text, expected) in enumerate(_urlcanon(data, name).items(), 1):
            yield _judged(f"{name}.json:{number}", text, expected)


def _idempotence(data: Path) -> Iterator[Case]:
    for number, text in enumerate(_urlcanon(data, "idempotence"), 1):
        key = _key(text)
        yield compare(f"idempotence.json:{number}", got=_key(key), expected=key, given=text)


def _parsing(data: Path) -> Iterator[Case]:
    for number, (text, parts) in enumerate(_urlcanon(data, "parsing").items(), 1):
        url = parse(text)
        expected = {part: parts[part] for part in ("scheme", "host", "path", "query")}
        if url is None:
            web = parts["scheme"].lower() in ("http", "https")
            yield Case(f"parsing.json:{number}", passed=False, kind="invalid" if web else "no web URL")
            continue
        got = {"scheme": url.scheme, "host": url.host, "path": url.path, "query": url.query}
        yield compare(f"parsing.json:{number}", got=got, expected=expected, kind="normalised", given=text)


def _dots(data: Path) -> Iterator[Case]:
    for number, (text, expected) in enumerate(_urlcanon(data, "path_dots")["special"].items(), 1):
        url = parse(f"http://h.example{text}")
        yield compare(f"path_dots.json:{number}", got=url and url.path, expected=expected, kind="other", given=text)


def _supplemental(data: Path) -> Iterator[Case]:
    """Parsing as an older URL standard had it: the fetch URL beside it."""
    for number, (text, expected) in enumerate(_urlcanon(data, "supplemental_whatwg").items(), 1):
        url = parse(text)
        got = url.href if url else ""
        kind = "dots" if re.match(r"https?:/*(?:%2e)+/", text) and url else _kind(text, got, expected)
        yield compare(f"supplemental_whatwg.json:{number}", got=got, expected=expected, kind=kind, given=text)


def _addresses(data: Path) -> Iterator[Case]:
    for number, (text, expected) in enumerate(_urlcanon(data, "funky_ipv4").items(), 1):
        url = parse(f"http://{text}/")
        got = url.host if url and re.fullmatch(r"[0-9.]+", url.host) else None
        yield compare(f"funky_ipv4.json:{number}", got=got, expected=expected, kind="host", given=text)


def _surts(data: Path) -> Iterator[Case]:
    for number, (text, expected) in enumerate(_urlcanon(data, "surt")["defaultIASurt"].items(), 1):
        yield compare(f"surt.json defaultIASurt:{number}", got=surt(text), expected=expected, given=text)
    for group in ("Canonicalizer.DefaultIA", "Canonicalizer.IA"):
        for number, (text, expected) in enumerate(_urlcanon(data, "surt")[group].items(), 1):
            got, wanted = surt(text), surt(expected)
            yield compare(f"surt.json {group}:{number}", got=got, expected=wanted, kind="dialect", given=text)
    for group in ("google", "googleSupplementalFromSurt"):
        for number, (text, expected) in enumerate(_urlcanon(data, "surt")[group].items(), 1):
            got, wanted = surt(text), surt(expected)
            yield compare(f"surt.json {group}:{number}", got=got, expected=wanted, kind="google", given=text)
    for group in ("surt", "surtWithoutScheme", "surtWithoutTrailingComma", "ssurt"):
        for number, (text, expected) in enumerate(_urlcanon(data, "ssurt")[group].items(), 1):
            yield compare(f"ssurt.json {group}:{number}", got=surt(text), expected=expected, kind="dialect", given=text)


# --- url-canon: crawler-commons, Nutch ----------------------------------------------------------------------------


def _csv_rows(path: Path) -> Iterator[tuple[str, list[str]]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield f"{path.name}:{number}", next(csv.reader([line], skipinitialspace=True))


def _crawler_commons(data: Path) -> Iterator[Case]:
    folder = data / "url-canon/crawler-commons"
    for case, (text, *_) in _csv_rows(folder / "invalidUrls.csv"):
        yield compare(case, got=_key(text), expected="", kind="refused", given=text)
    for case, (text, expected, *_) in _csv_rows(folder / "weirdToNormalizedUrls.csv"):
        yield _judged(case, text, expected)
    for case, (reference, base, expected, *_) in _csv_rows(folder / "url-resolve.csv"):
        got = resolve(base, [reference])[0]
        yield compare(
            case, got=got, expected=expected, kind=_kind(expected, got, expected), given=f"{base} {reference}"
        )


def _nutch(data: Path) -> Iterator[Case]:
    folder = data / "url-canon/nutch/urlnormalizer-regex"
    for path in sorted(folder.glob("*.test")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip() and not line.startswith("#"):
                text, expected = line.split()
                yield _judged(f"{path.name}:{number}", text, expected)


# --- facts of w3lib and courlan -----------------------------------------------------------------------------------

W3LIB = ("w3lib.url.safe_url_string", "w3lib.url.canonicalize_url", "w3lib.url.safe_download_url")
COURLAN = ("courlan.normalize_url", "courlan.clean_url", "courlan.scrub_url")
ENCODED = {"encoding", "path_encoding"}
GUESSES = ("courlan.check_url", "courlan.lang_filter", "courlan.is_navigation_page", "courlan.is_not_crawlable")
KINDS = {
    **dict.fromkeys(GUESSES, "guess"),
    "courlan.extract_links": "links",
    "courlan.extract_domain": "domain",
    "courlan.get_hostinfo": "domain",
    "courlan.is_external": "domain",
}


def _text(value: Any) -> str | None:
    """A string argument of a row; None for what is none (a wrong type, bytes outside UTF-8)."""
    if isinstance(value, dict):
        value = value.get("bytes")
    return value if isinstance(value, str) else None


def _w3lib(data: Path) -> Iterator[Case]:
    for case, row in jsonl(data / "facts-w3lib/w3lib.jsonl"):
        if row["function"].startswith("w3lib.url."):
            yield _fact(case, row, W3LIB)


def _courlan(data: Path) -> Iterator[Case]:
    for case, row in jsonl(data / "facts-courlan/courlan.jsonl"):
        yield _fact(case, row, COURLAN)


def _fact(case: str, row: dict[str, Any], cleaning: tuple[str, ...]) -> Case:
    arguments, expected = row["args"], row.get("result")
    text = _text(arguments[0]) if arguments else None
    if row["function"] in cleaning and text is not None:
        return _judged(case, text, _text(expected), "encoding" if row.get("kwargs", {}).keys() & ENCODED else "")
    ours = FUNCTIONS.get(row["function"])
    got = ours(arguments) if ours and not row.get("kwargs") and None not in map(_text, arguments) else None
    if got is not None:
        return compare(case, got=got, expected=expected, kind="other", given=repr(arguments))
    kind = "bytes" if row["function"] in cleaning else KINDS.get(row["function"], "not ours")
    return Case(case, passed=False, kind=kind, detail=row["function"])


def _site_and_target(arguments: list[str]) -> list[str] | None:
    url = parse(arguments[0])
    return [url.authority, url.target] if url else None


FUNCTIONS: Final[Mapping[str, Callable[[list[Any]], Any]]] = {
    "w3lib.url.is_url": lambda arguments: parse(_text(arguments[0]) or "") is not None,
    "courlan.is_valid_url": lambda arguments: parse(arguments[0]) is not None,
    "courlan.fix_relative_urls": lambda arguments: resolve(arguments[0], [arguments[1]])[0],
    "courlan.get_base_url": lambda arguments: url.authority if (url := parse(arguments[0])) else "",
    "courlan.get_host_and_path": _site_and_target,
}


SUITES = [
    Suite("URL keys: urlcanon", f"url-canon/urlcanon ({', '.join(CANONICAL)})", Bar.FACTS, _canonical, shared=CLAUSES),
    Suite("URL keys: idempotence", "url-canon/urlcanon/idempotence.json", Bar.FACTS, _idempotence),
    Suite(
        "URL parts: urlcanon",
        "url-canon/urlcanon/parsing.json",
        Bar.FACTS,
        _parsing,
        {"normalised": f"urlcanon's parts are the raw text, ours are normalised: {PARSED_AS_STANDARD}"},
        CLAUSES,
    ),
    Suite(
        "dot segments: urlcanon",
        "url-canon/urlcanon/path_dots.json",
        Bar.FACTS,
        _dots,
        shared=CLAUSES,
        left_out={"paths of schemes other than http and https": 376},
    ),
    Suite(
        "URL parsing: urlcanon",
        "url-canon/urlcanon/supplemental_whatwg.json",
        Bar.FACTS,
        _supplemental,
        {"dots": "a host of dots alone is a name in today's URL standard (urltestdata: http://./), and not 0.0.0.0"},
        shared=CLAUSES,
    ),
    Suite("odd addresses: urlcanon", "url-canon/urlcanon/funky_ipv4.json", Bar.FACTS, _addresses, shared=CLAUSES),
    Suite(
        "SURT: urlcanon",
        "url-canon/urlcanon (surt, ssurt)",
        Bar.FACTS,
        _surts,
        {
            "google": "SURT is made from parsed URLs, which have neither no scheme nor a host of digits alone",
            "surt.json defaultIASurt:4": "the head of an ARC file; no index of ours has a line for one",
        },
        CLAUSES,
        {"steps inside of that library (unescapeRepeatedly, alphaReorderQuery, massageHost and their like)": 36},
    ),
    Suite("URL keys: crawler-commons", "url-canon/crawler-commons", Bar.FACTS, _crawler_commons, shared=CLAUSES),
    Suite("URL keys: Nutch", "url-canon/nutch/urlnormalizer-regex", Bar.FACTS, _nutch, shared=CLAUSES),
    Suite(
        "URL functions: w3lib",
        "facts-w3lib/w3lib.jsonl (w3lib.url)",
        Bar.FACTS,
        _w3lib,
        shared=CLAUSES,
    ),
    Suite("URL functions: courlan", "facts-courlan/courlan.jsonl", Bar.FACTS, _courlan, shared=CLAUSES),
]
