"""No blocked network (D §8.3), node by node: each arriving token is taken, unless there is a reason.

For single nodes the argument (docs/proofs.md, "No blocked network") needs that each arriving token is taken unless it
is live and the history for it is full, and that one of the external sources of an entry node has its turn. That stored
entries are live, too, is proved in Rocq. `turns-ENTRY` is no refinement lemma, because those on entry nodes run without
limits, where no source waits.
"""

from __future__ import annotations

from parte.proofs.any_length import ANY
from parte.proofs.lemma import HOLDS, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    Sources,
    event,
    event_at,
    events_per_match,
    first_outcome,
    partial_match,
    two_input_node,
)
from parte.proofs.partelang.theorems.retained import live_left, live_right
from parte.proofs.statements import at_most, before, count_of, equal, every, some
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.match import Match
from parte.semantics.partelang.histories import History, PlainHistory
from parte.semantics.partelang.network import AlphaNode, EntryNode, Node, ProductionNode, Side, TerminalNode
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import Effect, EntryData, Kind, TwoInputData, Waiting, rules_for
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, Token

# --- Tokens are taken, or there is a reason -------------------------------------------------------------------------


def waits(side: Side, *, negated: bool, payload: bool) -> Body:
    """A two-input node takes a token unless it is live and the history for it is full."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, ANY, negated=negated)
        stored = [left_entry(node, partial_match(run, "p", ANY))], [right_entry(node, event(run, "e"))]
        data = TwoInputData(
            run.integers("left bound", ANY),
            run.integer("right bound"),
            PlainHistory(tuple(stored[0])),
            PlainHistory(tuple(stored[1])),
        )
        width = ANY if side is Side.LEFT else 1
        arriving = partial_match(run, "arriving", width)
        token = BetaToken(run.integers("arriving bound", width), arriving if payload else None)
        capacity = choice(run, "room", (1, 2))
        outcome = first_outcome(run, Family.FEATHERWEIGHT, node, side, data, token, capacity=capacity)
        if not isinstance(outcome, Waiting):
            return (("a rule applies", outcome is not None),)
        history: History = data.left if side is Side.LEFT else data.right
        live = (
            live_left(left_entry(node, arriving), data.right_bound)
            if side is Side.LEFT
            else live_right(right_entry(node, arriving[0]), node, data.left_bounds)
        )
        return (
            ("only an event waits", payload),
            ("what waits has no room", equal(count_of(history), capacity)),
            ("what waits is live", live),
        )

    return body


def takes(kind: str) -> Body:
    """A node with one input takes every token."""

    def body(run: Run) -> Claims:
        payload = choice(run, "payload", (True, False))
        bound, arriving = run.integer("bound"), event(run, "arriving")
        node: Node
        token: Token = BetaToken((bound,), (arriving,) if payload else None)
        if kind == "ALPHA":
            node = AlphaNode("node", "R", "T", "e", lambda _: run.truth("condition"))
            token = AlphaToken(0, bound, arriving if payload else None)
        elif kind == "PRODUCTION":
            emitted = choice(run, "emission", (event(run, "emitted"), None))
            node = ProductionNode("node", "R", 1, lambda _: emitted, lambda bounds: bounds[0])
        else:
            node = TerminalNode("node", "R", lambda _: Match("R", (), ()))
        outcome = first_outcome(run, Family.FEATHERWEIGHT, node, Side.TOP, None, token)
        return (("a rule applies, and does not wait", not (outcome is None or isinstance(outcome, Waiting))),)

    return body


def turn(run: Run) -> Claims:
    """If a token of every external source waits at an entry node, one that has promised least has its turn."""
    sources = Sources(run)
    data = EntryData(sources.integers("promised"))
    run.assume(sources.takes_turns, sources.promises_least(data.bounds))
    payload = choice(run, "payload", (event(run, "e"), None))
    token = AlphaToken(sources.slot, run.integer("arriving bound"), payload)
    outcome = first_outcome(run, Family.FEATHERWEIGHT, sources.entry, Side.TOP, data, token)
    return (("it is taken", outcome is not None and not isinstance(outcome, Waiting)),)


def turns(run: Run) -> Claims:
    """An external source waits for its turn exactly as long as another has promised less."""
    data = EntryData(run.integers("promised", 4))
    template, timestamp = choice(run, "template", ("T", "U")), run.integer("timestamp")
    source, external = choice(run, "source", range(4)), range(3)
    token = AlphaToken(source, run.integer("arriving bound"), event_at("arriving", timestamp, template))
    node = EntryNode("entry", "T", ("first", "second", "third", "production"), tuple(external))
    outcome = first_outcome(run, Family.FEATHERWEIGHT, node, Side.TOP, data, token)
    if template == "U" or source not in external:
        return (("it need not wait", isinstance(outcome, Effect)),)
    own, others = data.bounds[source], [data.bounds[slot] for slot in external if slot != source]
    if isinstance(outcome, Effect):
        least = every(at_most(own, bound) for bound in others)
        return (("no other has promised less than one whose token is taken", least),)
    return (("another has promised less than one that waits", some(before(bound, own) for bound in others)),)


def production_enters(run: Run) -> Claims:
    """A production's token enters beside two external sources, whichever of these has the turn."""
    node = EntryNode("entry", "T", ("first", "second", "production"), (0, 1))
    data = EntryData(run.integers("promised", 3))
    payload = choice(run, "payload", (event(run, "emitted"), None))
    token = AlphaToken(2, run.integer("arriving bound"), payload)
    outcome = first_outcome(run, Family.FEATHERWEIGHT, node, Side.TOP, data, token)
    return (("a rule applies, and does not wait", not (outcome is None or isinstance(outcome, Waiting))),)


def enters_at_once(run: Run) -> Claims:
    """A token of any source enters, whatever the others have promised, if nothing below is limited."""
    sources = Sources(run)
    data = EntryData(sources.integers("promised"))
    payload = choice(run, "payload", (event(run, "e"), None))
    token = AlphaToken(sources.slot, run.integer("arriving bound"), payload)
    outcome = first_outcome(run, Family.FEATHERWEIGHT, sources.entry, Side.TOP, data, token, limited=False)
    return (("it is taken", outcome is not None and not isinstance(outcome, Waiting)),)


# --- The lemmas -------------------------------------------------------------------------------------------------------

SECTION = "8.3"
_JOIN, _NOT, _PREMISES = (
    "parte.semantics.partelang.rules.join",
    "parte.semantics.partelang.rules.negation",
    "parte.semantics.partelang.rules.premises",
)


def _refusing(function: str, side: str) -> Mutant:
    waits_for = f"return {side.upper()}_FULL if not has_room_{side}(site, data.{side}) else Effect("
    return Mutant("ask-for-room", function, "return Effect(", waits_for)


_ROOM = {
    Side.LEFT: Mutant("one-place-less", f"{_PREMISES}:has_room_left", "len(history) <", "len((*history, None)) <"),
    Side.RIGHT: Mutant("one-place-less", f"{_PREMISES}:has_room_right", "len(history) <", "len((*history, None)) <"),
}


def _waits(side: Side, *, negated: bool, payload: bool) -> Lemma:
    kind, module = ("NOT", _NOT) if negated else ("JOIN", _JOIN)
    name = f"{kind}-{side.name}" + ("" if payload else "-BOTTOM")
    infos = rules_for(Family.FEATHERWEIGHT, Kind.NOT if negated else Kind.JOIN, side, payload)
    refusing = _refusing(f"{module}:{name.lower().replace('-', '_')}", side.name.lower())
    return Lemma(
        f"progress-takes-{name}",
        f"A {kind.lower()}-node takes {'an event' if payload else 'a bound'} from the {side.name.lower()}"
        + (", unless it is live and the history that it goes to is full." if payload else " at once."),
        SECTION,
        tuple(info.id for info in infos),
        f"1 entry a history (an instance); {events_per_match(ANY)}; room in the outbox apart (PROC)",
        waits(side, negated=negated, payload=payload),
        _ROOM[side] if payload else refusing,
        REPAIRED if payload else HOLDS,
        (6,) if payload else (),
    )


_TAKING = (
    (
        "ALPHA",
        ("PARTE/ALPHA-BOTTOM", "PARTE/ALPHA-MATCH", "PARTE/ALPHA-NOMATCHCONSTRAINT"),
        Mutant(
            "the-wrong-way-round",
            "parte.semantics.partelang.rules.alpha:alpha_match",
            "if not node.condition(events):",
            "if node.condition(events):",
        ),
    ),
    (
        "PRODUCTION",
        ("PARTE/PROD", "PARTE/PROD-BOTTOM"),
        Mutant(
            "only-with-a-value",
            "parte.semantics.partelang.rules.reaction:prod",
            "return Effect(",
            "return None if event is None else Effect(",
        ),
    ),
    (
        "TERMINAL",
        ("PARTE/TERM",),
        Mutant(
            "only-with-a-match",
            "parte.semantics.partelang.rules.reaction:term",
            "return Effect(",
            "return None if token.payload is None else Effect(",
        ),
    ),
)

LEMMAS = (
    *(
        _waits(side, negated=negated, payload=payload)
        for negated in (False, True)
        for side in (Side.LEFT, Side.RIGHT)
        for payload in (True, False)
    ),
    *(
        Lemma(
            f"progress-takes-{kind}",
            f"A node of kind {kind.lower()} takes whatever comes.",
            SECTION,
            rules,
            "unbounded; room in the outbox apart (PROC)",
            takes(kind),
            mutant,
            HOLDS,
        )
        for kind, rules, mutant in _TAKING
    ),
    Lemma(
        "progress-takes-ENTRY-production",
        "An entry node takes what a production sends at once, whatever its other sources have promised.",
        SECTION,
        ("PARTE/ENTRY", "PARTE/ENTRY-BOTTOM"),
        "2 external sources and a production; room in the outbox apart (PROC)",
        production_enters,
        Mutant(
            "productions-take-turns", "parte.semantics.partelang.rules.entry:_merge", "source in node.external and ", ""
        ),
        HOLDS,
    ),
    Lemma(
        "progress-takes-ENTRY-unlimited",
        "An entry node that leads to nothing that is limited takes whatever comes, whatever its sources have promised.",
        SECTION,
        ("PARTE/ENTRY", "PARTE/ENTRY-BOTTOM"),
        "any number of sources; room in the outbox apart (PROC)",
        enters_at_once,
        Mutant("always-take-turns", "parte.semantics.partelang.rules.entry:_merge", "site.limited and ", ""),
        HOLDS,
    ),
    Lemma(
        "turns-ENTRY",
        "An external source waits at an entry node exactly as long as another has promised less.",
        "5.4.6",
        ("PARTE/ENTRY", "PARTE/ENTRY-NOMATCHTEMPLATE"),
        "3 external sources and a production",
        turns,
        Mutant(
            "no-turns", "parte.semantics.partelang.rules.entry:_merge", "site.repairs.merge_by_promise and", "False and"
        ),
        REPAIRED,
        (11,),
    ),
    Lemma(
        "progress-turn",
        "If a token of each external source waits at an entry node, that of each that promised least has its turn.",
        SECTION,
        ("PARTE/ENTRY", "PARTE/ENTRY-BOTTOM"),
        "any number of sources (one of them promised least: fold-lowest)",
        turn,
        Mutant("no-ties", "parte.semantics.partelang.kernel:may_be_taken", "bound <= lowest", "bound < lowest"),
        HOLDS,
    ),
)
