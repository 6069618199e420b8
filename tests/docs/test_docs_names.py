"""Settings, exit codes, reasons, columns, proofs, libraries, files, words: what is named exists, and the reverse."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from gossamer.adapters import parser_turbohtml
from gossamer.app.exit_codes import EXIT_OF, Exit
from gossamer.app.reference import FILLED, reasons
from gossamer.app.reference.formats import parts
from gossamer.app.settings.tree import SECTIONS, TRAITS
from gossamer.core.datasets import DATASETS
from gossamer.core.http.exchange import FailureKind
from gossamer.core.page import charset
from gossamer.core.scope.reasons import EXPLANATIONS, Reason
from tests.docs.documents import DOCS, ROOT, documents, rows, spans
from tools import scripts
from tools.house.declared import normal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = documents()
SOURCE = ROOT / "src" / "gossamer"
KEY = re.compile(r"[a-z]+\.[a-z_]+")
SETTING = re.compile(rf"(?:{'|'.join(SECTIONS)})\.[a-z_]+")
FILE_ENDINGS = {"md", "py", "toml", "json", "jsonl", "parquet", "cdxj", "tsv", "dat"}
LAYERED = re.compile(r"(?:core|ports|flow|adapters|plugins|simulation|app)/[\w/.]*")
ROOTED = re.compile(r"(?:src|docs|tests|tools|proofs|bench|requirements)/[\w/.*-]*")
IMAGE = re.compile(r"!\[[^\]]+\]\(([^)\s]+)\)")
PROOF = re.compile(r"`([a-z][a-z_-]*)` \|$", re.MULTILINE)
WORD = re.compile(r"\*\*([^*]+)\*\*(?=:)")


def source_text() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))).lower()


def all_spans() -> Iterator[tuple[str, str]]:
    return ((page, span) for page, text in PAGES.items() for span in spans(text))


def test_every_setting_named_exists() -> None:
    for page, span in all_spans():
        if SETTING.fullmatch(span.partition("=")[0]) and span.rpartition(".")[2] not in FILE_ENDINGS:
            assert span.partition("=")[0] in TRAITS, f"{page}: {span}"


def test_every_setting_named_in_explanations_exists() -> None:
    texts = " ".join([*EXPLANATIONS.values(), *reasons.FAILURE_MEANINGS.values(), *reasons.TRUNCATED.values()])
    found = SETTING.findall(texts)
    assert found
    assert set(found) <= set(TRAITS)


def test_every_exit_code_named_exists_and_is_explained() -> None:
    known = {str(code.value) for code in Exit}
    for page, text in PAGES.items():
        assert set(re.findall(r"\(exit (\d+)\)", text)) <= known, page
    table = {row[0] for row in rows(PAGES["docs/exit-codes.md"], "Exit codes")}
    assert table == known
    assert all(f"| {state.value} |" in PAGES["docs/exit-codes.md"] for state in EXIT_OF)


def test_every_column_named_exists() -> None:
    columns = {column.name for dataset in DATASETS.values() for column in dataset}
    for page, text in PAGES.items():
        assert set(re.findall(r"column `(\w+)`", text)) <= columns, page


def test_every_dataset_has_its_table() -> None:
    named = [name for page in FILLED for name in parts((DOCS / page).read_text(encoding="utf-8"))]
    assert sorted(named) == sorted(DATASETS)


def test_reasons_that_nothing_gives_are_left_out_and_given_by_nothing() -> None:
    page = PAGES["docs/reference-reasons.md"]
    elsewhere = [
        path
        for path in SOURCE.rglob("*.py")
        if path.parts[-2:] not in {("scope", "reasons.py"), ("reference", "reasons.py")}
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in elsewhere)
    for reason in Reason:
        assert (f"| `{reason}` |" in page) == (reason not in reasons.NOT_GIVEN)
        if reason in reasons.NOT_GIVEN:
            assert f"Reason.{reason.name}" not in text


def test_every_failure_and_every_fault_of_a_page_is_explained() -> None:
    assert set(reasons.FAILURE_MEANINGS) == set(FailureKind) - {FailureKind.ADDRESS_REFUSED}
    faults = {
        charset.EMPTY,
        charset.BINARY,
        charset.UNDECODABLE,
        parser_turbohtml.TOO_DEEP,
        parser_turbohtml.TOO_MANY_ELEMENTS,
    }
    assert set(reasons.MALFORMED) == faults


def test_guarantees_and_proofs_name_each_other() -> None:
    guarantees = PAGES["docs/architecture.md"].split("\n## Guarantees\n")[1]
    assert set(PROOF.findall(guarantees)) == set(scripts.proofs())


def test_every_library_explained_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [
        project["project"]["dependencies"],
        project["dependency-groups"]["test"],
        project["dependency-groups"]["check"],
        project["dependency-groups"]["docs"],
        project["dependency-groups"]["fuzz"],
        project["dependency-groups"]["bench"],
    ]
    declared = {normal(re.split(r"[<>=;\s]", text)[0]) for group in groups for text in group} | {"pywb"}
    page = PAGES["docs/dependencies.md"]
    explained = [
        name for heading in ("At run time", "For developers") for row in rows(page, heading) for name in spans(row[0])
    ]
    assert {normal(name) for name in explained} == declared


def test_every_measurement_is_on_the_page() -> None:
    named = {row[0].strip("`") for row in rows(PAGES["docs/performance.md"], "Performance")}
    assert named == {f"bench/{name}.py" for name in scripts.measurements()}


def test_every_path_named_leads_somewhere() -> None:
    for page, span in all_spans():
        if LAYERED.fullmatch(span):
            assert (SOURCE / span).exists(), f"{page}: {span}"
        elif ROOTED.fullmatch(span):
            assert any(ROOT.glob(span)) if "*" in span else (ROOT / span).exists(), f"{page}: {span}"


def test_every_image_is_there() -> None:
    images = [(page, target) for page, text in PAGES.items() for target in IMAGE.findall(text)]
    assert images
    for page, target in images:
        assert ((ROOT / page).parent / target).is_file(), f"{page}: {target}"


def test_the_ten_second_table_has_every_part_of_core_and_every_layer() -> None:
    named = {row[1].strip("`") for row in rows(PAGES["README.md"], "Where things live")}
    parts_of_core = {
        f"src/gossamer/core/{path.name}/" for path in (SOURCE / "core").iterdir() if (path / "__init__.py").exists()
    }
    layers = {f"src/gossamer/{path.name}/" for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    shown_by_a_part = {"src/gossamer/core/", "src/gossamer/flow/", "src/gossamer/plugins/"}
    assert parts_of_core <= named
    assert layers - shown_by_a_part <= named
    assert any(path.startswith("src/gossamer/flow/") for path in named)


def test_every_page_is_reached_from_the_readme() -> None:
    reached, waiting = set[str](), ["README.md"]
    while waiting:
        page = waiting.pop()
        reached.add(page)
        folder = (ROOT / page).parent
        for target in re.findall(r"\]\(([^)#\s]+)", PAGES[page]):
            there = (folder / target).resolve()
            found = [there] if there.suffix == ".md" else sorted(there.glob("*.md")) if there.is_dir() else []
            waiting += [
                str(path.relative_to(ROOT)) for path in found if str(path.relative_to(ROOT)) in PAGES.keys() - reached
            ]
    assert reached == set(PAGES)


@pytest.mark.parametrize("path", sorted((DOCS / "decisions").glob("*.md")), ids=lambda path: path.stem)
def test_a_decision_has_its_parts(path: Path) -> None:
    text = PAGES[f"docs/decisions/{path.name}"]
    assert re.match(r"# \d{4}: ", text)
    places = [text.index(f"**{part}.**") for part in ("Context", "Choice", "What we gave up")]
    assert places == sorted(places)
    assert len(text.splitlines()) <= 60, "half a page"


def test_decisions_are_numbered_without_a_gap() -> None:
    names = sorted(path.name for path in (DOCS / "decisions").glob("*.md"))
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    for name in names:
        assert PAGES[f"docs/decisions/{name}"].startswith(f"# {name[:4]}: ")


def test_every_word_of_the_glossary_is_used() -> None:
    used, source = PAGES["docs/glossary.md"].split("\n## Kept for later\n")[0], source_text()
    words = WORD.findall(used)
    missing = [word for word in words if not re.search(rf"\b{word.lower()}s?\b", source)]
    assert missing == []


def test_every_word_of_the_glossary_is_explained_once() -> None:
    words = WORD.findall(PAGES["docs/glossary.md"])
    assert len(words) == len(set(words))
