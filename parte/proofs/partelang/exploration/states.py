"""The states of a machine as values, and the steps between them (D §5.2.5, §5.4.7).

A state is a tuple of numbers: one for the content of each node, then the number of arrivals read from each external
queue. The content of a node (`Local`: inbox, outbox, data, and the payloads that it has finally consumed) is an
immutable value that is stored once and numbered; so are tokens and data. So equal states are equal tuples, and a step
replaces the numbers of the nodes that it touches. Each rule of →l is applied once to each node, data and token: it is
the registered function, called as the machine calls it.

The entries of a history stay in the order of their arrival, because it decides the order of a step's results.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple, TypeVar

from parte.proofs.partelang.optimisations import COALESCE, gives_way
from parte.proofs.variants import current
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.inboxes import Inbox, QueueInbox
from parte.semantics.partelang.machine import Action, ActionKind, Machine, failing
from parte.semantics.partelang.network import Network, Node, ProductionNode, Side, Successor, TerminalNode, TwoInputNode
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.rules.registry import Data, Effect, TwoInputData
from parte.semantics.partelang.tokens import AlphaToken, Token
from parte.semantics.rulebook.models import Model

State = tuple[int, ...]
"""The number of each node's content, then the number of arrivals that each external queue has let in."""

REFUSED = -1
"""The value instead of the number of a `Local` if there was no room."""


class Occupancy(NamedTuple):
    """The occupancy of a node. `inbox` counts what its capacity limits: the fullest slot, or the one queue."""

    left: int
    right: int
    inbox: int
    outbox: int


Content = tuple[tuple[int, int], ...]
"""The content of an inbox: slots and tokens, in the order of `Inbox.waiting`."""


class Local(NamedTuple):
    """The content of a node. Tokens, data and payloads are numbers.

    `seen` is a sorted multiset of payloads: at a terminal node the matches, at a production node those whose emission
    had no value, and decisions about suppression.
    """

    node: int
    inbox: Content
    outbox: tuple[int, ...]
    data: int
    seen: tuple[int, ...]


class Kept(NamedTuple):
    """The same as values: tokens with their slots in the inbox, tokens of the outbox, data, and the ids of payloads."""

    node: int
    inbox: tuple[tuple[int, Token], ...]
    outbox: tuple[Token, ...]
    data: Data
    seen: tuple[tuple[str, ...], ...]


class Head(NamedTuple):
    """A token that may be taken from an inbox, the inbox's content after that, and whether its slot is full before."""

    slot: int
    token: int
    rest: Content
    full: bool


class Applied(NamedTuple):
    """The effect of a rule: data, tokens, and the payloads that become visible in the run."""

    data: int
    tokens: tuple[int, ...]
    reactions: tuple[int, ...]


class Proc(NamedTuple):
    """A possible step of PROC, the content of the node after it, and whether its slot has no room for more."""

    action: Action
    after: int
    full: bool


class Prop(NamedTuple):
    """A step of PROP for which there is a token. It is possible if all targets have room.

    It has the content of the node after it, the tokens by node and slot to which they go, and whether the outbox has no
    room for more.
    """

    action: Action
    after: int
    targets: tuple[tuple[int, int, int], ...]
    full: bool


class Moves(NamedTuple):
    """The steps that a node can take by itself.

    `settled`: no step elsewhere can add to its possible steps of PROC, nor change their effect, before one of them is
    taken.
    """

    procs: tuple[Proc, ...]
    settled: bool
    prop: Prop | None
    empty: bool


_Value = TypeVar("_Value", bound=Hashable)


class _Numbers(dict[_Value, int]):
    """Values stored once, with their numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.values_in_order: list[_Value] = []

    def number(self, value: _Value) -> int:
        number = self.get(value)
        if number is None:
            number = self[value] = len(self.values_in_order)
            self.values_in_order.append(value)
        return number

    def value(self, number: int) -> _Value:
        return self.values_in_order[number]


class Space:
    """The reachable states of a network for given arrivals, and the steps between them."""

    def __init__(
        self, network: Network, arrivals: Iterable[Arrival], model: Model = SOUND, capacities: Capacities = UNBOUNDED
    ) -> None:
        # This machine never runs; only its parts are used, to build inboxes and to look up rules. The recorder makes
        # it choose immutable histories.
        self.machine = Machine(network, model, capacities, recorder=_ignore)
        for arrival in arrivals:
            self.machine.feed(arrival)
        self.coalescing = current() is COALESCE
        self.network = network
        self.size = len(network.nodes)
        self._tokens: _Numbers[Token] = _Numbers()
        # With the node: entries of histories are compared by their events alone, without the windows of their node.
        self._data: _Numbers[tuple[int, Data]] = _Numbers()
        self._payloads: _Numbers[tuple[str, ...]] = _Numbers()
        self._locals: _Numbers[Local] = _Numbers()
        self._moves: list[Moves | None] = []
        self._accepted: dict[tuple[int, int, int], int] = {}
        self._applied: dict[tuple[int, int, int, int], Applied | None] = {}
        self._heads: dict[tuple[int, Content], tuple[Head, ...]] = {}
        self._filled: dict[tuple[int, Content, int, int], Content | None] = {}
        self._slots = tuple(network.slots(index) for index in range(self.size))
        self._single = tuple(
            slots == 1 or isinstance(node.inbox, QueueInbox)
            for slots, node in zip(self._slots, self.machine.nodes, strict=True)
        )
        self._edges = tuple(
            tuple(Successor(index, _side(node, slot), slot) for slot in range(network.slots(index)))
            for index, node in enumerate(network.nodes)
        )
        self._takes = tuple(
            tuple(Action(ActionKind.PROC, index, slot) for slot in range(slots))
            for index, slots in enumerate(self._slots)
        )
        self._arriving = tuple(self._arrivals_of(index) for index in range(len(self.machine.queues)))
        self._waiting_outside = tuple(len(arrivals) for arrivals in self._arriving)
        start = (
            self._number(Local(i, (), (), self._data.number((i, n.data)), ())) for i, n in enumerate(self.machine.nodes)
        )
        self.initial: State = (*start, *(0 for _ in self._arriving))

    def _arrivals_of(self, index: int) -> tuple[tuple[tuple[int, int, int], ...] | None, ...]:
        """Return, for each arrival of a queue, the nodes, slots and tokens that it puts in; None if that is impossible.

        The machine does it with empty inboxes, so that its code chooses slot and token.
        """
        queue = self.machine.queues[index]
        result: list[tuple[tuple[int, int, int], ...] | None] = []
        while queue.arrivals:
            if not self.machine.arrive(index):
                queue.arrivals.popleft()
                result.append(None)
                continue
            puts: list[tuple[int, int, int]] = []
            for target in queue.targets:
                inbox = self.machine.nodes[target.node].inbox
                puts.extend((target.node, slot, self._tokens.number(token)) for slot, token in inbox.waiting())
                _empty(inbox)
            result.append(tuple(puts))
        return tuple(result)

    # --- Steps of a whole state -------------------------------------------------------------------------------------

    def moves_of(self, local: int) -> Moves:
        """Return the steps that the node with this content can take."""
        return self._moves[local] or self._find_moves(local)

    def after_proc(self, state: State, index: int, proc: Proc) -> State:
        """Return the state after a step of PROC at node `index`."""
        return (*state[:index], proc.after, *state[index + 1 :])

    def after_prop(self, state: State, index: int, prop: Prop) -> State | None:
        """Return the state after a step of PROP at node `index`; None if some successor has no room."""
        return self._put(state, prop.targets, index, prop.after)

    def after_arrival(self, state: State, queue: int) -> State | None:
        """Return the state after the next arrival of a queue; None if there is none or no room."""
        position = self.size + queue
        taken = state[position]
        if taken == self._waiting_outside[queue]:
            return None
        puts = self._arriving[queue][taken]
        return None if puts is None else self._put(state, puts, position, taken + 1)

    def _put(self, state: State, targets: tuple[tuple[int, int, int], ...], position: int, value: int) -> State | None:
        after = list(state)
        for node, slot, token in targets:
            key = (after[node], slot, token)
            accepted = self._accepted.get(key)
            if accepted is None:
                accepted = self._accepted[key] = self._accept(*key)
            if accepted == REFUSED:
                return None
            after[node] = accepted
        after[position] = value
        return tuple(after)

    def steps(self, state: State) -> list[tuple[Action, State]]:
        """Return every possible step with the state after it."""
        result = []
        known = self._moves
        for index in range(self.size):
            local = state[index]
            moves = known[local] or self._find_moves(local)
            if moves.empty:
                continue
            for proc in moves.procs:
                result.append((proc.action, (*state[:index], proc.after, *state[index + 1 :])))
            if moves.prop is not None:
                after = self._put(state, moves.prop.targets, index, moves.prop.after)
                if after is not None:
                    result.append((moves.prop.action, after))
        for queue in range(len(self._arriving)):
            after = self.after_arrival(state, queue)
            if after is not None:
                result.append((Action(ActionKind.ARRIVE, queue), after))
        return result

    def finished(self, state: State) -> bool:
        """Return whether no token is left anywhere."""
        return state[self.size :] == self._waiting_outside and all(
            self.moves_of(local).empty for local in state[: self.size]
        )

    def seen(self, state: State) -> tuple[tuple[int, ...], ...]:
        """Return the matches, and the emissions without a value: equal for states that have found the same."""
        return tuple(self._locals.value(local).seen for local in state[: self.size])

    # --- The content of a node --------------------------------------------------------------------------------------

    def occupancy(self, local: int) -> tuple[int, Occupancy]:
        """Return the node with this content, and its occupancy."""
        held = self._locals.value(local)
        _, data = self._data.value(held.data)
        left, right = (len(data.left), len(data.right)) if isinstance(data, TwoInputData) else (0, 0)
        if isinstance(self.machine.nodes[held.node].inbox, QueueInbox):
            inbox = len(held.inbox)
        else:
            slots = [slot for slot, _ in held.inbox]
            inbox = max(map(slots.count, slots), default=0)
        return held.node, Occupancy(left, right, inbox, len(held.outbox))

    def kept_of(self, local: int) -> Kept:
        """Return the content of the node of a local state as the machine's values."""
        node, inbox, outbox, data, seen = self._locals.value(local)
        return Kept(
            node,
            tuple((slot, self._tokens.value(token)) for slot, token in inbox),
            tuple(map(self._tokens.value, outbox)),
            self._data.value(data)[1],
            tuple(map(self._payloads.value, seen)),
        )

    def _number(self, local: Local) -> int:
        number = self._locals.number(local)
        if number == len(self._moves):
            self._moves.append(None)
        return number

    def _inbox(self, node: int, content: Content) -> Inbox:
        """Return the machine's inbox of a node, filled with tokens."""
        inbox = self.machine.nodes[node].inbox
        _empty(inbox)
        for slot, token in content:
            inbox.put(self._edges[node][slot], self._tokens.value(token))
        return inbox

    def _content(self, inbox: Inbox) -> Content:
        return tuple([(slot, self._tokens.number(token)) for slot, token in inbox.waiting()])

    def _accept(self, number: int, slot: int, token: int) -> int:
        local = self._locals.value(number)
        key = (local.node, local.inbox, slot, token)
        if key not in self._filled:
            inbox = self._inbox(local.node, local.inbox)
            edge = self._edges[local.node][slot]
            self._filled[key] = None
            if inbox.has_room(edge):
                inbox.put(edge, self._tokens.value(token))
                self._filled[key] = self._content(inbox)
        content = self._filled[key]
        return REFUSED if content is None else self._number(local._replace(inbox=content))

    def _heads_of(self, node: int, content: Content) -> tuple[Head, ...]:
        """Return the tokens that may be taken from an inbox."""
        key = (node, content)
        known = self._heads.get(key)
        if known is None:
            heads = []
            for slot in self._inbox(node, content).slots():
                inbox = self._inbox(node, content)
                # Full: no edge has room for a token beside this one.
                beside = range(self._slots[node]) if isinstance(inbox, QueueInbox) else (slot,)
                full = not any(inbox.has_room(self._edges[node][position]) for position in beside)
                token = self._tokens.number(inbox.peek(slot))
                inbox.pop(slot)
                heads.append(Head(slot, token, self._content(inbox), full))
            known = self._heads[key] = tuple(heads)
        return known

    def _find_moves(self, number: int) -> Moves:
        local = self._locals.value(number)
        node, inbox, outbox, data, seen = local
        capacity = self.machine.nodes[node].outbox_capacity
        heads = self._heads_of(node, inbox)
        procs, short_of_outbox = [], False
        for slot, token, rest, full in heads:
            key = (node, data, slot, token)
            if key not in self._applied:
                self._applied[key] = self._apply(*key)
            applied = self._applied[key]
            if applied is None:
                continue
            sent = self._queued(outbox, applied.tokens)
            if capacity is not None and len(sent) > capacity:
                short_of_outbox = True
                continue
            visible = tuple(sorted((*seen, *applied.reactions))) if applied.reactions else seen
            after = self._number(Local(node, rest, sent, applied.data, visible))
            procs.append(Proc(self._takes[node][slot], after, full))
        settled = bool(procs) and (self._single[node] or (len(heads) == self._slots[node] and not short_of_outbox))
        moves = self._moves[number] = Moves(tuple(procs), settled, self._prop(local), not inbox and not outbox)
        return moves

    def _queued(self, outbox: tuple[int, ...], tokens: tuple[int, ...]) -> tuple[int, ...]:
        """Return an outbox after the tokens of a step."""
        if self.coalescing and outbox and tokens:
            last, following = self._tokens.value(outbox[-1]), self._tokens.value(tokens[0])
            if gives_way(last, following):
                return outbox[:-1] + tokens
        return outbox + tokens

    def _apply(self, node: int, data: int, slot: int, token: int) -> Applied | None:
        """Return the effect of the rule of →l that applies to a token; None if it waits for room or for its turn."""
        state, arrived = self.machine.nodes[node], self._tokens.value(token)
        for info in state.table[slot, arrived.payload is not None]:
            outcome = info.function(state.site, self._data.value(data)[1], arrived)
            if isinstance(outcome, Effect):
                produced = tuple(self._tokens.number(result) for result in outcome.tokens)
                return Applied(
                    self._data.number((node, outcome.data)), produced, self._reactions(node, arrived, outcome)
                )
            if outcome is not None:
                return None
        raise AssertionError(f"no rule of →l applies at {self.network.nodes[node].name} to {arrived}")

    def _reactions(self, node: int, token: Token, effect: Effect) -> tuple[int, ...]:
        """Return the payloads that a step makes visible: a match, an emission without a value, decisions."""
        decided = [("", decision.event.id, decision.by or "") for decision in effect.decided]
        reactions = tuple(map(self._payloads.number, decided))
        if isinstance(token, AlphaToken) or token.payload is None:
            return reactions
        kind = self.network.nodes[node]
        silent = isinstance(kind, ProductionNode) and failing(kind, token, effect)
        if not silent and not isinstance(kind, TerminalNode):
            return reactions
        return (*reactions, self._payloads.number(tuple([event.id for event in token.payload])))

    def _prop(self, local: Local) -> Prop | None:
        if not local.outbox:
            return None
        token = self._tokens.value(local.outbox[0])
        targets = []
        for successor in self.network.successors[local.node]:
            sent = token
            if isinstance(token, AlphaToken) and isinstance(self.network.nodes[local.node], ProductionNode):
                sent = token.over(successor.slot)
            targets.append((successor.node, successor.slot, self._tokens.number(sent)))
        after = self._number(local._replace(outbox=local.outbox[1:]))
        capacity = self.machine.nodes[local.node].outbox_capacity
        full = capacity is not None and len(local.outbox) >= capacity
        return Prop(Action(ActionKind.PROP, local.node), after, tuple(targets), full)


def _side(node: Node, slot: int) -> Side:
    """Return the side of the edges into a slot, for the inbox."""
    return (Side.LEFT, Side.RIGHT)[slot] if isinstance(node, TwoInputNode) else Side.TOP


def _ignore(_step: object) -> None:
    """Record nothing."""


def _empty(inbox: Inbox) -> None:
    while slots := inbox.slots():
        inbox.pop(slots[0])
