"""The automaton of a CEL query as text for Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from parte.drawing.dot import quote
from parte.semantics.cel.automata import Automaton, Guard, IsType
from parte.semantics.cel.syntax.printer import predicate_text


def draw_automaton(automaton: Automaton) -> str:
    """The automaton in the DOT language: final states have two lines, what is marked is named behind a slash."""
    return "".join(f"{line}\n" for line in _lines(automaton))


def _lines(automaton: Automaton) -> Iterator[str]:
    yield "digraph cel {"
    yield '  graph [fontname="Helvetica", rankdir=LR];'
    yield '  node [fontname="Helvetica", fontsize=10, shape=circle];'
    yield '  edge [fontname="Helvetica", fontsize=9];'
    yield '  start [shape=none, label=""];'
    yield f"  start -> q{automaton.initial};"
    for state in range(automaton.size):
        final = ", peripheries=2" if state in automaton.finals else ""
        yield f"  q{state} [label={quote(f'q{state}')}{final}];"
    for each in automaton.transitions:
        marks = ", ".join(sorted(each.label)) or "∘"
        yield f"  q{each.source} -> q{each.target} [label={quote(f'{_guard(each.guard)} / {marks}')}];"
    yield "}"


def _guard(guard: Guard) -> str:
    types = sorted(test.name for test in guard if isinstance(test, IsType))
    tests = sorted(predicate_text(test, 2) for test in guard if not isinstance(test, IsType))
    return " AND ".join([*types, *tests]) or "TRUE"
