"""The typeset page of rules says what the figures say."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.generate import page
from docs.rule_links import rule_links
from docs.rules_page import rules_html, shared_functions
from parte.drawing.mathml import OVERLINE, formula, inference
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.rules.figures import by_figure
from parte.semantics.partelang.rules.registry import MachineRule

FORMULAS = sorted(
    {
        *(
            line
            for info in RULEBOOK.values()
            for _, drawn in by_figure(info)
            for line in (*drawn.premises, *drawn.conclusion)
        ),
        *(line for _, auxiliary in shared_functions() for line in (auxiliary.head, *auxiliary.lines)),
    }
)
SMALL = str.maketrans("ₜₛₙₑˡᵉ", "tsnele", f" {OVERLINE}")
DOCS = Path(__file__).parents[1] / "docs"
html = cache(rules_html)


@pytest.mark.parametrize("line", FORMULAS)
def test_typesetting_loses_nothing(line: str) -> None:
    """The text is the same but for what position and lines over letters say."""
    typeset = ElementTree.fromstring(formula(line))
    text = "".join(typeset.itertext())
    assert text.replace("⟶", "→").replace(" ", "") == re.sub("_(?=[a-z])", "", line.translate(SMALL))


def test_a_rule_is_a_fraction() -> None:
    rule = ElementTree.fromstring(inference(["a = b", "c"], ["d"]))
    (fraction,) = rule.iter("mfrac")
    above, below = fraction
    assert [len(list(part.iter("mtr"))) for part in (above, below)] == [2, 1]
    assert "mspace" in inference([], ["d"])


@pytest.mark.parametrize("info", RULEBOOK.values(), ids=lambda info: str(info.id))
def test_the_page_has_every_rule_by_its_name_with_its_premises(info: MachineRule) -> None:
    section = next(part for part in html().split("<section ") if part.startswith(f'id="{info.id}"'))
    assert f"({info.name})" in unescape(section)
    assert len(re.findall("<mfrac>", section)) == len(by_figure(info))
    for _, drawn in by_figure(info):
        assert all(formula(line) in section for line in (*drawn.premises, *drawn.conclusion))


@pytest.mark.parametrize("rule", RULEBOOK)
def test_the_page_has_what_hangs_on_a_rule(rule: str) -> None:
    (links,) = (links for links in rule_links() if links.rule == rule)
    section = next(part for part in html().split("<section ") if part.startswith(f'id="{links.rule}"'))
    assert all(f"<code>{name}</code>" in section for name in (*(lemma.id for lemma in links.lemmas), *links.mutants))
    assert f"cases of the suite: {len(links.cases) or 'none'}" in section


def test_every_rule_has_links() -> None:
    """That none of them is empty is for tests/test_docs.py."""
    assert [links.rule for links in rule_links()] == list(RULEBOOK)


def test_links_lead_to_headings_of_the_page_of_text() -> None:
    rules = page("rules", (DOCS / "rules.md").read_text(encoding="utf-8"))
    anchors = {
        re.sub("[^a-z0-9-]", "", heading.lower()) for heading in re.findall("^#{2,4} (.*)$", rules, re.MULTILINE)
    }
    links = re.findall('href="rules.md#([^"]*)"', html())
    assert len(links) == html().count("<section ")
    assert set(links) <= anchors
    for name in set(re.findall('href="([a-z]+[.]md)[#"]', html())):
        assert (DOCS / name).is_file()
    for name in re.findall('href="#([^"]*)"', html()):
        assert html().count(f'id="{name}"') == 1
