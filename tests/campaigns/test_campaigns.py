"""The campaigns find nothing in a few seconds, and find what is planted, made small."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from parte.checker.partelang import negations, rule_claims, windows
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.temporal import closure
from tests.campaigns import checker
from tests.campaigns.__main__ import CAMPAIGNS
from tests.campaigns.apart import Part, run_apart
from tests.campaigns.checker import Checker
from tests.campaigns.kills import Kills
from tests.campaigns.meaning import Meaning
from tests.campaigns.running import INTERRUPTED, Broken, Campaign, Failure, run
from tests.campaigns.wild import Wild
from tests.guests import modules
from tests.languages.translations.parts import PARTS


def campaign(
    which: Campaign[Any], seconds: float, first: int = 0
) -> tuple[list[Failure[Any]], Counter[str], list[str]]:
    said: list[str] = []
    failures, counts = run(which, seed=1, seconds=seconds, say=said.append, first=first)
    return failures, counts, said


QUICK = {
    *(part.campaign.name for part in PARTS),
    *(campaign.name for module in modules("campaigns/catalogue") for campaign in module.CAMPAIGNS),
}
"""Campaigns of guests: most of their cases take milliseconds."""


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_nothing_breaks_in_a_few_seconds(name: str) -> None:
    chosen = Kills(("fmt",)) if name == Kills.name else CAMPAIGNS[name]  # the others take long
    failures, counts, said = campaign(chosen, 1 if name in QUICK else 2)
    assert not failures, said
    assert counts["cases"] > 0


def first_failure(monkeypatch: pytest.MonkeyPatch, first: int) -> Failure[Wild]:
    """The first failure; `first` is a case not long before it, so that this takes seconds."""
    monkeypatch.setattr("tests.campaigns.running.SHRINKING", 20.0)
    for seconds in (3, 20, 60):
        failures, _, _ = campaign(Checker(), seconds, first)
        if failures:
            return failures[0]
    raise AssertionError("nothing was found")


def test_time_without_end_is_found_where_timestamps_have_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(windows, "_ranged", lambda variables, constraints: closure(variables, list(constraints)))
    failure = first_failure(monkeypatch, 50)
    assert failure.what in ("windows that leave room, or do not", "a constraint follows from the others")
    assert len(failure.case.rules) == 1


def test_a_negation_that_is_looked_at_by_its_windows_alone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rule_claims.filling

    def windows_alone(*arguments: Any) -> Any:
        return {label: claim for label, claim in whole(*arguments).items() if label.startswith("when#")}

    monkeypatch.setattr(negations, "filling", windows_alone)
    failure = first_failure(monkeypatch, 0)
    assert failure.what in ("CheckerBug", "a useless negation makes a difference")
    assert sum(len(rule.patterns) for rule in failure.case.rules) <= 3


def test_only_memory_that_a_check_itself_takes_counts() -> None:
    checker.within_memory(checker.peak())
    with pytest.raises(Broken, match="more than 1 GiB of memory"):
        checker.within_memory(checker.peak() - checker.MEMORY - 1)


def attack_some(which: Campaign[Any]) -> None:
    """Until something breaks."""
    for number in range(100):
        which.attack(which.draw(random.Random(number)), Counter())


def test_windows_that_are_open_at_one_end_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrowed(text: str) -> core.Program:
        program = parse(text)
        rules = tuple(
            replace(
                rule,
                constraints=tuple(
                    replace(constraint, upper=constraint.upper - 1)
                    for constraint in rule.constraints
                    if constraint.upper
                ),
            )
            for rule in program.rules
        )
        return replace(program, rules=rules)

    monkeypatch.setattr("tests.campaigns.meaning.parse", narrowed)
    with pytest.raises(Broken, match=r"^(matches|failures) of"):
        attack_some(Meaning())


def test_several_processes_attack_the_cases_of_one() -> None:
    said: list[str] = []
    name = "level 2"
    failures, counts = run_apart(Part(name, seed=5, seconds=300, first=3, cases=5, step=1), 2, said.append)
    expected = run(CAMPAIGNS[name], seed=5, seconds=300, first=3, cases=5, say=said.append)
    assert (failures, counts) == ([], expected[1]), said
    assert counts["cases"] == 5


def test_an_interrupt_returns_what_was_counted() -> None:
    class Interrupted(Meaning):
        def attack(self, case: Any, counts: Counter[str]) -> None:  # noqa: ARG002 - only the count matters
            if counts["cases"] == 3:
                raise KeyboardInterrupt

    failures, counts = run(Interrupted(), seed=1, seconds=60, say=lambda _: None)
    assert (failures, counts["cases"], counts[INTERRUPTED]) == ([], 3, 1)
