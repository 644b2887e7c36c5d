"""The optimisations of implementations that the model leaves out (D §5.6.5). Each finds what `sound` finds, for the
reason that its function states (docs/variants.md).

Two change a network or an outbox, and are variants. The other two only combine steps of the machine: each of their
runs is one of a schedule, and exploring all schedules explores them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import FunctionType

from parte.proofs.variants import Variant
from parte.semantics.events.event import Arrival
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.execution import network_of, sources_of
from parte.semantics.partelang.machine import Action, ActionKind, Machine
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.repairs import SOUND, family_of
from parte.semantics.partelang.rules.registry import Effect
from parte.semantics.partelang.sharing import shared
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, Token
from parte.semantics.rulebook.models import Model

Take = Callable[[Machine, Action], bool]
"""Takes a step that a schedule chooses, and returns whether it was possible."""


@dataclass(frozen=True, slots=True)
class Optimisation:
    """An optimisation: a variant of the machine, or a way to take a chosen step together with others."""

    name: str
    variant: Variant | None = None
    take: Take = Machine.take


# --- Equal nodes are one ----------------------------------------------------------------------------------------------


def shared_network_of(scenario: Scenario[core.Program], model: Model = SOUND, *, reuse: bool = False) -> Network:
    """Equal nodes are one node.

    A node does the same with the same tokens, and equal nodes get the same tokens on each edge. So a run of the shared
    network is a run of the other one in which equal nodes take their tokens at the same time.
    """
    sources = sources_of(scenario.arrivals)
    return shared(compile_program(scenario.program, scenario.predicates, sources, family_of(model), reuse=reuse))


SHARE = Variant(
    "share",
    "alpha nodes, and two-input nodes with equal inputs, windows, conditions and sign, are one node: fewer nodes",
    {network_of: shared_network_of},
)


# --- Tokens go together -----------------------------------------------------------------------------------------------


def prop_batch(machine: Machine, action: Action) -> bool:
    """All tokens of an outbox go to the successors, one after the other, as long as there is room.

    This is PROP several times. The successors take the tokens singly, each with its own bound.
    """
    taken = machine.take(action)
    while taken and action.kind is ActionKind.PROP and machine.nodes[action.place].outbox and machine.take(action):
        pass
    return taken


# --- "No change" gives way --------------------------------------------------------------------------------------------


def gives_way(last: Token, following: Token) -> bool:
    """Return whether a token gives way to the next one: it has no payload, and the bounds of the next one are no lower.

    The bounds of a token hold of all later tokens on its edge, so those of the next one hold, too; and the next one
    comes. Nothing else reads a token without a payload.
    """
    if last.payload is not None:
        return False
    if isinstance(last, AlphaToken):
        return isinstance(following, AlphaToken) and last.source == following.source and last.bound <= following.bound
    if not isinstance(following, BetaToken):
        return False
    return all(low <= high for low, high in zip(last.bounds, following.bounds, strict=True))


proc_plain: Callable[[Machine, int, int], bool] = FunctionType(
    Machine.proc.__code__, Machine.proc.__globals__, "proc_plain"
)
"""A step of PROC as the rule says: a copy, because the variant replaces the code of `Machine.proc` itself."""


def proc_coalescing(self: Machine, index: int, slot: int) -> bool:
    """The last token of an outbox is dropped in a step of PROC whose first token it gives way to."""
    state = self.nodes[index]
    _, outcome = self._apply(state, slot, state.inbox.peek(slot))
    tokens = outcome.tokens if isinstance(outcome, Effect) else ()
    if not state.outbox or not tokens or not gives_way(state.outbox[-1], tokens[0]):
        return proc_plain(self, index, slot)
    last = state.outbox.pop()
    if proc_plain(self, index, slot):
        return True
    state.outbox.append(last)
    return False


COALESCE = Variant(
    "coalesce",
    "the last token of an outbox gives way to the next one if it has no payload: fewer tokens",
    {Machine.proc: proc_coalescing},
    refutes=("refines-PROC-1",),
)


# --- Nodes are fused --------------------------------------------------------------------------------------------------


def fuse(machine: Machine, action: Action) -> bool:
    """A token that comes to a node with one input is processed there in the same step, and its results go on.

    This is PROP, then PROC and PROP at the successor where they are possible. Nodes with several slots stay apart, and
    so do their slots.
    """
    if not machine.take(action):
        return False
    if action.kind is ActionKind.PROP:
        for successor in machine.network.successors[action.place]:
            if machine.network.slots(successor.node) == 1 and machine.proc(successor.node, successor.slot):
                while machine.nodes[successor.node].outbox and fuse(machine, Action(ActionKind.PROP, successor.node)):
                    pass
    return True


# --- All of them ------------------------------------------------------------------------------------------------------

OPTIMISATIONS = (
    Optimisation(SHARE.name, SHARE),
    Optimisation("prop-batch", take=prop_batch),
    Optimisation(COALESCE.name, COALESCE),
    Optimisation("fuse", take=fuse),
)


@dataclass(frozen=True, slots=True)
class Combined:
    """A schedule that draws each step from the possible ones, and takes it as an optimisation does."""

    seed: int
    step: Take

    @property
    def name(self) -> str:
        """The name of the schedule in reports."""
        return f"random, combined {self.seed}"

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        """Feed the arrivals and take steps until none is possible."""
        for arrival in arrivals:
            machine.feed(arrival)
        draw = random.Random(self.seed)
        candidates = machine.candidates()
        while any(self.step(machine, action) for action in draw.sample(candidates, len(candidates))):
            candidates = machine.candidates()
