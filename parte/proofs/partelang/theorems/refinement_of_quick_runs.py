"""Quick runs leave out only tokens that the theorem on machines that send less allows to leave out (`Weakened.v`).

An entry node gives an event to those alpha nodes only that pass it on in the theorem; the others send nothing there.
Of the tokens of an edge only those without a payload are dropped, and only if another follows: `Overtakes`. Bounds that
are told again are `Repeats`, and those that are sent at once are the ones that decide (`decides`). That unread
bounds promise nothing, and change no result, is in `refines-JOIN-*` and `refines-NOT-*`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.correspondence import step
from parte.proofs.partelang.settings import event, local_rule, two_input_node
from parte.proofs.partelang.theorems.refinement import same_numbers, tokens_correspond
from parte.proofs.statements import once
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.expressions import Condition
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import AlphaNode, EntryNode, Network, Node, Side, Successor
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules.registry import Conclusion, Data, Effect, EntryData, LocalRule, Site
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, Token
from parte.semantics.partelang.unbounded import Unbounded, deciding

RESULTS = range(3)
FIXED: Sequence[tuple[str, Value] | None] = (("k", 1), ("k", 1), ("k", 2), ("j", 1), None, None)
"""The attribute and the value that the condition of each alpha node requires, if it requires one."""


def _recording(taken: list[Token], results: Sequence[Token]) -> LocalRule:
    """Return a rule with these results, which records the tokens."""

    def function(_: Site[Node], data: Data, token: Token) -> Conclusion:
        taken.append(token)
        return Effect(data, tuple(results))

    return replace(local_rule("PARTE/TERM"), function=function)


def _quick(run: Run, network: Network, results: Sequence[Token] | None) -> tuple[Unbounded, list[list[Token]]]:
    """Return a quick run whose first node sends these results, or those of its rules, and what each node takes."""
    states = Machine(network, run.model).nodes
    taken: list[list[Token]] = [[] for _ in states]
    for index, state in enumerate(states):
        if index or results is not None:
            rule = _recording(taken[index], () if index else results or ())
            state.table = dict.fromkeys(state.table, (rule,))
    return Unbounded(network, states, lambda *_: None), taken


def overtaken(run: Run) -> Claims:
    """A step with three results, each with a payload or without, before the right sides of two not-nodes."""
    nodes = (
        AlphaNode("alpha:R.a", "R", "T", "a", lambda _: True),
        replace(two_input_node(run, 1, negated=True), name="not:R.b"),
        replace(two_input_node(run, 1, negated=True), name="not:R.c"),
    )
    edges = (Successor(1, Side.RIGHT, 1), Successor(2, Side.RIGHT, 1))
    results = [
        BetaToken((run.integer(f"bound {number}"),), (event(run, f"event {number}"),) if has_payload else None)
        for number in RESULTS
        for has_payload in (choice(run, f"payload {number}", (True, False)),)
    ]
    quick, taken = _quick(run, Network(Family.FEATHERWEIGHT, nodes, (edges, (), ()), (True, True, True)), results)
    quick.settle(Successor(0, Side.TOP, 0), AlphaToken(0, run.integer("bound"), event(run, "arriving")))
    allowed = [token for token in results if token.payload is not None or token is results[-1]]
    return (
        ("the first node takes its token once", once(taken[0])),
        ("a token is dropped only if it has no payload and another follows", taken[1] == allowed),
        ("for each successor", taken[2] == allowed),
    )


def passed_on(run: Run) -> Claims:
    """An event at an entry node, before alpha nodes with conditions that require a value, and with any others."""
    attributes: dict[str, Value] = {name: choice(run, name, (1, 2)) for name in ("k", "j") if run.truth(f"has {name}")}
    arriving = Event("arriving", "T", run.integer("timestamp"), attributes, "s")

    def condition(number: int, fixed: tuple[str, Value] | None) -> Condition:
        def holds(events: Sequence[Event]) -> bool:
            required = fixed is None or events[0].attributes.get(fixed[0]) == fixed[1]
            return required and run.truth(f"condition {number} of {events[0].id}")

        return holds

    conditions = [condition(number, fixed) for number, fixed in enumerate(FIXED)]
    conditions[-1] = choice(run, "the last condition", (conditions[-2], conditions[-1]))
    alphas = [
        AlphaNode(f"alpha:R{number}.a", f"R{number}", "T", "a", holds, fixed)
        for number, (holds, fixed) in enumerate(zip(conditions, FIXED, strict=True))
    ]
    edges = tuple(Successor(index, Side.TOP, 0) for index, _ in enumerate(alphas, 1))
    nodes: tuple[Node, ...] = (EntryNode("entry:T", "T", ("s",), (0,)), *alphas)
    successors = (edges, *(() for _ in alphas))
    token = AlphaToken(0, run.integer("bound"), arriving)
    quick, taken = _quick(run, Network(Family.FEATHERWEIGHT, nodes, successors, tuple(True for _ in nodes)), [token])
    quick.settle(Successor(0, Side.TOP, 0), token)
    passing = [step(alpha, None, Side.TOP, token).tokens[0][1] is not None for alpha in alphas]
    return (
        (
            "an alpha node gets the event, once, if it passes it on in the theorem, and else not",
            taken[1:] == [[token] if passes else [] for passes in passing],
        ),
    )


def bounds_sent_again(run: Run) -> Claims:
    """The bounds of an entry node of two sources are sent again, to a node that reads them."""
    entry = EntryNode("entry:T", "T", ("s", "t"), (0, 1))
    nodes = (entry, AlphaNode("alpha:R.a", "R", "T", "a", lambda _: True))
    edges = ((Successor(1, Side.TOP, 0),), ())
    quick, taken = _quick(run, Network(Family.FEATHERWEIGHT, nodes, edges, (True, True)), None)
    data = EntryData(run.integers("promised", len(entry.sources)))
    quick.nodes[0].data = data
    quick.tell()
    after, repeated = quick.nodes[0].data, step(entry, data, Side.TOP, AlphaToken(0, data.bounds[0], None))
    assert isinstance(after, EntryData)
    return (
        ("no promise changes", same_numbers([after.bounds], [data.bounds])),
        *tokens_correspond(taken[1], repeated.tokens),
    )


def deciding_nodes(run: Run) -> Claims:
    """Three two-input nodes, which wait or do not, each with any earlier nodes on its left and on its right."""
    above: list[tuple[int, int]] = []
    waiting: list[bool] = []
    for number in range(1, 4):
        above.append(
            (choice(run, f"left of {number}", range(number)), choice(run, f"right of {number}", range(number)))
        )
        waiting.append(choice(run, f"{number} waits", (True, False)))
    nodes: list[Node] = [AlphaNode("alpha:R.a", "R", "T", "a", lambda _: True)]
    nodes += [two_input_node(run, 1, negated=waits) for waits in waiting]
    edges: list[list[Successor]] = [[] for _ in nodes]
    for number, (left, right) in enumerate(above, 1):
        edges[left].append(Successor(number, Side.LEFT, 0))
        edges[right].append(Successor(number, Side.RIGHT, 1))
    deciders = {right for (_, right), waits in zip(above, waiting, strict=True) if waits}
    for _ in nodes:  # no way is longer
        deciders |= {source for number, pair in enumerate(above, 1) if number in deciders for source in pair}
    network = Network(Family.FEATHERWEIGHT, tuple(nodes), tuple(map(tuple, edges)), tuple(True for _ in nodes))
    expected = [index in deciders for index in range(len(nodes))]
    return (("those nodes send their bounds at once that decide in the theorem", deciding(network) == expected),)


# --- The lemmas -------------------------------------------------------------------------------------------------------

_UNBOUNDED = "parte.semantics.partelang.unbounded"

LEMMAS = (
    Lemma(
        "refines-quick-waiting-3",
        "In a quick run a node takes the tokens of an edge in their order, but for tokens without a payload before "
        "others.",
        "5.6.5",
        (),
        "a step with 3 results, which 2 nodes take",
        overtaken,
        Mutant("after-the-event", f"{_UNBOUNDED}:Unbounded._take", "slot.waiting, rules = None,", "rules ="),
        IN_SOUND,
    ),
    Lemma(
        "refines-quick-taking-6",
        "In a quick run those alpha nodes get an event that pass it on in the theorem.",
        "5.6.5",
        (),
        "6 alpha nodes: 4 whose conditions require a value of an attribute, and 2 with other or with equal conditions",
        passed_on,
        Mutant("the-first-alone", f"{_UNBOUNDED}:_grouped", "tuple(several)", "tuple(several[:1])"),
        IN_SOUND,
    ),
    Lemma(
        "refines-quick-telling-2",
        "When a quick run tells its bounds, an entry node sends those again that it has in the theorem, and notes "
        "nothing new.",
        "5.6.5",
        (),
        "an entry node of 2 sources, and a node that reads its bounds",
        bounds_sent_again,
        Mutant("of-another-source", f"{_UNBOUNDED}:Unbounded.tell", "state.data.bounds[0]", "state.data.bounds[-1]"),
        IN_SOUND,
    ),
    Lemma(
        "refines-quick-deciding-3",
        "A quick run sends at once the bounds of those nodes that decide in the theorem (`decides` in Weakened.v).",
        "5.6.5",
        (),
        "3 two-input nodes, each of which waits or does not, with any nodes above",
        deciding_nodes,
        Mutant("the-last-edge-alone", f"{_UNBOUNDED}:_decides", "prompt[edge.node] or waits", "waits"),
        IN_SOUND,
    ),
)
