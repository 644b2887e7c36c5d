"""Unbounded runs in which the functions of `staging` take the place of rules.

A function takes the events that pass a slot of a join-node or a not-node as its rules do, and calls those of the nodes
behind it. A node that has none runs by its rules: a set-node, one whose window has no beginning, or one whose bounds
decide when a match is found. So do all nodes while bounds are told, and all tokens without a payload, except those that
come to the right of a not-node. Both use the same data and histories.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from parte.semantics.events.event import Arrival, Event
from parte.semantics.partelang import kernel
from parte.semantics.partelang.expiring import SweptHistory
from parte.semantics.partelang.expressions import Condition
from parte.semantics.partelang.network import (
    LEFT_SLOT,
    RIGHT_SLOT,
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
from parte.semantics.partelang.rules.registry import Conclusion, Data, Effect, EntryData, Site, TwoInputData
from parte.semantics.partelang.staging import (
    Branch,
    Branching,
    Choice,
    Surroundings,
    from_entry,
    from_left,
    from_right,
    from_silence,
    histories_of,
)
from parte.semantics.partelang.state import NodeState
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch
from parte.semantics.partelang.unbounded import Apply, Unbounded, _Slot, deciding
from parte.semantics.partelang.writing import Function

DEEPEST: Final = 100
"""The greatest number of nodes on a way through a staged network: their functions call each other."""
WRITTEN: Final = 32
"""At most so many conditions are in the text of an entry node; it calls the functions of others."""

_Take = Callable[[int, Event], None]
"""The function of an alpha node, or of the node behind it: it takes a bound and an event."""
_Taken = TypeVar("_Taken", AlphaToken, BetaToken)
_Send = Callable[[tuple[int, ...], PartialMatch], None]


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
    _entries: dict[str, dict[str, tuple[Successor, _Take]]] = field(default_factory=dict)
    _promises: list[tuple[NodeState, list[int]]] = field(default_factory=list)
    _histories: list[SweptHistory] = field(default_factory=list)

    def __post_init__(self) -> None:
        super(Staged, self).__post_init__()
        self._histories.clear()
        self._promises.clear()
        self._share()
        origins = {(edge.node, edge.slot): origin for origin, edge in self.network.edges()}
        for index in reversed(range(len(self.nodes))):
            node = self.nodes[index].node
            if node in self.staged:
                assert isinstance(node, TwoInputNode)
                self._stage(index, node, (origins[index, LEFT_SLOT], origins[index, RIGHT_SLOT]))
            elif isinstance(node, EntryNode):
                self._enter(index, node)

    def enter(self, arrival: Arrival) -> None:
        """Let an arrival in, like `settle`. KeyError for a source and template for which nothing was compiled."""
        entered, take = self._entries[arrival.source][arrival.template]
        event = arrival.event
        if event is None or self.amid:
            self.settle(entered, AlphaToken(entered.slot, arrival.bound, event))
            return
        self.amid = True
        take(arrival.bound, event)
        self._settled()

    def tell(self) -> None:
        """Do the same with the bounds that the functions have taken, and remove entries that have expired."""
        self.note()
        super(Staged, self).tell()
        for history in self._histories:
            history.sweep()

    def note(self) -> None:
        """Write the promises that the functions of entry nodes have taken into the data of the nodes."""
        for state, promises in self._promises:
            state.data = EntryData(tuple(promises))

    def reset(self) -> None:
        super(Staged, self).reset()
        self.__post_init__()

    def release(self) -> None:
        super(Staged, self).release()
        for functions in (self._left, self._right, self._entries, self._promises, self._histories):
            functions.clear()

    def _share(self) -> None:
        """Let right histories behind one alpha node that have equal keys share their lists.

        The last one in the order of nodes takes an event first, and stores it. A node from which results go to another
        one takes it later than that, so each would find it where it does now.
        """
        for index, node in enumerate(self.network.nodes):
            first: dict[Hashable, SweptHistory] = {}
            if not isinstance(node, AlphaNode) or len(self.network.successors[index]) == 1:
                continue
            for edge in reversed(self.network.successors[index]):
                target = self.nodes[edge.node]
                if edge.slot == RIGHT_SLOT and target.node in self.staged:
                    assert isinstance(target.node, TwoInputNode)
                    assert isinstance(target.data, TwoInputData)
                    assert isinstance(target.data.right, SweptHistory)
                    if (likeness := _right_keys(target.node)) in first:
                        target.data.right.share(first[likeness])
                    else:
                        first[likeness] = target.data.right

    def _stage(self, index: int, node: TwoInputNode, above: tuple[int, int]) -> None:
        """Let functions take what comes to a node, from other functions and from nodes that have none."""
        left, right = self._slots[index]
        promised = not isinstance(self.nodes[above[0]].node, TwoInputNode) or self._slots[above[0]][0].quiet.informs
        steps = 2 if len(self._slots[above[1]][0].targets) == 1 else 1
        state = self.nodes[index]
        data = state.data
        assert isinstance(data, TwoInputData)
        assert isinstance(data.left, SweptHistory)
        assert isinstance(data.right, SweptHistory)
        stores = data.right.lists.histories[0] is data.right
        around = Surroundings(promised, len(left.targets), steps, stores)
        self._histories += (data.left, data.right) if stores else (data.left,)
        others = histories_of(data.left, data.right) | {"run": self, "unread": state.site.unread}
        others |= {f"target_{number}": self._sending(target) for number, target in enumerate(left.targets)}
        on_left = self._left[index] = from_left(node, around).function(**others)
        on_right = self._right[index] = from_right(node, around).function(**others)
        left.payload = self._rule(state, left.payload, partial(_from_left, on_left), 1)
        right.payload = self._rule(state, right.payload, partial(_from_right, on_right), steps)
        left.without = (bounds_from_left,)
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
        node = target.state.node
        if isinstance(node, TerminalNode):
            return self._matching(node)
        if isinstance(node, ProductionNode) and node.once is None and not target.quiet.informs:
            return self._producing(node, target)
        return lambda bounds, events: self._take(target, BetaToken(bounds, events))

    def _matching(self, node: TerminalNode) -> _Send:
        """Return the function of a terminal node: TERM."""
        reacted, consumed = self.reacted, Effect(None, ())

        def matching(bounds: tuple[int, ...], events: PartialMatch) -> None:
            self.steps += 1
            reacted(node, BetaToken(bounds, events), consumed)

        return matching

    def _producing(self, node: ProductionNode, slot: _Slot) -> _Send:
        """Return the function of a production node whose bounds nothing reads: PROD for an emission with a value."""
        entries = [self._produced(edge) for edge in reversed(self.network.successors[slot.index])]
        generate_event, generate_bound = node.generate_event, node.generate_bound

        def producing(bounds: tuple[int, ...], events: PartialMatch) -> None:
            event = generate_event(events)
            if event is None:
                self._take(slot, BetaToken(bounds, events))
                return
            self.steps += 1
            for enter in entries:
                enter(generate_bound(bounds), event)

        return producing

    def _produced(self, edge: Successor) -> _Take:
        """Return the function that takes an emitted event to the slot of an entry node."""
        entry = self.nodes[edge.node].node
        assert isinstance(entry, EntryNode)
        return self._entries[entry.sources[edge.slot]][entry.template][1]

    # --- Entry nodes and alpha nodes ----------------------------------------------------------------------------------

    def _enter(self, index: int, node: EntryNode) -> None:
        """Let functions take the events that come to an entry node, and pass them on to the alpha nodes behind."""
        state = self.nodes[index]
        assert isinstance(state.data, EntryData)
        promises = [*state.data.bounds]
        self._promises.append((state, promises))
        first = self._slots[index][0]
        written = [*reversed(first.choosy)]
        branching = Branching(
            tuple(
                (name, {value: self._choice(choosy[::-1]) for value, choosy in by_value.items()})
                for name, by_value in reversed(first.fixed)
            ),
            [(_alpha(slots[0]), [*map(self._branch, reversed(slots))]) for _, slots in written[:WRITTEN]],
            self._choice(written[WRITTEN:]),
            [*map(self._branch, reversed(first.always))],
        )
        for source, slot in enumerate(self._slots[index]):
            take = from_entry(node, source, branching).function(run=self, promises=promises)
            self._entries.setdefault(node.sources[source], {})[node.template] = Successor(index, Side.TOP, source), take
            noting = partial(_noting, promises)
            slot.payload = self._rule(state, tuple(map(noting, slot.payload)), partial(_entered, take), 1)
            slot.without = tuple(map(noting, slot.without))

    def _choice(self, conditions: Iterable[tuple[Condition, tuple[_Slot, ...]]]) -> Choice:
        return tuple((condition, tuple(map(self._taking, reversed(slots)))) for condition, slots in conditions)

    def _branch(self, alpha: _Slot) -> Branch:
        """Return the functions behind an alpha node; that of the node itself if its bounds decide something."""
        if alpha.prompt:
            return Branch(0, (lambda bound, event: self._take(alpha, AlphaToken(0, bound, event)),), (False,))
        behind = alpha.targets[::-1]
        rights = tuple(map(self._on_right, behind))
        takes = tuple(
            self._right[target.index] if right else self._sending(target)
            for target, right in zip(behind, rights, strict=True)
        )
        return Branch(0 if rights == (True,) else 1, takes, tuple(not right for right in rights))

    def _taking(self, alpha: _Slot) -> _Take:
        """Return one function in place of those behind an alpha node."""
        branch = self._branch(alpha)
        if not branch.steps:
            return branch.takes[0]
        takes = [*zip(branch.takes, branch.lefts, strict=True)]

        def take(bound: int, event: Event) -> None:
            self.steps += 1
            for behind, left in takes:
                if left:
                    behind((bound,), (event,))
                else:
                    behind(bound, event)

        return take

    def _on_right(self, target: _Slot) -> bool:
        return target.index in self._right and target is self._slots[target.index][RIGHT_SLOT]


def _right_keys(node: TwoInputNode) -> Hashable:
    """Return a value that the right keys of nodes share if they are equal."""
    if node.criteria is None:
        return node.name
    return tuple(core.likeness(part, {node.right: ""}) for part in node.criteria.right_keys)


def _alpha(slot: _Slot) -> AlphaNode:
    assert isinstance(slot.state.node, AlphaNode)
    return slot.state.node


def _noting(promises: list[int], apply: Apply) -> Apply:
    """Return a rule of an entry node that reads and writes the promises that its functions know."""

    def noting(site: Site[EntryNode], _: EntryData, token: AlphaToken) -> Conclusion:
        outcome = apply(site, EntryData(tuple(promises)), token)
        if isinstance(outcome, Effect):
            assert isinstance(outcome.data, EntryData)
            promises[:] = outcome.data.bounds
        return outcome

    return noting


def bounds_from_left(site: Site[TwoInputNode], data: TwoInputData, token: BetaToken) -> Effect:
    """JOIN-LEFT-BOTTOM and NOT-LEFT-BOTTOM while bounds are told: a bound from the right follows, with which the rule
    passes on both."""
    expires = kernel.expiration_time(token.bounds, site.node.minima)
    return Effect(TwoInputData(token.bounds, data.right_bound, data.left, data.right.passed(expires)[0]), ())


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
