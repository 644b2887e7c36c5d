"""The specification: its clauses are well formed, what cites a clause cites one that there is, and cases cover them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docs.generate import NOTICE
from docs.grammar_page import grammar_page
from parte.conformance.kit import KIT
from parte.conformance.suites import load_suite
from parte.languages.registry import languages
from tests.guests import is_absent

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "specification"

NAME = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
ANCHOR = re.compile(rf'<a id="(?P<id>{NAME})"(?P<tool> class="tool")?></a>')
CITATION = re.compile(rf"\b[Ss]pecification: ({NAME}(?:,\s+{NAME})*)(?=[^\w-]|$)")
LINK = re.compile(r"\bspecification/(?P<page>[a-z-]+\.md)#(?P<id>[\w-]+)")
LOCAL_LINK = re.compile(r"\]\((?P<page>[a-z-]+\.md)?#(?P<id>[\w-]+)\)")
REPLACED = re.compile(r"\bSPEC\b(?!-)")

WRITTEN = {
    ".py",
    ".md",
    ".lark",
    ".cases",
    ".toml",
    ".json",
    ".jsonl",
    ".txt",
    ".html",
    ".parte",
    ".java",
    ".mjs",
    ".sh",
    ".yml",
    ".v",
    *(language.ending for language in languages()),
}
NOT_OURS = {".git", ".venv", "__pycache__", "build", "dist"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause. One that is marked *tool* binds no engine, and no case need cite it."""

    page: str
    line: int
    id: str
    tool: bool
    text: str


def _lines_of(page: Path) -> Iterator[tuple[int, str]]:
    """The lines of a page outside its examples, numbered from 1."""
    example = False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("```"):
            example = not example
        elif not example:
            yield number, line


def _clauses() -> Iterator[Clause]:
    for page in sorted(PAGES.glob("*.md")):
        lines = dict(_lines_of(page))
        for number, line in lines.items():
            if anchor := ANCHOR.fullmatch(line):
                yield Clause(page.name, number, anchor["id"], bool(anchor["tool"]), lines.get(number + 1, ""))


CLAUSES = tuple(_clauses())
KNOWN = {clause.id: clause for clause in CLAUSES}


def _headings(page: Path) -> set[str]:
    titles = (line.lstrip("#").strip().lower() for _, line in _lines_of(page) if line.startswith("#"))
    return {re.sub(r"[^\w -]", "", title).replace(" ", "-") for title in titles}


def _files() -> Iterator[tuple[Path, str]]:
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if path.suffix not in WRITTEN or any(part in NOT_OURS or part.endswith("_cache") for part in parts):
            continue
        if path.is_file() and path != Path(__file__).resolve():
            yield path, path.read_text(encoding="utf-8", errors="replace")


def clauses_of_cases() -> dict[str, tuple[str, ...]]:
    """What each case of the suites cites."""
    return {
        f"{language.name}: {case.id}": case.clauses
        for language in languages()
        for case in load_suite(language).cases.values()
    }


# --- The pages --------------------------------------------------------------------------------------------------------


def test_an_anchor_is_well_formed() -> None:
    for page in PAGES.glob("*.md"):
        for number, line in _lines_of(page):
            assert "<a " not in line or ANCHOR.fullmatch(line), f"{page.name}:{number}: {line}"


def test_a_clause_begins_with_its_id_and_its_mark() -> None:
    for clause in CLAUSES:
        begins = f"**{clause.id}** *(tool)*. " if clause.tool else f"**{clause.id}.** "
        assert clause.text.startswith(begins), f"{clause.page}:{clause.line + 1}: expected {begins}"


def test_what_looks_like_a_clause_has_an_anchor() -> None:
    for page in PAGES.glob("*.md"):
        lines = dict(_lines_of(page))
        for number, line in lines.items():
            if re.match(rf"\*\*{NAME}(\.\*\*|\*\* \*\(tool\)\*\.)", line):
                assert ANCHOR.fullmatch(lines.get(number - 1, "")), f"{page.name}:{number}: no anchor before it"


def test_the_id_of_a_clause_is_its_own() -> None:
    assert not [id_ for id_, count in Counter(clause.id for clause in CLAUSES).items() if count > 1]


def test_the_index_of_the_specification_names_every_page() -> None:
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    assert all(f"]({page.name})" in index for page in PAGES.glob("*.md") if page.name != "index.md")


def test_a_page_is_at_most_120_columns_wide() -> None:
    for page in PAGES.glob("*.md"):
        for number, line in _lines_of(page):
            assert len(line) <= 120 or line.startswith("|"), f"{page.name}:{number}"


def test_the_grammar_page_is_up_to_date() -> None:
    text = (PAGES / "grammar.md").read_text(encoding="utf-8")
    assert text == grammar_page(NOTICE), "run python -m docs.generate"


# --- Citations --------------------------------------------------------------------------------------------------------


def test_a_citation_leads_to_a_clause() -> None:
    """In the form `(specification: windows-closed, durations)`, anywhere in the repository."""
    for path, text in _files():
        for citation in CITATION.finditer(text):
            for name in re.split(r",\s+", citation[1]):
                assert name in KNOWN, f"{path.relative_to(ROOT)}: there is no clause {name}"


def test_a_link_leads_to_a_clause_or_a_heading() -> None:
    """In the form `specification/language.md#windows-closed`; between the pages themselves without the folder."""
    for path, text in _files():
        own = path.parent == PAGES
        for link in (LOCAL_LINK if own else LINK).finditer(text):
            page = PAGES / (link["page"] or path.name)
            assert page.exists(), f"{path.relative_to(ROOT)}: {link[0]}"
            here = {clause.id for clause in CLAUSES if clause.page == page.name} | _headings(page)
            assert link["id"] in here, f"{path.relative_to(ROOT)}: {link[0]}"


def test_a_case_cites_clauses_that_there_are() -> None:
    for id_, cited in clauses_of_cases().items():
        assert set(cited) <= KNOWN.keys(), id_


def test_a_mutant_cites_clauses_that_there_are() -> None:
    for mutant in (mutant for language in languages() for mutant in language[KIT].mutants()):
        cited = {section for section in mutant.sections if re.fullmatch(NAME, section)}
        assert cited <= KNOWN.keys(), mutant.name


def test_a_case_cites_every_clause_that_binds_engines() -> None:
    cited = {name for names in clauses_of_cases().values() for name in names}
    binding = [clause.id for clause in CLAUSES if not clause.tool and not is_absent(clause.page)]
    assert not set(binding) - cited


def test_nothing_cites_what_the_specification_replaced() -> None:
    assert not [str(path.relative_to(ROOT)) for path, text in _files() if REPLACED.search(text)]
