"""The rudimentary model (D §5.2): its rules at nodes with one input, and PROC and PROP.

D chapter 8 has no statements about this model. Here and in `two_inputs` each rule has a lemma about the effect of a
token, by the algebra's reading of windows; `shortcomings` has the statements that do not hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from parte.checker.solver.verdict import Verdict
from parte.proofs.lemma import RUDIMENTARY, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import beta, effect, emitted, event, event_at, partial_match
from parte.proofs.statements import count_of, equal, every, none_of, once
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import NEGATIVE_INFINITY, Arrival, Event
from parte.semantics.events.match import Match
from parte.semantics.partelang.compilation import compile_program
from parte.semantics.partelang.histories import PlainHistory
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import AlphaNode, Network, ProductionNode, Side, TerminalNode, TwoInputNode
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import Kind, TwoInputData, rules_for
from parte.semantics.partelang.syntax import parse
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch, Token
from parte.semantics.rulebook.connectives import neg

ID = "PARTE/RUDIMENTARY"
RULES = "parte.semantics.partelang.rules.rudimentary"
SECTION = "5.2.6"
HOLDS_THERE = {RUDIMENTARY: Verdict.PROVED}
FAILS_THERE = {RUDIMENTARY: Verdict.REFUTED}


def unpromised(of: Iterable[object]) -> tuple[int, ...]:
    """Return, for each, a bound that promises nothing."""
    return tuple(NEGATIVE_INFINITY for _ in of)


def unpromising(payload: PartialMatch) -> BetaToken:
    """Return a token of this model: it has no promise."""
    return BetaToken(unpromised(payload), payload)


def holding(left: Iterable[PartialMatch], right: Iterable[Event], node: TwoInputNode) -> TwoInputData:
    """Return the data of a two-input node with exactly these entries."""
    return TwoInputData(
        unpromised(node.left),
        NEGATIVE_INFINITY,
        PlainHistory(tuple(left_entry(node, partial) for partial in left)),
        PlainHistory(tuple(right_entry(node, event) for event in right)),
    )


def promise_nothing(tokens: Iterable[Token]) -> tuple[str, bool]:
    """Return the claim that beta tokens carry only bounds that promise nothing."""
    holds = every(equal(bound, NEGATIVE_INFINITY) for token in beta(tokens) for bound in token.bounds)
    return "what is sent promises nothing", holds


def rule_lemma(
    rule: str, statement: str, scope: str, body: Body, mutant: tuple[str, str, str], suffix: str = "", where: str = ""
) -> Lemma:
    """Return a lemma of a rule, with a mutant of that rule, or of a function that it shares with others."""
    name, before, after = mutant
    changed = Mutant(name, where or f"{RULES}:{rule.lower().replace('-', '_')}", before, after)
    return Lemma(
        f"rudimentary-{rule}{suffix}", statement, SECTION, (f"{ID}-{rule}",), scope, body, changed, HOLDS_THERE
    )


def left_width(width: int) -> str:
    """Return the number of events of a left partial match, for a scope."""
    return f"{width} event{'' if width in (1,) else 's'} per left partial match"


# --- Nodes with one input -------------------------------------------------------------------------------------------


def alpha(rule: str, *, own_template: bool, meets: bool) -> Body:
    """An alpha node takes an event of its or another template by exactly one rule, and passes on matching events."""

    def body(run: Run) -> Claims:
        node = AlphaNode("node", "R", "T", "a", lambda _: run.truth("condition"))
        arriving = event_at("arriving", run.integer("timestamp"), "T" if own_template else "U")
        if own_template:
            run.assume(run.truth("condition") if meets else neg(run.truth("condition")))
        token = AlphaToken(0, NEGATIVE_INFINITY, arriving)
        effects = {
            info.id: effect(run, info.id, node, None, token)
            for info in rules_for(Family.RUDIMENTARY, Kind.ALPHA, Side.TOP, True)
        }
        applied = [name for name, result in effects.items() if result is not None]
        tokens = [token for result in effects.values() if result is not None for token in result.tokens]
        return (
            ("this rule applies and no other", applied == [rule]),
            ("an event that fills the pattern is passed on once", once(emitted(tokens, (arriving,))) is meets),
            ("nothing else is sent", count_of(tokens) == int(meets)),
            promise_nothing(tokens),
        )

    return body


def production(run: Run) -> Claims:
    """An emission with a value is sent, and no other."""
    emission = choice(run, "emission", (event(run, "emitted"), None))
    node = ProductionNode("node", "R", 1, lambda _: emission, lambda bounds: bounds[0])
    result = effect(run, f"{ID}-PROD", node, None, unpromising(partial_match(run, "arriving", 1)))
    assert result is not None
    alphas = [token for token in result.tokens if isinstance(token, AlphaToken)]
    expected = [] if emission is None else [emission]
    return (
        ("the emission is sent once, if it has a value", [token.payload for token in result.tokens] == expected),
        ("what is sent promises nothing", every(equal(token.bound, NEGATIVE_INFINITY) for token in alphas)),
    )


def terminal(run: Run) -> Claims:
    """A terminal node sends nothing."""
    node = TerminalNode("node", "R", lambda _: Match("R", (), ()))
    result = effect(run, f"{ID}-TERM", node, None, unpromising(partial_match(run, "arriving", 2)))
    assert result is not None
    return (("nothing is sent", none_of(result.tokens)),)


# --- PROC and PROP --------------------------------------------------------------------------------------------------

_PROGRAM = "template A {} template B {} rule R where a: A then emit B at a.timestamp with {} rule S where a: A then"
_QUEUED = 3


@cache
def _network() -> Network:
    return compile_program(parse(_PROGRAM), {}, {}, Family.RUDIMENTARY)


def queued(*, moves: bool) -> Body:
    """The tokens that a node sends wait in order; PROP (`moves`) moves them to all successors in order."""

    def body(run: Run) -> Claims:
        network = _network()
        machine = Machine(network, run.model, recorder=lambda _: None)
        alphas = [index for index, node in enumerate(network.nodes) if isinstance(node, AlphaNode)]
        fed = [event_at(f"event {number}", run.integer(f"timestamp {number}"), "A") for number in range(_QUEUED)]
        for number, item in enumerate(fed):
            machine.feed(Arrival("s", "A", NEGATIVE_INFINITY, item))
            machine.arrive(0)
            for index in alphas:
                machine.proc(index, 0)
                if moves and run.truth(f"PROP follows step {number} at {network.nodes[index].name}"):
                    machine.prop(index)
        claims = []
        for index in alphas:
            for edge in network.successors[index]:
                waiting = [token for _, token in machine.nodes[edge.node].inbox.waiting()]
                sequence = [token.payload for token in (*waiting, *machine.nodes[index].outbox)]
                name = network.nodes[edge.node].name
                claims.append((f"each event is on its way to {name} once, in order", sequence == [(e,) for e in fed]))
        return claims

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_ALPHA = (
    rule_lemma(
        "ALPHA-MATCH",
        "An event of the pattern's template that meets its condition is passed on once, promising nothing.",
        UNBOUNDED,
        alpha(f"{ID}-ALPHA-MATCH", own_template=True, meets=True),
        ("match-silently", "(_token((token.payload,)),)", "()"),
    ),
    rule_lemma(
        "ALPHA-NOMATCHCONSTRAINT",
        "An event of the pattern's template that fails its condition is not passed on.",
        UNBOUNDED,
        alpha(f"{ID}-ALPHA-NOMATCHCONSTRAINT", own_template=True, meets=False),
        ("the-wrong-way-round", "or node.condition(", "or not node.condition("),
    ),
    rule_lemma(
        "ALPHA-NOMATCHTEMPLATE",
        "An event of another template is not passed on.",
        UNBOUNDED,
        alpha(f"{ID}-ALPHA-NOMATCHTEMPLATE", own_template=False, meets=False),
        ("pass-it-on", "Effect(data, ())", "Effect(data, (_token((token.payload,)),))"),
    ),
)

_REACTIONS = (
    rule_lemma(
        "PROD",
        "A production node sends what the emission of a match gives, and nothing if it has no value.",
        UNBOUNDED,
        production,
        ("emit-nothing-at-all", "() if event is None", "() if event is not None"),
    ),
    rule_lemma(
        "TERM",
        "A terminal node sends nothing.",
        left_width(2),
        terminal,
        ("pass-it-on", "Effect(data, ())", "Effect(data, (token,))"),
    ),
)

_QUEUES = (
    Lemma(
        "rudimentary-PROC",
        "What a node sends waits behind what it sent before, each token once.",
        "5.2.5",
        ("PARTE/PROC",),
        f"{_QUEUED} events to each of 2 alpha nodes",
        queued(moves=False),
        Mutant(
            "last-in-first-out",
            "parte.semantics.partelang.machine:Machine.proc",
            "outbox.extend(",
            "outbox.extendleft(",
        ),
        HOLDS_THERE,
    ),
    Lemma(
        "rudimentary-PROP",
        "What a node sends comes to each of its successors, once and in order.",
        "5.2.5",
        ("PARTE/PROP",),
        f"{_QUEUED} events to each of 2 alpha nodes, one with 2 successors, in any interleaving of PROC and PROP",
        queued(moves=True),
        Mutant(
            "the-first-alone", "parte.semantics.partelang.machine:Machine.prop", "in successors:", "in successors[:1]:"
        ),
        HOLDS_THERE,
    ),
)

LEMMAS = (*_QUEUES, *_ALPHA, *_REACTIONS)
