"""Drawing programs of PARTElang and traces: programs are valid by construction, and traces keep their promises.

Times are small, so that windows meet, touch and miss each other, and ties are common.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from parte.conformance.fuzz.draw import Draw
from parte.conformance.partelang.outlining import outlined
from parte.semantics.events.event import Event, Progress, TraceItem
from parte.semantics.partelang.schedules import Adversarial, RoundRobin, Schedule, SeededRandom
from parte.semantics.partelang.syntax import ast, core, functions
from parte.semantics.partelang.syntax.elaborate import elaborate

EXTERNAL = ("A", "B", "C")
"""The templates of arriving events; templates of emitted events are called D and E, one for each stratum."""

Attribute = int | float | str | bool
_SLOTS: tuple[tuple[str, str], ...] = (("k", "Integer"), ("x", "Float"), ("s", "String"), ("b", "Boolean"))
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
_REGULAR = (
    *("", ".", ".*", "a|b", "(a|b)*a(a|b){0,2}", "[^a]+", "(|a)(b|)", "a{2,}|b{0,1}", r"\w+", r"\W", r"[\d\-x-z]*"),
    *("é?", "[^é𝄞]", r"(.*a){1,3}", r"\s*\n?b?", "((a?){3}b*){2}", r"\\", "%|_|!"),
)
_ADDRESSES = (
    *("10.0.0.1", "10.0.0.255", "11.0.0.1", "010.0.0.1", "10.0.0", "255.255.255.255", "::", "::ffff:10.0.0.1", "1::2"),
    *("2001:db8::1", "2001:DB8:0:0:0:0:0:1", "1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:8", ":::", "fe80::1%eth0", "1:2"),
)
_NETWORKS = ("0.0.0.0/0", "10.0.0.0/8", "10.0.0.0/25", "10.0.0.1/32", "::/0", "2001:db8::/32", "1::2/128", "1::/16")
_ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia", "Asia/Kathmandu", "Etc/GMT+12", "Africa/Monrovia")
_DATES = ("1970-01-01", "1969-12-31", "0001-01-01", "9999-12-31", "2026-10-25")
_FAR = (2**63 - 1, -(2**63), 253_402_300_799_999, -62_135_596_800_000)
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
    once: bool = True
    sets: bool = True
    ever: bool = True
    reuse: bool = True
    either: bool = True
    """`once`, `sets`, `ever`, `reuse` (named patterns) and `either`: at level 2."""


def drawn_program(draw: Draw, shape: ProgramShape = ProgramShape()) -> core.Program:
    """Return a valid program: self-joins, negation, lower bounds of either sign, several rules over several strata."""
    rules: list[ast.Rule] = []
    templates = _TEMPLATES if shape.level == 1 else tuple(_with_optional(draw, template) for template in _TEMPLATES)
    optional = {template.name: {slot.name for slot in template.slots if slot.optional} for template in templates}
    lively = shape.level > 1 and draw.chance(50)

    def rule() -> None:
        stratum = draw.integer(0, shape.strata - 1)
        available = EXTERNAL[: 2 if lively else 3] + ("D",) * (2 * stratum)
        emitted = ("D", "E")[stratum]
        drawn = _Rules(draw, shape, available, emitted, optional[emitted], lively).rule(f"R{len(rules)}")
        rules.append(drawn)

    draw.several(rule, 1, shape.rules)
    source = ast.SourceProgram((*templates, *rules), shape.level)
    return elaborate(outlined(draw, source) if shape.level > 1 and shape.reuse else source)


def drawn_value(draw: Draw, attribute: str) -> Attribute:
    """Return a value of the attribute k, x, s or b."""
    extreme = attribute in _EXTREME and draw.chance(50)
    return draw.choice((_EXTREME if extreme else _USUAL)[attribute])


def drawn_schedule(draw: Draw) -> Schedule:
    """Return a schedule of any kind."""
    seed = draw.integer(0, 2**16)
    kinds: Sequence[Schedule] = (RoundRobin(), SeededRandom(seed), Adversarial(seed))
    return draw.choice(kinds)


_ENDLESS = "w"
"""The first letter of a variable without a window that has a beginning."""


def _template(name: str) -> ast.Template:
    return ast.Template(name, tuple(ast.Slot(slot, ast.NamedType(type_)) for slot, type_ in _SLOTS))


_TEMPLATES = tuple(_template(name) for name in (*EXTERNAL, "D", "E"))


def _with_optional(draw: Draw, template: ast.Template) -> ast.Template:
    """Return the template with some of its attributes optional."""
    chosen = draw.subset([slot.name for slot in template.slots], 0, 4)
    return replace(template, slots=tuple(replace(slot, optional=slot.name in chosen) for slot in template.slots))


def milliseconds(amount: int) -> ast.Duration:
    """Return a duration of so many milliseconds."""
    return ast.Duration(amount, ast.Unit.MILLISECONDS)


def beginning(amount: int) -> ast.Duration | ast.Ever:
    """Return the lower end of a window at so many milliseconds; `-ever` if no duration of 64 bit is near it."""
    return ast.Ever(True) if amount < -(2**64) else milliseconds(amount)


@dataclass(frozen=True, slots=True)
class _Rules:
    """A source of rules over some templates that emit events of one template, with its `optional` attributes.

    `lively` rules, of level 2, have few conditions and long windows: they often match, and their sets have many events.
    """

    draw: Draw
    shape: ProgramShape
    available: Sequence[str]
    emitted: str
    optional: Set[str]
    lively: bool

    def rule(self, name: str) -> ast.Rule:
        """Return a rule."""
        draw, shape = self.draw, self.shape
        patterns: list[ast.Pattern] = []
        constraints: list[ast.Constraint] = []
        positive: list[str] = []
        sets: list[str] = []

        def pattern() -> None:
            negated = shape.negation and len(patterns) > 0 and draw.chance(50)
            collected = shape.level > 1 and shape.sets and len(patterns) > 0 and draw.chance(50)
            negated = negated and not collected
            chosen = shape.level > 1 and len(patterns) > 0 and not (negated or collected) and draw.chance(50)
            ever = shape.level > 1 and shape.ever and (negated or collected)
            endless = ever and draw.chance(25)
            variable = f"{_ENDLESS if endless else 'v'}{len(patterns)}"
            if positive:
                most = 2 if draw.chance(25) else 1
                constraint = partial(self._constraint, variable, positive, negated, collected)
                windows = draw.several(constraint, most, most)
                unbounded = most if endless else most - 1 if ever and draw.chance(25) else 0
                constraints.extend(replace(window, lower=ast.Ever(True)) for window in windows[:unbounded])
                constraints.extend(windows[unbounded:])
            condition = self._condition if shape.level == 1 else partial(self._combined, variable)
            about = () if endless else tuple(positive)
            most_conditions = 2 if shape.conditions else 0
            if self.lively and draw.chance(75):
                most_conditions = 0
            conditions = draw.several(partial(condition, about), 0, most_conditions)
            if endless and shape.conditions and draw.chance(75):
                key = draw.choice("kxsb")
                equal = ast.Binary(_Op.EQUAL, ast.Reference(None, key), ast.Reference(draw.choice(positive), key))
                conditions = (*conditions, equal)
            selection = draw.choice(tuple(ast.Selection)) if chosen else None
            template = draw.choice(self.available)
            plain = not (negated or collected or chosen)
            others = partial(self._alternative, partial(condition, about))
            some = shape.level > 1 and shape.either and plain and draw.chance(30)
            alternatives = draw.several(others, 1, 2) if some else ()
            patterns.append(ast.Pattern(negated, variable, template, conditions, collected, selection, alternatives))
            if collected:
                sets.append(variable)
            elif not negated:
                positive.append(variable)

        draw.several(pattern, 1, shape.patterns)
        emissions = draw.several(partial(self._emission, positive, sets), 0, 2 if shape.emissions else 0)
        most_having = 0 if not sets or (self.lively and draw.chance(50)) else 2
        having = draw.several(partial(self._on_sets, positive, sets), 0, most_having)
        return ast.Rule(name, tuple(patterns), tuple(constraints), emissions, having)

    def _alternative(self, condition: Callable[[], ast.Expression]) -> ast.Alternative:
        """Return an alternative of a pattern, of another template or of the same."""
        conditions = self.draw.several(condition, 0, 2 if self.shape.conditions else 0)
        return ast.Alternative(self.draw.choice(self.available), conditions)

    def _constraint(self, subject: str, positive: Sequence[str], negated: bool, collected: bool) -> ast.Constraint:
        draw, reference = self.draw, self.draw.choice(positive)
        lower = draw.integer(self.shape.least_distance, self.shape.greatest_distance)
        upper = lower + draw.integer(0, self.shape.greatest_distance)
        if self.lively:
            lower, upper = lower - 6, upper + 6
        if not (negated or collected) and draw.chance(50):
            subject, reference, lower, upper = reference, subject, -upper, -lower
        open_lower = self.shape.level > 1 and upper > lower and draw.chance(25)
        open_upper = self.shape.level > 1 and upper > lower + open_lower and draw.chance(25)
        return ast.Constraint(
            negated, subject, reference, milliseconds(lower), milliseconds(upper), open_lower, open_upper
        )

    def _combined(self, own: str, earlier: Sequence[str], depth: int = 3) -> ast.Expression:
        """Return a condition of level 2: conditions are joined, negated, or say that a value is one of several."""
        draw = self.draw
        if depth == 0 or draw.chance(25):
            return self._condition(earlier)
        part = partial(self._combined, own, earlier, depth - 1)
        match draw.choice(("and", "or", "not", "in", "test", "time", "clock", "is")):
            case "is":
                return self._presence(earlier, part)
            case "not":
                return ast.Not(part())
            case "test":
                return self._test()
            case "in":
                slot = draw.choice("kxsb")
                return ast.Membership(ast.Reference(None, slot), draw.several(partial(self._literal, slot), 1, 3))
            case "time":
                sides = draw.choice((self._timestamp, self._duration))
                named = (own, *earlier)
                return ast.Binary(draw.choice(_RELATIONS), sides(named, 2), sides(named, 1))
            case "clock":
                return self._clock((own, *earlier))
            case connective:
                return ast.Compound(ast.Connective(connective), draw.several(part, 2, 3))

    def _presence(self, earlier: Sequence[str], condition: Callable[[], ast.Expression]) -> ast.Expression:
        """Return a condition of level 2 that says whether an attribute, a sum or a condition has a value."""
        draw = self.draw
        own = draw.choice("kxsb")
        operand: ast.Expression = ast.Reference(draw.choice((None, *earlier)), own)
        if own in "kx" and draw.chance(25):
            operand = ast.Binary(draw.choice(_ARITHMETIC), operand, self._literal(draw.choice("kx")))
        if draw.chance(10):
            operand = condition()
        return ast.Presence(operand, draw.chance(50))

    def _test(self) -> ast.Expression:
        """Return a condition of level 2 on a String."""
        draw = self.draw
        text: ast.Expression = ast.Reference(None, "s")
        for _ in range(draw.integer(0, 2)):
            text = ast.Call(draw.choice(("lower", "upper", "concat")), (text,))
            if text.name == "concat":
                text = ast.Call("concat", (*text.arguments, ast.Literal(draw.choice(_TEXTS))))
        match draw.choice(("like", "length", "starts_with", "ends_with", "contains", "matches", "in_network")):
            case "matches":
                return ast.Call("matches", (text, ast.Literal(draw.choice(_REGULAR))))
            case "in_network":
                networks = draw.several(lambda: ast.Literal(draw.choice(_NETWORKS)), 1, 2)
                return ast.Call("in_network", (ast.Literal(draw.choice(_ADDRESSES)), *networks))
            case "like":
                return ast.Call("like", (text, ast.Literal(draw.choice(_PATTERNS))))
            case "length":
                return ast.Binary(draw.choice(_RELATIONS), ast.Call("length", (text,)), self._literal("k"))
            case name:
                return ast.Call(name, (text, ast.Literal(draw.choice(_TEXTS))))

    def _timestamp(self, variables: Sequence[str], depth: int) -> ast.Expression:
        """Return a timestamp of a condition of level 2."""
        draw = self.draw
        if depth == 0 or draw.chance(50):
            if draw.chance(25):
                return ast.Timestamp(draw.choice(_FAR) if draw.chance(25) else draw.integer(-3, 20))
            return ast.Reference(draw.choice(variables), "timestamp")
        operator = draw.choice((_Op.ADD, _Op.SUBTRACT))
        return ast.Binary(operator, self._timestamp(variables, depth - 1), self._duration(variables, depth - 1))

    def _duration(self, variables: Sequence[str], depth: int) -> ast.Expression:
        """Return a duration of a condition of level 2."""
        draw = self.draw
        if depth == 0 or draw.chance(25):
            return milliseconds(draw.choice(_FAR) if draw.chance(25) else draw.integer(-6, 20))
        match draw.choice(("difference", "sum", "clock", "opposite")):
            case "difference":
                left, right = self._timestamp(variables, depth - 1), self._timestamp(variables, depth - 1)
                return ast.Binary(_Op.SUBTRACT, left, right)
            case "sum":
                left, right = self._duration(variables, depth - 1), self._duration(variables, depth - 1)
                return ast.Binary(draw.choice((_Op.ADD, _Op.SUBTRACT)), left, right)
            case "clock":
                return self._reading("time_of_day", variables)
            case _:
                return ast.Negate(ast.Binary(_Op.ADD, self._duration(variables, depth - 1), milliseconds(1)))

    def _reading(self, function: str, variables: Sequence[str]) -> ast.Call:
        draw = self.draw
        zone = (ast.Literal(draw.choice(_ZONES)),) if draw.chance(75) else ()
        return ast.Call(function, (ast.Reference(None, draw.choice(variables)), *zone))

    def _clock(self, variables: Sequence[str]) -> ast.Expression:
        """Return a condition of level 2 on a day."""
        draw = self.draw
        if draw.chance(50):
            days = ast.Literal(draw.integer(1, 7))
            return ast.Binary(draw.choice(_RELATIONS), self._reading("weekday", variables), days)
        date = ast.Literal(draw.choice(_DATES))
        return ast.Binary(draw.choice(_RELATIONS), self._reading("date", variables), date)

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

    def _on_sets(self, positive: Sequence[str], sets: Sequence[str], depth: int = 2) -> ast.Expression:
        """Return a condition of `having`."""
        draw = self.draw
        part = partial(self._on_sets, positive, sets, depth - 1)
        plain = ("exists", "compared", "times", "is", "in")
        match draw.choice(("least", *plain, "and", "or", "not") if depth else plain):
            case "times":
                return self._times_of_sets(positive, sets)
            case "is":
                return ast.Presence(self._aggregate(sets, draw.choice("kxsb")), draw.chance(50))
            case "in":
                return ast.Membership(self._aggregate(sets, "k"), draw.several(partial(self._literal, "k"), 1, 3))
            case "least":
                most = ast.Literal(draw.integer(0, 3))
                return ast.Binary(draw.choice(_RELATIONS), ast.Call("count", (self._set(sets),)), most)
            case "exists":
                return ast.Call("exists", (self._set(sets),))
            case "compared":
                slot = draw.choice("kxs")
                right: ast.Expression = ast.Reference(draw.choice(positive), slot)
                if draw.chance(50):
                    right = self._literal(slot)
                if draw.chance(25):
                    right = self._aggregate(sets, slot)
                return ast.Binary(draw.choice(_RELATIONS), self._aggregate(sets, slot), right)
            case "not":
                return ast.Not(part())
            case connective:
                return ast.Compound(ast.Connective(connective), draw.several(part, 2, 2))

    def _times_of_sets(self, positive: Sequence[str], sets: Sequence[str]) -> ast.Expression:
        """Return a condition of `having` on the least or the greatest timestamp of a set."""
        draw = self.draw
        time: ast.Expression = ast.Call(draw.choice(("min", "max")), (ast.Reference(draw.choice(sets), "timestamp"),))
        if draw.chance(50):
            return ast.Binary(draw.choice(_RELATIONS), time, self._timestamp(positive, 1))
        difference = ast.Binary(_Op.SUBTRACT, time, self._timestamp(positive, 1))
        return ast.Binary(draw.choice(_RELATIONS), difference, self._duration(positive, 0))

    def _set(self, sets: Sequence[str]) -> ast.Reference:
        return ast.Reference(None, self.draw.choice(sets))

    def _aggregate(self, sets: Sequence[str], slot: str) -> ast.Call:
        """Return an aggregate whose values are those of the attribute k, x, s or b."""
        draw, variable = self.draw, self.draw.choice(sets)
        names = ["first", "last", *(["min", "max"] if slot != "b" else []), *(["sum"] if slot in "kx" else [])]
        names += {"k": ["count", "count"], "x": ["avg", "avg"]}.get(slot, [])
        name = draw.choice(names)
        if name == "count":
            distinct = draw.chance(50) and not variable.startswith(_ENDLESS)
            return ast.Call(name, (ast.Reference(variable, draw.choice("kxsb")),), distinct)
        return ast.Call(name, (ast.Reference(variable, draw.choice("kx") if name == "avg" else slot),))

    def _literal(self, attribute: str) -> ast.Literal:
        return ast.Literal(drawn_value(self.draw, attribute))

    def _emission(self, positive: Sequence[str], sets: Sequence[str]) -> ast.Emission:
        draw, first = self.draw, self.draw.choice(positive)
        at: ast.Expression = ast.Reference(first, "timestamp")
        if draw.chance(50):
            more_times: tuple[ast.Expression, ...]
            more_times = draw.several(lambda: ast.Reference(draw.choice(positive), "timestamp"), 1, 2)
            bounded = [variable for variable in sets if not variable.startswith(_ENDLESS)]
            if bounded and draw.chance(50):
                times_of_set = (ast.Reference(draw.choice(bounded), "timestamp"),)
                more_times = (*more_times, ast.Call(draw.choice(("min", "max")), times_of_set))
            at = ast.Call(draw.choice(functions.of_timestamps()), (at, *more_times))
        if draw.chance(50):
            at = ast.Binary(draw.choice((_Op.ADD, _Op.SUBTRACT)), at, milliseconds(draw.integer(0, 5)))
        k: ast.Expression = ast.Reference(first, "k")
        if draw.chance(50):
            k = ast.Binary(_Op.ADD, k, ast.Reference(draw.choice(positive), "k"))
        if sets and draw.chance(25):
            k = ast.Call("min", (ast.Reference(draw.choice(sets), "timestamp"),))
        assignments = [ast.Assignment("k", k)]
        for slot in ("x", "s", "b"):
            aggregated = sets and draw.chance(25)
            value = self._aggregate(sets, slot) if aggregated else ast.Reference(first, slot)
            assignments.append(ast.Assignment(slot, value))
        if self.shape.level > 1:
            assignments = [self._by_function(assignment, positive, sets) for assignment in assignments]
        once = self._suppression() if self.shape.level > 1 and self.shape.once and draw.chance(50) else None
        assigned = (part for part in assignments if part.attribute not in self.optional or not draw.chance(25))
        return ast.Emission(self.emitted, at, tuple(assigned), once)

    def _by_function(self, assignment: ast.Assignment, positive: Sequence[str], sets: Sequence[str]) -> ast.Assignment:
        """Return an assignment of level 2: sometimes of what a clock shows, of a function on Strings, or of a sum."""
        draw, first = self.draw, positive[0]
        if assignment.attribute not in "ks" or not draw.chance(25):
            return assignment
        of_text = ast.Reference(first, "s")
        values: list[ast.Expression]
        if assignment.attribute == "s":
            texts = (of_text, ast.Literal(draw.choice(_TEXTS)))
            values = [self._reading("date", positive), ast.Call("upper", (of_text,)), ast.Call("concat", texts)]
        else:
            values = [self._reading(function, positive) for function in ("time_of_day", "weekday")]
            values.append(ast.Call("length", (of_text,)))
            if sets:
                values.append(ast.Binary(_Op.ADD, self._aggregate(sets, "k"), ast.Reference(first, "k")))
        return ast.Assignment(assignment.attribute, draw.choice(values))

    def _suppression(self) -> ast.Suppression:
        """Return a suppression of level 2: by no key, one or several, for a short time, or for the longest."""
        draw = self.draw
        keys = tuple(ast.Reference(None, key) for key in draw.subset("kxsb", 0, 2))
        longest = draw.chance(10)
        return ast.Suppression(keys, milliseconds(2**63 - 1 if longest else draw.integer(1, 8)))


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
    that they allow; the pairs are interleaved in any way. With a program, only templates that its rules read appear,
    and events lack some of their optional attributes; some attributes are missing in all events.
    Without `promises` no pair has progress lines, so that all send in order.
    """
    templates = shape.templates
    optional: dict[str, Set[str]] = {}
    if program is not None:
        optional = {t.name: {slot.name for slot in t.attributes if slot.optional} for t in program.templates}
        read = {pattern.template for rule in program.rules for pattern in rule.patterns}
        templates = tuple(name for name in templates if name in read) or templates[:1]
    never = {name: {slot for slot in sorted(slots) if draw.chance(15)} for name, slots in sorted(optional.items())}
    streams: dict[tuple[str, str], list[Event]] = {}
    numbers = count(1)

    def event() -> None:
        source, template = f"s{draw.integer(1, shape.sources)}", draw.choice(templates)
        timestamp = draw.integer(0, shape.latest)
        lacking = {name for name, _ in _SLOTS if name in optional.get(template, ()) and draw.chance(40)}
        lacking |= never.get(template, set())
        attributes = {name: drawn_value(draw, name) for name, _ in _SLOTS if name not in lacking}
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
