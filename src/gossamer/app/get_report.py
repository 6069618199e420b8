"""What `gossamer get` says of the steps of a visit: lines for people, and the same for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from gossamer.adapters.text_turbohtml import page_text
from gossamer.app import figures
from gossamer.app.escape import inert
from gossamer.core.explain.robots import IGNORED
from gossamer.core.http.outcome import Failed, Gone, Redirected, Refused
from gossamer.core.page.links import LinkFlag, LinkKind
from gossamer.core.robots.answer import RobotsKind

if TYPE_CHECKING:
    from gossamer.app.visitor import Robots, Step
    from gossamer.core.page.document import Document

COLUMNS: Final = 400
TEXT_LINES: Final = 20
LINKS_SHOWN: Final = 20
LABEL_COLUMNS: Final = 12


def fate_of(step: Step) -> str:
    """What the visit of one URL came to, in a few words."""
    if step.problem:
        return step.problem
    if step.verdict is not None and not step.verdict.allowed:
        return "refused by robots.txt"
    assert step.exchange is not None, "what was allowed was asked for"
    assert step.reading is not None, "what was asked for was read"
    match step.reading.outcome:
        case Redirected(status, _):
            return f"{status} redirect"
        case Failed(reason) | Refused(reason):
            return f"failed: {reason}" + (f" ({step.exchange.detail})" if step.exchange.detail else "")
        case Gone(status):
            return f"{status}: nothing there"
        case _:
            return str(step.exchange.status)


def lines_of(steps: list[Step], *, full: bool) -> list[str]:
    """The chain, then all of its end."""
    lines = [
        line for number, step in enumerate(steps) for line in (_arrow(step, first=not number), *_robots_lines(step))
    ]
    last = steps[-1]
    if last.exchange is None or last.reading is None or not last.exchange.status:
        return lines
    lines += ["", *_answer_lines(last)]
    document = last.reading.document
    if document is not None:
        lines += _document_lines(document)
    lines += _text_lines(last, full=full)
    return [*lines, *(_link_lines(document, full=full) if document is not None else [])]


def _arrow(step: Step, *, first: bool) -> str:
    return f"{'' if first else '-> '}{inert(step.url, COLUMNS)}   {inert(fate_of(step), COLUMNS)}"


def _robots_lines(step: Step) -> list[str]:
    if step.robots is None or step.verdict is None:
        return []
    allowed = "allowed" if step.verdict.allowed else "NOT allowed"
    why = _deciding(step)
    delay = step.robots.rules.crawl_delay if step.robots.rules is not None else 0.0
    asked = f", Crawl-delay {delay:g} s" if delay else ""
    return [f"   {_label('robots.txt')}{allowed}: {why}{asked}"]


def _deciding(step: Step) -> str:
    robots, verdict = step.robots, step.verdict
    assert robots is not None, "only read files decide"
    assert verdict is not None, "and they do decide"
    if robots.state.kind is RobotsKind.UNREACHABLE:
        return f"it could not be read ({inert(robots.state.reason, 100)}), so nothing may be fetched"
    if robots.state.reason == IGNORED:
        return IGNORED
    if robots.state.kind is RobotsKind.ALLOW_ALL:
        return f"there is none ({inert(robots.state.reason, 100)})"
    if verdict.line_number:
        return f"line {verdict.line_number}: {inert(verdict.line, COLUMNS)}"
    return "no rule speaks of this URL"


def _answer_lines(step: Step) -> list[str]:
    exchange, reading = step.exchange, step.reading
    assert exchange is not None, "only answers are shown"
    assert reading is not None, "and they were read"
    protocol = " ".join(filter(None, (exchange.protocol, exchange.tls)))
    seconds = exchange.ended - exchange.started
    lines = [
        f"{_label('from')}{exchange.address} {protocol}, {figures.size(len(reading.body))} in {seconds:.2f} s",
        *(f"{_label(inert(name, 60) + ':')}{inert(value, COLUMNS)}" for name, value in exchange.headers),
        "",
        f"{_label('media type')}{inert(reading.media_type, 100) or 'none named'}",
    ]
    if len(reading.decoded) != len(reading.body) and reading.is_page:
        lines.append(f"{_label('decoded')}{figures.size(len(reading.decoded))}")
    if exchange.truncated is not None:
        lines.append(f"{_label('cut')}{exchange.truncated.value}: the body is not whole")
    if reading.problem:
        lines.append(f"{_label('coding')}{inert(reading.problem, 200)}")
    return lines


def _document_lines(document: Document) -> list[str]:
    directives = [name for name in ("noindex", "nofollow", "noarchive") if getattr(document.directives, name)]
    rows = [
        ("charset", document.charset),
        ("language", document.language),
        ("title", document.title),
        ("directives", ", ".join(directives) or "none"),
        ("malformed", document.malformed),
    ]
    return [f"{_label(name)}{inert(value, COLUMNS)}" for name, value in rows if value]


def _text_lines(step: Step, *, full: bool) -> list[str]:
    text = text_of(step)
    if not text:
        return []
    lines = [line for line in text.split("\n") if line.strip()]
    shown = lines if full else lines[:TEXT_LINES]
    more = [f"... {len(lines) - len(shown)} more lines (--full)"] if len(lines) > len(shown) else []
    return ["", "text", *(f"  {inert(line, COLUMNS)}" for line in shown), *more]


def _link_lines(document: Document, *, full: bool) -> list[str]:
    links = document.links
    shown = len(links) if full else min(LINKS_SHOWN, len(links))
    lines = ["", f"links ({len(links)})"]
    for row in range(shown):
        kind = LinkKind(links.kinds[row]).name.lower()
        rel = "".join(f" {name}" for name in _rel(links.flags[row]))
        lines.append(f"  {kind:9} {inert(links.urls[row], COLUMNS)}{rel}  {inert(links.texts[row], 80)}".rstrip())
    if len(links) > shown:
        lines.append(f"... {len(links) - shown} more links (--full)")
    if links.dropped:
        lines.append(
            "  not ours: " + inert(", ".join(f"{name} {count}" for name, count in links.dropped.items()), COLUMNS)
        )
    return lines


def text_of(step: Step) -> str:
    """What a reader sees of the page; empty for what is no text."""
    exchange, reading = step.exchange, step.reading
    if exchange is None or reading is None or not reading.is_page:
        return ""
    return page_text(reading.decoded, step.url, exchange.header("content-type"), reading.media_type)


def as_json(steps: list[Step]) -> dict[str, Any]:
    """Everything, for programs."""
    last = steps[-1]
    shown: dict[str, Any] = {"url": last.url, "fate": fate_of(last), "chain": [_step_json(step) for step in steps]}
    exchange, reading = last.exchange, last.reading
    if exchange is None or reading is None:
        return shown
    shown |= {
        "status": exchange.status,
        "headers": [list(each) for each in exchange.headers],
        "address": exchange.address,
        "protocol": exchange.protocol,
        "tls": exchange.tls,
        "seconds": round(exchange.ended - exchange.started, 6),
        "media_type": reading.media_type,
        "bytes": len(reading.body),
        "decoded_bytes": len(reading.decoded),
        "digest": reading.digest.hex(),
        "truncated": exchange.truncated.value if exchange.truncated is not None else "",
        "text": text_of(last),
    }
    return shown | (_document_json(reading.document) if reading.document is not None else {})


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "url": step.url,
        "fate": fate_of(step),
        "status": step.exchange.status if step.exchange is not None else 0,
        "location": step.target,
        "robots": robots_json(step.robots) | _verdict_json(step) if step.robots is not None else None,
    }


def robots_json(robots: Robots) -> dict[str, Any]:
    """A robots.txt, for programs."""
    rules = robots.rules
    return {
        "url": robots.url,
        "kind": robots.state.kind.value,
        "status": robots.status,
        "reason": robots.state.reason,
        "crawl_delay": rules.crawl_delay if rules is not None else 0.0,
        "sitemaps": list(rules.sitemaps) if rules is not None else [],
    }


def _verdict_json(step: Step) -> dict[str, Any]:
    verdict = step.verdict
    if verdict is None:
        return {}
    return {"allowed": verdict.allowed, "line": verdict.line, "line_number": verdict.line_number}


def _document_json(document: Document) -> dict[str, Any]:
    links, directives = document.links, document.directives
    rows = zip(links.urls, links.kinds, links.flags, links.texts, strict=True)
    return {
        "title": document.title,
        "charset": document.charset,
        "language": document.language,
        "malformed": document.malformed,
        "directives": {name: getattr(directives, name) for name in ("noindex", "nofollow", "noarchive")},
        "links": [
            {"url": url, "kind": LinkKind(kind).name.lower(), "rel": _rel(flags), "text": text}
            for url, kind, flags, text in rows
        ],
        "dropped": links.dropped,
    }


def _rel(flags: int) -> list[str]:
    return [flag.name.lower() for flag in LinkFlag if flag & flags and flag.name]


def _label(name: str) -> str:
    return f"{name:{LABEL_COLUMNS}} "
