"""The state of a key between two batches, as JSON: the histories of its machine, the events that wait, and what
`once` needs.

Bounds are not stored: promises are the same for all keys, and a machine with restored histories computes all bounds
again from the next promise.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import cast

from parte.semantics.events.event import Event, Value
from parte.semantics.events.match import Match
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import ProductionNode, TwoInputNode
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import TwoInputData
from parte.semantics.partelang.suppression import OnceData, Passed

EventRecord = list[object]


class StateError(ValueError):
    """State that this program did not write: another version of it did, or the checkpoint is damaged."""

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"{problem}; the checkpoint is damaged, or another version has written it: take another checkpoint and "
            "output directory"
        )


def event_record(event: Event) -> EventRecord:
    """Return an event as a JSON array: id, template, timestamp, source, attributes."""
    return [event.id, event.template, event.timestamp, event.source, dict(event.attributes)]


def event_of(record: EventRecord) -> Event:
    """Return the event of such an array."""
    id_, template, timestamp, source, attributes = record
    if not (
        isinstance(id_, str)
        and isinstance(template, str)
        and isinstance(timestamp, int)
        and isinstance(source, str)
        and isinstance(attributes, dict)
    ):
        raise StateError(f"an event is [id, template, timestamp, source, attributes]; found {record!r}")
    return Event(id_, template, timestamp, {name: _value(value) for name, value in attributes.items()}, source)


def _value(value: object) -> Value:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, str | int | float):  # a bool is an int
        return value
    raise StateError(f"no attribute can hold {value!r}")


def joins_of(machine: Machine) -> Iterator[tuple[int, TwoInputNode, TwoInputData]]:
    """Yield the two-input nodes of a machine with their data, by index."""
    for index, state in enumerate(machine.nodes):
        if isinstance(state.node, TwoInputNode) and isinstance(state.data, TwoInputData):
            yield index, state.node, state.data


def suppressions_of(machine: Machine) -> Iterator[tuple[int, ProductionNode, OnceData]]:
    """Yield the production nodes with `once` of a machine with their data, by index."""
    for index, state in enumerate(machine.nodes):
        if isinstance(state.node, ProductionNode) and isinstance(state.data, OnceData):
            yield index, state.node, state.data


def saved(machine: Machine, waiting: Sequence[Event]) -> str | None:
    """Return the histories of a machine without tokens in its queues, what its suppressions need, and the waiting
    events; None if there are none."""
    assert machine.finished
    numbers: dict[Event, int] = {}
    records: list[EventRecord] = []

    def number(event: Event) -> int:
        if event not in numbers:
            numbers[event] = len(records)
            records.append(event_record(event))
        return numbers[event]

    histories = {}
    for index, _, data in joins_of(machine):
        if len(data.left) or len(data.right):
            left = [[number(event) for event in entry.events] for entry in data.left]
            histories[str(index)] = [left, [number(entry.events[0]) for entry in data.right]]
    outside = [number(event) for event in waiting]
    suppressions = {}
    for index, _, once in suppressions_of(machine):
        if once.waiting or once.last.events:
            passed = [[list(cast(tuple[Value, ...], key)), *last] for key, last in once.last.events.items()]
            suppressions[str(index)] = [[number(event) for event in once.waiting], passed]
    matches = [
        [match.rule, match.bindings, [number(event) for event in match.emits], identities, dict(by)]
        for match, identities, by in machine.undecided.saved()
    ]
    if not records and not suppressions:
        return None
    record: dict[str, object] = {"events": records, "histories": histories, "waiting": outside}
    if suppressions or matches:
        record |= {"suppressions": suppressions, "matches": matches}
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def restore(machine: Machine, text: str) -> list[Event]:
    """Restore the histories of a machine that has been reset, and return the events that wait. StateError."""
    try:
        record = json.loads(text)
        events = [event_of(item) for item in record["events"]]
        for index, node, data in joins_of(machine):
            left, right = record["histories"].get(str(index), ((), ()))
            _refill(
                machine, index, node, data, ([events[i] for i in item] for item in left), [events[i] for i in right]
            )
        for index, _, _ in suppressions_of(machine):
            waiting, passed = record.get("suppressions", {}).get(str(index), ((), ()))
            last: dict[Hashable, tuple[int, str]] = {
                tuple(key): (timestamp, identity) for key, timestamp, identity in passed
            }
            machine.nodes[index].data = OnceData(tuple(events[i] for i in waiting), Passed(last))
        for rule, bindings, emits, identities, by in record.get("matches", ()):
            bound = tuple((variable, event) for variable, event in bindings)
            machine.undecided.restore(Match(rule, bound, tuple(events[i] for i in emits)), identities, by)
        return [events[i] for i in record["waiting"]]
    except StateError:
        raise
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise StateError(f"the state of a key cannot be read: {type(error).__name__}: {error}") from None


def _refill(
    machine: Machine,
    index: int,
    node: TwoInputNode,
    data: TwoInputData,
    left: Iterable[Sequence[Event]],
    right: Iterable[Event],
) -> None:
    lefts, rights = data.left, data.right
    for partial in left:
        lefts = lefts.stored(left_entry(node, tuple(partial)))
    for event in right:
        rights = rights.stored(right_entry(node, event))
    machine.nodes[index].data = data._replace(left=lefts, right=rights)
