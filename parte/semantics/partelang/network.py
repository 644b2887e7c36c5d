"""The network of nodes into which a program is compiled: the immutable part of nodes (D §5.2.1, §5.4.4, §5.5).

Nodes are in topological order, so that a sweep over them carries a token all the way down. Edges lead to a slot of the
successor: an entry node has a slot for each source, a two-input node one for each side.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.events.match import Match
from parte.semantics.partelang.expressions import Condition
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.summaries import Elements
from parte.semantics.partelang.syntax import core
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
    """Merges the sources of one template (D §5.4.6). `external` lists the slots of sources outside the network.

    With a `rule`, it merges what the cases of that rule emit of the template, before `once` suppresses some of it.
    """

    name: str
    template: str
    sources: tuple[str, ...]
    external: tuple[int, ...]
    rule: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class AlphaNode:
    """Accepts the events that fill one pattern, by the conditions on that pattern alone (D §5.5.2).

    `fixed` is an attribute and its only value with which the condition may hold, if it requires one. `merged`: it
    accepts all events that the cases of a rule emit. `criteria` has the expressions of the condition.
    """

    name: str
    rule: str
    template: str
    variable: str
    condition: Condition
    fixed: tuple[str, Value] | None = None
    merged: bool = False
    criteria: Criteria | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Gathering:
    """The work of a set-node: the summary of a set, and the conditions of `having` that are complete with it.

    `holds` is over the left events and the summary. `upward`: once true it stays true, whatever events come.
    """

    summarize: Callable[[Elements, int], Event]
    holds: Condition
    upward: bool


def _no_summary(elements: Elements, opens: int) -> Event:
    raise AssertionError(f"no set-node, and {len(elements)} events from {opens} on")


@dataclass(frozen=True, slots=True, eq=False)
class Criteria:
    """The criteria of a node as expressions: the parts of its condition, and of the keys of a join in order."""

    predicates: Predicates
    conditions: tuple[core.Expression, ...]
    left_keys: tuple[core.Expression, ...] = ()
    right_keys: tuple[core.Expression, ...] = ()


NO_GATHERING: Final = Gathering(_no_summary, lambda _: False, False)
"""That of a node that is no set-node."""


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """The past of a window without beginning: for each key one event stands for several, which `merge` makes of them.

    `at_once`: one does from the beginning; otherwise, once they lie in the windows of all left events to come. `keys`
    are the attributes of the right event of which the key consists, None for a term that is no mere attribute.
    """

    merge: Callable[[Elements], Event]
    at_once: bool
    keys: tuple[str | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class TwoInputNode:
    """Joins partial matches from the left with events from the right; a not-node when `negated` (D §5.5.3).

    A set-node, which is ours, `collects`: the right events of a partial match become a summary by its `gathering`.

    `minima` and `maxima` hold, for each left event, the least and greatest distance in milliseconds from it to the
    right event; summaries, the last ones on the left, have none. The non-temporal join-criteria (D's c-beta) are split:
    those that equate something of the right event with something of the left ones are the keys, which must be equal;
    `condition` holds the others, and `criteria` has the expressions of all. With a `past`, the window has no beginning:
    every minimum is `NEGATIVE_INFINITY`.
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
    collects: bool = False
    gathering: Gathering = NO_GATHERING
    past: Past | None = None
    criteria: Criteria | None = None

    @property
    def waits(self) -> bool:
        """True if what it passes on depends on the end of a window: it is a not-node or a set-node."""
        return self.negated or self.collects


@dataclass(frozen=True, slots=True, eq=False)
class Once:
    """The suppression of an emission: events with an equal `key` pass if they are `milliseconds` apart, or more."""

    key: Callable[[Event], Hashable]
    milliseconds: int


@dataclass(frozen=True, slots=True, eq=False)
class ProductionNode:
    """Emits an event for each match of a rule (D §5.5.4): the g-e and g-l of D §5.4.6.

    `generate_event` returns None if the emission has no value. A node with `once`, which is ours, suppresses events.
    """

    name: str
    rule: str
    position: int
    generate_event: Callable[[PartialMatch], Event | None]
    generate_bound: Callable[[tuple[int, ...]], int]
    once: Once | None = None


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

    `informs[i]` says whether node `i` is a two-input node, or one that suppresses, or can reach one: other nodes do not
    use bounds.
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


def suppresses(node: Node) -> bool:
    """Return whether a node is a production node with `once`."""
    return isinstance(node, ProductionNode) and node.once is not None


def slot_name(node: Node, slot: int) -> str:
    """Return the name of a slot in reports: its side, or the source at an entry node."""
    if isinstance(node, EntryNode):
        return node.sources[slot]
    if isinstance(node, TwoInputNode):
        return "left" if slot == LEFT_SLOT else "right"
    return "top"
