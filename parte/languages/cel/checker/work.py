"""The state that all checks of one query share."""

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
    """A query, its findings so far, and the letters that it distinguishes."""

    source: Source
    collector: Collector
    session: Session
    timeout: float

    @property
    def query(self) -> tree.Query:
        """The query."""
        return self.source.query

    @cached_property
    def letters(self) -> Letters:
        """The alphabets of the query."""
        return Letters(self.query.streams, self.query.attributes, self.session)

    @cached_property
    def subject(self) -> Subject:
        """The query with the automaton of the machine. Undecided if it is too large."""
        return subject_of(self.query)

    @cached_property
    def relaxed(self) -> Subject:
        """The query without links: it has all results of the query."""
        return self.subject if self.subject.exact else subject_of(without_links(self.query))

    def clock(self, steps: int = 10_000_000) -> Clock:
        """Return the clock of one more question."""
        return Clock(self.timeout, steps)

    def alphabets(self, *automata: Automaton) -> tuple[Alphabet, ...]:
        """Return the alphabets on which automata are compared."""
        return self.letters.alphabets(automata, self.clock())

    def clause(self, name: str) -> Span:
        """Return the span of the word with which a clause begins."""
        start = self.source.clauses.get(name)
        return Span(start, Position(start.line, start.column + len(name))) if start else NOWHERE

    @contextmanager
    def deciding(self, name: str, code: str, span: Span, what: str) -> Iterator[Decision]:
        """Decide a guarantee; report under a code if the block leaves it undecided."""
        with self.collector.deciding(name) as decision, self.open(code, span, what):
            yield decision

    @contextmanager
    def open(self, code: str, span: Span, what: str) -> Iterator[None]:
        """Report under a code if the block leaves `what` undecided."""
        hint = "allow more time by `--timeout`, or make the query simpler"
        with self.collector.undecided(code, span, what, hint, (Undecided, TooManyStates)):
            yield
