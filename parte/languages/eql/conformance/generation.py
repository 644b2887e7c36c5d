"""Cases of EQL for the fuzzer: a query, a trace and readings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from parte.conformance.fuzz.cases import EventCase, Generation, Menu
from parte.conformance.fuzz.draw import Draw
from parte.conformance.fuzz.shrinking import unchained
from parte.conformance.fuzz.variation import varied_in_order
from parte.languages.eql.conformance.drawing import Shape, drawn_events, drawn_options, drawn_query
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.eql.semantics.syntax.readings import readings_of
from parte.semantics.events.event import Event


@dataclass(frozen=True, slots=True)
class Case(EventCase[tree.Query]):
    """A query, a trace, and readings."""

    readings: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The query."""
        return print_query(self.program)

    @property
    def options(self) -> Mapping[str, str]:
        """The readings."""
        return self.readings

    @property
    def summary(self) -> str:
        """The size of the case."""
        stages = sum(1 for node in tree.within(self.program) if isinstance(node, tree.Event))
        return f"{stages} event{'' if stages == 1 else 's'} in the query; {len(self.items)} in the trace"


def drawn_case(draw: Draw, shape: Shape, *, read: bool = True) -> Case:
    """Return a random query and a trace for it; with readings if `read`."""
    case = Case(drawn_query(draw, shape), (), drawn_options(draw) if read else {})
    return replace(case, items=_events(draw, shape, case))


def _events(draw: Draw, shape: Shape, case: Case) -> tuple[Event, ...]:
    return drawn_events(draw, shape.events, 25 if readings_of(case.options).lists == "any" else 0)


def _drawn(shape: Shape, draw: Draw) -> Iterator[Case]:
    case = drawn_case(draw, shape)
    yield case
    yield replace(case, items=_events(draw, shape, case))


def _mended(case: Case) -> Case:
    """Return the case without chains of one part, and with the maxspan and the stages that a sequence needs."""
    program = tree.TREE.mapped(case.program, unchained)
    if isinstance(program, tree.Sequence) and program.maxspan is None and any(map(_is_missing, program.stages)):
        program = replace(program, maxspan=tree.Span(4, tree.Unit.MS))
    return replace(case, program=program)


def _is_missing(stage: tree.Stage) -> bool:
    return stage.missing


def _with(plainer: Callable[[tree.Sequence], tree.Query]) -> Callable[[Case], Case]:
    """Return a function that gives a case a plainer query, if it has a sequence."""
    return lambda case: replace(
        case, program=plainer(case.program) if isinstance(case.program, tree.Sequence) else case.program
    )


def _plain(program: tree.Query) -> tree.Query:
    return tree.TREE.mapped(
        program, lambda node: replace(node, condition=tree.Literal(True)) if isinstance(node, tree.Event) else node
    )


GENERATION: Generation[Case] = Generation(
    menus=(
        Menu("everything", partial(_drawn, Shape()), 4),
        Menu("sequences", partial(_drawn, Shape(conditions=False, missing=False, kinds=("sequence",), events=12)), 2),
        Menu("absence", partial(_drawn, Shape(conditions=False, kinds=("sequence",), keys=False, events=10)), 3),
        Menu("conditions", partial(_drawn, Shape(kinds=("event",), depth=3))),
    ),
    varied=lambda case, draw: replace(case, items=varied_in_order(case.items, draw)),
    clauses=("eql-definition",),
    remedies={
        "readings": lambda case: replace(case, readings={}),
        "conditions": lambda case: replace(case, program=_plain(case.program)),
        "until": _with(lambda query: replace(query, until=None)),
        "pipes": _with(lambda query: replace(query, pipes=())),
    },
    leaves=(tree.Literal(True), tree.Literal(0), tree.Field("v", False)),
    easy=frozenset({tree.Relation.EQUAL, tree.End.HEAD}),
    mended=_mended,
)
