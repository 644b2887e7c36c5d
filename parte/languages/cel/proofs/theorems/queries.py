"""Clauses of queries (T §3.2, §4.1): the machine agrees with the definition, event by event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from parte.languages.cel.algebra.denotation import Valuation, fulfils
from parte.languages.cel.algebra.predicates import compared, satisfies
from parte.languages.cel.algebra.queries import _Result, from_streams, partition, within
from parte.languages.cel.proofs.statements import times, total
from parte.languages.cel.semantics.machine import q_from, q_partition, q_within
from parte.languages.cel.semantics.predicates import compiled, holds
from parte.languages.cel.semantics.refinement import Unsupported, refine, rewrite
from parte.languages.cel.semantics.syntax import tree
from parte.proofs.lemma import HOLDS, REPAIRED, UNBOUNDED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import number
from parte.proofs.statements import at_most, equal, same
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event, Value

_MACHINE = "parte.languages.cel.semantics.machine"


def _value(run: Run, name: str) -> Value | None:
    """Return NULL, a number, or some other value."""
    return choice(run, name, (None, number(run, name), "x", "y", True, False, (1, 2)))


def comparisons(run: Run, operator: tree.Operator) -> Claims:
    """Two values of any kinds."""
    left, right = _value(run, "one"), _value(run, "other")
    return (
        (
            "both sides say the same",
            bool(holds(left, operator, right)) is bool(compared(left, operator, right)),
        ),
    )


_SMALL = tree.Comparison(tree.Attribute("p"), tree.Operator.LESS, tree.Literal(1))
_SAME = tree.Comparison(tree.Attribute("q"), tree.Operator.EQUAL, tree.Attribute("p"))
_IS = tuple(tree.Comparison(tree.Attribute("p"), tree.Operator.EQUAL, tree.Literal(value)) for value in range(5))
PREDICATES: Sequence[tree.Predicate] = (
    _SMALL,
    tree.Not(_SMALL),
    tree.Every((_SMALL, _SAME)),
    tree.Some((tree.Not(_SAME), _SMALL)),
    tree.Not(tree.Every((tree.Some((_SMALL, _SAME)), tree.Not(_SAME)))),
    tree.Every(tuple(map(tree.Not, _IS))),
    tree.Some(_IS),
)


def predicates(run: Run) -> Claims:
    """An event with two attributes, each of which may be missing."""
    values = {name: choice(run, name, (None, number(run, name), "x")) for name in ("p", "q")}
    event = Event("e", "T", 0, {name: value for name, value in values.items() if value is not None})
    return [
        (f"{place}: both sides say the same", bool(compiled(predicate)(event)) is bool(satisfies(event, predicate)))
        for place, predicate in enumerate(PREDICATES)
    ]


def event_windows(run: Run) -> Claims:
    """A result from one position to a later one, in a window of any length."""
    start, end, length = run.integer("start"), run.integer("end"), run.integer("length")
    run.assume(at_most(0, start), at_most(start, end), at_most(0, length))
    window = choice(run, "window", (None, tree.EventWindow(length)))
    events = [Event("s", "T", 0, {}), Event("e", "T", 0, {})]
    result = _Result(Valuation(0, 1, frozenset()), (start, end))
    place, _ = q_within(window, events[0], start, run.repairs.time_windows)
    _, least = q_within(window, events[1], end, run.repairs.time_windows)
    return (
        (
            "it is reached just if it is in the window",
            same(at_most(least, place), within(window, result, events, "stream")),
        ),
    )


def time_windows(run: Run) -> Claims:
    """A result of two events at any times."""
    times, length = run.integers("time", 2), run.integer("length")
    run.assume(at_most(*times), at_most(0, length))
    others = ((2, tree.Unit.SECONDS), (3, tree.Unit.MINUTES), (1, tree.Unit.HOURS))
    window = tree.TimeWindow(((length, tree.Unit.MS), *others))
    events = [Event(f"e{place}", "T", time, {}) for place, time in enumerate(times)]
    result = _Result(Valuation(0, 1, frozenset()), (0, 1))
    place, _ = q_within(window, events[0], 0, run.repairs.time_windows)
    _, least = q_within(window, events[1], 1, run.repairs.time_windows)
    inside = within(window, result, events, "stream")
    return (("it is reached just if it is in the window", same(at_most(least, place), inside)),)


def units(run: Run) -> Claims:
    """A window of one term for each unit."""
    amount = run.integer("amount")
    lengths = [tree.TimeWindow(((amount, unit),)).milliseconds for unit in tree.Unit]
    millisecond, second, minute, hour = lengths
    return (
        ("a millisecond is one", equal(millisecond, amount)),
        ("a second is 1000 of them", equal(second, times(1000, millisecond))),
        ("a minute 60 seconds", equal(minute, times(60, second))),
        ("an hour 60 minutes", equal(hour, times(60, minute))),
        (
            "terms add up",
            equal(tree.TimeWindow(tuple((amount, unit) for unit in tree.Unit)).milliseconds, total(*lengths)),
        ),
    )


ALIKE = (1, 1.0, "1", True, None)
"""Values that may or may not be mistaken for each other."""


def substreams(run: Run) -> Claims:
    """Two events, by one attribute with values of any kinds, by two of which one may be missing, or by five."""
    attributes: tuple[str, ...] = ("a", "b")
    if run.truth("by five attributes"):
        attributes = tuple("abcde")
        events = [
            Event(f"e{place}", "T", 0, {name: number(run, f"{name} of {place}") for name in attributes})
            for place in range(2)
        ]
    elif run.truth("by two attributes"):
        values = [{"a": number(run, f"a of {place}")} for place in range(2)]
        values[0]["b"] = number(run, "b")
        if run.truth("none is missing"):
            values[1]["b"] = number(run, "other b")
        events = [Event(f"e{place}", "T", 0, event_attributes) for place, event_attributes in enumerate(values)]
    else:
        attributes = ("a",)
        known = run.truth("the values are known")
        names = (f"a of {place}" for place in range(2))
        found_values = [choice(run, name, ALIKE) if known else _value(run, name) for name in names]
        events = [
            Event(f"e{place}", "T", 0, _present({"a": event_value})) for place, event_value in enumerate(found_values)
        ]
    keys = [q_partition(attributes, event, run.repairs.nulls_apart) for event in events]
    substreams_of_pair = partition(attributes, events, range(2), "none")
    nowhere = [all(place not in substream for substream in substreams_of_pair) for place in range(2)]
    return (
        ("an event is in none if it is in none", [key is None for key in keys] == nowhere),
        ("two are in one if they are", None in keys or (keys[0] == keys[1]) is ((0, 1) in substreams_of_pair)),
    )


def _present(values: dict[str, Value | None]) -> dict[str, Value]:
    return {name: value for name, value in values.items() if value is not None}


STREAMS = ("a", "b", "A")


def streams(run: Run) -> Claims:
    """An event of one of three streams, of which any are named."""
    named = tuple(name for name in STREAMS if run.truth(f"{name} is named"))
    event = Event("e", "T", 0, {}, choice(run, "stream", STREAMS))
    return (("it is kept just if the definition keeps it", q_from(named, event) is bool(from_streams(named, [event]))),)


# --- Links ------------------------------------------------------------------------------------------------------------

_LINK = tree.Link("X", "p", tree.Operator.LESS, "Y", "q")
CONDITIONS: Sequence[Sequence[tree.Condition]] = (
    (_LINK,),
    (tree.Both((_LINK, tree.Holds("X", _SMALL))),),
    (tree.Either((tree.Holds("Y", tree.Not(_SMALL)), _LINK)),),
    (_LINK, tree.Holds("Y", _SMALL)),
)


def links(run: Run, conditions: Sequence[tree.Condition]) -> Claims:
    """Conditions on two variables that contain any of two events, with attributes that are numbers; one may be
    missing."""
    events = [
        Event(f"e{place}", "T", 0, {name: number(run, f"{name} of {place}") for name in "pq"}) for place in range(2)
    ]
    if run.truth("q is missing"):
        events[0] = Event("e0", "T", 0, {"p": events[0].attributes["p"]})
    contents = {name: [place for place in range(2) if run.truth(f"{place} is in {name}")] for name in "XY"}
    content = frozenset((name, place) for name, places in contents.items() for place in places)
    nonempty = {name: places for name, places in contents.items() if places}
    actual = refine(nonempty, conditions, events.__getitem__)
    expected = all(fulfils(Valuation(0, 1, content), condition, events) for condition in conditions)
    return (("both sides say the same", actual is expected),)


_A_B = tree.Sequence((tree.EventType("X"), tree.EventType("Y")), False)
_HOLDS = tree.Holds("X", _SMALL)


def rewriting(run: Run) -> Claims:
    """Conditions at the top, of which some have links; and a link below an iteration."""
    conditions = choice(run, "conditions", ((_LINK,), (_HOLDS, _LINK), (_LINK, _HOLDS), (_HOLDS,)))
    formula: tree.Formula = _A_B
    for condition in conditions:
        formula = tree.Filtered(formula, condition)
    inner, linked = rewrite(formula, stay=run.repairs.links_stay)
    below = tree.Iteration(tree.Filtered(_A_B, _LINK), False)
    return (
        (
            "links are taken out, each once",
            sorted(linked, key=str) == [condition for condition in conditions if condition == _LINK],
        ),
        ("the rest stays", inner == (tree.Filtered(_A_B, _HOLDS) if _HOLDS in conditions else _A_B)),
        ("a link below another operator is refused", _refused(run, below)),
    )


def _refused(run: Run, formula: tree.Formula) -> bool:
    try:
        rewrite(formula, stay=run.repairs.links_stay)
    except Unsupported:
        return True
    return False


def _lemma(
    name: str,
    statement: str,
    section: str,
    rules: Sequence[str],
    scope: str,
    body: Callable[[Run], Claims],
    mutant: Mutant,
    *expected_results: Any,
) -> Lemma:
    return Lemma(
        name,
        statement,
        section,
        tuple(f"CORE/{rule}" for rule in rules),
        scope,
        body,
        mutant,
        *(expected_results or (HOLDS,)),
    )


_COMPARISONS = (
    (tree.Operator.LESS, "<", "<="),
    (tree.Operator.LESS_OR_EQUAL, "<=", "<"),
    (tree.Operator.GREATER, ">", ">="),
    (tree.Operator.GREATER_OR_EQUAL, ">=", ">"),
    (tree.Operator.EQUAL, "==", "!="),
    (tree.Operator.NOT_EQUAL, "!=", "=="),
)

_REFINEMENT = "parte.languages.cel.semantics.refinement"
_LINKED = (
    ("alone", Mutant("some-pair", f"{_REFINEMENT}:_fulfils", "return all(holds", "return any(holds")),
    ("and", Mutant("either", f"{_REFINEMENT}:_fulfils", "return all(_fulfils", "return any(_fulfils")),
    ("or", Mutant("both", f"{_REFINEMENT}:_fulfils", "return any(_fulfils", "return all(_fulfils")),
    ("one-by-one", Mutant("one", f"{_REFINEMENT}:refine", "return all(_fulfils", "return any(_fulfils")),
)

LEMMAS = (
    *(
        _lemma(
            f"values-compare-alike-{operator.name.lower().replace('_', '-')}",
            f"The machine compares two values by {operator.value} as the definition does.",
            "3.1",
            ("CEA-FILTER", "REFINE"),
            "any integers, two strings, both Booleans, a list, NULL",
            partial(comparisons, operator=operator),
            Mutant(
                "another",
                "parte.languages.cel.semantics.predicates:holds",
                f"result = left {mark} right",
                f"result = left {opposite} right",
            ),
        )
        for operator, mark, opposite in _COMPARISONS
    ),
    _lemma(
        "predicates-hold-alike",
        "The machine finds an event in a predicate just if the definition does.",
        "3.1",
        ("CEA-FILTER", "REFINE"),
        f"{len(PREDICATES)} predicates with every connective; two attributes: any numbers, a string, NULL",
        predicates,
        Mutant(
            "one-is-enough", "parte.languages.cel.semantics.predicates:compiled", "all(test(event)", "any(test(event)"
        ),
    ),
    _lemma(
        "windows-of-events-reach-back-so-far",
        "A start is reached from an event just if the result is in the window of events, or there is no window.",
        "3.2",
        ("Q-WITHIN",),
        f"{UNBOUNDED}: any positions, any length",
        event_windows,
        Mutant("one-less", f"{_MACHINE}:q_within", "position, position - length", "position, position - length + 1"),
    ),
    _lemma(
        "windows-of-time-reach-back-so-long",
        "A start is reached from an event just if the result is in the window of time.",
        "3.2",
        ("Q-WITHIN",),
        f"{UNBOUNDED}: any times, any length",
        time_windows,
        Mutant("one-less", f"{_MACHINE}:q_within", "place - window.milliseconds", "place - window.milliseconds + 1"),
        REPAIRED,
        (3,),
    ),
    _lemma(
        "units-of-time-add-up",
        "A window of time is as long as its terms together, in milliseconds.",
        "3.2",
        ("Q-WITHIN",),
        f"{UNBOUNDED}: any amounts",
        units,
        Mutant(
            "the-longest",
            "parte.languages.cel.semantics.syntax.tree:TimeWindow.milliseconds",
            "sum(amount",
            "max(amount",
        ),
    ),
    _lemma(
        "events-share-a-substream-alike",
        "Two events are in one substream just if they are by the definition, and one in none if it lacks an attribute.",
        "3.2",
        ("Q-PARTITION",),
        "two events, one, two or five attributes: any integers, 1.0, two strings, both Booleans, a list, NULL",
        substreams,
        Mutant("true-is-1", f"{_MACHINE}:q_partition", 'comparable(value, True), comparable(value, "")', "True, True"),
        REPAIRED,
        (6,),
    ),
    _lemma(
        "streams-are-kept-alike",
        "An event is kept just if it is of a named stream, or none is named.",
        "3.2",
        ("Q-FROM",),
        "3 streams, of which any are named",
        streams,
        Mutant("none-is-none", f"{_MACHINE}:q_from", "not streams or ", ""),
    ),
    *(
        _lemma(
            f"links-hold-alike-{name}",
            "A valuation fulfils a condition with a link just if it does by the definition.",
            "4.1",
            ("REFINE",),
            "two variables with any of two events; any numbers, one of which may be missing",
            partial(links, conditions=conditions),
            mutant,
        )
        for (name, mutant), conditions in zip(_LINKED, CONDITIONS, strict=True)
    ),
    _lemma(
        "links-are-taken-from-the-top",
        "Conditions with links at the top are taken out, others stay, and links below other operators are refused.",
        "4.1",
        ("REWRITE",),
        "4 queries",
        rewriting,
        Mutant(
            "lose-the-rest",
            "parte.languages.cel.semantics.refinement:rewrite",
            "inner = tree.Filtered(inner, condition)",
            "pass",
        ),
        REPAIRED,
        (13,),
    ),
)
