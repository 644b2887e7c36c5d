"""The documentation is what the code says."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from docs.generate import FOLDER, pages
from docs.rule_links import RuleLinks, rule_links
from parte.conformance.languages import languages
from parte.languages.cel.semantics.repairs import DESCRIPTIONS
from parte.semantics.partelang.repairs import repair_names
from parte.semantics.partelang.syntax.codes import CODES
from tests.sampling import EXHAUSTIVE

GENERATED = pages()


LONG = ("lemmas.md",)
"""Every refutation is found again, as other tests do."""


@pytest.mark.parametrize(
    ("path", "made"),
    [
        pytest.param(*page, id=str(path.relative_to(FOLDER.parent)), marks=EXHAUSTIVE if path.name in LONG else ())
        for page in GENERATED.items()
        for path in page[:1]
    ],
)
def test_a_generated_page_is_up_to_date(path: Path, made: Callable[[], str]) -> None:
    assert path.read_text(encoding="utf-8") == made(), "run python -m docs.generate"


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: str(page.name))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert all((page.parent / link).exists() for link in links)


LEMMAS = [each for language in languages() if language.lemmas is not None for each in language.lemmas().lemmas]
WRITTEN = [FOLDER.parent / "README.md", *sorted(set(FOLDER.glob("*.md")) - GENERATED.keys())]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.name))
def test_lemmas_and_tests_that_a_page_names_exist(page: Path) -> None:
    """`join-*` stands for all that begin so; a name that begins like that of a lemma is one of a lemma."""
    text = page.read_text(encoding="utf-8")
    families = tuple({lemma.id.split("-")[0] + "-" for lemma in LEMMAS})
    others = {*CODES, *repair_names(), *DESCRIPTIONS}
    for name in re.findall(r"`([a-z]+-[A-Za-z0-9*-]+)`", text):
        if name.startswith(families) and name not in others:
            assert any(fnmatchcase(lemma.id, name) for lemma in LEMMAS), f"no lemma is called {name}"
    for path in re.findall(r"tests/[A-Za-z0-9_/]+\.py", text):
        assert (FOLDER.parent / path).exists(), f"there is no {path}"


def test_the_index_names_every_page() -> None:
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert all(f"]({page.name})" in index for page in FOLDER.glob("*.md") if page.name != "index.md")


def test_the_way_to_a_first_report_is_as_short_as_the_guide_says() -> None:
    """Page by page what somebody reads who connects an engine: the guide says which pages, and how many words."""
    guide = FOLDER.parent / "examples" / "engines" / "README.md"
    text = guide.read_text(encoding="utf-8")
    (first,) = re.findall(r"\*\*For a first report\*\*.*?(?=\n- )", text, re.DOTALL)
    pages = [guide.parent / link for link in re.findall(r"\]\(([^)#]+)\)", first)]
    (words,) = re.findall(r"less than ([0-9,]+) words", first)
    assert pages
    read = [text, *(page.read_text(encoding="utf-8") for page in pages)]
    assert sum(len(each.split()) for each in read) < int(words.replace(",", "")) <= 2_500


@pytest.mark.parametrize("links", rule_links(), ids=lambda links: str(links.rule))
def test_a_rule_has_a_lemma_a_mutant_and_a_case(links: RuleLinks) -> None:
    assert links.lemmas
    assert links.mutants
    assert links.cases or links.unreachable
