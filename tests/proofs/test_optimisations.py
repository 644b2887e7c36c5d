"""The optimisations of implementations, as variants, and what goes wrong in broken versions of them (D §5.6.5)."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from types import FunctionType

import pytest

import parte
from parte.experiments.catalogue import BY_NAME
from parte.experiments.experiment import Scale
from parte.experiments.running import run_experiment
from parte.proofs.mutation import swapped
from parte.proofs.partelang.exploration.explore import explore
from parte.proofs.partelang.optimisations import (
    COALESCE,
    SHARE,
    Combined,
    Take,
    fuse,
    gives_way,
    prop_batch,
    shared_network_of,
)
from parte.proofs.variants import Variant, applied
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.events.trace import read_trace
from parte.semantics.partelang import sharing
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.execution import execute, network_of
from parte.semantics.partelang.machine import ActionKind, Machine
from parte.semantics.partelang.network import AlphaNode, Node, TwoInputNode
from parte.semantics.partelang.schedules import SeededRandom
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.tokens import BetaToken, Token

TEMPLATES = "template A {} template B {} template C {}\n"
PAIR = "rule R where a : A, b : B, when b in a [0 ms, 10 ms],"
NEGATION = "rule R where a : A, no b : B, when no b in a [0 ms, 2 ms],"
TWICE = "rule R where a : A, b : A, when b in a [0 ms, 1 ms],"
PREFIX = (
    "rule R where a : A, b : B, c : C, when b in a [0 ms, 2 ms], c in a [0 ms, 2 ms],\n"
    "rule S where a : A, b : B, no c : C, when b in a [0 ms, 2 ms], no c in b [0 ms, 2 ms],"
)
ONE_PLACE = Capacities(NodeCapacities(inbox=1, outbox=2))


def scenario(rules: str, *events: str) -> Scenario[core.Program]:
    """A program, and a trace of events `B@1`."""
    program = parte.parse(TEMPLATES + rules)
    pairs = [event.split("@") for event in events]
    lines = [f'{{"id":"{t}{n}","template":"{t}","timestamp":{time}}}' for n, (t, time) in enumerate(pairs)]
    return Scenario.of(program, read_trace(lines))


def outcome_of_run(
    case: Scenario[core.Program], variant: Variant | None, capacities: Capacities = UNBOUNDED
) -> Outcome:
    """The outcome of a run by round-robin."""
    with applied(variant) if variant else nullcontext():
        return execute(case, capacities=capacities)


SMALL = {
    "pair": scenario(PAIR, "A@0", "B@10", "B@10"),
    "negation": scenario(NEGATION, "B@1", "A@0", "A@2"),
    "self-join": scenario(TWICE, "A@0"),
    "prefix": scenario(PREFIX, "A@0", "B@1", "C@2"),
    "strata": scenario(
        "rule Q where b : B, then emit C at b.timestamp with {}\n" + PAIR.replace("B", "C"), "A@0", "B@1"
    ),
}


@pytest.mark.parametrize("variant", [SHARE, COALESCE], ids=lambda variant: variant.name)
@pytest.mark.parametrize("name", SMALL)
def test_every_schedule_finds_the_same(variant: Variant, name: str) -> None:
    with applied(variant):
        exploration = explore(SMALL[name], max_states=30_000, box_occupancy=False)
    assert exploration.truncated is (variant is COALESCE and name == "prefix")  # then 1,000 schedules are drawn
    assert exploration.agrees
    assert exploration.confluent


def test_equal_nodes_are_one() -> None:
    case = SMALL["prefix"]
    with applied(SHARE):
        fewer = len(network_of(case).nodes)
    assert fewer == len(network_of(case).nodes) - 3  # the alpha nodes of A and B of the second rule, and a join-node


def test_a_token_without_a_payload_gives_way() -> None:
    case = scenario(NEGATION, "B@0", *(f"A@{n}" for n in range(5)))
    with applied(COALESCE):
        fewer, _ = _late(case, Machine.take)
    assert fewer < _late(case, Machine.take)[0]


def test_an_outbox_holds_no_more_than_its_capacity() -> None:
    """Also at an entry node, where a token does not give way to that of another source."""
    lines = [
        f'{{"id":"{source}{time}","template":"B","timestamp":{time},"source":"{source}"}}'
        for time in range(6)
        for source in "st"
    ]
    case = Scenario.of(parte.parse(TEMPLATES + PAIR), read_trace(lines))
    with applied(COALESCE):
        machine = Machine(network_of(case), capacities=ONE_PLACE, recorder=lambda _: None)
        for arrival in case.arrivals:
            machine.feed(arrival)
        draw = random.Random(0)
        while any(map(machine.take, draw.sample(candidates := machine.candidates(), len(candidates)))):
            assert all(len(state.outbox) <= 2 for state in machine.nodes)
    assert machine.finished


@pytest.mark.parametrize("take", [prop_batch, fuse], ids=["prop-batch", "fuse"])
def test_a_schedule_chooses_less(take: Take) -> None:
    case = scenario(PAIR, "A@0", "A@0", "A@0", "B@1")
    (tokens, choices), (plain_tokens, plain_choices) = _late(case, take), _late(case, Machine.take)
    assert tokens == plain_tokens
    assert choices < plain_choices


def _late(case: Scenario[core.Program], take: Take) -> tuple[int, int]:
    """The tokens that nodes process, and the steps that a schedule chooses, if PROP is taken only where nothing else
    is possible."""
    machine = Machine(network_of(case), recorder=lambda _: None)
    for arrival in case.arrivals:
        machine.feed(arrival)
    choices = 0
    while any(
        take(machine, action)
        for action in sorted(machine.candidates(), key=lambda action: action.kind is ActionKind.PROP)
    ):
        choices += 1
    assert len(machine.matches) == len(outcome_of_run(case, None).matches)
    return machine.steps, choices


# --- Broken versions --------------------------------------------------------------------------------------------------


def likeness_without_windows(node: Node) -> Hashable | None:
    """Nodes are equal whatever their windows are."""
    if isinstance(node, AlphaNode):
        return node.condition
    return node.negated if isinstance(node, TwoInputNode) else None


@pytest.mark.parametrize(
    ("first", "second", "lost", "spurious"),
    [
        ("b in a [0 ms, 1 ms]", "b in a [0 ms, 5 ms]", {"S"}, set()),
        ("b in a [0 ms, 5 ms]", "b in a [0 ms, 1 ms]", set(), {"S"}),
    ],
)
def test_sharing_in_spite_of_windows(first: str, second: str, lost: set[str], spurious: set[str]) -> None:
    naive = Variant("", "", {network_of: shared_network_of, sharing._likeness: likeness_without_windows})
    case = scenario(
        f"rule R where a : A, b : B, when {first},\nrule S where a : A, b : B, when {second},", "A@0", "B@3"
    )
    right, wrong = ({match.rule for match in outcome_of_run(case, variant).matches} for variant in (None, naive))
    assert (right - wrong, wrong - right) == (lost, spurious)


prop_one: Callable[[Machine, int], bool] = FunctionType(Machine.prop.__code__, Machine.prop.__globals__, "prop_one")
"""A step of PROP as the rule says: a copy, because the versions below replace the code of `Machine.prop` itself."""


def prop_all_or_nothing(self: Machine, index: int) -> bool:
    """The tokens of an outbox go together, when there is room for all."""
    state, free = self.nodes[index], 1
    if len(state.outbox) > free:
        return False
    return prop_one(self, index)


def test_a_batch_as_one_token_blocks() -> None:
    """Two results wait for two places where there is one."""
    case = scenario(PAIR, "A@0", "A@0", "B@1")
    assert outcome_of_run(case, None, ONE_PLACE).blocked is None
    assert outcome_of_run(case, Variant("", "", {Machine.prop: prop_all_or_nothing}), ONE_PLACE).blocked is not None


def prop_with_one_bound(self: Machine, index: int) -> bool:
    """The tokens of an outbox go with the bounds of the last of them."""
    outbox = self.nodes[index].outbox
    for place, token in enumerate(outbox):
        last = outbox[-1]
        if isinstance(token, BetaToken) and isinstance(last, BetaToken):
            outbox[place] = BetaToken(last.bounds, token.payload)
    return prop_one(self, index)


def test_one_bound_for_a_batch_loses_matches() -> None:
    """The last token is followed by nothing; what the tokens before it lead to expires too early (defect 7)."""
    rules = "rule R where a : A, b : B, c : C, when b in a [0 ms, 2 ms], c in a [0 ms, 2 ms],"
    case = scenario(rules, "B@3", "C@4", "A@2", "A@2")
    right = execute(case, schedule=Combined(1, prop_batch)).matches
    assert right == outcome_of_run(case, None).matches
    assert len(right) == 2
    with applied(Variant("", "", {Machine.prop: prop_with_one_bound})):
        wrong = execute(case, schedule=SeededRandom(1)).matches
    assert set(wrong) < set(right)


def prop_without_bottoms(self: Machine, index: int) -> bool:
    """A token without a payload is dropped, though nothing follows it."""
    state = self.nodes[index]
    if state.outbox[0].payload is None and isinstance(state.site.node, AlphaNode):
        state.outbox.popleft()
        return True
    return prop_one(self, index)


def test_a_bound_that_nothing_carries_delays_a_match_for_ever() -> None:
    """Without the bound on the right the negation is never decided (defect 8)."""
    case = scenario(NEGATION, "B@1", "A@0", "A@2")
    assert {match.rule for match in outcome_of_run(case, COALESCE).matches} == {"R"}
    assert not outcome_of_run(case, Variant("", "", {Machine.prop: prop_without_bottoms})).matches


def gives_way_always(last: Token, following: Token) -> bool:
    """The last token gives way whatever it carries."""
    return last is not following


def test_a_result_that_gives_way_is_lost() -> None:
    assert isinstance(gives_way, FunctionType)
    assert isinstance(gives_way_always, FunctionType)
    with applied(COALESCE), swapped(gives_way, gives_way_always):
        exploration = explore(SMALL["pair"], box_occupancy=False)
    assert not exploration.agrees


def test_the_experiment_finds_the_same_and_saves() -> None:
    experiment = BY_NAME["variants"]
    result = run_experiment(experiment, experiment.scales[Scale.SMALL])
    assert "Each finds the same matches as `sound` with the sizes of the checker, and none blocks." in result.markdown
    assert "**" not in result.markdown.partition("## Rerun")[0].replace("**D", "")
