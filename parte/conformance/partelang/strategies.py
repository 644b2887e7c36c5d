"""Hypothesis strategies for programs, traces and schedules, for property tests of any engine
(docs/specification/language.md, docs/specification/events.md).

Programs are valid by construction and traces keep their promises, so nothing is filtered out. Everything shrinks
towards one pattern, no event, no conditions, distances of zero and the round-robin schedule.

    from parte.conformance.partelang.strategies import programs, traces

    @given(programs().flatmap(lambda program: traces(program).map(lambda trace: (program, trace))))
    def test_my_engine(case): ...
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from parte.conformance.fuzz.draw import Draw
from parte.conformance.fuzz.structural import strategy
from parte.conformance.partelang.drawing import (
    EXTERNAL,
    ProgramShape,
    TraceShape,
    drawn_program,
    drawn_schedule,
    drawn_trace,
)
from parte.semantics.events.event import TraceItem
from parte.semantics.partelang.schedules import Schedule
from parte.semantics.partelang.syntax import core

__all__ = ["EXTERNAL", "ProgramShape", "cases", "drawn_case", "programs", "schedules", "traces"]

USUAL = ProgramShape()
Case = tuple[core.Program, tuple[TraceItem, ...]]


def programs(shape: ProgramShape = USUAL) -> st.SearchStrategy[core.Program]:
    """Return a strategy for programs of a shape."""
    return strategy(lambda draw: drawn_program(draw, shape))


def traces(
    program: core.Program | None = None,
    *,
    events: int = 7,
    sources: int = 3,
    latest: int = 20,
    templates: Sequence[str] = EXTERNAL,
    promises: bool = True,
) -> st.SearchStrategy[tuple[TraceItem, ...]]:
    """Return a strategy for traces, for one program or for any."""
    shape = TraceShape(events, sources, latest, tuple(templates), promises)
    return strategy(lambda draw: drawn_trace(draw, program, shape))


def drawn_case(draw: Draw, shape: ProgramShape = USUAL) -> Case:
    """Return a program and a trace for it; at level 2 some traces have more events, in less time."""
    program = drawn_program(draw, shape)
    dense = shape.level > 1 and draw.chance(50)
    return program, drawn_trace(draw, program, TraceShape(events=11, latest=9) if dense else TraceShape())


def cases(shape: ProgramShape = USUAL) -> st.SearchStrategy[Case]:
    """Return a strategy for programs with traces."""
    return strategy(lambda draw: drawn_case(draw, shape))


def schedules() -> st.SearchStrategy[Schedule]:
    """Return a strategy for schedules of every kind."""
    return strategy(drawn_schedule)
