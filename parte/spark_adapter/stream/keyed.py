"""One key of a group: a machine computes the consequences of the events of a batch and of its promise.

This module does not import Spark. A batch is a set of events of one key in no order, and a promise: every later event
has a timestamp >= it. A machine is built once for a group and used for one key after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Arrival, Event
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import EmissionFailure, SuppressedEmission
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.expressions import Condition
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import AlphaNode, Network, Node, ProductionNode
from parte.semantics.partelang.repairs import SOUND, family_of
from parte.semantics.partelang.schedules import settle
from parte.semantics.partelang.suppression import OnceData, Passed
from parte.spark_adapter.partitioning import Group, KeyOf, keys_of
from parte.spark_adapter.stream.state import joins_of, restore, saved, suppressions_of

STREAM = "stream"
"""The one source of each template: a stream has one promise for all its events, from any sender."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of each history of one key: for each two-input node its left and its right one (None: unlimited).

    They are valid as long as no event is more than `ahead` milliseconds beyond the promise: such events wait outside.
    """

    histories: Mapping[str, tuple[int | None, int | None]]
    ahead: int

    @property
    def entries(self) -> int | None:
        """The most entries of all histories of a key together."""
        sizes = [size for pair in self.histories.values() for size in pair]
        known = [size for size in sizes if size is not None]
        return sum(known) if len(known) == len(sizes) else None


class BoundExceeded(RuntimeError):
    """More events came, or came closer together, than the deployment allows."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The results of a batch for one key. `state` is its new state (None: empty), `timer` the least promise that needs
    work even without events (None: there is none), `entries` the number of entries of its histories, `waiting` the
    number of events that wait because they are too far ahead."""

    matches: tuple[Match, ...]
    failures: tuple[EmissionFailure, ...]
    suppressed: tuple[SuppressedEmission, ...]
    state: str | None
    timer: int | None
    entries: int
    waiting: int


class KeyedMachine:
    """The machine of a group, which runs one key at a time.

    `sent` are the templates that come from outside; None: any. With `limits` a batch raises `BoundExceeded` as soon as
    a history has more entries.
    """

    def __init__(
        self,
        group: Group,
        predicates: Predicates,
        *,
        sent: Iterable[str] | None = None,
        limits: Limits | None = None,
    ) -> None:
        read = {pattern.template for rule in group.program.rules for pattern in rule.patterns}
        self._templates = tuple(sorted(read if sent is None else read & set(sent)))
        self._limits = limits
        self._key = ""
        self._bounds: dict[str, int] = {}
        sources = dict.fromkeys(self._templates, (STREAM,))
        network = compile_program(group.program, predicates, sources, family_of(SOUND))
        self._machine = Machine(self._restricted(network, keys_of(group, predicates)), SOUND)
        assert self._machine.unbounded is not None
        self._unbounded = self._machine.unbounded
        if limits is not None:
            self._unbounded.patience = 1  # the limits apply to histories that drop entries in time
        self._settle_all()

    def _restricted(self, network: Network, keys: Mapping[tuple[str, str], KeyOf]) -> Network:
        """Return the network in which a pattern takes only the events of the current key.

        An event goes to every key under which it fills some pattern, and must not fill another pattern there.
        """

        def of_key(node: Node) -> Node:
            if isinstance(node, AlphaNode):
                return replace(node, condition=self._of_key(keys[node.rule, node.variable], node.condition))
            if isinstance(node, ProductionNode) and node.once is not None:
                return replace(node, generate_bound=self._noting(node))
            return node

        return replace(network, nodes=tuple(map(of_key, network.nodes)))

    def _noting(self, node: ProductionNode) -> Callable[[tuple[int, ...]], int]:
        """Return the function for the bound of a production, which notes the last bound."""

        def bound(bounds: tuple[int, ...]) -> int:
            self._bounds[node.name] = node.generate_bound(bounds)
            return self._bounds[node.name]

        return bound

    def _of_key(self, key: KeyOf, condition: Condition) -> Condition:
        return lambda events: key(events[0]) == self._key and condition(events)

    @property
    def bound(self) -> int | None:
        """The most entries that all histories of a key together may have; None if nothing bounds them."""
        return None if self._limits is None else self._limits.entries

    def run(self, key: str, state: str | None, events: Iterable[Event], promise: int) -> Batch:
        """Return the results of some events of a key, which are not below the promise, and of the promise.

        BoundExceeded, and StateError if the state cannot be read.
        """
        machine = self._machine
        self._key = key
        machine.reset()
        self._bounds.clear()
        self._settle_all()
        waiting = [] if state is None else restore(machine, state)
        ahead = None if self._limits is None else self._limits.ahead
        candidates = sorted((*waiting, *events), key=lambda event: (event.timestamp, event.source, event.id))
        taken = [event for event in candidates if ahead is None or event.timestamp <= promise + ahead]
        before: int | None = None
        for event in taken:
            # Events that waited may be below the new promise, but not below the promise up to their own time.
            bound = min(promise, event.timestamp)
            if before is None or bound > before:
                self._promise(bound)
                before = bound
            self._feed(Arrival(STREAM, event.template, bound, event))
            self._check()
        if before is None or promise > before:
            self._promise(promise)
            self._check()
        self._unbounded.tell()
        self._forget()
        left = candidates[len(taken) :]
        return Batch(
            tuple(machine.matches),
            tuple(machine.failures),
            tuple(machine.undecided.suppressed),
            saved(machine, left),
            self._timer(promise, left, ahead or 0),
            sum(len(data.left) + len(data.right) for _, _, data in joins_of(machine)),
            len(left),
        )

    def _promise(self, bound: int) -> None:
        for template in self._templates:
            self._feed(Arrival(STREAM, template, bound, None))

    def _feed(self, arrival: Arrival) -> None:
        settle(self._machine, (self._machine.feed(arrival),))

    def _settle_all(self) -> None:
        settle(self._machine, range(len(self._machine.queues)))

    def _check(self) -> None:
        """Raise BoundExceeded if a history exceeds its limit."""
        if self._limits is None:
            return
        for _, node, data in joins_of(self._machine):
            sides = ("left", len(data.left)), ("right", len(data.right))
            for (side, count), limit in zip(sides, self._limits.histories[node.name], strict=True):
                if limit is not None and count > limit:
                    raise BoundExceeded(
                        f"key {self._key or 'of everything'}: the {side} history of {node.name} holds {count} entries, "
                        f"and the deployment allows no more than {limit}: more events came than its rates say, or "
                        "further out of order than `late` says; correct the deployment file and start again from the "
                        "same checkpoint"
                    )

    def _forget(self) -> None:
        """Remove the events that passed and can suppress nothing any more."""
        for index, node, data in suppressions_of(self._machine):
            assert node.once is not None
            bound = self._bounds.get(node.name, NEGATIVE_INFINITY)
            last = {
                key: passed for key, passed in data.last.events.items() if passed[0] + node.once.milliseconds > bound
            }
            self._machine.nodes[index].data = OnceData(data.waiting, Passed(last))

    def _timer(self, promise: int, waiting: Sequence[Event], ahead: int) -> int | None:
        """Return the least promise that needs work before the next event of the key, or None.

        This is the promise that closes a window without the event it forbids, that decides on an event with `once`, or
        that admits a waiting event; entries that only expire may wait until all of them do.
        """
        urgent: list[int] = [event.timestamp - ahead for event in waiting[:1]]
        lazy: list[int] = []
        for _, node, data in joins_of(self._machine):
            (urgent if node.waits else lazy).extend(entry.closes + 1 for entry in data.left)
            lazy.extend(entry.closes - max(node.minima) + 1 for entry in data.right)
        for _, production, once in suppressions_of(self._machine):
            assert production.once is not None
            bound = self._bounds.get(production.name, NEGATIVE_INFINITY)
            behind = 0 if bound == NEGATIVE_INFINITY else promise - bound
            urgent.extend(event.timestamp + behind + 1 for event in once.waiting[:1])
            lazy.extend(passed + production.once.milliseconds + behind for passed, _ in once.last.events.values())
        if promise >= POSITIVE_INFINITY or not (urgent or lazy):
            return None
        # Bounds on emitted events lag behind the promise: work that is due happens with one of the next promises.
        return max(min(urgent) if urgent else max(lazy), promise + 1)
