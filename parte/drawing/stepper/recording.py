"""A run step by step, as data: the input of each step, the rule that fired with the values in its figure, and the
output.

Events, tokens, entries of histories and texts are in tables, and steps refer to them by their places there. A step has
only the changes that it makes: the content of nodes after a step follows from their content before the first one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from parte.drawing.stepper.values import time_text, value_text
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.outcome import Outcome
from parte.semantics.events.scenario import Scenario
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities
from parte.semantics.partelang.execution import network_of, outcome_of
from parte.semantics.partelang.failures.machine import Fault
from parte.semantics.partelang.failures.schedules import Crashing
from parte.semantics.partelang.histories import Entry
from parte.semantics.partelang.machine import Action, ActionKind, Machine, Step
from parte.semantics.partelang.network import Network, Successor, TerminalNode
from parte.semantics.partelang.recording import RecordingFailures, RecordingMachine, Taken
from parte.semantics.partelang.repairs import SOUND
from parte.semantics.partelang.rules.performed import figures_of
from parte.semantics.partelang.rules.registry import Data, Effect, EntryData, LocalRule, TwoInputData
from parte.semantics.partelang.schedules import RoundRobin, Schedule
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.tokens import AlphaToken, Token
from parte.semantics.rulebook.models import Model

LIMIT = 5_000
"""The number of steps that are recorded by default."""

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Following:
    """A schedule that takes the steps of a path, such as a path of an exploration."""

    path: Sequence[Action]
    name: str = "a path of the exploration"

    def drive(self, machine: Machine, arrivals: Iterable[Arrival]) -> None:
        """Feed the arrivals and take the steps. Raise ValueError if one is impossible."""
        for arrival in arrivals:
            machine.feed(arrival)
        for number, action in enumerate(self.path, 1):
            if not machine.take(action):
                raise ValueError(f"expected a path that the machine can take, but step {number} is impossible")


@dataclass(frozen=True, slots=True)
class Recording:
    """Steps of a run as plain data: those from `first` on, of `total`. `start` is the content of nodes before them.

    `rules` are the rules to which steps refer, in that order. `fired` are all steps of PROC, also those that are not
    recorded, and `numbers` are their numbers among all steps, from 1.
    """

    network: Network
    model: Model
    schedule: str
    first: int
    total: int
    start: Sequence[Json]
    steps: Sequence[Json]
    tables: Mapping[str, Sequence[object]]
    rules: Sequence[LocalRule]
    queues: Sequence[str]
    outcome: Outcome
    fired: Sequence[Step]
    numbers: Sequence[int]


def record(
    scenario: Scenario[core.Program],
    *,
    model: Model = SOUND,
    schedule: Schedule | None = None,
    capacities: Capacities = UNBOUNDED,
    first: int = 1,
    limit: int = LIMIT,
) -> Recording:
    """Run a machine, and record `limit` of its steps from the `first` on, with the values of the figures that fired.

    Raise CapacitiesError if a node that has capacities does not exist, MissingPredicate if a predicate is not supplied.
    """
    network = network_of(scenario, model)
    capacities.check(node.name for node in network.nodes)
    keeping = _Keeping(first, limit)
    chosen = schedule or RoundRobin()
    if isinstance(chosen, Crashing):
        machine: RecordingMachine = RecordingFailures(
            network, model, keeping.keep, capacities, fault=keeping.fault, period=chosen.period
        )
    else:
        machine = RecordingMachine(network, model, keeping.keep, capacities)
    keeping.machine, keeping.start = machine, _held(machine, keeping.tables)
    chosen.drive(machine, scenario.arrivals)
    if not keeping.steps:
        keeping.start = _held(machine, keeping.tables)
    return Recording(
        network=network,
        model=model,
        schedule=chosen.name,
        first=first,
        total=keeping.taken,
        start=keeping.start,
        steps=keeping.steps,
        tables=keeping.tables.plain(),
        rules=keeping.tables.rules.items,
        queues=[queue.name for queue in machine.queues],
        outcome=outcome_of(machine),
        fired=keeping.fired,
        numbers=keeping.numbers,
    )


_Item = TypeVar("_Item")


class _Table(Generic[_Item]):
    """Items without repetition, by their places."""

    def __init__(self, key: Callable[[_Item], Hashable]) -> None:
        self.key = key
        self.items: list[_Item] = []
        self.places: dict[Hashable, int] = {}

    def place(self, item: _Item) -> int:
        place = self.places.setdefault(self.key(item), len(self.items))
        if place == len(self.items):
            self.items.append(item)
        return place

    def all(self, items: Iterable[_Item]) -> list[int]:
        return [self.place(item) for item in items]


class _Tables:
    """The tables to which steps refer."""

    def __init__(self) -> None:
        self.events = _Table[Event](lambda event: event.id)
        self.tokens = _Table[Token](lambda token: token)
        self.entries = _Table[Entry](lambda entry: (entry.events, entry.opens, entry.closes, entry.key))
        self.texts = _Table[str](lambda text: text)
        self.rules = _Table[LocalRule](lambda info: info.id)

    def plain(self) -> Mapping[str, Sequence[object]]:
        tokens = [self._token(token) for token in self.tokens.items]
        entries = [
            [self.events.all(entry.events), time_text(entry.opens), time_text(entry.closes)]
            for entry in self.entries.items
        ]
        events = [
            [
                event.id,
                event.template,
                event.source,
                time_text(event.timestamp),
                ", ".join(f"{name} = {value!r}" for name, value in event.attributes.items()),
            ]
            for event in self.events.items
        ]
        return {"events": events, "tokens": tokens, "entries": entries, "texts": self.texts.items}

    def _token(self, token: Token) -> object:
        bounds = (token.bound,) if isinstance(token, AlphaToken) else token.bounds
        payload = (token.payload,) if isinstance(token.payload, Event) else token.payload
        return [None if payload is None else self.events.all(payload), list(map(time_text, bounds))]

    def bounds(self, data: Data) -> list[int]:
        match data:
            case EntryData(bounds=bounds):
                return self.texts.all(map(time_text, bounds))
            case TwoInputData(left_bounds=bounds, right_bound=bound):
                return self.texts.all(map(time_text, (*bounds, bound)))
        return []


def _held(machine: Machine, tables: _Tables) -> list[Json]:
    """Return the content of the nodes."""
    return [_held_at(machine, index, tables) for index in range(len(machine.nodes))]


def _held_at(machine: Machine, index: int, tables: _Tables) -> Json:
    """Return the content of a node."""
    state = machine.nodes[index]
    inbox: list[list[int]] = [[] for _ in range(machine.network.slots(index))]
    for slot, token in state.inbox.waiting():
        inbox[slot].append(tables.tokens.place(token))
    left, right = (state.data.left, state.data.right) if isinstance(state.data, TwoInputData) else ((), ())
    return {
        "inbox": inbox,
        "outbox": tables.tokens.all(state.outbox),
        "left": tables.entries.all(left),
        "right": tables.entries.all(right),
        "bounds": tables.bounds(state.data),
    }


@dataclass(slots=True)
class _Keeping:
    """A recorder of the steps of a machine."""

    first: int
    limit: int
    tables: _Tables = field(default_factory=_Tables)
    machine: RecordingMachine | None = None
    start: list[Json] = field(default_factory=list)
    steps: list[Json] = field(default_factory=list)
    fired: list[Step] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    taken: int = 0

    def keep(self, taken: Taken) -> None:
        if taken.fired is not None:
            self.fired.append(taken.fired)
            self.numbers.append(self.taken + 1)
        self._add(lambda machine: self._plain(machine, taken))

    def fault(self, fault: Fault) -> None:
        """Keep a crash, a restoration or a checkpoint, with the content of the node after it."""
        kind, node = fault.kind.value, fault.place
        self._add(lambda machine: {"do": kind, "node": node, "to": [], "held": _held_at(machine, node, self.tables)})

    def _add(self, plain: Callable[[RecordingMachine], Json]) -> None:
        assert self.machine is not None
        self.taken += 1
        if self.first <= self.taken < self.first + self.limit:
            self.steps.append(plain(self.machine))
        elif self.taken == self.first - 1:
            self.start = _held(self.machine, self.tables)

    def _plain(self, machine: RecordingMachine, taken: Taken) -> Json:
        action, token = taken.action, self.tables.tokens.place(taken.token)
        performer = figures_of(machine.model).performer
        if action.kind is ActionKind.ARRIVE:
            targets = [[edge.node, action.slot] for edge in machine.queues[action.place].targets]
            return {"do": "arrive", "queue": action.place, "to": targets, "token": token}
        if action.kind is ActionKind.PROP:
            targets = [[edge.node, edge.slot] for edge in machine.network.successors[action.place]]
            assert taken.passing is not None
            texts = [performer.filled(line, self._text) for line in taken.passing.lines]
            lines = self.tables.texts.all(texts)
            return {"do": "prop", "node": action.place, "to": targets, "token": token, "lines": lines}
        assert taken.fired is not None
        return {"do": "proc", "node": action.place, "slot": action.slot, "token": token, **self._fired(machine, taken)}

    def _text(self, value: object) -> str:
        """Return a value as text; for edges, the names of their targets."""
        if isinstance(value, tuple) and value and isinstance(value[0], Successor):
            assert self.machine is not None
            return ", ".join(self.machine.network.nodes[edge.node].name for edge in value)
        return value_text(value)

    def _fired(self, machine: RecordingMachine, taken: Taken) -> Json:
        """Return the effect of a step of PROC, and the values in the figures of the rules that it tried."""
        fired, tables = taken.fired, self.tables
        assert fired is not None
        done: dict[str, object] = {"out": tables.tokens.all(fired.produced)}
        for name, changed in (
            ("left", (fired.left_stored, fired.left_removed)),
            ("right", (fired.right_stored, fired.right_removed)),
        ):
            if any(changed):
                done[name] = [tables.entries.all(some) for some in changed]
        bounds = tables.bounds(taken.after)
        if bounds != tables.bounds(taken.before):
            done["bounds"] = bounds
        state = machine.nodes[taken.action.place]
        if isinstance(state.node, TerminalNode) and isinstance(taken.token.payload, tuple):
            match = state.node.to_match(taken.token.payload)
            done["match"] = tables.texts.place(
                f"{match.rule}({', '.join(f'{name}={id}' for name, id in match.bindings)})"
            )
        figures = figures_of(machine.model)
        tried: list[list[int]] = []
        for info in state.table[taken.action.slot, taken.token.payload is not None]:
            performed = figures.perform(info, state.site, taken.before, taken.token)
            texts = [figures.performer.filled(line, value_text) for line in performed.lines]
            if info.id == fired.rule:
                assert isinstance(performed.result, Effect)
                data = value_text(taken.before) if taken.before else "⟨⟩"
                done["rule"] = tables.rules.place(info)
                done["lines"] = tables.texts.all(
                    [*texts, f"{data}, {value_text(taken.token)}", value_text(performed.result)]
                )
                break
            tried.append([tables.rules.place(info), len(texts) - 1, tables.texts.place(texts[-1])])
        return {**done, "asked": tried} if tried else done
