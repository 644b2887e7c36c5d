"""The machine: a network in execution, and the rules of the global evaluation language (D §5.2.5, §5.4.7).

A machine makes no choices. Its three steps, `arrive`, `proc` and `prop`, return whether they were possible; a schedule
chooses among them. The machine has all state of an execution.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import parte.semantics.partelang.rules  # noqa: F401 - registers the local rules
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Arrival
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import EmissionFailure
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.compilation import NOBODY
from parte.semantics.partelang.expiring import staged_histories
from parte.semantics.partelang.histories import Entry, History, IndexedHistory, PlainHistory
from parte.semantics.partelang.inboxes import Inbox, QueueInbox, SlottedInbox
from parte.semantics.partelang.network import (
    AlphaNode,
    EntryNode,
    Network,
    Node,
    Once,
    ProductionNode,
    Side,
    Successor,
    TerminalNode,
    TwoInputNode,
    slot_name,
    suppresses,
)
from parte.semantics.partelang.pasts import right_history
from parte.semantics.partelang.repairs import SOUND, Family, Repairs, family_of
from parte.semantics.partelang.rules.registry import (
    Conclusion,
    Data,
    Effect,
    EntryData,
    Kind,
    LocalRule,
    Site,
    TwoInputData,
    Waiting,
    global_rule,
    kind_of,
    rules_for,
)
from parte.semantics.partelang.staged import Staged, staged_nodes
from parte.semantics.partelang.state import ExternalQueue, NodeState, Table
from parte.semantics.partelang.suppression import OnceData, Undecided
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch, Token
from parte.semantics.partelang.unbounded import Unbounded
from parte.semantics.rulebook.models import Model
from parte.semantics.rulebook.stepping import every_step_asked

OUTBOX_FULL = Waiting("room in its outbox")


class ActionKind(Enum):
    """The steps of a machine; `ARRIVE` is the environment's, the others are the rules of D's →g."""

    ARRIVE = "arrive"
    PROC = "proc"
    PROP = "prop"


class Action(NamedTuple):
    """A step that may be possible. `place` is a queue for `ARRIVE`, else a node; only `PROC` uses `slot`."""

    kind: ActionKind
    place: int
    slot: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """A step of PROC: the rule that fired, its node and token, and the changes."""

    number: int
    rule: str
    node: str
    slot: str
    token: Token
    produced: tuple[Token, ...]
    left_stored: tuple[Entry, ...] = ()
    left_removed: tuple[Entry, ...] = ()
    right_stored: tuple[Entry, ...] = ()
    right_removed: tuple[Entry, ...] = ()


class Machine:
    """A network in execution under a model.

    `recorder` gets each step of PROC. If all repairs are on, nothing is bounded, nothing is recorded and `every_step`
    is not active, histories are indexed and the run is an `unbounded` one, which is faster; the results are the same.
    """

    def __init__(
        self,
        network: Network,
        model: Model = SOUND,
        capacities: Capacities = UNBOUNDED,
        recorder: Callable[[Step], None] | None = None,
        *,
        staging: bool = False,
    ) -> None:
        if network.family is not family_of(model):
            raise ValueError(f"a network of D §{network.family.value} cannot run the model {model.name}")
        self.network = network
        self.model = model
        self.family, self.repairs = family_of(model), Repairs.of(model)
        self.matches: list[Match] = []
        self.failures: list[EmissionFailure] = []
        self._suppressing = _suppressing(network)
        self.undecided = Undecided(self._suppressing)
        self.steps = 0
        self._recorder = recorder
        # Without a repair the result may depend on the order of results, which indexed histories change.
        repaired = model.repairs == SOUND.repairs
        self._plain = recorder is not None or every_step_asked() or not capacities.unbounded or not repaired
        self._staged = staged_nodes(network) if staging and not self._plain else frozenset[Node]()
        limited = self._limited(capacities)
        self._tables: dict[tuple[Kind, int], Table] = {}
        self.nodes = [self._node_state(index, capacities, limited[index]) for index in range(len(network.nodes))]
        self.queues: list[ExternalQueue] = []
        self._queue_of: dict[tuple[str, str], int] = {}
        self._open_queues()
        self.unbounded = self._quick()

    def _quick(self) -> Unbounded | None:
        """Return the unbounded run, if there may be one."""
        if self._plain:
            return None
        if self._staged:
            return Staged(self.network, self.nodes, self._reacted, staged=self._staged)
        return Unbounded(self.network, self.nodes, self._reacted)

    # --- Construction -----------------------------------------------------------------------------------------------

    def _limited(self, capacities: Capacities) -> list[bool]:
        """Return, for each node, whether tokens reach a two-input node with a limited history or outbox."""
        limited = [False] * len(self.network.nodes)
        if capacities.unbounded:
            return limited
        for index in reversed(range(len(limited))):
            node = self.network.nodes[index]
            sizes = capacities.of(node.name)
            full = isinstance(node, TwoInputNode) and {sizes.left, sizes.right, sizes.outbox} != {None}
            limited[index] = full or any(limited[edge.node] for edge in self.network.successors[index])
        return limited

    def _node_state(self, index: int, capacities: Capacities, limited: bool) -> NodeState:
        node = self.network.nodes[index]
        sizes = capacities.of(node.name)
        repairs = self.repairs
        inbox: Inbox
        slotted = repairs.merge_by_promise if isinstance(node, EntryNode) else repairs.slot_per_side
        if slotted:
            inbox = SlottedInbox(self.network.slots(index), sizes.inbox)
        else:
            inbox = QueueInbox(sizes.inbox, one_per_side=self.family is Family.FEATHERWEIGHT)
        read = self._plain or any(self.network.informs[edge.node] for edge in self.network.successors[index])
        width = len(node.left) + (not node.negated) if isinstance(node, TwoInputNode) else 1
        unread = (NEGATIVE_INFINITY,) * width
        site = Site(node, repairs, sizes.left, sizes.right, read, limited, unread)
        table = self._table(kind_of(node), self.network.slots(index))
        return NodeState(site, inbox, sizes.outbox, self._initial(node, read), table)

    def _table(self, kind: Kind, slots: int) -> Table:
        """Return the rules by slot and payload, the same table for all nodes of a kind with so many slots."""
        if (table := self._tables.get((kind, slots))) is None:
            sides = {0: Side.LEFT, 1: Side.RIGHT} if kind in (Kind.JOIN, Kind.NOT, Kind.SET) else {}
            rules = {
                (side, payload): rules_for(self.family, kind, side, payload)
                for side in {*sides.values(), *(() if sides else (Side.TOP,))}
                for payload in (True, False)
            }
            table = self._tables[kind, slots] = {
                (slot, payload): rules[sides.get(slot, Side.TOP), payload]
                for slot in range(slots)
                for payload in (True, False)
            }
        return table

    def _initial(self, node: Node, read: bool) -> Data:
        """Return the data of a node before its first token. Every bound is -∞ (D §5.5.1)."""
        match node:
            case EntryNode():
                return EntryData((NEGATIVE_INFINITY,) * len(node.sources))
            case TwoInputNode():
                width = len(node.left) if read or node.collects else 1
                left: History = PlainHistory() if self._plain else IndexedHistory(width)
                right = right_history(node.past, self._plain)
                if node in self._staged:
                    left, right = staged_histories(node, read=read)
                return TwoInputData((NEGATIVE_INFINITY,) * len(node.left), NEGATIVE_INFINITY, left, right)
            case ProductionNode(once=Once()):
                return OnceData()
            case _:
                return None

    def _open_queues(self) -> None:
        """Make the queues in which events wait for the network to take them.

        D has one for each entry node, in order of arrival; repaired (merge-by-promise) there is one for each of its
        sources. The rudimentary model has one for all, which leads to every alpha node.
        """
        if self.family is Family.RUDIMENTARY:
            alphas = tuple(
                Successor(index, Side.TOP, 0)
                for index, node in enumerate(self.network.nodes)
                if isinstance(node, AlphaNode)
            )
            self.queues.append(ExternalQueue("events", deque(), alphas, 0))
            return
        for index, node in enumerate(self.network.nodes):
            if not isinstance(node, EntryNode):
                continue
            for slot in node.external:
                source = node.sources[slot]
                if self.repairs.merge_by_promise or slot == node.external[0]:
                    target = (Successor(index, Side.TOP, slot),)
                    self.queues.append(ExternalQueue(f"{node.template} from {source}", deque(), target, slot))
                self._queue_of[source, node.template] = len(self.queues) - 1
                if source == NOBODY:
                    self.queues[-1].arrivals.append(Arrival(NOBODY, node.template, POSITIVE_INFINITY, None))

    @property
    def steps_taken(self) -> int:
        """Number of steps of PROC: those of `proc`, and those that an unbounded run took at once."""
        return self.steps + (0 if self.unbounded is None else self.unbounded.steps)

    def reset(self) -> None:
        """Reset the machine to its initial state. Raise ValueError while a token is left anywhere."""
        if not self.finished:
            raise ValueError("a machine in which tokens wait cannot be reset: let it finish first")
        self.matches, self.failures, self.steps = [], [], 0
        self.undecided = Undecided(self._suppressing)
        for state in self.nodes:
            state.data = self._initial(state.node, state.site.informs)
        if self.unbounded is not None:
            self.unbounded.reset()
        for name, index in self._queue_of.items():
            if name[0] == NOBODY:
                self.queues[index].arrivals.append(Arrival(*name, POSITIVE_INFINITY, None))

    def release(self) -> None:
        """Drop a quick run, so that its memory is free at once: it and its machine refer to each other."""
        if self.unbounded is not None:
            self.unbounded.release()
            self.unbounded = None

    def feed(self, arrival: Arrival) -> int:
        """Put an arrival into its queue and return the index of that queue.

        Raise KeyError for a source and template for which the network was not compiled.
        """
        if self.family is Family.RUDIMENTARY:
            if arrival.event is not None:
                self.queues[0].arrivals.append(arrival)
            return 0
        index = self._queue_of[arrival.source, arrival.template]
        self.queues[index].arrivals.append(arrival)
        return index

    def queue_of(self, arrival: Arrival) -> ExternalQueue:
        """Return the queue of an arrival's source and template. Raise KeyError like `feed`."""
        return self.queues[self._queue_of[arrival.source, arrival.template]]

    # --- Steps ------------------------------------------------------------------------------------------------------

    def take(self, action: Action) -> bool:
        """Take a step if it is possible, and return whether it was."""
        if action.kind is ActionKind.PROC:
            return self.proc(action.place, action.slot)
        if action.kind is ActionKind.PROP:
            return self.prop(action.place)
        return self.arrive(action.place)

    def candidates(self) -> list[Action]:
        """Return the steps for which there is a token; each may still lack room or have to wait for its turn."""
        actions = self.candidates_outside()
        for index in range(len(self.nodes)):
            actions += self.candidates_at(index)
        return actions

    def candidates_outside(self) -> list[Action]:
        """Return the candidates that are steps of the environment."""
        return [Action(ActionKind.ARRIVE, index) for index, queue in enumerate(self.queues) if queue.arrivals]

    def candidates_at(self, index: int) -> list[Action]:
        """Return the candidates that are steps of a node."""
        state = self.nodes[index]
        actions = [Action(ActionKind.PROC, index, slot) for slot in state.inbox.slots()]
        if state.outbox:
            actions.append(Action(ActionKind.PROP, index))
        return actions

    def arrive(self, index: int) -> bool:
        """The environment's step: the next arrival of a queue enters the network if there is room."""
        queue = self.queues[index]
        if not queue.arrivals or not self._room_at(queue.targets):
            return False
        arrival = queue.arrivals.popleft()
        slot = queue.source_slot
        if not self.repairs.merge_by_promise and self.family is Family.FEATHERWEIGHT:
            entry = self.network.nodes[queue.targets[0].node]
            assert isinstance(entry, EntryNode)
            slot = entry.sources.index(arrival.source)
        token = AlphaToken(slot, arrival.bound, arrival.event)
        for successor in queue.targets:
            self.nodes[successor.node].inbox.put(Successor(successor.node, successor.side, slot), token)
        return True

    def _room_at(self, successors: Iterable[Successor]) -> bool:
        return all(self.nodes[successor.node].inbox.has_room(successor) for successor in successors)

    @global_rule("PARTE/PROC", "Proc")
    def proc(self, index: int, slot: int) -> bool:
        """A node takes a token from its inbox, a local rule processes it, and the results go to the outbox.

        Premises: the token is at the head of its slot; a rule of →l applies; the outbox has room for its tokens.
        """
        state = self.nodes[index]
        token = state.inbox.peek(slot)
        info, outcome = self._apply(state, slot, token)
        if not isinstance(outcome, Effect):
            return False
        if state.outbox_capacity is not None and not self._fits(state, outcome):
            return False
        before = state.data
        state.inbox.pop(slot)
        state.data = outcome.data
        state.outbox.extend(outcome.tokens)
        self.steps += 1
        node = state.site.node
        self._reacted(node, token, outcome)
        if self._recorder is not None:
            self._recorder(_step(self.steps, info, node, slot, token, outcome, before))
        return True

    def _apply(self, state: NodeState, slot: int, token: Token) -> tuple[LocalRule, Conclusion]:
        """Return the local rule whose premises hold, and its outcome. Exactly one rule applies to every token."""
        for info in state.table[slot, token.payload is not None]:
            outcome = info.function(state.site, state.data, token)
            if outcome is not None:
                return info, outcome
        raise AssertionError(f"no rule of →l applies at {state.site.node.name} to {token}")

    @staticmethod
    def _fits(state: NodeState, effect: Effect) -> bool:
        return len(state.outbox) + len(effect.tokens) <= (state.outbox_capacity or 0)

    @global_rule("PARTE/PROP", "Prop")
    def prop(self, index: int) -> bool:
        """The first token of a node's outbox goes to the inboxes of all its successors at once.

        Premises: the outbox is not empty; every successor has room.
        """
        state = self.nodes[index]
        token = state.outbox[0]
        successors = self.network.successors[index]
        if not self._room_at(successors):
            return False
        state.outbox.popleft()
        for successor in successors:
            if isinstance(token, AlphaToken) and isinstance(state.site.node, ProductionNode):
                token = token.over(successor.slot)
            self.nodes[successor.node].inbox.put(successor, token)
        return True

    def _reacted(self, node: Node, token: Token, effect: Effect) -> None:
        """Record the visible effects of a step: matches (D def. 19), emissions without a value and suppressed ones."""
        self.matches.extend(self.undecided.decided(effect.decided))
        if token.payload is None:
            return
        if isinstance(node, TerminalNode):
            self.matches.extend(self.undecided.matched(node.to_match(_partial(token))))
        elif isinstance(node, ProductionNode) and failing(node, token, effect):
            self._failed(node, token)

    def _failed(self, node: ProductionNode, token: Token) -> None:
        terminal = self.nodes[self.network.index(f"terminal:{node.rule}")].site.node
        assert isinstance(terminal, TerminalNode)
        match = terminal.to_match(_partial(token))
        self.failures.append(EmissionFailure(match.rule, node.position, match.bindings))

    # --- Obstacles --------------------------------------------------------------------------------------------------

    def obstacle(self, index: int, slot: int) -> Waiting | None:
        """Return why a node cannot take the token of a slot; None if it can. For plain histories only."""
        state = self.nodes[index]
        _, outcome = self._apply(state, slot, state.inbox.peek(slot))
        if isinstance(outcome, Waiting):
            return outcome
        if isinstance(outcome, Effect) and state.outbox_capacity is not None and not self._fits(state, outcome):
            return OUTBOX_FULL
        return None

    def results_of(self, index: int, slot: int) -> int:
        """Return the number of tokens that the next step of a node on a slot would produce; 0 without such a step."""
        state = self.nodes[index]
        _, outcome = self._apply(state, slot, state.inbox.peek(slot))
        return len(outcome.tokens) if isinstance(outcome, Effect) else 0

    @property
    def finished(self) -> bool:
        """Return whether no token is left anywhere."""
        if self.unbounded is not None and self.unbounded.amid:
            return False
        return not any(queue.arrivals for queue in self.queues) and not any(
            len(state.inbox) or state.outbox for state in self.nodes
        )


def _suppressing(network: Network) -> dict[str, tuple[int, ...]]:
    """Return the positions of the emissions with `once`, by rule."""
    positions: dict[str, tuple[int, ...]] = {}
    for node in network.nodes:
        if isinstance(node, ProductionNode) and suppresses(node):
            positions[node.rule] = (*positions.get(node.rule, ()), node.position)
    return positions


def failing(node: ProductionNode, token: Token, effect: Effect) -> bool:
    """Return whether an emission has no value for the match of a token."""
    if node.once is not None:
        return node.generate_event(_partial(token)) is None
    return all(produced.payload is None for produced in effect.tokens)


def _partial(token: Token) -> PartialMatch:
    assert isinstance(token, BetaToken)
    assert token.payload is not None
    return token.payload


def _step(number: int, info: LocalRule, node: Node, slot: int, token: Token, effect: Effect, before: Data) -> Step:
    after = effect.data
    name = slot_name(node, slot)
    if not isinstance(before, TwoInputData) or not isinstance(after, TwoInputData):
        return Step(number, info.id, node.name, name, token, effect.tokens)
    return Step(
        number,
        info.id,
        node.name,
        name,
        token,
        effect.tokens,
        _missing(after.left, before.left),
        _missing(before.left, after.left),
        _missing(after.right, before.right),
        _missing(before.right, after.right),
    )


def _missing(present: History, absent: History) -> tuple[Entry, ...]:
    there = {id(entry) for entry in absent}
    return tuple(entry for entry in present if id(entry) not in there)
