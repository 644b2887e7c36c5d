"""A case of PARTElang during fuzzing: a program as its author wrote it, not yet elaborated, and a trace."""

from __future__ import annotations

from dataclasses import dataclass

from parte.conformance.fuzz.cases import EventCase
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import ast
from parte.semantics.partelang.syntax.printer import print_program


@dataclass(frozen=True, slots=True)
class Case(EventCase[ast.SourceProgram]):
    """A program and a trace, in order of arrival."""

    @property
    def text(self) -> str:
        """The program."""
        return print_program(self.program)

    @property
    def rules(self) -> tuple[ast.Rule, ...]:
        """The rules of the program."""
        return tuple(item for item in self.program.declarations if isinstance(item, ast.Rule))

    @property
    def size(self) -> tuple[int, int, int]:
        """The numbers of patterns, events and progress lines."""
        events = sum(isinstance(item, Event) for item in self.items)
        return sum(len(rule.patterns) for rule in self.rules), events, len(self.items) - events

    @property
    def distances(self) -> list[int]:
        """The ends of its windows, in milliseconds; zero if there is none."""
        windows = [constraint for rule in self.rules for constraint in rule.constraints]
        ends = [end for window in windows for end in (window.lower, window.upper)]
        return [end.milliseconds for end in ends if not isinstance(end, ast.Ever)] or [0]

    @property
    def summary(self) -> str:
        """Its rules, the patterns in them, events and promises."""
        patterns = [
            ("no " if p.negated else "all " if p.collected else "") + p.template
            for rule in self.rules
            for p in rule.patterns
        ]
        _, events, promises = self.size
        trace_size = f"{_count(events, 'event')}" + (f", {_count(promises, 'promise')}" if promises else "")
        return f"{_count(len(self.rules), 'rule')} over {', '.join(patterns)}; {trace_size}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
