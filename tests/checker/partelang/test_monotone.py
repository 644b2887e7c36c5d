"""Monotone `at`: proved of all that the grammar allows, refuted with a counterexample of what it does not."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parte.checker.partelang.findings import Collector
from parte.checker.partelang.monotone import Monotone, check_at, check_generator
from parte.checker.partelang.promises import report_at
from parte.checker.partelang.sources import Sources
from parte.checker.report.contents import Severity
from parte.checker.solver.queries import Journal, Session
from parte.checker.solver.verdict import Verdict
from parte.semantics.partelang import kernel
from parte.semantics.partelang.expressions import compile_timestamp
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse

VARIABLES = ("a", "b", "c")
times = st.integers(-(2**63), 2**63 - 1)


def generators() -> st.SearchStrategy[core.TimestampExpression]:
    """What may stand after `at`."""
    leaves: st.SearchStrategy[core.TimestampExpression] = st.sampled_from(VARIABLES).map(core.TimestampOf)
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(core.Shift, inner, st.integers(-(10**6), 10**6)),
            st.builds(
                core.Combination,
                st.sampled_from(("min", "max", "avg")),
                st.lists(inner, min_size=1, max_size=3).map(tuple),
            ),
        ),
        max_leaves=6,
    )


@given(generators(), st.lists(st.tuples(times, times), min_size=3, max_size=3))
def test_every_at_is_monotone(at: core.TimestampExpression, pairs: list[tuple[int, int]]) -> None:
    result = check_at(core.Emission("A", at, ()), VARIABLES, Session(), "at")
    assert result.verdict is Verdict.PROVED
    evaluate = compile_timestamp(at, {name: place for place, name in enumerate(VARIABLES)}, of_events=False)
    lower, upper = [min(pair) for pair in pairs], [max(pair) for pair in pairs]
    assert evaluate(lower) <= evaluate(upper)


BROKEN: dict[str, Callable[[Sequence[int]], int]] = {
    "difference": lambda times: times[0] - times[1],
    "mirror": lambda times: kernel.latest([times[0] + 5, 7 - times[1]]),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_generator_that_decreases_is_refuted(name: str) -> None:
    generate = BROKEN[name]
    result = check_generator(generate, generate, 2, Session(), name)
    assert result.verdict is Verdict.REFUTED
    assert all(low <= high for low, high in zip(result.lower, result.upper, strict=True))
    assert generate(result.lower) > generate(result.upper)


def test_a_bound_that_overtakes_is_refuted() -> None:
    """Both non-decreasing, but the bound is ahead of the events."""
    result = check_generator(kernel.latest, kernel.earliest, 2, Session(), "ahead")
    assert result.verdict is Verdict.REFUTED
    assert max(result.lower) > min(result.upper)
    assert check_generator(kernel.earliest, kernel.latest, 2, Session(), "behind").verdict is Verdict.PROVED


TEXT = "template A {}\ntemplate B {}\nrule R where a : A {} then emit B\n  at a.timestamp + 5 ms with {}"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (Monotone(Verdict.PROVED), None),
        (Monotone(Verdict.REFUTED, (0,), (1,)), Verdict.REFUTED),
        (Monotone(Verdict.NOT_PROVED), Verdict.NOT_PROVED),
    ],
)
def test_the_finding_has_its_place(result: Monotone, expected: Verdict | None) -> None:
    collector = Collector(Sources(parse(TEXT)), Journal())
    report_at(result, collector.sources.rules[0], 0, ["a"], collector)
    assert [finding.verdict for finding in collector.findings] == ([] if expected is None else [expected])
    for finding in collector.findings:
        assert finding.code == "non-monotone-at"
        assert finding.severity is Severity.ERROR
        assert (finding.span.start.line, finding.span.start.column) == (4, 6)
