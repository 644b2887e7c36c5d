"""Nodes with one input pass on the right tokens exactly once, and every step passes on its bounds."""

from __future__ import annotations

from collections.abc import Sequence

from parte.proofs.lemma import HOLDS, REPAIRED, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.partelang.settings import (
    event,
    event_at,
    first_outcome,
    left_sample,
    partial_match,
    right_sample,
    two_input_node,
)
from parte.proofs.statements import at_most, before, count_of, every, none_of, some
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import Event
from parte.semantics.partelang.network import AlphaNode, EntryNode, Node, ProductionNode, Side
from parte.semantics.partelang.repairs import Family
from parte.semantics.partelang.rules.registry import Conclusion, Data, Effect, EntryData, Kind, TwoInputData, rules_for
from parte.semantics.partelang.tokens import AlphaToken, BetaToken, PartialMatch, Token

SOURCES = ("first", "second", "third", "production")
EXTERNAL = (0, 1, 2)


def _step(run: Run, node: Node, data: Data, token: Token, side: Side = Side.TOP) -> Conclusion:
    return first_outcome(run, Family.FEATHERWEIGHT, node, side, data, token)


def _entered(run: Run, payload: bool) -> tuple[EntryData, AlphaToken, Conclusion]:
    """Return an entry node of three external sources and a production, and a token of any of them."""
    data = EntryData(run.integers("promised by source", len(SOURCES)))
    arriving = event_at("arriving", run.integer("timestamp"), choice(run, "template", ("T", "U"))) if payload else None
    token = AlphaToken(choice(run, "source", range(len(SOURCES))), run.integer("arriving bound"), arriving)
    return data, token, _step(run, EntryNode("entry:T", "T", SOURCES, EXTERNAL), data, token)


def entry(*, payload: bool) -> Body:
    """An entry node passes on an event of its template, and stores the promise of its source."""

    def body(run: Run) -> Claims:
        data, token, effect = _entered(run, payload)
        if not isinstance(effect, Effect):
            return (("a rule applies", effect is not None),)
        if token.payload is not None and token.payload.template == "U":
            return (("of another template nothing is sent", none_of(effect.tokens)), ("nor noted", effect.data == data))
        bounds = tuple(token.bound if slot == token.source else bound for slot, bound in enumerate(data.bounds))
        return (
            ("it is sent once, and nothing else", [sent.payload for sent in effect.tokens] == [token.payload]),
            ("the source's promise is noted, and no other is changed", effect.data == EntryData(bounds)),
        )

    return body


def turns(run: Run) -> Claims:
    """An external source waits for its turn exactly as long as another has promised less."""
    data, token, outcome = _entered(run, True)
    assert token.payload is not None
    if token.payload.template == "U" or token.source not in EXTERNAL:
        return (("it need not wait", isinstance(outcome, Effect)),)
    own, others = data.bounds[token.source], [data.bounds[slot] for slot in EXTERNAL if slot != token.source]
    if isinstance(outcome, Effect):
        return (
            (
                "no other has promised less than one whose token is taken",
                every(at_most(own, bound) for bound in others),
            ),
        )
    return (("another has promised less than one that waits", some(before(bound, own) for bound in others)),)


def alpha(run: Run) -> Claims:
    """An event is passed on if it meets the condition; any other token becomes a bound, or nothing."""
    node = AlphaNode("alpha:R.a", "R", "T", "a", lambda events: run.truth(f"condition of {events[0].id}"))
    payload = choice(run, "payload", (event(run, "arriving"), None))
    effect = _step(run, node, None, AlphaToken(0, run.integer("arriving bound"), payload))
    assert isinstance(effect, Effect)
    sent = [token.payload for token in effect.tokens if token.payload is not None]
    met = payload is not None and node.condition((payload,))
    return (
        (
            "an event that meets the condition is passed on once, and nothing else is",
            sent == ([(payload,)] if met else []),
        ),
        ("there is at most one token", at_most(count_of(effect.tokens), 1)),
    )


def production(run: Run) -> Claims:
    """A partial match becomes the event of the emission; without a match or a value, the bound remains."""
    emission = choice(run, "emission", (event(run, "emitted"), None))
    bounds = run.integers("arriving bound", 2)
    generated: list[PartialMatch] = []

    def generate(events: PartialMatch) -> Event | None:
        generated.append(events)
        return emission

    node = ProductionNode("production:R#1", "R", 1, generate, lambda of: of[0])
    payload = choice(run, "payload", (partial_match(run, "arriving", 2), None))
    effect = _step(run, node, None, BetaToken(bounds, payload))
    assert isinstance(effect, Effect)
    expected = emission if payload is not None else None
    return (
        (
            "one token is sent, with the emission if it has a value",
            [token.payload for token in effect.tokens] == [expected],
        ),
        ("the emission is of this partial match", generated == [] if payload is None else generated == [payload]),
    )


# --- No step is silent (repair 8) -------------------------------------------------------------------------------------


def speaks(kind: Kind, side: Side) -> Body:
    """A step with or without a payload, at an alpha node or at a two-input node with an entry on each side."""

    def body(run: Run) -> Claims:
        payload = choice(run, "payload", (True, False))
        if kind is Kind.ALPHA:
            node: Node = AlphaNode("alpha:R.a", "R", "T", "a", lambda _: run.truth("condition"))
            data: Data = None
            token: Token = AlphaToken(0, run.integer("arriving bound"), event(run, "arriving") if payload else None)
        else:
            node = two_input_node(run, 1, negated=kind is Kind.NOT)
            left, right = left_sample(run, node, partial_match(run, "p", 1)), right_sample(run, node, event(run, "e"))
            data = TwoInputData(run.integers("left bound", 1), run.integer("right bound"), left, right)
            arriving = partial_match(run, "arriving", 1) if payload else None
            token = BetaToken(run.integers("arriving bound", 1), arriving)
        effect = _step(run, node, data, token, side)
        assert isinstance(effect, Effect)
        return (("a token is sent", bool(effect.tokens)),)

    return body


# --- The lemmas -------------------------------------------------------------------------------------------------------

_ENTRY, _ALPHA, _REACTION, _PREMISES = (
    "parte.semantics.partelang.rules.entry",
    "parte.semantics.partelang.rules.alpha",
    "parte.semantics.partelang.rules.reaction",
    "parte.semantics.partelang.rules.premises",
)
_SECTION = "5.4.6"
_NOTED = "bounds[:source] + (token.bound,) + bounds[source + 1 :]"
_SOURCES = "3 external sources and a production"
_MUTE = Mutant("keep-silent", f"{_PREMISES}:as_tokens", "site.repairs.report_silence and", "False and")
_SPEAKING: Sequence[tuple[Kind, Side, Mutant]] = (
    (
        Kind.ALPHA,
        Side.TOP,
        Mutant("keep-silent", f"{_ALPHA}:alpha_nomatchconstraint", "if site.repairs.report_silence:", "if False:"),
    ),
    (Kind.JOIN, Side.LEFT, _MUTE),
    (Kind.JOIN, Side.RIGHT, _MUTE),
    (Kind.NOT, Side.LEFT, _MUTE),
    (
        Kind.NOT,
        Side.RIGHT,
        Mutant(
            "keep-silent",
            "parte.semantics.partelang.rules.negation:_released",
            "return (*tokens, BetaToken(bounds, None))",
            "return tokens",
        ),
    ),
)


def _speaks(kind: Kind, side: Side, mutant: Mutant) -> Lemma:
    printed = kind is Kind.NOT and side is Side.RIGHT
    return Lemma(
        f"silence-ends-{kind.name}" + ("" if kind is Kind.ALPHA else f"-{side.name}"),
        f"Every step of a node of kind {kind.value}"
        + ("" if kind is Kind.ALPHA else f" on what comes from the {side.name.lower()}")
        + " sends a token, so that its bounds go on.",
        f"8.4, {_SECTION}",
        tuple(info.id for full in (True, False) for info in rules_for(Family.FEATHERWEIGHT, kind, side, full)),
        UNBOUNDED if kind is Kind.ALPHA else "any histories; 1 event per left partial match",
        speaks(kind, side),
        mutant,
        HOLDS if printed else REPAIRED,
        () if printed else (8,),
    )


LEMMAS = (
    Lemma(
        "passes-ENTRY",
        "An entry node passes on an event of its template once, drops another, and notes the promise of its source "
        "alone.",
        _SECTION,
        ("PARTE/ENTRY", "PARTE/ENTRY-NOMATCHTEMPLATE"),
        _SOURCES,
        entry(payload=True),
        Mutant(
            "drop-it",
            f"{_ENTRY}:_merge",
            "kernel.entry_bound(bounds), token.payload)",
            "kernel.entry_bound(bounds), None)",
        ),
        HOLDS,
    ),
    Lemma(
        "passes-ENTRY-BOTTOM",
        "An entry node passes on a promise once, and notes it for its source alone.",
        _SECTION,
        ("PARTE/ENTRY-BOTTOM",),
        _SOURCES,
        entry(payload=False),
        Mutant("note-for-the-next", f"{_ENTRY}:_merge", _NOTED, f"({_NOTED})[::-1]"),
        HOLDS,
    ),
    Lemma(
        "turns-ENTRY",
        "An external source waits at an entry node exactly as long as another has promised less.",
        _SECTION,
        ("PARTE/ENTRY", "PARTE/ENTRY-NOMATCHTEMPLATE"),
        _SOURCES,
        turns,
        Mutant("no-turns", f"{_ENTRY}:_merge", "site.repairs.merge_by_promise and", "False and"),
        REPAIRED,
        (11,),
    ),
    Lemma(
        "passes-ALPHA",
        "An alpha node passes on an event that meets its condition once, and no other.",
        _SECTION,
        ("PARTE/ALPHA-MATCH", "PARTE/ALPHA-NOMATCHCONSTRAINT", "PARTE/ALPHA-BOTTOM"),
        UNBOUNDED,
        alpha,
        Mutant(
            "drop-it", f"{_ALPHA}:alpha_match", "BetaToken((token.bound,), events)", "BetaToken((token.bound,), None)"
        ),
        HOLDS,
    ),
    Lemma(
        "passes-PROD",
        "A production node sends one token for each that comes, with the emission of its partial match if that has a "
        "value.",
        _SECTION,
        ("PARTE/PROD", "PARTE/PROD-BOTTOM"),
        "2 events per partial match",
        production,
        Mutant(
            "emit-nothing",
            f"{_REACTION}:prod",
            "AlphaToken(OWN_SLOT, bound, event)",
            "AlphaToken(OWN_SLOT, bound, None)",
        ),
        HOLDS,
    ),
    *(_speaks(*case) for case in _SPEAKING),
)
