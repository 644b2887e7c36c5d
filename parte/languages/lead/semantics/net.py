"""Prioritised coloured Petri nets with ages, and their execution (specification: lead-nets, lead-step; L §5).

A token of one place triggers a transition. The rank decides which transition fires: the least first, and among equal
ranks any. The guard of a timed transition is due at an instant, before the arrivals of that instant or among the
others.
"""

from __future__ import annotations

from collections import defaultdict
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
"""The greatest number of firings of a run; more are an error, because nothing bounds the matches of a rule."""
AGE = 1_000
"""The greatest age of a token of a stateful place without the repair `keep`, in milliseconds; L gives no age."""


class TooManyFirings(RuntimeError):
    """Error: a run would take too long."""

    def __init__(self) -> None:
        super().__init__(f"more than {MAX_FIRINGS} transitions fired; look for fewer matches, or run a shorter trace")


class Schedule(Protocol):
    """A chooser among transitions of equal rank, and among the tokens that may trigger them; `Random` is one."""

    def choice(self, seq: Sequence[T], /) -> T:
        """Return one of them."""


@dataclass(slots=True, eq=False)
class Place:
    """A place: blue and stateless, or red and stateful. `context` names the sub-context that it is in. It serves a
    `pattern`, in a `role`. The tokens of a place that `waits` meet later arrivals."""

    name: str
    red: bool
    number: int
    context: str = ""
    pattern: tree.Pattern | None = None
    waits: bool = False

    @property
    def role(self) -> str:
        """Its role for its pattern: `left`, `stored`, `enabled`, …"""
        return self.name.partition(" ")[0]


class Weight(Enum):
    """The number of tokens that an arc moves when a transition fires."""

    ONE = "1"
    MAYBE = "0..1"
    SOME = "0..n"
    ALL = "all"
    """All tokens that the activation has there."""


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc between a transition and a place. An arc that only `reads` leaves the tokens where they are."""

    place: Place
    weight: Weight
    reads: bool = False


def single(*places: Place) -> tuple[Arc, ...]:
    """Return arcs that carry a token each."""
    return tuple(Arc(place, Weight.ONE) for place in places)


def maybe(*places: Place) -> tuple[Arc, ...]:
    """Return arcs that carry a token, or none."""
    return tuple(Arc(place, Weight.MAYBE) for place in places)


def some(*places: Place) -> tuple[Arc, ...]:
    """Return arcs that carry any number of tokens."""
    return tuple(Arc(place, Weight.SOME) for place in places)


def taking(*places: Place) -> tuple[Arc, ...]:
    """Return arcs that take all tokens of an activation."""
    return tuple(Arc(place, Weight.ALL) for place in places)


def reading(*places: Place) -> tuple[Arc, ...]:
    """Return arcs that read the tokens of an activation."""
    return tuple(Arc(place, Weight.ALL, reads=True) for place in places)


class Phase(Enum):
    """The time within an instant at which a transition may fire."""

    READY = "ready"
    DUE_FIRST = "due, before arrivals"
    DUE_LATER = "due, among the others"


@dataclass(slots=True, eq=False)
class Transition:
    """A transition: its rule, its rank, the place that triggers it with one token, and its other arcs.

    A timed transition is due at the `age` of its token, in milliseconds, if that age is the same for all tokens. A
    transition that `disables` closes an activation, so that the tokens of the activation become garbage.
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


Ready = list[Transition | None]
"""For each place the transition that it triggers."""


@dataclass(slots=True)
class Net:
    """A net: its places and transitions, the place of arrivals of each stream, the places that garbage consumers
    empty at the end of an instant, the places from which other consumers take some tokens, and the places in which
    the root is enabled and matches. New places get the current `context` and `pattern`. In a finished net, `pattern`
    is the whole pattern, with the policies that were inserted."""

    places: list[Place] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    arrivals: list[tuple[str, Place]] = field(default_factory=list)
    present: list[Place] = field(default_factory=list)
    consumers: list[tuple[Place, Callable[[Run], None]]] = field(default_factory=list)
    root: Place | None = None
    sink: Place | None = None
    context: str = ""
    pattern: tree.Pattern | None = None
    _ready: tuple[Ready, Ready] | None = None

    @property
    def ready(self) -> tuple[Ready, Ready]:
        """The transitions that need no guard, by the number of the place that triggers them; and of these the leaves,
        which are of rank 0 and trigger no other one of rank 0."""
        if self._ready is None:
            ready: list[Transition | None] = [None for _ in self.places]
            for transition in self.transitions:
                if transition.phase is Phase.READY:
                    ready[transition.trigger.number] = transition
            least = {number for number, transition in enumerate(ready) if transition and transition.rank == 0}
            leaves = [
                transition
                if transition and number in least and least.isdisjoint(arc.place.number for arc in transition.puts)
                else None
                for number, transition in enumerate(ready)
            ]
            self._ready = ready, leaves
        return self._ready

    def place(self, name: str, *, red: bool = False, waits: bool = False) -> Place:
        """Add a place."""
        place = Place(f"{name} {len(self.places)}", red, len(self.places), self.context, self.pattern, waits)
        self.places.append(place)
        self._ready = None
        return place

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
        """Add a transition."""
        arcs = (tuple(takes), tuple(puts))
        transition = Transition(f"LEAD/{identity}", rank, trigger, action, phase, *arcs, label, age, disables)
        self.transitions.append(transition)
        self._ready = None
        return transition


Timer = tuple[int, int, Transition, Token]
"""A guard that will be due: the instant, a number, the guard and its token."""
Enabled = tuple[int, int, int, "Timer | None"]
"""An enabled transition: its rank; then 0 and the number of its place, or 1, the number of a timer, and the timer."""


class Run:
    """A net that runs on the events of one partition. With a `schedule`, it chooses among equal ranks.

    `stage` is the current step of the instant, and `arrived` the number of events so far.
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
        self.fired: dict[str, int] = defaultdict(int)
        self._schedule = schedule
        self._marking: list[dict[Activation | None, list[Token]]] = [{} for _ in net.places]
        self._stateful = [self._marking[place.number] for place in net.places if place.red]
        self._present = [self._marking[place.number] for place in net.present]
        self._triggered, leaves = net.ready
        self._at_once = leaves if schedule is None else [None for _ in net.places]
        self._ready: list[Enabled] = []
        self._queued: set[int] = set()
        self._due_first: list[Timer] = []
        self._due_later: list[Timer] = []
        self._idle: list[Activation] = []
        self._closed: list[Activation] = []
        self._arrival = Activation(0, 0, {}, frozenset(), frozenset(), None)
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
        """Return a new activation."""
        self._numbers += 1
        activation = Activation(self._numbers, enabled, names, used, spent, parent)
        if parent is not None:
            activation.closed = parent.closed
            parent.below.add(activation)
        self._idle.append(activation)
        return activation

    def close(self, activation: Activation) -> None:
        """Close an activation and those below it. At the end of the instant their tokens are garbage."""
        if activation.closed:
            return
        if activation.parent is not None:
            activation.parent.below.discard(activation)
            self._idle.append(activation.parent)
        below = [activation]
        for disabled in below:
            disabled.closed = True
            below += disabled.below
            disabled.below.clear()
        self._closed += below

    def put(self, place: Place, token: Token) -> None:
        """Put a token into a place. A token of a disabled activation goes to the garbage consumer. Without a schedule,
        leaves fire at once: any transition of rank 0 may be the next."""
        activation, number = token.activation, place.number
        if activation.closed:
            return
        token.birth = self.now
        if (transition := self._at_once[number]) is not None:
            self._fire(transition, token)
            return
        activation.waiting += place.waits
        marking = self._marking[number]
        if activation in marking:
            marking[activation].append(token)
        else:
            marking[activation] = [token]
        self._queue(number)

    def stored(self, place: Place, activation: Activation) -> list[Token]:
        """Return the tokens of an activation in a place, in the order in which they came."""
        return list(self._marking[place.number].get(activation, ()))

    def all_stored(self, place: Place) -> list[Token]:
        """Return all tokens of a place."""
        return [token for tokens in self._marking[place.number].values() for token in tokens]

    def take(self, place: Place, token: Token) -> bool:
        """Take a token. Return whether it was there."""
        tokens = self._marking[place.number].get(token.activation, [])
        if token not in tokens:
            return False
        tokens.remove(token)
        if not tokens:
            del self._marking[place.number][token.activation]
        if place.waits:
            self._waits_less(token.activation)
        return True

    def take_all(self, place: Place, activation: Activation) -> list[Token]:
        """Take and return all tokens of an activation."""
        return self._marking[place.number].pop(activation, [])

    def emptied(self, place: Place) -> list[Token]:
        """Take and return all tokens of a place."""
        tokens = self.all_stored(place)
        self._marking[place.number].clear()
        return tokens

    def due(self, transition: Transition, instant: int, token: Token) -> None:
        """Make a guard due at an instant, with a token."""
        self._numbers += 1
        token.activation.waiting += 1
        timers = self._due_first if transition.phase is Phase.DUE_FIRST else self._due_later
        heappush(timers, (instant, self._numbers, transition, token))

    def _waits_less(self, activation: Activation) -> None:
        activation.waiting -= 1
        self._idle.append(activation)

    @property
    def marking(self) -> Iterable[tuple[Place, Token]]:
        """All tokens, with their places."""
        for place in self.net.places:
            for token in self.all_stored(place):
                yield place, token

    @property
    def timers(self) -> list[Timer]:
        """The guards that are due, or will be."""
        return [*self._due_first, *self._due_later] + [timer for _, _, _, timer in self._ready if timer is not None]

    # --- Steps -------------------------------------------------------------------------------------------------------

    def run(self, events: Sequence[Occurrence]) -> list[Token]:
        """Run from the first event until no guard is due."""
        self.begin(events[0].time)
        place = 0
        while True:
            here = []
            while place < len(events) and events[place].time == self.now:
                here.append(events[place])
                place += 1
            self.instant(self.now, here)
            due = self.next_due
            if place < len(events):
                time = events[place].time
                due = time if due is None else min(due, time)
            if due is None:
                return self.results
            self.now = max(self.now, due)

    def begin(self, instant: int) -> None:
        """Enable the root at an instant."""
        assert self.net.root is not None
        self.now = instant
        self.put(self.net.root, Token(self.activation(None, instant, {}, frozenset()), None))

    def instant(self, now: int, arrivals: Sequence[Occurrence]) -> None:
        """Run an instant, no earlier than the instants before. Its matches are then among the results."""
        assert self.net.sink is not None
        self.now = max(self.now, now)
        step(self, arrivals)
        if self._marking[self.net.sink.number]:
            self.results += self.emptied(self.net.sink)

    @property
    def next_due(self) -> int | None:
        """The first instant at which a guard is due, or None."""
        due = None
        for timers in (self._due_first, self._due_later):
            while timers and timers[0][3].activation.closed:
                heappop(timers)
            if timers:
                due = timers[0][0] if due is None else min(due, timers[0][0])
        return due

    def _come(self, timers: list[Timer]) -> list[Timer]:
        """Take and return the guards that are due by now."""
        come = []
        while timers and timers[0][0] <= self.now:
            come.append(heappop(timers))
            self._waits_less(come[-1][3].activation)
        return come

    def guards(self) -> None:
        """Fire the guards that are due and do not wait for arrivals, in any order."""
        self.stage = "guards"
        ready = self._come(self._due_first) if self._due_first else []
        while ready:
            chosen = self._chosen(ready)
            ready.remove(chosen)
            self._expire(chosen)
            ready += self._come(self._due_first)

    def arrive(self, event: Occurrence) -> None:
        """Put an event into the places of its stream."""
        self.arrived += 1
        for stream, place in self.net.arrivals:
            if stream == event.event.template:
                self.put(place, Token(self._arrival, event))

    def settle(self) -> None:
        """Fire transitions until none is enabled."""
        self.stage = "transitions"
        while True:
            for due in self._come(self._due_later) if self._due_later else ():
                heappush(self._ready, (due[2].rank, 1, due[1], due))
            if not self._ready:
                return
            if self._schedule is None:
                self._fire_first(heappop(self._ready))
            elif enabled := self._least():
                self._fire_any(enabled)

    def _fire_first(self, entry: Enabled) -> None:
        """Fire the tokens of a place in turn, until something else comes first."""
        _, _, number, timer = entry
        if timer is not None:
            self._expire(timer)
            return
        marking, transition = self._marking[number], self._triggered[number]
        assert transition is not None
        while marking and not (self._ready and self._ready[0] < entry):
            token = next(iter(marking.values()))[0]
            self.take(transition.trigger, token)
            self._fire(transition, token)
            if self._due_later and self._due_later[0][0] <= self.now:
                break
        self._queued.discard(number)
        self._queue(number)

    def _fire_any(self, enabled: Sequence[tuple[Enabled, Token]]) -> None:
        """Fire one of these; the others stay enabled."""
        (_, _, number, timer), token = self._chosen(enabled)
        for entry in {entry: None for entry, _ in enabled}:
            if entry[1:3] != (int(timer is not None), number):
                heappush(self._ready, entry)
        if timer is not None:
            self._expire(timer)
            return
        self._queued.discard(number)
        transition = self._triggered[number]
        assert transition is not None
        self.take(transition.trigger, token)
        self._queue(number)
        self._fire(transition, token)

    def _least(self) -> list[tuple[Enabled, Token]]:
        """Return the enabled entries of least rank, with each token that may trigger them."""
        enabled: list[tuple[Enabled, Token]] = []
        while self._ready and (not enabled or self._ready[0][0] == enabled[0][0][0]):
            entry = heappop(self._ready)
            if entry[3] is not None:
                enabled.append((entry, entry[3][3]))
                continue
            tokens = [token for tokens in self._marking[entry[2]].values() for token in tokens]
            enabled += [(entry, token) for token in tokens]
            if not tokens:
                self._queued.discard(entry[2])
        return enabled

    def _queue(self, number: int) -> None:
        """Record that a place may trigger its transition."""
        transition = self._triggered[number]
        if transition is not None and number not in self._queued and self._marking[number]:
            self._queued.add(number)
            heappush(self._ready, (transition.rank, 0, number, None))

    def collect_garbage(self) -> None:
        """Empty the places of arrivals, remove the tokens of activations that are closed or over, then run the other
        consumers."""
        for present in self._present:
            present.clear()
        for activation in self._idle:  # grows: the one above may be over then
            if activation.over:
                self.close(activation)
        self._idle.clear()
        if self._closed:
            for marking in self._stateful:
                for activation in self._closed if marking else ():
                    marking.pop(activation, None)
            self._closed.clear()
        for _, consumer in self.net.consumers:
            consumer(self)

    def age(self) -> None:
        """Remove the tokens of stateful places that have reached the greatest age."""
        for place in self.net.places:
            for token in self.all_stored(place) if place.red else ():
                if self.now - token.birth >= AGE:
                    self.take(place, token)

    def _expire(self, timer: Timer) -> None:
        _, _, transition, token = timer
        if not token.activation.closed:
            self._fire(transition, token)

    def _fire(self, transition: Transition, token: Token) -> None:
        self._firings += 1
        if self._firings > MAX_FIRINGS:
            raise TooManyFirings
        self.fired[transition.identity] += 1
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
    """At the end of an instant, the tokens of places of arrivals are consumed, and those that no firing can need."""
    run.collect_garbage()
