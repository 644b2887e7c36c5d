"""The durable state of a node: a checkpoint of its memory and a log (specification: node-durable)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from parte.semantics.partelang.rules.registry import Data, Effect
from parte.semantics.partelang.tokens import Token


class Memory(Struct, frozen=True, gc=False):
    """The state that a node loses when it crashes: its data, the tokens of each slot of its inbox, and its outbox.

    The tokens of an outbox are numbered from 0 in the order of their production; `first` is the number of the first one
    that is still there. `received` has the number of tokens that each slot has received so far.
    """

    data: Data
    inbox: tuple[tuple[Token, ...], ...]
    outbox: tuple[Token, ...]
    first: int
    received: tuple[int, ...]


class Received(Struct, frozen=True, gc=False):
    """The entry `R slot token` of a log: the node has received a token."""

    slot: int
    token: Token


class Stepped(Struct, frozen=True, gc=False):
    """The entry `P slot` of a log: the node has processed the first token of a slot."""

    slot: int


LogEntry: TypeAlias = Received | Stepped
Apply: TypeAlias = Callable[[Data, int, Token], Effect]
"""Returns the effect of the rule of →l that applies to a token at a slot."""


class Durable(Struct, frozen=True, gc=False):
    """A checkpoint, and the log of what the node received and did since, in the order in which it happened.

    `steps` is the number of steps in the log.
    """

    checkpoint: Memory
    log: tuple[LogEntry, ...] = ()
    steps: int = 0

    def received(self, slot: int) -> int:
        """Return the number of tokens that a slot has received."""
        logged = sum(isinstance(entry, Received) and entry.slot == slot for entry in self.log)
        return self.checkpoint.received[slot] + logged

    def logged(self, entry: LogEntry) -> Durable:
        """Return the same with one more entry in the log."""
        return Durable(self.checkpoint, (*self.log, entry), self.steps + isinstance(entry, Stepped))


def replay(durable: Durable, apply: Apply) -> Memory:
    """Return the memory of a node after its checkpoint and the whole log (specification: node-replay)."""
    memory = durable.checkpoint
    for entry in durable.log:
        memory = after_receipt(memory, entry) if isinstance(entry, Received) else after_step(memory, entry.slot, apply)
    return memory


def after_receipt(memory: Memory, entry: Received) -> Memory:
    """Return the memory with a token at the end of its slot."""
    slot = entry.slot
    return replace(
        memory,
        inbox=_with(memory.inbox, slot, (*memory.inbox[slot], entry.token)),
        received=_with(memory.received, slot, memory.received[slot] + 1),
    )


def after_step(memory: Memory, slot: int, apply: Apply) -> Memory:
    """Return the memory after the rule of →l that applies to the first token of a slot."""
    token, *rest = memory.inbox[slot]
    effect = apply(memory.data, slot, token)
    return replace(
        memory,
        data=effect.data,
        inbox=_with(memory.inbox, slot, tuple(rest)),
        outbox=memory.outbox + effect.tokens,
    )


def without_delivered(memory: Memory, received: int) -> Memory:
    """Return the memory without the tokens of the outbox whose number is less than `received`."""
    gone = min(max(0, received - memory.first), len(memory.outbox))
    return replace(memory, outbox=memory.outbox[gone:], first=memory.first + gone)


_T = TypeVar("_T")


def _with(places: tuple[_T, ...], place: int, value: _T) -> tuple[_T, ...]:
    return (*places[:place], value, *places[place + 1 :])
