"""The documentation is what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.generate import FOLDER, pages
from docs.rule_links import RuleLinks, rule_links


@pytest.mark.parametrize(
    ("path", "text"), pages().items(), ids=lambda given: given.name if isinstance(given, Path) else ""
)
def test_a_generated_page_is_up_to_date(path: Path, text: str) -> None:
    assert path.read_text(encoding="utf-8") == text, "run python -m docs.generate"


@pytest.mark.parametrize("page", sorted(FOLDER.glob("*.md")), ids=lambda page: str(page.name))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert all((page.parent / link).exists() for link in links)


def test_the_index_names_every_page() -> None:
    index = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert all(f"]({page.name})" in index for page in FOLDER.glob("*.md") if page.name != "index.md")


@pytest.mark.parametrize("links", rule_links(), ids=lambda links: str(links.rule))
def test_a_rule_has_a_lemma_a_mutant_and_a_case(links: RuleLinks) -> None:
    assert links.lemmas
    assert links.mutants
    assert links.cases or links.unreachable
