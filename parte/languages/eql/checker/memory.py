"""Checks of what a run keeps: keys, chains, chains that wait, events held back (specification: eql-memory)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from parte.checker.environment.deployment import Deployment
from parte.checker.report.collecting import Decision
from parte.checker.report.contents import Json
from parte.checker.solver import terms
from parte.checker.solver.clock import Undecided
from parte.checker.solver.verdict import Verdict
from parte.languages.eql.checker.work import Trace, Work, lines
from parte.languages.eql.semantics.machine import Machine
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.streams import Stream
from parte.semantics.events.event import Event

KEYS = 8
"""The number of keys with which the growth of keys is replayed; fewer keys are reported as a bound."""
WAITING = 4, 8
"""The numbers of chains with which the growth of waiting chains is replayed."""


def check_memory(work: Work, deployment: Deployment | None, trace: Trace | None) -> None:
    """Report keys that are kept for ever, and waiting chains without a bound; compute sizes. `trace` has a result."""
    query = work.query
    with work.collector.deciding("bounded-keys") as decision:
        if isinstance(query, tree.Single):
            decision.detail = "it keeps no key"
        elif isinstance(query, tree.Sequence) and query.maxspan is not None:
            decision.detail = f"a key is dropped {query.maxspan.milliseconds:,} ms after its last chain began"
        else:
            code = "no-maxspan" if isinstance(query, tree.Sequence) else "growing-sample"
            with work.open(code, query.span, "whether there are many keys"):
                _keys(work, code, decision)
        decision.evidence.update(sizes(query, deployment))
    with work.collector.deciding("bounded-waiting") as decision:
        if not isinstance(query, tree.Sequence) or not tree.between(query)[-1]:
            decision.detail = "no chain waits"
        elif deployment is not None:
            decision.detail = f"at most {sizes(query, deployment)['waiting']:,} wait, of all keys"
        elif trace is None:
            decision.verdict = Verdict.PROVED if work.satisfiable is Verdict.REFUTED else Verdict.NOT_PROVED
            decision.detail = "no result is known"
        else:
            with work.open("growing-wait", query.span, "whether many chains of a key wait"):
                _waiting(work, query, trace)


def sizes(query: tree.Query, deployment: Deployment | None) -> dict[str, int]:
    """Return the most that a run keeps of some kinds: for one key; and with a deployment also of all keys together,
    where a deployment bounds it."""
    match query:
        case tree.Single():
            known = {}
        case tree.Sample(items=items):
            known = {"events of a key": len(items) ** 2}
        case tree.Sequence():
            n = len(tree.positive(query))
            leading = bool(tree.between(query)[0])
            known = {
                "slots of a key": n - 1,
                "events in slots of a key": n * (n - 1) // 2,
                "times of a key": 2 * leading,
            }
            if deployment is not None and query.maxspan is not None:
                maxspan, positive = query.maxspan.milliseconds, tree.positive(query)
                first = [*(positive[:1] if n > 1 else ()), *tree.between(query)[0]]
                groups = [[stage for stage in first if stage.by == by] for by in {stage.by for stage in first}]
                known["keys"] = sum(_arriving(deployment, group, maxspan) for group in groups)
                known["slots"] = (n - 1) * known["keys"]
                known["waiting"] = _arriving(deployment, positive[-1:], maxspan) if tree.between(query)[-1] else 0
    if deployment is not None:
        late = deployment.skew
        everything = [tree.Stage(tree.Event(None, tree.Literal(True)))]
        known["held back"] = _arriving(deployment, everything, late - 1)
        known["held back with a tiebreaker"] = _arriving(deployment, everything, late)
    return known


def _arriving(deployment: Deployment, stages: Iterable[tree.Stage], width: int) -> int:
    """Return how many events of the categories of stages have timestamps in a closed window of so many ms."""
    categories = {stage.event.category for stage in stages}
    return sum(
        supply.rate.within(width)
        for (_, template), supply in deployment.supplies().items()
        if None in categories or template in categories
    )


def _keys(work: Work, code: str, decision: Decision) -> None:
    stage, encoding = work.stages[0], work.encoding()
    fields = work.fields(stage)
    actors = [work.actor(f"key {number}", stage) for number in range(KEYS)]
    formulas = {actor.name: work.fits(encoding, actor, stage) for actor in actors}
    formulas["different"] = terms.both(
        *(terms.negated(encoding.same_key(a.name, fields, b.name, fields)) for a, b in combinations(actors, 2))
    )
    placed = [(actor, number) for number, actor in enumerate(actors)]

    def shows(trace: Trace) -> bool:
        stored = stored_after(work, trace)
        return max(stored.get("keys", 0), stored["samples"]) >= KEYS

    answer = work.solved("different keys", encoding, formulas, placed, shows) if fields else None
    if answer is None or answer.trace is None:
        decision.detail = "it has one key" if not fields else f"it has fewer than {KEYS} keys"
        return
    sample = code == "growing-sample"
    message = "the keys of this sample are kept for ever" if sample else "without a maxspan each key is kept for ever"
    hint = "run it on traces that end" if sample else "add `with maxspan=…`"
    reason = [f"after {KEYS} events with different keys the machine keeps {KEYS} keys, and drops none"]
    work.collector.find(
        code, work.query.span, message, reason=reason, hint=hint, evidence={"trace": lines(answer.trace)}
    )


def _waiting(work: Work, query: tree.Sequence, trace: Trace) -> None:
    counts = []
    for number in WAITING:
        events = [
            Event(f"e{place}", event.template, 0, event.attributes)
            for place, event in enumerate(event for _ in range(number) for event in trace)
        ]
        counts.append(stored_after(work, events)["waiting"])
    if any(count < number for count, number in zip(counts, WAITING, strict=True)):
        raise Undecided("the chains that were tried rule each other out")
    replayed: list[Json] = [{"n": n, "waiting": count} for n, count in zip(WAITING, counts, strict=True)]
    work.collector.find(
        "growing-wait",
        query.span,
        "the chains of a key that wait for an absence grow with the events in one maxspan",
        reason=[f"of {n} results at one time, {count} wait" for n, count in zip(WAITING, counts, strict=True)],
        hint="`--deployment` computes the number for given rates",
        evidence={"replayed": replayed, "trace": lines(trace)},
    )


def stored_after(work: Work, events: Iterable[Event]) -> dict[str, int]:
    """Return what the machine keeps after events in order, before the end of the trace."""
    machine, stream = Machine(work.query, work.readings), Stream(work.readings)
    for event in events:
        machine.arrive(stream.add(event), stream.bound)
    return machine.stored()
