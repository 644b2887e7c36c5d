"""Lemmas on L's formulas as printed (specification: lead-printed): each formula differs from its intended
meaning, and has another one.

The formulas quantify over single instants, so streams have given instants here. Repairs change nets, not formulas: a
refuted formula is refuted in every model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from parte.languages.lead.algebra.published.denotation import Bindings, Interval, published
from parte.languages.lead.algebra.rules import evaluate
from parte.languages.lead.semantics.syntax.matches import Match, Occurrence
from parte.languages.lead.semantics.syntax.parser import parse
from parte.proofs.lemma import FALSE, HOLDS, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.statements import at_most, before, none_of
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event

Instants = Mapping[Bindings, frozenset[int]]


@dataclass(frozen=True, slots=True)
class Said:
    """The matches of a pattern on a stream: as printed, with their instants, out of which interval; and the events."""

    printed: Instants
    interval: Interval
    events: Sequence[Occurrence]

    def after(self, instant: int) -> frozenset[int]:
        """Return the instants after `instant`."""
        return self.interval.where(partial(before, instant))


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula on streams of these types: its defects in L, its meaning as printed, and an edit of the formula that
    changes this meaning."""

    number: str
    defects: tuple[int, ...]
    pattern: str
    types: str
    words: str
    says: Callable[[Said], bool]
    mutant: tuple[str, str, str]


def _each_end(result: Said) -> bool:
    first, second = result.events
    return result.printed == {(("A", first), ("B", second)): frozenset({first.time, second.time})}


def _came(result: Said) -> bool:
    first, second = result.events
    return bool(result.printed) is (before(first.time, second.time) and before(second.time, 3))


def _all_match(result: Said) -> bool:
    return {event for ((_, event),) in result.printed} == set(result.events)


def _nothing_came(result: Said) -> bool:
    return (("list", ()),) in result.printed


def _ever_after(result: Said) -> bool:
    first, second = result.events
    later = result.after(second.time) if before(first.time, second.time) else frozenset[int]()
    return [at for ((_, items),), at in result.printed.items() if items] == ([later] if later else [])


def _never(result: Said) -> bool:
    return not result.printed


def _unselected(result: Said, pattern: str, consumed: Sequence[str]) -> bool:
    pairs = evaluate(parse(f"FROM A, B MATCH {pattern}"), result.events)

    def used(match: Match, earlier: Match) -> bool:
        return any(dict(match.bindings)[name] == dict(earlier.bindings)[name] for name in consumed)

    selected = [
        match
        for match in pairs
        if none_of(earlier for earlier in pairs if before(earlier.end, match.end) and used(match, earlier))
    ]
    return set(result.printed) == {match.bindings for match in selected}


_SPAN = "for t in distances(span)"
FORMULAS: dict[str, Formula] = {
    "or": Formula(
        "3.3.1 (7)",
        (4,),
        "all(A or B)",
        "A B",
        "matches at either of its ends, and neither part alone",
        _each_end,
        ("formulas:disjunction", "left(now) or right(now)", "left(now)"),
    ),
    "not": Formula(
        "3.3.1 (9)",
        (5,),
        "A -> not B within 3 ms",
        "A B",
        "matches just if B does come in between",
        _came,
        ("formulas:negation", "or not came(match, now)", "or came(match, now)"),
    ),
    "skipping": Formula(
        "3.3.1 (10)",
        (7,),
        "collect(A) within 3 ms",
        "B A",
        "matches without items, whatever came",
        _nothing_came,
        ("formulas:repetition", _SPAN, "for t in distances(0)"),
    ),
    "ever-after": Formula(
        "3.3.1 (10)",
        (6, 8),
        "collect(A) terminate (count() >= 1)",
        "B A",
        "matches at each instant after its item, if that comes later than what enables it, and never when it ends",
        _ever_after,
        ("formulas:repetition", "distances(t - 1)", "distances(t)"),
    ),
    "all-first": Formula(
        "3.3.3 (14)",
        (6, 11),
        "first(A)",
        "A A",
        "matches twice, for what comes at the first instant or together excludes nothing",
        _all_match,
        ("formulas:first", "distances(t - 1)", "distances(t)"),
    ),
    "all-last": Formula(
        "3.3.3 (15)",
        (38,),
        "last(B) within 3 ms",
        "B B",
        "matches with each B",
        _all_match,
        ("formulas:last", _SPAN, "for t in distances(0)"),
    ),
    "last-until": Formula(
        "3.3.3 (15)",
        (13,),
        "A -> last(B) -> A AS x",
        "A B A",
        "matches nothing, for what ends it is enabled by what it ends",
        _never,
        ("denotation:_Published._until", ".union(*ends.values())", ".union(*ends.values()) or enabled"),
    ),
    "every": Formula(
        "3.3.3 (17)",
        (15,),
        "every(A -> B)",
        "A B",
        "matches nothing, for a match excludes itself",
        _never,
        ("formulas:every", "and not any(", "and all("),
    ),
    "consume-together": Formula(
        "3.3.3 (18)",
        (17,),
        "all(A -> B) consume (A)",
        "A B B",
        "loses what shares a part with a match that ended before, and nothing that ends at the same instant",
        partial(_unselected, pattern="all(A -> B)", consumed=("A",)),
        ("formulas:consume", _SPAN, "for t in (0, *distances(span))"),
    ),
    "consume-unselected": Formula(
        "3.3.3 (18)",
        (18,),
        "all(A and B) consume (A, B)",
        "A B B A",
        "loses what shares a part with any match that ended before, selected or not",
        partial(_unselected, pattern="all(A and B)", consumed=("A", "B")),
        ("formulas:consume", _SPAN, "for t in distances(0)"),
    ),
}


def _stream(run: Run, types: Sequence[str]) -> list[Occurrence]:
    events: list[Occurrence] = []
    for place, template in enumerate(types):
        time = choice(run, f"time of {place}", (0, 1, 2, 3)) if events else 0
        if events:
            run.assume(at_most(events[-1].time, time))
        events.append(Occurrence((time, place), Event(f"e{place}", template, time, {})))
    return events


def means(run: Run, formula: Formula) -> Claims:
    """The formula as printed, compared with the definition."""
    rule, events = parse(f"FROM A, B MATCH {formula.pattern}"), _stream(run, formula.types.split())
    printed, _ = published(rule, events)
    meant: dict[Bindings, frozenset[int]] = {}
    for match in evaluate(rule, events):
        meant[match.bindings] = meant.get(match.bindings, frozenset()) | {match.end}
    return (("what is printed holds when what is meant ends", printed == meant),)


def says(run: Run, formula: Formula) -> Claims:
    """The formula as printed, by itself."""
    rule, events = parse(f"FROM A, B MATCH {formula.pattern}"), _stream(run, formula.types.split())
    printed, interval = published(rule, events)
    return ((f"it {formula.words}", formula.says(Said(printed, interval, events))),)


def _lemmas(name: str, formula: Formula) -> tuple[Lemma, Lemma]:
    scope = f"events {formula.types} in this order, the first at 0, the others at 0 to 3"
    several = "s" if formula.defects[1:] else ""
    note = f"defect{several} {', '.join(map(str, formula.defects))} of L"
    place, old, new = formula.mutant
    edit = Mutant(f"otherwise-{name}", f"parte.languages.lead.algebra.published.{place}", old, new)
    return (
        Lemma(
            f"printed-{name}",
            f"As printed, `{formula.pattern}` matches when what is meant ends, and nothing else.",
            formula.number,
            (),
            scope,
            partial(means, formula=formula),
            None,
            FALSE,
            note=note,
        ),
        Lemma(
            f"printed-{name}-instead",
            f"As printed, `{formula.pattern}` {formula.words}.",
            formula.number,
            (),
            scope,
            partial(says, formula=formula),
            edit,
            HOLDS,
            note=note,
        ),
    )


LEMMAS = tuple(lemma for name, formula in FORMULAS.items() for lemma in _lemmas(name, formula))
