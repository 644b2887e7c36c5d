"""Drawing, varying and shrinking cases of PARTElang."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from parte.conformance.fuzz.cases import Generation, Menu
from parte.conformance.fuzz.draw import Draw
from parte.conformance.fuzz.variation import varied
from parte.conformance.partelang.drawing import ProgramShape, TraceShape, drawn_program, drawn_trace
from parte.conformance.partelang.fuzz.cases import Case
from parte.conformance.partelang.fuzz.mending import begun, bridged, complete, mended
from parte.conformance.partelang.fuzz.remedies import REMEDIES
from parte.conformance.partelang.fuzz.renaming import renamed
from parte.semantics.partelang.syntax import ast

TRACES = 2
"""Traces that are drawn for a program."""


def _menu(name: str, shape: ProgramShape, sources: int = 1, *, promises: bool = False, weight: int = 1) -> Menu[Case]:
    return Menu(name, partial(_drawn, shape, TraceShape(sources=sources, promises=promises)), weight)


def _drawn(shape: ProgramShape, trace: TraceShape, draw: Draw) -> Iterator[Case]:
    program = drawn_program(draw, shape)
    for _ in range(TRACES):
        yield mended(Case(program.source, drawn_trace(draw, program, trace)))


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
        _menu("level 2", ProgramShape(3, 2, level=2, reuse=False), 3, promises=True, weight=4),
        _menu("level 2, one rule", ProgramShape(2, 1, 1, level=2, reuse=False, emissions=False), weight=2),
    ),
    varied=lambda case, draw: complete(replace(case, items=varied(case.items, draw, case.distances))),
    clauses=("meaning-rule",),
    remedies=REMEDIES,
    leaves=(ast.Literal(0), ast.Literal(0.0), ast.Literal(""), ast.Literal(value=False)),
    easy=frozenset({ast.BinaryOperator.EQUAL, ast.Unit.MILLISECONDS}),
    mended=mended,
    edits=(bridged, begun),
    renamed=renamed,
)
