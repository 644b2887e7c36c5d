"""Runs of a machine in which nothing is bounded: PROC and PROP in one go, depth first, which is faster.

It fires the same rules as `Machine.proc` and `Machine.prop`. With unlimited capacities every premise about room holds,
so a node can take a token as it comes and hand the results on at once. Of bounds (D §5.6.5, limiting no-change tokens):

- where nobody reads them they are neither computed nor sent;
- those that decide when something is found, on the way to the right of a not-node, are sent at once; of two "no change"
  tokens in a row only the later is kept, and none before a token with a payload, whose bounds include theirs;
- the others only make histories forget: they are told when `PATIENCE` arrivals have come in, or as many as there are
  nodes, so that telling them costs an arrival two steps at most.

An alpha node whose silence nobody waits for is asked of an event only if the event has the value that it asks for.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final, cast

from parte.semantics.events.event import Event, Value
from parte.semantics.parte.inboxes import SlottedInbox
from parte.semantics.parte.network import (
    AlphaNode,
    EntryNode,
    Network,
    Node,
    ProductionNode,
    Side,
    Successor,
    TerminalNode,
    TwoInputNode,
)
from parte.semantics.parte.rules.registry import Conclusion, Effect, EntryData
from parte.semantics.parte.state import NodeState
from parte.semantics.parte.tokens import AlphaToken, Token

Apply = Callable[..., Conclusion]

PATIENCE: Final = 64
"""What so many arrivals brought may be kept beyond its time, in a large network what as many as its nodes brought."""


@dataclass(slots=True, eq=False)
class _Slot:
    """A slot of a node, what is looked up for a token in it, and the "no change" token that waits there."""

    index: int
    state: NodeState
    without: tuple[Apply, ...]
    payload: tuple[Apply, ...]
    visible: bool
    source: int | None = None
    targets: tuple[_Slot, ...] = ()
    prompt: tuple[_Slot, ...] = ()
    informed: tuple[_Slot, ...] = ()
    waiting: Token | None = None
    always: tuple[_Slot, ...] = ()
    fixed: tuple[tuple[str, Mapping[Value, Sequence[_Slot]]], ...] = ()

    def asked(self, event: Event) -> list[_Slot]:
        """Of the targets of an entry node those that may take an event."""
        found = list(self.always)
        for attribute, by_value in self.fixed:
            found += by_value.get(event.attributes[attribute], ())
        return found


@dataclass(slots=True, eq=False)
class Unbounded:
    """The rules of a machine's nodes, laid out for speed. The machine's node states hold all state."""

    network: Network
    nodes: Sequence[NodeState]
    reacted: Callable[[Node, Token, Effect], None]
    steps: int = 0
    patience: int = field(init=False)
    _slots: list[tuple[_Slot, ...]] = field(init=False)
    _bottoms: list[int] = field(default_factory=list)
    _arrived: int = 0
    _telling: bool = False
    _amid: bool = False

    def __post_init__(self) -> None:
        self.patience = max(PATIENCE, len(self.nodes))
        self._slots = [_slots_of(index, state) for index, state in enumerate(self.nodes)]
        prompt = _prompt(self.network)
        for index, edges in enumerate(self.network.successors):
            targets = tuple(self._slots[edge.node][edge.slot] for edge in edges)
            pairs = tuple(zip(edges, targets, strict=True))
            for slot in self._slots[index]:
                slot.targets = targets
                slot.prompt = tuple(target for edge, target in pairs if _decides(self.network, edge, prompt))
                slot.informed = tuple(target for edge, target in pairs if self.network.informs[edge.node])
                if isinstance(slot.state.node, ProductionNode) and edges:
                    slot.source = edges[0].slot
        for slot in itertools.chain.from_iterable(self._slots):
            if isinstance(slot.state.node, EntryNode):
                slot.always, slot.fixed = _by_value(slot.targets)

    def settle(self, entered: Iterable[Successor]) -> None:
        """Take steps until no token is left, after one has come in over each of some edges.

        RuntimeError after an exception has ended this midway, as one of a predicate does: steps were lost.
        """
        if self._amid:
            raise RuntimeError("an exception has ended this run midway: a machine cannot go on after that")
        self._amid = True
        for successor in entered:
            slot = self._slots[successor.node][successor.slot]
            self._take(slot, slot.state.inbox.peek(successor.slot))
            slot.state.inbox.pop(successor.slot)
        self._take_bottoms()
        self._arrived += 1
        if self._arrived >= self.patience:
            self._arrived = 0
            self.tell()
        self._amid = False

    def reset(self) -> None:
        """Be as before the first arrival; no token may be left."""
        self.steps = self._arrived = 0

    def tell(self) -> None:
        """Every entry node tells its bounds once more, and this time all nodes pass bounds on."""
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
        """The nodes at which "no change" tokens wait take them, from the top down."""
        while self._bottoms:
            for slot in self._slots[heappop(self._bottoms)]:
                token, slot.waiting = slot.waiting, None
                if token is not None:
                    self._take(slot, token)

    def _take(self, first: _Slot, token: Token) -> None:
        """A node takes a token, and whatever comes of it is taken where it goes; the tokens of an edge in order."""
        taken = 0
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
                outcome = apply(state.site, state.data, token)
                if outcome is not None:
                    break
            assert isinstance(outcome, Effect), "nothing keeps a token waiting where nothing is limited"
            state.data, produced = outcome
            taken += 1
            if slot.visible:
                self.reacted(state.node, token, outcome)
            for token in reversed(produced):
                if slot.source is not None:
                    token = cast(AlphaToken, token)._replace(source=slot.source)
                told = slot.informed if self._telling else slot.prompt
                targets: Sequence[_Slot] = told if token.payload is None else slot.targets
                if slot.fixed and isinstance(token.payload, Event) and not self._telling:
                    targets = slot.asked(token.payload)
                for target in targets:
                    stack.append((target, token, False))
        self.steps += taken


def _by_value(
    targets: Iterable[_Slot],
) -> tuple[tuple[_Slot, ...], tuple[tuple[str, Mapping[Value, Sequence[_Slot]]], ...]]:
    """The alpha nodes that are asked of every event, and for attributes and values those that ask for them."""
    always: list[_Slot] = []
    fixed: dict[str, dict[Value, list[_Slot]]] = {}
    for target in targets:
        node = target.state.node
        if isinstance(node, AlphaNode) and node.fixed is not None and not target.prompt:
            attribute, value = node.fixed
            fixed.setdefault(attribute, {}).setdefault(value, []).append(target)
        else:
            always.append(target)
    return tuple(always), tuple(fixed.items())


def _prompt(network: Network) -> list[bool]:
    """For each node whether its bounds decide when something is found: whether they get to the right of a not-node."""
    prompt = [False] * len(network.nodes)
    for index in reversed(range(len(prompt))):
        prompt[index] = any(_decides(network, edge, prompt) for edge in network.successors[index])
    return prompt


def _decides(network: Network, edge: Successor, prompt: Sequence[bool]) -> bool:
    node = network.nodes[edge.node]
    return prompt[edge.node] or (isinstance(node, TwoInputNode) and node.negated and edge.side is Side.RIGHT)


def _slots_of(index: int, state: NodeState) -> tuple[_Slot, ...]:
    assert isinstance(state.inbox, SlottedInbox)
    visible = isinstance(state.node, TerminalNode | ProductionNode)
    return tuple(
        _Slot(index, state, _functions(state, slot, False), _functions(state, slot, True), visible)
        for slot in range(len(state.inbox.queues))
    )


def _functions(state: NodeState, slot: int, payload: bool) -> tuple[Apply, ...]:
    return tuple(info.function for info in state.table[slot, payload])
