"""docs/reference-python.md: every public name of the package, from its signature and docstring."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
from typing import Any, Final, cast

import gossamer
from gossamer import errors
from gossamer.app.python import options
from gossamer.app.reference.markdown import table
from gossamer.app.settings.tree import TRAITS

HEAD: Final = """\
# The Python interface

Made from the code itself by `python -m gossamer.app.reference docs`. Everything here is typed; the package says so to
type checkers (`py.typed`). Programs to begin with lie in [examples/](../examples).

```python
import gossamer

for page in gossamer.crawl("https://docs.example.org/", max_pages=500, output="out"):
    print(page.url, page.title, len(page.links))
```

and on an event loop:

```python
async with gossamer.Crawl("https://docs.example.org/", max_pages=500, output="out") as crawl:
    async for page in crawl:
        print(page.url, page.title, len(page.links))
```
"""
KEYWORDS_HEAD: Final = """\
## Keywords

Of `Crawl`, `crawl`, and, but for the first two, of `Crawl.resume` and `resume`. `settings={"section.key": value}` takes
every other [setting](reference-settings.md), `hosts={"example.org": {"gap": 2}}` those of
[single hosts](how-to/hosts-settings.md), and `config=` names a settings file; keywords beat them. `None` means no
such bound. Durations are seconds, texts such as `"90s"` or `"2d"`, or `timedelta`; sizes are bytes or texts such as
`"10MiB"`. `GOSSAMER_` variables of the environment do not count here.
"""
ERRORS_HEAD: Final = """\
## gossamer.errors

All are `GossamerError`s, with `message` and `hint`. A keyword that does not exist raises `TypeError`; asking a crawl
that is over, or not begun, for what only a running one can do raises `RuntimeError`.
"""


_STARS: Final = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def python_document() -> str:
    """docs/reference-python.md."""
    names = sorted(
        set(gossamer.__all__) - {"errors"}, key=lambda name: (name != "crawl", name != "Crawl", name.lower())
    )
    sections = [_section(name, getattr(gossamer, name)) for name in names]
    return "\n".join([HEAD, KEYWORDS_HEAD, _keywords(), *sections, ERRORS_HEAD, _errors()])


def _keywords() -> str:
    rows: list[tuple[str, ...]] = []
    hints = {**options.CrawlOptions.__annotations__, **options.ChangeOptions.__annotations__}
    for name, key in options.KEYWORDS.items():
        rows.append((f"`{name}`", f"`{_annotation(hints[name])}`", f"`{key}`", TRAITS[key].meaning))
    return table(("keyword", "type", "setting", "meaning"), rows)


def _section(name: str, item: Any) -> str:
    kind = "" if inspect.isclass(item) else "()"
    parts = [f"## gossamer.{name}{kind}\n"]
    signature = _signature(name, item)
    if signature:
        parts.append(f"```python\n{signature}\n```\n")
    parts.append(_docstring(item))
    if inspect.isclass(item):
        rows = [*_field_rows(item), *_member_rows(item)]
        if rows:
            parts.append(table(("member", "meaning"), rows))
    return "\n".join(parts)


def _signature(name: str, item: Any) -> str:
    """How it is called; empty for what only Gossamer makes."""
    if inspect.isclass(item):
        if name != "Crawl":
            return ""
        parameters = list(inspect.signature(item.__init__).parameters.values())[1:]
        return f"class {name}({', '.join(_parameters(parameters))})"
    return f"{name}{_call(item)}"


def _call(function: Any, *, method: bool = False) -> str:
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    shown = ", ".join(_parameters(parameters[1:] if method else parameters))
    return f"({shown}) -> {_annotation(signature.return_annotation)}"


def _parameters(parameters: list[inspect.Parameter]) -> list[str]:
    """As a signature has them, with the star before what is given by name only."""
    kinds = [each.kind for each in parameters]
    shown = list(map(_parameter, parameters))
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    return shown


def _parameter(parameter: inspect.Parameter) -> str:
    stars = _STARS.get(parameter.kind.name, "")
    default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
    return f"{stars}{parameter.name}: {_annotation(parameter.annotation)}{default}"


def _annotation(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else str(getattr(annotation, "__forward_arg__", annotation))
    return text.removeprefix("Unpack[").removesuffix("]") if text.startswith("Unpack[") else text


def _docstring(item: Any) -> str:
    """The docstring, its indented code as blocks of code."""
    paragraphs: list[str] = []
    for paragraph in inspect.cleandoc(item.__doc__ or "").split("\n\n"):
        if paragraph.startswith("    "):
            paragraphs.append(f"```python\n{textwrap.dedent(paragraph)}\n```")
        else:
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs) + "\n"


def _field_rows(item: type[Any]) -> list[tuple[str, str]]:
    """Fields with the text that stands below each in the source."""
    if not dataclasses.is_dataclass(item) and not hasattr(item, "_fields"):
        return []
    body = ast.parse(textwrap.dedent(inspect.getsource(item))).body[0]
    assert isinstance(body, ast.ClassDef), "the source of a class is a class"
    rows: list[tuple[str, str]] = []
    for statement, following in zip(body.body, body.body[1:], strict=False):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        if not name.startswith("_") and isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            rows.append((f"`{name}: {ast.unparse(statement.annotation)}`", _one_line(str(following.value.value))))
    return rows


def _member_rows(item: type[Any]) -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for name, member in vars(item).items():
        if name.startswith("_") or not getattr(member, "__doc__", None):
            continue
        if isinstance(member, property):
            rows.append(
                (
                    f"`{name}: {_property_type(member)}`",
                    _one_line(member.__doc__),
                )
            )
        elif isinstance(member, classmethod):
            function: Any = cast("Any", member).__func__
            rows.append((f"`{name}{_call(function, method=True)}`, a class method", _one_line(member.__doc__)))
        elif inspect.iscoroutinefunction(member):
            rows.append((f"`await {name}{_call(member, method=True)}`", _one_line(member.__doc__)))
        elif inspect.isfunction(member):
            rows.append((f"`{name}{_call(member, method=True)}`", _one_line(member.__doc__)))
    return rows


def _property_type(member: property) -> str:
    assert member.fget is not None, "a public property can be read"
    return _annotation(inspect.signature(member.fget).return_annotation)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def _errors() -> str:
    rows = [(f"`{name}`", _one_line(getattr(errors, name).__doc__)) for name in errors.__all__]
    return table(("error", "meaning"), rows)
