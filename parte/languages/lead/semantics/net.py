"""Prioritised coloured Petri nets with ages, and how they run (specification: lead-nets, lead-step; L §5).

A transition is triggered by a token of one place. Which fires is decided by rank: the least first, and of equal ranks
any. The guard of a timed transition is due at an instant, before the arrivals of that instant or among the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush
from typing import Protocol, TypeVar

from parte.languages.lead.semantics.repairs import Repairs
from parte.languages.lead.semantics.rulebook import rule
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Occurrence
from parte.languages.lead.semantics.tokens import Activation, Positions, Token

T = TypeVar("T")

MAX_FIRINGS = 1_000_000
"""A run that fires more often is an error: nothing bounds what a rule may match."""
AGE = 1_000
"""How old a token of a stateful place may become without the repair `keep`, in milliseconds; L says no age."""


class TooManyFirings(RuntimeError):
    """A run would take too long."""

    def __init__(self) -> None:
        super().__init__(f"more than {MAX_FIRINGS} transitions fired; look for fewer matches, or run a shorter trace")


class Schedule(Protocol):
    """What chooses among transitions of equal rank, and among the tokens that may trigger them; `Random` is one."""

    def choice(self, seq: Sequence[T], /) -> T:
        """One of them."""


@dataclass(slots=True, eq=False)
class Place:
    """A place: blue and stateless, or red and stateful. `context` names the sub-context that it is in, and `pattern` is
    what it serves, as which `role`."""

    name: str
    red: bool
    number: int
    context: str = ""
    pattern: tree.Pattern | None = None

    @property
    def role(self) -> str:
        """What it is for its pattern: `left`, `stored`, `enabled`, …"""
        return self.name.partition(" ")[0]


class Weight(Enum):
    """How many tokens move over an arc when a transition fires."""

    ONE = "1"
    MAYBE = "0..1"
    SOME = "0..n"
    ALL = "all"
    """All that the activation has there."""


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc between a transition and a place. What only `reads` leaves the tokens where they are."""

    place: Place
    weight: Weight
    reads: bool = False


def one(*places: Place) -> tuple[Arc, ...]:
    """Arcs that carry a token each."""
    return tuple(Arc(place, Weight.ONE) for place in places)


def maybe(*places: Place) -> tuple[Arc, ...]:
    """Arcs that carry a token, or none."""
    return tuple(Arc(place, Weight.MAYBE) for place in places)


def some(*places: Place) -> tuple[Arc, ...]:
    """Arcs that carry any number of tokens."""
    return tuple(Arc(place, Weight.SOME) for place in places)


def taking(*places: Place) -> tuple[Arc, ...]:
    """Arcs that take all tokens of an activation."""
    return tuple(Arc(place, Weight.ALL) for place in places)


def reading(*places: Place) -> tuple[Arc, ...]:
    """Arcs that look at the tokens of an activation."""
    return tuple(Arc(place, Weight.ALL, reads=True) for place in places)


class Phase(Enum):
    """When a transition may fire in an instant."""

    READY = "ready"
    DUE_FIRST = "due, before arrivals"
    DUE_LATER = "due, among the others"


@dataclass(slots=True, eq=False)
class Transition:
    """A transition: the rule that says what it does, its rank, the place that triggers it with one token, and its
    other arcs.

    A timed one is due at the `age` of its token, in milliseconds, if that is the same for all. One that `disables`
    closes an activation, so that what belongs to it is garbage.
    """

    identity: str
    rank: int
    trigger: Place
    action: Callable[[Run, Token], None]
    phase: Phase = Phase.READY
    takes: tuple[Arc, ...] = ()
    puts: tuple[Arc, ...] = ()
    label: str = ""
    age: int | None = None
    disables: bool = False


@dataclass(slots=True)
class Net:
    """A net: places, transitions, the place of arrivals of each stream, those that garbage consumers empty at the end
    of an instant, those of which other consumers take some, where the root is enabled and where it matches. Places are
    made in the `context` and for the `pattern` that are set; when it is done, that is the whole pattern, with the
    policies that were put in."""

    places: list[Place] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    arrivals: list[tuple[str, Place]] = field(default_factory=list)
    present: list[Place] = field(default_factory=list)
    consumers: list[tuple[Place, Callable[[Run], None]]] = field(default_factory=list)
    root: Place | None = None
    sink: Place | None = None
    context: str = ""
    pattern: tree.Pattern | None = None

    def place(self, name: str, *, red: bool = False) -> Place:
        """A new place."""
        made = Place(f"{name} {len(self.places)}", red, len(self.places), self.context, self.pattern)
        self.places.append(made)
        return made

    def transition(
        self,
        identity: str,
        rank: int,
        trigger: Place,
        action: Callable[[Run, Token], None],
        *,
        phase: Phase = Phase.READY,
        takes: Iterable[Arc] = (),
        puts: Iterable[Arc] = (),
        label: str = "",
        age: int | None = None,
        disables: bool = False,
    ) -> Transition:
        """A new transition."""
        arcs = (tuple(takes), tuple(puts))
        made = Transition(f"LEAD/{identity}", rank, trigger, action, phase, *arcs, label, age, disables)
        self.transitions.append(made)
        return made


Timer = tuple[int, int, Transition, Token]
"""When a guard is due, a number, the guard and its token."""
Enabled = tuple[int, int, int, "Timer | None"]
"""A rank; then 0 and the number of the place that triggers a transition, or 1, the number of a timer, and that."""


class Run:
    """A net that runs on the events of one partition. With a `schedule`, it chooses among equal ranks.

    `stage` says what it does in an instant, and `arrived` how many events have come.
    """

    def __init__(
        self,
        net: Net,
        repairs: Repairs,
        times: Mapping[str, tree.TimeEvent],
        types: Mapping[str, Sequence[tree.Attribute]],
        schedule: Schedule | None = None,
    ) -> None:
        self.net = net
        self.repairs = repairs
        self.times = times
        self.types = types
        self.now = 0
        self.stage = ""
        self.arrived = 0
        self.results: list[Token] = []
        self.fired: dict[str, int] = {}
        self._schedule = schedule
        self._marking: list[dict[Activation | None, list[Token]]] = [{} for _ in net.places]
        self._triggered = {each.trigger.number: each for each in net.transitions if each.phase is Phase.READY}
        self._ready: list[Enabled] = []
        self._queued: set[int] = set()
        self._timers: dict[Phase, list[Timer]] = {Phase.DUE_FIRST: [], Phase.DUE_LATER: []}
        self._numbers = 0
        self._firings = 0

    # --- Tokens ------------------------------------------------------------------------------------------------------

    def activation(
        self,
        parent: Activation | None,
        enabled: int,
        names: Mapping[str, Occurrence],
        used: Positions,
        spent: Positions = frozenset(),
    ) -> Activation:
        """A new activation."""
        self._numbers += 1
        return Activation(self._numbers, enabled, names, used, spent, parent)

    def put(self, place: Place, token: Token) -> None:
        """Put a token into a place; what is disabled goes to the garbage consumer."""
        if token.activation.alive:
            token.birth = self.now
            self._marking[place.number].setdefault(token.activation, []).append(token)
            self._queue(place.number)

    def stored(self, place: Place, activation: Activation) -> list[Token]:
        """The tokens of an activation in a place, in the order in which they came."""
        return list(self._marking[place.number].get(activation, ()))

    def all_stored(self, place: Place) -> list[Token]:
        """All tokens of a place."""
        return [token for tokens in self._marking[place.number].values() for token in tokens]

    def take(self, place: Place, token: Token) -> bool:
        """Take a token; whether it was there."""
        tokens = self._marking[place.number].get(token.activation, [])
        if token not in tokens:
            return False
        tokens.remove(token)
        if not tokens:
            del self._marking[place.number][token.activation]
        return True

    def take_all(self, place: Place, activation: Activation) -> list[Token]:
        """Take all tokens of an activation."""
        return self._marking[place.number].pop(activation, [])

    def emptied(self, place: Place) -> list[Token]:
        """Take all tokens of a place."""
        tokens = self.all_stored(place)
        self._marking[place.number].clear()
        return tokens

    def due(self, transition: Transition, instant: int, token: Token) -> None:
        """A token makes a guard due at an instant."""
        self._numbers += 1
        heappush(self._timers[transition.phase], (instant, self._numbers, transition, token))

    @property
    def marking(self) -> Iterable[tuple[Place, Token]]:
        """All tokens, with their places."""
        for place in self.net.places:
            for token in self.all_stored(place):
                yield place, token

    @property
    def timers(self) -> list[Timer]:
        """The guards that will be due, or are."""
        waiting = [timer for timers in self._timers.values() for timer in timers]
        return waiting + [timer for _, _, _, timer in self._ready if timer is not None]

    # --- Steps -------------------------------------------------------------------------------------------------------

    def run(self, events: Sequence[Occurrence]) -> list[Token]:
        """Run from the first event until no guard is due."""
        left = list(events)
        self.begin(left[0].time)
        while True:
            here = [each for each in left if each.time == self.now]
            left = left[len(here) :]
            self.instant(self.now, here)
            instants = [*self._next_due(), *(each.time for each in left[:1])]
            if not instants:
                return self.results
            self.now = max(self.now, min(instants))

    def begin(self, instant: int) -> None:
        """Enable the root at an instant."""
        assert self.net.root is not None
        self.now = instant
        self.put(self.net.root, Token(self.activation(None, instant, {}, frozenset()), None))

    def instant(self, now: int, arrivals: Sequence[Occurrence]) -> None:
        """What happens at an instant, no earlier than those before; matches are among the results then."""
        assert self.net.sink is not None
        self.now = max(self.now, now)
        step(self, arrivals)
        self.results += self.emptied(self.net.sink)

    @property
    def next_due(self) -> int | None:
        """The first instant at which a guard is due; None if none will be."""
        return min(self._next_due(), default=None)

    def _next_due(self) -> list[int]:
        """The least instant of each kind of guard."""
        for timers in self._timers.values():
            while timers and not timers[0][3].activation.alive:
                heappop(timers)
        return [timers[0][0] for timers in self._timers.values() if timers]

    def _come(self, phase: Phase) -> list[Timer]:
        """Take the guards that are due by now."""
        timers, come = self._timers[phase], []
        while timers and timers[0][0] <= self.now:
            come.append(heappop(timers))
        return come

    def guards(self) -> None:
        """Fire the guards that are due and do not wait for arrivals, in any order."""
        self.stage = "guards"
        ready = self._come(Phase.DUE_FIRST)
        while ready:
            chosen = self._chosen(ready)
            ready.remove(chosen)
            self._expire(chosen)
            ready += self._come(Phase.DUE_FIRST)

    def arrive(self, event: Occurrence) -> None:
        """Put an event into the places of its stream."""
        root = self.activation(None, self.now, {}, frozenset())
        self.arrived += 1
        for stream, place in self.net.arrivals:
            if stream == event.event.template:
                self.put(place, Token(root, event))

    def settle(self) -> None:
        """Fire transitions until none is enabled."""
        self.stage = "transitions"
        while True:
            for due in self._come(Phase.DUE_LATER):
                heappush(self._ready, (due[2].rank, 1, due[1], due))
            enabled = self._least()
            if not enabled:
                return
            (_, _, number, timer), token = self._chosen(enabled)
            for each in {entry: None for entry, _ in enabled}:
                if each[1:3] != (int(timer is not None), number):
                    heappush(self._ready, each)
            if timer is not None:
                self._expire(timer)
                continue
            self._queued.discard(number)
            transition = self._triggered[number]
            self.take(transition.trigger, token)
            self._queue(number)
            self._fire(transition, token)

    def _least(self) -> list[tuple[Enabled, Token]]:
        """What is enabled with the least rank, with each token that may trigger it; without a schedule the first."""
        found: list[tuple[Enabled, Token]] = []
        while self._ready and (not found or (self._schedule is not None and self._ready[0][0] == found[0][0][0])):
            entry = heappop(self._ready)
            if entry[3] is not None:
                found.append((entry, entry[3][3]))
            elif not (marking := self._marking[entry[2]]):
                self._queued.discard(entry[2])
            elif self._schedule is None:
                found.append((entry, next(iter(marking.values()))[0]))
            else:
                found += [(entry, token) for tokens in marking.values() for token in tokens]
        return found

    def _queue(self, number: int) -> None:
        """Note that a place may trigger its transition."""
        if number in self._triggered and number not in self._queued and self._marking[number]:
            self._queued.add(number)
            heappush(self._ready, (self._triggered[number].rank, 0, number, None))

    def collect_garbage(self) -> None:
        """Empty what holds the arrivals of the instant, take what is disabled, then what other consumers take."""
        for place in self.net.present:
            self._marking[place.number].clear()
        for marking in self._marking:
            for activation in [each for each in marking if each is not None and not each.alive]:
                del marking[activation]
        for _, consumer in self.net.consumers:
            consumer(self)

    def age(self) -> None:
        """Take the tokens of stateful places that have come of age."""
        for place in self.net.places:
            for token in self.all_stored(place) if place.red else ():
                if self.now - token.birth >= AGE:
                    self.take(place, token)

    def _expire(self, timer: Timer) -> None:
        _, _, transition, token = timer
        if token.activation.alive:
            self._fire(transition, token)

    def _fire(self, transition: Transition, token: Token) -> None:
        self._firings += 1
        if self._firings > MAX_FIRINGS:
            raise TooManyFirings
        self.fired[transition.identity] = self.fired.get(transition.identity, 0) + 1
        transition.action(self, token)

    def _chosen(self, among: Sequence[T]) -> T:
        return among[0] if self._schedule is None else self._schedule.choice(among)


@rule("STEP", "firing rule", "5")
def step(run: Run, arrivals: Sequence[Occurrence]) -> None:
    """An instant: guards that are due, the arrivals together, transitions by rank until none is enabled, garbage."""
    if not run.repairs.keep:
        run.age()
    if run.repairs.deadline_first:
        run.guards()
    if run.repairs.instant:
        for event in arrivals:
            run.arrive(event)
        run.settle()
    else:
        for event in arrivals:
            run.arrive(event)
            run.settle()
            garbage(run)
        run.settle()
    if not run.repairs.deadline_first:
        run.guards()
        run.settle()
    garbage(run)


@rule("GC", "garbage consumers", "5.1")
def garbage(run: Run) -> None:
    """What stateless places hold at the end of an instant is consumed, and what is disabled."""
    run.collect_garbage()
