"""Arbitrary events, stages, chains and memories for the lemmas about EQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, pairwise

from parte.languages.eql.semantics.chains import Chain
from parte.languages.eql.semantics.plans import Key, Plan, Step
from parte.languages.eql.semantics.sequences import Sequences, State
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.parser import parse
from parte.languages.eql.semantics.syntax.readings import USUAL, Readings
from parte.proofs.lemma import IN_SOUND, Lemma
from parte.proofs.mutation import Mutant
from parte.proofs.numbers import decided
from parte.proofs.statements import at_most, before, moved
from parte.proofs.symbolic import Body, Run, choice
from parte.semantics.events.event import Event, Value
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER
from parte.semantics.rulebook.connectives import neg

Events = tuple[Event, ...]

# --- Stages -----------------------------------------------------------------------------------------------------------


def fits(run: Run, event: Event | str, stage: str) -> bool:
    """Return the truth of a condition for an event: any function of the two."""
    return bool(run.truth(f"{event if isinstance(event, str) else event.id} fits {stage}"))


def stage(run: Run, name: str, keyed: bool = False) -> Step:
    """Return a stage with an arbitrary condition, and a key field of its own if it is keyed."""
    fields = (tree.Field(f"key for {name}", False),) if keyed else ()
    return Step(None, lambda event: fits(run, event, name), fields, USUAL)


def time_of(run: Run, name: str) -> int:
    """Return any timestamp: a number of 64 bit."""
    time = decided(run, name)
    run.assume(at_most(LEAST_INTEGER, time), at_most(time, GREATEST_INTEGER))
    return time


def span(run: Run) -> int:
    """Return any maxspan."""
    length = time_of(run, "maxspan")
    run.assume(at_most(0, length))
    return length


def lemma(
    identity: str, statement: str, section: str, rules: str, scope: str, body: Body, mutant: tuple[str, str, str]
) -> Lemma:
    """Return a lemma that holds; `mutant` is a function, a line of it, and the line that breaks the lemma."""
    place, line, changed = mutant
    edit = Mutant("altered", f"parte.languages.eql.semantics.{place}", line, changed)
    return Lemma(
        identity, statement, section, tuple(f"EQL/{rule}" for rule in rules.split()), scope, body, edit, IN_SOUND
    )


def plan(
    run: Run, text: str, readings: Readings = USUAL, *, until: bool = False, keyed: bool = False, spanned: bool = True
) -> Plan:
    """Return a plan of stages with any conditions, and a maxspan of any length; none if it is not `spanned`.

    `text` has a word for each stage; those with `!` are missing.
    """
    steps: list[Step] = []
    gaps: list[tuple[Step, ...]] = [()]
    for word in text.split():
        step = stage(run, word.removeprefix("!"), keyed)
        if word.startswith("!"):
            gaps[-1] = (*gaps[-1], step)
        else:
            steps.append(step)
            gaps.append(())
    end = stage(run, "until", keyed) if until else None
    maxspan = span(run) if spanned else None
    return Plan(tuple(steps), tuple(gaps[:-1]), gaps[-1], end, maxspan, readings)


# --- Events -----------------------------------------------------------------------------------------------------------


def event(run: Run, name: str, attributes: Mapping[str, Value] | None = None) -> Event:
    """Return an event at any time."""
    return Event(name, "T", time_of(run, f"time of {name}"), attributes or {})


def in_order(run: Run, *names: str) -> list[Event]:
    """Return events at any times that do not decrease."""
    events = [event(run, name) for name in names]
    run.assume(*(at_most(low.timestamp, high.timestamp) for low, high in pairwise(events)))
    return events


def fixed(run: Run, stages: str, **events: str) -> Events:
    """Return events in order that fit just the named ones of some stages; they may fit any other stage."""
    for name, own in events.items():
        for letter in stages:
            truth = run.truth(f"{name} fits {letter}")
            run.assume(truth if letter in own else neg(truth))
    return tuple(in_order(run, *events))


def chain(run: Run, name: str, length: int) -> Chain:
    """Return a chain of some events at any times and positions, without missing events."""
    events = tuple(event(run, f"{name}{number}") for number in range(1, length + 1))
    return Chain(events, tuple(decided(run, f"position of {item.id}") for item in events))


def memory(run: Run, stages: Plan, keys: Sequence[Key] = ((),)) -> Sequences:
    """Return a run with a chain or nothing in each slot of each key, before an event behind all these chains. It
    forgets nothing."""
    position = decided(run, "position")
    states = {key: State([], scheduled=True) for key in keys}
    for key, state in states.items():
        for length in range(1, len(stages.steps)):
            name = f"chain {length} of {keys.index(key) + 1}, "
            there = chain(run, name, length) if run.truth(f"{name}is there") else None
            state.slots.append(there)
            if there is not None:
                run.assume(before(there.positions[-1], position))
    return Sequences(stages, position - 1, states)


def slots_of(memory: Sequences, key: Key) -> list[Events | None]:
    """Return the events in each slot of a key."""
    return [None if there is None else there.events for there in memory.states[key].slots]


def in_span(first: Event, last: Event, maxspan: int | None) -> bool:
    """Return whether an event is at most maxspan after another one (specification: eql-span)."""
    return maxspan is None or bool(at_most(last.timestamp, moved(first.timestamp, maxspan)))


# --- Queries ----------------------------------------------------------------------------------------------------------


@cache
def _parsed(text: str) -> tree.Query:
    return parse(text)


def query_of(run: Run, text: str) -> tree.Query:
    """Return the query of a text, with a maxspan of any length if it has one."""
    query = _parsed(text)
    if isinstance(query, tree.Sequence) and query.maxspan is not None:
        return replace(query, maxspan=tree.Span(span(run), tree.Unit.MS))
    return query


def attributes_of(run: Run, name: str, conditions: str, keys: Sequence[str] = ()) -> dict[str, Value]:
    """Return attributes of an event: for each letter a truth, for each key a number, or none."""
    known: dict[str, Value] = {letter: fits(run, name, letter) for letter in conditions}
    known |= {key: decided(run, f"{key} of {name}") for key in keys if not run.truth(f"{key} of {name} is missing")}
    return known


def any_value(run: Run, name: str) -> Value | None:
    """Return a value of any kind, or None."""
    match choice(run, f"{name} is", ("missing", "number", "truth", "text", "list")):
        case "number":
            return decided(run, name)
        case "truth":
            return bool(run.truth(f"{name} holds"))
        case "text":
            return choice(run, name, ("x", "X"))
        case "list":
            return (1,)
        case _:
            return None


# --- All pairs --------------------------------------------------------------------------------------------------------


def all_pairs(stages: Sequence[str], until: str, events: Sequence[Event], maxspan: int | None) -> list[Events]:
    """Return each rising tuple of events of the positive stages, whatever other tuples there are.

    It is within maxspan, no event of until lies between two of its events, and none of a missing stage at its place.
    """
    positive = [name for name in stages if not name.startswith("!")]
    tuples = []
    for places in combinations(range(len(events)), len(positive)):
        chosen = tuple(events[place] for place in places)
        between = [events[low + 1 : high] for low, high in pairwise(places)]
        behind = [item for item in events[places[-1] + 1 :] if in_span(chosen[0], item, maxspan)]
        gaps = [events[: places[0]], *between, behind]
        missing = {name[1:]: gaps[_positive_before(name, stages)] for name in stages if name.startswith("!")}
        if (
            all(name in ("any", item.template) for name, item in zip(positive, chosen, strict=True))
            and in_span(chosen[0], chosen[-1], maxspan)
            and not any(item.template == until for gap in between for item in gap)
            and not any(item.template == name for name, gap in missing.items() for item in gap)
        ):
            tuples.append(chosen)
    return tuples


def _positive_before(name: str, stages: Sequence[str]) -> int:
    return sum(not earlier.startswith("!") for earlier in stages[: stages.index(name)])
