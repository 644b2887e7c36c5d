"""The arcs of a net say what its transitions do: a run may move tokens over them only, and as many as they carry."""

from __future__ import annotations

from collections import Counter

import pytest

from parte.conformance.fuzz.draw import seeded
from parte.languages.lead.conformance.drawing import Shape
from parte.languages.lead.conformance.generation import drawn_case
from parte.languages.lead.semantics.machine import Machine
from parte.languages.lead.semantics.net import Net, Place, Run, Transition, Weight
from parte.languages.lead.semantics.partitioning import partitions
from parte.languages.lead.semantics.repairs import PUBLISHED, SOUND
from parte.languages.lead.semantics.syntax.readings import USUAL, Readings
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.tokens import Activation, Token
from parte.languages.lead.semantics.translation import NoNet
from parte.semantics.rulebook.models import Model

OTHERS = Readings("events", "open", "conjunction", "open", "before")
MOST = {Weight.ONE: 1, Weight.MAYBE: 1}


class Watched(Run):
    """A run that notes what each firing puts, takes and reads."""

    firing: Transition | None = None
    moved: Counter[tuple[str, int]] | None = None

    def put(self, place: Place, token: Token) -> None:
        self.note("puts", place)
        super().put(place, token)

    def take(self, place: Place, token: Token) -> bool:
        self.note("takes", place)
        return super().take(place, token)

    def take_all(self, place: Place, activation: Activation) -> list[Token]:
        self.note("all", place)
        return super().take_all(place, activation)

    def stored(self, place: Place, activation: Activation) -> list[Token]:
        self.note("reads", place)
        return super().stored(place, activation)

    def note(self, what: str, place: Place) -> None:
        if self.moved is not None:
            self.moved[what, place.number] += 1

    def _fire(self, transition: Transition, token: Token) -> None:
        moved: Counter[tuple[str, int]] = Counter()
        outer = self.firing, self.moved  # a leaf fires within another one
        self.firing, self.moved = transition, moved
        disabled = {token for _, token in self.marking if not token.activation.closed}
        super()._fire(transition, token)
        self.firing, self.moved = None, None
        closed = any(token.activation.closed for token in disabled)
        assert transition.disables or not closed, transition
        for (what, number), count in moved.items():
            assert allowed(transition, what, number, count), (
                transition.identity,
                transition.label,
                what,
                number,
                count,
            )
        self.firing, self.moved = outer


def allowed(transition: Transition, what: str, number: int, count: int) -> bool:
    """Whether the arcs of a transition let it do so."""
    if what == "puts":
        arcs = [arc for arc in transition.puts if arc.place.number == number]
        return sum(MOST.get(arc.weight, count) for arc in arcs) >= count
    arcs = [arc for arc in transition.takes if arc.place.number == number]
    if what == "reads":
        return (
            bool(arcs) or number == transition.trigger.number or number in {arc.place.number for arc in transition.puts}
        )
    return number == transition.trigger.number or any(not arc.reads for arc in arcs)


@pytest.mark.parametrize(
    ("model", "readings"),
    [(SOUND, USUAL), (PUBLISHED, USUAL), (SOUND, OTHERS)],
    ids=["sound", "published", "read otherwise"],
)
def test_a_run_moves_tokens_over_arcs_only(model: Model, readings: Readings) -> None:
    fired: set[str] = set()
    for seed in range(70):
        case = drawn_case(seeded(seed), Shape(depth=3, events=6))
        try:
            machine = Machine(case.program, model, readings=readings)
        except NoNet:
            continue
        for _, group in partitions(case.program, occurrences(case.program, case.items)):
            run = Watched(
                machine.net,
                machine.repairs,
                {time_event.name: time_event for time_event in case.program.times},
                machine.types,
            )
            run.run(group)
            fired |= set(run.fired)
    assert len(fired) >= 12


def test_ranks_rise_along_the_net() -> None:
    """A subnet's transitions rank below those that take from it, but for what enables and what is disabled."""
    for seed in range(50):
        net = Machine(drawn_case(seeded(seed), Shape(depth=3, events=2)).program).net
        for transition in net.transitions:
            for arc in transition.puts:
                for taker in _triggered(net, arc.place):
                    assert taker.rank >= transition.rank or taker.rank == 0 or transition.trigger.red, (
                        transition,
                        taker,
                    )


def _triggered(net: Net, place: Place) -> list[Transition]:
    return [transition for transition in net.transitions if transition.trigger is place]
