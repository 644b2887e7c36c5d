"""The queries and streams of T: example 1.1, fig. 3.3, and those of its experiments (T figs. 6.1, 6.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from parte.languages.cel.conformance.defects import defects
from parte.languages.cel.semantics.automata import SKIP, TRUE, Automaton, Guard, IsType, Transition
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse
from parte.languages.cel.semantics.syntax.tree import Query
from parte.semantics.events.event import Event


@dataclass(frozen=True, slots=True)
class Family:
    """A query, streams for it by a number, and the number of its results on each."""

    query: str
    names: Callable[[int], str]
    results: Callable[[int], int]


FAMILIES: Mapping[str, Family] = {
    "Q1": Family("A; B; C", lambda n: "A" * n + "B" * n + "C", lambda n: n**2),
    "Q2": Family("A; B+; C", lambda n: "A" + "B" * n + "C", lambda n: 2**n - 1),
    "Q3": Family("A+; B+; C", lambda n: "AB" * n + "C", lambda n: (n - 1) * 2**n + 1),
}
"""Without FILTER A[id] = B[id] and WITHIN 100: T counts without the filter, and the window is as long as its streams or
not applied (defect 34)."""


@cache
def query_of(name: str) -> Query:
    """Return the parsed query of a family."""
    return parse(f"SELECT * WHERE {FAMILIES[name].query}")


def stream_of(name: str, number: int) -> list[Event]:
    """Return a stream of a family."""
    return [Event(f"e{k}", kind, k, {}) for k, kind in enumerate(FAMILIES[name].names(number))]


def example_1_1() -> tuple[Query, Query, list[Event]]:
    """Return the query of example 1.1, the query that has the results that T lists, and the stream of fig. 1.1."""
    (example,) = (defect for defect in defects() if defect.section == "example 1.1")
    query, events = example.read
    return query, example.other_query, events


def _guard(operator: tree.Operator) -> Guard:
    """Return the guard of a T whose value compares with 30 as the operator says."""
    return frozenset([IsType("T"), tree.Comparison(tree.Attribute("val"), operator, tree.Literal(30))])


COOL, WARM = _guard(tree.Operator.LESS), _guard(tree.Operator.GREATER)
MARKED = frozenset({"T"})
FIGURE_3_3 = Automaton(
    3,
    0,
    (
        Transition(0, COOL, MARKED, 1),
        Transition(1, WARM, MARKED, 2),
        Transition(1, TRUE, SKIP, 1),
        Transition(2, WARM, MARKED, 2),
        Transition(2, TRUE, SKIP, 2),
    ),
    frozenset({2}),
)
"""The automaton of fig. 3.3, with its loop at the final state (defect 14): figs. 5.3 and 5.4 show a run of it."""


def stream_of_figure_5_3(length: int) -> list[Event]:
    """Return a cool event, then warm ones: the stream of the run in the figure."""
    return [Event(f"e{k}", "T", k, {"val": 24 if k == 0 else 40}) for k in range(length)]
