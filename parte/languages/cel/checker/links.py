"""Streams that satisfy links: the solver gets the runs of the automaton singly, each with all its events at once
(specification: cel-links)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from parte.checker.solver import terms
from parte.checker.solver.clock import Clock
from parte.checker.solver.queries import Session, Status
from parte.checker.solver.terms import Formula
from parte.languages.cel.checker.encoding import Encoding
from parte.languages.cel.semantics.automata import Automaton, IsType, Transition
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

MOST_RUNS = 300
"""The greatest number of runs to examine, the shortest first."""

Run = tuple[Transition, ...]


def runs(automaton: Automaton, longest: int | None, clock: Clock) -> Iterator[Run]:
    """Yield the accepted runs of at most `longest` events, the shortest first."""
    leaving: dict[int, list[Transition]] = {}
    for transition in automaton.transitions:
        leaving.setdefault(transition.source, []).append(transition)
    layer: list[Run] = [()]
    length = 0
    while layer and (longest is None or length < longest):
        length += 1
        following: list[Run] = []
        for run in layer:
            for transition in leaving.get(run[-1].target if run else automaton.initial, ()):
                clock.tick()
                following.append((*run, transition))
        yield from (run for run in following if run[-1].target in automaton.finals)
        layer = following


class Asking:
    """Questions about single runs: the valuation of a run fulfils all conditions, and not all of the excluded ones, if
    there are any."""

    def __init__(
        self,
        automaton: Automaton,
        conditions: Sequence[tree.Condition],
        attributes: Collection[str],
        session: Session,
        excluded: Sequence[tree.Condition] = (),
    ) -> None:
        self._conditions, self._attributes, self._session = conditions, attributes, session
        self._excluded = excluded
        self._predicates: list[tree.Node] = [
            test for transition in automaton.transitions for test in transition.guard if not isinstance(test, IsType)
        ]
        self._predicates += [*conditions, *excluded]

    def stream(self, run: Run, source: str) -> tuple[Status, tuple[Event, ...]]:
        """Return whether some events take this run and fulfil the conditions; if so, such events."""
        names = [f"event {place}" for place in range(len(run))]
        encoding = Encoding(self._predicates, self._attributes)
        types: list[str] = []
        formulas: list[Formula] = []
        contents: dict[str, list[str]] = {}
        for name, transition in zip(names, run, strict=True):
            wanted = {test.name for test in transition.guard if isinstance(test, IsType)}
            if len(wanted) > 1:
                return Status.UNSATISFIABLE, ()
            types += wanted or {"Other"}
            for test in transition.guard:
                if not isinstance(test, IsType):
                    formulas.append(encoding.satisfies(name, test))
            for variable in transition.label:
                contents.setdefault(variable, []).append(name)
        formulas += [_fulfilled(condition, contents, encoding) for condition in self._conditions]
        if self._excluded:
            others = [_fulfilled(condition, contents, encoding) for condition in self._excluded]
            formulas.append(terms.negated(terms.both(*others)))
        with self._session.scope(*encoding.definitions(), *formulas):
            answer = self._session.ask("a run with its links", *encoding.plain())
            if answer.model is None:
                answer = self._session.ask("a run with its links")
        if answer.model is None:
            return answer.status, ()
        attributes = encoding.attributes(answer.model, names)
        letters = [Event(name, type_, 0, attributes[name], source) for name, type_ in zip(names, types, strict=True)]
        return answer.status, tuple(letters)


def _fulfilled(condition: tree.Condition, contents: Mapping[str, Sequence[str]], encoding: Encoding) -> Formula:
    match condition:
        case tree.Holds(variable=variable, predicate=predicate):
            return terms.both(*[encoding.satisfies(event, predicate) for event in contents.get(variable, ())])
        case tree.Link():
            pairs = product(contents.get(condition.left, ()), contents.get(condition.right, ()))
            return terms.both(*[encoding.linked(condition, left, right) for left, right in pairs])
        case tree.Both(parts=parts):
            return terms.both(*[_fulfilled(part, contents, encoding) for part in parts])
        case tree.Either(parts=parts):
            return terms.either(*[_fulfilled(part, contents, encoding) for part in parts])
