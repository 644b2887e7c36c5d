"""The number, age and size of the tokens that a run keeps in each place, measured at the end of each instant."""

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
    """The greatest number of tokens that a place kept, the greatest age in ms, and the most items of a token."""

    tokens: int = 0
    age: int = 0
    items: int = 0

    @property
    def size(self) -> int:
        """The greater of the numbers of tokens and of items."""
        return max(self.tokens, self.items)


class Measuring(Run):
    """A run that measures its places, and records which transitions fire."""

    def __init__(
        self,
        net: Net,
        repairs: Repairs,
        times: Mapping[str, tree.TimeEvent],
        types: Mapping[str, Sequence[tree.Attribute]],
        schedule: Schedule | None = None,
    ) -> None:
        super().__init__(net, repairs, times, types, schedule)
        self.measures = {place.number: Measured() for place in net.places if place.red}
        self.transitions: set[int] = set()
        self.clock: Clock | None = None
        self._places = {id(transition): number for number, transition in enumerate(net.transitions)}

    def stored(self, place: Place, activation: Activation) -> list[Token]:
        """Return the tokens as any run does; each token that is examined is a step."""
        tokens = super().stored(place, activation)
        if self.clock is not None:
            for _ in tokens:
                self.clock.tick()
        return tokens

    def collect_garbage(self) -> None:
        """Measure the places once the garbage of an instant is collected."""
        super().collect_garbage()
        for number, measure in self.measures.items():
            tokens = self.all_stored(self.net.places[number])
            measure.tokens = max(measure.tokens, len(tokens))
            for token in tokens:
                measure.age = max(measure.age, self.now - token.birth)
                measure.items = max(measure.items, _items(token))

    def _fire(self, transition: Transition, token: Token) -> None:
        self.transitions.add(self._places[id(transition)])
        if self.clock is not None:
            self.clock.tick()
        super()._fire(transition, token)


def _items(token: Token) -> int:
    """Return the number of items in the lists of a token, or the number of events that it remembers."""
    match token.colour:
        case tuple():
            return sum(len(items) for items in token.colour)
        case frozenset():
            return len(token.colour)
        case _:
            return 0


@dataclass(frozen=True, slots=True)
class Measurement:
    """A run of all partitions: its matches, the transitions that fired, and the most that any partition kept."""

    matches: tuple[Match, ...]
    fired: frozenset[int]
    stored: dict[int, Measured]


def measured(rule: tree.Rule, events: Sequence[Occurrence], clock: Clock | None = None) -> Measurement:
    """Run the machine and measure. Raise Undecided if the clock allows fewer firings and examined tokens."""
    machine = Machine(rule)
    matches: list[Match] = []
    fired: set[int] = set()
    maxima: dict[int, Measured] = {}
    for keys, group in partitions(rule, events):
        run = machine.begun(Measuring)
        run.clock = clock
        matches += machine.reported(run.run(group), keys)
        fired |= run.transitions
        for number, measure in run.measures.items():
            most = maxima.setdefault(number, Measured())
            most.tokens, most.age = max(most.tokens, measure.tokens), max(most.age, measure.age)
            most.items = max(most.items, measure.items)
    return Measurement(tuple(matches), frozenset(fired), maxima)
