"""A case while it is fuzzed: a program as a tree and a trace as items, so that both can be changed and asked again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from conformance.fixtures import Expected, Fixture
from conformance.measure import expected_of
from conformance.runner.judging import Prepared, prepare
from semantics.events.event import Event, TraceItem
from semantics.events.trace import trace_lines
from semantics.syntax import ast
from semantics.syntax.printer import print_program

UNNAMED = "fuzz/case"
"""What a case is called before it is a finding."""


@dataclass(frozen=True, slots=True)
class Case:
    """A program and a trace, in order of arrival."""

    program: ast.SourceProgram
    items: tuple[TraceItem, ...]

    @property
    def text(self) -> str:
        """The program, without templates that neither it nor the trace names."""
        return text_of(self.program, self.items)

    @property
    def rules(self) -> tuple[ast.Rule, ...]:
        """The rules of the program."""
        return tuple(item for item in self.program.declarations if isinstance(item, ast.Rule))

    @property
    def size(self) -> tuple[int, int, int]:
        """Patterns, events and progress lines."""
        events = sum(isinstance(item, Event) for item in self.items)
        return sum(len(rule.patterns) for rule in self.rules), events, len(self.items) - events

    @property
    def distances(self) -> list[int]:
        """The ends of its windows, in milliseconds; zero if there is none."""
        windows = [constraint for rule in self.rules for constraint in rule.constraints]
        return [end.milliseconds for each in windows for end in (each.lower, each.upper)] or [0]

    def __str__(self) -> str:
        return self.text + "".join(f"{line}\n" for line in trace_lines(self.items))


def text_of(program: ast.SourceProgram, items: Iterable[TraceItem]) -> str:
    """A program without the templates that neither it nor a trace names."""
    used = {item.template for item in items}
    for declaration in program.declarations:
        if isinstance(declaration, ast.Rule):
            used |= {pattern.template for pattern in declaration.patterns}
            used |= {emission.template for emission in declaration.emissions}
    kept = [item for item in program.declarations if not isinstance(item, ast.Template) or item.name in used]
    return print_program(ast.SourceProgram(tuple(kept)))


def prepared(case: Case) -> Prepared | None:
    """The case with what the algebra expects of it; None if it is no valid program with a valid trace."""
    trace = tuple(json.loads(line) for line in trace_lines(case.items))
    fixture = Fixture(UNNAMED, "", "core", "", (), (), "", case.text, {}, 0, trace, Expected())
    expected = expected_of(fixture)
    return None if expected.rejected is not None else prepare(replace(fixture, expected=expected))
