"""The result of a run of any evaluator or machine: matches, emissions without a value, the reason why it stopped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from parte.semantics.events.match import Match


@dataclass(frozen=True, slots=True)
class EmissionFailure:
    """An emission without a value, which emits nothing (specification: no-value-emissions).

    `position` counts a rule's emissions from 1. `without_value` lists, as far as the run reports it, `timestamp` if
    `at` has no value, then the names of attributes without a value.
    """

    rule: str
    position: int
    bindings: tuple[tuple[str, str], ...]
    without_value: tuple[str, ...] = field(default=(), compare=False)

    def record(self) -> dict[str, object]:
        """Return the failure as plain data: `rule`, `emission` and `bindings`."""
        return {"rule": self.rule, "emission": self.position, "bindings": dict(self.bindings)}

    def __str__(self) -> str:
        bindings = ", ".join(f"{variable}={event}" for variable, event in self.bindings)
        return (
            f"{self.rule}({bindings}): emission {self.position} emits nothing, for a part of it has no value "
            "(an overflow, a division by zero, or a result beyond the finite numbers)"
        )


@dataclass(frozen=True, slots=True)
class SuppressedEmission:
    """An event that a match did not emit, because one that `passed`, by its id, is too close to it.

    `event` is the id that the suppressed event would have. `position` counts a rule's emissions from 1.
    """

    rule: str
    position: int
    bindings: tuple[tuple[str, str], ...]
    event: str
    passed: str

    def record(self) -> dict[str, object]:
        """Return the suppression as plain data: `rule`, `emission`, `bindings` and `passed`."""
        return {
            "rule": self.rule,
            "emission": self.position,
            "bindings": dict(self.bindings),
            "passed": self.passed,
        }

    def __str__(self) -> str:
        bindings = ", ".join(f"{variable}={event}" for variable, event in self.bindings)
        return f"{self.rule}({bindings}): emission {self.position} is suppressed: {self.passed} passed before it"


Unemitted = EmissionFailure | SuppressedEmission
"""An emission that emitted nothing."""
_U = TypeVar("_U", bound=Unemitted)


def in_order(unemitted: Iterable[_U]) -> tuple[_U, ...]:
    """Return emissions that emitted nothing by rule, bindings and position."""
    return tuple(sorted(unemitted, key=lambda emission: (emission.rule, emission.bindings, emission.position)))


class NodeStatus(Enum):
    """The states of a node between steps. *Evaluating* (D def. 20) occurs only during a step."""

    BLOCKED = "blocked"
    WAITING = "waiting"
    SUSPENDED = "suspended"


@dataclass(frozen=True, slots=True)
class NodeReport:
    """The state of a node, and for each slot and the outbox the reason why the first token there waits."""

    node: str
    status: NodeStatus
    waits_for: tuple[str, ...]


class Blocked(Exception):
    """No step is possible and input is left (D def. 20-24). `nodes` has every node that is not suspended."""

    def __init__(self, nodes: tuple[NodeReport, ...], waiting_outside: tuple[tuple[str, int], ...]) -> None:
        self.nodes = nodes
        self.waiting_outside = waiting_outside
        super().__init__(self.render())

    def render(self) -> str:
        """Return the nodes, their states and what each waits for, a line each."""
        lines = ["blocked: no step is possible and input is left"]
        for report in self.nodes:
            lines.extend(f"  {report.node} is {report.status.value}: {reason}" for reason in report.waits_for)
        lines.extend(f"  outside: {count} arrivals wait at {queue}" for queue, count in self.waiting_outside)
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run.

    `matches` are in canonical order, each as often as it was found. `failures` are the emissions without a value,
    `suppressed` those that a `once` suppressed.
    `steps` counts the steps of a machine that processed a token (rule PROC); None for the algebra, which takes none.
    `blocked` is the reason why a machine stopped with input left; None if it did not.
    """

    matches: tuple[Match, ...]
    failures: tuple[EmissionFailure, ...] = ()
    steps: int | None = None
    blocked: Blocked | None = None
    suppressed: tuple[SuppressedEmission, ...] = ()
