"""Traces on which a program and an edit of it may differ: from the solver, drawn near the traces of tests, and smaller
ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from typing import Any

from parte.algebra.partelang.effort import TooMuch
from parte.algebra.partelang.programs import run
from parte.conformance.fuzz.draw import Draw, seeded
from parte.rule_tests.discovery import Program
from parte.rule_tests.partelang.edits import changed_rules
from parte.rule_tests.support import Compared, Sample
from parte.semantics.events.conformity import conform
from parte.semantics.events.domain import Predicates, bind_domain, read_domain
from parte.semantics.events.event import Event, Value
from parte.semantics.events.problems import InputError
from parte.semantics.events.strictjson import dumped
from parte.semantics.events.timestamps import to_timestamp
from parte.semantics.events.types import ListOf, Scalar, Type
from parte.semantics.events.values import Unfit
from parte.semantics.partelang.syntax import ast, core

Json = Any
Object = dict[str, Json]

_LEAST: Mapping[Scalar, Json] = {Scalar.INTEGER: 0, Scalar.FLOAT: 0.0, Scalar.STRING: "", Scalar.BOOLEAN: False}
_MOST_EVENTS = 40
"""Events of a test's trace that is varied; longer ones are logs."""
_MOST_DRAWN = 9
_BOUND = 2**52
MOST_DRAWN = 1_000
"""Samples that are drawn for an edit before the search ends."""
MOST_SMALLER = 300
"""Samples that are tried to make one simpler."""


def compared(program: Program, edited: Program, timeout: float) -> Compared:
    """Decide whether a program and an edit of it have the same matches, rule by rule, with the solver."""
    from parte.checker.partelang.relations import NotComparable, Subsumption, equivalent
    from parte.checker.solver.verdict import Verdict

    pairs = changed_rules(program.program, edited.program)
    if pairs is None or program.program.strata != edited.program.strata:
        return Compared(None)
    same = True
    samples: list[Sample] = []

    def add(direction: Subsumption) -> None:
        if (evidence := direction.evidence()) is not None:
            events, tables = evidence["trace"], evidence["domain"]
            assert isinstance(events, list)
            assert isinstance(tables, dict)
            samples.append(Sample(tuple(events), tables))

    for before, after in pairs:
        same = same and before.emissions == after.emissions
        if replace(before, emissions=()) == replace(after, emissions=()):
            continue
        try:
            answer = equivalent(program.program, before, after, timeout=timeout)
        except NotComparable:
            same = False
            continue
        same = same and answer.verdict is Verdict.PROVED
        add(answer.forth)
        add(answer.back)
    return Compared(True if same else None, tuple(samples))


# --- Drawing ----------------------------------------------------------------------------------------------------------


def separating(program: Program, edited: Program, near: Sequence[Sample], first: Sequence[Sample]) -> Iterator[Sample]:
    """Yield samples on which the rules of a program and of an edit differ, each as simple as a short search makes it.

    `first` are tried first; then up to `MOST_DRAWN` are drawn, always the same: traces near those of tests, with a few
    changes, and new ones. Values and distances in time are those of the program and the edit, or near them.
    """
    read: core.Program = program.program
    differs = _Difference.of(read, edited.program)
    for sample in chain(first, islice(_drawn(read, edited.program, near), MOST_DRAWN)):
        if differs(sample):
            yield _simplest(read, sample, differs)


def _drawn(read: core.Program, edited: core.Program, samples: Sequence[Sample]) -> Iterator[Sample]:
    pools = _Pools.of(read, edited, samples)
    domains = [sample.domain for sample in samples] or [_permissive(read), _restrictive(read)]
    near = [_in_time(sample.trace) for sample in samples if 0 < len(sample.trace) <= _MOST_EVENTS]
    emitted = {emission.template for rule in read.rules for emission in rule.emissions}
    used = {pattern.template for rule in (*read.rules, *edited.rules) for pattern in rule.patterns}
    arriving = [template for template in read.templates if template.name in used - emitted] or list(read.templates)
    if not arriving:
        return
    for number in count():
        draw = seeded(number)
        domain = draw.choice(domains)
        if near and draw.chance(50):
            yield Sample(tuple(_varied(draw.choice(near), arriving, pools, draw)), domain)
        else:
            events: list[Object] = []
            for _ in range(draw.integer(1, _MOST_DRAWN)):
                events.append(_event(draw.choice(arriving), events, pools, draw))
            yield Sample(tuple(events), domain)


@dataclass(slots=True)
class _Difference:
    """A test whether changed rules have other results on a sample: only they are run, with the rules that
    emit what they read."""

    programs: tuple[core.Program, core.Program]
    _predicates: dict[str, Predicates] = field(default_factory=dict)

    @classmethod
    def of(cls, program: core.Program, edited: core.Program) -> _Difference:
        """Return the difference of two programs."""
        both = [{rule.name: rule for rule in version.rules} for version in (program, edited)]
        concerned = {name for name in both[0].keys() | both[1].keys() if both[0].get(name) != both[1].get(name)}
        return cls((_feeding(program, concerned), _feeding(edited, concerned)))

    def __call__(self, sample: Sample) -> bool:
        program, edited = self.programs
        key = dumped(sample.domain)
        try:
            if key not in self._predicates:
                self._predicates[key] = bind_domain(program, read_domain(sample.domain))
            events = [
                Event(str(number), event["template"], event["timestamp"], _values(event["attributes"]))
                for number, event in enumerate(sample.trace)
            ]
            answers = [
                run(version, conform(version, events), self._predicates[key], "indexed")
                for version in (program, edited)
            ]
        except (InputError, TooMuch):
            return False
        return answers[0] != answers[1]


def _feeding(program: core.Program, concerned: Set[str]) -> core.Program:
    """Return a program with some rules, and those that emit what these read."""
    needed = {rule.name for rule in program.rules if rule.name in concerned}
    while True:
        read = {pattern.template for rule in program.rules if rule.name in needed for pattern in rule.patterns}
        feeding = {rule.name for rule in program.rules if read & {emission.template for emission in rule.emissions}}
        if feeding <= needed:
            return replace(program, rules=tuple(rule for rule in program.rules if rule.name in needed))
        needed |= feeding


def _values(attributes: Object) -> dict[str, Value]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in attributes.items()}


def _permissive(program: core.Program) -> Object:
    return {predicate.name: {"false_for": []} for predicate in program.predicates}


def _restrictive(program: core.Program) -> Object:
    return {predicate.name: {"true_for": []} for predicate in program.predicates}


@dataclass(frozen=True, slots=True)
class _Pools:
    """Values of attributes by their types, and distances in milliseconds."""

    values: Mapping[Scalar, Sequence[Json]]
    distances: Sequence[int]

    @classmethod
    def of(cls, program: core.Program, edited: core.Program, samples: Sequence[Sample]) -> _Pools:
        """Collect the constants of both programs, and the values in the samples."""
        values: dict[Scalar, dict[str, Json]] = {}
        distances = dict.fromkeys([0])

        def add(kind: Scalar, *constants: Json) -> None:
            values.setdefault(kind, {}).update({repr(constant): constant for constant in constants})

        add(Scalar.INTEGER, 0, 1)
        add(Scalar.FLOAT, 0.0, 1.0)
        add(Scalar.STRING, "", "a", "b")
        add(Scalar.BOOLEAN, False, True)
        for version in (program, edited):
            for node in ast.NODES.within(version.source):
                match node:
                    case ast.Literal(value=bool()):
                        pass
                    case ast.Literal(value=int(value)):
                        add(Scalar.INTEGER, value - 1, value, value + 1)
                        add(Scalar.FLOAT, float(value) - 1, float(value), float(value) + 1)
                    case ast.Literal(value=float(value)):
                        add(Scalar.FLOAT, value - 1, value, value + 1)
                    case ast.Literal(value=str(value)):
                        add(Scalar.STRING, value)
                    case ast.Duration() | ast.Ever() if abs(node.milliseconds) < _BOUND:
                        distances |= dict.fromkeys((node.milliseconds, -node.milliseconds))
        types = {(t.name, slot.name): slot.type for t in program.templates for slot in t.attributes}
        for item in (item for sample in samples for item in sample.trace[:_MOST_EVENTS]):
            for name, value in item.get("attributes", {}).items():
                kind = types.get((item.get("template"), name))
                if isinstance(kind, Scalar) and value is not None:
                    add(kind, value)
        return cls({kind: tuple(pool.values()) for kind, pool in values.items()}, tuple(distances))


def _event(template: core.Template, events: Sequence[Object], pools: _Pools, draw: Draw) -> Object:
    """Return an event near those that are there: in time, and in the values of its attributes."""
    reference = draw.choice(events)["timestamp"] if events else 0
    timestamp = reference + draw.choice(pools.distances) + draw.choice((0, 0, 1, -1))
    attributes: Object = {}
    for slot in template.attributes:
        if slot.optional and draw.chance(25):
            continue
        alike = [value for event in events for value in event["attributes"].values() if _fits(value, slot.type)]
        attributes[slot.name] = draw.choice(alike) if alike and draw.chance(60) else _value(slot.type, pools, draw)
    return {"id": "", "template": template.name, "timestamp": timestamp, "attributes": attributes}


def _value(type_: Type, pools: _Pools, draw: Draw) -> Json:
    if isinstance(type_, ListOf):
        return [_value(type_.element, pools, draw) for _ in range(draw.integer(0, min(2, type_.capacity)))]
    return draw.choice(pools.values[type_])


def _fits(value: Json, type_: Type) -> bool:
    if isinstance(type_, ListOf):
        return isinstance(value, list) and len(value) <= type_.capacity
    return type(value) is type(_LEAST[type_])


def _varied(events: Sequence[Object], arriving: Sequence[core.Template], pools: _Pools, draw: Draw) -> Iterator[Object]:
    """Yield the events of a trace after one to three changes."""
    templates = {template.name: template for template in arriving}
    changed = list(events)
    for _ in range(draw.integer(1, 3)):
        place = draw.integer(0, len(changed) - 1)
        event = changed[place]
        match draw.integer(0, 4):
            case 0:
                distance = draw.choice(pools.distances) + draw.choice((0, 1, -1))
                changed[place] = {**event, "timestamp": draw.choice(changed)["timestamp"] + distance}
            case 1 if event["template"] in templates:
                slots = templates[event["template"]].attributes
                if slots:
                    slot = draw.choice(slots)
                    value = _value(slot.type, pools, draw)
                    changed[place] = {**event, "attributes": {**event["attributes"], slot.name: value}}
            case 2:
                changed.append(_event(draw.choice(arriving), changed, pools, draw))
            case 3 if len(changed) > 1:
                del changed[place]
            case _:
                distance = draw.choice(pools.distances) + draw.choice((0, 1, -1))
                changed.append({**event, "timestamp": event["timestamp"] + distance})
    yield from changed


def _in_time(trace: Sequence[Json]) -> list[Object]:
    """Return the events of a trace with timestamps in milliseconds, without promises."""
    events: list[Object] = []
    for item in trace:
        try:
            timestamp = to_timestamp(item.get("timestamp"))
        except Unfit:
            continue
        events.append({"attributes": {}, **item, "timestamp": timestamp})
    return events


# --- Simpler samples --------------------------------------------------------------------------------------------------


def _simplest(program: core.Program, sample: Sample, differs: Callable[[Sample], bool]) -> Sample:
    """Return a simpler sample on which the rules differ as well."""
    left = MOST_SMALLER
    better: Sample | None = sample
    while better is not None:
        sample, better = better, None
        for candidate in islice(_smaller(program, sample), left):
            left -= 1
            if differs(candidate):
                better = candidate
                break
    return sample


def _smaller(program: core.Program, sample: Sample) -> Iterator[Sample]:
    """Yield simpler samples: with an event fewer, earlier events, plainer values."""
    events = _in_time(sample.trace)
    for place in range(len(events)):
        yield replace(sample, trace=(*events[:place], *events[place + 1 :]))
    first = min((event["timestamp"] for event in events), default=0)
    if first != 0:
        yield replace(sample, trace=tuple({**event, "timestamp": event["timestamp"] - first} for event in events))
    optional = {(t.name, slot.name) for t in program.templates for slot in t.attributes if slot.optional}
    for place, event in enumerate(events):

        def changed(place: int = place, event: Object = event, **parts: Json) -> Sample:
            return replace(sample, trace=(*events[:place], {**event, **parts}, *events[place + 1 :]))

        for neighbour in events:
            if neighbour["timestamp"] < event["timestamp"]:
                yield changed(timestamp=neighbour["timestamp"])
        for name, value in event["attributes"].items():
            if (event["template"], name) in optional:
                yield changed(attributes={key: value for key, value in event["attributes"].items() if key != name})
            for plain in _plainer(value):
                yield changed(attributes={**event["attributes"], name: plain})


def _plainer(value: Json) -> Iterator[Json]:
    match value:
        case bool():
            if value:
                yield False
        case int() if value:
            yield 0
            yield from (near for near in (1, abs(value), value // 10) if abs(near) < abs(value) or near == -value)
        case float() if value:
            yield 0.0
            yield from (near for near in (1.0, float(round(value))) if near != value and abs(near) <= abs(value))
        case str() if value:
            yield ""
            if value != "a" and len(value) >= 1:
                yield "a"
        case list() if value:
            yield []
            yield value[:-1]
