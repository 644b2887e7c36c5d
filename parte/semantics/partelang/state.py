"""The mutable state of an execution: inboxes, outboxes and data of nodes, and arrivals outside the network."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from parte.semantics.events.event import Arrival
from parte.semantics.partelang.inboxes import Inbox
from parte.semantics.partelang.network import Node, Successor
from parte.semantics.partelang.rules.registry import Data, LocalRule, Site
from parte.semantics.partelang.tokens import Token


@dataclass(slots=True)
class ExternalQueue:
    """Arrivals that have not entered the network yet, in order, and their targets."""

    name: str
    arrivals: deque[Arrival]
    targets: tuple[Successor, ...]
    source_slot: int


Table = dict[tuple[int, bool], tuple[LocalRule, ...]]


class NodeState:
    """The mutable state of a node, and the tables that every step reads."""

    __slots__ = ("data", "inbox", "outbox", "outbox_capacity", "site", "table")

    def __init__(self, site: Site[Node], inbox: Inbox, outbox_capacity: int | None, data: Data, table: Table) -> None:
        self.site = site
        self.inbox = inbox
        self.outbox: deque[Token] = deque()
        self.outbox_capacity = outbox_capacity
        self.data = data
        self.table = table

    @property
    def node(self) -> Node:
        return self.site.node
