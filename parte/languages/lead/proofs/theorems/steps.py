"""Lemmas on single steps: the events that a source passes, conditions on values and lists, and the events of one
run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain

from parte.languages.lead.algebra.expressions import Environment, holds
from parte.languages.lead.algebra.partitioning import runs
from parte.languages.lead.proofs.settings import AnySchedule, any_value, decided, edges, events_of, rule_of, shifted
from parte.languages.lead.semantics.conditions import View, true_of
from parte.languages.lead.semantics.feeding import Feeding
from parte.languages.lead.semantics.machine import Machine, in_order
from parte.languages.lead.semantics.net import Run as Firing
from parte.languages.lead.semantics.partitioning import partitions
from parte.languages.lead.semantics.syntax import tree
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.languages.lead.semantics.syntax.streams import occurrences
from parte.languages.lead.semantics.tokens import Token, match_of
from parte.languages.lead.semantics.translation import _Translation
from parte.proofs.lemma import HOLDS, IN_SOUND, REPAIRED, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, count_of, pointwise
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event, Value

_MACHINE = "parte.languages.lead.semantics"


# --- Sources ----------------------------------------------------------------------------------------------------------


def met(run: Run) -> Claims:
    """An arrival, and two activations that come before or after it in its instant."""
    atom = tree.Atom("A", None)
    translation = _Translation(rule_of(run, "FROM A MATCH A"))
    part, net = translation.part(atom, {}), translation.net
    firing = Firing(net, run.repairs, {}, {}, AnySchedule(run))
    event = Occurrence((decided(run, "time"), 0), Event("e", "A", decided(run, "time"), {}))
    free = []
    for number in range(2):
        enabled = decided(run, f"when activation {number} is enabled")
        held = choice(run, f"activation {number}", ("uses it", "spent it", "does not know it"))
        known = frozenset({event.position})
        used, spent = (known if held == state else frozenset() for state in ("uses it", "spent it"))
        activation = firing.activation(None, enabled, {}, used, spent)
        firing.put(part.enable, Token(activation, None))
        if held == "does not know it" and at_most(enabled, event.time):
            free.append(activation)
    firing.arrive(event)
    firing.settle()
    passed = firing.all_stored(part.out)
    meant = Match((("A", event),), event.time, event.time, frozenset({event.position}))
    return (
        (
            "it meets those that know nothing of it and begin no later",
            {token.activation for token in passed} == {*free},
        ),
        ("each once", count_of(passed) == count_of(free)),
        ("as a match that begins and ends with it", all(match_of(token) == meant for token in passed)),
    )


# --- Conditions -------------------------------------------------------------------------------------------------------


def comparisons(run: Run) -> Claims:
    """Two values of any kinds in any comparison."""
    left, right = any_value(run, "left"), any_value(run, "right")
    operator = choice(run, "operator", tuple(tree.Operator))
    condition = tree.Comparison(tree.Reference(("A", "v")), operator, tree.Reference(("A", "w")))
    attributes = {name: value for name, value in (("v", left), ("w", right)) if value is not None}
    event = Occurrence((0, 0), Event("e", "A", 0, attributes))
    result = true_of(condition, View({"A": event}))
    comparable = type(left) is type(right) and left is not None
    return (
        ("the machine says what the definition says", result is holds(condition, Environment({"A": event}))),
        ("it holds of values of one kind only", comparable or not result),
    )


def quantifiers(run: Run) -> Claims:
    """A list, and any numbers of items that a quantifier requires."""
    items = []
    for number in range(choice(run, "length", (0, 1, 2))):
        event = Occurrence((number, number), Event(f"e{number}", "A", number, {"v": decided(run, f"v of {number}")}))
        items.append(Match((("A", event),), number, number, frozenset({event.position})))
    least, most = (choice(run, name, (None, 0, 1, 2)) for name in ("least", "most"))
    single = tree.Comparison(tree.Reference(("l", "v")), tree.Operator.GREATER, tree.Literal(1))
    condition = tree.Quantified(least, most, single)
    result = true_of(condition, View({"l": tuple(items)}))
    fit = count_of(item for item in items if true_of(single, View({"l": item})))
    if least is None and most is None:
        meant = fit == count_of(items)
    else:
        meant = (least is None or at_most(least, fit)) and (most is None or at_most(fit, most))
    return (
        ("the machine says what the definition says", result is holds(condition, Environment({"l": tuple(items)}))),
        ("it counts the items that fulfil the condition, and ALL asks it of each", result is meant),
    )


# --- Runs -------------------------------------------------------------------------------------------------------------


def by_values(run: Run) -> Claims:
    """Two events, with a value of any kind of one attribute, and any number of another, or none."""
    rule = rule_of(run, "FROM A MATCH A PARTITION BY A.k, A.j")
    events, values = [], []
    for number in range(2):
        second = None if run.truth(f"j of {number} is missing") else decided(run, f"j of {number}")
        own = {"k": any_value(run, f"k of {number}"), "j": second}
        values.append(own)
        known = {name: value for name, value in own.items() if value is not None}
        events.append(Occurrence((number, number), Event(f"e{number}", "A", number, known)))
    groups = partitions(rule, events)
    whole = [event for event, own in zip(events, values, strict=True) if None not in own.values()]
    left, right = values
    together = all(type(left[name]) is type(right[name]) and left[name] == right[name] for name in ("k", "j"))
    meant = [whole] if together and whole else [[event] for event in whole]
    return (
        ("the runs are those of the definition", groups == [(keys, list(group)) for keys, group in runs(rule, events)]),
        (
            "two events are in one run if their values are of one kind and equal, in none if one lacks",
            [group for _, group in groups] == meant,
        ),
    )


def by_time(run: Run) -> Claims:
    """Two events at any times, and windows of any length that begin with the first event of a partition."""
    rule = rule_of(run, "FROM A MATCH A PARTITION BY A.k, window(1 ms)")
    events = events_of(run, ["A", "A"], keyed=True)
    length = rule.keys[1].length
    assert isinstance(length, tree.Duration)
    begins = {event.event.attributes["k"]: event.time for event in reversed(events)}
    ends = [edges(begins[event.event.attributes["k"]], length.milliseconds) for event in events]
    run.assume(
        *(at_most(event.time, last) and event.time != last for event, (*_, last) in zip(events, ends, strict=True))
    )
    windows = [
        (event.event.attributes["k"], *(at_most(end, event.time) for end in own))
        for event, own in zip(events, ends, strict=True)
    ]
    groups = partitions(rule, events)
    meant = [
        [event for event, other_window in zip(events, windows, strict=True) if other_window == window]
        for window in {*windows}
    ]
    return (
        ("the runs are those of the definition", groups == [(keys, list(group)) for keys, group in runs(rule, events)]),
        (
            "events are in one window just if none ends between them",
            _by_first([group for _, group in groups]) == _by_first(meant),
        ),
    )


def by_number(run: Run) -> Claims:
    """One to five events with a value of one attribute, and windows of one to three events."""
    length, valued = choice(run, "length", (1, 2, 3)), run.truth("by a value too")
    rule = rule_of(run, f"FROM A MATCH A PARTITION BY {'A.k, ' if valued else ''}window({length})")
    events = [
        Occurrence((place, place), Event(f"e{place}", "A", place, {"k": choice(run, f"k of {place}", (1, 2))}))
        for place in range(choice(run, "number of events", (1, 2, 3, 4, 5)))
    ]
    groups = partitions(rule, events)
    alike = [events]
    if valued:
        alike = [[event for event in events if event.event.attributes["k"] == key] for key in (1, 2)]
    of_each = [[group for _, group in groups if group[0] in own] for own in alike]
    full = [group for own in of_each for group in own[:-1]]
    return (
        ("the runs are those of the definition", groups == [(keys, list(group)) for keys, group in runs(rule, events)]),
        ("all events are in a window, in order", [[*chain(*own)] for own in of_each] == alike),
        ("windows are full, but perhaps the last", all(count_of(group) == length for group in full)),
        ("none has more events", all(at_most(count_of(group), length) for _, group in groups)),
    )


# --- Events one by one ------------------------------------------------------------------------------------------------

_FED = {
    "in-partitions": ("FROM A, B MATCH all(A -> not B within 3 ms) PARTITION BY A.k", "A A B", "1 2 12"),
    "in-windows-of-events": ("FROM A, B MATCH all(A -> B) PARTITION BY window(2)", "AB AB AB", "1 1 1"),
    "in-windows-of-time": ("FROM A, B MATCH all(A -> not B within 3 ms) PARTITION BY window(4 ms)", "A B", "1 1"),
    "at-any-time": ("FROM A, B MATCH all(A -> not B within 3 ms)", "A AB B", "1 1 1"),
}
"""Rules, the types of the events, and their values of `k`."""


def fed(run: Run, text: str, types: str, keys: str) -> Claims:
    """Events of which none is more than the disorder before an earlier one."""
    rule = rule_of(run, text)
    disorder = decided(run, "disorder")
    run.assume(at_most(0, disorder))
    arrivals: list[Event] = []
    for place, (among, values) in enumerate(zip(types.split(), keys.split(), strict=True)):
        time = decided(run, f"time of {place}")
        run.assume(*(at_most(earlier.timestamp, shifted(time, disorder)) for earlier in arrivals))
        own: dict[str, Value] = {"k": choice(run, f"k of {place}", tuple(map(int, values)))}
        arrivals.append(Event(f"e{place}", choice(run, f"type of {place}", tuple(among)), time, own))
    machine = Machine(rule, run.model)
    feeding = Feeding(machine, disorder)
    fed_matches = [*(match for event in arrivals for match in feeding.event(event)), *feeding.end()]
    ends = [match.end for match in fed_matches]
    whole = machine.run(occurrences(rule, arrivals, disorder))
    return (
        ("the matches are those of a run on the whole trace", in_order(fed_matches) == whole),
        ("each once", count_of(fed_matches) == count_of(whole)),
        (
            "by their ends",
            pointwise(ends[:-1], ends[1:]),
        ),
    )


def _by_first(groups: Sequence[Sequence[Occurrence]]) -> list[list[int]]:
    return sorted([number for event in group for _, number in (event.position,)] for group in groups)


LEMMAS = (
    Lemma(
        "a-source-meets-what-is-free",
        "An arrival meets each activation that begins no later and has not used it up, once, whichever comes first.",
        "5.1",
        ("LEAD/SOURCE",),
        "1 event, 2 activations, at any times; every schedule",
        met,
        Mutant(
            "meet-the-first",
            f"{_MACHINE}.core:source",
            "run.all_stored(site.enabled)]",
            "run.all_stored(site.enabled)[:1]]",
        ),
        REPAIRED,
        (2,),
    ),
    Lemma(
        "comparisons-are-of-one-kind",
        "A comparison holds just if the definition says so, and of values of different kinds or none it never does.",
        "3.3 (1)",
        ("LEAD/FILTER",),
        "2 values, each any number, truth value, one of 2 texts, or missing",
        comparisons,
        Mutant("ask-for-no-kind", f"{_MACHINE}.conditions:_ordered", "or _sort(left) is not _sort(right)", "or False"),
        HOLDS,
    ),
    Lemma(
        "quantifiers-count-items",
        "A quantifier holds just if as many items of its list fulfil the condition as it says; ALL asks it of each.",
        "3.3 (1)",
        ("LEAD/FILTER",),
        "lists of 0 to 2 items with any numbers; from none, 0, 1 or 2 to none, 0, 1 or 2 items",
        quantifiers,
        Mutant("of-all-but-one", f"{_MACHINE}.conditions:_counted", "len(items) if most is None", "1 if most is None"),
        HOLDS,
    ),
    Lemma(
        "runs-are-of-equal-values",
        "Two events are in one run if all their values are there, of one kind and equal; what lacks one is in none.",
        "4",
        ("LEAD/SINK",),
        "2 events, each with any number, truth value, one of 2 texts or nothing, and any number or nothing",
        by_values,
        Mutant(
            "one-value-is-enough", f"{_MACHINE}.partitioning:key_of", "if len(known) < len(values):", "if not known:"
        ),
        HOLDS,
    ),
    Lemma(
        "windows-begin-with-a-partition",
        "Windows of time follow each other from the first event of a partition on, and an event is in one of them.",
        "4",
        ("LEAD/SINK",),
        "2 events of 1 or 2 partitions at any times, windows of any length, up to the third",
        by_time,
        Mutant("from-the-last", f"{_MACHINE}.partitioning:_stretches", "- run[0].time", "- run[-1].time"),
        HOLDS,
    ),
    Lemma(
        "windows-of-events-are-full",
        "Windows of a number of events follow each other in each partition, and only the last may have fewer.",
        "4",
        ("LEAD/SINK",),
        "1 to 5 events of 1 or 2 partitions, windows of 1 to 3 events",
        by_number,
        Mutant("one-more", f"{_MACHINE}.partitioning:_stretches", "number // length if", "number // (length + 1) if"),
        HOLDS,
    ),
    *(
        Lemma(
            f"events-are-fed-one-by-one-{name}",
            f"`{text}` finds the same matches when events are fed to it one by one.",
            "5",
            ("LEAD/STEP",),
            f"events of types {', '.join(map(' or '.join, types.split()))}, any order and disorder; any times",
            partial(fed, text=text, types=types, keys=keys),
            Mutant("too-early", f"{_MACHINE}.feeding:Feeding.event", "_latest - self.disorder", "_latest + 1"),
            IN_SOUND,
        )
        for name, (text, types, keys) in _FED.items()
    ),
)
