"""A machine whose nodes crash and recover: the rules of failures beside PROC and PROP (specification: crash-rules).

The rules of →l, PROC and PROP stay as they are. PARTE/LOG-PROC and PARTE/LOG-PROP are PROC and PROP that write a log in
the same act; what is in memory at a node that is up follows from what is durable.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum
from typing import NamedTuple, TypeVar

from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.failures.durable import (
    Durable,
    LogEntry,
    Memory,
    Received,
    Stepped,
    replay,
    without_delivered,
)
from parte.semantics.partelang.inboxes import SlottedInbox
from parte.semantics.partelang.machine import Action, ActionKind, Machine, Step
from parte.semantics.partelang.network import Network
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.rules.registry import Data, Effect
from parte.semantics.partelang.tokens import Token
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.registry import Rule, Rulebook

FAILURE_RULES: Rulebook[Rule] = Rulebook("PARTE")
"""The rules of failures, which D §5.6.4 asks for and does not state."""

_Function = TypeVar("_Function", bound=Callable[..., object])


def failure_rule(identity: str) -> Callable[[_Function], _Function]:
    """Register a function as a rule of failures."""

    def register(function: _Function) -> _Function:
        name = identity.partition("/")[2].title()
        FAILURE_RULES.add(Rule(identity, name, "5.6.4, stated by us", ("sound",), function))
        return function

    return register


class FaultKind(Enum):
    """The steps of a node that are about its memory."""

    CRASH = "crash"
    RESTORE = "restore"
    CHECKPOINT = "checkpoint"


class Fault(NamedTuple):
    """A step about the memory of a node, by its place in the network."""

    kind: FaultKind
    place: int


class FailingMachine(Machine):
    """A machine whose nodes crash at most `crashes` times (None: any number), each as a host of its own.

    A node may write a checkpoint after every `period` steps (None: never). Histories are plain. Raise ValueError for a
    model whose inboxes have no slots: a log cannot name the tokens that a node takes.
    """

    def __init__(
        self,
        network: Network,
        model: Model = SOUND,
        capacities: Capacities = UNBOUNDED,
        recorder: Callable[[Step], None] | None = None,
        *,
        crashes: int | None = None,
        period: int | None = None,
    ) -> None:
        super().__init__(network, model, capacities, recorder or _ignore)
        if not all(isinstance(state.inbox, SlottedInbox) for state in self.nodes):
            raise ValueError(f"the model {model.name} cannot crash: its inboxes have no slots; use the model sound")
        self.crashes, self.period = crashes, period
        self.up = [True] * len(self.nodes)
        self.sent = [0] * len(self.nodes)
        """The number of the first token of each outbox, which is the number of tokens that left it."""
        self.durable = [Durable(self.empty(index)) for index in range(len(self.nodes))]

    # --- Rules ------------------------------------------------------------------------------------------------------

    @failure_rule("PARTE/CRASH")
    def crash(self, index: int) -> bool:
        """A node goes down, and what is in its memory is lost.

        Premises: the node is up; the rate of crashes allows one more.
        """
        if not self.up[index] or self.crashes == 0:
            return False
        if self.crashes is not None:
            self.crashes -= 1
        self.up[index] = False
        self.remember(index, self.empty(index))
        return True

    @failure_rule("PARTE/RESTORE")
    def restore(self, index: int) -> bool:
        """A node comes up with the replay of its log from its checkpoint, without the tokens that were delivered.

        Premises: the node is down.
        """
        if self.up[index]:
            return False
        self.up[index] = True
        self.remember(index, self.recovered(index))
        return True

    @failure_rule("PARTE/CHECKPOINT")
    def checkpoint(self, index: int) -> bool:
        """A node writes its memory beside the old checkpoint; then this is the checkpoint, and the log is empty.

        Premises: the node is up; it took as many steps since the last checkpoint as there are in a period.
        """
        if not self.up[index] or self.period is None or self.durable[index].steps < self.period:
            return False
        self.durable[index] = Durable(self.memory(index))
        return True

    @failure_rule("PARTE/LOG-PROC")
    def proc(self, index: int, slot: int) -> bool:
        """A node processes a token and reports, as PROC, and logs the step in the same act.

        Premises: the node is up; those of PROC.
        """
        if not self.up[index] or not super().proc(index, slot):
            return False
        self.log(index, Stepped(slot))
        return True

    @failure_rule("PARTE/LOG-PROP")
    def prop(self, index: int) -> bool:
        """The first token of an outbox goes to all successors, as PROP, and each logs it before it leaves the outbox.

        Premises: the node is up; all successors are up; those of PROP.
        """
        successors = self.network.successors[index]
        if not self.up[index] or not all(self.up[successor.node] for successor in successors):
            return False
        if not super().prop(index):
            return False
        for successor in successors:
            self.log(successor.node, Received(successor.slot, self._newest(successor.node, successor.slot)))
        self.sent[index] += 1
        return True

    def arrive(self, index: int) -> bool:
        """The environment's step: a source lets go of an arrival when the entry node has logged it."""
        queue = self.queues[index]
        if not all(self.up[target.node] for target in queue.targets) or not super().arrive(index):
            return False
        for target in queue.targets:
            self.log(target.node, Received(target.slot, self._newest(target.node, target.slot)))
        return True

    # --- Memory and log ---------------------------------------------------------------------------------------------

    def log(self, index: int, entry: LogEntry) -> None:
        """Add an entry to the log of a node."""
        self.durable[index] = self.durable[index].logged(entry)

    def empty(self, index: int) -> Memory:
        """Return the memory of a node before its first token."""
        slots = self.network.slots(index)
        return Memory(self._initial(self.nodes[index].node, read=True), ((),) * slots, (), 0, (0,) * slots)

    def memory(self, index: int) -> Memory:
        """Return the memory of a node."""
        state, durable = self.nodes[index], self.durable[index]
        inbox = tuple(map(tuple, self.slotted(index).queues))
        received = tuple(map(durable.received, range(len(inbox))))
        return Memory(state.data, inbox, tuple(state.outbox), self.sent[index], received)

    def recovered(self, index: int) -> Memory:
        """Return the memory with which a node comes up (specification: node-replay)."""
        return without_delivered(replay(self.durable[index], self.effect(index)), self.delivered(index))

    def delivered(self, index: int) -> int:
        """Return the number of tokens of a node that all of its successors have received; all, if it has none."""
        successors = self.network.successors[index]
        return min((self.durable[successor.node].received(successor.slot) for successor in successors), default=2**63)

    def effect(self, index: int) -> Callable[[Data, int, Token], Effect]:
        """Return the rules of →l at a node as a function of its data, a slot and a token."""
        state = self.nodes[index]

        def apply(data: Data, slot: int, token: Token) -> Effect:
            for info in state.table[slot, token.payload is not None]:
                if isinstance(outcome := info.function(state.site, data, token), Effect):
                    return outcome
            raise AssertionError(f"no rule of →l applies at {state.node.name} to {token}")

        return apply

    def remember(self, index: int, memory: Memory) -> None:
        """Set the memory of a node."""
        state, inbox = self.nodes[index], self.slotted(index)
        state.data, state.outbox = memory.data, deque(memory.outbox)
        for queue, tokens in zip(inbox.queues, memory.inbox, strict=True):
            queue.clear()
            queue.extend(tokens)
        self.sent[index] = memory.first

    def slotted(self, index: int) -> SlottedInbox:
        """Return the inbox of a node."""
        inbox = self.nodes[index].inbox
        assert isinstance(inbox, SlottedInbox)
        return inbox

    def _newest(self, index: int, slot: int) -> Token:
        return self.slotted(index).queues[slot][-1]

    # --- Steps ------------------------------------------------------------------------------------------------------

    def take(self, action: Action | Fault) -> bool:
        """Take a step if it is possible, and return whether it was."""
        if isinstance(action, Action):
            return super().take(action)
        steps = {
            FaultKind.CRASH: self.crash,
            FaultKind.RESTORE: self.restore,
            FaultKind.CHECKPOINT: self.checkpoint,
        }
        return steps[action.kind](action.place)

    def acts(self) -> list[Action | Fault]:
        """Return the steps that may be possible, but for crashes: those of the environment, and those of each node."""
        acts: list[Action | Fault] = [*self.candidates_outside()]
        for index in range(len(self.nodes)):
            acts += self.acts_at(index)
        return acts

    def acts_at(self, index: int) -> list[Action | Fault]:
        """Return the steps of a node that may be possible, but for a crash."""
        if not self.up[index]:
            return [Fault(FaultKind.RESTORE, index)]
        acts: list[Action | Fault] = [*self.candidates_at(index)]
        if self.period is not None and self.durable[index].steps >= self.period:
            acts.append(Fault(FaultKind.CHECKPOINT, index))
        return acts

    def touched(self, act: Action | Fault) -> Iterable[int]:
        """Return the nodes whose memory or durable state a step changes."""
        if act.kind is ActionKind.ARRIVE:
            return (target.node for target in self.queues[act.place].targets)
        if act.kind is ActionKind.PROP:
            return (act.place, *(successor.node for successor in self.network.successors[act.place]))
        return (act.place,)

    @property
    def finished(self) -> bool:
        """Return whether no token is left anywhere, and every node is up."""
        return all(self.up) and super().finished


def _ignore(_step: Step) -> None:
    """Record nothing."""
