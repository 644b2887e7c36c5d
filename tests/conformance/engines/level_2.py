"""Programs of level 2 cut down to what an engine declares, to compare it with the definition on drawn cases.

Arithmetic is left out, too: there engines have values where PARTE has none, which the suite shows.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace

from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.adapters import Adapter
from parte.conformance.partelang.strategies import Case, ProgramShape, cases
from parte.conformance.protocol import Json
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.constructs import Construct, construct_of


def drawn(declared: Collection[Construct]) -> st.SearchStrategy[Case]:
    """Cases whose programs have no construct but those declared, and no arithmetic."""
    return cases(ProgramShape(level=2, patterns=3, rules=2, once=False, either=False)).map(
        lambda case: (_without(case[0], declared), case[1])
    )


def _without(program: core.Program, declared: Collection[Construct]) -> core.Program:
    def fits(expression: core.Expression) -> bool:
        parts = tuple(core.EXPRESSIONS.within(expression))
        used = {construct for part in parts if (construct := construct_of(part)) is not None}
        computing = any(isinstance(part, core.Arithmetic | core.Negation) for part in parts)
        return used <= set(declared) and not computing

    def only(expressions: tuple[core.Expression, ...]) -> tuple[core.Expression, ...]:
        return tuple(expression for expression in expressions if fits(expression))

    rules = tuple(
        replace(
            rule,
            patterns=tuple(replace(pattern, conditions=only(pattern.conditions)) for pattern in rule.patterns),
            emissions=tuple(e for e in rule.emissions if all(fits(item.value) for item in e.assignments)),
            having=only(rule.having),
        )
        for rule in program.rules
    )
    return replace(program, rules=rules)


def as_the_definition(adapter: Adapter, case: Case) -> None:
    """Assert that an engine finds the matches of the definition, unless it has no translation of a program."""
    program, trace = case
    scenario = Scenario.of(program, trace)
    try:
        theirs = adapter.compile(program, {})(scenario.arrivals)
    except Inexpressible:
        return
    ours = [json.loads(match.to_json()) for match in run(program, scenario.items, {}).matches]
    assert sorted(map(_text, theirs)) == sorted(map(_text, ours))


def _text(match: Json) -> str:
    emits = [{**event, "attributes": dict(sorted(event["attributes"].items()))} for event in match["emits"]]
    return json.dumps([match["rule"], match["bindings"], emits], sort_keys=True).replace("-0.0", "0.0")
