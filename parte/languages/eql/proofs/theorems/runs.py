"""Lemmas on whole runs on short traces: the machine finds what the definition says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.proofs.settings import attributes_of, event, lemma, query_of, time_of
from parte.languages.eql.semantics.machine import Machine
from parte.languages.eql.semantics.syntax.readings import readings_of
from parte.languages.eql.semantics.syntax.streams import Arrived
from parte.proofs.lemma import Lemma
from parte.proofs.statements import at_most, equal
from parte.proofs.symbolic import Claims, Run


@dataclass(frozen=True, slots=True)
class Shape:
    """A query, and the scope of its lemma: the conditions that each event may fulfil, the key fields that it may have,
    and readings. Events that are `late` come in any order that promises allow; those not `timed` have one timestamp."""

    text: str
    events: str
    rules: str
    mutant: tuple[str, str, str]
    keys: tuple[str, ...] = ()
    readings: Mapping[str, str] = field(default_factory=dict)
    late: bool = False
    timed: bool = True

    @property
    def query(self) -> str:
        """The query in full: `[a]` is `[any where a]`, and `in` a maxspan."""
        return self.text.replace("[", "[any where ").replace(" in ", " with maxspan=1ms ")


_UNTIL = ("sequences:Sequences.event", 'if self.plan.readings.until != "before":', "if False:")
SHAPES: dict[str, Shape] = {
    "two": Shape(
        "sequence in [a] [b]",
        "ab ab ab",
        "TAKE START OVERWRITE",
        ("sequences:overwrite", "= chain", "= state.slots[slot] or chain"),
    ),
    "three": Shape(
        "sequence in [a] [b] [c]",
        "a ab bc c",
        "LAST-FIRST EXPIRED",
        ("sequences:last_first", "reversed(range(len(run.plan.steps)))", "range(len(run.plan.steps))"),
    ),
    "runs": Shape(
        "sequence in [a] with runs=2 [b]", "a a ab b", "TAKE START", ("plans:plan_of", "[step] * stage.runs", "[step]")
    ),
    "runs-behind-a-missing-event": Shape(
        "sequence in [a] ![c] [b] with runs=2",
        "a c b c b",
        "TAKE GAP",
        ("plans:plan_of", "[waiting, *[()] * (stage.runs - 1)]", "[waiting] * stage.runs"),
    ),
    "keys": Shape(
        "sequence by k in [a] [b]",
        "a ab b",
        "KEY COMPLETE",
        ("plans:key_of", "type(value) is bool, value", "type(value) is bool"),
        ("k",),
    ),
    "keys-of-stages": Shape(
        "sequence in [a] by ?k [b] by ?j", "ab b", "KEY", ("plans:key_of", "and not field.optional", ""), ("k", "j")
    ),
    "keys-of-null": Shape(
        "sequence by k in [a] [b]",
        "a ab b",
        "KEY",
        ("plans:key_of", 'readings.keys == "present" and', ""),
        ("k",),
        {"keys": "null"},
    ),
    "until": Shape("sequence [a] [b] until [c]", "ac abc bc", "KILL", _UNTIL),
    "until-before": Shape(
        "sequence [a] [b] until [c]",
        "ac abc bc",
        "KILL",
        ("sequences:Sequences.event", 'readings.until == "before"', 'readings.until == ""'),
        (),
        {"until": "before"},
    ),
    "until-inclusive": Shape("sequence [a] [b] until [c]", "ac abc bc", "KILL", _UNTIL, (), {"until": "inclusive"}),
    "missing-first": Shape(
        "sequence in ![c] [a] [b]",
        "c ac bc b",
        "BEFORE COMPLETE",
        ("chains:start", "(position,), before)", "(position,), None)"),
    ),
    "missing-between": Shape(
        "sequence in [a] ![c] [b]",
        "a bc abc b",
        "GAP TAKE COMPLETE",
        ("chains:complete", "if chain.spoilt:", "if False:"),
    ),
    "missing-several": Shape(
        "sequence in [a] ![c] ![d] [b]",
        "a cd cd b",
        "GAP",
        ("sequences:Sequences._mark", "for step in steps:", "for step in steps[:1]:"),
    ),
    **{
        f"missing-{reading}": Shape(
            "sequence in [a] ![d] [b] [c]",
            "a b a d b c",
            "GAP TAKE",
            ("sequences:Sequences._goes_on", 'missing == "pending"', 'missing != "pending"'),
            readings={"missing": reading},
            timed=False,
        )
        for reading in ("chain", "pending")
    },
    "missing-last": Shape(
        "sequence in [a] [b] ![c]",
        "a b bc c",
        "WAIT AFTER ABSENT",
        ("chains:ruled_out", "chain.started <= maxspan", "chain.started < maxspan"),
    ),
    "missing-last-by-key": Shape(
        "sequence by k in [a] [b] ![c]", "a b c", "WAIT AFTER ABSENT", ("sequences:wait", "key, []", "(), []"), ("k",)
    ),
    "missing-together": Shape(
        "sequence in ![c] [a] [b] ![d]",
        "c a b d",
        "COMPLETE AFTER",
        ("chains:complete", "together or not early", "not early"),
        (),
        {"absence": "together"},
    ),
    "missing-by-timestamp": Shape(
        "sequence in ![c] [a] ![c] [b]",
        "c ac c b",
        "GAP BEFORE",
        ("chains:lies_between", "chain.gap < timestamp", "chain.gap <= timestamp"),
        (),
        {"border": "timestamp"},
    ),
    "late": Shape(
        "sequence in [a] [b]", "a b b", "RELEASE", ("machine:is_released", "place[0] <= bound", "True"), late=True
    ),
    "late-and-missing": Shape(
        "sequence in [a] [b] ![c]",
        "a b c",
        "RELEASE ABSENT",
        ("sequences:Sequences.decided", "self._deadlines[0][0] < bound", "self._deadlines[0][0] <= bound"),
        late=True,
    ),
    "forgetting": Shape(
        "sequence by k in ![c] [a] [b]",
        "c a b",
        "FORGET",
        ("sequences:Sequences._forget", "if times:", "if False:"),
        ("k",),
    ),
    "pipes": Shape(
        "sequence in [a] [b] ![c] | head 2 | tail 1",
        "a ab b",
        "PIPE",
        ("machine:Machine.end", "self._pipes() if", "self._pipes()[:1] if"),
    ),
    "sample": Shape(
        "sample by k [a] [b]", "ab ab b", "SAMPLE KEY", ("machine:sample", "== len(chosen)", "> 0"), ("k",)
    ),
    "samples-of-keys": Shape(
        "sample by k [a] [b]",
        "a a b b",
        "SAMPLE KEY",
        ("machine:Machine._samples", "(max(positions), *positions)", "(min(positions), *positions)"),
        ("k",),
    ),
    "event": Shape(
        "any where a and not k == 1 | head 1",
        "a a",
        "EVENT PIPE THREE",
        ("conditions:fits", "is True", "is not False"),
        ("k",),
    ),
}


def finds(run: Run, shape: Shape) -> Claims:
    """A trace, event by event, and its end."""
    query, readings = query_of(run, shape.query), readings_of(shape.readings)
    events = [
        event(run, f"e{place}", attributes_of(run, f"e{place}", letters, shape.keys))
        for place, letters in enumerate(shape.events.split())
    ]
    bounds = [time_of(run, f"bound behind {item.id}") if shape.late else item.timestamp for item in events]
    run.assume(*(at_most(low, high) for low, high in pairwise(bounds)))
    run.assume(*(at_most(bound, item.timestamp) for bound, item in zip(bounds, events[1:], strict=False)))
    if not shape.timed:
        run.assume(equal(events[0].timestamp, events[-1].timestamp))
    machine, results = Machine(query, readings), []
    arrived = [Arrived((item.timestamp, 1, 0, place), item) for place, item in enumerate(events)]
    for item, bound in zip(arrived, bounds, strict=True):
        results += machine.arrive(item, bound)
    results += machine.end()
    meant = evaluate(query, [item.event for item in sorted(arrived, key=lambda item: item.place)], readings)
    if shape.late or (shape.keys and shape.text.endswith("![c]")):  # waiting results come as they are certain
        results, meant = (sorted(several, key=lambda result: result["events"]) for several in (results, meant))
    return (("the results are those of the definition", results == meant),)


def _lemma(name: str, shape: Shape) -> Lemma:
    readings = ", ".join(f"`{reading}={choice}`" for reading, choice in shape.readings.items())
    times = "any times" if shape.timed else "one time"
    scope = (
        f"events that may fulfil {', '.join(map(' or '.join, shape.events.split()))}, at {times}, any maxspan"
        + (f"; any {' and '.join(shape.keys)} or none" if shape.keys else "")
        + ("; in any order that any promises allow" if shape.late else "")
    )
    return lemma(
        f"runs-{name}",
        f"A run of `{shape.text}` finds exactly what the definition says{readings and f' under {readings}'}.",
        "eql-definition",
        shape.rules,
        scope,
        partial(finds, shape=shape),
        shape.mutant,
    )


LEMMAS = tuple(_lemma(name, shape) for name, shape in SHAPES.items())
