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
"""The greatest number of derived events that end at one instant: functions in heads can derive events without end."""
MOST_PARTS = 200_000
"""The greatest number of events that end at one instant, those of subpatterns included."""

Node = Passing | Joined | Negated


class TooManyEvents(RuntimeError):
    """More events end at one instant than a run allows."""


class UnsupportedPolicy(ValueError):
    """A policy with a reading of negation that does not work with pairs."""


@dataclass(frozen=True, slots=True)
class Use:
    """The use of an event: a rule, and which of its operands the event is."""

    node: Node
    side: int
    operand: Operand


Entry = tuple[Number, int, tuple[object, ...], int, Kind, Arguments, Number, Undecided | None]
"""An event on the agenda: its duration, the rank of its kind, the order of its arguments, and the number of its
arrival; its kind, arguments and start, and what decides it if it is undecided."""


@dataclass(slots=True)
class Machine:
    """A run of a program. `lasting`, `negation` and `during` are readings (specification: etalis-readings). Raise
    UnsupportedPolicy for a policy that selects pairs with the reading of negation by intervals."""

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
    _derived: list[IntervalEvent] = field(init=False, default_factory=list)
    _now: Number = field(init=False, default=0)

    def __post_init__(self) -> None:
        settings = Settings(
            self.policy, self.lasting == "exactly", self.negation == "intervals", self.during == "instants"
        )
        if settings.intervals and self.policy.choice is not Choice.ALL:
            raise UnsupportedPolicy("a policy selects pairs; the reading `intervals` of negation has none")
        whole = binarised(self.program)
        for binary in whole.rules:
            node = _node(binary, settings)
            self._nodes.append(node)
            for side, operand in enumerate(binary.operands):
                self._uses.setdefault(operand.kind.rank, []).append(Use(node, side, operand))
        self._heads = frozenset(binary.target.rank for binary in whole.rules if binary.target.name is not None)
        self._kinds = {kind.name: kind for kind in whole.kinds.values() if kind.name is not None}
        moments = [(kind.moment, kind) for kind in whole.kinds.values() if kind.moment is not None]
        self._moments = deque(sorted(moments, key=lambda pair: pair[0]))

    def run(self, instants: Iterable[Instant]) -> Iterator[IntervalEvent]:
        """Yield the derived events of a whole stream in order."""
        for instant in instants:
            yield from self.instant(instant)
        yield from self.end()

    def instant(self, instant: Instant) -> list[IntervalEvent]:
        """Return the derived events that end before the next instant of the stream, in order. Raise TooManyEvents or
        NumberTooLarge."""
        derived = list(self._due(instant.time))
        moments = self._moments_at(instant.time)
        return derived + self._at(instant.time, event(self._kinds, instant), moments)

    def end(self) -> list[IntervalEvent]:
        """Return the derived events that end later."""
        return list(self._due(None))

    @property
    def nodes(self) -> Sequence[Node]:
        """The nodes of the binary rules, in the order of the text."""
        return self._nodes

    @property
    def kept(self) -> int:
        """The number of stored goals and absent events."""
        return sum(self.kept_by_rule)

    @property
    def kept_by_rule(self) -> tuple[int, ...]:
        """The number of stored goals and absent events of each binary rule, in their order."""
        return tuple(node.stored for node in self._nodes)

    # --- Instants ----------------------------------------------------------------------------------------------------

    def _due(self, before: Number | None) -> Iterator[IntervalEvent]:
        """Yield the events of the points in time before `before`."""
        while self._moments and (before is None or self._moments[0][0] < before):
            moment = self._moments[0][0]
            yield from self._at(moment, [], self._moments_at(moment))

    def _moments_at(self, moment: Number) -> list[Kind]:
        kinds = []
        while self._moments and self._moments[0][0] == moment:
            kinds.append(self._moments.popleft()[1])
        return kinds

    def _at(
        self, now: Number, arrived: Sequence[tuple[Kind, Arguments]], moments: Sequence[Kind]
    ) -> list[IntervalEvent]:
        """Process all events of an instant: an event after those that it is derived from."""
        self._now, self._derived = now, []
        self._happened.clear()
        for kind, arguments in arrived:
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
        return in_order(self._derived)

    def _next(self) -> Entry:
        """Return the first event of the agenda, and remove it (specification: etalis-order)."""
        return heapq.heappop(self._agenda)

    def _put(self, kind: Kind, arguments: Arguments, start: Number, undecided: Undecided | None) -> None:
        self.steps += 1
        order: tuple[object, ...] = ()
        if self.policy.choice is not Choice.ALL:
            order = tuple([rank(value) for value in arguments])
        entry = (self._now - start, kind.rank, order, self.steps, kind, arguments, start, undecided)
        heapq.heappush(self._agenda, entry)

    def _take(self, kind: Kind, arguments: Arguments, start: Number) -> None:
        for use, values in for_each(self._uses.get(kind.rank, ()), arguments):
            target = use.node.rule.target
            for derived in use.node.arrive(use.side, values, start, self._now):
                if derived.undecided is not None:
                    self._put(target, derived.arguments, derived.start, derived.undecided)
                elif self._new(target, derived.arguments, derived.start):
                    self._put(target, derived.arguments, derived.start, None)

    def _new(self, kind: Kind, arguments: Arguments, start: Number) -> bool:
        """Record that an event happens; return whether it happens for the first time."""
        happening = (kind.rank, arguments, start)
        if not unique(self._happened, happening):
            return False
        trigger(self._happened, happening)
        if len(self._happened) > MOST_PARTS:
            raise TooManyEvents(f"more than {MOST_PARTS} events, those of subpatterns included, end at {self._now}")
        if kind.name is not None:
            self._derived.append(IntervalEvent(kind.name, arguments, start, self._now))
            if len(self._derived) > MOST:
                raise TooManyEvents(f"more than {MOST} events end at {self._now}")
        return True


def _node(binary: BinaryRule, settings: Settings) -> Node:
    if binary.operator == "NOT":
        return Negated(binary, settings)
    return Joined(binary, settings) if binary.operator in OPERATORS else Passing(binary, settings)


# --- Steps ------------------------------------------------------------------------------------------------------------


@rule("EVENT", "An event of the stream", "2")
def event(kinds: dict[str, Kind], instant: Instant) -> list[tuple[Kind, Arguments]]:
    """The events of an instant happen, if a rule uses them."""
    return [(kinds[name], arguments) for name, arguments in instant.atoms if name in kinds]


@rule("TIME", "A point in time", "3, q")
def time(moments: Sequence[Kind]) -> Sequence[Kind]:
    """A point in time of the text happens at that time: before later events, or at the end."""
    return moments


@rule("EACH", "for_each", "5, (3)")
def for_each(uses: Sequence[Use], arguments: Arguments) -> Iterator[tuple[Use, Values]]:
    """Each use of an event with matching arguments, in the order of the binary rules."""
    for use in uses:
        values = use.operand.matched(arguments)
        if values is not None:
            yield use, values


@rule("UNIQUE", "An event that happened before", "4")
def unique(happened: set[tuple[int, Arguments, Number]], happening: tuple[int, Arguments, Number]) -> bool:
    """An event that is derived twice over one interval happens once."""
    return happening not in happened


@rule("TRIGGER", "A head happens", "5, (5)")
def trigger(happened: set[tuple[int, Arguments, Number]], happening: tuple[int, Arguments, Number]) -> None:
    """A head happens: it is an event like those of the stream, and goes to the agenda of its instant."""
    happened.add(happening)
