"""A query as the machine runs it: its stages with their tests and keys (specification: eql-machine)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from dataclasses import field as own_field

from parte.languages.eql.semantics.conditions import Test, compile_test, fits
from parte.languages.eql.semantics.rulebook import rule
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.folding import folded
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.semantics.events.event import Event, Value

Key = tuple[Hashable, ...]


@rule("KEY", "keys of events", "ED, syntax: by")
def key_of(event: Event, fields: Sequence[tree.Field], readings: Readings) -> Key | None:
    """An event has the values of the key fields; without a field that is not optional it is in no key."""
    key: list[Hashable] = []
    for field in fields:
        value = event.attributes.get(field.name)
        if isinstance(value, tuple) or (value is None and readings.keys == "present" and not field.optional):
            return None
        if readings.case == "folded":
            key.append(folded(value) if isinstance(value, str) else value)
        else:
            key += [type(value) is bool, value]
    return tuple(key)


@dataclass(frozen=True, slots=True)
class Step:
    """A stage: the category and test of its events, and their key fields."""

    category: str | None
    test: Test
    fields: tuple[tree.Field, ...]
    readings: Readings

    def key(self, event: Event) -> Key | None:
        """Return the key with which an event fits; None if it does not fit, or is in no key."""
        if self.category is not None and self.category != event.template:
            return None
        if not fits(self.test, event):
            return None
        return key_of(event, self.fields, self.readings)

    def written(self, event: Event) -> list[Value | None]:
        """Return the values of the key fields as a result reports them."""
        return [event.attributes.get(field.name) for field in self.fields]


@dataclass(frozen=True, slots=True)
class Plan:
    """A sequence: its positive stages with runs written out, and the missing ones before and behind each of them.

    `gaps[i]` are those directly before positive stage i; `trailing` those behind the last; `missing` says that there is
    one. A maxspan is in milliseconds.
    """

    steps: tuple[Step, ...]
    gaps: tuple[tuple[Step, ...], ...]
    trailing: tuple[Step, ...]
    until: Step | None
    maxspan: int | None
    readings: Readings
    missing: bool = own_field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", any(self.gaps) or bool(self.trailing))


def step_of(stage: tree.Stage, common: tuple[tree.Field, ...], readings: Readings) -> Step:
    """Compile a stage."""
    event = stage.event
    return Step(event.category, compile_test(event.condition, readings), (*common, *stage.by), readings)


def plan_of(query: tree.Sequence, readings: Readings) -> Plan:
    """Compile a sequence; a stage with runs is compiled once."""
    steps: list[Step] = []
    gaps: list[tuple[Step, ...]] = []
    waiting: tuple[Step, ...] = ()
    for stage in query.stages:
        step = step_of(stage, query.by, readings)
        if stage.missing:
            waiting = (*waiting, step)
            continue
        steps += [step] * stage.runs
        gaps += [waiting, *[()] * (stage.runs - 1)]
        waiting = ()
    until = None if query.until is None else step_of(query.until, query.by, readings)
    maxspan = None if query.maxspan is None else query.maxspan.milliseconds
    return Plan(tuple(steps), tuple(gaps), waiting, until, maxspan, readings)
