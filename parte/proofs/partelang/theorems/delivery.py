"""Nothing is lost, doubled or overtaken between nodes, and the visible results of a run are recorded.

PROC, PROP and the arrival of events run on a small network. PROC runs with stub rules that return any result of a rule,
so that the lemmas do not depend on the rules of this model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import HOLDS, REPAIRED, SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import event, event_at, local_rule, name_of, partial_match, two_input_node
from parte.proofs.statements import at_most, before, count_of
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import Arrival, Event
from parte.semantics.events.match import Match
from parte.semantics.events.outcome import EmissionFailure
from parte.semantics.partelang.capacities import UNBOUNDED, Capacities, NodeCapacities
from parte.semantics.partelang.inboxes import Inbox, QueueInbox, SlottedInbox
from parte.semantics.partelang.machine import Action, ActionKind, Machine
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
from parte.semantics.partelang.rules.registry import Conclusion, Data, Effect, EntryData, LocalRule, Site, Waiting
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch, Token

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


def _state(machine: Machine, index: int) -> tuple[object, ...]:
    state = machine.nodes[index]
    return list(state.inbox.waiting()), list(state.outbox), state.data


def _others(machine: Machine, *indices: int) -> list[object]:
    return [_state(machine, index) for index in range(len(machine.nodes)) if index not in indices]


def _at(inbox: Inbox, slot: int) -> list[Token]:
    return [token for at, token in inbox.waiting() if at == slot]


# --- PROC -----------------------------------------------------------------------------------------------------------


def taken(run: Run) -> Claims:
    """Two steps of PROC in a row at a node with tokens on both sides, whatever the rules return."""
    machine = small_machine(run)
    state = machine.nodes[JOIN]
    for number in (1, 2):
        state.inbox.put(Successor(JOIN, LEFT, 0), _beta(run, f"left {number}"))
        state.inbox.put(Successor(JOIN, RIGHT, 1), _beta(run, f"right {number}"))
    state.outbox.append(_beta(run, "sent before"))
    state.outbox_capacity = choice(run, "room in the outbox", (None, 2))
    proc = [Action(ActionKind.PROC, JOIN, slot) for slot in state.inbox.slots()]
    claims = [
        ("the steps that may be possible are told", machine.candidates() == [*proc, Action(ActionKind.PROP, JOIN)])
    ]
    for step in (1, 2):
        slot = choice(run, f"slot of step {step}", state.inbox.slots())
        token, waiting = state.inbox.peek(slot), {at: _at(state.inbox, at) for at in (0, 1)}
        results = [_beta(run, f"{number} of step {step}") for number in (1, 2)]
        outcomes: tuple[Conclusion, ...] = (
            Waiting("room"),
            *(Effect(EntryData((count,)), tuple(results[:count])) for count in range(3)),
        )
        outcome = choice(run, f"outcome of step {step}", outcomes)
        calls: list[tuple[str, Site[Node], Data, Token]] = []
        state.table = {
            (at, True): (_stub("first", None, calls), _stub("second", outcome, calls), _stub("third", None, calls))
            for at in waiting
        }
        data, outbox, others = state.data, list(state.outbox), _others(machine, JOIN)
        took = machine.proc(JOIN, slot)
        produced = outcome.tokens if isinstance(outcome, Effect) else ()
        room = state.outbox_capacity is None or at_most(count_of([*outbox, *produced]), state.outbox_capacity)
        possible = isinstance(outcome, Effect) and room
        after = [*outbox, *produced] if possible else outbox
        expected = {at: tokens[1:] if possible and at == slot else tokens for at, tokens in waiting.items()}
        known = outcome.data if isinstance(outcome, Effect) and room else data
        claims += [
            ("a step is taken if a rule applies and the outbox has room", took is possible),
            ("rules are asked in their order, until one applies", [name for name, *_ in calls] == ["first", "second"]),
            (
                "each is told the node's site, its data and the token",
                all(site is state.site and seen is data and taken is token for _, site, seen, taken in calls),
            ),
            ("the token leaves its slot, and no other does", {at: _at(state.inbox, at) for at in (0, 1)} == expected),
            ("the results go behind what the outbox holds, in order", list(state.outbox) == after),
            ("the node keeps the new data", state.data is known),
            ("no other node is touched", _others(machine, JOIN) == others),
        ]
    return claims


def _stub(name: str, outcome: Conclusion, calls: list[tuple[str, Site[Node], Data, Token]]) -> LocalRule:
    """Return a rule with this outcome, which records its arguments."""

    def function(site: Site[Node], data: Data, token: Token) -> Conclusion:
        calls.append((name, site, data, token))
        return outcome

    return replace(local_rule("PARTE/JOIN-LEFT"), function=function)


# --- PROP and arrivals ----------------------------------------------------------------------------------------------


def moved(origin: int) -> Body:
    """A step of PROP from a node, with and without room at its successors."""

    def body(run: Run) -> Claims:
        machine = small_machine(run, Capacities(NodeCapacities(inbox=choice(run, "room in an inbox", (None, 1, 2)))))
        state, edges = machine.nodes[origin], machine.network.successors[origin]
        if origin == PRODUCTION:
            sent: list[Token] = [AlphaToken(0, run.integer(f"bound {n}"), event(run, f"event {n}")) for n in (1, 2)]
        else:
            sent = [_beta(run, str(number)) for number in (1, 2)]
        state.outbox.extend(sent)
        for edge in edges:
            if run.truth(f"a token waits at node {edge.node}"):
                machine.nodes[edge.node].inbox.put(edge, _beta(run, f"at node {edge.node}"))
        targets = [edge.node for edge in edges]
        room = all(machine.nodes[edge.node].inbox.has_room(edge) for edge in edges)
        waiting = [_at(machine.nodes[edge.node].inbox, edge.slot) for edge in edges]
        counts = [count_of(machine.nodes[target].inbox.waiting()) for target in targets]
        others = _others(machine, origin, *targets)
        took = machine.prop(origin)
        claims = [
            ("a step is taken if every successor has room", took is room),
            ("the outbox loses its first token", list(state.outbox) == (sent[1:] if room else sent)),
            ("no other node is touched", _others(machine, origin, *targets) == others),
        ]
        for edge, tokens, count in zip(edges, waiting, counts, strict=True):
            inbox, first = machine.nodes[edge.node].inbox, sent[0]
            if isinstance(first, AlphaToken):
                first = first.over(edge.slot)
            new = [first] if room else []
            claims += [
                (f"it waits last in its slot at node {edge.node}", _at(inbox, edge.slot) == [*tokens, *new]),
                (f"and nothing else is new at node {edge.node}", len(inbox) == count_of([*range(count), *new])),
            ]
        return claims

    return body


def arrived(run: Run) -> Claims:
    """Three arrivals from two sources, in any order, taken out of the inbox as they come."""
    machine = small_machine(run)
    fed: dict[str, list[tuple[int, object]]] = {source: [] for source in SOURCES}
    came: dict[str, list[tuple[int, object]]] = {source: [] for source in SOURCES}
    for number in range(3):
        source, bound = choice(run, f"source {number}", SOURCES), run.integer(f"bound {number}")
        payload = choice(run, f"payload {number}", (event(run, f"event {number}"), None))
        machine.feed(Arrival(source, "T", bound, payload))
        fed[source].append((bound, payload))
    waits = not machine.finished
    others = _others(machine, ENTRY)
    inbox = machine.nodes[ENTRY].inbox
    for _ in range(3):
        for queue in range(len(machine.queues)):
            machine.arrive(queue)
        for slot in inbox.slots():
            token = inbox.peek(slot)
            assert isinstance(token, AlphaToken)
            inbox.pop(slot)
            came[SOURCES[token.source]].append((token.bound, token.payload))
    return (
        ("of each source everything comes to the entry node, once and in order", came == fed),
        ("it is told whether something is left", waits and machine.finished),
        ("no other node is touched", _others(machine, ENTRY) == others),
    )


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


@dataclass(frozen=True)
class InboxKind:
    """A kind of inbox: its constructor, whether each slot has a queue, and whether it takes one token for each side."""

    make: Callable[[], Inbox]
    by_slot: bool
    one_per_side: bool = False


def in_order(kind: InboxKind) -> Body:
    """Tokens are put in and taken out in any order of these operations; a list models the waiting tokens."""
    edges = (Successor(0, LEFT, 0), Successor(0, RIGHT, 1))

    def body(run: Run) -> Claims:
        inbox = kind.make()
        waiting: list[tuple[int, Token]] = []
        claims: list[tuple[str, bool]] = []
        for number in range(_OPERATIONS):
            edge = choice(run, f"operation {number}", (*edges, None))
            firsts = dict(reversed(waiting))
            ready = sorted(firsts) if kind.by_slot else [slot for slot, _ in waiting[:1]]
            claims += [
                ("the slots that are ready are told", list(inbox.slots()) == ready),
                ("the first in is the first out", all(inbox.peek(slot) is firsts[slot] for slot in ready)),
                (
                    "what waits is told, a slot's in order",
                    all(_at(inbox, e.slot) == _of(waiting, e.slot) for e in edges),
                ),
                ("how many wait is told", len(inbox) == count_of(waiting)),
            ]
            for target in edges:
                beside = _of(waiting, target.slot)
                room = before(count_of(beside if kind.by_slot else waiting), _CAPACITY)
                room = room and not (kind.one_per_side and beside)
                claims.append(("there is room as long as there is", inbox.has_room(target) is room))
            if edge is not None:
                token = BetaToken((number,), None)
                inbox.put(edge, token)
                waiting.append((edge.slot, token))
            elif ready:
                slot = choice(run, f"slot {number}", ready)
                inbox.pop(slot)
                waiting.remove((slot, firsts[slot]))
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
_SLOTTED = InboxKind(lambda: SlottedInbox(2, _CAPACITY), by_slot=True)
_QUEUE = InboxKind(lambda: QueueInbox(_CAPACITY, one_per_side=False), by_slot=False)
_PRINTED = InboxKind(lambda: QueueInbox(_CAPACITY, one_per_side=True), by_slot=False, one_per_side=True)

_ANY_ORDER = f"{_OPERATIONS} operations in any order, 2 slots, room for {_CAPACITY}"
_SUCCESSORS = "2 tokens in the outbox, 2 or 3 successors that hold up to 1 token and have room for 1, 2 or any number"


def _inbox(name: str, kind: InboxKind, what: str, mutant: Mutant) -> Lemma:
    statement = f"What comes first into {what} goes first, nothing else comes out, and there is room up to capacity."
    return Lemma(
        f"inbox-{name}", statement, "5.2.1, 5.4.4", (), _ANY_ORDER, in_order(kind), mutant, {SOUND: Verdict.PROVED}
    )


def _moved(name: str, origin: int, what: str, mutant: Mutant) -> Lemma:
    return Lemma(
        f"passes-PROP-{name}",
        f"PROP moves the first token of {what} to every successor at once, behind what waits there, if all have room; "
        "else nothing.",
        "5.2.5, 5.4.7",
        ("PARTE/PROP",),
        _SUCCESSORS,
        moved(origin),
        mutant,
        HOLDS,
    )


LEMMAS = (
    Lemma(
        "passes-PROC",
        "PROC takes a token out of its slot, asks the node's rules in order, keeps the new data and puts all results "
        "behind what the outbox holds; without a rule or room it does nothing.",
        "5.2.5, 5.4.7",
        ("PARTE/PROC",),
        "2 steps in a row, 2 tokens a slot, rules that give anything: waiting, or new data and up to 2 results",
        taken,
        Mutant("forget-the-data", f"{_MACHINE}:Machine.proc", "state.data = outcome.data", "pass"),
        HOLDS,
    ),
    _moved(
        "beta",
        ALPHA,
        "an outbox",
        Mutant("the-first-alone", f"{_MACHINE}:Machine.prop", "in successors:", "in successors[:1]:"),
    ),
    _moved(
        "emission",
        PRODUCTION,
        "a production's outbox, with the successor's slot as its source,",
        Mutant("source-of-the-first", f"{_MACHINE}:Machine.prop", "over(successor.slot)", "over(successors[0].slot)"),
    ),
    Lemma(
        "passes-ARRIVE",
        "What a source sends comes into the slot of that source at its entry node, once and in order.",
        "5.2.5, 5.4.7",
        (),
        "3 arrivals of 2 sources, in any order",
        arrived,
        Mutant("from-one-source", f"{_MACHINE}:Machine.arrive", "AlphaToken(slot, ", "AlphaToken(0, "),
        HOLDS,
    ),
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
        "slotted",
        _SLOTTED,
        "a slot of an inbox with slots",
        Mutant("last-in-first-out", f"{_INBOXES}:SlottedInbox.put", ".append(", ".appendleft("),
    ),
    _inbox(
        "queue",
        _QUEUE,
        "an inbox with one queue",
        Mutant("last-in-first-out", f"{_INBOXES}:QueueInbox.put", ".append(", ".appendleft("),
    ),
    _inbox(
        "queue-one-per-side",
        _PRINTED,
        "an inbox with one queue and one token a side",
        Mutant("two-per-side", f"{_INBOXES}:QueueInbox.has_room", "if self.one_per_side and any(", "if all("),
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
