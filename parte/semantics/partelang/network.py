"""The network of nodes into which a program is compiled: the immutable part of nodes (D §5.2.1, §5.4.4, §5.5).

Nodes are in topological order, so that a sweep over them carries a token all the way down. Edges lead to a slot of the
successor: an entry node has a slot for each source, a two-input node one for each side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from enum import Enum

from parte.semantics.events.event import Event, Value
from parte.semantics.events.match import Match
from parte.semantics.partelang.expressions import Condition
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.tokens import PartialMatch


class Side(Enum):
    """The side from which a node is activated (D §5.3.1)."""

    LEFT = "↘"
    TOP = "↓"
    RIGHT = "↙"


LEFT_SLOT, RIGHT_SLOT = 0, 1


@dataclass(frozen=True, slots=True)
class Successor:
    """An out-edge: the index of a node, the side that it activates and the slot of that node's inbox."""

    node: int
    side: Side
    slot: int


@dataclass(frozen=True, slots=True, eq=False)
class EntryNode:
    """Merges the sources of one template (D §5.4.6). `external` lists the slots of sources outside the network."""

    name: str
    template: str
    sources: tuple[str, ...]
    external: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AlphaNode:
    """Accepts the events that fill one pattern, by the conditions on that pattern alone (D §5.5.2).

    `fixed` is an attribute and its only value with which the condition may hold, if it requires one.
    """

    name: str
    rule: str
    template: str
    variable: str
    condition: Condition
    fixed: tuple[str, Value] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TwoInputNode:
    """Joins partial matches from the left with events from the right; a not-node when `negated` (D §5.5.3).

    `minima` and `maxima` hold, for each left event, the least and greatest distance in milliseconds from it to the
    right event. The non-temporal join-criteria (D's c-beta) are split: those that equate something of the right event
    with something of the left ones are the keys, which must be equal; `condition` holds the others.
    """

    name: str
    rule: str
    left: tuple[str, ...]
    right: str
    negated: bool
    condition: Condition
    minima: tuple[int, ...]
    maxima: tuple[int, ...]
    left_key: Callable[[PartialMatch], Hashable]
    right_key: Callable[[PartialMatch], Hashable]


@dataclass(frozen=True, slots=True, eq=False)
class ProductionNode:
    """Emits an event for each match of a rule (D §5.5.4): the g-e and g-l of D §5.4.6.

    `generate_event` returns None if the emission has no value.
    """

    name: str
    rule: str
    position: int
    generate_event: Callable[[PartialMatch], Event | None]
    generate_bound: Callable[[tuple[int, ...]], int]


@dataclass(frozen=True, slots=True, eq=False)
class TerminalNode:
    """The node at which a rule is matched (D def. 19)."""

    name: str
    rule: str
    to_match: Callable[[PartialMatch], Match]


Node = EntryNode | AlphaNode | TwoInputNode | ProductionNode | TerminalNode


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Nodes in topological order, their out-edges, and the nodes at which the events of a source enter.

    `informs[i]` says whether node `i` is a two-input node or can reach one: other nodes do not use bounds.
    """

    family: Family
    nodes: tuple[Node, ...]
    successors: tuple[tuple[Successor, ...], ...]
    informs: tuple[bool, ...]

    def index(self, name: str) -> int:
        """Return the index of the node called `name`; raise KeyError if there is none."""
        for index, node in enumerate(self.nodes):
            if node.name == name:
                return index
        raise KeyError(name)

    def slots(self, index: int) -> int:
        """Return the number of slots of a node's inbox if every side, or source, has its own."""
        node = self.nodes[index]
        if isinstance(node, EntryNode):
            return len(node.sources)
        return 2 if isinstance(node, TwoInputNode) else 1

    def edges(self) -> Iterator[tuple[int, Successor]]:
        """Return all edges with their origins."""
        for index, successors in enumerate(self.successors):
            for successor in successors:
                yield index, successor


def slot_name(node: Node, slot: int) -> str:
    """Return the name of a slot in reports: its side, or the source at an entry node."""
    if isinstance(node, EntryNode):
        return node.sources[slot]
    if isinstance(node, TwoInputNode):
        return "left" if slot == LEFT_SLOT else "right"
    return "top"
