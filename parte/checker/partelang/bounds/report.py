"""The result of `bounds`: sizes, rates, speed and memory, as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, cast

from parte.checker.partelang.bounds.polytope import Count
from parte.checker.report.contents import Json
from parte.semantics.events.bounds import Bounds, Natural, Positive
from parte.semantics.events.codec import Codec
from parte.semantics.partelang.capacities import Capacities, NodeCapacities
from parte.semantics.partelang.retention import DRIFT

Rate = Annotated[float, Bounds(least=0)]


_UNLIMITED = ("waiting", "passed")
"""The stores that have no capacity."""


class Tightness(Enum):
    """The quality of a size.

    TIGHT: with one less, some arrivals block the machine or make it wait for later events. GAP: the least size is
    between `least` and `viable`. UNBOUNDED: no finite size is enough.
    """

    TIGHT = "tight"
    GAP = "gap"
    UNBOUNDED = "unbounded"


@dataclass(frozen=True, slots=True)
class Size:
    """One history, inbox or outbox: `store` is left, right, inbox or outbox; an entry has `width` events.

    A node that suppresses stores the events that are `waiting`, and for each key the last that `passed`; no capacity
    limits these.

    `prescribed` is D's formula. `live` is the most entries that can be live at once, for histories. `viable` is
    sufficient for `sound`, None if no size is; less than `least` is not sufficient. An inbox has `slots` slots of this
    size each.
    """

    node: str
    store: Annotated[str, Bounds(choices=("left", "right", "waiting", "passed", "inbox", "outbox"))]
    width: Annotated[int, Bounds(least=1, meaning="the events of one entry")]
    prescribed: Annotated[Natural | None, Bounds(meaning="the size by D's formula")]
    live: Annotated[
        Count | None,
        Bounds(meaning="between which numbers the most entries that are live at once lie; null but for histories"),
    ]
    viable: Annotated[Natural | None, Bounds(meaning="a size that is sufficient; null if none is")]
    least: Annotated[int, Bounds(least=0, meaning="less than this is not sufficient")]
    verdict: Tightness
    reason: str
    slots: Annotated[int, Bounds(least=0, meaning="how many such stores the node has")] = 1

    @property
    def events(self) -> int | None:
        """Return the number of events in the store when it is full."""
        return None if self.viable is None else self.viable * self.slots * self.width


@dataclass(frozen=True, slots=True)
class Rates:
    """Partial matches per second (def. 14), by D's formula at a two-input node and as the windows allow in the long
    run, and steps per second."""

    node: str
    prescribed_left: Rate | None
    prescribed_right: Rate | None
    prescribed_production: Rate | None
    arriving: Rate
    leaving: Rate
    steps: Rate


@dataclass(frozen=True, slots=True)
class Outside:
    """The number of events of a source and template that may have to wait outside while another source is late."""

    source: str
    template: str
    events: Annotated[
        int, Bounds(least=0, meaning="how many events may have to wait outside for a source that is late")
    ]


@dataclass(frozen=True, slots=True)
class BoundsReport:
    """The sizes, rates and speed that a program needs for a deployment.

    `steps_per_event` is, for each template that arrives, the most steps that one event can cause. `steps_per_second`
    are the steps that all arrivals cause in the long run, if every event fills every pattern; `steps_by_rule` are those
    of each rule's nodes. `machine_steps_per_second` is None if it is not known. With `any_schedule`, the sizes are
    viable under every schedule; otherwise only if sources enter no further apart than `skew` milliseconds.
    """

    sizes: tuple[Size, ...]
    rates: tuple[Rates, ...]
    outside: tuple[Outside, ...]
    steps_per_event: Mapping[str, int | None]
    steps_per_second: float
    arrivals_per_second: float
    machine_steps_per_second: int | None
    event_bytes: int
    any_schedule: bool
    skew: int
    steps_by_rule: Mapping[str, float]

    @property
    def bounded(self) -> bool:
        """Return whether every size is finite."""
        return all(size.viable is not None for size in self.sizes)

    @property
    def keeps_up(self) -> bool | None:
        """Return whether the machine does the work of the long run; None if its speed is not known.

        In between, memory alone bounds how far the machine falls behind.
        """
        return (
            None
            if self.machine_steps_per_second is None
            else self.bounded and self.steps_per_second <= self.machine_steps_per_second
        )

    @property
    def strongly_reactive(self) -> bool | None:
        """Return whether even the costliest event is finished before the next arrives (D def. 1).

        None if the speed of the machine is not known.
        """
        if self.machine_steps_per_second is None:
            return None
        worst = self.worst_steps_per_event
        return worst is not None and worst * self.arrivals_per_second <= self.machine_steps_per_second

    @property
    def worst_steps_per_event(self) -> int | None:
        """Return the most steps that any one event can cause; None if that is unbounded."""
        finite = [steps for steps in self.steps_per_event.values() if steps is not None]
        return max(finite, default=0) if len(finite) == len(self.steps_per_event) else None

    @property
    def memory(self) -> int | None:
        """Return the bytes of all events in full histories, inboxes and outboxes; None if a size is unbounded."""
        events_of_stores = [size.events for size in self.sizes]
        known = [events for events in events_of_stores if events is not None]
        return sum(known) * self.event_bytes if len(known) == len(events_of_stores) else None

    def size(self, node: str, store: str) -> Size:
        """Return the size of a store. Raise KeyError if there is none."""
        for size in self.sizes:
            if (size.node, size.store) == (node, store):
                return size
        raise KeyError((node, store))

    def capacities(self) -> Capacities:
        """Return the viable sizes as capacities for a machine. Raise ValueError if one is unbounded."""
        sizes_by_node: dict[str, dict[str, int]] = {}
        for size in self.sizes:
            if size.viable is None:
                raise ValueError(f"{size.node}: no finite {size.store} is enough: {size.reason}")
            if size.store not in _UNLIMITED:
                sizes_by_node.setdefault(size.node, {})[size.store] = size.viable
        return Capacities(NodeCapacities(), {name: NodeCapacities(**stores) for name, stores in sizes_by_node.items()})

    def to_json(self) -> dict[str, Json]:
        """Return the report as plain data: numbers, strings, lists and objects."""
        return cast(dict[str, Json], CODEC.encode(self))

    def render(self) -> str:
        """Return the report as tables for people."""
        return "\n".join(_lines(self)) + "\n"


# --- As JSON ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Bounds:
    """A report in the form that is written as JSON."""

    bounded: Annotated[bool, Bounds(meaning="whether every size is finite")]
    any_schedule: Annotated[
        bool,
        Bounds(
            meaning="whether the sizes do under every schedule; if not, while sources enter no further apart than skew"
        ),
    ]
    skew: Annotated[int, Bounds(least=0, meaning="milliseconds")]
    keeps_up: Annotated[
        bool | None,
        Bounds(meaning="whether the machine does the work of the long run; null if its speed is not given"),
    ]
    strongly_reactive: Annotated[
        bool | None,
        Bounds(meaning="whether even the costliest event is done with before the next arrives (D def. 1)"),
    ]
    memory: Annotated[Natural | None, Bounds(meaning="bytes for all events in full stores; null is unbounded")]
    event_bytes: Positive
    steps_per_second: Annotated[float, Bounds(least=0, meaning="what the arrivals cause in the long run")]
    arrivals_per_second: Rate
    machine_steps_per_second: Positive | None
    steps_per_event: Annotated[
        Mapping[str, Natural | None],
        Bounds(meaning="for each template that arrives, the most steps that one event causes; null is unbounded"),
    ]
    sizes: tuple[Size, ...]
    rates: tuple[Rates, ...]
    outside: tuple[Outside, ...]


CODEC: Codec[_Bounds | BoundsReport] = Codec(_Bounds, optional={})


def schema() -> dict[str, Any]:
    """Return the JSON Schema of `BoundsReport.to_json`."""
    return CODEC.schema("https://parte.example/schemas/bounds-1.json", "What a deployment makes of a program")


# --- As text ---------------------------------------------------------------------------------------------------------


FILLED = (
    "A tight size is filled by arrivals as dense as the rates allow, while the other side of the node is kept waiting.",
    "With one entry less such a run blocks; "
    "parte.checker.partelang.bounds.replay.find_block looks for one and gives its arrivals.",
)


def _lines(report: BoundsReport) -> list[str]:
    histories = [size for size in report.sizes if size.store in ("left", "right", *_UNLIMITED)]
    outboxes = [size for size in report.sizes if size.store == "outbox" and size.viable not in (0, 1)]
    lines = ["Histories and outboxes: how many entries each must hold", ""]
    rows = [
        [_store(size), _prescribed_text(size), _alive(size.live), _count_text(size.viable), _verdict(size)]
        for size in (*histories, *outboxes)
    ]
    lines += _table(["store", "D's formula", "live at once", "viable", "verdict"], rows)
    lines += ["", "Every slot of an inbox and every other outbox holds 1 token, a terminal's outbox none.", ""]
    if any(size.verdict is Tightness.TIGHT for size in report.sizes):
        lines += [*FILLED, ""]
    lines += _table(
        ["node", "arriving/s", "leaving/s", "leaving/s by D", "steps/s"],
        [
            [
                rates.node,
                _number(rates.arriving),
                _number(rates.leaving),
                _number(rates.prescribed_production),
                _number(rates.steps),
            ]
            for rates in report.rates
        ],
    )
    waiting = [outside for outside in report.outside if report.skew]
    lines += [""] + [
        f"up to {outside.events} events of {outside.template} from {outside.source} wait outside for a "
        "source that is late"
        for outside in waiting
    ]
    return lines + _summary(report)


def _summary(report: BoundsReport) -> list[str]:
    memory = report.memory
    lines = [
        f"partial matches: {_partial(report)}",
        "memory: " + ("unbounded" if memory is None else f"{_bytes(memory)} at {report.event_bytes} bytes an event"),
        f"steps: at most {_count_text(report.worst_steps_per_event)} for one event, "
        f"{_number(report.steps_per_second)} a second in the long run",
    ]
    if not report.bounded:
        lines.append("verdict: no finite size is enough")
    elif not report.any_schedule:
        lines.append(
            f"verdict: viable as long as sources enter no more than {report.skew} ms apart; a schedule that lets one "
            f"run ahead can block, as {DRIFT}"
        )
    else:
        lines.append("verdict: viable under every schedule")
    if report.machine_steps_per_second is not None:
        pace = f"a machine with {report.machine_steps_per_second:,} steps a second"
        lines.append(f"{pace} {'keeps up' if report.keeps_up else 'falls behind'}")
        reactive = (
            "is done with every event before the next"
            if report.strongly_reactive
            else ("may still be busy with one event when the next arrives")
        )
        lines.append(f"{pace} {reactive}")
    return lines


def _partial(report: BoundsReport) -> str:
    """Return the most live partial matches, waiting single events included, and the store with the most of them."""
    live = {_store(size): size.live.greatest for size in report.sizes if size.live is not None}
    if unbounded := [_store(size) for size in report.sizes if size.live is not None and size.viable is None]:
        return f"unbounded in {', '.join(unbounded)}"
    if not live:
        return "none are kept"
    most = max(live, key=lambda store: live[store])
    return f"at most {sum(live.values()):,} live at once, {live[most]:,} of them in {most}"


def _store(size: Size) -> str:
    return f"{size.node} {size.store}"


def _count_text(number: int | None) -> str:
    return "unbounded" if number is None else f"{number:,}"


def _prescribed_text(size: Size) -> str:
    return "" if size.prescribed is None else _count_text(size.prescribed)


def _number(number: float | None) -> str:
    return "" if number is None else f"{number:,.4g}" if number < 1000 else f"{number:,.0f}"


def _bytes(number: int) -> str:
    """Return a size in a readable binary unit, and exactly."""
    exact = f"{number:,} bytes"
    power = min(max(0, number.bit_length() - 1) // 10, len(_BINARY))
    whole, tenths = divmod((number * 10) >> (10 * power), 10)
    return f"{whole:,}.{tenths} {_BINARY[power - 1]} ({exact})" if power else exact


_BINARY = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def _alive(count: Count | None) -> str:
    if count is None:
        return ""
    return f"{count.greatest:,}" if count.exact else f"{count.least:,} to {count.greatest:,}"


def _verdict(size: Size) -> str:
    return f"gap, at least {size.least:,}" if size.verdict is Tightness.GAP else size.verdict.value


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        return "  ".join(cells).rstrip()

    return [line(head), "  ".join("-" * width for width in widths), *map(line, rows)]
