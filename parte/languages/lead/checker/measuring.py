"""What a run keeps in each place, measured on the machine at the end of each instant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parte.checker.solver.clock import Clock
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import Net, Place, Run, Schedule, Transition
from parte.languages.lead.semantics.partitioning import partitions
from parte.languages.lead.semantics.repairs import Repairs
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.languages.lead.semantics.tokens import Activation, Token


@dataclass(slots=True)
class Measured:
    """The most tokens that a place kept, the age of the oldest, and the most items that a token had."""

    tokens: int = 0
    age: int = 0
    items: int = 0

    @property
    def size(self) -> int:
        """Tokens and items."""
        return max(self.tokens, self.items)


class Measuring(Run):
    """A run that notes what it keeps, and which transitions fire."""

    def __init__(
        self,
        net: Net,
        repairs: Repairs,
        times: Mapping[str, tree.TimeEvent],
        types: Mapping[str, Sequence[tree.Attribute]],
        schedule: Schedule | None = None,
    ) -> None:
        super().__init__(net, repairs, times, types, schedule)
        self.kept = {place.number: Measured() for place in net.places if place.red}
        self.transitions: set[int] = set()
        self.clock: Clock | None = None
        self._places = {id(each): number for number, each in enumerate(net.transitions)}

    def stored(self, place: Place, activation: Activation) -> list[Token]:
        """As of any run; each token that is looked at is a step."""
        found = super().stored(place, activation)
        if self.clock is not None:
            for _ in found:
                self.clock.tick()
        return found

    def collect_garbage(self) -> None:
        """At the end of an instant there is only what is kept."""
        super().collect_garbage()
        for number, each in self.kept.items():
            tokens = self.all_stored(self.net.places[number])
            each.tokens = max(each.tokens, len(tokens))
            for token in tokens:
                each.age = max(each.age, self.now - token.birth)
                each.items = max(each.items, _items(token))

    def _fire(self, transition: Transition, token: Token) -> None:
        self.transitions.add(self._places[id(transition)])
        if self.clock is not None:
            self.clock.tick()
        super()._fire(transition, token)


def _items(token: Token) -> int:
    """How many items the lists have that are the colour of a token, or how many events it remembers."""
    match token.colour:
        case tuple():
            return sum(len(items) for items in token.colour)
        case frozenset():
            return len(token.colour)
        case _:
            return 0


@dataclass(frozen=True, slots=True)
class Measurement:
    """A run of all partitions: its matches, which transitions fired, and the most that any partition kept."""

    matches: tuple[Match, ...]
    fired: frozenset[int]
    kept: dict[int, Measured]


def measured(rule: tree.Rule, events: Sequence[Occurrence], clock: Clock | None = None) -> Measurement:
    """Run the machine and measure. Undecided if the clock admits fewer firings and tokens that they look at."""
    machine = Machine(rule)
    matches: list[Match] = []
    fired: set[int] = set()
    kept: dict[int, Measured] = {}
    for keys, group in partitions(rule, events):
        run = machine.begun(Measuring)
        run.clock = clock
        matches += machine.reported(run.run(group), keys)
        fired |= run.transitions
        for number, each in run.kept.items():
            most = kept.setdefault(number, Measured())
            most.tokens, most.age = max(most.tokens, each.tokens), max(most.age, each.age)
            most.items = max(most.items, each.items)
    return Measurement(tuple(matches), frozenset(fired), kept)
