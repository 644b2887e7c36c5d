"""How cases of PARTElang are drawn, varied and made small. Needs hypothesis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from random import Random

from hypothesis import strategies as st

from parte.conformance.fuzz import trace_edits
from parte.conformance.fuzz.cases import Generation, Menu
from parte.conformance.fuzz.sampling import drawn
from parte.conformance.fuzz.variation import varied
from parte.conformance.partelang.fuzz import program_edits
from parte.conformance.partelang.fuzz.cases import Case
from parte.conformance.partelang.fuzz.remedies import REMEDIES
from parte.conformance.partelang.fuzz.renaming import renamed
from parte.conformance.partelang.fuzz.weighing import weight
from parte.conformance.partelang.strategies import Draw, ProgramShape, programs, traces
from parte.semantics.events.event import TraceItem
from parte.semantics.partelang.syntax import core

PROGRAMS = 8
"""Programs of a batch."""

TRACES = 2
"""Traces that are drawn for a program."""


def _menu(name: str, shape: ProgramShape, sources: int = 1, *, promises: bool = False, weight: int = 1) -> Menu[Case]:
    return Menu(name, partial(_batch, shape, sources, promises), weight)


@cache
@st.composite
def _program_with_traces(
    draw: Draw, shape: ProgramShape, sources: int, promises: bool
) -> tuple[core.Program, list[tuple[TraceItem, ...]]]:
    program = draw(programs(shape))
    kind = traces(program, sources=sources, promises=promises)
    return program, [draw(kind) for _ in range(TRACES)]


def _batch(shape: ProgramShape, sources: int, promises: bool, rng: Random) -> Iterator[Case]:
    strategy = _program_with_traces(shape, sources, promises)
    for program, drawn_traces in drawn(strategy, rng.getrandbits(64), PROGRAMS):
        yield from (Case(program.source, items) for items in drawn_traces)


def _varied(case: Case, rng: Random) -> Case:
    return replace(case, items=varied(case.items, case.distances, rng))


_PLAIN = ProgramShape(patterns=2, rules=1, strata=1, negation=False, conditions=False, emissions=False)

GENERATION = Generation(
    menus=(
        _menu("everything", ProgramShape(), 3, promises=True, weight=4),
        _menu("pairs", _PLAIN),
        _menu("joins", ProgramShape(3, 2, 1, negation=False, conditions=False, emissions=False)),
        _menu("conditions", ProgramShape(3, 1, 1, negation=False, emissions=False)),
        _menu("emission", ProgramShape(2, 3, 2, negation=False)),
        _menu("negation", ProgramShape(3, 1, 1, conditions=False, emissions=False), weight=2),
        _menu("negation with conditions", ProgramShape(3, 1, 1, emissions=False)),
        _menu("several sources", ProgramShape(3, 1, 1, conditions=False, emissions=False), 3),
        _menu("promises", ProgramShape(3, 1, 1, conditions=False, emissions=False), 2, promises=True),
    ),
    varied=_varied,
    edits=(
        program_edits.without_rules,
        trace_edits.without_items,
        program_edits.without_patterns,
        program_edits.without_parts,
        program_edits.without_slots,
        program_edits.with_fewer_templates,
        program_edits.with_plainer_expressions,
        trace_edits.with_plainer_attributes,
        trace_edits.from_fewer_sources,
        trace_edits.with_plainer_times,
        trace_edits.in_time_order,
        program_edits.with_plainer_windows,
    ),
    weight=weight,
    renamed=renamed,
    clauses=("meaning-rule",),
    remedies=REMEDIES,
)
