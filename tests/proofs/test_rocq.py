"""The theorems in Rocq, of PARTElang and of guests, name what there is: rules, theorems, files. `make rocq` checks that
they are true."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import pytest

import parte.semantics.partelang.machine  # noqa: F401 - registers the rules
from parte.algebra.partelang.programs import run
from parte.languages.language import Language
from parte.languages.partelang import PARTELANG
from parte.languages.registry import languages
from parte.proofs.facets import ROCQ
from parte.proofs.partelang.defects import DEFECTS, Defect
from parte.proofs.rocq.links import THEORY, Statement
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import Outcome
from parte.semantics.partelang.repairs import PUBLISHED, SOUND, Family, repair_names
from parte.semantics.partelang.rules.registry import RULEBOOK
from parte.semantics.rulebook.listing import RULES

ORDER = repair_names().index
ROOT = Path(__file__).parents[2]
LANGUAGES = tuple(language for language in languages() if language.has(ROCQ))
EXTRACTING = ("Extracted", "ExtractedEvaluator", "Transcribed")
"""Files of PARTElang that no other file needs."""

every_theory = pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)


@cache
def texts(folder: Path) -> dict[str, str]:
    """Return the files in a folder of theorems."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.v"))}


def read(language: Language) -> tuple[dict[str, str], Sequence[Statement]]:
    """Return the files of a language's theorems, and the statements in them."""
    return texts(language[ROCQ].folder), language[ROCQ].statements()


def test_every_folder_of_theorems_is_that_of_a_language() -> None:
    folders = {ROOT / "parte" / "proofs" / "rocq", *(ROOT / "parte" / "languages").glob("*/proofs/rocq")}
    assert {language[ROCQ].folder for language in LANGUAGES} == folders
    assert {language[ROCQ].package.replace(".", "/") for language in LANGUAGES} == {
        folder.relative_to(ROOT).as_posix() for folder in folders
    }


def test_every_rule_of_the_sound_machine_has_a_definition_and_a_theorem() -> None:
    for rule in RULEBOOK.values():
        definitions, theorems = THEORY.about(rule.id)
        assert bool(definitions) == bool(theorems) == (rule.family is not Family.RUDIMENTARY), rule.id


@every_theory
def test_rules_that_are_cited_exist(language: Language) -> None:
    (files, statements), rules = read(language), language[RULES].rules
    cited = {pattern for statement in statements for pattern in statement.rules}
    assert cited
    assert not [pattern for pattern in cited if not fnmatch.filter(rules, pattern)]
    system = next(iter(rules)).partition("/")[0]
    named = {rule for text in files.values() for rule in re.findall(rf"\b{system}/[A-Z-]*[A-Z](?![A-Z*-])", text)}
    assert named
    assert named <= set(rules)


@every_theory
def test_every_theorem_cites_what_it_is_about(language: Language) -> None:
    files, statements = read(language)
    linked = {
        statement.name for statement in statements if statement.theorem and (statement.rules or statement.clauses)
    }
    assert sorted(linked) == sorted(re.findall(r"^Print Assumptions (\w+)\.$", files["Theorems.v"], re.MULTILINE))


@every_theory
def test_a_place_is_that_of_the_statement(language: Language) -> None:
    files, statements = read(language)
    for statement in statements:
        assert f" {statement.name}" in files[statement.file].split("\n")[statement.line - 1]
        assert statement.place.startswith(f"{statement.folder}/{statement.file}:")
        assert (ROOT / statement.folder / statement.file).is_file()


@every_theory
def test_every_theorem_is_asked_for_its_assumptions(language: Language) -> None:
    files, _ = read(language)
    stated = {name for text in files.values() for name in re.findall(r"^ *Theorem (\w+)", text, re.MULTILINE)}
    printed = re.findall(r"^Print Assumptions (\w+)\.$", files["Theorems.v"], re.MULTILINE)
    assert sorted(printed) == sorted(stated)


@every_theory
def test_nothing_is_left_unproved(language: Language) -> None:
    """The build checks this too; here without Rocq."""
    left = re.compile(r"^ *(?:Admitted|Axioms?|Parameters?|Conjectures?)\b|\badmit *[.;]", re.MULTILINE)
    assert [name for name, text in read(language)[0].items() if left.search(text)] == []


@every_theory
def test_every_file_is_compiled(language: Language) -> None:
    order = (language[ROCQ].folder / "order.txt").read_text(encoding="utf-8").split()
    extracting = EXTRACTING if language is PARTELANG else ()
    assert sorted([*order, "Theorems", *extracting]) == sorted(name.removesuffix(".v") for name in read(language)[0])


@every_theory
def test_lines_are_at_most_120_columns_wide(language: Language) -> None:
    files, _ = read(language)
    lines = [(name, number, line) for name, text in files.items() for number, line in enumerate(text.split("\n"), 1)]
    assert not [f"{name}:{number}" for name, number, line in lines if len(line) > 120]


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.number}-{defect.repair}")
def test_of_each_defect_rocq_computes_what_python_does(defect: Defect) -> None:
    text, case = texts(THEORY.folder)["Printed.v"], f"case_{defect.number}"
    names = [{"s": "", "slow": "slow_"}[arriving.source] + arriving.template for arriving in defect.arriving]
    arriving = "; ".join(
        f"({name}, {arriving.timestamp})" for name, arriving in zip(names, defect.arriving, strict=True)
    )
    capacity = defect.capacities.default
    rooms = f"(with_room_for {capacity.left} {capacity.right} {capacity.inbox} {capacity.outbox})"
    if capacity.left is None:
        rooms = "of_the_size_that_is_prescribed" if defect.rates else "as_much_as_it_needs"
    lines = (f"(* {defect.rule} *)", f"Definition {case} := Counterexample", "", f"  [{arriving}] {rooms}.")
    statement = re.search(r"\n.*".join(map(re.escape, lines)), text)
    assert statement, f"{case} has another rule, another trace or other capacities"
    off = "; ".join(str(1 + ORDER(name)) for name in sorted((defect.repair, *defect.less), key=ORDER))
    computed = {
        f"made_of_it {case} published": _shown(defect.run(PUBLISHED)),
        f"made_of_it {case} (repaired_but [{off}]%nat)": _shown(defect.run(defect.exhibits)),
        f"made_of_it {case} sound": _shown(defect.run(SOUND)),
        f"defined {case}": ("", _numbers(run(defect.scenario.program, defect.scenario.items).matches)),
    }
    stated = re.findall(rf"^  (?:/\\ )?((?:made_of_it|defined) {case}\b.*?) = (\w*) ?\[(.*)\]\.?$", text, re.MULTILINE)
    assert {left: (how, sorted(re.findall(r"\[([\d; ]+)\]", matches))) for left, how, matches in stated} == computed


def _shown(outcome: Outcome) -> tuple[str, list[str]]:
    return "Ended" if outcome.blocked is None else "Blocked", _numbers(outcome.matches)


def _numbers(matches: Iterable[Match]) -> list[str]:
    """The events of the one rule by the numbers in their ids."""
    return sorted("; ".join(event[1:] for _, event in match.bindings) for match in matches)
