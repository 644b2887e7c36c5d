"""Relations of rules: proofs are attacked with traces, refutations are confirmed by the algebra."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from parte.algebra.partelang.programs import run
from parte.checker.partelang.relations import NotComparable, Subsumption, equivalent, rewrite_preserves, subsumed
from parte.checker.solver.verdict import Verdict
from parte.conformance.partelang.strategies import ProgramShape, programs, traces
from parte.semantics.events.event import Event, TraceItem
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse

TEXT = """
template A { k : Integer, x : Float }
template B { k : Integer }
rule Narrow where a : A { k > 3 } b : A { k = a.k } no c : A { k = b.k }
when b in a [0 ms, 5 ms] no c in b [1 ms, 3 ms]
rule Wide where a : A { k >= 3 } b : A { k = a.k } no c : A { k = b.k, x > 1.0 }
when b in a [0 ms, 5 ms] no c in b [1 ms, 2 ms]
rule Same where u : A { k >= 4 } v : A { u.k = k } no w : A { k = u.k }
when v in u [0 ms, 5 ms] no w in v [1 ms, 3 ms]
rule Other where a : A {} b : B {} when b in a [0 ms, 5 ms]
rule Roundabout where a : A {} b : B {} when b in a [-5 ms, 5 ms], b in a [0 ms, 7 ms]
"""
PROGRAM = parse(TEXT)


@pytest.mark.parametrize(
    ("narrow", "wide", "verdict"),
    [
        ("Narrow", "Wide", Verdict.PROVED),
        ("Wide", "Narrow", Verdict.REFUTED),
        ("Narrow", "Same", Verdict.PROVED),
        ("Same", "Narrow", Verdict.PROVED),
        ("Same", "Wide", Verdict.PROVED),
        ("Other", "Roundabout", Verdict.PROVED),
        ("Roundabout", "Other", Verdict.PROVED),
    ],
)
def test_subsumption(narrow: str, wide: str, verdict: Verdict) -> None:
    assert subsumed(PROGRAM, narrow, wide).verdict is verdict


def test_equivalence() -> None:
    assert equivalent(PROGRAM, "Narrow", "Same").verdict is Verdict.PROVED
    assert equivalent(PROGRAM, "Narrow", "Wide").verdict is Verdict.REFUTED


def test_a_rewritten_when() -> None:
    rule = PROGRAM.rule("Roundabout")
    (first, second) = rule.constraints
    both = (replace(first, lower=0),)
    assert rewrite_preserves(PROGRAM, rule, both).verdict is Verdict.PROVED
    result = rewrite_preserves(PROGRAM, rule, (second,))
    assert result.verdict is Verdict.REFUTED
    assert result.forth.verdict is Verdict.PROVED
    assert result.back.witness is not None
    events = result.back.witness.events
    assert 5 < events["b"].timestamp - events["a"].timestamp <= 7


def test_rules_over_different_events_are_not_compared() -> None:
    with pytest.raises(NotComparable, match="different events: A, A; and A, B"):
        subsumed(PROGRAM, "Narrow", "Other")


# --- Against the algebra ---------------------------------------------------------------------------------------------


def _matches(
    program: core.Program, rule: core.Rule, items: tuple[TraceItem, ...], names: Mapping[str, str]
) -> set[frozenset[tuple[str, str]]]:
    alone = replace(program, rules=(replace(rule, emissions=()),))
    return {
        frozenset((names.get(variable, variable), event) for variable, event in match.bindings)
        for match in run(alone, items, {}).matches
    }


@st.composite
def variants(draw: st.DrawFn) -> tuple[core.Program, core.Rule, core.Rule, tuple[TraceItem, ...]]:
    """A program, a rule of it, the rule with something changed, and a trace."""
    level = draw(st.sampled_from([1, 2]))
    program = draw(programs(ProgramShape(rules=1, strata=1, patterns=3, level=level, sets=False, either=False)))
    (rule,) = program.rules
    changed = rule
    for _ in range(draw(st.integers(1, 2))):
        if len(changed.constraints) > 0 and draw(st.booleans()):
            place = draw(st.integers(0, len(changed.constraints) - 1))
            constraint = changed.constraints[place]
            moved = replace(
                constraint,
                lower=constraint.begins - draw(st.integers(0, 1)),
                upper=constraint.upper + draw(st.integers(0, 1)),
            )
            changed = replace(
                changed, constraints=(*changed.constraints[:place], moved, *changed.constraints[place + 1 :])
            )
        else:
            place = draw(st.integers(0, len(changed.patterns) - 1))
            pattern = changed.patterns[place]
            if pattern.conditions:
                pattern = replace(pattern, conditions=pattern.conditions[draw(st.integers(0, 1)) :])
            patterns = (*changed.patterns[:place], pattern, *changed.patterns[place + 1 :])
            changed = replace(changed, patterns=patterns)
    return program, rule, replace(changed, name="Changed"), draw(traces(program))


def _attack(program: core.Program, narrow: core.Rule, wide: core.Rule, trace: tuple[TraceItem, ...]) -> Subsumption:
    result = subsumed(program, narrow, wide, timeout=2)
    if result.verdict is Verdict.PROVED:
        assert _matches(program, narrow, trace, {}) <= _matches(program, wide, trace, {})
    elif result.verdict is Verdict.REFUTED:
        assert result.witness is not None
        separating: tuple[Event, ...] = tuple(result.witness.events.values())
        assert not _matches(program, narrow, separating, {}) <= _matches(program, wide, separating, {})
    return result


@given(variants())
def test_the_algebra_confirms(case: tuple[core.Program, core.Rule, core.Rule, tuple[TraceItem, ...]]) -> None:
    program, rule, changed, trace = case
    assume(all(pattern.template in "ABC" for pattern in rule.patterns))
    _attack(program, rule, changed, trace)
    _attack(program, changed, rule, trace)
    assert subsumed(program, rule, rule, timeout=2).verdict is not Verdict.REFUTED
