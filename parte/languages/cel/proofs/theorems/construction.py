"""Automata from formulas (T §3.4, theorem 3.1): a construction accepts the definition's value for its operands.

These are the steps of an induction over formulas: operands are arbitrary automata. The definition is applied valuation
by valuation, and for `;` pair by pair, which is how its sets are defined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from parte.languages.cel.algebra.denotation import (
    Valuation,
    den_as,
    den_filter,
    den_or,
    den_proj,
    den_sequence,
    den_type,
    denote,
)
from parte.languages.cel.algebra.queries import select
from parte.languages.cel.algebra.readings import USUAL
from parte.languages.cel.proofs.words import (
    LABELS,
    LENGTH,
    SIZE,
    Accepted,
    X,
    Y,
    accepted,
    automaton,
    each_as,
    either,
    pairs_as,
    same_accepted,
    stream,
    without,
)
from parte.languages.cel.semantics.construction import (
    cea_as,
    cea_or,
    cea_plus,
    cea_proj,
    cea_seq,
    cea_strict,
    cea_trim,
    cea_type,
    constructed,
    filtered,
)
from parte.languages.cel.semantics.syntax import tree
from parte.proofs.lemma import HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import both
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event

SECTION = "3.4"
SCOPE = f"arbitrary automata of {SIZE} states on streams of up to {LENGTH} arbitrary events; induction over formulas"
_CONSTRUCTION = "parte.languages.cel.semantics.construction"

_P = tree.Comparison(tree.Attribute("p"), tree.Operator.LESS, tree.Literal(1))
_Q = tree.Comparison(tree.Literal(1), tree.Operator.LESS, tree.Attribute("q"))
_X_IS_P, _Y_IS_Q = tree.Holds(X, _P), tree.Holds(Y, _Q)
_SEVERAL = (_X_IS_P, _Y_IS_Q, tree.Holds(Y, _P), tree.Holds(X, tree.Not(_Q)), tree.Holds(X, _Q))
COUNTS = (1, 2, 3, 4, 5)
"""The numbers of operands of the operators that have any number of them."""
CONDITIONS: Sequence[Sequence[tree.Condition]] = (
    (_X_IS_P,),
    tuple(tree.Both(_SEVERAL[:count]) for count in COUNTS),
    tuple(tree.Either(_SEVERAL[:count]) for count in COUNTS),
    (tree.Both((tree.Holds("Z", _P), tree.Holds(X, tree.Not(_P)))),),
)


def types(run: Run) -> Claims:
    """Events of three types."""
    events = stream(run, lambda place: choice(run, f"type of {place}", ("A", "B", "a")))
    expected: Accepted = dict.fromkeys(den_type("A", events), True)
    return (("it accepts what the type means", same_accepted(accepted(run, cea_type("A"), events), expected)),)


def renaming(run: Run) -> Claims:
    """AS with a new name, and with a name that exists."""
    events, operand = stream(run), automaton("A", LABELS)
    before = accepted(run, operand, events)
    return [
        (
            f"as {name} it accepts what that means",
            same_accepted(accepted(run, cea_as(operand, name), events), each_as(before, _single(den_as, name))),
        )
        for name in ("Z", Y)
    ]


def _single(
    clause: Callable[..., frozenset[Valuation]], *others: object
) -> Callable[[Valuation], frozenset[Valuation]]:
    return lambda valuation: clause(frozenset([valuation]), *others)


def projecting(run: Run) -> Claims:
    """A projection on one variable of two, and on none."""
    events, operand = stream(run), automaton("A", LABELS)
    before = accepted(run, operand, events)
    return [
        (
            f"on {sorted(names)} it accepts what that means",
            same_accepted(accepted(run, cea_proj(operand, names), events), each_as(before, _single(den_proj, names))),
        )
        for names in (frozenset({X}), frozenset[str]())
    ]


def filtering(run: Run, conditions: Sequence[tree.Condition]) -> Claims:
    """Conditions on arbitrary attributes."""
    events, operand = stream(run), automaton("A", LABELS, size=2, finals=(1,))
    before = accepted(run, operand, events)
    return [
        (
            f"condition {place}: it accepts what fulfils it",
            same_accepted(
                accepted(run, filtered(operand, condition), events),
                {
                    valuation: both(before[valuation], _fulfils(run, valuation, condition, events))
                    for valuation in before
                },
            ),
        )
        for place, condition in enumerate(conditions, 1)
    ]


def _fulfils(run: Run, valuation: Valuation, condition: tree.Condition, events: Sequence[Event]) -> bool:
    return run.formula(None, lambda: bool(den_filter(frozenset([valuation]), condition, events)))


def joining(run: Run) -> Claims:
    """One to five automata, of different sizes and with different final states."""
    events = stream(run)
    small = (automaton(name, size=2, finals=(1,)) for name in "BDE")
    operands = automaton("A", finals=(1, 2)), automaton("C"), *small
    of_operands = [accepted(run, operand, events) for operand in operands]
    return [
        (
            f"{number} together accept what one of them does",
            same_accepted(
                accepted(run, cea_or(operands[:number]), events),
                either(*(_or_of(of_operand) for of_operand in of_operands[:number])),
            ),
        )
        for number in COUNTS
    ]


def _or_of(accepted_valuations: Accepted) -> Accepted:
    return each_as(accepted_valuations, lambda valuation: den_or([frozenset([valuation])]))


def following(run: Run, reading: str) -> Claims:
    """Two automata in sequence."""
    events, first, second = stream(run), automaton("A", finals=(1, 2)), automaton("B")
    actual = accepted(run, cea_seq(first, second, reading == "next"), events)
    expected = _after(accepted(run, first, events), accepted(run, second, events), reading)
    return (("it accepts one after the other", same_accepted(actual, expected)),)


def _after(earlier: Accepted, later: Accepted, reading: str) -> Accepted:
    return pairs_as(earlier, later, lambda before, then: den_sequence([before], [then], reading))


def iterating(run: Run, reading: str) -> Claims:
    """One, two and three iterations: more are not possible in so few events."""
    events, operand = stream(run), automaton("A", finals=(1, 2))
    once = accepted(run, operand, events)
    twice = _after(once, once, reading)
    actual = accepted(run, cea_plus(operand, reading == "next"), events)
    return (("it accepts once or more", same_accepted(actual, either(once, twice, _after(once, twice, reading)))),)


def several(run: Run) -> Claims:
    """One to six types in sequence or under OR, and as many events of these types in order, but perhaps one of
    another type."""
    count = choice(run, "number of parts", (*COUNTS, 6))
    parts = tuple(tree.EventType(f"T{place}") for place in range(count))
    changed = choice(run, "of another type", (None, *range(count)))
    events = [Event(f"e{place}", "T" if place == changed else f"T{place}", 0, {}) for place in range(count)]
    formulas: Sequence[tree.Formula] = (tree.Sequence(parts, False), tree.Sequence(parts, True), tree.Or(parts))
    formula = choice(run, "formula", formulas)
    expected: Accepted = dict.fromkeys(denote(formula, events), True)
    return (("it accepts what the parts do", same_accepted(accepted(run, constructed(formula), events), expected)),)


def _query(selected: tuple[str, ...] | None) -> tree.Query:
    return tree.Query(tree.Strategy.STRICT, selected, (), tree.EventType(X), (), None, tree.Consumption.NONE)


def strictly(run: Run) -> Claims:
    """STRICT for all variables, and for one of two."""
    events, operand = stream(run), automaton("A", LABELS, size=2, finals=(1,))
    before = accepted(run, operand, events)
    selection = frozenset({X})
    actual = (
        accepted(run, cea_strict(operand), events),
        accepted(run, cea_proj(cea_strict(operand, selection), selection), events),
    )
    return [
        (f"{text} it accepts what has no gap", same_accepted(there, each_as(before, partial(_selected, names))))
        for text, there, names in (("for all", actual[0], None), ("for one", actual[1], (X,)))
    ]


def _selected(names: tuple[str, ...] | None, valuation: Valuation) -> set[Valuation]:
    return select(_query(names), [valuation], USUAL, [valuation])


def trimming(run: Run) -> Claims:
    """Automata with states that no transition reaches, or from which nothing is accepted."""
    events, whole = stream(run), automaton("A", size=4, finals=(2,))
    unreached = without(whole, lambda transition: transition.target == 3)
    unproductive = without(whole, lambda transition: transition.source == 3 and transition.target != 3)
    claims: list[tuple[str, bool]] = []
    for name, untrimmed in (("whole", whole), ("unreached", unreached), ("unproductive", unproductive)):
        trimmed = cea_trim(untrimmed)
        claims += [
            (
                f"{name}: it accepts the same",
                same_accepted(accepted(run, trimmed, events), accepted(run, untrimmed, events)),
            ),
            (f"{name}: no state is useless", trimmed.size == (4 if name == "whole" else 3)),
        ]
    return claims


def _lemma(
    name: str,
    statement: str,
    rules: Sequence[str],
    body: Callable[[Run], Claims],
    mutant: Mutant,
    *,
    scope: str = SCOPE,
) -> Lemma:
    return Lemma(name, statement, SECTION, tuple(f"CORE/{rule}" for rule in rules), scope, body, mutant, HOLDS)


_FILTERS = (
    (
        "one",
        ("CEA-FILTER",),
        Mutant("on-every-mark", f"{_CONSTRUCTION}:cea_filter", "variable in transition.label", "transition.label"),
    ),
    (
        "both",
        ("CEA-FILTER-AND",),
        Mutant("the-last", f"{_CONSTRUCTION}:cea_filter_and", "conditions, automaton", "conditions[-1:], automaton"),
    ),
    (
        "either",
        ("CEA-FILTER-OR",),
        Mutant("the-first", f"{_CONSTRUCTION}:cea_filter_or", "in conditions]", "in conditions[:1]]"),
    ),
    (
        "none",
        ("CEA-FILTER", "CEA-FILTER-AND"),
        Mutant(
            "replace-the-guard",
            f"{_CONSTRUCTION}:cea_filter",
            "transition.guard | {predicate}",
            "frozenset([predicate])",
        ),
    ),
)

LEMMAS = (
    _lemma(
        "types-accept-their-events",
        "The automaton of a type accepts each event of it, marked as it, and nothing else.",
        ("CEA-TYPE",),
        types,
        Mutant("unmarked", f"{_CONSTRUCTION}:cea_type", "frozenset([name]), 1", "frozenset(), 1"),
    ),
    _lemma(
        "names-hold-what-is-marked",
        "With a name after AS an automaton accepts the same, with that name for all that is marked.",
        ("CEA-AS",),
        renaming,
        Mutant("only-the-name", f"{_CONSTRUCTION}:cea_as", "label | {variable}", "frozenset([variable])"),
    ),
    _lemma(
        "projections-forget-variables",
        "A projection accepts the same, without the marks of the other variables.",
        ("CEA-PROJ",),
        projecting,
        Mutant("the-others", f"{_CONSTRUCTION}:cea_proj", "transition.label & names", "transition.label - names"),
    ),
    *(
        _lemma(
            f"conditions-keep-what-fulfils-them-{name}",
            "Under a condition an automaton accepts just what fulfils it.",
            rules,
            partial(filtering, conditions=conditions),
            mutant,
            scope=SCOPE if len(conditions) == 1 else f"1 to {len(conditions)} conditions; {SCOPE}",
        )
        for (name, rules, mutant), conditions in zip(_FILTERS, CONDITIONS, strict=True)
    ),
    _lemma(
        "alternatives-accept-what-one-does",
        "Automata under OR accept what one of them accepts.",
        ("CEA-OR",),
        joining,
        Mutant("one-final", f"{_CONSTRUCTION}:cea_or", "finals |= moved.finals", "finals = set(moved.finals)"),
        scope=f"1 to {len(COUNTS)} operands; {SCOPE}",
    ),
    _lemma(
        "several-parts-are-all-there",
        "The automaton of a sequence of types, or of a choice of types, accepts what the formula means.",
        ("CEA-SEQ", "CEA-OR", "CEA-TYPE"),
        several,
        Mutant("lose-the-odd", f"{_CONSTRUCTION}:constructed", "zip_longest(automata", "zip(automata"),
        scope="1 to 6 types, and as many events of these types in order, but perhaps one",
    ),
    *(
        _lemma(
            f"{kind}-{name}",
            f"{accepts} one after the other{text}.",
            (f"CEA-{operator}",),
            partial(claims, reading=reading),
            Mutant("other-way", f"{_CONSTRUCTION}:cea_{operator.lower()}", "[] if contiguous else", edit),
        )
        for kind, accepts, operator, claims in (
            ("sequences", "A sequence accepts what its parts accept", "SEQ", following),
            ("iterations", "An iteration accepts once or more what its operand accepts,", "PLUS", iterating),
        )
        for name, reading, text, edit in (
            ("skip-events", "after", "", "[] if True else"),
            ("skip-none-if-contiguous", "next", ", with no event between", "[] if False else"),
        )
    ),
    _lemma(
        "strict-accepts-what-has-no-gap",
        "STRICT accepts of an automaton what has no gap between marks of selected variables.",
        ("CEA-STRICT",),
        strictly,
        Mutant("forgive", f"{_CONSTRUCTION}:cea_strict", "(inside, after), (after, after))", "(inside, inside))"),
    ),
    _lemma(
        "trimming-changes-no-meaning",
        "An automaton without its useless states accepts the same.",
        ("CEA-TRIM",),
        trimming,
        Mutant("too-much", f"{_CONSTRUCTION}:cea_trim", "forward & backward", "forward & set(automaton.finals)"),
    ),
)
"""The lemmas on whole runs are about `den_plus` itself, which takes as many rounds as there are."""
