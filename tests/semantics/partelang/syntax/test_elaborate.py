"""Meaning: names resolved, conversions written out, strata assigned (specification: conversions, strata)."""

from __future__ import annotations

import pytest

from parte.semantics.events.types import ListOf, Scalar
from parte.semantics.partelang.syntax import core, functions, parse
from parte.semantics.partelang.syntax.core import (
    Arithmetic,
    AttributeOf,
    Combination,
    Comparison,
    Constant,
    FunctionCall,
    ListExpression,
    PredicateCall,
    Shift,
    TimestampOf,
    ToFloat,
    type_of,
)
from tests.semantics.partelang.syntax.programs import (
    ABSTRACTED,
    DIFFUSION,
    EVERYTHING,
    PASS_THROUGH,
    REFUND_SCAM,
    VALID,
)

DAY = 86_400_000
DECLARATIONS = """
predicate near(String, Float)
template T { i : Integer, f : Float, s : String, b : Boolean }
template O { f : Float }
"""
INT = AttributeOf("a", "i", Scalar.INTEGER)
FLT = AttributeOf("a", "f", Scalar.FLOAT)
FLAG = AttributeOf("a", "b", Scalar.BOOLEAN)


def condition(text: str) -> core.Expression:
    (list_expression,) = parse(f"{DECLARATIONS} rule R where a : T {{ {text} }}").rules[0].patterns[0].conditions
    return list_expression


def integer(value: int) -> Constant:
    return Constant(value, Scalar.INTEGER)


@pytest.mark.parametrize("name", sorted(VALID))
def test_warnings_of_valid_programs(name: str) -> None:
    expected = {"empty": ["no-rules"], "refund-scam": ["unused-predicate"]}
    assert [warning.code for warning in parse(VALID[name]).warnings] == expected.get(name, [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i = 1", Comparison("=", INT, integer(1))),
        ("a.i = 1", Comparison("=", INT, integer(1))),
        ("f >= 1", Comparison(">=", FLT, ToFloat(integer(1)))),
        ("1 < f", Comparison("<", ToFloat(integer(1)), FLT)),
        ("f = i + 1", Comparison("=", FLT, ToFloat(Arithmetic("+", INT, integer(1), Scalar.INTEGER)))),
        ("f = i * f", Comparison("=", FLT, Arithmetic("*", ToFloat(INT), FLT, Scalar.FLOAT))),
        (
            "i / 2 = 1",
            Comparison("=", Arithmetic("/", ToFloat(INT), ToFloat(integer(2)), Scalar.FLOAT), ToFloat(integer(1))),
        ),
        ("-i = i", Comparison("=", core.Negation(INT, Scalar.INTEGER), INT)),
        ("b = true", Comparison("=", FLAG, Constant(True, Scalar.BOOLEAN))),
        ("b != (i < 2)", Comparison("!=", FLAG, Comparison("<", INT, integer(2)))),
        ("max(i, 1) = i", Comparison("=", FunctionCall("max", (INT, integer(1)), Scalar.INTEGER), INT)),
        ("min(i, f) = f", Comparison("=", FunctionCall("min", (ToFloat(INT), FLT), Scalar.FLOAT), FLT)),
        ("avg(i) = f", Comparison("=", FunctionCall("avg", (ToFloat(INT),), Scalar.FLOAT), FLT)),
        (
            'near("x", i)',
            PredicateCall("near", (Constant("x", Scalar.STRING), ToFloat(INT))),
        ),
    ],
)
def test_conditions(text: str, expected: core.Expression) -> None:
    assert condition(text) == expected


def at(text: str) -> core.TimestampExpression:
    program = (
        f"{DECLARATIONS} rule R where a : T b : T when b in a [0 ms, 1 day] then emit O at {text} with {{ f = 1 }}"
    )
    return parse(program).rules[0].emissions[0].at


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.timestamp", TimestampOf("a")),
        ("a.timestamp + 1 day", Shift(TimestampOf("a"), DAY)),
        ("1 day + a.timestamp", Shift(TimestampOf("a"), DAY)),
        ("a.timestamp - -1 day", Shift(TimestampOf("a"), DAY)),
        ("a.timestamp - (1 day - 1 ms)", Shift(TimestampOf("a"), 1 - DAY)),
        ("a.timestamp + -(1 day)", Shift(TimestampOf("a"), -DAY)),
        (
            "max(a.timestamp, avg(b.timestamp) + 1 ms)",
            Combination("max", (TimestampOf("a"), Shift(Combination("avg", (TimestampOf("b"),)), 1))),
        ),
    ],
)
def test_timestamps(text: str, expected: core.TimestampExpression) -> None:
    assert at(text) == expected


def test_assignments_stand_in_the_order_of_the_template() -> None:
    program = parse(
        "template O { x : Float, xs : [Float; 3], y : Integer } "
        "rule R where o : P then emit O at o.timestamp with { y = o.timestamp, xs = list(1, 2.0), x = o.n } "
        "template P { n : Integer }"
    )
    floats = ListOf(Scalar.FLOAT, 3)
    assert [(item.attribute, item.value) for item in program.rules[0].emissions[0].assignments] == [
        ("x", ToFloat(AttributeOf("o", "n", Scalar.INTEGER))),
        ("xs", ListExpression((ToFloat(integer(1)), Constant(2.0, Scalar.FLOAT)), floats)),
        ("y", TimestampOf("o")),
    ]


def test_aliases_in_any_order() -> None:
    program = parse("template T { xs : B } type B = [A; 2] type A = C type C = Integer rule R where t : T")
    assert program.template("T").attributes == (core.Attribute("xs", ListOf(Scalar.INTEGER, 2)),)


def test_constraints_are_in_milliseconds() -> None:
    rule = parse(REFUND_SCAM).rule("FraudRefundScam")
    assert rule.constraints == (
        core.Constraint("refund", "incoming", 0, 14 * DAY, False),
        core.Constraint("claim", "incoming", 0, 14 * DAY, False),
        core.Constraint("additional", "refund", -14 * DAY, 0, True),
    )
    assert [pattern.variable for pattern in rule.positive] == ["incoming", "refund", "claim"]


def test_bare_attributes_belong_to_the_event_at_hand() -> None:
    outgoing = parse(PASS_THROUGH).rules[0].patterns[1]
    text = Scalar.STRING
    assert outgoing.conditions == (
        PredicateCall(
            "uncommon_route",
            (AttributeOf("outgoing", "originator", text), AttributeOf("outgoing", "destination", text)),
        ),
        Comparison("=", AttributeOf("outgoing", "originator", text), AttributeOf("incoming", "destination", text)),
        Comparison(
            "=", AttributeOf("outgoing", "amount", Scalar.FLOAT), AttributeOf("incoming", "amount", Scalar.FLOAT)
        ),
    )


def test_strata() -> None:
    program = parse(ABSTRACTED)
    assert dict(program.strata) == {
        "MoneyTransferred": 0,
        "MoneyTransferredSuspiciously": 1,
        "SuspiciousSequenceDetected": 2,
    }
    assert [[rule.name for rule in rules] for rules in program.rules_by_stratum()] == [
        ["AbstractSuspiciousTransfer"],
        ["FraudPassThrough", "FraudDiffusion"],
    ]


def test_as_many_strata_as_rules_are_grouped_in_linear_time() -> None:
    # Looking at every rule again for every stratum would take minutes here.
    program = parse(
        "template T0 {} "
        + " ".join(
            f"template T{n + 1} {{}} rule R{n} where a : T{n} then emit T{n + 1} at a.timestamp" for n in range(2_000)
        )
    )
    assert [[rule.name for rule in rules] for rules in program.rules_by_stratum()] == [[f"R{n}"] for n in range(2_000)]


def test_negated_patterns_raise_strata_too() -> None:
    program = parse(
        "template A {} template B {} template C {} "
        "rule P where a : A then emit B at a.timestamp with {} "
        "rule Q where a : A no b : B when no b in a [0 ms, 1 ms] then emit C at a.timestamp with {}"
    )
    assert dict(program.strata) == {"A": 0, "B": 1, "C": 2}


def test_type_of_agrees_with_the_nodes() -> None:
    rule, two, _ = parse(EVERYTHING).rules
    assert all(type_of(item) is Scalar.BOOLEAN for pattern in rule.patterns for item in pattern.conditions)
    assert [type_of(item.value) for item in rule.emissions[0].assignments] == [
        *(ListOf(Scalar.INTEGER, 4), ListOf(Scalar.FLOAT, 2), Scalar.INTEGER, Scalar.FLOAT),
        *(Scalar.BOOLEAN, Scalar.STRING, Scalar.INTEGER),
    ]
    assert type_of(two.emissions[0].assignments[0].value) == ListOf(Scalar.INTEGER, 4)


def test_a_registered_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_registered", dict(functions._registered))
    functions.register(functions.Function("half_of_it", 1, 1, Scalar.FLOAT, lambda value: value / 2))
    expected = Comparison("=", FunctionCall("half_of_it", (ToFloat(INT),), Scalar.FLOAT), FLT)
    assert condition("half_of_it(i) = f") == expected


def test_patterns_of_diffusion() -> None:
    (rule,) = parse(DIFFUSION).rules
    assert [len(pattern.conditions) for pattern in rule.patterns] == [2, 2, 3, 6]
