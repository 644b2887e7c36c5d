"""The theorem in parte/proofs/rocq names what there is: rules, theorems, files. `make rocq` checks that it holds."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

import parte.semantics.partelang.machine  # noqa: F401 - registers the rules
from parte.algebra.partelang.programs import run
from parte.proofs.partelang.defects import DEFECTS, Defect
from parte.proofs.rocq.links import about, statements
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import Outcome
from parte.semantics.partelang.repairs import PUBLISHED, SOUND, Family, repair_names
from parte.semantics.partelang.rules.registry import RULEBOOK

ORDER = repair_names().index
FOLDER = Path(__file__).parents[2] / "proofs" / "rocq"
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.v"))}


def test_every_rule_of_the_sound_machine_has_a_definition_and_a_theorem() -> None:
    for rule in RULEBOOK.values():
        definitions, theorems = about(rule.id)
        assert bool(definitions) == bool(theorems) == (rule.family is not Family.RUDIMENTARY), rule.id


def test_rules_that_are_cited_exist() -> None:
    cited = {pattern for statement in statements() for pattern in statement.rules}
    assert cited
    assert not [pattern for pattern in cited if not fnmatch.filter(RULEBOOK, pattern)]
    named = {rule for text in TEXTS.values() for rule in re.findall(r"\bPARTE/[A-Z-]*[A-Z](?![A-Z*-])", text)}
    assert named <= set(RULEBOOK)


def test_every_theorem_cites_what_it_is_about() -> None:
    linked = {
        statement.name for statement in statements() if statement.theorem and (statement.rules or statement.clauses)
    }
    assert sorted(linked) == sorted(re.findall(r"^Print Assumptions (\w+)\.$", TEXTS["Theorems.v"], re.MULTILINE))


def test_a_place_is_that_of_the_statement() -> None:
    for statement in statements():
        assert f" {statement.name}" in TEXTS[statement.file].split("\n")[statement.line - 1]


def test_every_theorem_is_asked_for_its_assumptions() -> None:
    stated = {name for text in TEXTS.values() for name in re.findall(r"^ *Theorem (\w+)", text, re.MULTILINE)}
    printed = re.findall(r"^Print Assumptions (\w+)\.$", TEXTS["Theorems.v"], re.MULTILINE)
    assert sorted(printed) == sorted(stated)


def test_every_file_is_compiled() -> None:
    order = (FOLDER / "order.txt").read_text(encoding="utf-8").split()
    assert sorted([*order, "Theorems", "Extracted", "ExtractedEvaluator"]) == sorted(
        name.removesuffix(".v") for name in TEXTS
    )


def test_lines_are_at_most_120_columns_wide() -> None:
    lines = [(name, number, line) for name, text in TEXTS.items() for number, line in enumerate(text.split("\n"), 1)]
    assert not [f"{name}:{number}" for name, number, line in lines if len(line) > 120]


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: f"{defect.number}-{defect.repair}")
def test_of_each_defect_rocq_computes_what_python_does(defect: Defect) -> None:
    text, case = TEXTS["Printed.v"], f"case_{defect.number}"
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
