"""The proved machine beside the Python one on what is finite: every case of the suite, and the states of exploration.

`python -m tests.campaigns.rocq_whole [--states N]` takes each case of the suite step by step, at any room and little
(with sets or windows without a beginning: at rest after each arrival). Then it goes with the explorer through its
catalogue, at the viable sizes and at any room, through N states at most each time. From each state that the explorer
visits every step is tried by both: which of them are possible must be the same, and what all nodes hold after each.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

from parte.conformance.partelang.engines.reading import read_program
from parte.conformance.partelang.engines.rocq.manifest import DECLARED
from parte.conformance.partelang.engines.rocq.replay import Replay
from parte.conformance.runner.judging import prepare
from parte.conformance.suites import load_suite
from parte.languages.partelang import PARTELANG
from parte.proofs.partelang.exploration.catalogue import CATALOGUE, Entry
from parte.proofs.partelang.exploration.reduction import reduced
from parte.proofs.partelang.exploration.search import search
from parte.proofs.partelang.exploration.states import Kept, Space, State
from parte.semantics.events.event import Event
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.machine import Action, ActionKind
from parte.semantics.partelang.network import TerminalNode
from parte.semantics.partelang.syntax.constructs import Construct, undeclared
from tests.campaigns.rocq import Both, Case
from tests.campaigns.rocq_networks import compare_networks, compare_strata
from tests.campaigns.rocq_rest import AtRest
from tests.campaigns.running import Broken

LITTLE = Capacities(NodeCapacities(left=2, right=2, inbox=1, outbox=4))
STATES = 20_000


OTHERWISE = {Construct.EVER, Construct.SETS, Construct.ROUNDED_AGGREGATES}
"""The constructs whose events the proved machine stores otherwise: of programs with them the machines are compared at
rest after each arrival, not step by step."""


def cases(every: int = 1) -> Iterator[Case]:
    """One in so many of the cases of the suite, if it is no rejection and the theorem covers it."""
    for fixture in list(load_suite(PARTELANG).cases.values())[::every]:
        if fixture.expected.rejected is None:
            loaded = read_program(prepare(fixture, PARTELANG).load)
            if not any(undeclared(loaded.program, DECLARED)):
                yield Case(loaded.program, loaded.predicates, loaded.scenario(fixture.trace).arrivals)


def follow_case(case: Case, replay: Replay, counts: Counter[str]) -> None:
    """Take the steps of a case in orders that are drawn. Broken if the two differ."""
    both: Both
    if any(undeclared(case.program, set(Construct) - OTHERWISE)):
        both = AtRest(case, replay)
        both.run(random.Random(len(case.arrivals)), counts)
        counts["cases at rest"] += 1
    else:
        for capacities in (UNBOUNDED, LITTLE):
            both = Both(case, capacities, replay)
            both.run(random.Random(len(case.arrivals)), counts)
        counts["cases"] += 1
    both.compare_meanings()
    compare_networks(case.program, case.domain, replay, counts)
    compare_strata(case.program, random.Random(len(case.arrivals)), replay, counts)


class Following:
    """The explorer on its way through an entry of the catalogue, and the proved machine behind it."""

    def __init__(self, entry: Entry, capacities: Capacities, replay: Replay, counts: Counter[str]) -> None:
        scenario = entry.scenario
        self.counts, self.entry = counts, entry
        self.both = Both(Case(scenario.program, scenario.predicates, scenario.arrivals), capacities, replay)
        self.space = Space(self.both.network, scenario.arrivals, capacities=capacities)
        self.explored = reduced(self.space)
        self.numbers: dict[State, int] = {self.space.initial: 0}
        self.texts: dict[int, str] = {}

    def run(self, limit: int) -> None:
        """Through so many states at most. Broken if the two differ."""
        search_result = search(self.space, self.expand, limit)
        self.counts["states"] += search_result.states
        self.counts["final states"] += search_result.finals
        self.counts["searches that were cut short"] += search_result.truncated

    def expand(self, state: State) -> list[tuple[Action, State]]:
        """The steps that the explorer takes from a state; all steps are compared on the way."""
        steps, possible = self.explored(state), dict(self.space.steps(state))
        taken = {after for _, after in steps}
        for action in self.conceivable():
            after = possible.get(action)
            # Only what the explorer goes on from is to be kept.
            number = self.numbers.setdefault(after, len(self.numbers)) if after in taken else -1
            said = self.both.answer_to("from", self.numbers[state], number, *self.both.words(action))
            ours = "0" if after is None else f"1 {self.whole(after)}"
            if said != ours:
                raise Broken("a step differs", f"{self.entry.name}: {action}\nPython {ours}\nRocq   {said}")
            self.counts["steps that are not possible" if after is None else "steps"] += 1
        return steps

    def conceivable(self) -> Iterator[Action]:
        """Every step that there could be."""
        yield from (Action(ActionKind.ARRIVE, queue) for queue in range(len(self.both.machine.queues)))
        for index in range(self.space.size):
            yield from (Action(ActionKind.PROC, index, slot) for slot in range(self.both.network.slots(index)))
            yield Action(ActionKind.PROP, index)

    def whole(self, state: State) -> str:
        """What all nodes hold."""
        return "/".join(self.held(local) for local in state[: self.space.size])

    def held(self, local: int) -> str:
        """What a node holds."""
        if local not in self.texts:
            self.texts[local] = self._held(self.space.kept_of(local))
        return self.texts[local]

    def _held(self, local: Kept) -> str:
        both = self.both
        known: dict[str, Event] = {event.id: event for event in both.numbers.events}
        slots = range(both.network.slots(local.node))
        inbox = "&".join(both.tokens(token for slot, token in local.inbox if slot == place) for place in slots)
        terminal = isinstance(both.network.nodes[local.node], TerminalNode)
        matches = (",".join(str(both.numbers.number(known[name])) for name in seen) for seen in local.seen if terminal)
        return f"{both.state_text(local.data, local.outbox)}|{inbox}|{';'.join(sorted(matches))}"


def main() -> None:
    """All of it; the first difference ends it."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.rocq_whole")
    parser.add_argument("--states", type=int, default=STATES, help="of each search")
    options = parser.parse_args()
    with closing(Replay()) as replay:
        counts: Counter[str] = Counter()
        for case in cases():
            follow_case(case, replay, counts)
        print(f"suite: {dict(counts)}", flush=True)
        counts = Counter()
        for entry in CATALOGUE:
            for capacities in (entry.capacities, UNBOUNDED):
                Following(entry, capacities, replay, counts).run(options.states)
            print(f"exploration, up to {entry.name}: {dict(counts)}", flush=True)


if __name__ == "__main__":
    main()
