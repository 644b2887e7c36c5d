"""How long events matter and how far emissions lag, against all matches on a grid of timestamps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from hypothesis import given

from parte.algebra.partelang.incremental.horizons import horizons
from parte.conformance.partelang.strategies import ProgramShape, programs
from parte.semantics.partelang.syntax import core, parse

GRID = range(27)
MIDDLE = 13
"""Where the first variable is, as only distances matter; windows reach less far than the grid does."""


def matches(rule: core.Rule) -> Iterator[dict[str, int]]:
    """All timestamps of positive events that the windows allow."""
    first, *others = [pattern.variable for pattern in rule.positive]
    for rest in product(GRID, repeat=len(others)):
        stamps = {first: MIDDLE, **dict(zip(others, rest, strict=True))}
        if all(allows(c, stamps[c.subject], stamps) for c in rule.constraints if not c.negated):
            yield stamps


def allows(constraint: core.Constraint, subject: int, stamps: Mapping[str, int]) -> bool:
    reference = stamps[constraint.reference]
    return reference + constraint.begins <= subject <= reference + constraint.upper


def greatest_incomplete(rule: core.Rule, stamps: Mapping[str, int], lags: Mapping[str, int]) -> int:
    """The greatest promise under which a match is not complete."""
    ends = [stamps[pattern.variable] + lags[pattern.template] for pattern in rule.positive]
    for pattern in rule.patterns:
        if pattern.negated:
            windows = [c for c in rule.constraints if c.negated and c.subject == pattern.variable]
            closes = min(stamps[c.reference] + c.upper for c in windows)
            if least(rule, pattern, stamps) <= closes:
                ends.append(closes + lags[pattern.template])
    return max(ends)


def least(rule: core.Rule, pattern: core.Pattern, stamps: Mapping[str, int]) -> int:
    """The least timestamp of an event that is bound to a pattern, or that defeats the match."""
    windows = [c for c in rule.constraints if c.negated and c.subject == pattern.variable]
    return max(stamps[c.reference] + c.begins for c in windows) if pattern.negated else stamps[pattern.variable]


def value(at: core.TimestampExpression, stamps: Mapping[str, int]) -> int:
    match at:
        case core.TimestampOf(variable=variable):
            return stamps[variable]
        case core.Shift(operand=operand, milliseconds=milliseconds):
            return value(operand, stamps) + milliseconds
        case core.Aggregate():
            raise NotImplementedError("sets")
        case core.Combination(function=function, operands=operands):
            values = [value(operand, stamps) for operand in operands]
            return {"min": min(values), "max": max(values), "avg": sum(values) // len(values)}[function]


@given(programs(ProgramShape(patterns=3, conditions=False, least_distance=-3, greatest_distance=3)))
def test_horizons_are_what_the_matches_on_a_grid_need(program: core.Program) -> None:
    """No less, and no more where a negated variable has one window: two that exclude each other need less."""
    known = horizons(program)
    lags = {template.name: 0 for template in program.templates}
    for rules in program.rules_by_stratum():
        for rule in rules:
            negated = [constraint.subject for constraint in rule.constraints if constraint.negated]
            exact = len(negated) == len(set(negated))
            endings = [(stamps, greatest_incomplete(rule, stamps, lags)) for stamps in matches(rule)]
            for pattern in rule.patterns:
                ends = [end - least(rule, pattern, stamps) for stamps, end in endings]
                place = rule.name, pattern.variable
                assert (place in known.keeps) == bool(endings)
                assert not endings or known.keeps[place] >= max(ends)
                assert not endings or not exact or known.keeps[place] == max(ends)
            for emission in rule.emissions:
                behind = [end - value(emission.at, stamps) for stamps, end in endings]
                assert known.lags[emission.template] >= max(behind, default=0)
        for template in {emission.template for rule in rules for emission in rule.emissions}:
            lags[template] = known.lags[template]


def test_a_lag_is_no_more_than_some_match_needs() -> None:
    program = parse("""
        template A { } template B { } template D { } template E { } template F { }
        rule Waiting where a: A no b: B when no b in a [1 ms, 3 ms] then emit D at a.timestamp with { }
        rule Mean where a: A, other: A when other in a [-2 ms, 5 ms]
        then emit F at avg(a.timestamp, other.timestamp) + 2 ms with { }
        rule After where a: A, d: D when d in a [-1 ms, 0 ms] then emit E at min(a.timestamp, d.timestamp) with { }
    """)
    # Waiting is undecided until 3 ms after a. Mean lies at least at that of 0 and -5, rounded to -3, and 2 later. After
    # waits 3 ms for d, and a is no earlier.
    assert horizons(program).lags == {"A": 0, "B": 0, "D": 3, "E": 3, "F": 1}


def test_a_lag_adds_up_and_is_that_of_the_first_of_several_windows() -> None:
    program = parse("""
        template A { } template B { } template D { } template G { } template H { }
        rule Waiting where a: A no b: B when no b in a [1 ms, 3 ms] then emit D at a.timestamp with { }
        rule Silent where a: A no d: D when no d in a [-3 ms, 4 ms] then emit G at a.timestamp with { }
        rule Two where a: A, b: A no n: B
        when b in a [0 ms, 3 ms], no n in a [1 ms, 9 ms], no n in b [2 ms, 7 ms] then emit H at a.timestamp with { }
    """)
    # D, which comes up to 3 ms late, is waited for until 4 ms after a. In Two the window of b ends 10 ms after a at the
    # latest, that of a always after 9.
    assert horizons(program).lags == {"A": 0, "B": 0, "D": 3, "G": 4 + 3, "H": 9}


def test_nothing_lags_for_windows_that_never_overlap() -> None:
    program = parse("""
        template A { } template B { } template D { }
        rule Same where a: A no b: B when no b in a [6 ms, 7 ms], no b in a [-5 ms, 3 ms]
        then emit D at a.timestamp with { }
        rule Two where a: A, c: A no b: B when c in a [3 ms, 4 ms], no b in a [0 ms, 9 ms], no b in c [7 ms, 20 ms]
        then emit D at c.timestamp with { }
    """)
    known = horizons(program)
    assert known.lags["D"] == 0
    assert known.keeps["Same", "a"] == 0
    assert known.keeps["Two", "a"] == 4


def test_an_event_matters_as_long_as_the_last_match_that_it_can_meet() -> None:
    program = parse("""
        template A { } template B { } template D { }
        rule Waiting where a: A no b: B when no b in a [1 ms, 3 ms] then emit D at a.timestamp with { }
        rule Silent where a: A no d: D when no d in a [-3 ms, 4 ms] then
        rule Pair where a: A, b: B, no n: A
        when b in a [0 ms, 3 ms], no n in a [1 ms, 9 ms], no n in b [2 ms, 7 ms] then
    """)
    assert horizons(program).keeps == {
        ("Waiting", "a"): 3,
        ("Waiting", "b"): 2,
        # D comes up to 3 ms late.
        ("Silent", "a"): 4 + 3,
        ("Silent", "d"): 3 + 4 + 3,
        ("Pair", "a"): 9,
        ("Pair", "b"): 7,
        # Neither a nor b is later than 2 ms before n, and one window is enough.
        ("Pair", "n"): -2 + 7,
    }
