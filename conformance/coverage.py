"""What the suite exercises: the inference rules that fire and the diagnostic codes that are expected, case by case.

For `sound` the rules are part of the cases and checked by the lint. For another model they are measured here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from conformance.fixtures import Fixture, Suite
from conformance.lint import UNREACHABLE, codes_of
from conformance.measure import read_input, rules_fired
from semantics.repairs import SOUND, Model
from semantics.rules.registry import RuleInfo, all_rules
from semantics.syntax.codes import CODES


@dataclass(frozen=True, slots=True)
class Coverage:
    """For each rule of a model and for each code the cases that exercise it, by their ids."""

    model: str
    rules: Mapping[str, tuple[str, ...]]
    codes: Mapping[str, tuple[str, ...]]

    @property
    def unreachable(self) -> Mapping[str, str]:
        """The rules that no case can exercise, and why."""
        return {rule: why for rule, why in UNREACHABLE.items() if rule in self.rules and not self.rules[rule]}

    @property
    def missing(self) -> tuple[str, ...]:
        """Rules and codes that no case exercises, though one could."""
        rules = [rule for rule, cases in self.rules.items() if not cases and rule not in self.unreachable]
        return (*rules, *(code for code, cases in self.codes.items() if not cases))


def coverage(suite: Suite, model: Model = SOUND) -> Coverage:
    """What the suite exercises in a model."""
    rules: dict[str, list[str]] = {info.id: [] for info in rules_of(model)}
    codes: dict[str, list[str]] = {code: [] for code in CODES}
    for case in suite.cases.values():
        for rule in _fired(case, model):
            rules[rule].append(case.id)
        for code in codes_of(case):
            if code in codes:
                codes[code].append(case.id)
    return Coverage(model.name, _frozen(rules), _frozen(codes))


def rules_of(model: Model) -> tuple[RuleInfo, ...]:
    """The inference rules that a model has."""
    return tuple(info for info in all_rules() if info.family in (None, model.family))


def _fired(case: Fixture, model: Model) -> Iterable[str]:
    if model == SOUND:
        return case.rules
    return () if case.expected.rejected is not None else rules_fired(read_input(case), model)


def _frozen(found: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(cases) for name, cases in found.items()}
