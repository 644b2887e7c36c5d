"""The machine takes the steps of a network that the theorem takes, from corresponding states, and no other steps.

`takes` of `Network.v`, as Coq has extracted it, runs beside `Machine.take`, on a small network with capacities: whether
the step is possible, and all queues, inboxes, outboxes and data after it. The nodes run the rules of the machine on one
side, and the nodes of the theorem on the other.
"""

from __future__ import annotations

from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.correspondence import Configuration, successor
from parte.proofs.partelang.settings import event, just
from parte.proofs.partelang.theorems.delivery import (
    ALPHA,
    ENTRY,
    FIRST,
    JOIN,
    NOT,
    PRODUCTION,
    SOURCES,
    TERMINAL,
    small_machine,
)
from parte.proofs.partelang.theorems.refinement import data_correspond, same_numbers, tokens_correspond
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Arrival
from parte.semantics.partelang.capacities import Capacities, NodeCapacities
from parte.semantics.partelang.machine import Action, ActionKind, Machine
from parte.semantics.partelang.network import AlphaNode, EntryNode, Side, Successor, TwoInputNode
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import EntryData, TwoInputData
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, Token

_SLOTS = ((ENTRY, 0), (ENTRY, 1), (ALPHA, 0), (JOIN, 0), (JOIN, 1), (NOT, 0), (NOT, 1), (TERMINAL, 0), (PRODUCTION, 0))
_ROOMS = (None, 1, 2)


def _token(run: Run, machine: Machine, index: int, slot: int, name: str, *, payload: bool = True) -> Token:
    """Return a token for a node, or one that an entry node may have sent."""
    bound, arriving = run.integer(f"bound {name}"), event(run, f"event {name}") if payload else None
    if isinstance(machine.network.nodes[index], EntryNode | AlphaNode):
        return AlphaToken(slot, bound, arriving)
    return BetaToken((bound,), None if arriving is None else (arriving,))


def _put(run: Run, machine: Machine, index: int, slot: int, name: str, *, payload: bool = True) -> None:
    token = _token(run, machine, index, slot, name, payload=payload)
    machine.nodes[index].inbox.put(Successor(index, Side.TOP, slot), token)


def _compared(machine: Machine, action: Action) -> Claims:
    """Take a step, and compare it with that of the theorem."""
    expected, before, candidates = successor(machine, action), machine.steps, machine.candidates()
    took = machine.take(action)
    claims = [("the step is possible if it is in the theorem", took is (expected is not None))]
    if expected is not None:
        claims.append(("a step that is possible is a candidate", action in candidates))
        claims += _correspond(machine, expected)
    else:
        claims.append(("a step that is not possible is not counted", machine.steps == before))
    return claims


def _correspond(machine: Machine, expected: Configuration) -> Claims:
    claims: list[tuple[str, bool]] = []
    for queue, theirs in zip(machine.queues, expected.queues, strict=True):
        arrivals = [AlphaToken(queue.source_slot, arrival.bound, arrival.event) for arrival in queue.arrivals]
        claims += tokens_correspond(arrivals, theirs)
    for index, state in enumerate(machine.nodes):
        waiting = list(state.inbox.waiting())
        for slot, tokens in enumerate(expected.inboxes[index]):
            claims += tokens_correspond([token for own, token in waiting if own == slot], tokens)
        if isinstance(state.site.node, EntryNode):
            own = all(isinstance(token, AlphaToken) and token.source == slot for slot, token in waiting)
            claims.append(("a token at an entry node names its slot", own))
        claims += tokens_correspond(list(state.outbox), expected.outboxes[index])
        if isinstance(state.data, TwoInputData):
            claims += data_correspond(state.data, expected.data[index])
        if isinstance(state.data, EntryData):
            noted = same_numbers([state.data.bounds], [expected.data[index].left_bounds])
            claims.append(("the noted promises are those of the theorem", noted))
    return claims


def processed(run: Run) -> Claims:
    """A step of PROC at any node: histories of one entry, an outbox of one token, and each with any room."""
    room, rooms = choice(run, "room in histories", (None, 1)), choice(run, "room in the outbox", _ROOMS)
    machine = small_machine(run, Capacities(NodeCapacities(room, room, None, rooms)))
    index, slot = choice(run, "slot", _SLOTS)
    state = machine.nodes[index]
    node = state.site.node
    if isinstance(node, TwoInputNode):
        left, right = left_entry(node, (event(run, "p"),)), right_entry(node, event(run, "e"))
        bounds, bound = run.integers("left bound", 1), run.integer("right bound")
        state.data = TwoInputData(bounds, bound, just(run, left), just(run, right))
    if isinstance(node, EntryNode):
        state.data = EntryData(run.integers("promised by source", len(SOURCES)))
    _put(run, machine, index, slot, "taken", payload=choice(run, "payload", (True, False)))
    _put(run, machine, index, slot, "behind it")
    for beside in [own for at, own in _SLOTS if at == index and own != slot]:
        _put(run, machine, index, beside, "in another slot")
    state.outbox.append(_token(run, machine, index, slot, "sent before"))
    return _compared(machine, Action(ActionKind.PROC, index, slot))


def propagated(run: Run) -> Claims:
    """A step of PROP from a node with two or three successors, or one, and two tokens in its outbox."""
    machine = small_machine(run, Capacities(NodeCapacities(inbox=choice(run, "room in an inbox", _ROOMS))))
    index = choice(run, "node", (ENTRY, ALPHA, JOIN, NOT, PRODUCTION))
    for name in ("first", "second"):
        sent = _token(run, machine, FIRST if index == PRODUCTION else index, 0, name)
        machine.nodes[index].outbox.append(sent)
    for edge in machine.network.successors[index]:
        if run.truth(f"a token waits at node {edge.node}"):
            _put(run, machine, edge.node, edge.slot, f"at node {edge.node}")
    return _compared(machine, Action(ActionKind.PROP, index))


def arrived(run: Run) -> Claims:
    """A step of the environment: the first of up to two arrivals of one of two sources."""
    machine = small_machine(run, Capacities(NodeCapacities(inbox=choice(run, "room in an inbox", _ROOMS))))
    slot, source = choice(run, "source", tuple(enumerate(SOURCES)))
    for number in range(choice(run, "arrivals", (0, 1, 2))):
        payload = choice(run, f"payload {number}", (event(run, f"event {number}"), None))
        machine.feed(Arrival(source, "T", run.integer(f"bound {number}"), payload))
    if run.truth("a token waits"):
        _put(run, machine, ENTRY, slot, "that waits")
    return _compared(machine, Action(ActionKind.ARRIVE, slot))


# --- The lemmas -------------------------------------------------------------------------------------------------------

_MACHINE = "parte.semantics.partelang.machine"
_NETWORK = "a network of 8 nodes"

LEMMAS = (
    Lemma(
        "refines-PROC-1",
        "A node takes a token if it does so in the theorem, and then its inbox, outbox and data are those of the "
        "theorem.",
        "5.2.5, 5.4.7",
        ("PARTE/PROC",),
        f"{_NETWORK}; 2 tokens in the slot, 1 in any other, 1 in the outbox, histories of 1 entry; room for 1 entry, "
        "or 1 or 2 tokens, or any number; no set-node",
        processed,
        Mutant("one-too-many", f"{_MACHINE}:Machine._fits", "<= (state", "<= 1 + (state"),
        IN_SOUND,
    ),
    Lemma(
        "refines-PROP-2",
        "The first token of an outbox goes to all successors if it does so in the theorem, and then all inboxes are "
        "those of the theorem.",
        "5.2.5, 5.4.7",
        ("PARTE/PROP",),
        f"{_NETWORK}; 2 tokens in the outbox; successors that hold up to 1 token, with room for 1, 2 or any number",
        propagated,
        Mutant("the-first-alone", f"{_MACHINE}:Machine.prop", "in successors:", "in successors[:1]:"),
        IN_SOUND,
    ),
    Lemma(
        "refines-ARRIVE-2",
        "An arrival enters the network if it does so in the theorem, and then all inboxes are those of the theorem.",
        "5.2.5, 5.4.7",
        (),
        f"{_NETWORK}; up to 2 arrivals of one of 2 sources; up to 1 token in its slot, with room for 1, 2 or any",
        arrived,
        Mutant("from-one-source", f"{_MACHINE}:Machine.arrive", "AlphaToken(slot, ", "AlphaToken(0, "),
        IN_SOUND,
    ),
)
