"""Runs of a machine in which nothing is bounded: PROC and PROP in one go, depth first, which is faster.

It fires the same rules as `Machine.proc` and `Machine.prop`. With unlimited capacities every premise about room holds,
so a node can take a token as it comes and pass the results on at once. Bounds (D §5.6.5, limiting no-change tokens):

- where no node reads them, or not yet, they are neither computed nor sent;
- those that decide when a match is found, on the way to the right of a not-node or a set-node, or to a node that
  suppresses, are sent at once; of two "no change" tokens in a row only the later is stored, and none before a token
  with a payload, whose bounds include theirs;
- the others only remove entries from histories: they are sent after `PATIENCE` arrivals, or after as many as there are
  nodes, so that sending them costs an arrival at most two steps.

An alpha node whose bounds no node waits for takes an event only if it matches: its condition is evaluated only for the
value that it requires, and once for all nodes with equal conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from typing import Final, cast

from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.expressions import Condition
from parte.semantics.partelang.inboxes import SlottedInbox
from parte.semantics.partelang.network import (
    AlphaNode,
    EntryNode,
    Network,
    Node,
    ProductionNode,
    Side,
    Successor,
    TerminalNode,
    TwoInputNode,
    suppresses,
)
from parte.semantics.partelang.rules.registry import Conclusion, Effect, EntryData, Site
from parte.semantics.partelang.state import NodeState
from parte.semantics.partelang.tokens import AlphaToken, PartialMatch, Token

Apply = Callable[..., Conclusion]
_Conditions = tuple[tuple[Condition, tuple["_Slot", ...]], ...]
"""Conditions of one event, and the alpha nodes that have them."""

PATIENCE: Final = 64
"""Entries of so many arrivals, or in a large network of as many as it has nodes, may be stored beyond their time."""


@dataclass(slots=True, eq=False)
class _Slot:
    """A slot of a node, the tables for a token in it, and the "no change" token that waits there.

    `quiet` is the site of the node while only those bounds are sent that decide something. `asks`: it is an entry node.
    """

    index: int
    state: NodeState
    without: tuple[Apply, ...]
    payload: tuple[Apply, ...]
    visible: bool
    quiet: Site[Node]
    asks: bool
    source: int | None = None
    targets: tuple[_Slot, ...] = ()
    prompt: tuple[_Slot, ...] = ()
    informed: tuple[_Slot, ...] = ()
    waiting: Token | None = None
    always: tuple[_Slot, ...] = ()
    choosy: _Conditions = ()
    fixed: tuple[tuple[str, Mapping[Value | None, _Conditions]], ...] = ()

    def taking(self, event: Event | PartialMatch) -> Sequence[_Slot]:
        """Return those targets of an entry node that have to take an event."""
        if not isinstance(event, Event):
            return self.targets
        events, targets = (event,), list(self.always)
        for condition, slots in self.choosy:
            if condition(events):
                targets += slots
        for attribute, by_value in self.fixed:
            for condition, slots in by_value.get(event.attributes.get(attribute), ()):
                if condition(events):
                    targets += slots
        return targets


@dataclass(slots=True, eq=False)
class Unbounded:
    """The rules of a machine's nodes in tables for speed. The machine's node states hold all state."""

    network: Network
    nodes: Sequence[NodeState]
    reacted: Callable[[Node, Token, Effect], None]
    steps: int = 0
    patience: int = field(init=False)
    _slots: list[tuple[_Slot, ...]] = field(init=False)
    _bottoms: list[int] = field(default_factory=list)
    _arrived: int = 0
    _telling: bool = False
    amid: bool = False

    def __post_init__(self) -> None:
        self.patience = max(PATIENCE, len(self.nodes))
        prompt = deciding(self.network)
        self._slots = [_slots_of(index, state, prompt[index]) for index, state in enumerate(self.nodes)]
        for index, edges in enumerate(self.network.successors):
            targets = tuple(self._slots[edge.node][edge.slot] for edge in edges)
            pairs = tuple(zip(edges, targets, strict=True))
            prompted = tuple(target for edge, target in pairs if _decides(self.network, edge, prompt))
            informed = tuple(target for edge, target in pairs if self.network.informs[edge.node])
            for slot in self._slots[index]:
                slot.targets, slot.prompt, slot.informed = targets, prompted, informed
                if isinstance(slot.state.node, ProductionNode) and edges:
                    slot.source = edges[0].slot
        for slots in self._slots:
            if slots and isinstance(slots[0].state.node, EntryNode):
                by_value = _by_value(slots[0].targets)
                for slot in slots:
                    slot.always, slot.choosy, slot.fixed = by_value

    def settle(self, entered: Successor, token: Token) -> None:
        """Take steps until no token is left, after one has come in over an edge.

        Raise RuntimeError if an exception, such as that of a predicate, has interrupted this before: steps were lost.
        """
        if self.amid:
            raise RuntimeError("an exception has ended this run midway: a machine cannot go on after that")
        self.amid = True
        self._take(self._slots[entered.node][entered.slot], token)
        self._settled()

    def _settled(self) -> None:
        """Take the "no change" tokens that wait, and tell bounds when it is time."""
        if self._bottoms:
            self._take_bottoms()
        self._arrived += 1
        if self._arrived >= self.patience:
            self._arrived = 0
            self.tell()
        self.amid = False

    def reset(self) -> None:
        """Reset to the state before the first arrival; no token may be left."""
        self.steps = self._arrived = 0

    def release(self) -> None:
        """Drop the slots, whose functions may refer to this run, so that no cycle is left."""
        self._slots.clear()

    def tell(self) -> None:
        """Let every entry node send its bounds again, and this time let all nodes pass bounds on."""
        self._telling = True
        for slots, state in zip(self._slots, self.nodes, strict=True):
            if isinstance(state.data, EntryData) and slots:
                self._wait(slots[0], AlphaToken(0, state.data.bounds[0], None))
        self._take_bottoms()
        self._telling = False

    def _wait(self, slot: _Slot, token: Token) -> None:
        if slot.waiting is None:
            heappush(self._bottoms, slot.index)
        slot.waiting = token

    def _take_bottoms(self) -> None:
        """Let the nodes take the "no change" tokens that wait there, from the top down."""
        while self._bottoms:
            for slot in self._slots[heappop(self._bottoms)]:
                token, slot.waiting = slot.waiting, None
                if token is not None:
                    self._take(slot, token)

    def _take(self, first: _Slot, token: Token) -> None:
        """Let a node take a token, and further nodes its results; the tokens of an edge stay in order."""
        taken, telling = 0, self._telling
        stack = [(first, token, True)]
        while stack:
            slot, token, now = stack.pop()
            if token.payload is not None:
                slot.waiting, rules = None, slot.payload
            elif now:
                rules = slot.without
            else:
                self._wait(slot, token)
                continue
            state = slot.state
            outcome: Conclusion = None
            for apply in rules:
                outcome = apply(state.site if telling else slot.quiet, state.data, token)
                if outcome is not None:
                    break
            assert isinstance(outcome, Effect), "nothing keeps a token waiting where nothing is limited"
            state.data, produced = outcome.data, outcome.tokens
            taken += 1
            if slot.visible:
                self.reacted(state.node, token, outcome)
            if not produced:
                continue
            for token in reversed(produced):
                if slot.source is not None:
                    token = cast(AlphaToken, token).over(slot.source)
                targets: Sequence[_Slot] = slot.targets
                if token.payload is None:
                    targets = slot.informed if telling else slot.prompt
                elif slot.asks and not telling:
                    targets = slot.taking(token.payload)
                for target in targets:
                    stack.append((target, token, False))
        self.steps += taken


def _by_value(
    targets: Iterable[_Slot],
) -> tuple[tuple[_Slot, ...], _Conditions, tuple[tuple[str, Mapping[Value | None, _Conditions]], ...]]:
    """Return the alpha nodes that take every event, those with a condition, and those that require a value."""
    always: list[_Slot] = []
    choosy: list[_Slot] = []
    fixed: dict[str, dict[Value | None, list[_Slot]]] = {}
    for target in targets:
        node = target.state.node
        if not isinstance(node, AlphaNode) or target.prompt:
            always.append(target)
        elif node.fixed is None:
            choosy.append(target)
        else:
            attribute, value = node.fixed
            fixed.setdefault(attribute, {}).setdefault(value, []).append(target)
    by_value = {name: {value: _grouped(slots) for value, slots in values.items()} for name, values in fixed.items()}
    return tuple(always), _grouped(choosy), tuple(by_value.items())


def _grouped(slots: Iterable[_Slot]) -> _Conditions:
    """Alpha nodes by their conditions."""
    alike: dict[Condition, list[_Slot]] = {}
    for slot in slots:
        assert isinstance(slot.state.node, AlphaNode)
        alike.setdefault(slot.state.node.condition, []).append(slot)
    return tuple((condition, tuple(several)) for condition, several in alike.items())


def deciding(network: Network) -> list[bool]:
    """Return, for each node, whether its bounds decide when a match is found: they reach the right of a waiting one."""
    prompt = [False] * len(network.nodes)
    if not any(suppresses(node) or (isinstance(node, TwoInputNode) and node.waits) for node in network.nodes):
        return prompt
    for index in reversed(range(len(prompt))):
        prompt[index] = any(_decides(network, edge, prompt) for edge in network.successors[index])
    return prompt


def _decides(network: Network, edge: Successor, prompt: Sequence[bool]) -> bool:
    node = network.nodes[edge.node]
    waits = isinstance(node, TwoInputNode) and node.waits and edge.side is Side.RIGHT
    return prompt[edge.node] or waits or suppresses(node)


def _slots_of(index: int, state: NodeState, prompt: bool) -> tuple[_Slot, ...]:
    assert isinstance(state.inbox, SlottedInbox)
    visible = isinstance(state.node, TerminalNode | ProductionNode)
    asks = isinstance(state.node, EntryNode)
    quiet = state.site if prompt or not state.site.informs else replace(state.site, informs=False)
    count = len(state.inbox.queues)
    functions = [
        (_functions(state, slot, False), _functions(state, slot, True)) for slot in range(1 if asks else count)
    ]
    return tuple(_Slot(index, state, *functions[0 if asks else slot], visible, quiet, asks) for slot in range(count))


def _functions(state: NodeState, slot: int, payload: bool) -> tuple[Apply, ...]:
    """Return the rules in the order in which they are tried.

    Exactly one applies, so any order is correct; the first one of an entry node is for events that do not reach it.
    """
    functions = tuple(info.function for info in state.table[slot, payload])
    return functions[::-1] if isinstance(state.node, EntryNode) else functions
