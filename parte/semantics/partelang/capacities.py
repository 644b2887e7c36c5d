"""Capacities of histories, inboxes and outboxes (D §5.3.7). A missing capacity means no limit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from parte.semantics.events.strictjson import MalformedJson, decode
from parte.semantics.source.similar import advice

_LONGEST = 200
"""Maximum number of characters of a file's content in a message."""


@dataclass(frozen=True, slots=True)
class NodeCapacities:
    """The capacities of one node; None means no limit. `inbox` is per slot if there are slots."""

    left: int | None = None
    right: int | None = None
    inbox: int | None = None
    outbox: int | None = None

    def over(self, default: NodeCapacities) -> NodeCapacities:
        """Return these capacities, with those of `default` for missing ones."""
        return NodeCapacities(
            default.left if self.left is None else self.left,
            default.right if self.right is None else self.right,
            default.inbox if self.inbox is None else self.inbox,
            default.outbox if self.outbox is None else self.outbox,
        )


@dataclass(frozen=True, slots=True)
class Capacities:
    """The capacities of a network: by the names of nodes, and for all other nodes."""

    default: NodeCapacities = NodeCapacities()
    nodes: Mapping[str, NodeCapacities] = field(default_factory=dict)
    filename: str = field(default="capacities", compare=False, repr=False)

    def of(self, name: str) -> NodeCapacities:
        """Return the capacities of the node called `name`."""
        return self.nodes.get(name, NodeCapacities()).over(self.default)

    @property
    def unbounded(self) -> bool:
        """True if there is no limit anywhere."""
        return all(capacities == NodeCapacities() for capacities in (self.default, *self.nodes.values()))

    def check(self, names: Iterable[str]) -> None:
        """Raise CapacitiesError if capacities name a node that is not among `names`, those of a network."""
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
    """A capacities file that cannot be used; the message has the expected and the actual value, and the place."""


def read_capacities(text: str, *, filename: str = "capacities.json") -> Capacities:
    """Return capacities from JSON: `{"default": {"inbox": 1}, "nodes": {"join:R.b": {"left": 3, "outbox": 4}}}`.

    The names are those that `parte graph` shows. Raise CapacitiesError for any other text.
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
        {name: _node(node, f"{filename}: nodes: {name[:_LONGEST]}") for name, node in nodes.items()},
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
