"""Unbounded runs in which the functions of `staging` take the place of rules.

A function takes the events that pass a slot of a join-node or a not-node as its rules do, and calls those of the nodes
behind it. A node that has none runs by its rules: a set-node, one whose window has no beginning, or one whose bounds
decide when a match is found. So do all nodes while bounds are told, and all tokens without a payload, except those that
come to the right of a not-node. Both use the same data and histories.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from parte.semantics.events.event import Arrival, Event
from parte.semantics.partelang.expressions import Condition
from parte.semantics.partelang.network import (
    LEFT_SLOT,
    RIGHT_SLOT,
    EntryNode,
    Network,
    Node,
    Side,
    Successor,
    TwoInputNode,
)
from parte.semantics.partelang.rules.registry import Conclusion, Data, Effect, EntryData, Site
from parte.semantics.partelang.staging import Function, Surroundings, from_left, from_right, from_silence
from parte.semantics.partelang.state import NodeState
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch
from parte.semantics.partelang.unbounded import Apply, Unbounded, _Conditions, _Slot, deciding

DEEPEST: Final = 100
"""The greatest number of nodes on a way through a staged network: their functions call each other."""

_Take = Callable[[int, Event], None]
"""The function of an alpha node, or of the node behind it: it takes a bound and an event."""
_Taken = TypeVar("_Taken", AlphaToken, BetaToken)
_Send = Callable[[tuple[int, ...], PartialMatch], None]
_Choice = tuple[tuple[Condition, tuple[_Take, ...]], ...]


def staged_nodes(network: Network) -> frozenset[Node]:
    """Return the nodes that have functions."""
    if _depth(network) > DEEPEST:
        return frozenset()
    prompt = deciding(network)
    return frozenset(
        node
        for node, decides in zip(network.nodes, prompt, strict=True)
        if isinstance(node, TwoInputNode) and not (node.collects or decides) and node.past is None and node.minima
    )


def _depth(network: Network) -> int:
    depths = [1] * len(network.nodes)
    for index in reversed(range(len(depths))):
        depths[index] += max((depths[edge.node] for edge in network.successors[index]), default=0)
    return max(depths, default=0)


@dataclass(slots=True, eq=False)
class Staged(Unbounded):
    """An unbounded run; `staged` are the nodes that have functions, and whose histories are those of `expiring`."""

    staged: frozenset[Node] = frozenset()
    _left: dict[int, _Send] = field(default_factory=dict)
    _right: dict[int, _Take] = field(default_factory=dict)
    _entries: dict[tuple[str, str], tuple[Successor, _Take]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super(Staged, self).__post_init__()
        origins = {(edge.node, edge.slot): origin for origin, edge in self.network.edges()}
        for index in reversed(range(len(self.nodes))):
            node = self.nodes[index].node
            if node in self.staged:
                assert isinstance(node, TwoInputNode)
                self._stage(index, node, (origins[index, LEFT_SLOT], origins[index, RIGHT_SLOT]))
            elif isinstance(node, EntryNode):
                for source, slot in enumerate(self._slots[index]):
                    take = self._entering(source, slot)
                    self._entries[node.sources[source], node.template] = Successor(index, Side.TOP, source), take
                    slot.payload = self._rule(self.nodes[index], slot.payload, partial(_entered, take), 1)

    def enter(self, arrival: Arrival) -> None:
        """Let an arrival in, like `settle`. KeyError for a source and template for which nothing was compiled."""
        entered, take = self._entries[arrival.source, arrival.template]
        event = arrival.event
        if event is None or self.amid:
            self.settle(entered, AlphaToken(entered.slot, arrival.bound, event))
            return
        self.amid = True
        take(arrival.bound, event)
        self._settled()

    def _stage(self, index: int, node: TwoInputNode, above: tuple[int, int]) -> None:
        """Let functions take what comes to a node, from other functions and from nodes that have none."""
        left, right = self._slots[index]
        promised = not isinstance(self.nodes[above[0]].node, TwoInputNode) or self._slots[above[0]][0].quiet.informs
        steps = 2 if len(self._slots[above[1]][0].targets) == 1 else 1
        around = Surroundings(promised, len(left.targets), steps)
        state = self.nodes[index]
        others: dict[str, object] = {"state": state, "run": self, "unread": state.site.unread}
        others |= {f"target_{number}": self._sending(target) for number, target in enumerate(left.targets)}
        on_left = self._left[index] = from_left(node, around).function(**others)
        on_right = self._right[index] = from_right(node, around).function(**others)
        left.payload = self._rule(state, left.payload, partial(_from_left, on_left), 1)
        right.payload = self._rule(state, right.payload, partial(_from_right, on_right), steps)
        if node.negated:
            silence = from_silence(node, around).function(**others)
            right.without = self._rule(state, right.without, partial(_silenced, silence), 1)

    def _rule(
        self, state: NodeState, rules: tuple[Apply, ...], take: Callable[[_Taken], None], counted: int
    ) -> tuple[Apply, ...]:
        """Return a function in place of rules, for `_take`, which counts the step itself; while bounds are told, the
        rules."""

        def staged(site: Site[Node], data: Data, token: _Taken) -> Conclusion:
            if self._telling:
                return next(outcome for apply in rules if (outcome := apply(site, data, token)) is not None)
            self.steps -= counted
            take(token)
            return Effect(state.data, ())

        return (staged,)

    def _sending(self, target: _Slot) -> _Send:
        """Return the function that takes a result to a slot."""
        if target.index in self._left and target is self._slots[target.index][LEFT_SLOT]:
            return self._left[target.index]
        return lambda bounds, events: self._take(target, BetaToken(bounds, events))

    # --- Entry nodes and alpha nodes ----------------------------------------------------------------------------------

    def _entering(self, source: int, slot: _Slot) -> _Take:
        """Return the function of a slot of an entry node: ENTRY, and the alpha nodes behind it, the last one first."""
        state, entry = slot.state, slot.state.node
        assert isinstance(entry, EntryNode)
        template, alone = entry.template, len(entry.sources) == 1
        always = tuple(map(self._taking, reversed(slot.always)))
        choosy = self._choice(slot.choosy)
        fixed = tuple(
            (attribute, {value: self._choice(conditions) for value, conditions in by_value.items()})
            for attribute, by_value in reversed(slot.fixed)
        )

        def enter(bound: int, event: Event) -> None:
            self.steps += 1
            if event.template != template or not slot.targets:
                return
            if alone:
                state.data = EntryData((bound,))
            else:
                data = state.data
                assert isinstance(data, EntryData)
                bounds = (*data.bounds[:source], bound, *data.bounds[source + 1 :])
                state.data = EntryData(bounds)
                bound = min(bounds)
            events = (event,)
            for attribute, by_value in fixed:
                for condition, takes in by_value.get(event.attributes.get(attribute), ()):
                    if condition(events):
                        for take in takes:
                            take(bound, event)
            for condition, takes in choosy:
                if condition(events):
                    for take in takes:
                        take(bound, event)
            for take in always:
                take(bound, event)

        return enter

    def _choice(self, conditions: _Conditions) -> _Choice:
        return tuple(
            (condition, tuple(map(self._taking, reversed(slots)))) for condition, slots in reversed(conditions)
        )

    def _taking(self, alpha: _Slot) -> _Take:
        """Return the function that takes an event which matches to the nodes behind an alpha node, or to itself."""
        if alpha.prompt:
            return lambda bound, event: self._take(alpha, AlphaToken(0, bound, event))
        takes = tuple(map(self._behind, reversed(alpha.targets)))
        if len(takes) == 1 and self._on_right(alpha.targets[0]):
            return takes[0]

        def take(bound: int, event: Event) -> None:
            self.steps += 1
            for behind in takes:
                behind(bound, event)

        return take

    def _on_right(self, target: _Slot) -> bool:
        return target.index in self._right and target is self._slots[target.index][RIGHT_SLOT]

    def _behind(self, target: _Slot) -> _Take:
        """Return the function that takes an event from an alpha node to a slot."""
        if self._on_right(target):
            return self._right[target.index]
        send = self._sending(target)
        return lambda bound, event: send((bound,), (event,))


def _entered(take: _Take, token: AlphaToken) -> None:
    assert token.payload is not None
    take(token.bound, token.payload)


def _from_left(take: Function, token: BetaToken) -> None:
    take(token.bounds, token.payload)


def _from_right(take: Function, token: BetaToken) -> None:
    assert token.payload is not None
    take(token.bounds[0], token.payload[0])


def _silenced(silence: Function, token: BetaToken) -> None:
    silence(token.bounds[0])
