"""Python EQL against the definition under `dialect=python`: every difference has a named class, or is a failure.

Conditions are compared by themselves: where they differ, they differ in a part that has a class. Sequences and samples
are compared with the conditions as Python EQL decides them: where they differ, they are as `described` and `sampled`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from parte.conformance.engines.foreign import EngineFailure, Inexpressible
from parte.conformance.fuzz.draw import Seeded
from parte.conformance.fuzz.shrinking import smaller
from parte.languages.eql.algebra.conditions import fits
from parte.languages.eql.algebra.keys import Key, key_of
from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.conformance.engines.python.adapter import DIALECT, Harness
from parte.languages.eql.conformance.generation import GENERATION, Case
from parte.languages.eql.semantics.syntax import tree
from parte.semantics.events.event import Event
from tests.campaigns.running import Broken

Ids = tuple[str, ...]
STOPS = {
    "does not appear to be an IPv4 or IPv6 address": "of a text that is no address",
    "int() base must be": "of an odd base",
    "invalid literal for int()": "of a text that is no number",
    "could not convert string to float": "of a text that is no number",
    "modulo by zero": "of modulo 0",
    "float modulo": "of modulo 0",
    "division by zero": "of division by 0",
    "substring not found": "of a text that indexOf does not find",
    "slice indices must be integers": "of a fraction as a position",
}
"""The exceptions that end Python EQL, and their causes."""


def described(query: tree.Sequence, events: Sequence[Event]) -> list[Ids]:
    """Return the results of Python EQL for a sequence, by the definition of another: a missing stage also needs an
    event of its category that does not fit, which is left out of the result; one that fits ends the chain at once,
    except at the start. Maxspan is cut to seconds, and counts from the first event of the result."""
    stages = tuple(part for number, stage in enumerate(query.stages) for part in _needing(stage, number == 0))
    reported = [not stage.missing for stage in query.stages for _ in range(1 if stage.missing else stage.runs)]
    needing = replace(query, stages=stages, maxspan=None, pipes=())
    results: list[Ids] = []
    times = {event.id: event.timestamp for event in events}
    span = None if query.maxspan is None else query.maxspan.milliseconds // 1_000 * 1_000
    for result in evaluate(needing, events, replace(DIALECT, missing="pending")):
        ids = tuple(name for name, keep in zip(result["events"], reported, strict=True) if keep)
        if span is None or times[result["events"][-1]] - times[ids[0]] <= span:
            results.append(ids)
    for pipe in query.pipes:
        results = results[: pipe.count] if pipe.end is tree.End.HEAD else results[-pipe.count :]
    return results


def _needing(stage: tree.Stage, first: bool) -> tuple[tree.Stage, ...]:
    if not stage.missing:
        return (stage,)
    unfit = replace(stage.event, condition=tree.Not(stage.event.condition))
    return (*(() if first else (stage,)), replace(stage, event=unfit, missing=False, runs=1))


def sampled(query: tree.Sample, events: Sequence[Event]) -> list[Ids]:
    """Return the samples of Python EQL: events of a key in order of arrival, whichever items they fit, as many as there
    are items."""
    waiting: dict[Key, list[str]] = {}
    results: list[Ids] = []
    for event in events:
        for item in reversed(query.items):
            key = key_of(event, tree.keys_of(query, item), DIALECT)
            if key is None or not fits(event, item.event, DIALECT):
                continue
            waiting.setdefault(key, []).append(event.id)
            if len(waiting[key]) == len(query.items):
                results.append(tuple(waiting.pop(key)))
    return results


def condition_class(part: tree.Expression) -> str:
    """Return the class of a difference in a part of a condition; empty if there is none."""
    nodes = list(tree.within(part))
    called = {node.function: node for node in nodes if isinstance(node, tree.Call)}
    arithmetic = called.keys() & {"add", "subtract", "multiply", "divide", "modulo"}
    exact = {name for name, call in called.items() if not call.folded}
    match part:
        case tree.Field():
            return "a field holds if it is not false, 0 or empty"
        case tree.InList():
            return "values of different kinds are different in a list"
        case tree.Matches(matching=tree.Matching.REGEX | tree.Matching.REGEX_FOLDED):
            return "a regular expression folds case and matches a beginning"
    if "between" in called:
        return "between is null where it finds nothing"
    if arithmetic or any(isinstance(node, tree.Arithmetic | tree.Negative) for node in nodes):
        return "integers have no limit"
    if exact & {"startsWith", "endsWith", "indexOf"} or called.keys() & {"stringContains", "cidrMatch"}:
        return "functions fold case, or are false of what is no string"
    if "number" in called:
        return "number reads other texts"
    ordering = isinstance(part, tree.Comparison) and part.relation not in (tree.Relation.EQUAL, tree.Relation.UNEQUAL)
    return "the order of strings folds case" if ordering else ""


@dataclass(frozen=True, slots=True)
class PythonEql:
    """The campaign. It needs Python EQL (PARTE_EQL)."""

    harness: Harness = field(default_factory=Harness)
    name = "python-eql"

    def draw(self, source: random.Random) -> Case:
        """A case of one of the menus of the kit; mostly in seconds, for fractions of a second count for nothing."""
        case = replace(GENERATION.drawn(Seeded(source)), readings={})
        if source.random() < 0.2:
            return case
        items = tuple(replace(item, timestamp=item.timestamp * 1_000) for item in case.items)
        program = tree.TREE.mapped(
            case.program, lambda node: tree.Span(node.amount, tree.Unit.S) if isinstance(node, tree.Span) else node
        )
        return replace(case, program=program, items=items)

    def smaller(self, case: Case) -> Iterator[Case]:
        """The case as fuzzing makes it smaller."""
        yield from smaller(GENERATION, case)

    def show(self, case: Case) -> str:
        """The query and the trace."""
        return case.text + "".join(f"{line}\n" for line in case.lines)

    def attack(self, case: Case, counts: Counter[str]) -> None:
        """Every difference has a class."""
        events = [item for item in case.items if isinstance(item, Event)]
        try:
            theirs = self.results(case.program, events)
            program, decided = self.decided(case.program, events, counts)
        except Inexpressible as error:
            if "Invalid comparison of" not in str(error):
                raise Broken("rejected", str(error)) from None
            counts["rejected: a comparison of kinds"] += 1
            return
        except EngineFailure as error:
            cause = next((cause for text, cause in STOPS.items() if text in str(error)), None)
            if cause is None:
                raise Broken("stops", str(error)) from None
            counts[f"stops because {cause}"] += 1
            return
        meant = [tuple(result["events"]) for result in evaluate(program, decided, DIALECT)]
        counts["compared"] += 1
        counts["with results"] += bool(meant or theirs)
        counts[f"compared: {type(program).__name__}"] += 1
        if sorted(meant) == sorted(theirs):
            counts["equal"] += 1
            return
        match program:
            case tree.Sample():
                counts["differs: a sample ignores which item an event fits"] += 1
                explained = sampled(program, decided)
            case tree.Sequence():
                missing = any(stage.missing for stage in program.stages)
                counts[f"differs: {'missing events' if missing else 'maxspan in seconds'}"] += 1
                explained = described(program, decided)
            case tree.Single():
                explained = []
        if sorted(explained) != sorted(theirs):
            raise Broken("a difference without a class", f"{theirs}, where the description has {explained}")

    def results(self, query: tree.Query, events: Sequence[Event]) -> list[Ids]:
        """Return the ids of the events of each result of Python EQL."""
        return [tuple(events[place].id for place in places) for places in self.harness.ask(query, events)["results"]]

    def decided(
        self, query: tree.Query, events: Sequence[Event], counts: Counter[str]
    ) -> tuple[tree.Query, list[Event]]:
        """Return a query whose conditions are attributes, and events that have them as Python EQL decides."""
        patterns = dict.fromkeys(node for node in tree.within(query) if isinstance(node, tree.Event))
        fields = {pattern: tree.Field(f"#{number}", False) for number, pattern in enumerate(patterns)}
        for pattern, name in fields.items():
            chosen = self.chosen(pattern, events, counts)
            events = [replace(e, attributes={**e.attributes, name.name: e.id in chosen}) for e in events]
        program = tree.TREE.mapped(
            query, lambda node: replace(node, condition=fields[node]) if isinstance(node, tree.Event) else node
        )
        return program, list(events)

    def chosen(self, pattern: tree.Event, events: Sequence[Event], counts: Counter[str]) -> set[str]:
        """Return the ids of the events that fit by Python EQL; each difference from the definition has a class."""
        chosen, differ = self._fitting(pattern, events)
        if differ:
            parts = [part for part in tree.within(pattern.condition) if isinstance(part, tree.Expression)]
            conditions = [part for part in parts if not isinstance(part, tree.And | tree.Or | tree.Not | tree.Literal)]
            classes = {condition_class(part) for part in conditions if self._differs(part, events)}
            if not classes or "" in classes:
                raise Broken("a difference of conditions", f"{sorted(chosen)} fit")
            for name in classes:
                counts[f"condition: {name}"] += 1
        return chosen

    def _differs(self, part: tree.Expression, events: Sequence[Event]) -> bool:
        """Return whether a part of a condition, or its negation, differs; a value alone is no condition."""
        try:
            return any(self._fitting(tree.Event(None, node), events)[1] for node in (part, tree.Not(part)))
        except Inexpressible:
            return False

    def _fitting(self, pattern: tree.Event, events: Sequence[Event]) -> tuple[set[str], bool]:
        chosen = {name for (name,) in self.results(tree.Single(pattern, ()), events)}
        return chosen, chosen != {event.id for event in events if fits(event, pattern, DIALECT)}
