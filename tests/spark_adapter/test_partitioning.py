"""Keys of programs: what they are derived from, and that a run in parts is the run of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parte.algebra.partelang.programs
from parte.conformance.partelang.strategies import ProgramShape, programs
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.events.match import Match, canonical
from parte.semantics.partelang.syntax import ast, core
from parte.semantics.partelang.syntax.elaborate import elaborate, parse
from parte.spark_adapter.partitioning import Group, groups_of, router_of
from parte.spark_adapter.stream.keyed import KeyedMachine

WITHOUT_SPARK = True

SCENARIOS = Path(__file__).parents[2] / "examples" / "fraud" / "scenarios.parte"

TEMPLATES = """
template A { k: Integer, s: String, b: Boolean }
template B { k: Integer, x: Float, s: String }
template D { k: Integer, s: String }
"""


def keys(text: str) -> list[dict[str, str]]:
    """For each group its patterns with their keys, as text."""
    return [
        {".".join(place): text_of(expression) for place, expression in group.keys.items()}
        for group in groups_of(parse(TEMPLATES + text))
    ]


def text_of(expression: core.Expression) -> str:
    match expression:
        case core.AttributeOf(variable=variable, attribute=attribute):
            return f"{variable}.{attribute}"
        case core.ToFloat(operand=operand):
            return f"float({text_of(operand)})"
        case core.Arithmetic(operator=operator, left=left, right=core.Constant(value=value)):
            return f"{text_of(left)} {operator} {value}"
    raise AssertionError(expression)


WHEN = "when b in a [0 ms, 5 ms] then"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (f"rule R where a: A, b: B {{ k = a.k }} {WHEN}", {"R.a": "a.k", "R.b": "b.k"}),
        (f"rule R where a: A, b: B {{ k = a.k, s = a.s }} {WHEN}", {"R.a": "a.s", "R.b": "b.s"}),
        (f"rule R where a: A, b: B {{ x = a.k }} {WHEN}", {"R.a": "float(a.k)", "R.b": "b.x"}),
        (f"rule R where a: A, b: B {{ k - 1 = a.k }} {WHEN}", {"R.a": "a.k", "R.b": "b.k - 1"}),
        (f"rule R where a: A, b: B {{ k >= a.k }} {WHEN}", {}),
        (f"rule R where a: A {{ k = 1 }}, b: B {{ k = 1 }} {WHEN}", {}),
        ("rule R where a: A then", {"R.a": "a.s"}),
        (
            "rule R where a: A, no b: B { s = a.s, k = 3 } when no b in a [0 ms, 5 ms] then",
            {"R.a": "a.s", "R.b": "b.s"},
        ),
        # What a negated pattern asks for says nothing about the events of a match.
        (
            "rule R where a: A, d: D, no b: B { s = a.s, s = d.s } "
            "when d in a [0 ms, 5 ms], no b in a [0 ms, 5 ms] then",
            {},
        ),
        # An Integer and a Float in between: equal as Floats does not mean equal as Integers.
        (
            "rule R where a: A, b: B { x = a.k }, d: D { k = b.x } when b in a [0 ms, 5 ms], d in a [0 ms, 5 ms] then",
            {"R.a": "float(a.k)", "R.b": "b.x", "R.d": "float(d.k)"},
        ),
    ],
)
def test_keys_of_one_rule(rule: str, expected: dict[str, str]) -> None:
    assert keys(rule) == [expected]


def test_rules_that_do_not_react_to_each_other_have_keys_of_their_own() -> None:
    text = f"rule R where a: A, b: B {{ k = a.k }} {WHEN} rule S where a: A, b: B {{ s = a.s }} {WHEN}"
    assert keys(text) == [{"R.a": "a.k", "R.b": "b.k"}, {"S.a": "a.s", "S.b": "b.s"}]


@pytest.mark.parametrize(
    ("emitted", "expected"),
    [
        ("k = a.k, s = a.s", {"R.a": "a.k", "R.b": "b.k", "S.d": "d.k", "S.b": "b.k"}),
        ("k = b.k, s = a.s", {"R.a": "a.k", "R.b": "b.k", "S.d": "d.k", "S.b": "b.k"}),
        ("k = a.k + 1, s = a.s", {}),
        ("k = 7, s = a.s", {}),
    ],
)
def test_rules_that_react_to_each_other_share_a_key_or_have_none(emitted: str, expected: dict[str, str]) -> None:
    text = (
        f"rule R where a: A, b: B {{ k = a.k }} {WHEN} emit D at a.timestamp with {{ {emitted} }}\n"
        "rule S where d: D, no b: B { k = d.k } when no b in d [0 ms, 3 ms] then"
    )
    (group_keys,) = keys(text)
    assert group_keys == expected


def test_why_a_group_has_no_key() -> None:
    refund = groups_of(parse(SCENARIOS.read_text(encoding="utf-8")))[2]
    assert refund.rules == ("FraudRefundScam",)
    assert not refund.keyed
    assert "FraudRefundScam" in refund.reason


def test_an_event_goes_once_to_each_key_under_which_it_fills_a_pattern() -> None:
    (group,) = groups_of(parse(TEMPLATES + f"rule R where a: A {{ b = true }}, b: A {{ s = a.s, k >= 0 }} {WHEN}"))
    route = router_of(group, {})

    def routed(**attributes: int | str | bool) -> tuple[str, ...]:
        return route(Event("e", "A", 0, attributes))

    assert routed(k=1, s="é", b=True) == ('"é"',)
    assert routed(k=-1, s="é", b=False) == ()
    (joined_group,) = groups_of(parse(TEMPLATES + "rule R where a: B, b: B { x = a.k } when b in a [0 ms, 5 ms] then"))
    route = router_of(joined_group, {})
    assert route(Event("e", "B", 0, {"k": 1, "x": 2.0, "s": ""})) == ("1.0", "2.0")
    assert route(Event("e", "B", 0, {"k": 0, "x": -0.0, "s": ""})) == ("0.0",)


# --- A run in parts is the run of the whole --------------------------------------------------------------------------

PAIRS = (("k", "k"), ("x", "x"), ("s", "s"), ("b", "b"), ("k", "x"), ("x", "k"))


@st.composite
def keyed_programs(draw: st.DrawFn) -> core.Program:
    """Programs in which every later pattern equates an attribute with one of the first: few would have a key if not."""
    program = draw(programs(ProgramShape(rules=2)))
    declarations = [
        with_equalities(declaration, *draw(st.sampled_from(PAIRS)))
        if isinstance(declaration, ast.Rule)
        else declaration
        for declaration in program.source.declarations
    ]
    return elaborate(ast.SourceProgram(tuple(declarations)))


def with_equalities(rule: ast.Rule, ours: str, theirs: str) -> ast.Rule:
    first, *others = rule.patterns
    condition = ast.Binary(ast.BinaryOperator.EQUAL, ast.Reference(None, ours), ast.Reference(first.variable, theirs))
    later = [ast.Pattern(p.negated, p.variable, p.template, (*p.conditions, condition)) for p in others]
    return ast.Rule(rule.name, (first, *later), rule.constraints, rule.emissions)


def in_parts(group: Group, events: Sequence[Event]) -> list[Match]:
    """Every key on its own, over the whole trace at once."""
    route = router_of(group, {})
    parts: dict[str, list[Event]] = {}
    for event in events:
        for key in route(event):
            parts.setdefault(key, []).append(event)
    machine = KeyedMachine(group, {})
    matches: list[Match] = []
    for key, own in parts.items():
        first = machine.run(key, None, own, NEGATIVE_INFINITY)
        matches.extend((*first.matches, *machine.run(key, first.state, (), POSITIVE_INFINITY).matches))
    return matches


@st.composite
def dense_traces(draw: st.DrawFn) -> tuple[Event, ...]:
    """Many events of few keys in a short time."""
    rows = draw(st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 8), *[st.integers(0, 1)] * 2), max_size=12))
    return tuple(
        Event(f"e{number}", template, timestamp, {"k": k, "x": float(x), "s": "", "b": k == x})
        for number, (template, timestamp, k, x) in enumerate(rows)
    )


@given(keyed_programs(), dense_traces())
def test_a_run_in_parts_is_the_run_of_the_whole(program: core.Program, trace: tuple[Event, ...]) -> None:
    matches = [match for group in groups_of(program) for match in in_parts(group, trace)]
    assert canonical(matches) == list(parte.algebra.partelang.programs.run(program, trace).matches)


def test_an_event_fills_under_a_key_only_what_has_that_key() -> None:
    """`a` and `b` both go to key 1 and to key 2, where the other two of them would make the match a second time."""
    text = "template P { k: Integer, l: Integer } rule R where a: P, b: P { k = a.l } when b in a [0 ms, 5 ms] then"
    (group,) = groups_of(parse(text))
    trace = (Event("a", "P", 0, {"k": 1, "l": 2}), Event("b", "P", 0, {"k": 2, "l": 1}))
    assert router_of(group, {})(trace[0]) == ("2", "1")
    assert [match.bindings for match in canonical(in_parts(group, trace))] == [
        (("a", "a"), ("b", "b")),
        (("a", "b"), ("b", "a")),
    ]
