"""What all questions about one query share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from parte.checker.report.collecting import Collector, Decision
from parte.checker.solver.clock import Clock, Undecided
from parte.checker.solver.queries import Session
from parte.languages.cel.checker.letters import Alphabet, Letters
from parte.languages.cel.checker.subject import Subject, subject_of, without_links
from parte.languages.cel.semantics.automata import Automaton
from parte.languages.cel.semantics.determinised import TooManyStates
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import Source
from parte.semantics.source.spans import NOWHERE, Position, Span


@dataclass
class Work:
    """A query, what was found of it so far, and the letters that it tells apart."""

    source: Source
    found: Collector
    session: Session
    timeout: float

    @property
    def query(self) -> tree.Query:
        """The query."""
        return self.source.query

    @cached_property
    def letters(self) -> Letters:
        """Its alphabets."""
        return Letters(self.query.streams, self.query.attributes, self.session)

    @cached_property
    def subject(self) -> Subject:
        """The query with the automaton that the machine makes. Undecided if it is too large."""
        return subject_of(self.query)

    @cached_property
    def relaxed(self) -> Subject:
        """The query without links: it has all results of the query."""
        return self.subject if self.subject.exact else subject_of(without_links(self.query))

    def clock(self, steps: int = 10_000_000) -> Clock:
        """The time for one more question."""
        return Clock(self.timeout, steps)

    def alphabets(self, *automata: Automaton) -> tuple[Alphabet, ...]:
        """The alphabets on which automata are compared."""
        return self.letters.alphabets(automata, self.clock())

    def clause(self, name: str) -> Span:
        """The word with which a clause begins."""
        start = self.source.clauses.get(name)
        return Span(start, Position(start.line, start.column + len(name))) if start else NOWHERE

    @contextmanager
    def deciding(self, name: str, code: str, span: Span, what: str) -> Iterator[Decision]:
        """Decide a guarantee; what was not decided inside is said so under a code."""
        with self.found.deciding(name) as decision, self.open(code, span, what):
            yield decision

    @contextmanager
    def open(self, code: str, span: Span, what: str) -> Iterator[None]:
        """What is not decided inside is said to be open."""
        hint = "allow more time by `--timeout`, or make the query simpler"
        with self.found.undecided(code, span, what, hint, (Undecided, TooManyStates)):
            yield
