"""Lemmas on queries of one event, samples, pipes, and the order in which events are released."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise, product

from parte.languages.eql.proofs.settings import attributes_of, event, fits, lemma, query_of
from parte.languages.eql.semantics.machine import Machine, piped
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import USUAL
from parte.languages.eql.semantics.syntax.streams import Arrived, Stream
from parte.proofs.numbers import decided
from parte.proofs.statements import at_most, before, count_of, equal, moved
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event


def _ids(results: Sequence[dict[str, list[str]]]) -> list[list[str]]:
    return [result["events"] for result in results]


def single(run: Run) -> Claims:
    """`any where a` on one event, of any key."""
    machine = Machine(query_of(run, "any where a"), USUAL)
    now = event(run, "e", attributes_of(run, "e", "a", ("k",)))
    results = machine.arrive(Arrived((now.timestamp, 1, 0, 1), now), now.timestamp)
    meant = [{"keys": [], "events": ["e"]}] if fits(run, now, "a") else []
    return (("it is a result, without keys, just if it fits", results == meant),)


def samples(run: Run, items: str, number: int) -> Claims:
    """A sample by a key, on some events of the key that may fit any of its items."""
    text = "sample by k " + " ".join(f"[any where {item}]" for item in items)
    machine = Machine(query_of(run, text), USUAL)
    names = [f"e{place}" for place in range(number)]
    for place, name in enumerate(names):
        now = Event(name, "T", place, {**attributes_of(run, name, items), "k": 7})
        machine.arrive(Arrived((place, 1, 0, place), now), place)
    results = machine.end()
    fitting = [[name for name in names if fits(run, name, item)] for item in items]
    tuples = [chosen for chosen in product(names, repeat=count_of(items)) if count_of({*chosen}) == count_of(items)]
    meant = [chosen for chosen in tuples if all(name in own for name, own in zip(chosen, fitting, strict=True))]
    return (
        (
            "it is the first of all tuples of different events, by the first item, then the second",
            [tuple(result["events"]) for result in results] == meant[:1],
        ),
        ("with the key", all(result["keys"] == [7] for result in results)),
    )


def pipes(run: Run) -> Claims:
    """`head` or `tail` of any number up to four, of no to four results."""
    pipe = tree.Pipe(choice(run, "end", tuple(tree.End)), choice(run, "number", (1, 2, 3, 4)))
    results: list[tuple[tuple[int, ...], str]] = [
        ((place,), name) for place, name in enumerate(choice(run, "results", ("", "a", "ab", "abc", "abcd")))
    ]
    left = piped(pipe, results)
    if pipe.end is tree.End.TAIL:
        results, left = results[::-1], left[::-1]
    meant = [result for place, result in enumerate(results) if before(place, pipe.count)]
    return (("it keeps so many from its end, in order", left == meant),)


def through_pipes(run: Run, text: str) -> Claims:
    """One to three events, each a result or none, through two pipes as they come."""
    machine = Machine(query_of(run, f"any where a | {text}"), USUAL)
    names = [f"e{place}" for place in range(choice(run, "events", (1, 2, 3)))]
    results = []
    for place, name in enumerate(names):
        now = Event(name, "T", place, attributes_of(run, name, "a"))
        results += machine.arrive(Arrived((place, 1, 0, place), now), place)
    results += machine.end()
    left = [name for name in names if fits(run, name, "a")]
    for end, number in (word.split() for word in text.split(" | ")):
        left = left[: int(number)] if end == "head" else left[::-1][: int(number)][::-1]
    return (("what comes through is what the whole list has", _ids(results) == [[name] for name in left]),)


def released(run: Run, tied: bool) -> Claims:
    """Three events at any times, with any tiebreakers if they are tied, and after each any promise that is kept."""
    machine = Machine(query_of(run, "any where true"), USUAL, tied)
    events = [event(run, name) for name in "xyz"]
    bounds = [decided(run, f"bound behind {item.id}") for item in events]
    run.assume(*(at_most(low, high) for low, high in pairwise(bounds)))
    run.assume(*(at_most(bound, item.timestamp) for bound, item in zip(bounds, events[1:], strict=False)))
    places = [
        (item.timestamp, 0, decided(run, f"tiebreaker of {item.id}"), number)
        if tied
        else (item.timestamp, 1, 0, number)
        for number, item in enumerate(events)
    ]
    reported: list[list[str]] = []
    come: list[Event] = []
    claims = []
    for item, place, bound in zip(events, places, bounds, strict=True):
        come.append(item)
        reported += _ids(machine.arrive(Arrived(place, item), bound))
        known = [
            [there.id]
            for there in come
            if before(there.timestamp, bound) or (not tied and equal(there.timestamp, bound))
        ]
        claims.append(("those are released before which no event can come", sorted(known) == sorted(reported)))
    reported += _ids(machine.end())
    ordered = [[events[place[-1]].id] for place in sorted(places)]
    return (*claims, ("they are released by timestamp, tiebreaker and arrival", reported == ordered))


def delayed(run: Run) -> Claims:
    """Two events, of which the second is not older by more than the disorder, with tiebreakers or without."""
    disorder = decided(run, "disorder")
    run.assume(at_most(0, disorder))
    stream = Stream(USUAL, "t", disorder)
    machine = Machine(query_of(run, "any where true"), USUAL, True)
    events = [event(run, name, attributes_of(run, name, "", ("t",))) for name in "xy"]
    run.assume(at_most(events[0].timestamp, moved(events[1].timestamp, disorder)))
    results: list[list[str]] = []
    for item in events:
        results += _ids(machine.arrive(stream.add(item), stream.bound))
    results += _ids(machine.end())
    places = [
        (item.timestamp, "t" not in item.attributes, item.attributes.get("t", 0), number)
        for number, item in enumerate(events)
    ]
    return (("they are released in order", results == [[events[place[-1]].id] for place in sorted(places)]),)


LEMMAS = (
    lemma(
        "events-are-results",
        "A query of one event has each event that fits, without keys.",
        "eql-definition",
        "EVENT",
        "1 event with any condition and key",
        single,
        ("machine:event_result", "None if step.key(event) is None else", "None if event is None else"),
    ),
    *(
        lemma(
            f"samples-of-{len(items)}",
            "A sample of a key is the first tuple of different events, by the event of the first item, then the next.",
            "eql-sample",
            "SAMPLE",
            f"{len(items)} items with any conditions, {number} events of one key",
            partial(samples, items=items, number=number),
            mutant,
        )
        for items, number, mutant in (
            ("ab", 4, ("machine:Machine._event", "if len(group) < len(self._steps):", "if not group:")),
            ("abc", 3, ("machine:sample", "if len({position for position, _ in chosen}) == len(chosen):", "if True:")),
        )
    ),
    lemma(
        "pipes-keep-an-end",
        "`head n` keeps the first n results, `tail n` the last n, in order.",
        "eql-pipe",
        "PIPE",
        "0 to 4 results, n from 1 to 4",
        pipes,
        ("machine:piped", "results[-pipe.count :]", "results[-1:]"),
    ),
    *(
        lemma(
            f"pipes-one-by-one-{number}",
            f"Results that come one by one leave `{text}` as the whole list does.",
            "eql-pipe",
            "PIPE EVENT",
            "1 to 3 events, each a result or none",
            partial(through_pipes, text=text),
            mutant,
        )
        for number, text, mutant in (
            (1, "head 2 | tail 1", ("machine:Machine.end", "self._pipes() if", "self._pipes()[:1] if")),
            (2, "tail 2 | head 1", ("machine:Machine._is_at_once", "in_order and all(", "in_order and any(")),
            (3, "head 2 | head 1", ("machine:Machine._through_pipes", "self._reported += len(results)", "pass")),
        )
    ),
    *(
        lemma(
            f"events-are-released-in-order{tied and '-of-a-tiebreaker'}",
            "An event is released when no event can come that is before it, and events are released in order.",
            "eql-release",
            "RELEASE",
            f"3 events at any times{tied and ' with any tiebreakers'} in any order, any promises that they keep",
            partial(released, tied=bool(tied)),
            ("machine:is_released", *edit),
        )
        for tied, edit in (
            ("", ("else place[0] <= bound", "else place[0] < bound")),
            ("tied", ("place[0] < bound if tied", "place[0] <= bound if tied")),
        )
    ),
    lemma(
        "delayed-events-are-put-in-order",
        "Events that come late by no more than the disorder are put in order; those without a tiebreaker come last.",
        "eql-order",
        "RELEASE",
        "2 events at any times with any tiebreakers or none, any disorder that they keep",
        delayed,
        ("machine:is_released", "place[0] < bound if tied", "place[0] <= bound if tied"),
    ),
)
