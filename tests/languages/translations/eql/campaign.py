"""EQL and PARTElang, each as the other: what is translated has the same results by the definition of both."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from parte.algebra.partelang.programs import run
from parte.conformance.fuzz.draw import Draw, Seeded
from parte.conformance.fuzz.shrinking import smaller
from parte.languages.eql.algebra.keys import key_of
from parte.languages.eql.algebra.sequences import evaluate
from parte.languages.eql.conformance.generation import GENERATION, Case
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.printer import print_query
from parte.languages.eql.semantics.syntax.readings import Readings
from parte.languages.translations.eql.to_eql import to_eql
from parte.languages.translations.eql.to_parte import to_parte
from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.elaborate import parse
from parte.semantics.source.diagnostics import ProgramError
from tests.campaigns.running import Broken

Chain = tuple[str, ...]
"""The ids of the events of a result."""

CATEGORIES = ("A", "B", "C", "D")
VALUES: Mapping[str, tuple[Value, ...]] = {
    "k": (0, 1, 2, 2**53 + 1),
    "v": (0, 1, 2, -(2**63)),
    "w": (0.0, -0.0, 1.0, 0.5),
    "s": ("", "a", "é"),
    "b": (False, True),
}
"""Attributes and their values, which an event may lack, except for `v`."""
TYPES = {"k": "Integer?", "v": "Integer", "w": "Float?", "s": "String?", "b": "Boolean?"}
TEMPLATES = "level 2\n" + "".join(
    f"template {name} {{ {', '.join(f'{slot} : {type_}' for slot, type_ in TYPES.items())} }}\n" for name in CATEGORIES
)
WILD: tuple[Value, ...] = (0, 1, 1.0, 0.5, True, False, "", "a", (1,), ())


@dataclass(frozen=True, slots=True)
class Query:
    """A query, and a trace."""

    query: tree.Query
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A program of one rule as text, and a trace whose timestamps rise strictly."""

    text: str
    events: tuple[Event, ...]


# --- Drawing ----------------------------------------------------------------------------------------------------------


def drawn_trace(
    draw: Draw, values: Callable[[str], Sequence[Value]], needed: str = "v", most: int = 20, *, ties: bool = False
) -> tuple[Event, ...]:
    """A trace whose timestamps rise, strictly without `ties`."""
    now, events = 0, list[Event]()

    def event() -> None:
        nonlocal now
        now += draw.choice((1, 1, 1, 2, 3)) - ties
        attributes = {name: draw.choice(values(name)) for name in VALUES if name in needed or not draw.chance(15)}
        events.append(Event(f"e{len(events)}", draw.choice("AAABBBCD"), now, attributes))

    draw.several(event, 0, most)
    return tuple(events)


def drawn_query(draw: Draw, *, wild: bool = False, ties: bool = False) -> Query:
    """A query, most of whose like have a translation, and a trace; `wild`: one of CEL and LEAD, and attributes with
    values of all kinds."""
    few = {name: draw.subset(values, 2, 2) for name, values in VALUES.items()}
    kinds = draw.subset(WILD, 3, 3)
    if wild:
        events = drawn_trace(draw, lambda name: few[name] if draw.chance(60) else kinds, "", 11, ties=ties)
    else:
        events = drawn_trace(draw, few.__getitem__)
    if draw.chance(5):
        return Query(tree.Single(_event(draw), ()), events)
    own = draw.choice((0, 0, 0, 0, 0, 1))
    common = _fields(draw, draw.choice((0, 0, 0, 1, 1, 1, 2)))
    absences = not wild and draw.chance(35)

    def stage(*, missing: bool = False) -> tree.Stage:
        runs = draw.choice((1, 1, 1, 1, 2, 3)) if not missing else 1
        return tree.Stage(_event(draw), missing, _fields(draw, own), runs)

    stages = draw.several(lambda: stage(missing=absences and draw.chance(40)), 2, 4)
    if all(part.missing for part in stages):
        stages = (stage(), *stages[1:])
    if draw.chance(20):
        stages = (*stages, stages[0])
    until = tree.Stage(_event(draw), False, _fields(draw, own)) if not wild and draw.chance(25) else None
    span = tree.Span(draw.choice((1, 4, 6, 9, 12, 20)), tree.Unit.MS)
    return Query(tree.Sequence(common, span, stages, until, ()), events)


def _fields(draw: Draw, count: int) -> tuple[tree.Field, ...]:
    return tuple(tree.Field(draw.choice("kkkkkvwsb"), draw.chance(20)) for _ in range(count))


def _event(draw: Draw) -> tree.Event:
    condition = tree.Literal(True) if draw.chance(70) else _condition(draw, 2)
    return tree.Event(draw.choice("AAABBBCC"), condition)


def _condition(draw: Draw, depth: int) -> tree.Expression:
    name = draw.choice("kvwsb")
    field = tree.Field(name, draw.chance(10))

    def constant() -> tree.Literal:
        value = draw.choice(VALUES[name])
        assert not isinstance(value, tuple)
        return tree.Literal(value)

    def comparison() -> tree.Expression:
        sides = (field, constant()) if draw.chance(80) else (constant(), field)
        return tree.Comparison(sides[0], draw.choice(list(tree.Relation)), sides[1])

    def inner() -> tree.Expression:
        return draw.part(lambda: _condition(draw, depth - 1))

    return draw.one_of(
        (30, comparison),
        (8, lambda: tree.Presence(field, draw.chance(50))),
        (10, lambda: tree.InList(field, draw.chance(40), False, draw.several(constant, 1, 2))),
        (4, lambda: tree.Field("b", False)),
        (12 if depth else 0, lambda: tree.Not(inner())),
        (12 if depth else 0, lambda: tree.And(draw.several(inner, 2, 2))),
        (12 if depth else 0, lambda: tree.Or(draw.several(inner, 2, 2))),
    )


def drawn_rule(draw: Draw) -> Rule:
    """A rule of one or two events, mostly one that is a sequence, in one of the ways to write it, and a trace."""
    few = {name: draw.subset(values, 2, 2) for name, values in VALUES.items()}
    span, key = draw.choice((2, 3, 5, 8)), draw.choice(("", "k", "k", "s", "v"))
    first, last = draw.choice("AB"), draw.choice("AB")
    conditions = {variable: _written(draw) for variable in ("a", "b", "m")}

    def pattern(word: str, variable: str, template: str, like: str) -> str:
        parts = [*conditions[like], *([f"{key} = a.{key}"] if key and variable != "a" else [])]
        return f"    {word}{variable} : {template} {{ {', '.join(parts)} }},\n"

    def inside(variable: str) -> list[str]:
        if draw.chance(5):
            return [f"no {variable} in a [0 ms, {span} ms]"]
        return [f"no {variable} in a [1 ms, {span} ms]", f"no {variable} in b [-{span} ms, -1 ms]"]

    after = draw.choice((f"[1 ms, {span} ms]", f"[-{span} ms, -1 ms]"))
    if draw.chance(30):
        text = pattern("", "a", first, "a") + pattern("no ", "m", draw.choice("ABC"), "m")
        windows = [f"no m in a {after}"]
    else:
        selects = draw.chance(60)
        text = pattern("", "a", first, "a") + pattern("first " if selects else "", "b", last, "b")
        windows = [f"b in a [1 ms, {span} ms]"]
        if not draw.chance(8):
            text += pattern("no ", "x", first, "a")
            windows += inside("x")
        if not selects and not draw.chance(8):
            text += pattern("no ", "y", last, "b")
            windows += inside("y")
        if draw.chance(50):
            text += pattern("no ", "m", draw.choice("ABC"), "m")
            windows += inside("m") if draw.chance(50) else [f"no m in a {after}", f"no m in b {after}"]
    text = f"{TEMPLATES}rule R where\n{text}when\n    {', '.join(windows)},\n"
    return Rule(text, drawn_trace(draw, few.__getitem__))


def _written(draw: Draw) -> list[str]:
    def condition() -> str:
        name = draw.choice("kvwsb")
        if draw.chance(25):
            return f"{name} is {draw.choice(('present', 'present', 'missing'))}"
        value = draw.choice(VALUES[name])
        written = f'"{value}"' if isinstance(value, str) else str(value).lower()
        operator = draw.choice(("=", "!=", "<", ">=") if name != "b" else ("=", "!="))
        text = f"{name} {operator} {written}"
        return f"not ({text} or v = 1)" if draw.chance(20) else text

    return [condition() for _ in range(draw.choice((0, 0, 1, 1, 2)))]


# --- Both meanings ----------------------------------------------------------------------------------------------------


def results(query: tree.Query, events: Sequence[Event]) -> list[Chain]:
    """The results of a query."""
    return [tuple(result["events"]) for result in evaluate(query, events, Readings())]


class OtherTypes(Exception):
    """The types that are inferred are not those of the events."""


_PYTHON = {core.Scalar.INTEGER: int, core.Scalar.FLOAT: float, core.Scalar.STRING: str, core.Scalar.BOOLEAN: bool}


def check_types(program: core.Program, events: Sequence[Event]) -> None:
    """Raise OtherTypes if an attribute of an event has not the type that a program declares."""
    types = {template.name: {slot.name: slot.type for slot in template.attributes} for template in program.templates}
    for event in events:
        for name, type_ in types.get(event.template, {}).items():
            value = event.attributes.get(name)
            if value is not None and isinstance(type_, core.Scalar) and type(value) is not _PYTHON[type_]:
                raise OtherTypes


def in_parte(query: tree.Query, events: Sequence[Event], templates: str | None) -> list[Chain]:
    """The matches of the translation to PARTElang, as results. ProgramError if there is none, OtherTypes."""
    declared = None if templates is None else parse(templates).templates
    translated = to_parte(query, print_query(query), declared)
    check_types(translated.program, events)
    known = {template.name for template in translated.program.templates}
    matches = run(translated.program, [event for event in events if event.template in known]).matches
    bindings = [dict(match.bindings) for match in matches if match.rule == translated.rule]
    return [tuple(binding[variable] for variable in translated.variables) for binding in bindings]


def minimal(query: tree.Query, events: Sequence[Event], chains: Iterable[Chain]) -> set[Chain]:
    """Of chains, those whose interval contains that of no other chain with its key."""
    places = {event.id: place for place, event in enumerate(events)}
    keys = tree.keys_of(query, tree.positive(query)[0]) if isinstance(query, tree.Sequence) else ()
    intervals = {
        (chain, key_of(events[places[chain[0]]], keys, Readings()), places[chain[0]], places[chain[-1]])
        for chain in chains
    }
    return {
        chain
        for chain, key, start, end in intervals
        if not any(
            key == other_key and start <= left and right <= end and (start, end) != (left, right)
            for _, other_key, left, right in intervals
        )
    }


def ends(chain: Sequence[str]) -> Chain:
    """The first and the last event of a result."""
    return chain[0], chain[-1]


class EqlTranslations:
    """The campaign."""

    name = "eql-translations"

    def draw(self, source: random.Random) -> Query | Rule:
        """A query or a rule."""
        return drawn_query(Seeded(source)) if source.random() < 0.7 else drawn_rule(Seeded(source))

    def smaller(self, case: Query | Rule) -> Iterator[Query | Rule]:
        """The case with fewer events, and with less of its query or rule."""
        for place in range(len(case.events)):
            yield replace(case, events=case.events[:place] + case.events[place + 1 :])
        if isinstance(case, Rule):
            lines = case.text.splitlines(keepends=True)
            for place in range(len(lines)):
                yield replace(case, text="".join(lines[:place] + lines[place + 1 :]))
            return
        for reduced in smaller(GENERATION, Case(case.query, ())):
            yield replace(case, query=reduced.program)

    def show(self, case: Query | Rule) -> str:
        """The program and the events."""
        text = case.text if isinstance(case, Rule) else print_query(case.query)
        lines = [f"{event.id} {event.template} @{event.timestamp} {dict(event.attributes)}\n" for event in case.events]
        return text + "".join(lines)

    def attack(self, case: Query | Rule, counts: Counter[str]) -> None:
        """Both have the same results."""
        if isinstance(case, Rule):
            _from_parte(case, counts)
            return
        for name, templates in (("PARTElang", TEMPLATES), ("PARTElang with inferred types", None)):
            try:
                translated = in_parte(case.query, case.events, templates)
            except ProgramError as error:
                counts[f"to {name}, outside: {error.diagnostics[0].code}"] += 1
                continue
            except OtherTypes:
                counts[f"to {name}, outside: events of other types"] += 1
                continue
            expected = results(case.query, case.events)
            if sorted(translated) != sorted(expected):
                raise Broken("matches of PARTElang", f"{set(translated) ^ set(expected)}")
            counts[f"to {name}"] += 1
            counts[f"to {name}, with results"] += bool(expected)
            counts[f"to {name}, with results of three stages"] += bool(expected and len(expected[0]) > 2)


def _from_parte(case: Rule, counts: Counter[str]) -> None:
    try:
        program = parse(case.text)
    except ProgramError as error:
        counts[f"no program: {error.diagnostics[0].code}"] += 1
        return
    (rule,) = program.rules
    try:
        query = to_eql(program, rule)
    except ProgramError as error:
        counts[f"to EQL, outside: {error.diagnostics[0].message[:40]}"] += 1
        return
    expected = {tuple(event for _, event in match.bindings) for match in run(program, case.events).matches}
    translated = results(query, case.events)
    if sorted(translated) != sorted(expected):
        raise Broken("results of EQL", f"{print_query(query)}{set(translated) ^ expected}")
    counts["to EQL"] += 1
    counts["to EQL, with results"] += bool(expected)
