"""The events that a query distinguishes: an alphabet on which its automata are finite objects.

A letter is an event that stands for all events that pass the same tests. The solver finds a letter for each combination
of tests that some event passes; when it finds no more, this proves that there are no others. Under PARTITION BY all
events of a substream share the values that name it: there is an alphabet for each largest set of letters that one
substream can contain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from parte.checker.solver import terms
from parte.checker.solver.clock import Clock, Undecided
from parte.checker.solver.errors import CheckerBug
from parte.checker.solver.queries import Session, Status
from parte.checker.solver.terms import Formula
from parte.languages.cel.checker.encoding import Encoding
from parte.languages.cel.semantics.automata import Automaton, IsType
from parte.languages.cel.semantics.predicates import compiled
from parte.languages.cel.semantics.syntax import tree
from parte.semantics.events.event import Event

MOST = 256
"""The greatest number of letters with which the checker decides anything."""

Tests = Mapping[str, frozenset[tree.Predicate]]
"""The predicates that matter for the events of each type; all other types are of type `OTHER`."""

OTHER = ""
Alphabet = tuple[Event, ...]


def tests_of(automata: Iterable[Automaton]) -> dict[str, frozenset[tree.Predicate]]:
    """Return the predicates in the guards of automata, for the events of each type."""
    by_type: dict[str, frozenset[tree.Predicate]] = {OTHER: frozenset()}
    for automaton in automata:
        for guard in {transition.guard for transition in automaton.transitions}:
            types = [test.name for test in guard if isinstance(test, IsType)]
            predicates = frozenset(test for test in guard if not isinstance(test, IsType))
            for name in types or [OTHER]:
                by_type[name] = by_type.get(name, frozenset()) | predicates
    return by_type


class Letters:
    """The alphabets of queries with the same streams and attributes of PARTITION BY, each computed once."""

    def __init__(self, streams: Sequence[str], attributes: Collection[str], session: Session) -> None:
        self._source = streams[0] if streams else "default"
        self._attributes, self._session = attributes, session
        self._known: dict[frozenset[tuple[str, frozenset[tree.Predicate]]], tuple[Alphabet, ...] | Undecided] = {}

    def alphabets(self, automata: Iterable[Automaton], clock: Clock) -> tuple[Alphabet, ...]:
        """Return the alphabets on which to compare these automata. Raise Undecided if there are too many letters."""
        tests = tests_of(automata)
        key = frozenset(tests.items())
        if key not in self._known:
            try:
                self._known[key] = self._compute(tests, clock)
            except Undecided as problem:
                self._known[key] = problem
        known = self._known[key]
        if isinstance(known, Undecided):
            raise known
        return known

    def _compute(self, tests: Tests, clock: Clock) -> tuple[Alphabet, ...]:
        types = {name: name or _other(tests) for name in tests}
        signs = [(name, sign) for name in sorted(tests) for sign in self._signs(name, tests[name], clock)]
        if len(signs) > MOST:
            raise Undecided(f"its conditions tell more than {MOST} kinds of events apart")
        tested = {part.name for own in tests.values() for predicate in own for part in _attributes(predicate)}
        if tested.isdisjoint(self._attributes):
            return (tuple(self._letters(types, tests, signs)),)
        return tuple(tuple(self._letters(types, tests, letters)) for letters in self._together(tests, signs, clock))

    def _signs(self, name: str, predicates: Collection[tree.Predicate], clock: Clock) -> Iterator[Signs]:
        """Yield all combinations of predicates that some event satisfies."""
        ordered = sorted(predicates, key=repr)
        encoding = Encoding(ordered, self._attributes)
        formulas = [encoding.satisfies("event", predicate) for predicate in ordered]
        with self._session.scope(*encoding.definitions()):
            for _ in range(MOST + 1):
                clock.tick()
                answer = self._session.ask(f"events of type {name}" if name else "other events")
                if answer.status is Status.UNKNOWN:
                    raise Undecided("the solver did not decide which events there are")
                if answer.model is None:
                    return
                truths = [answer.model.truth(formula) for formula in formulas]
                yield frozenset(predicate for predicate, truth in zip(ordered, truths, strict=True) if truth)
                # Exclude this combination of truths.
                self._session.add(
                    terms.either(*[terms.negated(f) if truth else f for f, truth in zip(formulas, truths, strict=True)])
                )
        raise Undecided(f"its conditions tell more than {MOST} kinds of events apart")

    def _together(self, tests: Tests, signs: Sequence[Letter], clock: Clock) -> list[list[Letter]]:
        """Return the largest sets of letters that the events of one substream can have."""
        encoding, formulas = self._encoded(tests, signs)
        chosen = [terms.boolean(f"letter {number}") for number in range(len(signs))]
        sets: list[list[Letter]] = []
        assumed = [terms.implies(letter, formula) for letter, formula in zip(chosen, formulas, strict=True)]
        with self._session.scope(*encoding.definitions(), *assumed):
            while True:
                clock.tick()
                answer = self._session.ask("events of one substream")
                if answer.status is Status.UNKNOWN or len(sets) > MOST:
                    raise Undecided("it was not decided which events a substream can have together")
                if answer.model is None:
                    return sets
                members = [number for number, letter in enumerate(chosen) if answer.model.truth(letter)]
                for number in range(len(signs)):
                    clock.tick()
                    if number not in members:
                        wider = [chosen[member] for member in (*members, number)]
                        members += [number] if self._session.ask("and one more", *wider).model is not None else []
                sets.append([signs[number] for number in sorted(members)])
                self._session.add(
                    terms.either(*[letter for number, letter in enumerate(chosen) if number not in members])
                )

    def _encoded(self, tests: Tests, signs: Sequence[Letter]) -> tuple[Encoding, list[Formula]]:
        encoding = Encoding((predicate for own in tests.values() for predicate in own), self._attributes)
        return encoding, [
            terms.both(
                *[
                    encoding.satisfies(f"event {number}", predicate)
                    if predicate in truths
                    else terms.negated(encoding.satisfies(f"event {number}", predicate))
                    for predicate in sorted(tests[name], key=repr)
                ]
            )
            for number, (name, truths) in enumerate(signs)
        ]

    def _letters(self, types: Mapping[str, str], tests: Tests, signs: Sequence[Letter]) -> Iterator[Event]:
        """Yield an event for each letter; all of them have the same values of the shared attributes."""
        encoding, formulas = self._encoded(tests, signs)
        with self._session.scope(*encoding.definitions(), *formulas):
            answer = self._session.ask("plain events for all letters", *encoding.plain())
            if answer.model is None:
                answer = self._session.ask("events for all letters")
        if answer.model is None:
            raise Undecided("the solver did not find events that it knows to be there")
        attributes = encoding.attributes(answer.model, [f"event {number}" for number in range(len(signs))])
        for number, (name, truths) in enumerate(signs):
            event = Event(f"e{number}", types[name], 0, attributes[f"event {number}"], self._source)
            if any(compiled(predicate)(event) != (predicate in truths) for predicate in tests[name]):
                raise CheckerBug("the machine classifies an event of the solver differently than the solver does")
            yield event


Signs = frozenset[tree.Predicate]
"""The predicates that an event satisfies."""

Letter = tuple[str, Signs]


def _attributes(predicate: tree.Predicate) -> Iterator[tree.Attribute]:
    return (part for part in tree.within(predicate) if isinstance(part, tree.Attribute))


def _other(types: Collection[str]) -> str:
    name = "Other"
    while name in types:
        name += "_"
    return name


def stream_of(letters: Iterable[Event], apart: int = 1) -> tuple[Event, ...]:
    """Return letters as a stream: each with an id, `apart` milliseconds after the one before."""
    return tuple(replace(event, id=f"e{number}", timestamp=number * apart) for number, event in enumerate(letters))
