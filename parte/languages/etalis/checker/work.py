"""What all questions about one program share, and how a stream is found on which a pattern happens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from parte.checker.report.collecting import Collector, Decision
from parte.checker.solver import terms
from parte.checker.solver.clock import Clock, Undecided
from parte.checker.solver.queries import Model, Session, Status
from parte.checker.solver.terms import Formula
from parte.languages.etalis.algebra.readings import Readings
from parte.languages.etalis.checker.replay import Event, found_by, tellable
from parte.languages.etalis.checker.unfolding import Subject, Unfolding, given_names, needed
from parte.languages.etalis.semantics.binarisation import Binarised, binarised
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import IntervalEvent
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge, number
from parte.semantics.source.spans import Span

Asked = Callable[[Unfolding], Iterable[Formula]]
"""Unfolds what a question is about, and says what is asked of it."""
Shown = Callable[[Sequence[Event]], bool]
"""Whether a replay of a stream shows what it is to show."""


def happens(pattern: tree.Pattern) -> Asked:
    """A pattern happens."""

    def asked(unfolding: Unfolding) -> Iterable[Formula]:
        unfolding.pattern(pattern)
        return ()

    return asked


QUESTIONS = 10
"""All questions about streams may take so many times what one may."""
STEPS = 300_000
"""A replay makes at most so many events, those of subpatterns included."""
LONGEST = 60
"""A stream that shows something has at most so many events."""


@dataclass(frozen=True, slots=True)
class Called:
    """A part of a program as reports name it."""

    name: str

    @classmethod
    def of(cls, rule: tree.Rule) -> Called:
        """A rule by its head and its line."""
        return cls(f"{rule.head.name}, line {rule.span.start.line}")


@dataclass
class Work:
    """A program under a policy and readings, and what was found of it so far."""

    program: tree.Program
    policy: str
    readings: Readings
    found: Collector
    session: Session
    timeout: float
    streams: dict[int, tuple[Event, ...]] = field(default_factory=dict)
    """For the rules that happen, by number, a stream on which they do."""
    shortest_too_much: int | None = None
    """How long the shortest stream is over which measuring what is kept was too much: no longer one is run."""
    dead: set[int] = field(default_factory=set)
    """The parts that never happen, and the rules, by identity."""

    @cached_property
    def clock(self) -> Clock:
        """The time for all questions about streams together."""
        return Clock(QUESTIONS * self.timeout)

    def moment(self, steps: int = STEPS) -> Clock:
        """The time for one replay, and how many events it may make."""
        return Clock(self.timeout, steps)

    def called(self, rule: tree.Rule) -> Called:
        """A rule as reports name it."""
        return Called.of(rule)

    @cached_property
    def binarised(self) -> Binarised:
        """The binary rules."""
        return binarised(self.program)

    @cached_property
    def closed(self) -> Subject:
        """The program on streams whose events no rule makes."""
        longest = {kind.name: kind.longest for kind in self.binarised.kinds.values() if kind.name is not None}
        return Subject(self.program, given_names(self.program), longest, self.readings)

    @cached_property
    def open(self) -> Subject:
        """The program on all streams."""
        names = {name for rule in self.program.rules for name in needed(rule.body)}
        return replace(self.closed, given=frozenset(names))

    def stream(self, subject: Subject, asked: Asked, shown: Shown) -> tuple[Event, ...] | None:
        """A stream on which what is asked for happens, replayed; None if there is none.

        Undecided if the solver does not decide, or what it finds is not what happens.
        """
        self.clock.tick(1)
        unfolding = Unfolding(subject)
        required = list(asked(unfolding))
        flat, quiet = terms.negated(unfolding.deep), unfolding.quiet
        last = Status.UNSATISFIABLE
        with self.session.scope(*unfolding.definitions, *required):
            tries = (quiet, unfolding.plain()), (quiet,), (quiet, unfolding.apart()), (terms.negated(quiet),)
            for assumed in tries:
                answer = self.session.ask("a stream", flat, *assumed)
                last = answer.status
                events = None if answer.model is None else events_in(unfolding, answer.model)
                if events is not None and shown(events):
                    return _plainer(events, shown)
            whole = self.session.ask("any stream", terms.negated(quiet)).status
        if whole is Status.UNSATISFIABLE:
            return None
        if whole is Status.UNKNOWN or last is Status.UNKNOWN:
            raise Undecided("the solver did not decide")
        if last is Status.UNSATISFIABLE:
            raise Undecided("recursion may go deeper than what was looked at")
        raise Undecided("the stream that was tried does not show it")

    def any_stream(self, asked: Asked, shown: Shown) -> tuple[Event, ...] | None:
        """The same, if it can be without events that rules make; else of all streams."""
        found = self.stream(self.closed, asked, shown)
        return self.stream(self.open, asked, shown) if found is None else found

    def never(self, asked: Asked) -> bool:
        """Whether it is certain that what is asked for happens on no stream."""
        try:
            self.clock.tick(1)
        except Undecided:
            return False
        unfolding = Unfolding(self.open)
        required = list(asked(unfolding))
        with self.session.scope(*unfolding.definitions, *required):
            return self.session.ask("any stream", terms.negated(unfolding.quiet)).status is Status.UNSATISFIABLE

    def made(self, rules: Sequence[tree.Rule], events: Iterable[Event]) -> list[frozenset[IntervalEvent]] | None:
        """What rules make on a stream, without a policy. None if the run has no end."""
        return found_by(self.program, rules, events, "unrestricted", self.readings, self.moment())

    def differ(self, one: tree.Rule, other: tree.Rule) -> Shown:
        """Two rules make different events."""

        def shown(events: Sequence[Event]) -> bool:
            found = self.made((one, other), events)
            return found is not None and found[0] != found[1]

        return shown

    @contextmanager
    def deciding(self, name: str, rule: tree.Rule | None = None) -> Iterator[Decision]:
        """Decide a guarantee, of a rule or of all."""
        with self.found.deciding(name, None if rule is None else Called.of(rule)) as decision:
            yield decision

    @contextmanager
    def undecided(self, code: str, span: Span, what: str) -> Iterator[None]:
        """What is not decided inside is said to be open."""
        with self.found.undecided(code, span, what, "allow more time by `--timeout`, or make the rule simpler"):
            yield


def events_in(unfolding: Unfolding, model: Model) -> tuple[Event, ...] | None:
    """The stream of a model; None if no trace can hold it."""
    used = [leaf for leaf in unfolding.leaves if model.truth(leaf.used)]
    try:
        values = iter(unfolding.values.read(model, [term for leaf in used for term in leaf.arguments]))
        events = [
            (leaf.name, tuple(next(values) for _ in leaf.arguments), number(model.number(leaf.time))) for leaf in used
        ]
    except NumberTooLarge:
        return None
    found = tuple(sorted(dict.fromkeys(events), key=lambda each: each[2]))
    return found if tellable(found) and len(found) <= LONGEST else None


def _plainer(events: tuple[Event, ...], shown: Shown) -> tuple[Event, ...]:
    """The stream with whole numbers as times, as small as they can be, if that shows as much."""
    times = {time: place for place, time in enumerate(sorted({time for _, _, time in events}))}
    plain = tuple((name, arguments, times[time]) for name, arguments, time in events)
    return plain if plain != events and shown(plain) else events
