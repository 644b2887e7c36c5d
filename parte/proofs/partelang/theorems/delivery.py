"""Rooms are as given, no side or source waits for another, and the visible results of a run are recorded.

These stay, because no transcription has capacities of single nodes, the inboxes of `published` (defects 9 and 11) or
the results that a machine reports. PROC, PROP and arrivals are in `refinement_of_networks`, on the same network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parte.proofs.lemma import HOLDS, IN_SOUND, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import event, event_at, name_of, partial_match, two_input_node
from parte.proofs.statements import before, count_of
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import EmissionFailure
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.inboxes import QueueInbox, SlottedInbox
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import (
    AlphaNode,
    EntryNode,
    Network,
    Node,
    ProductionNode,
    Side,
    Successor,
    TerminalNode,
)
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.tokens import BetaToken, PartialMatch, Token

# --- A small network --------------------------------------------------------------------------------------------------

SOURCES = ("s", "t")
ENTRY, ALPHA, JOIN, NOT, TERMINAL, PRODUCTION, FIRST, SECOND = range(8)
LEFT, RIGHT = Side.LEFT, Side.RIGHT


def _match(events: PartialMatch) -> Match:
    return Match("R", tuple(("a", event.id) for event in events))


def _network(run: Run) -> Network:
    def emission(events: PartialMatch) -> Event | None:
        return event_at("emitted", run.integer("emitted"), "U") if _has_value(run, events) else None

    nodes: tuple[Node, ...] = (
        EntryNode("entry:T", "T", SOURCES, tuple(range(len(SOURCES)))),
        AlphaNode("alpha:R.a", "R", "T", "a", lambda _: True),
        replace(two_input_node(run, 1, negated=False), name="join:R.b"),
        replace(two_input_node(run, 1, negated=True), name="join:R.c"),
        TerminalNode("terminal:R", "R", _match),
        ProductionNode("production:R#1", "R", 1, emission, lambda bounds: bounds[0]),
        EntryNode("entry:U", "U", ("other", "production:R#1"), ()),
        EntryNode("entry:V", "V", ("production:R#1",), ()),
    )
    top = Side.TOP
    successors = (
        (Successor(ALPHA, top, 0),),
        (Successor(JOIN, LEFT, 0), Successor(NOT, RIGHT, 1), Successor(TERMINAL, top, 0)),
        (Successor(NOT, LEFT, 0),),
        (Successor(PRODUCTION, top, 0),),
        (),
        (Successor(FIRST, top, 1), Successor(SECOND, top, 0)),
        (),
        (),
    )
    return Network(Family.FEATHERWEIGHT, nodes, successors, tuple(True for _ in nodes))


def small_machine(run: Run, capacities: Capacities = UNBOUNDED) -> Machine:
    """Return a machine of the small network that takes single steps."""
    return Machine(_network(run), run.model, capacities, lambda _: None)


def _beta(run: Run, name: str) -> BetaToken:
    return BetaToken((run.integer(f"bound {name}"),), (event(run, f"event {name}"),))


def _at(inbox: QueueInbox, slot: int) -> list[Token]:
    return [token for at, token in inbox.waiting() if at == slot]


# --- Capacities -------------------------------------------------------------------------------------------------------


def room(run: Run) -> Claims:
    """A machine with capacities, with special ones for a node."""
    common = NodeCapacities(*(choice(run, f"room {number}", (None, number)) for number in (1, 2, 3, 4)))
    own = NodeCapacities(left=7, outbox=8)
    machine = small_machine(run, Capacities(common, {"join:R.b": own}))
    claims = []
    for index, capacities in ((NOT, common), (JOIN, own.over(common))):
        state = machine.nodes[index]
        assert isinstance(state.inbox, SlottedInbox | QueueInbox)
        actual = (state.site.left_capacity, state.site.right_capacity, state.inbox.capacity, state.outbox_capacity)
        wanted = (capacities.left, capacities.right, capacities.inbox, capacities.outbox)
        claims.append((f"node {index} has the room that it was given", actual == wanted))
    return claims


# --- Slots (repairs 9 and 11) -----------------------------------------------------------------------------------------


def sides(run: Run) -> Claims:
    """A node with a token on each side, if an inbox has room for one of each."""
    machine = small_machine(run, Capacities(NodeCapacities(inbox=1)))
    edges = (Successor(JOIN, LEFT, 0), Successor(JOIN, RIGHT, 1))
    first, second = choice(run, "which comes first", (edges, edges[::-1]))
    inbox = machine.nodes[JOIN].inbox
    tokens = {edge: _beta(run, edge.side.name) for edge in edges}
    inbox.put(first, tokens[first])
    claims = [("a full side keeps no token from the other", inbox.has_room(second))]
    inbox.put(second, tokens[second])
    claims += [
        (
            f"a token from the {edge.side.name} can be taken",
            edge.slot in inbox.slots() and inbox.peek(edge.slot) is token,
        )
        for edge, token in tokens.items()
    ]
    return claims


def of_each_source(run: Run) -> Claims:
    """An arrival of each of two sources, of which none is taken."""
    machine = small_machine(run, Capacities(NodeCapacities(inbox=1)))
    for source in choice(run, "order", (SOURCES, SOURCES[::-1])):
        machine.feed(Arrival(source, "T", run.integer(f"bound {source}"), event(run, source)))
    for queue in range(len(machine.queues)):
        machine.arrive(queue)
    ready = machine.nodes[ENTRY].inbox.slots()
    return (("a token of each source can be taken", list(ready) == list(range(len(SOURCES)))),)


# --- Inboxes ----------------------------------------------------------------------------------------------------------

_OPERATIONS = 4
_CAPACITY = 2


def in_order(*, one_per_side: bool) -> Body:
    """Tokens are put in and taken out in any order of these operations; a list models the waiting tokens."""
    edges = (Successor(0, LEFT, 0), Successor(0, RIGHT, 1))

    def body(run: Run) -> Claims:
        inbox = QueueInbox(_CAPACITY, one_per_side=one_per_side)
        waiting: list[tuple[int, Token]] = []
        claims: list[tuple[str, bool]] = []
        for number in range(_OPERATIONS):
            edge = choice(run, f"operation {number}", (*edges, None))
            first = waiting[:1]
            ready = [slot for slot, _ in first]
            claims += [
                ("the slots that are ready are told", list(inbox.slots()) == ready),
                ("the first in is the first out", all(inbox.peek(slot) is token for slot, token in first)),
                (
                    "what waits is told, a slot's in order",
                    all(_at(inbox, e.slot) == _of(waiting, e.slot) for e in edges),
                ),
                ("how many wait is told", len(inbox) == count_of(waiting)),
            ]
            for target in edges:
                room = before(count_of(waiting), _CAPACITY) and not (one_per_side and _of(waiting, target.slot))
                claims.append(("there is room as long as there is", inbox.has_room(target) is room))
            if edge is not None:
                token = BetaToken((number,), None)
                inbox.put(edge, token)
                waiting.append((edge.slot, token))
            elif first:
                inbox.pop(*ready)
                waiting.pop(0)
        return claims

    return body


def _of(waiting: Sequence[tuple[int, Token]], slot: int) -> list[Token]:
    return [token for at, token in waiting if at == slot]


# --- Visible results --------------------------------------------------------------------------------------------------


def recorded(run: Run) -> Claims:
    """Three tokens in a row arrive at the terminal and at the production node, with and without a payload."""
    machine = small_machine(run)
    matches, failures = [], []
    for number in range(3):
        payload = choice(run, f"payload {number}", (partial_match(run, f"p{number}", 1), None))
        for index in (TERMINAL, PRODUCTION):
            machine.nodes[index].inbox.put(Successor(index, Side.TOP, 0), BetaToken(run.integers("bound", 1), payload))
            machine.proc(index, 0)
        if payload is not None:
            matches.append(_match(payload))
            if not _has_value(run, payload):
                failures.append(EmissionFailure("R", 1, _match(payload).bindings))
    return (
        ("each partial match at a terminal node is a match, once and in order", machine.matches == matches),
        ("each emission without a value is reported, once and in order", machine.failures == failures),
    )


def _has_value(run: Run, events: PartialMatch) -> bool:
    return bool(run.truth(f"the emission for {name_of(events)} has a value"))


# --- The lemmas -------------------------------------------------------------------------------------------------------

_MACHINE, _INBOXES = "parte.semantics.partelang.machine", "parte.semantics.partelang.inboxes"
_ANY_ORDER = f"{_OPERATIONS} operations in any order, 2 slots, room for {_CAPACITY}"


def _inbox(name: str, what: str, mutant: Mutant, *, one_per_side: bool) -> Lemma:
    statement = f"What comes first into {what} goes first, nothing else comes out, and there is room up to capacity."
    return Lemma(
        f"inbox-{name}",
        statement,
        "5.2.1, 5.4.4",
        (),
        _ANY_ORDER,
        in_order(one_per_side=one_per_side),
        mutant,
        IN_SOUND,
    )


LEMMAS = (
    Lemma(
        "room-as-given",
        "Every node has the capacities that the machine was given for it, and the common ones where it has none.",
        "5.4.4",
        (),
        "2 nodes, all combinations of bounded and unbounded",
        room,
        Mutant("exchanged", f"{_MACHINE}:Machine._node_state", "sizes.left, sizes.right", "sizes.right, sizes.left"),
        HOLDS,
    ),
    Lemma(
        "slots-of-sides",
        "At a two-input node neither side waits for the other: the first token of each can be taken.",
        "5.4.4, 5.4.7",
        ("PARTE/PROC", "PARTE/PROP"),
        "a token on each side",
        sides,
        Mutant("one-queue", f"{_MACHINE}:Machine._node_state", "else repairs.slot_per_side", "else False"),
        REPAIRED,
        (9,),
    ),
    Lemma(
        "slots-of-sources",
        "At an entry node no source waits behind another: the first token of each can be asked for its turn.",
        "5.4.4, 5.4.7",
        ("PARTE/PROC",),
        "2 sources with an arrival each",
        of_each_source,
        Mutant("one-queue", f"{_MACHINE}:Machine._node_state", "repairs.merge_by_promise if", "False if"),
        REPAIRED,
        (11,),
    ),
    _inbox(
        "queue",
        "an inbox with one queue",
        Mutant("last-in-first-out", f"{_INBOXES}:QueueInbox.put", ".append(", ".appendleft("),
        one_per_side=False,
    ),
    _inbox(
        "queue-one-per-side",
        "an inbox with one queue and one token a side",
        Mutant("two-per-side", f"{_INBOXES}:QueueInbox.has_room", "if self.one_per_side and any(", "if all("),
        one_per_side=True,
    ),
    Lemma(
        "passes-matches",
        "Each partial match that a terminal node takes is recorded as a match, and each emission without a value as a "
        "failure, once and in order, and nothing else is.",
        "5.4.6, def. 19",
        ("PARTE/TERM", "PARTE/PROD", "PARTE/PROC"),
        "3 tokens",
        recorded,
        Mutant(
            "record-nothing",
            f"{_MACHINE}:Machine._reacted",
            "self.matches.extend(self.undecided.matched(node.to_match(_partial(token))))",
            "pass",
        ),
        HOLDS,
    ),
)
