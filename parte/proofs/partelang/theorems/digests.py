"""Digests: one event stands for any number of others, in the aggregates of a set whose window has no beginning.

A digest of a digest and further events has the states that the events themselves have; grouping and order make no
difference, whatever the states are. So by induction, in which a digest of some events and one more is the step, the
digest of any number of events is that of all of them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from parte.algebra.partelang.aggregates import aggregate_of, in_place_of_event
from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import decided
from parte.proofs.statements import equal, every
from parte.proofs.symbolic import Body, Claims, Run, choice
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.rules.registry import OURS
from parte.semantics.partelang.summaries import Digest, State, Summarizer, place_of, summarizer
from parte.semantics.partelang.syntax import core, parse


@cache
def _pattern() -> core.Pattern:
    program = parse(
        """level 2
        template A {}
        template T { k: Integer? }
        rule R where a: A, all v: T when v in a [-ever, 0 ms] having exists(v) then
        """
    )
    return program.rules[0].patterns[1]


def _aggregate(function: str, attribute: str | None) -> core.Aggregate:
    return core.Aggregate(function, "v", attribute, False, core.Scalar.INTEGER)


_WITH_VALUES = (
    _aggregate("exists", None),
    _aggregate("count", None),
    *(_aggregate(function, "timestamp") for function in ("min", "max")),
    *(_aggregate(function, "k") for function in ("count", "min", "max", "first", "last")),
)
_FORMS = (*_WITH_VALUES, _aggregate("sum", "k"), _aggregate("avg", "k"))
"""The value of a sum is an exact integer, that of an average a Float: their states are compared, not their values."""


def _element(run: Run, name: str, lacking: str) -> Event:
    attributes: dict[str, Value] = {} if name == lacking else {"k": decided(run, f"k of {name}")}
    return Event(name, "T", decided(run, f"timestamp of {name}"), attributes, "s")


def _alike(left: State, another: State) -> bool:
    """Return whether two states are the same."""
    if isinstance(left, tuple) and isinstance(another, tuple):
        return every(map(_alike, left, another))
    return left is another or (left is not None and another is not None and equal(left, another))


def merged(run: Run) -> Claims:
    """An event becomes part of a digest, then another one, then a third."""
    form = choice(run, "aggregate", _FORMS)
    place, summaries = place_of(form), summarizer(_pattern(), (form,))
    elements = [_element(run, name, choice(run, "lacks k", ("none", "e1", "e2", "e3"))) for name in ("e1", "e2", "e3")]
    first, second, third = elements
    digest = summaries.digest([summaries.digest([summaries.digest([first]), second]), third])
    whole = summaries.digest(elements)
    claims = [
        ("its state is that of the events", _alike(digest.attributes.get(place), whole.attributes.get(place))),
        ("its time is the least of theirs", equal(digest.timestamp, min(element.timestamp for element in elements))),
    ]
    if form in _WITH_VALUES:
        meant = aggregate_of(form, {"v": in_place_of_event(frozenset(elements))})
        answer = summaries.summary([digest], digest.timestamp).attributes.get(place)
        claims.append(("the summary answers what the definition says of the events", _alike(answer, meant)))
    return claims


def _state(run: Run, form: core.Aggregate, name: str) -> State:
    """Return the state of any events."""
    if form.function == "exists":
        return choice(run, f"{name} has events", (True, False))
    if form.function in ("first", "last", "avg"):
        return decided(run, f"first part of {name}"), decided(run, f"second part of {name}")
    return decided(run, f"state of {name}")


def grouped(run: Run) -> Claims:
    """Three digests of any events, of which one may know nothing of the aggregate, are merged in different ways."""
    form = choice(run, "aggregate", _FORMS)
    place, summaries = place_of(form), summarizer(_pattern(), (form,))
    lacking = choice(run, "knows nothing", ("none", "d1", "d2", "d3"))
    states = {name: {} if name == lacking else {place: _state(run, form, name)} for name in ("d1", "d2", "d3")}
    initial, two, three = (
        Digest("", "T", decided(run, f"timestamp of {name}"), states) for name, states in states.items()
    )
    ways = ([initial, two, three], [summaries.digest([initial, two]), three], [three, summaries.digest([two, initial])])
    first, *others = (_merged(summaries, place, way) for way in ways)
    return [
        (f"way {number} leads to the same state", every((_alike(state, first[0]), equal(time, first[1]))))
        for number, (state, time) in enumerate(others, 2)
    ]


def _merged(summaries: Summarizer, place: str, digests: Sequence[Event]) -> tuple[State, int]:
    digest = summaries.digest(digests)
    return digest.attributes.get(place), digest.timestamp


# --- The lemmas -------------------------------------------------------------------------------------------------------

_SUMMARIES = "parte.semantics.partelang.summaries"


def _lemma(name: str, statement: str, scope: str, body: Body, mutant: Mutant) -> Lemma:
    return Lemma(f"ever-{name}", statement, OURS, (), scope, body, mutant, IN_SOUND)


_EVERY = "every aggregate but of distinct values, which a set without a beginning has not"
LEMMAS = (
    _lemma(
        "digests",
        "The digest of some events, to which others were added one by one, has the states of all of them; its summary "
        "has the values that the definition gives.",
        f"{_EVERY}; 3 events, with any values or none, at any times; of sums and averages the states",
        merged,
        Mutant(
            "latest-time",
            f"{_SUMMARIES}:Summarizer.digest",
            "min(element.timestamp for element in elements)",
            "max(element.timestamp for element in elements)",
        ),
    ),
    _lemma(
        "groups",
        "Digests that are merged in another order or grouping have the same states.",
        f"{_EVERY}; 3 digests of any events, with any states",
        grouped,
        Mutant(
            "first-and-last",
            f"{_SUMMARIES}:Summarizer._states",
            "reduce(fold.join, known) if known else None",
            "fold.join(known[0], known[-1]) if known else None",
        ),
    ),
)
