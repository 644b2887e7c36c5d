"""Coverage of the suite: the inference rules that fire and the diagnostic codes that are expected, case by case.

For `sound` the cases list their rules, and the lint checks them. For another model the rules are measured here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parte.conformance.fixtures import Fixture, Suite
from parte.conformance.kit import KIT
from parte.conformance.measure import SOUND
from parte.languages.language import Language
from parte.semantics.rulebook.listing import RULES
from parte.semantics.source.text import TEXT


@dataclass(frozen=True, slots=True)
class Coverage:
    """The ids of the cases that exercise each rule of a model and each diagnostic code.

    `unreachable` are the rules that no case can exercise, with the reason.
    """

    model: str
    rules: Mapping[str, tuple[str, ...]]
    codes: Mapping[str, tuple[str, ...]]
    unreachable: Mapping[str, str]

    @property
    def missing(self) -> tuple[str, ...]:
        """Rules and codes that no case exercises, though one could."""
        rules = [rule for rule, cases in self.rules.items() if not cases and rule not in self.unreachable]
        return (*rules, *(code for code, cases in self.codes.items() if not cases))


def coverage(suite: Suite, language: Language, model: str = SOUND) -> Coverage:
    """Return the coverage of the suite in a model."""
    rules: dict[str, list[str]] = {id_: [] for id_, rule in language[RULES].rules.items() if model in rule.models}
    codes: dict[str, list[str]] = {code: [] for code in language[TEXT].codes}
    fired = language[KIT].measures().fired
    for case in suite.cases.values():
        rejected = case.expected.rejected is not None
        for rule in case.rules if model == SOUND else () if rejected else fired(case, model):
            rules[rule].append(case.id)
        for code in codes_of(case):
            if code in codes:
                codes[code].append(case.id)
    unreachable = {rule: why for rule, why in language[RULES].unreachable.items() if rule in rules and not rules[rule]}
    return Coverage(model, _frozen(rules), _frozen(codes), unreachable)


def codes_of(case: Fixture) -> tuple[str, ...]:
    """The diagnostic codes that a case expects, warnings included."""
    rejected = () if case.expected.rejected is None else (case.expected.rejected.code,)
    return (*rejected, *dict.fromkeys(place.code for place in case.expected.warnings))


def _frozen(ids: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(cases) for name, cases in ids.items()}
