"""Capacities of histories, inboxes and outboxes (D §5.3.7). A capacity that is not given means no limit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.source.similar import advice

_LONGEST = 200
"""Characters of what a file says that a message shows."""


@dataclass(frozen=True, slots=True)
class NodeCapacities:
    """The capacities of one node; None where there is no limit. `inbox` is per slot where there are slots."""

    left: int | None = None
    right: int | None = None
    inbox: int | None = None
    outbox: int | None = None

    def over(self, default: NodeCapacities) -> NodeCapacities:
        """These capacities, and those of `default` where nothing is given."""
        return NodeCapacities(
            default.left if self.left is None else self.left,
            default.right if self.right is None else self.right,
            default.inbox if self.inbox is None else self.inbox,
            default.outbox if self.outbox is None else self.outbox,
        )


@dataclass(frozen=True, slots=True)
class Capacities:
    """The capacities of a network: of the nodes that are named, and of all others."""

    default: NodeCapacities = NodeCapacities()
    nodes: Mapping[str, NodeCapacities] = field(default_factory=dict)
    filename: str = field(default="capacities", compare=False, repr=False)

    def of(self, name: str) -> NodeCapacities:
        """The capacities of the node called `name`."""
        return self.nodes.get(name, NodeCapacities()).over(self.default)

    @property
    def unbounded(self) -> bool:
        """True if nothing has a limit."""
        return all(given == NodeCapacities() for given in (self.default, *self.nodes.values()))

    def check(self, names: Iterable[str]) -> None:
        """CapacitiesError if capacities are given for a node that a network of nodes so called does not have."""
        if not self.nodes:
            return
        known = tuple(names)
        for name in self.nodes:
            if name not in known:
                hint = advice(name, known, "parte graph shows the nodes and their names")
                raise CapacitiesError(
                    f"{self.filename}: nodes: no node of the program is called {name[:_LONGEST]!r}; {hint}"
                )


UNBOUNDED = Capacities()


class CapacitiesError(ValueError):
    """A capacities file that cannot be used; the message says what was expected and found, and where."""


def read_capacities(text: str, *, filename: str = "capacities.json") -> Capacities:
    """Capacities from JSON: `{"default": {"inbox": 1}, "nodes": {"join:R.b": {"left": 3, "right": 2, "outbox": 4}}}`.

    The names are those that `parte graph` shows. CapacitiesError when the text is anything else.
    """
    try:
        record = decode(text)
    except MalformedJson as error:
        raise CapacitiesError(f"{filename}:{error.line or 1}: expected a JSON object; {error.message}") from None
    if not isinstance(record, dict) or not record.keys() <= {"default", "nodes"}:
        raise CapacitiesError(f'{filename}: expected an object with the keys "default" and "nodes", or one of them')
    nodes = record.get("nodes", {})
    if not isinstance(nodes, dict):
        raise CapacitiesError(f"{filename}: nodes: expected an object from node names to capacities")
    return Capacities(
        _node(record.get("default", {}), f"{filename}: default"),
        {name: _node(given, f"{filename}: nodes: {name[:_LONGEST]}") for name, given in nodes.items()},
        filename,
    )


def _node(record: object, where: str) -> NodeCapacities:
    known = ("left", "right", "inbox", "outbox")
    if not isinstance(record, dict) or not record.keys() <= set(known):
        raise CapacitiesError(f"{where}: expected an object with some of the keys {', '.join(known)}")
    for key, value in record.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise CapacitiesError(
                f"{where}: {key}: expected a whole number from 0, found {json.dumps(value)[:_LONGEST]}"
            )
    return NodeCapacities(**record)
