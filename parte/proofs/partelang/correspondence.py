"""The nodes of the machine and those of the theorem: how their data, tokens and steps correspond.

The functions of the theorem are those that Coq has extracted from `Nodes.v` (`parte/proofs/rocq/nodes.json`). A node of
the machine has a kind there. Its keys are part of the condition. Events are themselves; an event of the theorem that
goes with a set is a pair of the event and the set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from parte.proofs.transcription import NONE, Made, Transcription, elements, listed
from parte.semantics.events.event import NEGATIVE_INFINITY, POSITIVE_INFINITY, Event
from parte.semantics.events.values import GREATEST_INTEGER
from parte.semantics.partelang.inboxes import SlottedInbox
from parte.semantics.partelang.machine import Action, ActionKind, Machine
from parte.semantics.partelang.network import (
    AlphaNode,
    EntryNode,
    Node,
    ProductionNode,
    Side,
    TerminalNode,
    TwoInputNode,
)
from parte.semantics.partelang.rules.registry import Data, EntryData, TwoInputData
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch, Token
from parte.semantics.rulebook.connectives import conj

NODES = Transcription(files("parte.proofs.rocq").joinpath("nodes.json").read_text(encoding="utf-8"))


class WithSet(NamedTuple):
    """The first event of a match that has collected a set."""

    event: Event
    elements: tuple[Event, ...]

    @property
    def template(self) -> str:
        """That of the event."""
        return self.event.template

    @property
    def timestamp(self) -> int:
        """That of the event."""
        return self.event.timestamp


def _with_set(event: Event) -> Callable[[Made], WithSet]:
    return lambda members: WithSet(event, tuple(elements(members)))


EVENTS = Made(
    "Build_Events",
    (
        lambda event: event.template,
        lambda event: event.timestamp,
        GREATEST_INTEGER + 1,
        POSITIVE_INFINITY,
        _with_set,
    ),
)
"""The class `Events` of the theorem, for the events of the machine; `horizon` bounds their timestamps."""


Sent = tuple[list[int], list[Any] | None]
"""A token of the theorem: its bounds, and its payload."""


class NodeData(NamedTuple):
    """The data of a node of the theorem; an entry node has the promises of its sources on the left."""

    left_bounds: list[int]
    right_bound: int
    left: list[list[Any]]
    right: list[list[Any]]


class Step(NamedTuple):
    """A step of a node of the theorem: its data after it, and its tokens."""

    data: NodeData
    tokens: list[Sent]


def step(node: Node, data: Data, side: Side, token: Token) -> Step:
    """Return the step that the node of the theorem takes for the same data and token."""
    slot = token.source if isinstance(token, AlphaToken) else int(side is Side.RIGHT)
    after, sent = NODES.applied("activate", EVENTS, kind(node), related(data), slot, _token(token)).parts
    return Step(_read(after), _read_tokens(sent))


def initial(node: Node) -> NodeData:
    """Return the initial data of the node of the theorem."""
    return _read(NODES.applied("initial", EVENTS, kind(node)))


def needed(node: TwoInputNode, data: TwoInputData, events: PartialMatch) -> bool:
    """Return whether a set-node of the theorem stores a right event: a left partial match, stored or to come, may have
    it in its window."""
    stored = listed(listed(entry.events) for entry in data.left)
    needs: bool = NODES.applied(
        "collectable", EVENTS, *_windows(node), _condition(node), stored, listed(data.left_bounds), listed(events)
    )
    return needs


def as_tokens(results: Iterable[Sequence[Any]], bounds: Sequence[int]) -> list[Sent]:
    """Return the tokens with which a two-input node of the theorem sends results, if the bounds hold after them."""
    tokens = NODES.applied("as_tokens", EVENTS, listed(map(listed, results)), listed(bounds))
    return _read_tokens(tokens)


def summarized(payload: Sequence[Any], summary: Callable[[Collection[Event], int], Event]) -> PartialMatch:
    """Return what the machine sends instead of a partial match with its set: the events, and a summary of the set."""
    first, *others = payload
    return (first.event, *others, summary(first.elements, first.timestamp))


def kind(node: Node) -> Made:
    """Return the kind of the node of the theorem."""
    match node:
        case EntryNode(template=template, sources=sources):
            return Made("Entry", (template, len(sources)))
        case AlphaNode(condition=condition):
            return Made("Alpha", (lambda event: condition((event,)),))
        case TwoInputNode(collects=True):
            return Made("Collecting", (*_windows(node), _condition(node)))
        case TwoInputNode(negated=negated):
            return Made("TwoInput", (negated, *_windows(node), _condition(node)))
        case ProductionNode():
            return Made("Production", (_emission(node), lambda bounds: node.generate_bound(tuple(elements(bounds))), 0))
        case TerminalNode():
            return Made("Terminal")


def _windows(node: TwoInputNode) -> tuple[Made, Made]:
    return listed(node.minima), listed(node.maxima)


def _condition(node: TwoInputNode) -> Callable[[Made], bool]:
    def holds(partial: Made) -> bool:
        *left, right = elements(partial)
        alike = node.left_key(tuple(left)) == node.right_key((right,))
        return conj(alike, node.condition((*left, right)))

    return holds


def _emission(node: ProductionNode) -> Callable[[Made], Made]:
    def generated(partial: Made) -> Made:
        event = node.generate_event(tuple(elements(partial)))
        return NONE if event is None else Made("Some", (event,))

    return generated


def related(data: Data) -> Made:
    """Return the data of the theorem to which the data of a node correspond."""
    match data:
        case EntryData(bounds=bounds):
            return _data(bounds, NEGATIVE_INFINITY, (), ())
        case TwoInputData(left_bounds=bounds, right_bound=bound, left=left, right=right):
            return _data(bounds, bound, (entry.events for entry in left), (entry.events for entry in right))
        case _:
            return _data((), NEGATIVE_INFINITY, (), ())


def _data(bounds: Iterable[int], bound: int, left: Iterable[PartialMatch], right: Iterable[PartialMatch]) -> Made:
    return Made("Data", (listed(bounds), bound, listed(map(listed, left)), listed(map(listed, right)), listed(())))


def _token(token: Token) -> Made:
    if isinstance(token, AlphaToken):
        token = BetaToken((token.bound,), None if token.payload is None else (token.payload,))
    payload = NONE if token.payload is None else Made("Some", (listed(token.payload),))
    return Made("Token", (listed(token.bounds), payload))


def _read(data: Made) -> NodeData:
    bounds, bound, left, right, _ = data.parts
    return NodeData(elements(bounds), bound, list(map(elements, elements(left))), list(map(elements, elements(right))))


def _read_token(token: Made) -> Sent:
    bounds, payload = token.parts
    return elements(bounds), None if payload == NONE else elements(payload.parts[0])


# --- Networks ---------------------------------------------------------------------------------------------------------


class Configuration(NamedTuple):
    """A network of the theorem in execution: its queues, the inboxes by node and slot, the outboxes, and the data."""

    queues: list[list[Sent]]
    inboxes: list[list[list[Sent]]]
    outboxes: list[list[Sent]]
    data: list[NodeData]


def successor(machine: Machine, action: Action) -> Configuration | None:
    """Return the configuration after a step of the theorem from that of a machine; None if the step is not possible."""
    vertices = [Made("Vertex", (kind(node), sources)) for node, sources in zip(*_shape(machine), strict=True)]
    after = NODES.applied("takes", EVENTS, listed(vertices), _limits(machine), _configuration(machine), _action(action))
    if after == NONE:
        return None
    (configuration,) = after.parts
    queue, inbox, outbox, state = configuration.parts
    nodes = range(len(machine.nodes))
    return Configuration(
        [_read_tokens(queue(index)) for index in range(len(machine.queues))],
        [[_read_tokens(inbox(index)(slot)) for slot in range(machine.network.slots(index))] for index in nodes],
        [_read_tokens(outbox(index)) for index in nodes],
        [_read(state(index)) for index in nodes],
    )


def _shape(machine: Machine) -> tuple[Sequence[Node], list[Made]]:
    """Return the nodes, and the source of each slot of each node: a queue, a node, or a queue that does not exist."""
    sources = {
        (target.node, target.slot): Made("External", (number,))
        for number, queue in enumerate(machine.queues)
        for target in queue.targets
    }
    for index, edges in enumerate(machine.network.successors):
        sources |= {(edge.node, edge.slot): Made("Internal", (index,)) for edge in edges}
    nobody = Made("External", (len(machine.queues),))
    slots = map(machine.network.slots, range(len(machine.nodes)))
    return machine.network.nodes, [
        listed(sources.get((index, slot), nobody) for slot in range(count)) for index, count in enumerate(slots)
    ]


def _limits(machine: Machine) -> Callable[[int], Made]:
    def of(index: int) -> Made:
        state = machine.nodes[index]
        assert isinstance(state.inbox, SlottedInbox)
        site = state.site
        rooms = (site.left_capacity, site.right_capacity, state.inbox.capacity, state.outbox_capacity)
        return Made("Limits", (*(NONE if room is None else Made("Some", (room,)) for room in rooms), site.limited))

    return of


def _configuration(machine: Machine) -> Made:
    def queue(number: int) -> Made:
        arrivals = machine.queues[number].arrivals if number < len(machine.queues) else ()
        return listed(_token(AlphaToken(0, arrival.bound, arrival.event)) for arrival in arrivals)

    def inbox(index: int) -> Callable[[int], Made]:
        waiting = tuple(machine.nodes[index].inbox.waiting())
        return lambda slot: listed(_token(token) for own, token in waiting if own == slot)

    def outbox(index: int) -> Made:
        return listed(map(_token, machine.nodes[index].outbox))

    def state(index: int) -> Made:
        return related(machine.nodes[index].data)

    return Made("Config", (queue, inbox, outbox, state))


def _action(action: Action) -> Made:
    match action.kind:
        case ActionKind.ARRIVE:
            return Made("Arrive", (action.place,))
        case ActionKind.PROC:
            return Made("Process", (action.place, action.slot))
        case ActionKind.PROP:
            return Made("Propagate", (action.place,))


def _read_tokens(tokens: Made) -> list[Sent]:
    return list(map(_read_token, elements(tokens)))
