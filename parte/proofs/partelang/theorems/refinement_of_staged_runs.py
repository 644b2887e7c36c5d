"""The functions that `staging` writes do what the rules of their node do, from equal data, for the same token.

Each lemma runs the rules on plain histories where no bounds are read, as in a quick run, and the compiled text beside
them, on the histories of staged runs. It is about the text for a node whose keys and condition are arbitrary functions:
the expressions that `staging` writes in their place are tested, and not proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import repeat

from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    event,
    event_at,
    first_outcome,
    name_of,
    names_of,
    partial_match,
    two_input_data,
    two_input_node,
)
from parte.proofs.statements import at_most, equal, every, pointwise
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import NEGATIVE_INFINITY, Arrival
from parte.semantics.events.match import Match
from parte.semantics.partelang import kernel
from parte.semantics.partelang.expiring import ReleasingHistory, SweptHistory
from parte.semantics.partelang.expressions import Condition
from parte.semantics.partelang.histories import Entry, History, PlainHistory
from parte.semantics.partelang.machine import Machine
from parte.semantics.partelang.network import (
    AlphaNode,
    EntryNode,
    Network,
    Node,
    Side,
    Successor,
    TerminalNode,
    TwoInputNode,
)
from parte.semantics.partelang.repairs import Family, Repairs
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import Effect, EntryData, Site, TwoInputData
from parte.semantics.partelang.staged import Staged, bounds_from_left
from parte.semantics.partelang.staging import Surroundings, from_left, from_right, from_silence, histories_of
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch, Token


@dataclass(slots=True)
class _Run:
    """The parts of a run that a function changes."""

    left: SweptHistory
    right: SweptHistory
    steps: int = 0


def _node(run: Run, width: int, *, negated: bool) -> TwoInputNode:
    def key(events: PartialMatch) -> str:
        return choice(run, f"key of {name_of(events)}", ("x", "y"))

    return replace(two_input_node(run, width, negated=negated), left_key=key, right_key=key)


def _copies(history: SweptHistory, least: int, entries: Sequence[Entry]) -> SweptHistory:
    history.passed(least)
    for entry in entries:
        history.stored(Entry(entry.events, entry.opens, entry.closes, entry.key))
    return history


def staged(side: Side, width: int, lefts: int, rights: int, *, negated: bool, payload: bool = True) -> Body:
    """A token at a node with so many stored entries, none of which has expired."""

    def body(run: Run) -> Claims:
        node = _node(run, width, negated=negated)
        left = [left_entry(node, partial_match(run, f"p{number}", width)) for number in range(lefts)]
        right = [right_entry(node, event(run, f"e{number}")) for number in range(rights)]
        bounds, bound = run.integers("left bound", width), run.integer("right bound")
        expires = kernel.expiration_time(bounds, node.minima)
        run.assume(*(at_most(bound, entry.closes) for entry in left))
        run.assume(*(at_most(expires, entry.closes) for entry in right))
        promised = choice(run, "the bounds of left tokens are sent", (True, False)) if side is Side.LEFT else True
        unread = tuple(repeat(NEGATIVE_INFINITY, width))
        events = partial_match(run, "arriving", width if side is Side.LEFT else 1) if payload else None
        sent = run.integers("arriving bound", width if side is Side.LEFT else 1) if promised else unread
        if promised:
            run.assume(pointwise(bounds if side is Side.LEFT else (bound,), sent))
        else:
            run.assume(at_most(kernel.expiration_time(unread, node.minima), expires))
        run.assume(at_most(NEGATIVE_INFINITY, bound), at_most(NEGATIVE_INFINITY, expires))
        token = BetaToken(sent, events)
        plain = TwoInputData(bounds, bound, PlainHistory(tuple(left)), PlainHistory(tuple(right)))
        effect = first_outcome(run, Family.FEATHERWEIGHT, node, side, plain, token, informs=False, limited=False)
        assert isinstance(effect, Effect)
        ours = _Run(
            _copies((ReleasingHistory if negated else SweptHistory)(0), bound, left),
            _copies(SweptHistory(0), expires, right),
        )
        results: list[PartialMatch] = []
        _taken(node, side, promised, ours, unread, token, results)
        theirs = two_input_data(effect.data)
        expired = kernel.expiration_time(theirs.left_bounds if promised else bounds, node.minima)
        return (
            ("the results are those of the rules", _results(effect) == sorted(map(names_of, results))),
            ("a step is counted", ours.steps == 1),
            ("the left history is the same", _same_entries(ours.left, theirs.left)),
            ("the right history is the same", _same_entries(ours.right, theirs.right)),
            ("the right bound is the same", equal(ours.left.least, theirs.right_bound)),
            ("the right events that have expired are the same", equal(ours.right.least, expired)),
        )

    return body


def notified(run: Run) -> Claims:
    """Bounds from the left of two events, which expire some of two right entries."""
    node = _node(run, 2, negated=False)
    left = [left_entry(node, partial_match(run, "p", 2))]
    right = [right_entry(node, event(run, f"e{number}")) for number in range(2)]
    bounds, bound = run.integers("left bound", 2), run.integer("right bound")
    run.assume(*(at_most(bound, entry.closes) for entry in left), at_most(NEGATIVE_INFINITY, bound))
    expires = kernel.expiration_time(bounds, node.minima)
    run.assume(*(at_most(expires, entry.closes) for entry in right), at_most(NEGATIVE_INFINITY, expires))
    token = BetaToken(run.integers("arriving bound", 2), None)
    run.assume(pointwise(bounds, token.bounds))
    plain = TwoInputData(bounds, bound, PlainHistory(tuple(left)), PlainHistory(tuple(right)))
    effect = first_outcome(run, Family.FEATHERWEIGHT, node, Side.LEFT, plain, token, informs=False, limited=False)
    assert isinstance(effect, Effect)
    copies = (_copies(SweptHistory(0), least, entries) for least, entries in ((bound, left), (expires, right)))
    site = Site(node, Repairs.of(run.model))
    ours = two_input_data(bounds_from_left(site, TwoInputData(bounds, bound, *copies), token).data)
    theirs = two_input_data(effect.data)
    return (
        ("the left history is the same", _same_entries(ours.left, theirs.left)),
        ("the right history is the same", _same_entries(ours.right, theirs.right)),
        ("the right bound is the same", equal(ours.right_bound, theirs.right_bound)),
        ("the left bounds are the same", every(map(equal, ours.left_bounds, theirs.left_bounds))),
    )


SOURCES = ("first", "second", "third")


def entered(run: Run) -> Claims:
    """An event of any of three sources at an entry node, before two alpha nodes with arbitrary conditions."""

    def condition(number: int) -> Condition:
        return lambda events: run.truth(f"condition {number} of {events[0].id}")

    alphas = [AlphaNode(f"alpha:R{number}.a", f"R{number}", "T", "a", condition(number)) for number in range(2)]
    terminals = [TerminalNode(f"terminal:R{number}", f"R{number}", lambda _: Match("R", ())) for number in range(2)]
    node = EntryNode("entry:T", "T", SOURCES, tuple(range(len(SOURCES))))
    edges = tuple((Successor(number, Side.TOP, 0),) for number in (3, 4))
    successors = (tuple(Successor(number, Side.TOP, 0) for number in (1, 2)), *edges, (), ())
    network = Network(
        Family.FEATHERWEIGHT, (node, *alphas, *terminals), successors, (False, False, False, False, False)
    )
    states = Machine(network, run.model).nodes
    states[0].data = EntryData(run.integers("promised by source", len(SOURCES)))
    source, template = choice(run, "source", range(len(SOURCES))), choice(run, "template", ("T", "U"))
    arriving = event_at("arriving", run.integer("timestamp"), template)
    token = AlphaToken(source, run.integer("arriving bound"), arriving)
    effect = first_outcome(run, Family.FEATHERWEIGHT, node, Side.TOP, states[0].data, token, limited=False)
    assert isinstance(effect, Effect)
    taken: list[tuple[Node, Token]] = []
    staged = Staged(network, states, lambda at, token, _: taken.append((at, token)))
    staged.enter(Arrival(SOURCES[source], "T", token.bound, arriving))
    staged.note()
    passing = [number for number in range(2) if effect.tokens and alphas[number].condition((arriving,))]
    ours, theirs = states[0].data, effect.data
    assert isinstance(ours, EntryData)
    assert isinstance(theirs, EntryData)
    bounds = [token.bounds[0] for _, token in taken if isinstance(token, BetaToken)]
    return (
        ("the noted promises are those of the rule", every(map(equal, ours.bounds, theirs.bounds))),
        ("the event passes the alpha nodes whose conditions it meets", _reached(taken) == {*map(_terminal, passing)}),
        ("once each", len(taken) == len(passing)),
        ("with the bound of the rule", every(equal(bound, _bound(effect)) for bound in bounds)),
    )


def _terminal(number: int) -> str:
    return f"terminal:R{number}"


def _reached(taken: Sequence[tuple[Node, Token]]) -> set[str]:
    return {node.name for node, _ in taken}


def _bound(effect: Effect) -> int:
    (token,) = effect.tokens
    assert isinstance(token, AlphaToken)
    return token.bound


def _taken(
    node: TwoInputNode,
    side: Side,
    promised: bool,
    ours: _Run,
    unread: tuple[int, ...],
    token: BetaToken,
    results: list[PartialMatch],
) -> None:
    """Let the function of a slot take a token."""

    def target(_: tuple[int, ...], events: PartialMatch) -> None:
        results.append(events)

    around = Surroundings(promised, 1, 1)
    constants = histories_of(ours.left, ours.right) | {"run": ours, "unread": unread, "target_0": target}
    if token.payload is None:
        from_silence(node, around).function(**constants)(token.bounds[0])
    elif side is Side.LEFT:
        from_left(node, around).function(**constants)(token.bounds, token.payload)
    else:
        from_right(node, around).function(**constants)(token.bounds[0], token.payload[0])


def _results(effect: Effect) -> list[list[str]]:
    payloads = [token.payload for token in effect.tokens if isinstance(token, BetaToken)]
    return sorted(names_of(payload) for payload in payloads if payload is not None)


def _same_entries(ours: History, theirs: History) -> bool:
    own, others = ({name_of(entry.events): entry for entry in history} for history in (ours, theirs))
    if len(own) != len(list(ours)) or own.keys() != others.keys():
        return False
    if any(own[name].key != others[name].key for name in own):
        return False
    return every(
        every((equal(own[name].opens, others[name].opens), equal(own[name].closes, others[name].closes)))
        for name in own
    )


# --- The lemmas -------------------------------------------------------------------------------------------------------

_STAGING = "parte.semantics.partelang.staging"
_STAGED = "parte.semantics.partelang.staged"
_SEARCH = Mutant(
    "right-at-the-end", f"{_STAGING}:from_right", "if other.opens <= timestamp", "if other.opens < timestamp"
)
_BREAK = Mutant("left-at-the-end", f"{_STAGING}:from_left", "if other.closes > closes", "if other.closes >= closes")
_RELEASE = Mutant("released-late", f"{_STAGING}:_releasing", "left.passed(bound)", "left.passed(bound - 1)")


def _lemma(  # each is a part of the statement
    name: str, side: Side, width: int, lefts: int, rights: int, mutant: Mutant, rules: tuple[str, ...]
) -> Lemma:
    negated, payload = name.startswith("NOT"), "BOTTOM" not in name
    statement = "does what its rules do where no bounds are read: the same results, stored entries and bounds"
    scope = f"{lefts} left and {rights} right entries that have not expired, of any times and two keys; {width} events"
    return Lemma(
        f"staged-{name}-{width}",
        f"The function that is written for {name} {statement}.",
        "5.4.6",
        rules,
        f"{scope} per left partial match",
        staged(side, width, lefts, rights, negated=negated, payload=payload),
        mutant,
        IN_SOUND,
    )


LEMMAS = (
    Lemma(
        "staged-ENTRY-3",
        "In a staged run an entry node notes promises as its rules do, and its event passes the alpha nodes it meets.",
        "5.4.6",
        ("PARTE/ENTRY", "PARTE/ENTRY-NOMATCHTEMPLATE", "PARTE/ALPHA-MATCH", "PARTE/ALPHA-NOMATCHCONSTRAINT"),
        "3 sources, 2 alpha nodes with any conditions, whose bounds are not read",
        entered,
        Mutant("own-promise", f"{_STAGING}:from_entry", "bound = min(promises)", "pass"),
        IN_SOUND,
    ),
    Lemma(
        "staged-LEFT-BOTTOM-2",
        "While bounds are told, bounds from the left of a join-node or a not-node change its data as its rule does.",
        "5.4.6",
        ("PARTE/JOIN-LEFT-BOTTOM",),
        "1 left and 2 right entries that have not expired, of any times; 2 events per left partial match",
        notified,
        Mutant("nothing-expires", f"{_STAGED}:bounds_from_left", "data.right.passed(expires)[0]", "data.right"),
        IN_SOUND,
    ),
    _lemma("JOIN-LEFT", Side.LEFT, 1, 0, 2, _BREAK, ("PARTE/JOIN-LEFT",)),
    _lemma("JOIN-LEFT", Side.LEFT, 2, 0, 1, _BREAK, ("PARTE/JOIN-LEFT",)),
    _lemma("JOIN-RIGHT", Side.RIGHT, 1, 2, 0, _SEARCH, ("PARTE/JOIN-RIGHT",)),
    _lemma("JOIN-RIGHT", Side.RIGHT, 2, 1, 0, _SEARCH, ("PARTE/JOIN-RIGHT",)),
    _lemma("NOT-LEFT", Side.LEFT, 1, 0, 2, _BREAK, ("PARTE/NOT-LEFT-MATCH", "PARTE/NOT-LEFT-NOMATCH")),
    _lemma("NOT-LEFT", Side.LEFT, 2, 0, 1, _BREAK, ("PARTE/NOT-LEFT-MATCH", "PARTE/NOT-LEFT-NOMATCH")),
    _lemma("NOT-RIGHT", Side.RIGHT, 1, 1, 1, _SEARCH, ("PARTE/NOT-RIGHT",)),
    _lemma("NOT-RIGHT", Side.RIGHT, 2, 1, 0, _SEARCH, ("PARTE/NOT-RIGHT",)),
    _lemma("NOT-RIGHT-BOTTOM", Side.RIGHT, 2, 1, 1, _RELEASE, ("PARTE/NOT-RIGHT-BOTTOM",)),
)
