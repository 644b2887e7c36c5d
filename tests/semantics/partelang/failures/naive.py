"""Naive designs of recovery: what each leaves out of the rules of failures, and what then goes wrong.

Each is a machine with one rule changed. `NAIVE` has them by name; `counterexamples.toml` has a shortest counterexample
of each.
"""

from __future__ import annotations

from msgspec.structs import replace

from parte.semantics.partelang.failures.durable import (
    Durable,
    LogEntry,
    Memory,
    Received,
    Stepped,
    replay,
    without_delivered,
)
from parte.semantics.partelang.failures.machine import FailingMachine
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import TerminalNode
from parte.semantics.partelang.rules.registry import TwoInputData


class StartEmpty(FailingMachine):
    """A node comes up with an empty memory."""

    def recovered(self, index: int) -> Memory:
        return without_delivered(replace(self.empty(index), first=self.delivered(index)), 0)


class CheckpointOnly(FailingMachine):
    """The log is in memory, so that a crash leaves the checkpoint without its log."""

    def crash(self, index: int) -> bool:
        if not super().crash(index):
            return False
        self.durable[index] = Durable(self.durable[index].checkpoint)
        return True


class Unnumbered(FailingMachine):
    """Tokens have no numbers, so that a node sends again what it produced since the checkpoint."""

    def delivered(self, index: int) -> int:  # noqa: ARG002 - nobody knows
        return 0


class UnorderedLog(FailingMachine):
    """The log has the tokens of each slot in order, and not the order of the steps: a replay takes the left first."""

    def recovered(self, index: int) -> Memory:
        durable = self.durable[index]

        def rank(entry: LogEntry) -> tuple[bool, int]:
            return isinstance(entry, Stepped), entry.slot

        unordered = Durable(durable.checkpoint, tuple(sorted(durable.log, key=rank)))
        return without_delivered(replay(unordered, self.effect(index)), self.delivered(index))


class InFlight(FailingMachine):
    """A token leaves the outbox before its receivers log it: each logs it with its next step."""

    def prop(self, index: int) -> bool:
        if not self.up[index] or not all(self.up[edge.node] for edge in self.network.successors[index]):
            return False
        if not Machine.prop(self, index):
            return False
        self.sent[index] += 1
        return True

    def proc(self, index: int, slot: int) -> bool:
        inbox = self.slotted(index).queues
        logged = replay(self.durable[index], self.effect(index)).inbox
        arrived: list[LogEntry] = [
            Received(place, token)
            for place, (queue, known) in enumerate(zip(inbox, logged, strict=True))
            for token in tuple(queue)[len(known) :]
        ]
        if not self.up[index] or not Machine.proc(self, index, slot):
            return False
        for entry in [*arrived, Stepped(slot)]:
            self.log(index, entry)
        return True


class ReportFirst(FailingMachine):
    """A terminal node reports in one act and logs the step in a later one, with its next step."""

    def proc(self, index: int, slot: int) -> bool:
        if not isinstance(self.nodes[index].node, TerminalNode):
            return super().proc(index, slot)
        unlogged = len(replay(self.durable[index], self.effect(index)).inbox[slot]) - len(
            self.slotted(index).queues[slot]
        )
        if not self.up[index] or not Machine.proc(self, index, slot):
            return False
        for _ in range(unlogged):
            self.log(index, Stepped(slot))
        return True


class NewestBounds(FailingMachine):
    """The bounds are written at once, the histories with the checkpoint: a node comes up with both as it finds them."""

    def recovered(self, index: int) -> Memory:
        memory, before = super().recovered(index), self.durable[index].checkpoint.data
        if not isinstance(memory.data, TwoInputData) or not isinstance(before, TwoInputData):
            return memory
        return replace(memory, data=replace(memory.data, left=before.left, right=before.right))


NAIVE: dict[str, type[FailingMachine]] = {
    "start-empty": StartEmpty,
    "checkpoint-only": CheckpointOnly,
    "unnumbered": Unnumbered,
    "unordered-log": UnorderedLog,
    "in-flight": InFlight,
    "report-first": ReportFirst,
    "newest-bounds": NewestBounds,
}
