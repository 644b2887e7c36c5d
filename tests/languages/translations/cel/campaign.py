"""CEL and PARTElang, each as the other: what is translated means the same by the definition of both."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, pairwise

from parte.algebra.partelang.programs import run
from parte.conformance.fuzz.draw import Seeded
from parte.conformance.fuzz.shrinking import smaller
from parte.languages.cel.algebra.denotation import TooManyValuations, denote
from parte.languages.cel.algebra.queries import evaluate, partition
from parte.languages.cel.conformance.drawing import Shape, drawn_query
from parte.languages.cel.conformance.generation import GENERATION
from parte.languages.cel.conformance.generation import Case as Query
from parte.languages.cel.semantics.machine import Machine
from parte.languages.cel.semantics.refinement import Unsupported
from parte.languages.cel.semantics.syntax import tree
from parte.languages.cel.semantics.syntax.parser import parse_source
from parte.languages.cel.semantics.syntax.printer import print_query
from parte.languages.translations.cel.to_cel import InCel, to_cel
from parte.languages.translations.cel.to_parte import results, to_parte
from parte.semantics.events.event import Event
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.partelang.syntax.printer import print_program
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.running import Broken
from tests.languages.translations.level_2 import LEVEL, OPTIONAL, lacking, of_event

_ATTRIBUTES = {"k": "Integer", "l": "Integer", "x": "Float", "s": "String", "b": "Boolean", "filter": "Integer"}
"""Attributes of rules, one of them called like a keyword of CEL."""

_VALUES: Mapping[str, tuple[int | float | str | bool, ...]] = {
    "Integer": (0, 1, 2, -1, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)),
    "Float": (0.0, -0.0, 0.5, 1.0, 2.0, 1e308, 2.0**53),
    "String": ("", "a", "b", "'", "é"),
    "Boolean": (False, True),
}
_SQL = ("=", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Rule:
    """A program of one rule as text, and a trace in order of time."""

    text: str
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Typed:
    """A query, the types of the attributes, and a trace whose timestamps rise strictly."""

    query: tree.Query
    types: Mapping[str, Mapping[str, core.Scalar]]
    events: tuple[Event, ...]


class Translations:
    """The campaign."""

    name = "translations"

    def draw(self, source: random.Random) -> Rule | Typed:
        """A rule or a query, one as often as the other."""
        return drawn_rule(source, level=source.choice((1, 2))) if source.random() < 0.6 else drawn_typed(source)

    def smaller(self, case: Rule | Typed) -> Iterator[Rule | Typed]:
        """The case with fewer events, and with less of its rule or query."""
        for place in range(len(case.events)):
            yield replace(case, events=case.events[:place] + case.events[place + 1 :])
        if isinstance(case, Rule):
            lines = case.text.splitlines(keepends=True)
            for place in range(len(lines)):
                yield replace(case, text="".join(lines[:place] + lines[place + 1 :]))
            return
        for reduced in smaller(GENERATION, Query(case.query, ())):
            if reduced.program.window is not None:
                yield replace(case, query=reduced.program)

    def show(self, case: Rule | Typed) -> str:
        """Both programs as far as there are two, and the events."""
        text = case.text if isinstance(case, Rule) else f"{print_query(case.query)}-- {dict(case.types)}\n"
        return text + "".join(
            f"{event.id} {event.template} @{event.timestamp} {dict(event.attributes)}\n" for event in case.events
        )

    def attack(self, case: Rule | Typed, counts: Counter[str]) -> None:
        """Both mean the same."""
        if isinstance(case, Rule):
            _in_cel(case, counts)
        else:
            _in_parte(case, counts)


# --- From PARTElang to CEL --------------------------------------------------------------------------------------------


def _in_cel(case: Rule, counts: Counter[str]) -> None:
    try:
        program = parse(case.text)
    except ProgramError as error:
        counts[f"no program: {error.diagnostics[0].code}"] += 1
        return
    (rule,) = program.rules
    try:
        translated = to_cel(program, rule)
    except ProgramError as error:
        counts[f"to CEL, outside: {error.diagnostics[0].code}"] += 1
        return
    if translated.ordered and len({event.timestamp for event in case.events}) < len(case.events):
        counts["to CEL, outside: ordered, and two events at one time"] += 1
        return
    expected = {tuple(sorted(match.bindings)) for match in run(program, case.events).matches}
    compare_in_cel(translated, case.events, expected)
    counts["to CEL"] += 1
    counts[f"to CEL, {'ordered' if translated.ordered else 'open'}"] += 1
    counts["to CEL, with matches"] += bool(expected)
    counts["to CEL, level 2, with matches"] += bool(program.level == 2 and expected)


def compare_in_cel(translated: InCel, events: Sequence[Event], expected: set[tuple[tuple[str, str], ...]]) -> None:
    """Valuations are the matches, results their events, also for the machine and after printing."""
    query = translated.query
    if parse_source(print_query(query)).query != query:
        raise Broken("what is printed is another query", print_query(query))
    valuations = {
        tuple(
            sorted(
                (own, events[position].id) for own, name in translated.variables.items() for position in valuation[name]
            )
        )
        for valuation in _valuations(query, events)
    }
    if valuations != expected:
        raise Broken("valuations", f"{print_query(query)}{valuations ^ expected}")
    meant = sorted({tuple(sorted(dict.fromkeys(event for _, event in match))) for match in expected})
    for name, complex_events in (
        ("definition", evaluate(query, events)),
        ("machine", list(Machine(query).run(events))),
    ):
        if (
            sorted(
                tuple(sorted(events[place].id for place in complex_event.positions)) for complex_event in complex_events
            )
            != meant
        ):
            raise Broken(f"results of the {name}", print_query(query))


def _valuations(query: tree.Query, events: Sequence[Event]) -> Iterator[dict[str, list[int]]]:
    """The valuations in the window, with the positions of the variables in the stream."""
    for substream in partition(query.attributes, events, range(len(events)), "none"):
        for valuation in denote(query.formula, [events[position] for position in substream]):
            first, last = (events[substream[place]].timestamp for place in (valuation.start, valuation.end))
            if not isinstance(query.window, tree.TimeWindow) or last - first <= query.window.milliseconds:
                yield {name: [substream[place] for place in valuation.of(name)] for name, _ in valuation.content}


def drawn_rule(source: random.Random, *, level: int = 1) -> Rule:
    """A rule whose windows are mostly ordered or open, in one of the ways to write them, and a trace for it."""
    templates = source.sample(("A", "B", "C"), source.choice((1, 1, 2, 3)))
    names = source.sample(("p", "q", "r", "A", "B", "select", "next_"), source.choice((1, 2, 2, 3, 3, 4)))
    ordered = source.random() < 0.5
    order = source.sample(names, len(names))
    width = source.choice((0, 1, 2, 3, 5, 8, 60_000)) if not ordered else source.choice((1, 2, 3, 5, 8, 3_600_000))
    windows = _ordered(source, order, width) if ordered else _open(source, order, width)
    if source.random() < 0.1:
        left, right = source.choice(names), source.choice(names)
        if left != right:
            windows.append(_window(source, left, right, source.randint(-2, 2), source.randint(2, 6)))
    key = source.choice(("k", "l", "x", "s", "b", "filter")) if source.random() < 0.3 else None
    optional = OPTIONAL if level == 2 else ""
    slots = ", ".join(f"{name} : {type_}{'?' * (name == optional)}" for name, type_ in _ATTRIBUTES.items())
    lines = [LEVEL.strip()] * (level == 2) + [f"template {template} {{ {slots} }}" for template in templates]
    lines += ["rule R where"]
    for place, name in enumerate(names):
        drawn = partial(_condition, source, names[:place])
        conditions = [
            drawn() if level == 1 else of_event(source, drawn) for _ in range(source.choice((0, 0, 0, 1, 1, 2)))
        ]
        if key is not None and place:
            conditions.append(f"{key} = {source.choice(names[:place])}.{key}")
        lines.append(f"    {name} : {source.choice(templates)} {{ {', '.join(conditions)} }},")
    lines += ["when", *(f"    {window}," for window in windows)]
    events = _trace(source, templates, width, ties=not ordered)
    return Rule("".join(f"{line}\n" for line in lines), events if level == 1 else lacking(source, events))


def _ordered(source: random.Random, order: list[str], width: int) -> list[str]:
    windows = [_window(source, later, earlier, 1, width) for earlier, later in pairwise(order)]
    if len(order) > 2:
        windows.append(_window(source, order[-1], order[0], source.choice((1, 1, -width)), width))
    return windows


def _open(source: random.Random, order: list[str], width: int) -> list[str]:
    return [
        _window(source, left, right, -width, width) for place, left in enumerate(order) for right in order[place + 1 :]
    ]


def _window(source: random.Random, left: str, right: str, least: int, most: int) -> str:
    """A window in one of the two directions in which it can be written."""
    if source.random() < 0.5:
        return f"{left} in {right} [{least} ms, {most} ms]"
    return f"{right} in {left} [{-most} ms, {-least} ms]"


def _condition(source: random.Random, earlier: Sequence[str]) -> str:
    own = source.choice(list(_ATTRIBUTES))
    operator = source.choice(_SQL if _ATTRIBUTES[own] != "Boolean" else _SQL[:2])
    chance = source.random()
    if chance < 0.45 and earlier:
        like = [name for name, type_ in _ATTRIBUTES.items() if type_ == _ATTRIBUTES[own]]
        if chance < 0.03 and own in "kx":
            like = ["k", "x"]
        return f"{own} {operator} {source.choice(earlier)}.{source.choice(like)}"
    if chance < 0.55:
        return f"{_literal(source, own)} {operator} {own}"
    return f"{own} {operator} {_literal(source, own)}"


def _literal(source: random.Random, attribute: str) -> str:
    type_ = _ATTRIBUTES[attribute]
    if type_ in ("Integer", "Float") and source.random() < 0.15:
        type_ = source.choice(("Integer", "Float"))
    value = source.choice(_VALUES[type_])
    if isinstance(value, str):
        return f'"{value}"'
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _trace(source: random.Random, templates: Sequence[str], width: int, *, ties: bool) -> tuple[Event, ...]:
    gaps = (0, 0, 0, 1, 1, 2, 5) if ties else (1, 1, 1, 2, 3)
    scale = max(1, width // 5) if width > 100 else 1
    few = {type_: source.sample(values, 2) for type_, values in _VALUES.items()}
    times = accumulate(source.choice(gaps) * scale for _ in range(source.choice((0, 2, 3, 4, 5, 6, 7))))
    return tuple(
        Event(
            f"e{number}",
            source.choice(templates),
            time,
            {name: source.choice(few[type_]) for name, type_ in _ATTRIBUTES.items()},
        )
        for number, time in enumerate(times)
    )


# --- From CEL to PARTElang --------------------------------------------------------------------------------------------


def _in_parte(case: Typed, counts: Counter[str]) -> None:
    text = print_query(case.query)
    source = parse_source(text)
    try:
        program = to_parte(source, text, case.types)
    except ProgramError as error:
        counts[f"to PARTElang, outside: {error.diagnostics[0].code}"] += 1
        return
    known = {template.name for template in program.templates}
    read = [event for event in case.events if event.template in known]
    try:
        expected = evaluate(case.query, case.events)
    except TooManyValuations:
        counts["too many valuations"] += 1
        return
    printed = print_program(program.source)
    if parse(printed) != program:
        raise Broken("what is printed is another program", printed)
    complex_events = results(run(program, read).matches, case.events)
    if complex_events != expected:
        raise Broken("results of PARTElang", f"{printed}{set(complex_events) ^ set(expected)}")
    try:
        if sorted(Machine(case.query).run(case.events)) != expected:
            raise Broken("results of the machine")
    except Unsupported:
        counts["to PARTElang, what only the definition of CEL has"] += 1
    counts["to PARTElang"] += 1
    counts["to PARTElang, rules"] += len(program.rules)
    counts["to PARTElang, with matches"] += bool(expected)


def drawn_typed(source: random.Random) -> Typed:
    """A query, mostly of those that have a translation, with types and a trace for it."""
    shape = Shape(depth=source.choice((1, 2, 2, 3)), strategies=(tree.Strategy.ALL,), links=source.random() < 0.3)
    query = drawn_query(Seeded(source), shape)
    if source.random() < 0.95:
        query = replace(
            query,
            strategy=tree.Strategy.ALL,
            streams=(),
            consumption=tree.Consumption.NONE,
            window=tree.TimeWindow(((source.choice((0, 1, 2, 2, 3, 3, 4, 5)), tree.Unit.MS),)),
            formula=tree.TREE.mapped(query.formula, _anywhere),
        )
    types = {name: _attributes(source) for name in ("A", "B", "C", "D")}
    few = {type_: source.sample(values, 2) for type_, values in _VALUES.items()}
    times = accumulate(source.choice((1, 1, 1, 2, 3)) for _ in range(source.choice((0, 2, 3, 4, 5, 6))))
    events = []
    for number, time in enumerate(times):
        name = source.choice("AABBCD")
        attributes = {attribute: source.choice(few[type_.value]) for attribute, type_ in types[name].items()}
        events.append(Event(f"e{number}", name, time, attributes))
    return Typed(query, types, tuple(events))


def _anywhere(node: tree.Node) -> tree.Node:
    return replace(node, contiguous=False) if isinstance(node, tree.Sequence | tree.Iteration) else node


def _attributes(source: random.Random) -> dict[str, core.Scalar]:
    usual = {"v": core.Scalar.INTEGER, "w": core.Scalar.INTEGER}
    if source.random() < 0.5:
        return usual
    return {name: source.choice(list(core.Scalar)) for name in usual if source.random() < 0.85}
