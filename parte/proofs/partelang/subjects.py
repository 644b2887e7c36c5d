"""Programs with many of everything, and traces of which one event is at any time: data of the lemmas `runs-many-*`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from parte.proofs.partelang.theorems.runs import WATCHED
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.unbounded import PATIENCE

SEVERAL = 5
LONG = 130
"""More than twice `PATIENCE`, so that a run tells bounds twice."""
NUMBERS = range(1, SEVERAL + 1)
FREE = "free"
"""The source of the event that is at any time."""


@dataclass(frozen=True, slots=True)
class Situation:
    """The place of the event that is at any time in the trace, its number there, and attributes that it changes."""

    number: int
    place: int
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subject:
    """A program, the events of a trace in the order in which they arrive, and situations to try."""

    text: str
    summary: str
    events: tuple[Event, ...]
    situations: tuple[Situation, ...]
    tellings: tuple[int, ...] = (2, 100)
    """Numbers of arrivals between two tellings of bounds, or `WATCHED`."""
    lagging: bool = False
    """True if sources promise nothing before they end, so that events may come in any order."""

    @property
    def sources(self) -> Mapping[str, Sequence[str]]:
        """The sources of each template."""
        templates: dict[str, dict[str, None]] = {event.template: {} for event in self.events}
        for event in self.events:
            templates[event.template][event.source] = None
        return {template: (*several, FREE) for template, several in templates.items()}


def _listed(text: str, separator: str = " ") -> str:
    """Return a text for each of several numbers, in place of `#`."""
    return separator.join(text.replace("#", str(number)) for number in NUMBERS)


def _event(template: str, timestamp: int, number: int = 0, source: str = "s", **attributes: int) -> Event:
    return Event(f"{template}{number}", template, timestamp, attributes, source)


def _numbered(attributes: Mapping[str, int], numbered: Mapping[int, int]) -> dict[str, Value]:
    """Return attributes, and the attributes `k1`, `k2`, ... of given values."""
    return {**attributes, **{f"k{number}": value for number, value in numbered.items()}}


# --- Several patterns in one rule -------------------------------------------------------------------------------------

_CHAIN = tuple(_event(f"T{number}", 10 * number, k=number, j=number) for number in NUMBERS)
_LAST = Event("L", "L", 60, _numbered({"j": 10}, {number: number for number in NUMBERS}), "s")
_WINDOWS = [f"l in v{number} [{57 - 10 * number} ms, {64 - 10 * number} ms]" for number in NUMBERS]
_CONDITIONS = _listed("k# = v#.k", ", ") + ", " + _listed("j > v#.j", ", ")
_DECLARED = _listed("template T# { k : Integer, j : Integer } ") + (
    "template L { j : Integer, " + _listed("k# : Integer", ", ") + " } "
)
_POSITIVE = _listed("v# : T#", ", ")
_SITUATIONS = (
    *(Situation(number, place) for number in range(SEVERAL + 1) for place in (0, SEVERAL)),
    *(Situation(number, SEVERAL, {"k": 0}) for number in range(SEVERAL)),
    *(Situation(number, SEVERAL, {"j": 10}) for number in range(SEVERAL)),
)


def _last(kind: str, having: str = "", level: str = "") -> Subject:
    words = {"": "a positive pattern", "no ": "a negated pattern", "all ": "a set"}
    windows = " ".join(f"no {window}" if kind == "no " else window for window in _WINDOWS)
    related = "" if not kind else " ".join(f"v{number} in v1 [-1000 ms, 1000 ms]" for number in NUMBERS[1:])
    return Subject(
        f"{level}{_DECLARED} rule R where {_POSITIVE}, {kind}l : L {{ {_CONDITIONS} }} "
        f"when {windows} {related} {having}then",
        f"{SEVERAL} patterns and {words[kind]} that has a window, an equality and an inequality with each",
        (*_CHAIN, _LAST),
        _SITUATIONS,
    )


# --- Several sources, rules, emissions and strata ---------------------------------------------------------------------

_SOURCES = Subject(
    "template A {} template B {} rule R where a : A, b : B when b in a [0 ms, 5 ms] then "
    "rule S where a : A, no b : B when no b in a [0 ms, 5 ms] then",
    f"a join and an absence of events from {SEVERAL + 1} sources",
    (_event("A", 50), *(_event("B", 90 + number, number, f"s{number}") for number in NUMBERS)),
    tuple(Situation(number, SEVERAL) for number in range(1, SEVERAL + 1)),
)

_RULES = Subject(
    "template A { k : Integer, "
    + _listed("k# : Integer", ", ")
    + " } template C {} "
    + _listed("rule E# where a : A { k = 1 }, then emit C at a.timestamp - # ms with {} ")
    + _listed("rule F# where a : A { k# = 1 }, then ")
    + _listed("rule G# where a : A { k > # }, then ")
    + _listed("rule H# where a : A then ")
    + _listed("rule N# where c : C, no a : A { k = # } when no a in c [0 ms, # ms] then ")
    + "rule M where a : A, no c : C when no c in a [-4 ms, 0 ms] then",
    f"{4 * SEVERAL} rules on one event, {SEVERAL} each with equal conditions, with different attributes, with "
    f"inequalities and without conditions, and {SEVERAL + 1} absences behind {SEVERAL} emissions of one template",
    (
        Event("A", "A", 10, _numbered({"k": 1}, dict.fromkeys(NUMBERS, 1)), "s"),
        Event("A2", "A", 14, _numbered({"k": 3}, {**dict.fromkeys(NUMBERS, 2), 4: 1}), "s"),
    ),
    tuple(Situation(number, 1, attributes) for number in range(2) for attributes in ({}, {"k": 5}, {"k": 7, "k5": 0})),
)

_ALTERNATIVES = Subject(
    "level 2 " + _listed("template T# { k : Integer } ") + "template B {} "
    "rule R where b : B, either " + _listed("v : T# { k = # }", " or ") + " when v in b [0 ms, 10 ms] then",
    f"a pattern with {SEVERAL} alternatives",
    (_event("B", 50), *(_event(f"T{number}", 50 + number, k=number) for number in NUMBERS)),
    tuple(Situation(number, SEVERAL) for number in range(SEVERAL + 1)),
)

_NEGATIONS = Subject(
    "template A {} "
    + _listed("template T# { k : Integer } ")
    + "rule R where a : A, "
    + _listed("no v# : T# { k = # }", ", ")
    + " when "
    + _listed("no v# in a [# ms, #0 ms]")
    + " then",
    f"{SEVERAL} negated patterns",
    (_event("A", 50), *(_event(f"T{number}", 120, k=number) for number in NUMBERS)),
    (
        *(Situation(number, place) for number in NUMBERS for place in (0, SEVERAL)),
        *(Situation(number, SEVERAL, {"k": 0}) for number in NUMBERS),
    ),
)

_STRATA = Subject(
    "template A {} "
    + _listed("template C# {} ")
    + "rule R1 where a : A then "
    + "emit C1 at a.timestamp - 1 ms with {} "
    + " ".join(
        f"rule R{number} where c : C{number - 1}, no a : A when no a in c [{number} ms, {2 * number} ms] then "
        f"emit C{number} at c.timestamp + {number - 3} ms with {{}}"
        for number in NUMBERS[1:]
    ),
    f"{SEVERAL} strata, each with an absence",
    (_event("A", 0), _event("A", 40, 2), _event("A", 44, 3)),
    tuple(Situation(number, place) for number in range(3) for place in (0, 2)),
)

_EMISSIONS = Subject(
    "template A {} template B {} "
    + _listed("template C# {} ")
    + "rule R where a : A then "
    + _listed("emit C# at a.timestamp + # ms with {} ")
    + _listed("rule S# where b : B, c : C# when c in b [0 ms, # ms] then"),
    f"a rule with {SEVERAL} emissions, each joined by another rule",
    (_event("A", 10), _event("B", 12)),
    tuple(Situation(number, place) for number in range(2) for place in (0, 1)),
)

# --- Many stored events -----------------------------------------------------------------------------------------------

_TIMES = tuple(10 * (number * SEVERAL // LONG) for number in range(LONG))
"""Few times, for the proof has a case for each window in which the free event may lie."""


def _stored(template: str, opposite: str, *, lagging: bool) -> Subject:
    """Many events of one template before, around and after one of another; in order, or in no order."""
    order = [(37 * number + LONG // 2) % LONG for number in range(LONG)] if lagging else range(LONG)
    events = [_event(template, _TIMES[number], number) for number in order]
    return Subject(
        "template A {} template B {} rule R where a : A, b : B when b in a [-15 ms, 15 ms] then "
        "rule S where a : A, no b : B when no b in a [0 ms, 10 ms] then",
        f"a join and an absence with {LONG} events of {template} at {SEVERAL} times, "
        + ("in no order" if lagging else "in order"),
        (_event(opposite, 0), *events),
        tuple(Situation(0, place) for place in ((0, LONG // 2, LONG) if lagging else (0, LONG))),
        (PATIENCE,) if lagging else (PATIENCE, WATCHED),
        lagging,
    )


_ELEMENTS = Subject(
    "level 2 template A {} template B { k : Integer } template C { n : Integer, m : Integer } "
    "rule R where a : A, all b : B when b in a [-10 ms, 10 ms] "
    "then emit C at max(b.timestamp) + 1 ms with { n = count(b), m = sum(b.k) } "
    "rule S where a : A, b : B when b in a [-20 ms, 20 ms] then "
    "emit C at b.timestamp with { n = b.k, m = 0 } once in 20 ms",
    f"a set of up to {LONG} events, and matches of which `once` suppresses as many",
    (_event("A", 0), *(_event("B", time, number, k=number) for number, time in enumerate(_TIMES))),
    tuple(Situation(0, place) for place in (0, LONG)),
    (PATIENCE,),
)

_TIMES_OF_EVENTS = Subject(
    _DECLARED
    + _listed("template C# {} ")
    + f"rule R where {_POSITIVE} when {' '.join(f'v{number} in v1 [-100 ms, 100 ms]' for number in NUMBERS[1:])} then "
    + f"emit C1 at min({_listed('v#.timestamp', ', ')}) with {{}} "
    + f"emit C2 at max({_listed('v#.timestamp', ', ')}) with {{}} "
    + f"emit C3 at avg({_listed('v#.timestamp', ', ')}) with {{}} "
    + "emit C4 at max(min(v1.timestamp, v2.timestamp) + 3 ms, avg(v3.timestamp, v4.timestamp) - 2 ms) with {}",
    "timestamps of emissions that are the least, the greatest and the average of those of 5 events, and of these",
    _CHAIN,
    tuple(Situation(number, SEVERAL) for number in range(SEVERAL)),
    (100,),
)

SUBJECTS = {
    "patterns": _last(""),
    "absences": _last("no "),
    "sets": _last("all ", "having count(l) = 1 ", "level 2 "),
    "timestamps": _TIMES_OF_EVENTS,
    "elements": _ELEMENTS,
    "negations": _NEGATIONS,
    "sources": _SOURCES,
    "rules": _RULES,
    "alternatives": _ALTERNATIVES,
    "strata": _STRATA,
    "emissions": _EMISSIONS,
    "left-events": _stored("A", "B", lagging=False),
    "right-events": _stored("B", "A", lagging=False),
    "left-events-unordered": _stored("A", "B", lagging=True),
    "right-events-unordered": _stored("B", "A", lagging=True),
}
