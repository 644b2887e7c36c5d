"""Cases of LEAD for the fuzzer: a rule and a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from parte.conformance.fuzz.cases import EventCase, Generation, Menu
from parte.conformance.fuzz.draw import Draw
from parte.conformance.fuzz.shrinking import unchained
from parte.conformance.fuzz.variation import varied_in_order
from parte.languages.lead.conformance.drawing import Shape, drawn_events, drawn_rule, unbound
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.names import resolved
from parte.languages.lead.semantics.syntax.printer import print_rule


@dataclass(frozen=True, slots=True)
class Case(EventCase[tree.Rule]):
    """A rule and a trace."""

    @property
    def text(self) -> str:
        """The rule."""
        return print_rule(self.program)

    @property
    def summary(self) -> str:
        """The size of the case."""
        nodes = sum(1 for _ in tree.within(self.program.pattern))
        return f"{nodes} part{'' if nodes == 1 else 's'}; {len(self.items)} events"


def drawn_case(draw: Draw, shape: Shape) -> Case:
    """Return a rule and a trace for it."""
    return Case(drawn_rule(draw, shape), drawn_events(draw, shape.events, shape.least))


def _drawn(shape: Shape, draw: Draw) -> Iterator[Case]:
    rule = drawn_rule(draw, shape)
    for _ in range(2):
        yield Case(rule, drawn_events(draw, shape.events))


def _mended(case: Case) -> Case:
    """Return the case without chains of one part, and with the names behind `from` resolved."""
    pattern = resolved(unbound(tree.TREE.mapped(case.program.pattern, unchained)))
    return replace(case, program=replace(case.program, pattern=pattern))


def _with(plainer: Callable[[tree.Rule], tree.Rule]) -> Callable[[Case], Case]:
    """Return a function that gives a case a plainer rule."""
    return lambda case: replace(case, program=plainer(case.program))


def _without_conditions(rule: tree.Rule) -> tree.Rule:
    plain = tree.TREE.mapped(rule.pattern, lambda node: node.operand if isinstance(node, tree.Filtered) else node)
    return replace(rule, pattern=plain)


GENERATION: Generation[Case] = Generation(
    menus=(
        Menu("everything", partial(_drawn, Shape()), 4),
        Menu("patterns", partial(_drawn, Shape(depth=2, contexts=False, rules=False)), 3),
        Menu("deep", partial(_drawn, Shape(depth=4, events=5))),
    ),
    varied=lambda case, draw: replace(case, items=varied_in_order(case.items, draw)),
    clauses=("lead-results",),
    remedies={
        "partition": _with(lambda rule: replace(rule, keys=())),
        "actions": _with(lambda rule: replace(rule, outcome=())),
        "conditions": _with(_without_conditions),
    },
    leaves=(tree.Literal(0), tree.Literal(1)),
    easy=frozenset({tree.Operator.EQUAL, tree.Choice.ALL}),
    mended=_mended,
)
