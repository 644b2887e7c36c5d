"""Diagnose a machine that has tokens left and cannot take a step (D def. 20-24)."""

from __future__ import annotations

from parte.semantics.events.outcome import Blocked, NodeReport, NodeStatus
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import TwoInputNode, slot_name
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.tokens import Token, describe


def diagnose(machine: Machine) -> Blocked | None:
    """Return the report of a machine that no schedule can move; None if nothing is left to do."""
    if machine.finished:
        return None
    reports = tuple(_report(machine, index) for index in range(len(machine.nodes)))
    held_up = tuple(report for report in reports if report.status is not NodeStatus.SUSPENDED)
    outside = tuple((queue.name, len(queue.arrivals)) for queue in machine.queues if queue.arrivals)
    return Blocked(held_up, outside)


def _report(machine: Machine, index: int) -> NodeReport:
    state = machine.nodes[index]
    node = state.node
    reasons, blocked = [], False
    takeable = set(state.inbox.slots())
    tokens: dict[int, list[Token]] = {}
    for slot, token in state.inbox.waiting():
        tokens.setdefault(slot, []).append(token)
    for slot, (first, *others) in tokens.items():
        behind = f", and {len(others)} behind it" if others else ""
        where = f"token {describe(first)} on its {slot_name(node, slot)} side{behind},"
        if slot not in takeable:
            reasons.append(f"{where} waits behind a token of another side")
            continue
        obstacle = machine.obstacle(index, slot)
        if obstacle is not None:
            reasons.append(f"{where} waits for {obstacle.reason}")
        size = state.outbox_capacity
        blocked |= size is not None and machine.results_of(index, slot) > size
    if state.outbox:
        full = [
            machine.nodes[successor.node].node.name
            for successor in machine.network.successors[index]
            if not machine.nodes[successor.node].inbox.has_room(successor)
        ]
        behind = f", and {len(state.outbox) - 1} behind it" if len(state.outbox) > 1 else ""
        front = describe(state.outbox[0])
        reasons.append(f"token {front} in its outbox{behind}, waits for room at {', '.join(full)}")
    data = state.data
    if isinstance(node, TwoInputNode) and isinstance(data, TwoInputData):
        left, right = state.site.left_capacity, state.site.right_capacity
        both_full = left is not None and len(data.left) >= left and right is not None and len(data.right) >= right
        blocked |= both_full and bool(reasons)
    status = NodeStatus.BLOCKED if blocked else NodeStatus.WAITING if reasons else NodeStatus.SUSPENDED
    return NodeReport(node.name, status, tuple(reasons))
