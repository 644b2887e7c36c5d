"""The machine of ETALIS: a stream instant by instant (E §5; specification: etalis-steps)."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from parte.languages.etalis.semantics.binarisation import BinaryRule, Kind, Operand, binarised
from parte.languages.etalis.semantics.negation import not_decide
from parte.languages.etalis.semantics.nodes import Joined, Negated, Passing, Settings, Undecided
from parte.languages.etalis.semantics.operators import OPERATORS
from parte.languages.etalis.semantics.policies import UNRESTRICTED, Choice, Policy
from parte.languages.etalis.semantics.rulebook import rule
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Arguments, Instant, IntervalEvent, in_order
from parte.languages.etalis.semantics.syntax.values import Number, rank
from parte.languages.etalis.semantics.terms import Values

MOST = 2000
"""Derived events that end at one instant: functions in heads can go on for ever."""
MOST_PARTS = 200_000
"""Events that end at one instant, those of subpatterns included."""

Node = Passing | Joined | Negated


class TooManyEvents(RuntimeError):
    """More events end at one instant than a run can have."""


class UnsupportedPolicy(ValueError):
    """A policy under a reading that says nothing of pairs."""


@dataclass(frozen=True, slots=True)
class Use:
    """A place where an event is looked for: a rule, and which of its operands."""

    node: Node
    side: int
    operand: Operand


Entry = tuple[Number, int, tuple[object, ...], int, Kind, Arguments, Number, Undecided | None]
"""An event on the agenda: its duration, the rank of its kind, what orders its arguments, and when it came there; its
kind, arguments and start, and by what it is still to be decided."""


@dataclass(slots=True)
class Machine:
    """A run of a program. `lasting`, `negation` and `during` are read as the names say (specification:
    etalis-readings). UnsupportedPolicy for a policy that selects pairs where negation is about intervals."""

    program: tree.Program
    policy: Policy = UNRESTRICTED
    lasting: str = "within"
    negation: str = "pairs"
    during: str = "proper"
    steps: int = 0
    _kinds: dict[str, Kind] = field(init=False, default_factory=dict)
    _moments: deque[tuple[Number, Kind]] = field(init=False)
    _uses: dict[int, list[Use]] = field(init=False, default_factory=dict)
    _nodes: list[Node] = field(init=False, default_factory=list)
    _heads: frozenset[int] = field(init=False)
    _agenda: list[Entry] = field(init=False, default_factory=list)
    _happened: set[tuple[int, Arguments, Number]] = field(init=False, default_factory=set)
    _found: list[IntervalEvent] = field(init=False, default_factory=list)
    _now: Number = field(init=False, default=0)

    def __post_init__(self) -> None:
        settings = Settings(
            self.policy, self.lasting == "exactly", self.negation == "intervals", self.during == "instants"
        )
        if settings.intervals and self.policy.choice is not Choice.ALL:
            raise UnsupportedPolicy("a policy selects pairs; the reading `intervals` of negation has none")
        whole = binarised(self.program)
        for made in whole.rules:
            node = _node(made, settings)
            self._nodes.append(node)
            for side, operand in enumerate(made.operands):
                self._uses.setdefault(operand.kind.rank, []).append(Use(node, side, operand))
        self._heads = frozenset(made.target.rank for made in whole.rules if made.target.name is not None)
        self._kinds = {kind.name: kind for kind in whole.kinds.values() if kind.name is not None}
        moments = [(kind.moment, kind) for kind in whole.kinds.values() if kind.moment is not None]
        self._moments = deque(sorted(moments, key=lambda pair: pair[0]))

    def run(self, instants: Iterable[Instant]) -> Iterator[IntervalEvent]:
        """The derived events of a whole stream in order."""
        for instant in instants:
            yield from self.instant(instant)
        yield from self.end()

    def instant(self, instant: Instant) -> list[IntervalEvent]:
        """The derived events that end up to the next instant of the stream, in order. TooManyEvents, NumberTooLarge."""
        found = list(self._due(instant.time))
        moments = self._moments_at(instant.time)
        return found + self._at(instant.time, event(self._kinds, instant), moments)

    def end(self) -> list[IntervalEvent]:
        """The derived events that end later."""
        return list(self._due(None))

    @property
    def nodes(self) -> Sequence[Node]:
        """The binary rules as they run, in the order of the text."""
        return self._nodes

    @property
    def kept(self) -> int:
        """How many goals and absent events are kept."""
        return sum(self.kept_by_rule)

    @property
    def kept_by_rule(self) -> tuple[int, ...]:
        """The same for each binary rule, in their order."""
        return tuple(node.kept for node in self._nodes)

    # --- Instants ----------------------------------------------------------------------------------------------------

    def _due(self, before: Number | None) -> Iterator[IntervalEvent]:
        """The events of the points in time before one."""
        while self._moments and (before is None or self._moments[0][0] < before):
            moment = self._moments[0][0]
            yield from self._at(moment, [], self._moments_at(moment))

    def _moments_at(self, moment: Number) -> list[Kind]:
        found = []
        while self._moments and self._moments[0][0] == moment:
            found.append(self._moments.popleft()[1])
        return found

    def _at(self, now: Number, given: Sequence[tuple[Kind, Arguments]], moments: Sequence[Kind]) -> list[IntervalEvent]:
        """Take all events of an instant, those first that others are made of."""
        self._now, self._found = now, []
        self._happened.clear()
        for kind, arguments in given:
            self._put(kind, arguments, now, None)
            self._happened.add((kind.rank, arguments, now))
        for kind in time(moments):
            self._put(kind, (), now, None)
            self._happened.add((kind.rank, (), now))
        while self._agenda:
            _, _, _, _, kind, arguments, start, undecided = self._next()
            happens = undecided is None or (not_decide(*undecided) and self._new(kind, arguments, start))
            if happens:
                self._take(kind, arguments, start)
        for node in self._nodes:
            node.forget(now)
        return in_order(self._found)

    def _next(self) -> Entry:
        """Take the event from the agenda that comes first (specification: etalis-order)."""
        return heapq.heappop(self._agenda)

    def _put(self, kind: Kind, arguments: Arguments, start: Number, undecided: Undecided | None) -> None:
        self.steps += 1
        order: tuple[object, ...] = ()
        if self.policy.choice is not Choice.ALL:
            order = tuple([rank(value) for value in arguments])
        entry = (self._now - start, kind.rank, order, self.steps, kind, arguments, start, undecided)
        heapq.heappush(self._agenda, entry)

    def _take(self, kind: Kind, arguments: Arguments, start: Number) -> None:
        for use, values in each(self._uses.get(kind.rank, ()), arguments):
            target = use.node.rule.target
            for made in use.node.arrive(use.side, values, start, self._now):
                if made.undecided is not None:
                    self._put(target, made.arguments, made.start, made.undecided)
                elif self._new(target, made.arguments, made.start):
                    self._put(target, made.arguments, made.start, None)

    def _new(self, kind: Kind, arguments: Arguments, start: Number) -> bool:
        """Note that something happens; whether it is for the first time."""
        happening = (kind.rank, arguments, start)
        if not unique(self._happened, happening):
            return False
        trigger(self._happened, happening)
        if len(self._happened) > MOST_PARTS:
            raise TooManyEvents(f"more than {MOST_PARTS} events, those of subpatterns included, end at {self._now}")
        if kind.name is not None:
            self._found.append(IntervalEvent(kind.name, arguments, start, self._now))
            if len(self._found) > MOST:
                raise TooManyEvents(f"more than {MOST} events end at {self._now}")
        return True


def _node(made: BinaryRule, settings: Settings) -> Node:
    if made.operator == "NOT":
        return Negated(made, settings)
    return Joined(made, settings) if made.operator in OPERATORS else Passing(made, settings)


# --- Steps ------------------------------------------------------------------------------------------------------------


@rule("EVENT", "An event of the stream", "2")
def event(kinds: dict[str, Kind], instant: Instant) -> list[tuple[Kind, Arguments]]:
    """What comes at an instant happens, if a rule knows it."""
    return [(kinds[name], arguments) for name, arguments in instant.atoms if name in kinds]


@rule("TIME", "A point in time", "3, q")
def time(moments: Sequence[Kind]) -> Sequence[Kind]:
    """A number of the text happens when it is due: before later events, and at the end."""
    return moments


@rule("EACH", "for_each", "5, (3)")
def each(uses: Sequence[Use], arguments: Arguments) -> Iterator[tuple[Use, Values]]:
    """An event is used wherever it is looked for with such arguments, in the order of the binary rules."""
    for use in uses:
        values = use.operand.matched(arguments)
        if values is not None:
            yield use, values


@rule("UNIQUE", "An event that happened before", "4")
def unique(happened: set[tuple[int, Arguments, Number]], happening: tuple[int, Arguments, Number]) -> bool:
    """What happens twice over one interval happens once."""
    return happening not in happened


@rule("TRIGGER", "A head happens", "5, (5)")
def trigger(happened: set[tuple[int, Arguments, Number]], happening: tuple[int, Arguments, Number]) -> None:
    """A head happens: it is an event as those of the stream are, and put on the agenda of its instant."""
    happened.add(happening)
