"""docs/reference-facts.md: every fact, from its class."""

from __future__ import annotations

from typing import Final

from gossamer.app.reference.markdown import table
from gossamer.core.facts import FACTS, Fact, Topic

HEAD: Final = """\
# Facts: what the log says

Made from `src/gossamer/core/facts.py` by `python -m gossamer.app.reference docs`.

`logs/facts.jsonl` in the crawl folder has one JSON object a line, in the order in which things happened. Every line
has `at` (UTC, milliseconds), `level` (debug, info, warning, error), `topic` and `fact`, the name in the tables below;
then the fact's own fields. Lines are ASCII: whatever a site said stands in them as JSON escapes, so they can be shown
anywhere. A crawl on several workers has a log of each worker as well, `logs/w0-facts.jsonl` and so on; its
`logs/facts.jsonl` tells of the crawl as a whole. A line longer than 16 KiB has its texts cut and says `"cut": true`.

At `log.bytes` (100 MB) the file becomes `facts-000001.jsonl.gz` and so on; the newest `log.kept` (10) stay. `log.level`
and `log.topics` say what is written at all; facts of level debug come once a visit or commit. After a crash the line
that was being written is cut away.

```
zcat -f logs/facts-*.gz logs/facts.jsonl | jq -c 'select(.topic == "hosts")'
duckdb -c "select fact, count(*) from read_json('logs/facts.jsonl', ignore_errors=true) group by 1"
```
"""


def facts_document() -> str:
    """docs/reference-facts.md."""
    parts = [HEAD]
    for topic in Topic:
        rows = [_row(kind) for kind in FACTS if kind.topic is topic]
        parts.append(f"## {topic.value}\n")
        parts.append(table(("fact", "level", "fields", "meaning"), rows))
    return "\n".join(parts)


def _row(kind: type[Fact]) -> tuple[str, ...]:
    fields = ", ".join(f"`{name}`" for name in kind.__struct_fields__)
    return f"`{kind.__name__}`", kind.level.word, fields, (kind.__doc__ or "").strip().removesuffix(".")
