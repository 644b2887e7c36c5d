"""The kernel: what it computes, and that it is written so that solver terms can go through it."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY
from parte.semantics.partelang import kernel
from parte.semantics.rulebook import connectives as logic

TIMES = st.integers(-(2**63), 2**63 - 1)
FUNCTIONS = [
    function for _, function in inspect.getmembers(kernel, inspect.isfunction) if function.__module__ == kernel.__name__
]

FORBIDDEN = (ast.If, ast.IfExp, ast.BoolOp, ast.Not, ast.In, ast.NotIn, ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.While)


def offences(source: str) -> list[str]:
    """What in a source would be refused or misread by a solver, with the line."""
    offending = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, FORBIDDEN):
            offending.append(type(node).__name__)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            offending.append("chained comparison")
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("min", "max", "sorted", "abs")
        ):
            offending.append(node.func.id)
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            offending.append("float constant")
    return offending


def test_the_kernel_keeps_to_the_idiom() -> None:
    assert offences(Path(inspect.getfile(kernel)).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("source", "offence"),
    [
        ("x if a < b else y", "IfExp"),
        ("a < b and b < c", "BoolOp"),
        ("not a < b", "Not"),
        ("a == b", "Eq"),
        ("a < b < c", "chained comparison"),
        ("min(a, b)", "min"),
        ("a + 0.5", "float constant"),
        ("a in (b, c)", "In"),
    ],
)
def test_the_idiom_check_finds_each_offence(source: str, offence: str) -> None:
    assert offence in offences(source)


def _argument(name: str, annotation: object, symbolic: bool, values: list[int]) -> object:
    if "Sequence" in str(annotation):
        return [_one(f"{name}{index}", symbolic, values) for index in range(2)]
    return _one(name, symbolic, values)


def _one(name: str, symbolic: bool, values: list[int]) -> object:
    return z3.Int(name) if symbolic else values.pop(0)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: str(function.__name__))
@given(st.lists(st.integers(-9, 9), min_size=8, max_size=8))
def test_a_solver_term_means_what_the_integers_mean(function: object, values: list[int]) -> None:
    """Each kernel function, applied to terms and then given values, equals the function applied to the values."""
    assert callable(function)
    parameters = inspect.signature(function).parameters.values()
    symbolic = [_argument(p.name, p.annotation, True, []) for p in parameters]
    rest = list(values)
    concrete = [_argument(p.name, p.annotation, False, rest) for p in parameters]
    term = function(*symbolic)
    pairs: list[tuple[object, object]] = []
    for name, value in zip(symbolic, concrete, strict=True):
        pairs.extend(zip(name, value, strict=True) if isinstance(name, list) else [(name, value)])  # type: ignore[call-overload] # z3 has no types
    given_values = z3.simplify(z3.substitute(term, *[(variable, z3.IntVal(value)) for variable, value in pairs]))
    expected = function(*concrete)
    if isinstance(expected, bool):
        assert z3.is_true(given_values) is expected
    else:
        assert given_values.as_long() == expected


@given(TIMES, TIMES, TIMES)
def test_a_window_is_closed_at_both_ends(timestamp: int, opens: int, closes: int) -> None:
    assert kernel.in_window(timestamp, opens, closes) == (opens <= timestamp <= closes)
    assert kernel.in_window(opens, opens, max(opens, closes))
    assert kernel.in_window(closes, min(opens, closes), closes)


@given(st.lists(st.tuples(TIMES, st.integers(0, 2**63), st.integers(-(2**63), 2**63)), min_size=1, max_size=4), TIMES)
def test_a_lifetime_is_the_intersection_of_the_windows(windows: list[tuple[int, int, int]], right: int) -> None:
    timestamps = [timestamp for timestamp, _, _ in windows]
    minima = [lower for _, _, lower in windows]
    maxima = [lower + width for _, width, lower in windows]
    inside = all(t + low <= right <= t + high for t, low, high in zip(timestamps, minima, maxima, strict=True))
    opens, closes = kernel.lifetime_opens(timestamps, minima), kernel.lifetime_closes(timestamps, maxima)
    assert kernel.in_window(right, opens, closes) == inside


@given(st.lists(st.tuples(TIMES, st.integers(-(2**63), 2**63), st.integers(0, 2**63)), min_size=1, max_size=4), TIMES)
def test_a_stale_right_event_is_outside_every_later_lifetime(parts: list[tuple[int, int, int]], right: int) -> None:
    bounds = [bound for bound, _, _ in parts]
    minima = [lower for _, lower, _ in parts]
    if kernel.is_stale(right, kernel.expiration_time(bounds, minima)):
        later = [bound + ahead for bound, _, ahead in parts]
        assert right < kernel.lifetime_opens(later, minima)


@given(st.lists(st.tuples(TIMES, st.integers(-10, 10)), min_size=1, max_size=4))
def test_a_lifetime_opens_at_the_expiration_time_of_its_events(parts: list[tuple[int, int]]) -> None:
    """D §5.4.6: lifetime(x, y)min = expiration-time(x, y)."""
    times, minima = [time for time, _ in parts], [least for _, least in parts]
    assert kernel.lifetime_opens(times, minima) == kernel.expiration_time(times, minima)


@given(st.lists(TIMES, min_size=1, max_size=4), st.integers(-(2**63), 2**63))
def test_infinite_bounds_stay_beyond_every_timestamp(timestamps: list[int], distance: int) -> None:
    for function in (kernel.earliest, kernel.latest, kernel.average):
        assert kernel.shifted(function([NEGATIVE_INFINITY] * len(timestamps)), distance) < min(timestamps) - 2**63
        assert kernel.shifted(function([POSITIVE_INFINITY] * len(timestamps)), distance) > max(timestamps) + 2**63


def test_an_average_is_rounded_downwards() -> None:
    assert kernel.average([0, 1]) == 0
    assert kernel.average([-1, 0]) == -1


@given(st.booleans(), st.booleans())
def test_connectives_on_booleans(left: bool, right: bool) -> None:
    assert logic.conj(left, right) is (left and right)
    assert logic.disj(left, right) is (left or right)
    assert logic.neg(left) is (not left)
    assert logic.ite(left, 1, 2) == (1 if left else 2)


def test_connectives_on_a_term_and_a_boolean() -> None:
    term = z3.Int("x") < 3
    solver = z3.Solver()
    solver.add(logic.conj(True, term) != term)
    assert solver.check() == z3.unsat
    solver = z3.Solver()
    solver.add(logic.disj(term, False) != term)
    assert solver.check() == z3.unsat
    assert logic.conj(False, term) is False
    assert logic.disj(True, term) is True
