"""Arithmetic at its edges (specification: no-value-strict), and the compiled closures against the interpreter."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.algebra.partelang.compiled import compile_condition, compile_expression
from parte.algebra.partelang.evaluate import holds
from parte.algebra.partelang.expressions import value_of
from parte.algebra.partelang.patterns import All, Within
from parte.semantics.events.event import Event, Value
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core, functions
from tests.algebra.partelang.strategies import DOMAIN, conditions, events, expressions, timestamps

N, F, S, B = Scalar.INTEGER, Scalar.FLOAT, Scalar.STRING, Scalar.BOOLEAN
GREATEST, LEAST = 2**63 - 1, -(2**63)


def constant(value: float | str | bool) -> core.Constant:
    types = {bool: B, int: N, float: F, str: S}
    return core.Constant(value, types[type(value)])


def arithmetic(left: float, operator: str, right: float) -> core.Expression:
    return core.Arithmetic(operator, constant(left), constant(right), constant(left).type)


def compare(left: float | str | bool, operator: str, right: float | str | bool) -> core.Expression:
    return core.Comparison(operator, constant(left), constant(right))


def call(name: str, *arguments: float) -> core.Expression:
    of = constant(arguments[0]).type
    return core.FunctionCall(name, tuple(map(constant, arguments)), of)


def negative(value: float) -> core.Expression:
    return core.Negation(constant(value), constant(value).type)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (arithmetic(GREATEST, "+", 0), GREATEST),
        (arithmetic(GREATEST, "+", 1), None),
        (arithmetic(LEAST, "-", 1), None),
        (arithmetic(2**32, "*", 2**31), None),
        (arithmetic(-(2**32), "*", 2**31), LEAST),
        (negative(LEAST), None),
        (negative(GREATEST), -GREATEST),
        (negative(0.0), -0.0),
        (arithmetic(1.7e308, "+", 1.7e308), None),
        (arithmetic(1.7e308, "*", -10.0), None),
        (arithmetic(5e-324, "*", 0.5), 0.0),
        (arithmetic(1.0, "/", 3.0), 1.0 / 3.0),
        (arithmetic(1.0, "/", 0.0), None),
        (arithmetic(1.0, "/", -0.0), None),
        (arithmetic(0.0, "/", 0.0), None),
        (arithmetic(1.7e308, "/", 0.1), None),
        (core.ToFloat(constant(2**53 + 1)), 2.0**53),
        (core.ToFloat(constant(2**53 + 3)), 2.0**53 + 4),
        (core.ToFloat(constant(GREATEST)), 2.0**63),
        (call("min", 2, 1, 3), 1),
        (call("min", 0.0, -0.0), 0.0),
        (call("min", -0.0, 0.0), -0.0),
        (call("max", 0.0, -0.0), 0.0),
        (call("max", -0.0, 0.0), -0.0),
        (call("abs", LEAST), None),
        (call("abs", -GREATEST), GREATEST),
        (call("abs", -1.5), 1.5),
        (call("sum", GREATEST, 1, -1), None),
        (call("sum", GREATEST, -1, 1), GREATEST),
        (call("sum", -0.0), -0.0),
        (call("sum", 1e16, 1.0, -1e16), 0.0),
        (call("sum", 1.7e308, 1.7e308, -1.7e308), None),
        (call("avg", 1.0, 2.0), 1.5),
        (call("avg", 1.7e308, 1.7e308), None),
        (compare("\uffff", "<", "\U00010000"), True),
        (compare("a", ">", "B"), True),
        (compare(0.0, "=", -0.0), True),
        (compare(True, "!=", False), True),
        (compare(2**53 + 1, "=", 2**53), False),
        (core.ListExpression((constant(1), constant(2)), core.ListOf(N, 3)), (1, 2)),
    ],
)
def test_values_at_the_edges(expression: core.Expression, value: Value | None) -> None:
    for actual in (value_of(expression, {}, {}), compile_expression(expression, {})({})):
        assert repr(actual) == repr(value)  # by representation: it tells -0.0 from 0.0 and 1 from 1.0


NOTHING = arithmetic(GREATEST, "+", 1)


@pytest.mark.parametrize(
    "expression",
    [
        core.ToFloat(NOTHING),
        core.Negation(NOTHING, N),
        core.Arithmetic("*", constant(0), NOTHING, N),
        core.Comparison("=", NOTHING, NOTHING),
        core.Comparison("!=", NOTHING, constant(0)),
        core.FunctionCall("min", (constant(0), NOTHING), N),
        core.PredicateCall("any", (NOTHING,)),
        core.PredicateCall("any", (constant(1), NOTHING)),
        core.ListExpression((constant(1), NOTHING), core.ListOf(N, 2)),
    ],
)
def test_no_value_propagates_through_everything(expression: core.Expression) -> None:
    domain = {"any": lambda *_: True}
    assert value_of(expression, {}, domain) is None
    assert compile_expression(expression, domain)({}) is None
    assert not holds(expression, frozenset(), domain)
    assert not compile_condition(expression, domain)({})


def stamp(timestamp: int) -> dict[str, Event]:
    return {"x": Event("t1", "T", timestamp, {}), "y": Event("t2", "T", timestamp + 1, {})}


X, Y = core.TimestampOf("x"), core.TimestampOf("y")


@pytest.mark.parametrize(
    ("expression", "at", "value"),
    [
        (X, LEAST, LEAST),
        (core.Shift(X, 5), GREATEST - 5, GREATEST),
        (core.Shift(X, 5), GREATEST - 4, None),
        (core.Shift(core.Shift(X, 5), -5), GREATEST - 4, None),
        (core.Combination("min", (core.Shift(X, 5), X)), GREATEST - 4, None),
        (core.Combination("avg", (X, Y)), GREATEST - 1, GREATEST - 1),
        (core.Combination("avg", (X, Y)), -2, -2),
        (core.Combination("avg", (X, Y)), 2**53, 2**53),
        (core.Combination("avg", (X, X, Y)), 2**62, 2**62),
        (core.Combination("avg", (X, X, Y)), -4, -4),
        (core.Combination("max", (X, Y)), 3, 4),
        (core.Combination("min", (Y, X)), 3, 3),
    ],
)
def test_timestamps(expression: core.TimestampExpression, at: int, value: int | None) -> None:
    assert value_of(expression, stamp(at), {}) == value
    assert compile_expression(expression, {})(stamp(at)) == value


@pytest.mark.parametrize(
    ("of", "returned", "value"),
    [
        (N, 7, 7),
        (N, GREATEST + 1, None),
        (N, True, None),
        (N, 7.0, None),
        (F, 7.5, 7.5),
        (F, 7, None),
        (F, float("inf"), None),
        (F, float("nan"), None),
        (S, "s", "s"),
        (S, 1, None),
        (B, True, True),
        (B, 1, None),
        (N, None, None),
    ],
)
def test_a_registered_function_gives_a_value_of_its_type_or_none(
    monkeypatch: pytest.MonkeyPatch, of: Scalar, returned: Value | None, value: Value | None
) -> None:
    monkeypatch.setattr(functions, "_registered", dict(functions._registered))
    functions.register(functions.Function("given", 0, None, of, lambda *_: returned))  # type: ignore[arg-type]
    expression = core.FunctionCall("given", (constant(1),), of)
    assert repr(value_of(expression, {}, {})) == repr(value)
    assert repr(compile_expression(expression, {})({})) == repr(value)


VALUATIONS = (
    st.tuples(events(), st.randoms(use_true_random=False))
    .filter(lambda drawn: bool(drawn[0]))
    .map(lambda drawn: {variable: drawn[1].choice(drawn[0]) for variable in ("x", "y")})
)
EXPRESSIONS = st.sampled_from(list(Scalar)).flatmap(lambda of: expressions(of, ["x", "y"], 3, temporal=True))


@given(EXPRESSIONS | timestamps(["x", "y"]), VALUATIONS)
def test_closures_mean_what_the_interpreter_says(
    expression: core.Expression | core.TimestampExpression, valuation: dict[str, Event]
) -> None:
    expected = value_of(expression, valuation, DOMAIN)
    assert repr(compile_expression(expression, DOMAIN)(valuation)) == repr(expected)


@given(st.lists(conditions(["x", "y"]), max_size=4), st.integers(-3, 3), st.integers(0, 3), VALUATIONS)
def test_compiled_conditions_mean_what_holds_says(
    parts: list[core.Expression], lower: int, width: int, valuation: dict[str, Event]
) -> None:
    window = Within("x", "y", lower, lower + width)
    for condition in (*parts, window, All(tuple(parts)), All((window, All(tuple(parts))))):
        expected = holds(condition, frozenset(valuation.items()), DOMAIN)
        assert compile_condition(condition, DOMAIN)(valuation) == expected


@given(st.data(), st.sampled_from(list(Scalar)), VALUATIONS)
def test_a_value_has_the_type_of_its_expression(data: st.DataObject, of: Scalar, valuation: dict[str, Event]) -> None:
    value = value_of(data.draw(expressions(of, ["x", "y"], 3, temporal=True)), valuation, DOMAIN)
    if value is not None:
        assert type(value) is {N: int, F: float, S: str, B: bool}[of]
    if of is N and isinstance(value, int):
        assert LEAST <= value <= GREATEST
    if isinstance(value, float):
        assert math.isfinite(value)
