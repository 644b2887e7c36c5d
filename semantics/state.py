"""What of an execution changes: the nodes' inboxes, outboxes and data, and what waits outside."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from semantics.events.event import Arrival
from semantics.inboxes import Inbox
from semantics.network import Node, Successor
from semantics.rules.registry import Data, RuleInfo, Site
from semantics.tokens import Token


@dataclass(frozen=True, slots=True)
class EmissionFailure:
    """An emission without a value, which emits nothing (SPEC §2). `position` counts a rule's emissions from 1."""

    rule: str
    position: int
    bindings: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class ExternalQueue:
    """Arrivals that have not entered the network yet, in order, and where they will."""

    name: str
    arrivals: deque[Arrival]
    targets: tuple[Successor, ...]
    source_slot: int


Table = dict[tuple[int, bool], tuple[RuleInfo, ...]]


class NodeState:
    """What of a node changes, and what is looked up at every step."""

    __slots__ = ("data", "inbox", "outbox", "outbox_capacity", "site", "table")

    def __init__(self, site: Site, inbox: Inbox, outbox_capacity: int | None, data: Data, table: Table) -> None:
        self.site = site
        self.inbox = inbox
        self.outbox: deque[Token] = deque()
        self.outbox_capacity = outbox_capacity
        self.data = data
        self.table = table

    @property
    def node(self) -> Node:
        return self.site.node
