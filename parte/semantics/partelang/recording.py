"""A machine that records every step: the token, the rule that fired, the tokens that it produced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.failures.machine import FailingMachine, Fault, FaultKind
from parte.semantics.partelang.inboxes import SlottedInbox
from parte.semantics.partelang.machine import Action, ActionKind, Machine, Step
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.rules.performed import figures_of
from parte.semantics.partelang.rules.registry import Data
from parte.semantics.partelang.tokens import Token
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.performance import Performance


@dataclass(frozen=True, slots=True)
class Taken:
    """A step that a machine took with a token. ARRIVE puts it into the `slot` of its action at the queue's targets.

    A step of PROC has the effect of its rule, and the data of the node before and after; one of PROP has the evaluated
    premises.
    """

    action: Action
    token: Token
    fired: Step | None = None
    before: Data = None
    after: Data = None
    passing: Performance | None = None


class RecordingMachine(Machine):
    """A machine that passes each step to `keep`. Its histories are plain, and its results the same."""

    def __init__(
        self, network: Network, model: Model, keep: Callable[[Taken], None], capacities: Capacities = UNBOUNDED
    ) -> None:
        super().__init__(network, model, capacities, self._fired)
        self._keep = keep
        self._figures = figures_of(model)
        self._last: Step | None = None

    def _fired(self, step: Step) -> None:
        self._last = step

    def arrive(self, index: int) -> bool:
        if not super().arrive(index):
            return False
        queue = self.queues[index]
        if not queue.targets:
            return True  # without rules the rudimentary network has no nodes
        inbox = self.nodes[queue.targets[0].node].inbox
        if isinstance(inbox, SlottedInbox):
            slot, token = queue.source_slot, inbox.queues[queue.source_slot][-1]
        else:
            slot, token = inbox.waiting()[-1]
        self._keep(Taken(Action(ActionKind.ARRIVE, index, slot), token))
        return True

    def proc(self, index: int, slot: int) -> bool:
        state = self.nodes[index]
        token, before = state.inbox.peek(slot), state.data
        if not super().proc(index, slot):
            return False
        self._keep(Taken(Action(ActionKind.PROC, index, slot), token, self._last, before, state.data))
        return True

    def prop(self, index: int) -> bool:
        token, passing = self.nodes[index].outbox[0], self._figures.passing(self, index)
        if not super().prop(index):
            return False
        self._keep(Taken(Action(ActionKind.PROP, index), token, passing=passing))
        return True


class RecordingFailures(RecordingMachine, FailingMachine):
    """The same for a machine whose nodes crash; `fault` gets each crash, restoration and checkpoint."""

    def __init__(
        self,
        network: Network,
        model: Model,
        keep: Callable[[Taken], None],
        capacities: Capacities = UNBOUNDED,
        *,
        fault: Callable[[Fault], None],
        period: int | None,
    ) -> None:
        super().__init__(network, model, keep, capacities)
        self.period, self._fault = period, fault

    def crash(self, index: int) -> bool:
        return self._kept(super().crash(index), FaultKind.CRASH, index)

    def restore(self, index: int) -> bool:
        return self._kept(super().restore(index), FaultKind.RESTORE, index)

    def checkpoint(self, index: int) -> bool:
        return self._kept(super().checkpoint(index), FaultKind.CHECKPOINT, index)

    def _kept(self, taken: bool, kind: FaultKind, index: int) -> bool:
        if taken:
            self._fault(Fault(kind, index))
        return taken
