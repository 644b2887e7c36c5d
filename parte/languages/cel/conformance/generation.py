"""Cases of CEL for the fuzzer: a query and a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from parte.conformance.fuzz.cases import EventCase, Generation, Menu
from parte.conformance.fuzz.draw import Draw
from parte.conformance.fuzz.shrinking import unchained
from parte.conformance.fuzz.variation import varied_in_order
from parte.languages.cel.conformance.drawing import Shape, drawn_alternatives, drawn_events, drawn_query
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.printer import print_query


@dataclass(frozen=True, slots=True)
class Case(EventCase[tree.Query]):
    """A query and a trace."""

    @property
    def text(self) -> str:
        """The query."""
        return print_query(self.program)

    @property
    def summary(self) -> str:
        """The size of the case."""
        nodes = sum(1 for _ in tree.within(self.program.formula))
        return f"{nodes} part{'' if nodes == 1 else 's'}; {len(self.items)} events"


def drawn_case(draw: Draw, shape: Shape) -> Case:
    """Return a random query and a stream for it."""
    return Case(drawn_query(draw, shape), drawn_events(draw, shape.events))


def _drawn(shape: Shape, draw: Draw) -> Iterator[Case]:
    query = drawn_query(draw, shape)
    for _ in range(2):
        yield Case(query, drawn_events(draw, shape.events))


def _mended(case: Case) -> Case:
    """Return the case without chains of one part."""
    return replace(case, program=replace(case.program, formula=tree.TREE.mapped(case.program.formula, unchained)))


def _plain(*strategies: tree.Strategy) -> Shape:
    return Shape(strategies=strategies or (tree.Strategy.ALL,), conditions=False, clauses=False)


def _with(plainer: Callable[[tree.Query], tree.Query]) -> Callable[[Case], Case]:
    """Return a function that gives a case a plainer query."""
    return lambda case: replace(case, program=plainer(case.program))


def _without_conditions(query: tree.Query) -> tree.Query:
    formula = tree.TREE.mapped(query.formula, lambda node: node.operand if isinstance(node, tree.Filtered) else node)
    return replace(query, formula=formula)


GENERATION: Generation[Case] = Generation(
    menus=(
        Menu("everything", partial(_drawn, Shape()), 4),
        Menu("formulas", partial(_drawn, _plain()), 2),
        Menu("sequences", partial(_drawn, replace(_plain(), repeats=False))),
        Menu("strategies", partial(_drawn, _plain(tree.Strategy.MAX, tree.Strategy.NXT, tree.Strategy.LAST))),
        Menu("windows", partial(_drawn, Shape(strategies=(tree.Strategy.ALL,), conditions=False, events=10))),
        Menu("alternatives", lambda draw: (Case(*drawn_alternatives(draw)),), 3),
        Menu("links", partial(_drawn, Shape(links=True, depth=2))),
    ),
    varied=lambda case, draw: replace(case, items=varied_in_order(case.items, draw)),
    clauses=("cel-results",),
    remedies={
        "window": _with(lambda query: replace(query, window=None)),
        "strategy": _with(lambda query: replace(query, strategy=tree.Strategy.ALL)),
        "projection": _with(lambda query: replace(query, selected=None)),
        "streams": _with(lambda query: replace(query, streams=())),
        "partition": _with(lambda query: replace(query, attributes=())),
        "consumption": _with(lambda query: replace(query, consumption=tree.Consumption.NONE)),
        "conditions": _with(_without_conditions),
    },
    leaves=(tree.Literal(0), tree.Literal(1), tree.Attribute("v"), tree.EventType("A")),
    easy=frozenset({tree.Operator.EQUAL, tree.Strategy.ALL, tree.Consumption.NONE}),
    mended=_mended,
)
