"""The rules of the machine do what the nodes of the theorem do, from corresponding data, for the same token.

The nodes of the theorem are those that Coq has extracted (`parte.proofs.partelang.correspondence`). Each lemma runs the
rules for one kind of node, side and kind of token, in the order of the machine, and the extracted node beside them, on
the same terms: data and tokens after the step correspond, and the tokens come in the same order. If the bounds of a
node are not read, the machine may send less (`Weakened.v`): the same payloads, with bounds that are not greater.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from parte.proofs.lemma import IN_SOUND, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.correspondence import NodeData, Sent, Step, as_tokens, needed, step, summarized
from parte.proofs.partelang.settings import (
    event,
    event_at,
    first_outcome,
    just,
    name_of,
    names_of,
    partial_match,
    parts_of,
    respects,
    two_input_data,
    two_input_node,
)
from parte.proofs.statements import count_of, equal, every, pointwise
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import NEGATIVE_INFINITY, Event
from parte.semantics.events.match import Match
from parte.semantics.partelang import kernel
from parte.semantics.partelang.histories import History
from parte.semantics.partelang.network import (
    AlphaNode,
    EntryNode,
    Gathering,
    Node,
    ProductionNode,
    Side,
    TerminalNode,
    TwoInputNode,
)
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules.premises import left_entry, right_entry
from parte.semantics.partelang.rules.registry import Data, Effect, EntryData, Kind, TwoInputData, rules_for
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch, Token
from parte.semantics.rulebook.connectives import neg

ENTRIES = range(2)
"""Entries of each history that a step searches or keeps."""
WIDTH = 2
"""Events of a partial match."""
SOURCES = ("first", "second", "third")


def _applied(run: Run, node: Node, data: Data, side: Side, token: Token, *, informs: bool = True) -> Effect:
    outcome = first_outcome(run, Family.FEATHERWEIGHT, node, side, data, token, informs=informs, limited=False)
    assert isinstance(outcome, Effect)
    return outcome


def sent_by(token: Token) -> tuple[tuple[int, ...], list[str] | None]:
    """Return the bounds of a token, and the names of the events of its payload."""
    if isinstance(token, AlphaToken):
        return (token.bound,), None if token.payload is None else [token.payload.id]
    return token.bounds, None if token.payload is None else names_of(token.payload)


def tokens_correspond(tokens: Sequence[Token], expected: Sequence[Sent]) -> Claims:
    """Return the claims that tokens are those of the theorem, in order."""
    sent = [sent_by(token) for token in tokens]
    theirs = [(bounds, None if payload is None else names_of(payload)) for bounds, payload in expected]
    return (
        ("the payloads of the tokens are those of the theorem", _payloads(sent) == _payloads(theirs)),
        ("their bounds too", same_numbers([bounds for bounds, _ in sent], [bounds for bounds, _ in theirs])),
    )


def _payloads(tokens: Sequence[tuple[Sequence[int], list[str] | None]]) -> list[list[str] | None]:
    return [payload for _, payload in tokens]


def same_numbers(ours: Sequence[Sequence[int]], theirs: Sequence[Sequence[int]]) -> bool:
    """Return whether these are the same numbers."""
    if list(map(count_of, ours)) != list(map(count_of, theirs)):
        return False
    return every(every(map(equal, *pair)) for pair in zip(ours, theirs, strict=True))


# --- Nodes with one input ---------------------------------------------------------------------------------------------


def entry(*, payload: bool) -> Body:
    """An entry node of three sources, and a token of any of them."""

    def body(run: Run) -> Claims:
        node = EntryNode("entry:T", "T", SOURCES, tuple(range(len(SOURCES))))
        data = EntryData(run.integers("promised by source", len(SOURCES)))
        template = choice(run, "template", ("T", "U"))
        arriving = event_at("arriving", run.integer("timestamp"), template) if payload else None
        token = AlphaToken(choice(run, "source", range(len(SOURCES))), run.integer("arriving bound"), arriving)
        effect, expected = _applied(run, node, data, Side.TOP, token), step(node, data, Side.TOP, token)
        assert isinstance(effect.data, EntryData)
        noted = same_numbers([effect.data.bounds], [expected.data.left_bounds])
        return (
            ("the noted promises are those of the theorem", noted),
            *tokens_correspond(effect.tokens, expected.tokens),
        )

    return body


def alpha(*, payload: bool) -> Body:
    """An alpha node with any condition."""

    def body(run: Run) -> Claims:
        node = AlphaNode("alpha:R.a", "R", "T", "a", lambda events: run.truth(f"condition of {events[0].id}"))
        token = AlphaToken(0, run.integer("arriving bound"), event(run, "arriving") if payload else None)
        return _without_data(run, node, token)

    return body


def production(*, payload: bool) -> Body:
    """A production node with any emission."""

    def body(run: Run) -> Claims:
        emission = choice(run, "emission", (event(run, "emitted"), None))
        shift = run.integer("shift")

        def bound(bounds: tuple[int, ...]) -> int:
            return kernel.shifted(kernel.earliest(bounds), shift)

        node = ProductionNode("production:R#1", "R", 1, lambda _: emission, bound)
        return _without_data(run, node, _beta(run, WIDTH, payload))

    return body


def terminal(run: Run) -> Claims:
    """A terminal node; the machine records the match (`passes-matches`)."""

    def to_match(events: PartialMatch) -> Match:
        raise AssertionError(f"the machine makes the match of {names_of(events)}")

    payload = choice(run, "payload", (True, False))
    return _without_data(run, TerminalNode("terminal:R", "R", to_match), _beta(run, WIDTH, payload))


def _without_data(run: Run, node: Node, token: Token) -> Claims:
    effect = _applied(run, node, None, Side.TOP, token)
    return (
        ("the node keeps no data", effect.data is None),
        *tokens_correspond(effect.tokens, step(node, None, Side.TOP, token).tokens),
    )


def _beta(run: Run, width: int, payload: bool) -> BetaToken:
    bounds = run.integers("arriving bound", width)
    return BetaToken(bounds, partial_match(run, "arriving", width) if payload else None)


# --- Nodes with two inputs --------------------------------------------------------------------------------------------


def two_inputs(kind: Kind, side: Side, *, payload: bool) -> Body:
    """A join-node or a not-node."""

    def body(run: Run) -> Claims:
        node = two_input_node(run, WIDTH, negated=kind is Kind.NOT)
        left = [left_entry(node, partial_match(run, f"p{number}", WIDTH)) for number in ENTRIES]
        right = [right_entry(node, event(run, f"e{number}")) for number in ENTRIES]
        bounds, bound = run.integers("left bound", WIDTH), run.integer("right bound")
        data = TwoInputData(bounds, bound, just(run, *left), just(run, *right))
        token = _beta(run, WIDTH if side is Side.LEFT else 1, payload)
        expected = step(node, data, side, token)
        informed, quiet = (_applied(run, node, data, side, token, informs=informs) for informs in (True, False))
        return (
            *data_correspond(two_input_data(informed.data), expected.data),
            *tokens_correspond(informed.tokens, expected.tokens),
            *_quiet(quiet, expected),
        )

    return body


def data_correspond(data: TwoInputData, expected: NodeData) -> Claims:
    """Return the claims that the data of a two-input node are those of the theorem."""
    return (
        ("the bounds on the left are those of the theorem", same_numbers([data.left_bounds], [expected.left_bounds])),
        ("that on the right too", equal(data.right_bound, expected.right_bound)),
        ("the left history has the same entries", _entries(data.left) == sorted(map(names_of, expected.left))),
        ("the right history too", _entries(data.right) == sorted(map(names_of, expected.right))),
    )


def _quiet(effect: Effect, expected: Step) -> Claims:
    """Return the claims that without readers of the bounds the results are the same, and the bounds promise nothing."""
    *_, left, right = data_correspond(two_input_data(effect.data), expected.data)
    sent = [sent_by(token) for token in effect.tokens]
    ours = [names for names in _payloads(sent) if names is not None]
    theirs = [names_of(payload) for _, payload in expected.tokens if payload is not None]
    return (
        left,
        right,
        ("unread bounds do not change the results", ours == theirs),
        ("and promise nothing", all(bounds == (NEGATIVE_INFINITY,) for bounds, _ in sent)),
    )


def _entries(history: History) -> list[list[str]]:
    """The entries of a history, which promises no order of them."""
    return sorted(names_of(entry.events) for entry in history)


# --- Set-nodes --------------------------------------------------------------------------------------------------------


def sets(side: Side, *, payload: bool) -> Body:
    """A set-node that is not upward, whose windows begin, and which is the first of its rule.

    Its right history may have events that no left partial match, stored or to come, has in its window, and the theorem
    has dropped. What the machine drops by `having` at once, the theorem drops behind the node.
    """

    def body(run: Run) -> Claims:
        gathering = Gathering(_summary, lambda events: run.truth(f"having of {name_of(events)}"), False)
        node = replace(two_input_node(run, WIDTH, negated=False), collects=True, gathering=gathering)
        left, right = left_entry(node, partial_match(run, "p", WIDTH)), right_entry(node, event(run, "e"))
        bounds, bound = run.integers("left bound", WIDTH), run.integer("right bound")
        theirs = choice(run, "the theorem has e", ((right,), ()))
        data = TwoInputData(bounds, bound, just(run, left), just(run, *theirs))
        if not theirs:
            run.assume(neg(needed(node, data, right.events)))
        token = _beta(run, WIDTH if side is Side.LEFT else 1, payload)
        if side is Side.LEFT:
            run.assume(pointwise(bounds, token.bounds), respects(bounds, token.payload))
        expected = step(node, data, side, token)
        effect = _applied(run, node, data._replace(right=just(run, right)), side, token)
        return (
            *_sets_correspond(node, two_input_data(effect.data), expected),
            *_passing(node, effect.tokens, expected),
        )

    return body


def _summary(members: Collection[Event], opens: int) -> Event:
    return event_at(f"set of {sorted(names_of(list(members)))}", opens)


def _sets_correspond(node: TwoInputNode, data: TwoInputData, expected: Step) -> Claims:
    *claims, _ = data_correspond(data, expected.data)
    theirs = sorted(map(names_of, expected.data.right))
    more = [entry.events for entry in data.right if names_of(entry.events) not in theirs]
    ours = [names for names in _entries(data.right) if names in theirs]
    return (
        *claims,
        ("the right history has the same entries", ours == theirs),
        ("and more that nothing needs", every(neg(needed(node, data, events)) for events in more)),
    )


def _passing(node: TwoInputNode, tokens: Sequence[Token], expected: Step) -> Claims:
    """The results of the theorem that meet `having` are sent as it sends results, with the bound of the set besides."""
    matched = [(payload, summarized(payload, _summary)) for _, payload in expected.tokens if payload is not None]
    passing = [(payload, names_of(with_set)) for payload, with_set in matched if node.gathering.holds(with_set)]
    theirs = [bounds for bounds, _ in as_tokens([payload for payload, _ in passing], expected.tokens[-1][0])]
    results: list[list[str] | None] = [names for _, names in passing]
    sent = [sent_by(token) for token in tokens]
    return (
        ("the payloads are those of the theorem", _payloads(sent) == (results or [None])),
        ("the bounds too", same_numbers([parts_of(bounds, count_of(node.minima))[0] for bounds, _ in sent], theirs)),
    )


# --- The lemmas -------------------------------------------------------------------------------------------------------

_KERNEL, _ENTRY, _ALPHA, _JOIN, _NOT, _SET, _REACTION, _PREMISES = (
    "parte.semantics.partelang.kernel",
    "parte.semantics.partelang.rules.entry",
    "parte.semantics.partelang.rules.alpha",
    "parte.semantics.partelang.rules.join",
    "parte.semantics.partelang.rules.negation",
    "parte.semantics.partelang.rules.collection",
    "parte.semantics.partelang.rules.reaction",
    "parte.semantics.partelang.rules.premises",
)
_STALE = Mutant("at-the-end", f"{_KERNEL}:is_stale", "return ends < bound", "return ends <= bound")
_SOURCES = "3 sources"
_EVENTS = f"{WIDTH} events per partial match"
_HISTORIES = f"histories of {count_of(ENTRIES)} entries, of any times, keys and conditions; {_EVENTS}"
_COLLECTED = (
    f"histories of 1 entry, which the theorem may have dropped on the right; {_EVENTS}; a set that is not upward, in a "
    "window that begins, the first of its rule; promises that are kept"
)
_SAME_TOKEN = "leads to the data and the token of the node of the theorem"
_SAME_STEP = (
    "leads to the data and the tokens of the node of the theorem, and to the same results where no node reads its "
    "bounds"
)
_SAME_SET = (
    "decides the matches, with their sets, that the node of the theorem decides; the same events stay stored, and "
    "others that no match needs"
)


def _lemma(kind: Kind, side: Side, payload: bool, body: Body, scope: str, what: str, mutant: Mutant) -> Lemma:
    place = [] if side is Side.TOP else [side.name]
    return Lemma(
        "-".join(["refines", kind.name, *place, *([] if payload else ["BOTTOM"]), *_NUMBERS.get(scope, ())]),
        f"At a node of kind {kind.value}, a token with{'' if payload else 'out'} a payload"
        f"{'' if side is Side.TOP else f' from the {side.name.lower()}'} {what}.",
        "5.4.6",
        tuple(info.id for info in rules_for(Family.FEATHERWEIGHT, kind, side, payload)),
        scope,
        body,
        mutant,
        IN_SOUND,
    )


_NUMBERS = {_SOURCES: ("3",), _HISTORIES: ("2",), _COLLECTED: ("1",)}
"""The number of sources or entries, for the id of a lemma."""


def _two_inputs(kind: Kind, side: Side, payload: bool, mutant: Mutant) -> Lemma:
    return _lemma(kind, side, payload, two_inputs(kind, side, payload=payload), _HISTORIES, _SAME_STEP, mutant)


def _sets(side: Side, payload: bool, mutant: Mutant) -> Lemma:
    return _lemma(Kind.SET, side, payload, sets(side, payload=payload), _COLLECTED, _SAME_SET, mutant)


_ALONE: Sequence[tuple[Kind, bool, Body, str, Mutant]] = (
    (
        Kind.ENTRY,
        True,
        entry(payload=True),
        _SOURCES,
        Mutant("drop-it", f"{_ENTRY}:_merge", "entry_bound(bounds), token.payload)", "entry_bound(bounds), None)"),
    ),
    (
        Kind.ENTRY,
        False,
        entry(payload=False),
        _SOURCES,
        Mutant("the-latest", f"{_ENTRY}:_merge", "kernel.entry_bound(bounds), token", "token.bound, token"),
    ),
    (
        Kind.ALPHA,
        True,
        alpha(payload=True),
        UNBOUNDED,
        Mutant("pass-all", f"{_ALPHA}:alpha_match", "if not node.condition(events):", "if False:"),
    ),
    (
        Kind.ALPHA,
        False,
        alpha(payload=False),
        UNBOUNDED,
        Mutant("no-bound", f"{_ALPHA}:alpha_bottom", "(token.bound,)", "(0,)"),
    ),
    (
        Kind.PRODUCTION,
        True,
        production(payload=True),
        _EVENTS,
        Mutant("no-bound", f"{_REACTION}:prod", "node.generate_bound(token.bounds)", "token.bounds[0]"),
    ),
    (
        Kind.PRODUCTION,
        False,
        production(payload=False),
        _EVENTS,
        Mutant("no-bound", f"{_REACTION}:prod_bottom", "node.generate_bound(token.bounds)", "token.bounds[0]"),
    ),
    (
        Kind.TERMINAL,
        True,
        terminal,
        _EVENTS,
        Mutant("pass-on", f"{_REACTION}:term", "Effect(data, ())", "Effect(data, (token,))"),
    ),
)
_JOINS = (
    (Side.LEFT, True, Mutant("store-all", f"{_JOIN}:join_left", "if live else data.left", "if True else data.left")),
    (Side.RIGHT, True, Mutant("join-one", f"{_JOIN}:join_right", "for other in window]", "for other in window[:1]]")),
    (
        Side.LEFT,
        False,
        Mutant("keep-all", f"{_JOIN}:join_left_bottom", "expire_right(node, data.right, token.bounds)", "data.right"),
    ),
    (Side.RIGHT, False, _STALE),
)
_NEGATIONS = (
    (
        Side.LEFT,
        True,
        Mutant("send-and-store", f"{_NOT}:not_left_nomatch", "() if live else (entry.events,)", "(entry.events,)"),
    ),
    (
        Side.RIGHT,
        True,
        Mutant("defeat-one", f"{_NOT}:not_right", "data.left.without(defeated)", "data.left.without(defeated[:1])"),
    ),
    (
        Side.LEFT,
        False,
        Mutant("old-bounds", f"{_NOT}:not_left_bottom", "Data(token.bounds,", "Data(data.left_bounds,"),
    ),
    (
        Side.RIGHT,
        False,
        Mutant("release-one", f"{_NOT}:not_right_bottom", "for entry in expired]", "for entry in expired[:1]]"),
    ),
)
_COLLECTIONS = (
    (
        Side.LEFT,
        True,
        Mutant("pass-all", f"{_SET}:holding", " if node.gathering.holds(events)]", "]"),
    ),
    (
        Side.RIGHT,
        True,
        Mutant("store-nothing", f"{_SET}:set_right", "data.right.stored(entry) if live else data.right", "data.right"),
    ),
    (
        Side.LEFT,
        False,
        Mutant(
            "forget-what-waits",
            f"{_SET}:needing",
            "tuple(map(kernel.propagated_bound, left_bounds, stored))",
            "left_bounds",
        ),
    ),
    (Side.RIGHT, False, _STALE),
)

LEMMAS = (
    *(
        _lemma(kind, Side.TOP, payload, body, scope, _SAME_TOKEN, mutant)
        for kind, payload, body, scope, mutant in _ALONE
    ),
    *(_two_inputs(Kind.JOIN, *case) for case in _JOINS),
    *(_two_inputs(Kind.NOT, *case) for case in _NEGATIONS),
    *(_sets(*case) for case in _COLLECTIONS),
)
