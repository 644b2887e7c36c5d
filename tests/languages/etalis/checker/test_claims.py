"""What is claimed of programs holds on random streams, faults that are planted in the checker are noticed, and a search
comes near to the bounds of what is kept."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path
from tomllib import loads

import pytest

from parte.conformance.fuzz.draw import seeded
from parte.languages.etalis.algebra.readings import CHOICES, Readings
from parte.languages.etalis.checker.check import check
from parte.languages.etalis.conformance.drawing import drawn_items
from parte.languages.etalis.conformance.generation import Case
from parte.languages.etalis.semantics.syntax.parser import parse
from parte.proofs.mutation import Mutant, applied
from tests.languages.etalis.campaigns.rules import Rules, climbed

FAULTS = {fault["name"]: fault for fault in loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))["fault"]}


def options_of(fault: dict[str, str]) -> dict[str, str]:
    """The options of a run that are no defaults."""
    options = {"policy": fault["policy"]} if "policy" in fault else {}
    return options | {
        name: value for name, choices in CHOICES.items() for value in choices if value == fault.get("reading")
    }


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_noticed(name: str) -> None:
    fault = FAULTS[name]
    expected = said(fault)
    assert not noticed(fault), "the unchanged checker is contradicted"
    with applied(Mutant(name, fault["function"], fault["before"], fault["after"])):
        assert said(fault) != expected or noticed(fault), "nothing notices it"


def text_of(fault: dict[str, str]) -> str:
    """The program, a line for each rule."""
    return fault["program"].replace(". ", ".\n")


def said(fault: dict[str, str]) -> list[str]:
    """What the checker says of a program, without how long things are kept, which streams must tell."""
    options = options_of(fault)
    policy = options.pop("policy", "unrestricted")
    try:
        report = check(text_of(fault), 5, policy, Readings(**options))
    except Exception as error:
        return [type(error).__name__]
    return [f"{finding.code}: {finding.verdict.value} {finding.reason}" for finding in report.findings]


def noticed(fault: dict[str, str]) -> bool:
    """Whether a replay, or a stream, contradicts what is said, or nothing is said at all."""
    program = parse(text_of(fault))
    case = Case(program, drawn_items(seeded(1), program, 8), tuple(options_of(fault).items()))
    try:
        Rules(streams=25).attack(case, Counter())
    except Exception:
        return True
    return False


@pytest.mark.parametrize(
    ("text", "policy", "age"),
    [
        ("e <- (a SEQ b).5.", "unrestricted", 5),
        ("i <- (a SEQ b).3.\ne <- c STARTS i.", "unrestricted", 3),
        ("e <- (NOT(c).[a, b]).4.", "recent-consuming", 4),
        ("i <- (a SEQ b).2.\nj <- (c SEQ d).2.\ne <- i PAR j.", "recent", 2),
    ],
)
def test_a_search_comes_near_to_how_long_a_goal_is_kept_and_not_beyond(text: str, policy: str, age: int) -> None:
    oldest, most = climbed(text, policy, seed=1, streams=8)
    assert age * Fraction(9, 10) <= oldest < age
    assert most >= 3
