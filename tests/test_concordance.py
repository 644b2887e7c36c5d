"""The concordance with D: complete, in D's order, and nothing on it is named that does not exist."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from docs.concordance_page import (
    Entry,
    Erratum,
    Quoted,
    Status,
    all_quotes,
    entries,
    errata,
    errors,
    future,
    lemmas_of,
    listings,
    main,
    misquoted,
    program,
)
from parte.algebra.partelang.programs import run
from parte.checker.solver.verdict import Verdict
from parte.conformance.partelang.mutants import mutants
from parte.proofs.partelang.catalogue import LEMMAS
from parte.proofs.partelang.defects import DEFECTS
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import bind_domain, load_domain
from parte.semantics.events.trace import load_trace
from parte.semantics.partelang.rulebook import RULEBOOK
from parte.semantics.partelang.rules.registry import OURS
from parte.semantics.partelang.syntax import parse

ROOT = Path(__file__).resolve().parents[1]
FRAUD = ROOT / "examples" / "fraud"
ENTRIES = [entry for entries in entries().values() for entry in entries]
EACH = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: str(entry.name))

DEFINITIONS = {"4": range(1, 13), "5": range(13, 28), "8": range(0)}
LEMMAS_OF_D = range(1, 34)
AUXILIARIES = {
    "5.2.6": {"Intersection ⊙", "lifetime↘", "lifetime↙", "timestamp, timestamps", "semantic-window"},
    "5.4.6": {"expiration-time↙", "expire↘", "expire-negated↘", "expire↙"},
}
"""The functions of D fig. 5.4 and 5.5."""

DEFECTS_OF_D = {f"defect {defect.number}": defect.repair for defect in DEFECTS}


# --- Complete ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chapter", entries())
def test_every_definition_stands_in_its_chapter(chapter: str) -> None:
    names = [entry.name.split(":")[0] for entry in entries()[chapter] if entry.name.startswith("Definition")]
    assert names == [f"Definition {number}" for number in DEFINITIONS[chapter]]


def test_every_lemma_of_chapter_8_stands_there() -> None:
    names = [entry.name for entry in entries()["8"] if entry.name.startswith("Lemma")]
    assert names == [f"Lemma {number}" for number in LEMMAS_OF_D]


def test_every_rule_stands_there_under_the_name_and_section_that_it_has_in_d() -> None:
    for info in RULEBOOK.values():
        if info.section == OURS:
            continue
        named = [entry for entry in entries()["5"] if info.id in entry.rules and f"({info.name})" in entry.name]
        assert {entry.section for entry in named} == set(info.section.split(", ")), info.id


def test_every_auxiliary_function_stands_there() -> None:
    for section, functions in AUXILIARIES.items():
        names = {entry.name for entry in ENTRIES if entry.section == section and "fig. 5." in entry.name}
        assert {name.split(" (fig.")[0] for name in names} == functions


def test_every_defect_is_a_counterexample_of_something() -> None:
    assert {counterexample for entry in ENTRIES for counterexample in entry.counterexamples} >= DEFECTS_OF_D.keys()


# --- In D's order, and quoted -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("quotes", [*entries().values(), errata(), future()], ids=["4", "5", "8", "errata", "future"])
def test_lines_are_in_ds_order(quotes: Sequence[Quoted]) -> None:
    assert all(before.line <= after.line for before, after in pairwise(quotes))


def test_names_and_quotations_are_one_each_and_short() -> None:
    assert len({entry.name for entry in ENTRIES}) == len(ENTRIES)
    quoted: list[Quoted] = [*ENTRIES, *listings().values()]
    assert len({(quote.line, quote.quote) for quote in quoted}) == len(quoted)
    for quote in all_quotes():
        assert 0 < len(quote.quote) <= 90
        assert quote.quote == quote.quote.strip()


def test_a_text_of_d_is_held_against_the_quotations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["Lemma 1: it holds", "Lemma 2: it does not"]
    right, wrong = (Erratum("1", line, "Lemma 2", "", "") for line in (2, 1))
    assert misquoted([right], lines) == []
    assert misquoted([wrong], lines) == ["line 1 has no 'Lemma 2'; it stands in 2"]
    assert misquoted([Erratum("1", 9, "Lemma 3", "", "")], lines) == ["line 9 has no 'Lemma 3'; it stands in no line"]
    text = [""] * max(quote.line for quote in all_quotes())
    for quote in all_quotes():
        text[quote.line - 1] += quote.quote
    path = tmp_path / "d.txt"
    path.write_text("\n".join(text), encoding="utf-8")
    assert main([str(path)]) == 0
    path.write_text("\n".join(text[1:]), encoding="utf-8")
    assert main([str(path)]) == 1
    assert "quotations are not in their lines" in capsys.readouterr().out


# --- What is named exists ---------------------------------------------------------------------------------------------


@EACH
def test_places_rules_lemmas_and_evidence_exist(entry: Entry) -> None:
    for place in entry.places:
        module, path = place.split(":")
        value = importlib.import_module(module)
        for name in path.split("."):
            value = getattr(value, name)
    assert set(entry.rules) <= set(RULEBOOK)
    lemmas_of(entry)
    assert all((ROOT / path).exists() for path in entry.evidence)
    assert entry.places or entry.rules or entry.lemmas or entry.evidence or entry.status is Status.NONE


@EACH
def test_counterexamples_are_defects_or_refuted_lemmas(entry: Entry) -> None:
    refuted = {lemma.id for lemma in LEMMAS if Verdict.REFUTED in lemma.expected.values()}
    assert set(entry.counterexamples) <= DEFECTS_OF_D.keys() | refuted


@EACH
def test_a_status_has_what_it_rests_on(entry: Entry) -> None:
    lemmas = lemmas_of(entry)
    assert all(lemma.expected[lemma.home] is Verdict.PROVED for lemma in lemmas)
    match entry.status:
        case Status.PROVED:
            assert lemmas
        case Status.PARTLY:
            assert lemmas
            assert entry.deviation
        case Status.ARGUED:
            assert any(path.startswith("docs/") for path in entry.evidence)
            assert entry.why
        case Status.TESTED:
            assert any(path.startswith("tests/") for path in entry.evidence)
        case Status.EXPLORED:
            assert any(path.startswith("tests/proofs/partelang/exploration/") for path in entry.evidence)
        case Status.FALSE:
            assert entry.counterexamples or entry.why
        case Status.NONE:
            assert entry.why
            assert not lemmas
    if entry.counterexamples:
        assert entry.status is Status.FALSE or entry.deviation


def test_a_rule_is_false_as_printed_by_the_defects_whose_repairs_change_it() -> None:
    repaired = {mutant.without[0]: set(mutant.rules) for mutant in mutants() if mutant.without}
    for entry in ENTRIES:
        if entry.rules and entry.section.startswith("5.4"):
            for defect in set(entry.counterexamples) & DEFECTS_OF_D.keys():
                assert set(entry.rules) & repaired[DEFECTS_OF_D[defect]], (entry.name, defect)


# --- The listings of D ------------------------------------------------------------------------------------------------

AS_PRINTED = {
    "Listing 1.1": ["type-mismatch"],
    "Listing 7.1": [],
    "Listing 7.2": ["type-mismatch"],
    "Listing 7.3": ["type-mismatch"],
    "Listing 7.4": [],
    "Listing 7.5": [],
    "Listing A.1": ["unknown-template"],
    "Listing A.2": ["unknown-template"],
    "Figure 8.1": ["syntax-error"],
}


def _codes(text: str) -> list[str]:
    return [error.split(":")[0] for error in errors(text)]


@pytest.mark.parametrize("name", listings())
def test_a_listing_as_printed_and_as_mended(name: str) -> None:
    listing = listings()[name]
    assert _codes(program(name, 0, beside_mended=False)) == AS_PRINTED[name]
    assert _codes(program(name, len(listing.edits), beside_mended=True)) == []
    assert bool(listing.why) is bool(listing.edits)


def test_what_a_1_leaves_out_even_if_its_template_is_added() -> None:
    (error,) = errors(program("Listing A.1", 1, beside_mended=True))
    assert error == "missing-assignment: no value is given to `id` of `MoneyTransferredSuspiciously`"


@pytest.mark.parametrize("mended", [False, True])
def test_what_the_listings_find_in_the_trace_of_figure_7_3(mended: bool) -> None:
    """The refund scam as printed finds nothing; the others find what those of the example do."""
    counts = {}
    for name in ("Listing 7.2", "Listing 7.3", "Listing 7.5", "Listing A.2"):
        edits = len(listings()[name].edits) if mended else 0
        checked = parse(program(name, edits, beside_mended=True))
        predicates = bind_domain(checked, load_domain(FRAUD / "domain.json"))
        templates = {template.name for template in checked.templates}
        items = [item for item in load_trace(FRAUD / "trace.jsonl") if item.template in templates]
        matches = run(checked, conform(checked, items), predicates).matches
        counts[name] = sum(match.rule.startswith("Fraud") for match in matches)
    assert counts == {"Listing 7.2": 3, "Listing 7.3": 6, "Listing 7.5": 2 if mended else 0, "Listing A.2": 9}


def test_an_edit_that_does_not_fit_is_an_error() -> None:
    listing = listings()["Listing 7.1"]
    broken = type(listing)(
        listing.name, listing.section, listing.line, listing.quote, "template A {}", edits=listing.edits
    )
    with pytest.raises(ValueError, match=r"Listing 7\.1: expected one place with"):
        broken.edited(1)
