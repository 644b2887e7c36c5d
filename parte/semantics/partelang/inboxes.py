"""Inboxes: tokens that wait at a node (D §5.2.1, §5.4.4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from parte.semantics.partelang.network import Side, Successor
from parte.semantics.partelang.tokens import Token


class Inbox(Protocol):
    """The tokens that wait at a node: PROP puts them in, PROC takes them out."""

    def __len__(self) -> int: ...

    def has_room(self, successor: Successor) -> bool:
        """Return whether a token may come in over an edge."""
        ...

    def put(self, successor: Successor, token: Token) -> None:
        """Add a token that comes in over an edge."""
        ...

    def slots(self) -> Sequence[int]:
        """Return the slots from which a token may be taken now."""
        ...

    def peek(self, slot: int) -> Token:
        """Return the token that may be taken from a slot."""
        ...

    def pop(self, slot: int) -> None:
        """Remove that token."""
        ...

    def waiting(self) -> Sequence[tuple[int, Token]]:
        """Return all tokens with their slots."""
        ...


class SlottedInbox:
    """A queue for each slot; a token may be taken from any that is not empty (slot-per-side, merge-by-promise)."""

    __slots__ = ("capacity", "queues")

    def __init__(self, slots: int, capacity: int | None) -> None:
        self.queues: tuple[deque[Token], ...] = tuple(deque() for _ in range(slots))
        self.capacity = capacity

    def __len__(self) -> int:
        return sum(map(len, self.queues))

    def __bool__(self) -> bool:
        return any(self.queues)

    def has_room(self, successor: Successor) -> bool:
        return self.capacity is None or len(self.queues[successor.slot]) < self.capacity

    def put(self, successor: Successor, token: Token) -> None:
        self.queues[successor.slot].append(token)

    def slots(self) -> Sequence[int]:
        return [slot for slot, queue in enumerate(self.queues) if queue]

    def peek(self, slot: int) -> Token:
        return self.queues[slot][0]

    def pop(self, slot: int) -> None:
        self.queues[slot].popleft()

    def waiting(self) -> Sequence[tuple[int, Token]]:
        return [(slot, token) for slot, queue in enumerate(self.queues) for token in queue]


class QueueInbox:
    """One queue in order of arrival, as D prints it: only its head may be taken (defect 9).

    D §5.4.7 lets a token in only while there is none of its side; D §5.2.5 requires only room.
    """

    __slots__ = ("capacity", "one_per_side", "queue")

    def __init__(self, capacity: int | None, *, one_per_side: bool) -> None:
        self.queue: deque[tuple[int, Side, Token]] = deque()
        self.capacity = capacity
        self.one_per_side = one_per_side

    def __len__(self) -> int:
        return len(self.queue)

    def has_room(self, successor: Successor) -> bool:
        if self.one_per_side and any(side is successor.side for _, side, _ in self.queue):
            return False
        return self.capacity is None or len(self.queue) < self.capacity

    def put(self, successor: Successor, token: Token) -> None:
        self.queue.append((successor.slot, successor.side, token))

    def slots(self) -> Sequence[int]:
        return (self.queue[0][0],) if self.queue else ()

    def peek(self, slot: int) -> Token:
        return self.queue[0][2]

    def pop(self, slot: int) -> None:
        self.queue.popleft()

    def waiting(self) -> Sequence[tuple[int, Token]]:
        return [(slot, token) for slot, _, token in self.queue]
