"""What a program means, once more, by brute force over the tree of its source: every tuple of events is tried.

It shares the scanner and the parser with the rest, and nothing that scopes, types, converts, stratifies or evaluates.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parte.semantics.events.event import Event, Value
from parte.semantics.partelang.syntax import ast

Rows = Mapping[str, Sequence[Sequence[Value]]]
"""For each predicate the rows of which it is true."""

Bound = dict[str, Event]
Found = tuple[str, tuple[tuple[str, str], ...], tuple[tuple[str, str, int, tuple[tuple[str, object], ...]], ...]]
"""A rule, its bindings, and what it emits: id, template, timestamp, attributes by name."""
Failed = tuple[str, int, tuple[tuple[str, str], ...]]


class TooMany(Exception):
    """More events are emitted than can be tried."""


class _NoValue(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Lasting:
    """A length of time in an `at`."""

    milliseconds: int


def meaning(
    program: ast.SourceProgram, events: Sequence[Event], rows: Rows, most: int = 20
) -> tuple[set[Found], set[Failed]]:
    """The matches and the emissions without a value; TooMany if a rule has more than `most` matches that emit."""
    return _Brute(program, rows, most).run(events)


class _Brute:
    def __init__(self, program: ast.SourceProgram, rows: Rows, most: int) -> None:
        declared = program.declarations
        self.aliases = {rule.name: rule.target for rule in declared if isinstance(rule, ast.TypeAlias)}
        self.templates = {rule.name: rule.slots for rule in declared if isinstance(rule, ast.Template)}
        self.predicates = {rule.name: rule.parameters for rule in declared if isinstance(rule, ast.Predicate)}
        self.rules = [rule for rule in declared if isinstance(rule, ast.Rule)]
        self.rows, self.most = rows, most

    def run(self, events: Sequence[Event]) -> tuple[set[Found], set[Failed]]:
        """Rules in an order in which each comes after those that emit what it reads."""
        stream = list(events)
        external = {event.id for event in events}
        matches: set[Found] = set()
        failed: set[Failed] = set()
        waiting = list(self.rules)
        while waiting:
            pending = {emission.template for rule in waiting for emission in rule.emissions}
            rule = next(rule for rule in waiting if not pending & {pattern.template for pattern in rule.patterns})
            waiting.remove(rule)
            fresh: list[Event] = []
            for bound in self.bindings(rule, stream):
                emits, lacking = self.reactions(rule, bound, external)
                if len(fresh) + len(emits) > self.most:
                    raise TooMany
                fresh += emits
                named = _named(bound)
                matches.add((rule.name, named, tuple(map(record, emits))))
                failed |= {(rule.name, position, named) for position in lacking}
            stream += fresh
        return matches, failed

    def bindings(self, rule: ast.Rule, stream: Sequence[Event]) -> Iterator[Bound]:
        positive = [pattern for pattern in rule.patterns if not pattern.negated]
        windows = [window for window in rule.constraints if not window.negated]
        for bound in self.tuples(positive, windows, stream, {}):
            if not any(self.filled(rule, pattern, stream, bound) for pattern in rule.patterns if pattern.negated):
                yield bound

    def tuples(
        self, left: Sequence[ast.Pattern], windows: Sequence[ast.Constraint], stream: Sequence[Event], bound: Bound
    ) -> Iterator[Bound]:
        if not left:
            yield bound
            return
        for event in stream:
            more = {**bound, left[0].variable: event}
            if self.accepts(left[0], windows, more):
                yield from self.tuples(left[1:], windows, stream, more)

    def accepts(self, pattern: ast.Pattern, windows: Sequence[ast.Constraint], bound: Bound) -> bool:
        """Whether the event of a pattern meets its template and conditions, and the windows of all that is bound."""
        if bound[pattern.variable].template != pattern.template:
            return False
        for window in windows:
            if window.subject in bound and window.reference in bound:
                apart = bound[window.subject].timestamp - bound[window.reference].timestamp
                if not window.lower.milliseconds <= apart <= window.upper.milliseconds:
                    return False
        return all(self.holds(condition, pattern.variable, bound) for condition in pattern.conditions)

    def filled(self, rule: ast.Rule, pattern: ast.Pattern, stream: Sequence[Event], bound: Bound) -> bool:
        own = [window for window in rule.constraints if window.subject == pattern.variable]
        return any(self.accepts(pattern, own, {**bound, pattern.variable: event}) for event in stream)

    def holds(self, condition: ast.Expression, here: str, bound: Bound) -> bool:
        try:
            return self.value(condition, here, bound) is True
        except _NoValue:
            return False

    # --- Emissions ---------------------------------------------------------------------------------------------------

    def reactions(self, rule: ast.Rule, bound: Bound, external: set[str]) -> tuple[list[Event], list[int]]:
        emits, lacking = [], []
        for position, emission in enumerate(rule.emissions, 1):
            try:
                at = self.value(emission.at, "", bound, timed=True)
                assigned = {
                    assignment.attribute: self.value(assignment.value, "", bound) for assignment in emission.assignments
                }
            except _NoValue:
                lacking.append(position)
                continue
            values: dict[str, Value] = {
                slot.name: self.converted(assigned[slot.name], slot.type) for slot in self.templates[emission.template]
            }
            number = f"#{position}" if len(rule.emissions) > 1 else ""
            inner = ",".join(
                f"{variable}={_quoted(event.id) if event.id in external else event.id}"
                for variable, event in bound.items()
            )
            identity = f"{rule.name}{number}({inner})"
            if len(identity) > 200:
                identity = f"{rule.name}{number}(sha256:{hashlib.sha256(identity.encode()).hexdigest()})"
            emits.append(Event(identity, emission.template, at, values))
        return emits, lacking

    def converted(self, value: Any, written: ast.TypeExpression) -> Any:
        """The value of an expression as one of a declared type."""
        while isinstance(written, ast.NamedType) and written.name in self.aliases:
            written = self.aliases[written.name]
        if isinstance(written, ast.ListTypeExpression):
            return tuple(self.converted(element, written.element) for element in value)
        return float(value) if written.name == "Float" else value

    # --- Expressions -------------------------------------------------------------------------------------------------

    def value(self, expression: ast.Expression, here: str, bound: Bound, timed: bool = False) -> Any:
        """The value; in an `at` (`timed`) timestamps are integers and lengths of time are lengths of time."""

        def part(inner: ast.Expression) -> Any:
            return self.value(inner, here, bound, timed)

        match expression:
            case ast.Literal(value):
                return value
            case ast.Duration():
                return _Lasting(expression.milliseconds)
            case ast.Reference(variable, attribute):
                event = bound[variable or here]
                return event.timestamp if attribute == "timestamp" else event.attributes[attribute]
            case ast.Negate(operand):
                inner = part(operand)
                return _Lasting(-inner.milliseconds) if isinstance(inner, _Lasting) else _fit(-inner)
            case ast.Binary(operator, left, right) if operator.relational:
                return _COMPARISONS[operator.value](*_alike([part(left), part(right)]))
            case ast.Binary(operator, left, right):
                return _arithmetic(operator.value, part(left), part(right))
            case ast.Call(name, arguments):
                return self.call(name, [part(call) for call in arguments], timed)

    def call(self, name: str, arguments: list[Any], timed: bool) -> Any:
        if name in self.predicates:
            values = [
                self.converted(value, type_) for value, type_ in zip(arguments, self.predicates[name], strict=True)
            ]
            return any(list(row) == values for row in self.rows[name])
        match name:
            case "list":
                return arguments
            case "avg" if timed:
                return sum(arguments) // len(arguments)
            case "avg":
                return _fit(_sum([float(value) for value in arguments]) / len(arguments))
            case "sum":
                return _sum(_alike(arguments))
            case "abs":
                return _fit(abs(arguments[0]))
            case "min" | "max":
                best, *others = _alike(arguments)
                for candidate in others:
                    best = candidate if (candidate < best if name == "min" else candidate > best) else best
                return best
        raise AssertionError(name)


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def _arithmetic(operator: str, left: Any, right: Any) -> Any:
    if isinstance(left, _Lasting) and isinstance(right, _Lasting):
        return _Lasting(_arithmetic(operator, left.milliseconds, right.milliseconds))
    left, right = (lasting.milliseconds if isinstance(lasting, _Lasting) else lasting for lasting in (left, right))
    if operator == "/":
        if right == 0:
            raise _NoValue
        return _fit(float(left) / float(right))
    left, right = _alike([left, right])
    return _fit(left + right if operator == "+" else left - right if operator == "-" else left * right)


def _sum(values: list[Any]) -> Any:
    total = values[0]
    for value in values[1:]:
        total = _fit(total + value)
    return total


def _alike(values: list[Any]) -> list[Any]:
    return [float(value) for value in values] if any(isinstance(value, float) for value in values) else values


def _fit(value: Any) -> Any:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _NoValue
    elif not -(2**63) <= value < 2**63:
        raise _NoValue
    return value


def _named(bound: Bound) -> tuple[tuple[str, str], ...]:
    return tuple((variable, event.id) for variable, event in bound.items())


def _quoted(id_: str) -> str:
    return json.dumps(id_, ensure_ascii=False) if set(id_) & set('(),="\\') else id_


def record(event: Event) -> tuple[str, str, int, tuple[tuple[str, object], ...]]:
    """What two answers are compared by: types count, and the sign of a zero does not."""
    attributes = tuple(sorted((name, _plain(value)) for name, value in event.attributes.items()))
    return event.id, event.template, event.timestamp, attributes


def _plain(value: Value) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_plain, value))}]"
    return repr(value + 0.0 if isinstance(value, float) else value)
