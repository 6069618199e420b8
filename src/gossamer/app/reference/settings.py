"""docs/reference-settings.md: every setting."""

from __future__ import annotations

from typing import Any, Final

from gossamer.app.reference.markdown import table
from gossamer.app.settings.flags import FLAG_OF
from gossamer.app.settings.host_settings import HOST_DEFAULTS, HOST_TRAITS
from gossamer.app.settings.kinds import toml_value
from gossamer.app.settings.tree import DEFAULTS, SECTIONS, TRAITS

HEAD: Final = """\
# Settings

Made from `src/gossamer/app/settings/tree.py` by `python -m gossamer.app.reference docs`.

A setting is a key, `section.name`. Its value comes from, each beating the one before:

1. the default below; when a crawl is resumed, what its `crawl.toml` says
2. the TOML file that `--config FILE` names: `[crawl]` and below it `max_pages = 500`
3. the environment: `GOSSAMER_CRAWL_MAX_PAGES=500`
4. the flag, where there is one: `--max-pages 500`
5. `--set crawl.max_pages=500`, for any key

An unknown key or a wrong value ends the command before anything starts (exit 2). `crawl.toml` in the crawl folder holds
the settings in force and where each came from; changes at `resume` are also listed in `state/changes.jsonl`.

`none` means no such bound or value. Durations are written `90s`, `15m`, `6h`, `2d` (a plain number is seconds), sizes
`500kB` (thousands) or `10MiB` (1,024s). Lists are TOML arrays; in the environment and in `--set`, items stand between
commas, except patterns and paths, of which there is one; flags of lists are repeated. Relative paths count from the
folder of the file that names them, elsewhere from the working directory.

Patterns are RE2's, which needs linear time on any text; a pattern matches where it is found anywhere in the URL, so
anchor it with `^` and `$` where that matters.

*Changes*: `fixed` never after the crawl was made; `changeable` and `live` when it is resumed, by flag or `--set`, and
`live` also while it runs, by `gossamer set DIR KEY=VALUE`; `each run` is given anew every time.
"""


HOSTS_HEAD: Final = """\
## hosts

What is set for one host, beside what counts for all: in TOML a table for each, `[hosts."www.example.org"]`, the name
quoted because of its dots; elsewhere `hosts.NAME.KEY`, where NAME is all between the first dot and the last:
`--set hosts.www.example.org.gap=2`. Names are spelled in any way (case, IDNA); a host is all its ports and both
schemes, and no other host. Names of variables cannot hold dots, so the environment does not reach these keys. No value
is a secret: where one is needed, the setting names the environment variable that holds it.
[How to](how-to/hosts-settings.md) has an example of each.
"""


def settings_document() -> str:
    """docs/reference-settings.md."""
    parts = [HEAD]
    for section, kind in SECTIONS.items():
        parts.append(f"## {section}\n\n{(kind.__doc__ or '').strip()}\n")
        rows = [_row(key) for key in TRAITS if key.startswith(section + ".")]
        parts.append(table(("key", "default", "changes", "flag", "meaning"), rows))
    rows = [_host_row(name) for name in HOST_TRAITS]
    parts += [HOSTS_HEAD, table(("key", "default", "changes", "meaning"), rows)]
    return "\n".join(parts)


def _host_row(name: str) -> tuple[str, ...]:
    trait = HOST_TRAITS[name]
    default = toml_value(trait.kind.write(HOST_DEFAULTS[name])).strip('"')
    return f"`hosts.NAME.{name}`", f"`{default}`", trait.change.value, f"{trait.meaning}; {trait.kind.name}"


def _row(key: str) -> tuple[str, ...]:
    trait = TRAITS[key]
    default = toml_value(_written(key)).strip('"')
    flag = f"`{FLAG_OF[key]}`" if key in FLAG_OF else ""
    kept = trait.change.value if trait.kept else "each run"
    return f"`{key}`", f"`{default}`", kept, flag, f"{trait.meaning}; {trait.kind.name}"


def _written(key: str) -> Any:
    return TRAITS[key].kind.write(DEFAULTS[key])
