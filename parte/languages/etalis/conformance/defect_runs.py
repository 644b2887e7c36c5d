"""Defects of E that neither a repair, a reading nor a policy shows: each has its own kind of run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, combinations

from parte.languages.etalis.algebra.fixpoint import derived, interpretation, of_stream
from parte.languages.etalis.algebra.patterns import Effort
from parte.languages.etalis.algebra.readings import USUAL
from parte.languages.etalis.conformance.exploring import explore
from parte.languages.etalis.running import POLICY
from parte.languages.etalis.semantics.machine import Machine
from parte.languages.etalis.semantics.published.compiler import compiled, printed
from parte.languages.etalis.semantics.published.machine import Published
from parte.languages.etalis.semantics.published.prolog import Prolog
from parte.languages.etalis.semantics.published.reader import read
from parte.languages.etalis.semantics.published.repairs import SOUND
from parte.languages.etalis.semantics.published.terms import Structure, Term, followed, text
from parte.languages.etalis.semantics.syntax import tree
from parte.languages.etalis.semantics.syntax.streams import Instant, IntervalEvent, in_order

Events = frozenset[IntervalEvent]
AsText = Callable[[Iterable[IntervalEvent]], str]
"""A function from events to text."""

MOST_FREE = 12
"""The greatest number of events that may happen or not: all their subsets are examined."""


# --- Defect 1 ---------------------------------------------------------------------------------------------------------


def reversed_models(program: tree.Program, instants: Sequence[Instant]) -> list[Events]:
    """Return the minimal models by the letter of C2, I(atom) ⊆ I(pattern), among all interpretations over the times of
    the stream, without the events of the stream. The programs have no arguments."""
    in_stream = frozenset(of_stream(instants))
    times = [instant.time for instant in instants]
    intervals = [(start, end) for start in times for end in times if start <= end]
    names = dict.fromkeys(rule.head.name for rule in program.rules)
    free = [IntervalEvent(name, (), *interval) for name in names for interval in intervals]
    free = [event for event in free if event not in in_stream]
    if len(free) > MOST_FREE:
        raise ValueError(f"expected at most {MOST_FREE} events that may happen, found {len(free)}")
    every = chain.from_iterable(combinations(free, size) for size in range(len(free) + 1))
    models = [events for subset in every if _is_model(program, events := in_stream | frozenset(subset))]
    return [model - in_stream for model in models if not any(_is_preferred(rival, model) for rival in models)]


def _is_model(program: tree.Program, events: Events) -> bool:
    events_by_name = interpretation(events)
    return all(
        {event for event in events if event.name == rule.head.name}
        <= set(derived(tree.Program((rule,)), events_by_name, USUAL, Effort()))
        for rule in program.rules
    )


def _is_preferred(preferred: Events, rival: Events) -> bool:
    """Return whether for some q the events shorter than q are a proper subset."""
    lengths = sorted({event.end - event.start for event in preferred | rival})
    return any(
        {event for event in preferred if event.end - event.start <= length}
        < {event for event in rival if event.end - event.start <= length}
        for length in lengths
    )


def _reversed(program: tree.Program, instants: Sequence[Instant], as_text: AsText) -> str:
    models = reversed_models(program, instants)
    return " or ".join(as_text(in_order(model)) for model in models) or "no model"


# --- Defect 27 --------------------------------------------------------------------------------------------------------


def goals_of_policy_rules(events: Sequence[str]) -> list[str]:
    """Return the goals after some events, if rules (19) and (20) are called before each event, and a goal is inserted
    where neither is true."""
    prolog = Prolog({})
    prolog.add(compiled(tree.Program(()), SOUND.repairs, "recent").clauses)
    prolog.add(
        clause
        for clause_of_file in printed()
        if "policy" in clause_of_file.of and (clause := clause_of_file.read(SOUND.repairs)) is not None
    )
    for event in events:
        prolog.once(read(f"(event_trigger({event}) -> true ; assert(goal(_, {event}, _)))"))
    return sorted(_waiting(clause.head) for clause in prolog.database.get(("goal", 3), ()))


def _waiting(goal: Term) -> str:
    """Return the event of a goal, without its data."""
    assert isinstance(goal, Structure)
    event = goal.arguments[1]
    assert isinstance(event, Structure)
    start, end, *_ = (text(time) if isinstance(time, int) else "_" for time in map(followed, event.arguments))
    return f"{event.name}[{start},{end}]"


def _policy_rules(program: tree.Program, instants: Sequence[Instant], _: AsText) -> str:
    """Return the number of goals for the derived events named a, and the events that wait."""
    derived_a = [event for event in Machine(program).run(instants) if event.name == "a"]
    goals = goals_of_policy_rules([f"a({event.start},{event.end},x,v)" for event in derived_a])
    return f"{len(goals)} goals: {' '.join(goals)}"


# --- Defect 28 --------------------------------------------------------------------------------------------------------


def _orders(program: tree.Program, instants: Sequence[Instant], as_text: AsText) -> str:
    exploration = explore(program, instants, {POLICY: "recent"})
    return " or ".join(sorted(as_text(in_order(outcome)) for outcome in exploration.outcomes))


# --- Defect 31 --------------------------------------------------------------------------------------------------------


def stored_goals(program: tree.Program, instants: Sequence[Instant], times: int) -> tuple[int, int]:
    """Return how many goals E's clauses and the machine store, after a stream that is repeated `times` times."""
    published, machine = Published(program), Machine(program)
    last = instants[-1].time
    for round_ in range(times):
        for instant in instants:
            moved = Instant(instant.time + round_ * last, instant.atoms)
            published.instant(moved)
            machine.instant(moved)
    return published.stored, machine.kept


ROUNDS = (25, 50)


def _storage(program: tree.Program, instants: Sequence[Instant], _: AsText) -> str:
    theirs, ours = zip(*(stored_goals(program, instants, times) for times in ROUNDS), strict=True)
    counts = [times * len(instants) for times in ROUNDS]
    return f"{_both(theirs)} goals after {_both(counts)} events; the machine {_both(ours)}"


def _both(numbers: Sequence[int]) -> str:
    return " and ".join(map(str, numbers))


WAYS: Mapping[str, Callable[[tree.Program, Sequence[Instant], AsText], str]] = {
    "C2 by the letter, among all interpretations": _reversed,
    "rules (19) and (20) before each goal": _policy_rules,
    "each instant in every order": _orders,
    "what is kept, the stream 25 and 50 times": _storage,
}
"""The kinds of runs, by their names on the page."""
