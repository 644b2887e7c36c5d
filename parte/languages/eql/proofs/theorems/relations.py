"""Lemmas on results and all rising tuples of events (all pairs), for any number of events by induction.

A memory is arbitrary but for the invariants, which a lemma assumes before an event and claims behind it. An empty
memory has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from parte.checker.solver.verdict import Verdict
from parte.languages.eql.proofs.settings import all_pairs, event, fits, in_span, lemma, memory, plan, query_of, time_of
from parte.languages.eql.semantics.chains import Chain
from parte.languages.eql.semantics.machine import Machine
from parte.languages.eql.semantics.sequences import Sequences
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import USUAL
from parte.languages.eql.semantics.syntax.streams import Arrived
from parte.proofs.lemma import SOUND, Lemma
from parte.proofs.numbers import decided
from parte.proofs.statements import at_most, before, count_of, every, implies, some
from parte.proofs.symbolic import Claims, Run, choice
from parte.semantics.events.event import Event

_STAGES = "ABCD"


def _any_memory(run: Run, count: int) -> tuple[Sequences, list[Chain], Event]:
    """Return a memory, its chains, those of more stages first, and an event behind them. A look at the key is due at
    any time."""
    spanned = not run.truth("there is no maxspan")
    machine = memory(run, plan(run, " ".join(_STAGES[:count]), spanned=spanned))
    now = event(run, "e")
    chains = _chains(machine)
    if not chains and run.truth("the key has no memory"):
        machine.states.clear()
    elif spanned:
        machine._due.append((decided(run, "due"), 0, ()))
    for there in chains:
        run.assume(at_most(there.ended, now.timestamp))
        run.assume(*(before(low, high) for low, high in pairwise(there.positions)))
        run.assume(*(at_most(low.timestamp, high.timestamp) for low, high in pairwise(there.events)))
    run.assume(*_rising(chains))
    return machine, chains, now


def _chains(machine: Sequences) -> list[Chain]:
    state = machine.states.get(())
    return [there for there in reversed(state.slots if state is not None else []) if there is not None]


def _in_their_slots(machine: Sequences) -> bool:
    slots = [there for state in machine.states.values() for there in state.slots]
    return all(there is None or count_of(there.events) == number for number, there in enumerate(slots, 1))


def _rising(chains: Sequence[Chain]) -> list[bool]:
    """Chains of fewer stages start later."""
    return [before(low.positions[0], high.positions[0]) for low, high in pairwise(chains)]


def each_match_has_a_result(run: Run, count: int) -> Claims:
    """Of any rising tuple within maxspan some events have come, and one more comes, which may be its next or first."""
    machine, chains, now = _any_memory(run, count)
    stages = _STAGES[:count]
    came = choice(run, "stages of the tuple that have come", [stages[:number] for number in range(count)])
    first, start = (event(run, "m"), decided(run, "position of m")) if came else (now, decided(run, "position"))
    for there in chains:
        run.assume(implies(at_most(start, there.positions[0]), at_most(first.timestamp, there.started)))
    if came:
        run.assume(_is_there(came, start, chains), at_most(first.timestamp, now.timestamp))
    run.assume(in_span(first, now, machine.plan.maxspan))
    if not came or run.truth("the next of the tuple comes"):
        stage = stages.removeprefix(came)[0]
        came = f"{came}{stage}"
        run.assume(run.truth(f"e fits {stage}"))
    results = machine.event(now)
    left = _chains(machine)
    return (
        ("a chain of as many stages starts no earlier, or a result did", _is_there(came, start, (*results, *left))),
        ("chains of fewer stages start later", every(_rising(left))),
    )


def _is_there(stages: str, start: int, chains: Sequence[Chain]) -> bool:
    """Return whether a chain of at least these stages starts no earlier."""
    return some(
        at_most(start, there.positions[0]) for there in chains if at_most(count_of(stages), count_of(there.events))
    )


def results_are_matches(run: Run, count: int) -> Claims:
    """Chains of events that fit their stages, and one more event."""
    machine, chains, now = _any_memory(run, count)
    for there in chains:
        run.assume(*(run.truth(f"{item.id} fits {stage}") for item, stage in zip(there.events, _STAGES, strict=False)))
    results = machine.event(now)
    every_chain = [*results, *_chains(machine)]
    return (
        (
            "chains rise",
            every(every(before(low, high) for low, high in pairwise(there.positions)) for there in every_chain),
        ),
        (
            "their events fit the stages",
            all(
                fits(run, item, stage)
                for there in every_chain
                for item, stage in zip(there.events, _STAGES, strict=False)
            ),
        ),
        ("a slot has chains of its number of stages", _in_their_slots(machine)),
        (
            "a result has an event of each stage within maxspan",
            all(
                count_of(there.events) == count and in_span(there.events[0], there.events[-1], machine.plan.maxspan)
                for there in results
            ),
        ),
    )


def results_start_in_order(run: Run, count: int) -> Claims:
    """Any chains that start behind the last result, if there was one, and one more event."""
    machine, chains, now = _any_memory(run, count)
    last = decided(run, "start of the last result")
    run.assume(before(last, decided(run, "position")), *(before(last, there.positions[0]) for there in chains))
    results = machine.event(now)
    left = _chains(machine)
    starts = [last, *(there.positions[0] for there in (*results, *left))]
    return (
        ("an event ends one result at most", count_of(results) in (0, 1)),
        (
            "what is left starts behind the last result; of fewer stages, later",
            every(before(low, high) for low, high in pairwise(starts)),
        ),
    )


# --- Short traces -----------------------------------------------------------------------------------------------------


def agrees(run: Run, text: str, types: str, timed: bool = False) -> Claims:
    """A sequence on a few events, each of one type."""
    words, _, until = text.partition(" until ")
    stages = words.split()
    span = " with maxspan=1ms" if timed or "!" in text else ""
    query = query_of(
        run, f"sequence{span} {' '.join(map(_written, stages))}" + (f" until {_written(until)}" if until else "")
    )
    assert isinstance(query, tree.Sequence)
    machine = Machine(query, USUAL)
    events: list[Event] = []
    results = []
    for place, among in enumerate(types.split()):
        time = time_of(run, f"time of {place}") if timed else 0
        run.assume(*(at_most(item.timestamp, time) for item in events[-1:]))
        events.append(Event(f"e{place}", choice(run, f"type of {place}", among), time, {}))
        results += machine.arrive(Arrived((time, 1, 0, place), events[-1]), time)
    results += machine.end()
    pairs = all_pairs(stages, until, events, None if query.maxspan is None else query.maxspan.milliseconds)
    return (("there is a result just if there is a match of all pairs", bool(results) is bool(pairs)),)


def _written(stage: str) -> str:
    name = stage.removeprefix("!")
    return f"{stage.removesuffix(name)}[{name} where true]"


_ANY = "any number of events, by induction; {count} stages with any conditions, any maxspan or none"
_REFUTED = (
    ("until-of-a-stage", "A any B until D", "ABCD ABCD ABCD ABCD", False, "an until that fits a stage", 5),
    ("missing-of-three", "A !M B C", "A B A M B C", False, "a missing stage among three", 7),
    ("missing-last", "A C !C", "AC AC AC", True, "a missing last stage", 8),
)
"""Sequences for which the relation fails, and the number of the surprise (specification: eql-defects)."""
_FEWER = {"missing-of-three": "ABCM ABCM ABCM ABCM ABCM"}

LEMMAS = (
    *(
        inductive
        for count, first, second, third in (
            (
                2,
                ("sequences:overwrite", "state.slots[slot] = chain", "state.slots[slot] = state.slots[slot] or chain"),
                ("chains:expired", "now - started > maxspan", "False"),
                ("sequences:Sequences.move", "state.slots[number - 1] = None", "pass"),
            ),
            (
                3,
                ("sequences:forget", "now - chain.started > maxspan", "now - chain.started >= 0"),
                ("sequences:last_first", "reversed(range(len(run.plan.steps)))", "range(len(run.plan.steps))"),
                ("sequences:Sequences.move", "state.slots[number - 1] = None", "pass"),
            ),
            (
                4,
                ("sequences:Sequences._goes_on", "expired(chain.started,", "expired(0,"),
                ("sequences:Sequences.move", "previous = state.slots[number - 1]", "previous = state.slots[0]"),
                ("sequences:Sequences.move", "state.slots[number - 1] = None", "pass"),
            ),
        )
        for inductive in (
            lemma(
                f"each-match-has-a-result-{count}",
                "Each rising tuple of events of the stages within maxspan has a result that starts no earlier and ends "
                "no later: some chain that starts no earlier has at least as many events as have come of the tuple.",
                "eql-chain",
                "LAST-FIRST START TAKE OVERWRITE EXPIRED COMPLETE FORGET",
                _ANY.format(count=count),
                partial(each_match_has_a_result, count=count),
                first,
            ),
            lemma(
                f"results-are-matches-{count}",
                "A result is a rising tuple of events of the stages within maxspan.",
                "eql-chain",
                "LAST-FIRST START TAKE OVERWRITE EXPIRED COMPLETE FORGET",
                _ANY.format(count=count),
                partial(results_are_matches, count=count),
                second,
            ),
            lemma(
                f"results-start-in-order-{count}",
                "An event ends one result at most, which starts behind those that ended before: the results are the "
                "minimal rising tuples by their first and last events.",
                "eql-chain",
                "LAST-FIRST START TAKE OVERWRITE COMPLETE FORGET",
                _ANY.format(count=count),
                partial(results_start_in_order, count=count),
                third,
            ),
        )
    ),
    *(
        lemma(
            f"all-pairs-{name}",
            f"`{text}` has a result just if some rising tuple meets its clauses.",
            section,
            rules,
            f"4 events of {count_of(types.split()[0])} types{times}",
            partial(agrees, text=text, types=types, timed=timed),
            mutant,
        )
        for name, text, types, timed, section, rules, times, mutant in (
            (
                "until",
                "A B C until D",
                "ABCD ABCD ABCD ABCD",
                False,
                "eql-until",
                "KILL",
                "",
                ("sequences:Sequences._kill", "for chain in state.slots\n", "for chain in state.slots[-1:]\n"),
            ),
            (
                "missing-of-two",
                "A !M B",
                "ABM ABM ABM ABM",
                True,
                "eql-missing",
                "GAP COMPLETE",
                " at any times, any maxspan",
                ("chains:gap", "return replace(chain, gap=event.timestamp)", "return chain"),
            ),
        )
    ),
    *(
        Lemma(
            f"all-pairs-{name}",
            f"`{text}` has a result just if some rising tuple meets its clauses; refuted: {words}.",
            "eql-defects",
            (),
            f"{count_of(types.split())} events of the types {', '.join(map(' or '.join, types.split()))}",
            partial(agrees, text=text, types=types, timed=timed),
            None,
            {SOUND: Verdict.REFUTED},
            note=f"surprise {number} of the specification",
        )
        for name, text, types, timed, words, number in _REFUTED
    ),
    *(
        lemma(
            f"all-pairs-{name}-of-fewer",
            f"`{text}` has a result just if some rising tuple meets its clauses, on fewer events than refute it.",
            "eql-defects",
            "LAST-FIRST OVERWRITE",
            f"{count_of(fewer.split())} events of the types {', '.join(map(' or '.join, fewer.split()))}",
            partial(agrees, text=text, types=fewer, timed=timed),
            ("sequences:Sequences._finish", "if not complete(chain, self.plan.maxspan, self.together):", "if True:"),
        )
        for name, text, types, timed, _, _ in _REFUTED
        for fewer in (_FEWER.get(name, types.rpartition(" ")[0]),)
    ),
)
