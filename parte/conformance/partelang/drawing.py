"""Drawing programs of PARTElang and traces: programs are valid by construction, and traces keep their promises.

Times are small, so that windows meet, touch and miss each other, and ties are common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

from parte.conformance.fuzz.draw import Draw
from parte.semantics.events.event import Event, Progress, TraceItem
from parte.semantics.partelang.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from parte.semantics.partelang.syntax import ast, core, functions
from parte.semantics.partelang.syntax.elaborate import elaborate

EXTERNAL = ("A", "B", "C")
"""The templates of arriving events; templates of emitted events are called D and E, one for each stratum."""

Attribute = int | float | str | bool
_SLOTS = (("k", "Integer"), ("x", "Float"), ("s", "String"), ("b", "Boolean"))
_USUAL: dict[str, tuple[Attribute, ...]] = {
    "k": (0, 1, 2),
    "x": (0.0, 1.0, 2.0, 0.5, -0.0),
    "s": ("", "a", "b", "é"),
    "b": (False, True),
}
_EXTREME: dict[str, tuple[Attribute, ...]] = {
    "k": (-(2**63), 2**63 - 1, 2**53 + 1),
    "x": (1e308, -1e308, 5e-324),
}
"""Values of the attributes: few, so that equality is common, with some extremes."""
_TEXTS = ("", "a", "b", "ab", "é", "A", "%", "_", "!", "\\", "𝄞", "a\nb")
_PATTERNS = (
    *("", "*", "?", "a*", "*a", "*a*b*", "??*", "*?b", "é", "?*?", "a?", "%", "_", "*!*", "𝄞*"),
    *(r"\*", r"*\?", r"\\", r"a\\*", "*\n*"),
)
"""Texts and patterns of conditions of level 2."""
_Op = ast.BinaryOperator
_RELATIONS = tuple(operator for operator in _Op if operator.relational)
_ARITHMETIC = (_Op.ADD, _Op.SUBTRACT, _Op.MULTIPLY, _Op.DIVIDE)


@dataclass(frozen=True, slots=True)
class ProgramShape:
    """The size and the constructs of programs. Distances and timestamps are in milliseconds."""

    patterns: int = 4
    rules: int = 3
    strata: int = 2
    negation: bool = True
    conditions: bool = True
    least_distance: int = -6
    greatest_distance: int = 8
    emissions: bool = True
    level: int = 1


def drawn_program(draw: Draw, shape: ProgramShape = ProgramShape()) -> core.Program:
    """Return a valid program: self-joins, negation, lower bounds of either sign, several rules over several strata."""
    rules: list[ast.Rule] = []

    def rule() -> None:
        stratum = draw.integer(0, shape.strata - 1)
        available = EXTERNAL + ("D",) * (2 * stratum)
        rules.append(_Rules(draw, shape, available, ("D", "E")[stratum]).rule(f"R{len(rules)}"))

    draw.several(rule, 1, shape.rules)
    return elaborate(ast.SourceProgram((*_TEMPLATES, *rules), shape.level))


def drawn_value(draw: Draw, attribute: str) -> Attribute:
    """Return a value of the attribute k, x, s or b."""
    extreme = attribute in _EXTREME and draw.chance(50)
    return draw.choice((_EXTREME if extreme else _USUAL)[attribute])


def drawn_schedule(draw: Draw) -> Schedule:
    """Return a schedule of any kind."""
    seed = draw.integer(0, 2**16)
    kinds: Sequence[Schedule] = (RoundRobin(), SeededRandom(seed), Adversarial(seed))
    return draw.choice(kinds)


def _template(name: str) -> ast.Template:
    return ast.Template(name, tuple(ast.Slot(slot, ast.NamedType(type_)) for slot, type_ in _SLOTS))


_TEMPLATES = tuple(_template(name) for name in (*EXTERNAL, "D", "E"))


def milliseconds(amount: int) -> ast.Duration:
    """Return a duration of so many milliseconds."""
    return ast.Duration(amount, ast.Unit.MILLISECONDS)


@dataclass(frozen=True, slots=True)
class _Rules:
    """A source of rules over some templates that emit events of one template."""

    draw: Draw
    shape: ProgramShape
    available: Sequence[str]
    emitted: str

    def rule(self, name: str) -> ast.Rule:
        """Return a rule."""
        draw, shape = self.draw, self.shape
        patterns: list[ast.Pattern] = []
        constraints: list[ast.Constraint] = []
        positive: list[str] = []

        def pattern() -> None:
            variable = f"v{len(patterns)}"
            negated = shape.negation and len(patterns) > 0 and draw.chance(50)
            if positive:
                most = 2 if draw.chance(25) else 1
                constraints.extend(draw.several(partial(self._constraint, variable, positive, negated), most, most))
            condition = self._condition if shape.level == 1 else self._combined
            conditions = draw.several(partial(condition, positive), 0, 2 if shape.conditions else 0)
            patterns.append(ast.Pattern(negated, variable, draw.choice(self.available), conditions))
            if not negated:
                positive.append(variable)

        draw.several(pattern, 1, shape.patterns)
        emissions = draw.several(partial(self._emission, positive), 0, 2 if shape.emissions else 0)
        return ast.Rule(name, tuple(patterns), tuple(constraints), emissions)

    def _constraint(self, subject: str, positive: Sequence[str], negated: bool) -> ast.Constraint:
        draw, reference = self.draw, self.draw.choice(positive)
        lower = draw.integer(self.shape.least_distance, self.shape.greatest_distance)
        upper = lower + draw.integer(0, self.shape.greatest_distance)
        if not negated and draw.chance(50):
            subject, reference, lower, upper = reference, subject, -upper, -lower
        return ast.Constraint(negated, subject, reference, milliseconds(lower), milliseconds(upper))

    def _combined(self, earlier: Sequence[str], depth: int = 3) -> ast.Expression:
        """Return a condition of level 2: conditions are joined, negated, or say that a value is one of several."""
        draw = self.draw
        if depth == 0 or draw.chance(25):
            return self._condition(earlier)
        part = partial(self._combined, earlier, depth - 1)
        match draw.choice(("and", "or", "not", "in", "test")):
            case "not":
                return ast.Not(part())
            case "test":
                return self._test()
            case "in":
                own = draw.choice("kxsb")
                return ast.Membership(ast.Reference(None, own), draw.several(partial(self._literal, own), 1, 3))
            case connective:
                return ast.Compound(ast.Connective(connective), draw.several(part, 2, 3))

    def _test(self) -> ast.Expression:
        """Return a condition of level 2 on a String."""
        draw = self.draw
        text: ast.Expression = ast.Reference(None, "s")
        for _ in range(draw.integer(0, 2)):
            text = ast.Call(draw.choice(("lower", "upper", "concat")), (text,))
            if text.name == "concat":
                text = ast.Call("concat", (*text.arguments, ast.Literal(draw.choice(_TEXTS))))
        match draw.choice(("like", "length", "starts_with", "ends_with", "contains")):
            case "like":
                return ast.Call("like", (text, ast.Literal(draw.choice(_PATTERNS))))
            case "length":
                return ast.Binary(draw.choice(_RELATIONS), ast.Call("length", (text,)), self._literal("k"))
            case name:
                return ast.Call(name, (text, ast.Literal(draw.choice(_TEXTS))))

    def _condition(self, earlier: Sequence[str]) -> ast.Expression:
        """Return a comparison of an attribute with a constant, with one of an earlier event, or with arithmetic on
        it."""
        draw = self.draw
        own = draw.choice("kxsb") if draw.chance(50) else "k"
        operator = draw.choice((_Op.EQUAL, _Op.NOT_EQUAL) if own == "b" else _RELATIONS)
        compared = len(earlier) > 0 and draw.chance(50)
        right: ast.Expression = ast.Reference(draw.choice(earlier), own) if compared else self._literal(own)
        if own in "kx" and draw.chance(25):
            right = ast.Binary(draw.choice(_ARITHMETIC), right, self._literal(draw.choice("kx")))
        return ast.Binary(operator, ast.Reference(None, own), right)

    def _literal(self, attribute: str) -> ast.Literal:
        return ast.Literal(drawn_value(self.draw, attribute))

    def _emission(self, positive: Sequence[str]) -> ast.Emission:
        draw, first = self.draw, self.draw.choice(positive)
        at: ast.Expression = ast.Reference(first, "timestamp")
        if draw.chance(50):
            more_times = draw.several(lambda: ast.Reference(draw.choice(positive), "timestamp"), 1, 2)
            at = ast.Call(draw.choice(functions.of_timestamps()), (at, *more_times))
        if draw.chance(50):
            at = ast.Binary(draw.choice((_Op.ADD, _Op.SUBTRACT)), at, milliseconds(draw.integer(0, 5)))
        k: ast.Expression = ast.Reference(first, "k")
        if draw.chance(50):
            k = ast.Binary(_Op.ADD, k, ast.Reference(draw.choice(positive), "k"))
        assignments = (ast.Assignment(slot, ast.Reference(first, slot)) for slot in ("x", "s", "b"))
        return ast.Emission(self.emitted, at, (ast.Assignment("k", k), *assignments))


# --- Traces -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TraceShape:
    """The size and the constructs of traces, and their templates."""

    events: int = 7
    sources: int = 3
    latest: int = 20
    templates: tuple[str, ...] = EXTERNAL
    promises: bool = True


def drawn_trace(
    draw: Draw, program: core.Program | None = None, shape: TraceShape = TraceShape()
) -> tuple[TraceItem, ...]:
    """Return a trace that keeps its promises: ties, several sources, progress lines, arrival out of order.

    A pair of source and template either sends in order of time, or promises by progress lines and sends in any order
    that they allow; the pairs are interleaved in any way. With a program, only templates that its rules read appear.
    Without `promises` no pair has progress lines, so that all send in order.
    """
    templates = shape.templates
    if program is not None:
        read = {pattern.template for rule in program.rules for pattern in rule.patterns}
        templates = tuple(name for name in templates if name in read) or templates[:1]
    streams: dict[tuple[str, str], list[Event]] = {}
    numbers = count(1)

    def event() -> None:
        source, template = f"s{draw.integer(1, shape.sources)}", draw.choice(templates)
        timestamp = draw.integer(0, shape.latest)
        attributes = {name: drawn_value(draw, name) for name, _ in _SLOTS}
        drawn_event = Event(f"e{next(numbers)}", template, timestamp, attributes, source)
        streams.setdefault((source, template), []).append(drawn_event)

    draw.several(event, 0, shape.events)
    sending = [_stream(draw, shape, stream) for stream in streams.values()]
    items: list[TraceItem] = []
    while sending := [stream for stream in sending if stream]:
        items.append(draw.choice(sending).pop(0))
    return tuple(items)


def _stream(draw: Draw, shape: TraceShape, events: Sequence[Event]) -> list[TraceItem]:
    if not shape.promises or not draw.chance(50):
        return sorted(events, key=lambda event: event.timestamp)
    order = draw.subset(events, len(events), len(events))
    items: list[TraceItem] = []
    for index, event in enumerate(order):
        if index == 0 or draw.chance(50):
            least = min(later.timestamp for later in order[index:])
            items.append(Progress(event.source, event.template, least - draw.integer(0, 3)))
        items.append(event)
    return items
