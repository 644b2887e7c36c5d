"""The theorem in proofs/rocq names what there is: rules, theorems, files. That it holds is for `make rocq` to say."""

from __future__ import annotations

import re
from pathlib import Path

import parte.semantics.parte.machine  # noqa: F401 - registers the rules
from parte.semantics.parte.repairs import Family
from parte.semantics.parte.rules.registry import RULEBOOK

FOLDER = Path(__file__).parents[2] / "proofs" / "rocq"
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.v"))}


def test_rules_that_are_named_exist_and_all_of_the_sound_machine_are() -> None:
    named = {rule for text in TEXTS.values() for rule in re.findall(r"\bPARTE/[A-Z-]*[A-Z]", text)}
    assert named <= set(RULEBOOK)
    assert {rule.id for rule in RULEBOOK.values() if rule.family is not Family.RUDIMENTARY} <= named


def test_every_theorem_is_asked_for_its_assumptions() -> None:
    stated = {name for text in TEXTS.values() for name in re.findall(r"^ *Theorem (\w+)", text, re.MULTILINE)}
    asked = re.findall(r"^Print Assumptions (\w+)\.$", TEXTS["Theorems.v"], re.MULTILINE)
    assert sorted(asked) == sorted(stated)


def test_every_file_is_compiled() -> None:
    order = (FOLDER / "order.txt").read_text(encoding="utf-8").split()
    assert sorted([*order, "Theorems", "Extracted"]) == sorted(name.removesuffix(".v") for name in TEXTS)


def test_lines_are_at_most_120_columns_wide() -> None:
    lines = [(name, number, line) for name, text in TEXTS.items() for number, line in enumerate(text.split("\n"), 1)]
    assert not [f"{name}:{number}" for name, number, line in lines if len(line) > 120]
