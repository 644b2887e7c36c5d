"""The state that all checks of one program share, and the search for a stream on which a pattern happens."""

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
from parte.languages.etalis.checker.replay import Event, expressible, found_by
from parte.languages.etalis.checker.unfolding import Subject, Unfolding, given_names, needed
from parte.languages.etalis.semantics.binarisation import Binarised, binarised
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import IntervalEvent
from parte.languages.etalis.semantics.syntax.values import NumberTooLarge, number
from parte.semantics.source.spans import Span

Question = Callable[[Unfolding], Iterable[Formula]]
"""A function that unfolds the patterns of a question, and returns its formulas."""
Confirmation = Callable[[Sequence[Event]], bool]
"""A function that returns whether the replay of a stream confirms the answer."""


def happens(pattern: tree.Pattern) -> Question:
    """Return the question whether a pattern happens."""

    def question(unfolding: Unfolding) -> Iterable[Formula]:
        unfolding.pattern(pattern)
        return ()

    return question


QUESTIONS = 10
"""The time for all questions about streams, as a multiple of the timeout of one."""
STEPS = 300_000
"""The greatest number of events of a replay, those of subpatterns included."""
LONGEST = 60
"""The length of the longest stream as evidence."""


@dataclass(frozen=True, slots=True)
class Called:
    """A part of a program, by its name in reports."""

    name: str

    @classmethod
    def of(cls, rule: tree.Rule) -> Called:
        """Return a rule by its head and its line."""
        return cls(f"{rule.head.name}, line {rule.span.start.line}")


@dataclass
class Work:
    """A program under a policy and readings, and the findings so far."""

    program: tree.Program
    policy: str
    readings: Readings
    collector: Collector
    session: Session
    timeout: float
    streams: dict[int, tuple[Event, ...]] = field(default_factory=dict)
    """A stream on which a rule happens, for the rules that happen, by number."""
    shortest_too_much: int | None = None
    """The length of the shortest stream on which a measurement took too much: no longer stream is run."""
    dead: set[int] = field(default_factory=set)
    """The parts that never happen, and the rules, by identity."""

    @cached_property
    def clock(self) -> Clock:
        """The clock for all questions about streams together."""
        return Clock(QUESTIONS * self.timeout)

    def moment(self, steps: int = STEPS) -> Clock:
        """Return the clock of one replay, with its greatest number of events."""
        return Clock(self.timeout, steps)

    def called(self, rule: tree.Rule) -> Called:
        """Return a rule by its name in reports."""
        return Called.of(rule)

    @cached_property
    def binarised(self) -> Binarised:
        """The binary rules."""
        return binarised(self.program)

    @cached_property
    def closed(self) -> Subject:
        """The program on streams without events that a rule derives."""
        longest = {kind.name: kind.longest for kind in self.binarised.kinds.values() if kind.name is not None}
        return Subject(self.program, given_names(self.program), longest, self.readings)

    @cached_property
    def open(self) -> Subject:
        """The program on all streams."""
        names = {name for rule in self.program.rules for name in needed(rule.body)}
        return replace(self.closed, in_streams=frozenset(names))

    def stream(self, subject: Subject, question: Question, confirms: Confirmation) -> tuple[Event, ...] | None:
        """Return a replayed stream that answers the question; None if there is none.

        Raise Undecided if the solver does not decide, or if the replay does not confirm its stream.
        """
        self.clock.tick(1)
        unfolding = Unfolding(subject)
        required = list(question(unfolding))
        flat, quiet = terms.negated(unfolding.deep), unfolding.quiet
        last = Status.UNSATISFIABLE
        with self.session.scope(*unfolding.definitions, *required):
            tries = (quiet, unfolding.plain()), (quiet,), (quiet, unfolding.apart()), (terms.negated(quiet),)
            for assumed in tries:
                answer = self.session.ask("a stream", flat, *assumed)
                last = answer.status
                events = None if answer.model is None else events_in(unfolding, answer.model)
                if events is not None and confirms(events):
                    return _plainer(events, confirms)
            whole = self.session.ask("any stream", terms.negated(quiet)).status
        if whole is Status.UNSATISFIABLE:
            return None
        if whole is Status.UNKNOWN or last is Status.UNKNOWN:
            raise Undecided("the solver did not decide")
        if last is Status.UNSATISFIABLE:
            raise Undecided("recursion may go deeper than what was looked at")
        raise Undecided("the stream that was tried does not show it")

    def any_stream(self, question: Question, confirms: Confirmation) -> tuple[Event, ...] | None:
        """Return such a stream without derived events, if there is one; else one of all streams."""
        plain = self.stream(self.closed, question, confirms)
        return self.stream(self.open, question, confirms) if plain is None else plain

    def never(self, question: Question) -> bool:
        """Return whether the answer to a question is certainly no stream."""
        try:
            self.clock.tick(1)
        except Undecided:
            return False
        unfolding = Unfolding(self.open)
        required = list(question(unfolding))
        with self.session.scope(*unfolding.definitions, *required):
            return self.session.ask("any stream", terms.negated(unfolding.quiet)).status is Status.UNSATISFIABLE

    def derive(self, rules: Sequence[tree.Rule], events: Iterable[Event]) -> list[frozenset[IntervalEvent]] | None:
        """Return the events that rules derive on a stream, without a policy. None if the run has no end."""
        return found_by(self.program, rules, events, "unrestricted", self.readings, self.moment())

    def differ(self, first: tree.Rule, second: tree.Rule) -> Confirmation:
        """Return the confirmation that two rules derive different events."""

        def confirms(events: Sequence[Event]) -> bool:
            derived_by_both = self.derive((first, second), events)
            return derived_by_both is not None and derived_by_both[0] != derived_by_both[1]

        return confirms

    @contextmanager
    def deciding(self, name: str, rule: tree.Rule | None = None) -> Iterator[Decision]:
        """Decide a guarantee, of a rule or of all."""
        with self.collector.deciding(name, None if rule is None else Called.of(rule)) as decision:
            yield decision

    @contextmanager
    def undecided(self, code: str, span: Span, what: str) -> Iterator[None]:
        """Report under a code if the block leaves `what` undecided."""
        with self.collector.undecided(code, span, what, "allow more time by `--timeout`, or make the rule simpler"):
            yield


def events_in(unfolding: Unfolding, model: Model) -> tuple[Event, ...] | None:
    """Return the stream of a model; None if no trace can contain it."""
    used = [leaf for leaf in unfolding.leaves if model.truth(leaf.used)]
    try:
        values = iter(unfolding.values.read(model, [term for leaf in used for term in leaf.arguments]))
        events = [
            (leaf.name, tuple(next(values) for _ in leaf.arguments), number(model.number(leaf.time))) for leaf in used
        ]
    except NumberTooLarge:
        return None
    stream = tuple(sorted(dict.fromkeys(events), key=lambda event: event[2]))
    return stream if expressible(stream) and len(stream) <= LONGEST else None


def _plainer(events: tuple[Event, ...], confirms: Confirmation) -> tuple[Event, ...]:
    """Return the stream with whole numbers as times, as small as possible, if that confirms the answer too."""
    times = {time: place for place, time in enumerate(sorted({time for _, _, time in events}))}
    plain = tuple((name, arguments, times[time]) for name, arguments, time in events)
    return plain if plain != events and confirms(plain) else events
