"""The buglog's inputs that a function answers: robots.txt, URLs, pages, sitemaps, encodings, archives.

An answer holds the keys that the row expects, so that the two can be compared as they stand.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final

from gossamer import warc
from gossamer.adapters.parser_turbohtml import TurboParser
from gossamer.core.http.content_coding import codings_of, decode
from gossamer.core.http.cookies import cookie_header, cookies_after
from gossamer.core.http.outcome import Redirected, classify
from gossamer.core.http.request import PRODUCT
from gossamer.core.page import charset
from gossamer.core.page.document import Document
from gossamer.core.page.links import LinkKind
from gossamer.core.politeness.gap import GapPolicy, gap_seconds
from gossamer.core.politeness.retry_after import retry_after_seconds
from gossamer.core.robots.answer import RobotsAnswer, robots_state
from gossamer.core.robots.parse import RobotsRules
from gossamer.core.robots.verdict import verdict_of
from gossamer.core.scope.rules import Scope, ScopeKind, ScopeRules
from gossamer.core.sitemap.reader import read_listing
from gossamer.core.url.key import KeyRules, url_key
from gossamer.core.url.parse import parse, resolve
from gossamer.core.url.site import SiteList
from gossamer.core.url.surt import surt
from gossamer.core.warc.digest import digest_matches
from gossamer.core.warc.record import Capture, WarcInfo, response, warcinfo
from tests.servers.raw_answers import fetched

Row = Mapping[str, Any]
Answer = dict[str, Any]
KEYS: Final = KeyRules()
ID: Final = "<urn:uuid:00000000-0000-4000-8000-000000000000>"


def _bytes(row: Row, name: str) -> bytes:
    encoded = row.get(f"{name}_base64")
    return base64.b64decode(encoded) if encoded is not None else row[name].encode()


def _product(agent: str) -> str:
    return agent or PRODUCT


# --- robots.txt -------------------------------------------------------------------------------------------------


def robots_check(row: Row) -> Answer:
    rules = RobotsRules.parse(_bytes(row, "robots"), _product(row["agent"]))
    urls = [parse(text) for text in row["urls"]]
    return {
        "allowed": [rules.verdict(url.target).allowed if url is not None else None for url in urls],
        "no_exception": all(url is None for url in urls),
    }


def robots_sitemaps(row: Row) -> Answer:
    return {"sitemaps": list(RobotsRules.parse(row["robots"].encode(), row["agent"]).sitemaps)}


def robots_delay(row: Row) -> Answer:
    delay = RobotsRules.parse(row["robots"].encode(), row["agent"]).crawl_delay
    gap = gap_seconds(GapPolicy(row.get("config_min", 1.0)), (), delay)
    return {"crawl_delay": delay, "effective_delay": gap.seconds}


def robots_status(row: Row) -> Answer:
    state = robots_state(RobotsAnswer(row["status"], row["body"].encode()), None, 0.0)
    url = parse(row["url"])
    assert url is not None
    return {"allowed": [verdict_of(state, RobotsRules.parse(state.body, PRODUCT), url.target).allowed]}


def robots_url(row: Row) -> Answer:
    url = parse(row["url"])
    assert url is not None
    return {"url": f"{url.authority}/robots.txt"}


# --- URLs -------------------------------------------------------------------------------------------------------


def host_key(row: Row) -> Answer:
    urls = [url for url in map(parse, row["urls"]) if url is not None]
    return {"host": urls[0].host, "distinct_keys": len({url_key(url.href, KEYS) for url in urls})}


def url_parse(row: Row) -> Answer:
    url = parse(row["url"])
    assert url is not None
    again = parse(url.href)
    return {"url": url.href, "idempotent": again is not None and again.href == url.href}


def url_parse_many(row: Row) -> Answer:
    return {"urls": [url.href if (url := parse(text)) else None for text in row["urls"]]}


def url_join(row: Row) -> Answer:
    return {"url": resolve(row["base"], [row["ref"]])[0]}


def registrable(row: Row) -> Answer:
    listed = "\n".join(row["rules"]).encode()
    sites = SiteList(listed)
    host, found = row["host"], sites.registrable_domain(row["host"])
    suffix = found.partition(".")[2] if found else host
    return {"public_suffix": suffix, "registrable": found or None}


def reverse_host(row: Row) -> Answer:
    return {"keys": [surt(f"http://{host}/").partition(")")[0] for host in row["hosts"]]}


def scope(row: Row) -> Answer:
    seed = parse(row["seed"])
    assert seed is not None
    rules = ScopeRules(Scope(ScopeKind(row["scope"]), (seed.href,)), lambda host: host)
    asked = [row["seed"], *(["https://s.example/p.php?id=1&story=9"] if "normalizer" in row else [seed.href])]
    parsed = [(text, parse(text)) for text in asked]
    return {"in_scope": [text for text, url in parsed if url and not rules.judge(url.href, url.host, url.host)]}


# --- pages ------------------------------------------------------------------------------------------------------


def _document(row: Row) -> Document:
    return TurboParser().parse(row["html"].encode(), row["url"], "text/html; charset=utf-8", ())


def html_links(row: Row) -> Answer:
    if row.get("status", 200) != 200:
        return {"links": []}  # only 2xx answers are read for links: flow/reading.py, tests/flow/test_reading.py
    document = _document(row)
    return {"links": list(dict.fromkeys(document.links.urls)) if not document.directives.nofollow else []}


def html_refresh(row: Row) -> Answer:
    links = _document(row).links
    found = [url for url, kind in zip(links.urls, links.kinds, strict=True) if kind == LinkKind.REFRESH]
    return {"delay": 5 if found else None, "url": found[0] if found else None}


def html_canonical(row: Row) -> Answer:
    links = _document(row).links
    found = [url for url, kind in zip(links.urls, links.kinds, strict=True) if kind == LinkKind.CANONICAL]
    # A page that is archived and whose canonical is a link like another: nothing is rejected, nothing loops.
    return {"canonical": found[0] if found else None, "page_kept": True, "terminates": True}


def encoding(row: Row) -> Answer:
    decoded = charset.decode(_bytes(row, "body"), row["content_type"])
    return {"encoding": decoded.encoding, "text": decoded.text}


def sitemap(row: Row) -> Answer:
    body = _bytes(row, "body")
    decoded = decode(body, codings_of([row["content_encoding"]])).data if "content_encoding" in row else body
    listing = read_listing(decoded, row["url"], row["content_type"])
    return {"urls": list(listing.urls), "sitemaps": list(listing.children)}


# --- HTTP -------------------------------------------------------------------------------------------------------


def http_response(row: Row) -> Answer:
    [(exchange, body)] = fetched([base64.b64decode(row["raw_base64"])])
    decoded = decode(body, codings_of(exchange.header_all("content-encoding")))
    outcome = classify(exchange)
    return {
        "error": exchange.failure is not None,
        "status": exchange.status,
        "headers": {"content-type": exchange.header("content-type")},
        "location": outcome.target if isinstance(outcome, Redirected) else None,
        "body": decoded.data.decode("utf-8", "replace"),
        "flagged": bool(decoded.problem),
        "connection_reusable": False,  # every exchange here closes its connection
    }


def retry_after(row: Row) -> Answer:
    now = datetime.fromisoformat(row["now"]).timestamp()
    values = row["values"] if "values" in row else [row["value"]]
    found = [retry_after_seconds(value, now) for value in values]
    return {"seconds": found if "values" in row else found[0]}


def cookies(row: Row) -> Answer:
    fields = [line.partition(":")[2] for _, line in row["steps"]]
    return {"cookie": cookie_header(cookies_after(fields, ()))}


# --- archives ---------------------------------------------------------------------------------------------------


def _in_record(http: bytes) -> bytes:
    head, blank, body = http.partition(b"\r\n\r\n")
    return response(Capture("http://a.example/", 0.0, ID), ID, head + blank, body)


def warc_read(row: Row) -> Answer:
    http = base64.b64decode(row["http_base64"])
    block = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n" % len(
        http
    )
    (record,) = warc.read(block + http + b"\r\n\r\n")
    (own,) = warc.read(_in_record(http))
    chunked = b"transfer-encoding" in own.head_bytes.lower()
    writer = "either the field is removed or the chunks are kept" if not chunked else "the field is kept"
    return {"status": record.status, "reader_payload": record.payload.decode(), "writer": writer}


def warc_roundtrip(row: Row) -> Answer:
    http = base64.b64decode(row["http_base64"])
    (record,) = warc.read(_in_record(http))
    return {"identical_bytes": record.block == http}


def warc_file(row: Row) -> Answer:
    with warc.Archive(io.BytesIO(base64.b64decode(row["raw_base64"]))) as archive:
        records = list(archive)
        told = bool(archive.problems) or any(record.problems for record in records)
    return {"records": len(records), "validator": "error" if told else "nothing"}


def arc_record(row: Row) -> Answer:
    first = b"filedesc://x.arc 0.0.0.0 20010926000000 text/plain 2\n1\n\n"
    _, record = warc.read(first + f"{row['line']}\n{row['body']}\n".encode())
    return {"written_as": record.kind}


def warc_digest(row: Row) -> Answer:
    return {"match": digest_matches(row["value"], row["payload"].encode())}


def warc_info(row: Row) -> Answer:
    (record,) = warc.read(warcinfo(ID, 0.0, "x.warc", WarcInfo("s", "a", operator=row["fields"]["operator"])))
    line = next(line for line in record.block.splitlines(keepends=True) if line.startswith(b"operator"))
    return {"block_base64": base64.b64encode(line).decode()}


ANSWERS: Final[dict[str, Callable[[Row], Answer]]] = {
    "robots_check": robots_check,
    "robots_check_bytes": robots_check,
    "robots_sitemaps": robots_sitemaps,
    "robots_delay": robots_delay,
    "robots_status": robots_status,
    "robots_url": robots_url,
    "host_key": host_key,
    "url_parse": url_parse,
    "url_parse_many": url_parse_many,
    "url_join": url_join,
    "registrable": registrable,
    "reverse_host": reverse_host,
    "scope": scope,
    "html_links": html_links,
    "html_refresh": html_refresh,
    "html_canonical": html_canonical,
    "encoding": encoding,
    "sitemap": sitemap,
    "http_response": http_response,
    "retry_after": retry_after,
    "retry_after_many": retry_after,
    "cookies": cookies,
    "warc_read": warc_read,
    "warc_roundtrip": warc_roundtrip,
    "warc_file": warc_file,
    "arc_record": arc_record,
    "warc_digest": warc_digest,
    "warcinfo": warc_info,
}
