"""Prioritised coloured Petri nets with ages, and how they run (specification: lead-nets, lead-step; L §5).

A transition is triggered by a token of one place. Which fires is decided by rank: the least first, and of equal ranks
any. The guard of a timed transition is due at an instant, before the arrivals of that instant or among the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import TypeVar

from parte.semantics.lead.repairs import Repairs
from parte.semantics.lead.rulebook import rule
from parte.semantics.lead.syntax import tree
from parte.semantics.lead.syntax.matches import Occurrence
from parte.semantics.lead.tokens import Activation, Positions, Token

T = TypeVar("T")

MAX_FIRINGS = 1_000_000
"""A run that fires more often is an error: nothing bounds what a rule may match."""
AGE = 1_000
"""How old a token of a stateful place may become without the repair `keep`, in milliseconds; L says no age."""


class TooManyFirings(RuntimeError):
    """A run would take too long."""

    def __init__(self) -> None:
        super().__init__(f"more than {MAX_FIRINGS} transitions fired; look for fewer matches, or run a shorter trace")


@dataclass(slots=True, eq=False)
class Place:
    """A place: blue and stateless, or red and stateful."""

    name: str
    red: bool
    number: int


class Phase(Enum):
    """When a transition may fire in an instant."""

    READY = "ready"
    DUE_FIRST = "due, before arrivals"
    DUE_LATER = "due, among the others"


@dataclass(slots=True, eq=False)
class Transition:
    """A transition: the rule that says what it does, its rank, the place that triggers it, what else it takes from and
    what it puts tokens into."""

    identity: str
    rank: int
    trigger: Place
    action: Callable[[Run, Token], None]
    phase: Phase = Phase.READY
    takes: tuple[Place, ...] = ()
    puts: tuple[Place, ...] = ()
    label: str = ""


@dataclass(slots=True)
class Net:
    """A net: places, transitions, the place of arrivals of each stream, where the root is enabled and where it
    matches."""

    places: list[Place] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    arrivals: list[tuple[str, Place]] = field(default_factory=list)
    present: list[Place] = field(default_factory=list)
    root: Place | None = None
    sink: Place | None = None

    def place(self, name: str, *, red: bool = False) -> Place:
        """A new place."""
        made = Place(f"{name} {len(self.places)}", red, len(self.places))
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
        takes: Iterable[Place] = (),
        puts: Iterable[Place] = (),
        label: str = "",
    ) -> Transition:
        """A new transition."""
        made = Transition(f"LEAD/{identity}", rank, trigger, action, phase, tuple(takes), tuple(puts), label)
        self.transitions.append(made)
        return made


Timer = tuple[int, Transition, Token]


class Run:
    """A net that runs on the events of one partition. With a `schedule`, it chooses among equal ranks."""

    def __init__(
        self,
        net: Net,
        repairs: Repairs,
        times: Mapping[str, tree.TimeEvent],
        types: Mapping[str, Sequence[tree.Attribute]],
        schedule: Random | None = None,
    ) -> None:
        self.net = net
        self.repairs = repairs
        self.times = times
        self.types = types
        self.now = 0
        self.results: list[Token] = []
        self.fired: dict[str, int] = {}
        self._schedule = schedule
        self._marking: list[dict[Activation | None, list[Token]]] = [{} for _ in net.places]
        self._triggered = {each.trigger.number: each for each in net.transitions if each.phase is Phase.READY}
        self._ready: set[int] = set()
        self._timers: list[Timer] = []
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
            if place.number in self._triggered:
                self._ready.add(place.number)

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
        self._timers.append((instant, transition, token))

    # --- Steps -------------------------------------------------------------------------------------------------------

    def run(self, events: Sequence[Occurrence]) -> list[Token]:
        """Run from the first event until no guard is due."""
        assert self.net.root is not None
        assert self.net.sink is not None
        left = list(events)
        self.now = left[0].time
        root = self.activation(None, self.now, {}, frozenset())
        self.put(self.net.root, Token(root, None))
        while True:
            here = [each for each in left if each.time == self.now]
            left = left[len(here) :]
            step(self, here)
            self.results += self.emptied(self.net.sink)
            self._timers = [each for each in self._timers if each[2].activation.alive]
            instants = [each[0] for each in self._timers] + [each.time for each in left[:1]]
            if not instants:
                return self.results
            self.now = max(self.now, min(instants))

    def guards(self) -> None:
        """Fire the guards that are due and do not wait for arrivals, in any order."""
        while True:
            ready = [each for each in self._timers if each[0] <= self.now and each[1].phase is Phase.DUE_FIRST]
            if not ready:
                return
            self._expire(self._chosen(ready))

    def arrive(self, event: Occurrence) -> None:
        """Put an event into the places of its stream."""
        root = self.activation(None, self.now, {}, frozenset())
        for stream, place in self.net.arrivals:
            if stream == event.event.template:
                self.put(place, Token(root, event))

    def settle(self) -> None:
        """Fire transitions until none is enabled."""
        while True:
            self._ready = {number for number in self._ready if self._marking[number]}
            enabled: list[tuple[int, Transition | None, Timer | None]] = [
                (self._triggered[number].rank, self._triggered[number], None) for number in sorted(self._ready)
            ]
            later = [each for each in self._timers if each[0] <= self.now and each[1].phase is Phase.DUE_LATER]
            enabled += [(each[1].rank, None, each) for each in later]
            if not enabled:
                return
            least = min(rank for rank, _, _ in enabled)
            _, transition, timer = self._chosen([each for each in enabled if each[0] == least])
            if timer is not None:
                self._expire(timer)
            elif transition is not None:
                token = self._chosen(self.all_stored(transition.trigger))
                self.take(transition.trigger, token)
                self._fire(transition, token)

    def collect_garbage(self) -> None:
        """Empty what holds the arrivals of the instant, and take what is disabled."""
        for place in self.net.present:
            self._marking[place.number].clear()
        for marking in self._marking:
            for activation in [each for each in marking if each is not None and not each.alive]:
                del marking[activation]

    def age(self) -> None:
        """Take the tokens of stateful places that have come of age."""
        for place in self.net.places:
            for token in self.all_stored(place) if place.red else ():
                if self.now - token.birth >= AGE:
                    self.take(place, token)

    def _expire(self, timer: Timer) -> None:
        self._timers.remove(timer)
        _, transition, token = timer
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
