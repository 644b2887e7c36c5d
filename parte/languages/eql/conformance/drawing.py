"""Random queries of EQL and traces, valid by construction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from parte.conformance.fuzz.draw import Draw
from parte.languages.eql.semantics.syntax import tree
from parte.languages.eql.semantics.syntax.readings import CHOICES, DIALECT
from parte.semantics.events.event import Event, Value

CATEGORIES = ("A", "B", "C")
FIELDS = ("k", "v", "s.t")
TEXTS = ("p", "P", "pq", "", "10.0.0.1", "ß", "12")
VALUES: tuple[int | float | str | bool, ...] = (0, 1, 2, -3, 1.0, 0.5, True, False, *TEXTS, 2**63 - 1, -(2**62))
PATTERNS = ("p", "P*", "?", "*q", "p?", "*", "")
REGEXES = ("p", "P.*", "[pq]+", "(p|q)?", "[^P]", r"\w+")
GAPS = (0, 0, 1, 1, 2, 3)
_NETWORKS = ("10.0.0.0/8", "0.0.0.0/0", "::/0")


@dataclass(frozen=True, slots=True)
class Shape:
    """The constructs that a random query may have, and the greatest length of its trace."""

    conditions: bool = True
    missing: bool = True
    until: bool = True
    keys: bool = True
    kinds: tuple[str, ...] = ("sequence", "sequence", "sequence", "sequence", "sample", "event")
    events: int = 9
    depth: int = 2


def drawn_events(draw: Draw, most: int, lists: int = 0) -> tuple[Event, ...]:
    """Return a trace in order of time, of the categories of queries and one more; `lists` of 100 values are lists."""
    now = draw.choice((0, 0, 0, -3, 10**12))
    few = draw.subset(VALUES, 3, 3)
    events: list[Event] = []

    def value() -> Value:
        return draw.subset(few, 0, 3) if lists and draw.chance(lists) else draw.choice(few)

    def event() -> None:
        nonlocal now
        now += draw.choice(GAPS)
        attributes = {name: value() for name in FIELDS if draw.chance(80)}
        events.append(Event(f"e{len(events)}", draw.choice("AAABBBCCD"), now, attributes, draw.choice("sst")))

    draw.several(event, 0, most)
    return tuple(events)


def drawn_options(draw: Draw) -> Mapping[str, str]:
    """Return readings: mostly none, else a dialect or some choices."""
    if draw.chance(60):
        return {}
    if draw.chance(40):
        return {DIALECT: draw.choice(CHOICES[DIALECT][1:])}
    names = draw.subset([name for name in CHOICES if name != DIALECT], 1, 3)
    return {name: draw.choice(CHOICES[name][1:]) for name in names}


def drawn_query(draw: Draw, shape: Shape = Shape()) -> tree.Query:
    """Return a query of a shape."""
    kind = draw.choice(shape.kinds)
    if kind == "event":
        return tree.Single(_event(draw, shape), _pipes(draw))
    own = draw.choice((0, 0, 0, 1)) if shape.keys else 0
    common = _fields(draw, draw.choice((0, 0, 1, 1, 2)) if shape.keys else 0)

    def stage(*, missing: bool = False, runs: int = 1) -> tree.Stage:
        return tree.Stage(_event(draw, shape), missing, _fields(draw, own), runs)

    if kind == "sample":
        common = common if common or own else _fields(draw, 1)
        return tree.Sample(common, draw.several(stage, 2, 3))
    absences = shape.missing and draw.chance(50)

    def any_stage() -> tree.Stage:
        missing = absences and draw.chance(40)
        return stage(missing=missing, runs=draw.choice((1, 1, 1, 1, 2, 3)) if not missing else 1)

    stages = draw.several(any_stage, 2, 4)
    if all(part.missing for part in stages):
        stages = (stage(), *stages[1:])
    has_missing = any(part.missing for part in stages)
    span = tree.Span(draw.choice((0, 1, 2, 3, 4, 6)), tree.Unit.MS) if has_missing or draw.chance(60) else None
    until = stage() if shape.until and draw.chance(30) else None
    return tree.Sequence(common, span, stages, until, _pipes(draw))


def _fields(draw: Draw, count: int) -> tuple[tree.Field, ...]:
    return tuple(tree.Field(draw.choice(FIELDS), draw.chance(20)) for _ in range(count))


def _pipes(draw: Draw) -> tuple[tree.Pipe, ...]:
    if not draw.chance(15):
        return ()
    return draw.several(lambda: tree.Pipe(draw.choice(list(tree.End)), draw.integer(1, 3)), 1, 2)


def _event(draw: Draw, shape: Shape) -> tree.Event:
    category = None if draw.chance(15) else draw.choice(CATEGORIES)
    plain = not shape.conditions or draw.chance(60)
    return tree.Event(category, tree.Literal(True) if plain else _condition(draw, shape.depth))


def _condition(draw: Draw, depth: int) -> tree.Expression:
    def inner() -> tree.Expression:
        return draw.part(partial(_condition, draw, depth - 1))

    def comparison() -> tree.Expression:
        sides = _value(draw, 1), tree.Literal(draw.choice(VALUES))
        return tree.Comparison(sides[0], draw.choice(list(tree.Relation)), sides[1])

    def matches() -> tree.Expression:
        matching = draw.choice(list(tree.Matching))
        patterns = REGEXES if matching.value.startswith("regex") else PATTERNS
        return tree.Matches(_value(draw, 0), matching, draw.several(lambda: draw.choice(patterns), 1, 2))

    def in_list() -> tree.Expression:
        values = draw.several(lambda: tree.Literal(draw.choice(VALUES)), 1, 3)
        return tree.InList(_value(draw, 0), draw.chance(30), draw.chance(30), values)

    def called() -> tree.Expression:
        name = draw.choice(("startsWith", "endsWith", "stringContains"))
        return tree.Call(name, draw.chance(30), (_value(draw, 0), tree.Literal(draw.choice(TEXTS))))

    return draw.one_of(
        (30, comparison),
        (10, lambda: tree.Presence(_value(draw, 1), draw.chance(50))),
        (12, matches),
        (12, in_list),
        (8, called),
        (4, lambda: tree.Call("cidrMatch", False, (_value(draw, 0), tree.Literal(draw.choice(_NETWORKS))))),
        (4, lambda: tree.Field(draw.choice(FIELDS), draw.chance(20))),
        (10 if depth else 0, lambda: tree.Not(inner())),
        (10 if depth else 0, lambda: tree.And(draw.several(inner, 2, 3))),
        (10 if depth else 0, lambda: tree.Or(draw.several(inner, 2, 3))),
    )


def _value(draw: Draw, depth: int) -> tree.Expression:
    """Return a value with fields; without depth, mostly a field."""
    field = tree.Field(draw.choice(FIELDS), draw.chance(10))
    number = tree.Literal(draw.choice((0, 1, 2, -1, 7, 0.5, 16)))
    text = tree.Literal(draw.choice(TEXTS))
    if depth == 0 or draw.chance(50):
        return field
    fold = draw.chance(30)
    calls: tuple[tree.Expression, ...] = (
        tree.Arithmetic(field, draw.choice(list(tree.Sign)), number),
        tree.Negative(field),
        tree.Call("length", False, (field,)),
        tree.Call("concat", False, (field, number, text)),
        tree.Call("indexOf", fold, (field, text, *draw.several(lambda: number, 0, 1))),
        tree.Call("between", fold, (field, text, tree.Literal("q"), tree.Literal(draw.chance(50)))),
        tree.Call("substring", False, (field, *draw.several(lambda: tree.Literal(draw.integer(-2, 2)), 1, 2))),
        tree.Call("number", False, (field, *draw.several(lambda: number, 0, 1))),
        tree.Call("string", False, (field,)),
        tree.Call(draw.choice(("add", "subtract", "multiply", "divide", "modulo")), False, (field, number)),
    )
    return draw.choice(calls)
