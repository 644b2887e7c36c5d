"""Wild programs as data, so that they can be made smaller: extremes of 64 bit, self-joins, several strata, negations
with several windows, keys, predicates; and traces that lie where their windows end. Rich ones have all that a program
can say: functions, lists, several emissions; and traces from several sources.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parte.semantics.events.event import Event, Value
from parte.semantics.events.values import GREATEST_INTEGER, LEAST_INTEGER

EXTERNAL = ("A", "B")
EMITTED = ("D", "E", "F")
"""The template that each stratum emits."""

_SLOTS = {"k": "Integer", "l": "Integer", "x": "Float", "s": "String", "b": "Boolean"}
_PREDICATES = {"p": ("k",), "q": ("k", "k"), "f": ("b",)}
_HUGE = (GREATEST_INTEGER, GREATEST_INTEGER - 1, 2**62, 2**62 + 1, 2**53 + 1)

_VALUES: dict[str, tuple[Value, ...]] = {
    "k": (0, 1, 2, 3, -1, GREATEST_INTEGER, LEAST_INTEGER),
    "x": (0.0, 1.0, 0.5, -0.0, 1e308, 5e-324),
    "s": ("", "a", "b"),
    "b": (True, False),
}
_VALUES["l"] = _VALUES["k"]
_COLLECTION = "type Number = Float\ntemplate Collection { numbers : [Number; 3], k : Integer, y : Number }\n"


@dataclass(frozen=True, slots=True)
class Window:
    """`subject in reference [lower ms, upper ms]`."""

    subject: str
    reference: str
    lower: int
    upper: int

    @property
    def text(self) -> str:
        """As a program has it."""
        return f"{self.subject} in {self.reference} [{self.lower} ms, {self.upper} ms]"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern with its conditions as texts."""

    variable: str
    template: str
    negated: bool
    conditions: tuple[str, ...]

    @property
    def text(self) -> str:
        """As a program has it."""
        inner = f" {{ {', '.join(self.conditions)} }}" if self.conditions else ""
        return f"{'no ' * self.negated}{self.variable} : {self.template}{inner}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule; `emits` is a template and what stands after `at`, `more` are further emissions."""

    name: str
    patterns: tuple[Pattern, ...]
    windows: tuple[Window, ...]
    emits: tuple[str, str] | None = None
    more: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As a program has it."""
        absent = {pattern.variable for pattern in self.patterns if pattern.negated}
        windows = ",\n  ".join("no " * (window.subject in absent) + window.text for window in self.windows)
        emits = ""
        if self.emits is not None:
            template, at = self.emits
            first = next(pattern.variable for pattern in self.patterns if not pattern.negated)
            slots = ", ".join(f"{slot} = {first}.{slot}" for slot in _SLOTS)
            emits = f"\nthen emit {template} at {at} with {{ {slots} }}"
        elif self.more:
            emits = "\nthen"
        emits += "".join(f"\n  {line}" for line in self.more)
        when = f"\nwhen {windows}" if windows else ""
        return (
            f"rule {self.name} where\n  "
            + ",\n  ".join(pattern.text for pattern in self.patterns)
            + when
            + emits
            + "\n"
        )

    def without(self, variable: str) -> Rule:
        """The rule without a pattern, and without the windows that mention it."""
        return replace(
            self,
            patterns=tuple(pattern for pattern in self.patterns if pattern.variable != variable),
            windows=tuple(window for window in self.windows if variable not in (window.subject, window.reference)),
        )


@dataclass(frozen=True, slots=True)
class Wild:
    """Rules, the rows for which each predicate is true (None: no domain is given), and traces."""

    rules: tuple[Rule, ...]
    domain: dict[str, list[list[Value]]] | None
    traces: tuple[tuple[Event, ...], ...] = ()

    @property
    def text(self) -> str:
        """The program."""
        collections = _COLLECTION if any(rule.more for rule in self.rules) else ""
        return declarations() + collections + "".join(rule.text for rule in self.rules)

    @property
    def tables(self) -> dict[str, object]:
        """The domain as a file has it."""
        return {name: {"true_for": rows} for name, rows in (self.domain or {}).items()}

    def show(self) -> str:
        """The program, the domain and the traces."""
        domain = "" if self.domain is None else f"domain: {json.dumps(self.tables)}\n"
        lines = (
            "trace:\n" + "".join(json.dumps(_line(event)) + "\n" for event in trace)
            for trace in self.traces[: 1 if len(self.traces) > 1 else None]
        )
        return self.text + domain + "".join(lines)


def _line(event: Event) -> dict[str, object]:
    return {
        "id": event.id,
        "template": event.template,
        "timestamp": event.timestamp,
        "source": event.source,
        "attributes": dict(event.attributes),
    }


def declarations() -> str:
    """Templates and predicates."""
    slots = ", ".join(f"{name} : {type_}" for name, type_ in _SLOTS.items())
    templates = "".join(f"template {name} {{ {slots} }}\n" for name in (*EXTERNAL, *EMITTED))
    predicates = "".join(
        f"predicate {name}({', '.join(_SLOTS[slot] for slot in slots)})\n" for name, slots in _PREDICATES.items()
    )
    return templates + predicates


# --- Drawing ---------------------------------------------------------------------------------------------------------


def wild(source: random.Random, *, extreme: float = 0.25, traces: int = 12, rich: bool = False) -> Wild:
    """A program with traces; `extreme` is how often windows are of the size of 64 bit."""
    huge = source.random() < extreme
    chain = huge and source.random() < 0.4
    rules = []
    for number in range(source.choice((1, 1, 2, 3))):
        rule = _rule(source, f"R{number}", number, huge, chain)
        rules.append(_enriched(source, rule) if rich else rule)
    domain = None
    if rich or source.random() < 0.4:
        domain = {name: _rows(source, slots) for name, slots in _PREDICATES.items()}
    program = Wild(tuple(rules), domain)
    return replace(program, traces=tuple(trace(source, program, 9 if rich else 6) for _ in range(traces)))


def _rows(source: random.Random, slots: Sequence[str]) -> list[list[Value]]:
    rows = [[source.choice(_VALUES[slot]) for slot in slots] for _ in range(source.randrange(4))]
    return [row for number, row in enumerate(rows) if row not in rows[:number]]


def _rule(source: random.Random, name: str, stratum: int, huge: bool, chain: bool) -> Rule:
    """A rule. A chain goes on by huge distances in one direction, to the end of time or nearly so."""
    readable = (*EXTERNAL, *EMITTED[:stratum])
    # Few templates, so that self-joins and self-defeat are common.
    readable = tuple(source.choice(readable) for _ in range(2))
    patterns: list[Pattern] = []
    windows: list[Window] = []
    positive: list[str] = []
    onward = source.choice((1, -1))
    for number in range(source.choice((1, 2, 2, 3, 3, 4)) + 2 * chain):
        variable = f"v{number}"
        negated = number > 0 and source.random() < (0.2 if chain else 0.5)
        for _ in range((1 + (source.random() < 0.3)) if positive else 0):
            reference = positive[-1] if chain else source.choice(positive)
            lower, upper = _window(source, huge, onward, chain)
            if not negated and source.random() < 0.3:
                windows.append(Window(reference, variable, -upper, -max(lower, -GREATEST_INTEGER)))
            else:
                windows.append(Window(variable, reference, lower, upper))
        number_of_conditions = 0 if chain and source.random() < 0.7 else source.choice((0, 1, 1, 2, 3))
        conditions = tuple(_condition(source, positive) for _ in range(number_of_conditions))
        patterns.append(Pattern(variable, source.choice(readable), negated, conditions))
        if not negated:
            positive.append(variable)
    emits = None
    if source.random() < 0.5:
        emits = EMITTED[stratum], _at(source, positive)
    return Rule(name, tuple(patterns), tuple(window for window in windows if window.lower <= window.upper), emits)


def _window(source: random.Random, huge: bool, onward: int, chain: bool) -> tuple[int, int]:
    if huge and source.random() < 0.6:
        sign = onward if chain or source.random() < 0.5 else -onward
        end = sign * source.choice(_HUGE[:2] if chain else _HUGE)
        second_end = source.choice((end, end, end + 1, end - 2) if chain else (end, -end, 0, source.choice(_HUGE)))
        return max(min(end, second_end), LEAST_INTEGER), min(max(end, second_end), GREATEST_INTEGER)
    lower = source.randint(-4, 4)
    return lower, lower + source.choice((0, 0, 1, 3, 6))


def _condition(source: random.Random, earlier: Sequence[str]) -> str:
    own = source.choice("kkklxsb")
    kind = source.random()
    if kind < 0.15:
        name = source.choice(sorted(_PREDICATES))
        if name == "q":
            argument = f"{source.choice(earlier)}.k" if earlier else "l"
            call = f"q(k, {argument})"
        else:
            call = f"{name}({_PREDICATES[name][0]})"
        return call if source.random() < 0.6 else f"{call} = false"
    operator = source.choice(("=", "!=") if own == "b" else ("=", "=", "!=", "<", "<=", ">", ">="))
    if earlier and source.random() < 0.5:
        right = f"{source.choice(earlier)}.{own}"
    else:
        right = _literal(source.choice(_VALUES[own]))
    if own in "klx" and source.random() < 0.2:
        operators = "+-*/" if own == "x" else "+-*"
        right = f"{right} {source.choice(operators)} {_literal(source.choice(_VALUES[own]))}"
    return f"{own} {operator} {right}"


def _literal(value: Value) -> str:
    return json.dumps(value) if not isinstance(value, float) else repr(value)


def _at(source: random.Random, positive: Sequence[str]) -> str:
    times = [f"{source.choice(positive)}.timestamp" for _ in range(source.choice((1, 1, 2)))]
    at = times[0] if len(times) == 1 else f"{source.choice(('min', 'max', 'avg'))}({', '.join(times)})"
    return at if source.random() < 0.5 else f"{at} {source.choice('+-')} {source.randrange(5)} ms"


def _enriched(source: random.Random, rule: Rule) -> Rule:
    """The rule with conditions over functions, and with emissions of computed values and lists."""
    earlier: list[str] = []
    patterns = []
    for pattern in rule.patterns:
        plain = tuple(condition for condition in pattern.conditions if source.random() < 0.4)  # more would match little
        fancy = tuple(_fancy(source, earlier) for _ in range(source.choice((0, 0, 0, 1, 2))))
        patterns.append(replace(pattern, conditions=plain + fancy))
        if not pattern.negated:
            earlier.append(pattern.variable)
    more = tuple(_emission(source, earlier) for _ in range(source.choice((0, 0, 1, 2))))
    return replace(rule, patterns=tuple(patterns), more=more)


def _fancy(source: random.Random, earlier: Sequence[str]) -> str:
    """A condition that computes; of the event at hand and of `earlier` ones."""
    kind = source.random()
    if kind < 0.15:
        return f"({_number(source, earlier)} < {_number(source, earlier)}) = b"
    if kind < 0.25:
        return f"q({_integer(source, earlier)}, k)"
    if kind < 0.35:
        return f"f(s {source.choice(('<', '=', '>='))} {_literal(source.choice(_VALUES['s']))})"
    operator = source.choice(("=", "!=", "<", "<=", ">", ">="))
    return f"{_number(source, earlier)} {operator} {_number(source, earlier)}"


def _integer(source: random.Random, names: Sequence[str], bare: bool = True, depth: int = 2) -> str:
    if depth == 0 or source.random() < 0.4:
        slot = source.choice("kl")
        options = [f"{name}.{slot}" for name in names] + [slot] * bare
        return source.choice((*options, _literal(source.choice(_VALUES["k"]))))
    parts = [_integer(source, names, bare, depth - 1) for _ in range(source.choice((1, 2, 3)))]
    kind = source.choice(("min", "max", "sum", "abs", "-", "+", "*"))
    if kind == "-" and len(parts) == 1:
        return f"-({parts[0]})"
    if kind in "+-*":
        return f"({f' {kind} '.join(parts)})"
    return f"{kind}({parts[0] if kind == 'abs' else ', '.join(parts)})"


def _number(source: random.Random, names: Sequence[str], bare: bool = True, depth: int = 2) -> str:
    """An expression of either type."""
    kind = source.random()
    if kind < 0.4:
        return _integer(source, names, bare, depth)
    if depth == 0 or kind < 0.6:
        options = [f"{name}.x" for name in names] + ["x"] * bare
        return source.choice((*options, _literal(source.choice(_VALUES["x"]))))
    parts = [_number(source, names, bare, depth - 1) for _ in range(source.choice((1, 2, 2, 3)))]
    operator = source.choice(("avg", "min", "max", "sum", "/", "+", "*", "-"))
    return f"({f' {operator} '.join(parts)})" if operator in "/+*-" else f"{operator}({', '.join(parts)})"


def _emission(source: random.Random, positive: Sequence[str]) -> str:
    """An emission of computed values."""
    numbers = ", ".join(_number(source, positive, bare=False) for _ in range(source.randrange(4)))
    whole = source.choice((f"{source.choice(positive)}.timestamp", _integer(source, positive, bare=False)))
    value = _number(source, positive, bare=False)
    at = _at(source, positive)
    if source.random() < 0.3:
        at = f"{source.choice(('avg', 'min', 'max'))}({at}, {_at(source, positive)} + (2 ms - 1 second))"
    return f"emit Collection at {at} with {{ numbers = list({numbers}), k = {whole}, y = {value} }}"


def trace(source: random.Random, program: Wild, most: int = 6) -> tuple[Event, ...]:
    """Events that lie around the ends of the windows of some rule, or the ends of time."""
    rule = source.choice(program.rules)
    distances = [end for window in rule.windows for end in (window.lower, window.upper)] or [0]
    base = source.choice((0, 0, 0, LEAST_INTEGER, GREATEST_INTEGER, -(2**62)))
    times = [base]
    events = []
    templates = sorted({pattern.template for rule in program.rules for pattern in rule.patterns} & set(EXTERNAL))
    pool = {slot: source.sample(values, min(2, len(values))) for slot, values in _VALUES.items()}
    for number in range(source.randint(1, most)):
        sign = source.choice((1, 1, -1))
        moved = source.choice(times) + sign * source.choice(distances) + source.choice((0, 0, 0, 1, -1))
        times.append(min(max(moved, LEAST_INTEGER), GREATEST_INTEGER))
        slots = {slot: source.choice(pool[slot] if source.random() < 0.8 else _VALUES[slot]) for slot in _SLOTS}
        at = source.choice(times[-2:])
        events.append(Event(f"e{number}", source.choice(templates or EXTERNAL), at, slots))
    return tuple(events)


# --- Making smaller --------------------------------------------------------------------------------------------------


def smaller(case: Wild) -> Iterator[Wild]:
    """The case with something left out or made plain; not all of these are programs."""
    for number, rule in enumerate(case.rules):
        if len(case.rules) > 1:
            yield replace(case, rules=(*case.rules[:number], *case.rules[number + 1 :]))
        for less in _smaller_rules(rule):
            yield replace(case, rules=(*case.rules[:number], less, *case.rules[number + 1 :]))
    if case.domain:
        for name, rows in case.domain.items():
            for number in range(len(rows)):
                yield replace(case, domain={**case.domain, name: rows[:number] + rows[number + 1 :]})
    half = len(case.traces) // 2
    if half:
        yield replace(case, traces=case.traces[:half])
        yield replace(case, traces=case.traces[half:])
    for place, events in enumerate(case.traces if len(case.traces) == 1 else ()):
        for number in range(len(events)):
            yield replace(case, traces=(*case.traces[:place], (*events[:number], *events[number + 1 :])))


def _smaller_rules(rule: Rule) -> Iterator[Rule]:
    if rule.emits is not None:
        yield replace(rule, emits=None)
    for number in range(len(rule.more)):
        yield replace(rule, more=(*rule.more[:number], *rule.more[number + 1 :]))
    for pattern in rule.patterns:
        yield rule.without(pattern.variable)
    for number in range(len(rule.windows)):
        yield replace(rule, windows=(*rule.windows[:number], *rule.windows[number + 1 :]))
    for number, pattern in enumerate(rule.patterns):
        for place in range(len(pattern.conditions)):
            less = replace(pattern, conditions=(*pattern.conditions[:place], *pattern.conditions[place + 1 :]))
            yield replace(rule, patterns=(*rule.patterns[:number], less, *rule.patterns[number + 1 :]))
    for number, window in enumerate(rule.windows):
        for lower, upper in ((0, 0), (window.lower, window.lower), (min(0, window.upper), window.upper)):
            if abs(lower) + abs(upper) < abs(window.lower) + abs(window.upper):
                changed = replace(window, lower=lower, upper=upper)
                yield replace(rule, windows=(*rule.windows[:number], changed, *rule.windows[number + 1 :]))
