"""Programs and events as words for the extracted evaluator (`parte/proofs/rocq/evaluator.ml` is the other side).

Each case of a rule is a rule there: that the matches of a rule are those of its cases is proved. An expression that the
evaluator does not compute is delegated: to a column of the events, if it mentions one event, else to a question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from parte.algebra.partelang.compiled import Closure, compile_expression
from parte.semantics.events.domain import Predicates
from parte.semantics.events.event import Event, Value
from parte.semantics.events.types import Scalar
from parte.semantics.partelang.syntax import core
from parte.semantics.partelang.syntax.implementations import Implementations
from parte.semantics.rulebook.running import UnsupportedRun

Words = Iterator[object]

_COLUMN: Final = "event"
"""The variable of the expressions of columns."""
_ESCAPES: Final = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", " ": "\\s"})


class NotAdmitted(UnsupportedRun):
    """A program that the evaluator does not run; the message gives the reason."""


TIMESTAMP_FUNCTIONS: Implementations[str] = Implementations(
    {"min": "min", "max": "max", "avg": "avg"},
    lambda function: NotAdmitted(f"the function {function} of timestamps, which the proofs do not have"),
    of_timestamps=True,
)
"""The words for the functions by which `at` combines timestamps."""

FUNCTIONS: Implementations[str] = Implementations(
    {"abs": "abs"}, lambda function: NotAdmitted(f"the function {function}, which the proofs do not have")
)
"""The words for the functions that the evaluator computes itself."""


def own(pattern: core.Pattern) -> tuple[core.Expression, ...]:
    """Return the conditions of a pattern on its event alone."""
    return tuple(c for c in pattern.conditions if core.variables_of(c) <= {pattern.variable})


def joint(pattern: core.Pattern) -> tuple[core.Expression, ...]:
    """Return the conditions of a pattern that mention other events too."""
    return tuple(c for c in pattern.conditions if not core.variables_of(c) <= {pattern.variable})


def timestamp(
    at: core.TimestampExpression, rule: core.Rule, positions: Mapping[str, int], functions: Implementations[str]
) -> Words:
    """Yield the words for the timestamp of an emission."""
    match at:
        case core.TimestampOf(variable=variable):
            yield from ("v", positions[variable])
        case core.Shift(operand=operand, milliseconds=milliseconds):
            yield from ("s", f"{milliseconds:b}")
            yield from timestamp(operand, rule, positions, functions)
        case core.Combination(function=function, operands=operands):
            yield from (functions[function], len(operands))
            for operand in operands:
                yield from timestamp(operand, rule, positions, functions)
        case core.Aggregate(variable=variable):
            # No element of the set is earlier than its window, so neither is its least nor its greatest timestamp.
            begins = [(c.reference, c.lower) for c in rule.constraints if c.subject == variable and c.lower is not None]
            yield from ("set", len(begins))
            for reference, lower in begins:
                yield from ("s", f"{lower:b}", "v", positions[reference])


def word(value: Value | None) -> str:
    """Return the word for a value, or for none."""
    match value:
        case None:
            return "-"
        case bool():
            return f"b{value:d}"
        case int():
            return f"i{value}"
        case float():
            return f"f{value!r}"
        case str():
            return "s" + value.translate(_ESCAPES)
        case _:
            raise NotAdmitted("a list in a condition")


@dataclass(frozen=True, slots=True)
class Key:
    """The values of the attributes by which an emission with `once` suppresses, as a column of its events."""

    attributes: tuple[str, ...]

    def __call__(self, event: Event) -> str:
        """Return a text that two events share if and only if their keys are equal; the two zeros are."""
        values = [event.attributes.get(attribute) for attribute in self.attributes]
        return repr([int(v) if isinstance(v, float) and v.is_integer() else v for v in values])


@dataclass(frozen=True, slots=True)
class Delegated:
    """An expression that is computed here; `variables` are those of the events of the question, in their order."""

    expression: core.Expression
    variables: tuple[str, ...]


@dataclass(slots=True)
class Numbered:
    """A program in words, and the numbers that both sides use: of templates, rules, columns and delegated expressions.

    `rules` are the cases of all rules, from the lowest stratum on. Building it raises NotAdmitted.
    """

    program: core.Program
    rules: tuple[core.Rule, ...] = field(init=False)
    templates: Mapping[str, int] = field(init=False)
    read: frozenset[str] = field(init=False)
    """The templates of the patterns."""
    columns: dict[str, list[core.Expression | Key]] = field(init=False)
    delegated: list[Delegated] = field(default_factory=list)
    words: tuple[object, ...] = field(init=False)

    def __post_init__(self) -> None:
        strata = tuple(self.program.rules_by_stratum())
        self.rules = tuple(chain.from_iterable(strata))
        self.templates = {template.name: number for number, template in enumerate(self.program.templates)}
        self.read = frozenset(pattern.template for rule in self.rules for pattern in rule.patterns)
        self.columns = {template: [] for template in self.templates}
        self.words = tuple(self._program(strata))

    def _program(self, strata: Sequence[Sequence[core.Rule]]) -> Words:
        yield from ("program", len(self.templates), len(strata))
        below = 0
        for rules in strata:
            yield len(rules)
            for rule in rules:
                yield from self._rule(rule)
            yield from self._suppressions(below, rules)
            below += len(rules)

    def _suppressions(self, below: int, rules: Sequence[core.Rule]) -> Words:
        """Yield the words for each emission with `once` of a stratum, all cases of its rule together.

        `below` is the number of rules of the strata below.
        """
        together: dict[tuple[str, int], list[tuple[int, core.Rule]]] = {}
        for number, rule in enumerate(rules, start=below):
            for position in suppressing(rule):
                together.setdefault((rule.reported, position), []).append((number, rule))
        yield len(together)
        for (_, position), cases in together.items():
            emission = cases[0][1].emissions[position - 1]
            assert emission.once is not None
            yield from (self.templates[emission.template], self._column(emission.template, Key(emission.once.keys)))
            yield from (f"{emission.once.milliseconds:b}", len(cases))
            for number, rule in cases:
                yield number
                yield from self._emission(rule, position)

    def _rule(self, rule: core.Rule) -> Words:
        positions = {pattern.variable: number for number, pattern in enumerate(rule.positive)}
        first, *further = rule.patterns
        yield from self._pattern(first, [first])
        yield len(further)
        before = [first]
        for pattern in further:
            yield 2 if pattern.collected else int(pattern.negated)
            # A set is beside all positive events, any other pattern beside those that are bound before it.
            yield from self._pattern(pattern, [*(rule.positive if pattern.collected else before), pattern])
            if pattern.positive:
                before.append(pattern)
            else:
                distances = [c for c in rule.constraints if c.negated and c.subject == pattern.variable]
                yield len(distances)
                for distance in distances:
                    begins = () if distance.lower is None else (f"{distance.lower:b}",)
                    yield from (positions[distance.reference], len(begins), *begins, f"{distance.upper:b}")
        constraints = [c for c in rule.constraints if not c.negated]
        yield len(constraints)
        for constraint in constraints:
            yield from (positions[constraint.subject], positions[constraint.reference])
            yield from (f"{constraint.lower:b}", f"{constraint.upper:b}")
        yield int(bool(rule.having))
        # What no rule reads is emitted here only, with the match; what may be suppressed stands behind the rules.
        emissions = [n for n, e in enumerate(rule.emissions, start=1) if e.template in self.read and e.once is None]
        yield len(emissions)
        for position in emissions:
            yield from self._emission(rule, position)

    def _emission(self, rule: core.Rule, position: int) -> Words:
        emission = rule.emissions[position - 1]
        positions = {pattern.variable: number for number, pattern in enumerate(rule.positive)}
        yield from (position, self.templates[emission.template])
        yield from timestamp(emission.at, rule, positions, TIMESTAMP_FUNCTIONS)

    def _pattern(self, pattern: core.Pattern, bound: Sequence[core.Pattern]) -> Words:
        yield self.templates[pattern.template]
        yield from self._conditions(own(pattern), [pattern])
        # The first equality that can be one is the key of the index.
        yield from self._conditions(sorted(joint(pattern), key=lambda condition: not _is_key(condition)), bound)

    def _conditions(self, conditions: Sequence[core.Expression], bound: Sequence[core.Pattern]) -> Words:
        yield len(conditions)
        for condition in conditions:
            yield from self._expression(condition, bound)

    def _expression(self, expression: core.Expression, bound: Sequence[core.Pattern]) -> Words:
        match expression:
            case core.Constant(value=value):
                yield from ("literal", word(value))
            case core.TimeConstant(milliseconds=milliseconds):
                yield from ("literal", word(milliseconds))
            case core.TimestampOf(variable=variable):
                yield from ("timestamp", _position(variable, bound))
            case core.ToFloat(operand=operand):
                yield "float"
                yield from self._expression(operand, bound)
            case core.Negation(operand=operand):
                yield "opposite"
                yield from self._expression(operand, bound)
            case core.FunctionCall(function=function, arguments=(operand,)) if function in FUNCTIONS:
                yield FUNCTIONS[function]
                yield from self._expression(operand, bound)
            case core.Not(operand=operand):
                yield "not"
                yield from self._expression(operand, bound)
            case core.Presence(operand=operand, present=present):
                yield from ("present", int(present))
                yield from self._expression(operand, bound)
            case (
                core.Arithmetic(operator=operator, left=left, right=right)
                | core.Comparison(operator=operator, left=left, right=right)
            ):
                yield operator
                yield from self._expression(left, bound)
                yield from self._expression(right, bound)
            case core.Compound(connective=connective, operands=operands):
                for operand in operands[:-1]:
                    yield connective
                    yield from self._expression(operand, bound)
                yield from self._expression(operands[-1], bound)
            case _:
                yield from self._elsewhere(expression, bound)

    def _elsewhere(self, expression: core.Expression, bound: Sequence[core.Pattern]) -> Words:
        """Yield the words for an attribute, or for an expression that is delegated."""
        mentioned = core.variables_of(expression) or {pattern.variable for pattern in bound[:1]}
        if len(mentioned) > 1:
            self.delegated.append(Delegated(expression, tuple(pattern.variable for pattern in bound)))
            yield from ("computed", len(self.delegated) - 1)
            return
        position = _position(next(iter(mentioned)), bound)
        pattern = bound[position]
        column = core.renamed(expression, {pattern.variable: _COLUMN})
        yield from ("attribute", position, self._column(pattern.template, column))

    def _column(self, template: str, column: core.Expression | Key) -> int:
        """Return the number of a column of the events of a template."""
        columns = self.columns[template]
        if column not in columns:
            columns.append(column)
        return columns.index(column)

    def lines_of(self, domain: Predicates) -> Mapping[str, Callable[[int, Event], str]]:
        """Return by template the function that writes an event and its number as a line."""
        return {
            template: _line(number, [_closure(column, domain) for column in self.columns[template]])
            for template, number in self.templates.items()
        }


def _is_key(condition: core.Expression) -> bool:
    match condition:
        case core.Comparison(operator="=", left=core.AttributeOf(type=of), right=core.AttributeOf()):
            return of is not Scalar.FLOAT
    return False


def _position(variable: str, bound: Iterable[core.Pattern]) -> int:
    return [pattern.variable for pattern in bound].index(variable)


def suppressing(rule: core.Rule) -> tuple[int, ...]:
    """Return the positions, from 1, of the emissions of a rule with `once`."""
    return tuple(n for n, emission in enumerate(rule.emissions, start=1) if emission.once is not None)


def _closure(column: core.Expression | Key, domain: Predicates) -> Callable[[Event], Value | None]:
    if isinstance(column, Key):
        return column
    if isinstance(column, core.AttributeOf):
        attribute = column.attribute
        return lambda event: event.attributes.get(attribute)
    compute: Closure = compile_expression(column, domain)
    return lambda event: compute({_COLUMN: event})


def _line(template: int, columns: Sequence[Callable[[Event], Value | None]]) -> Callable[[int, Event], str]:
    def line(number: int, event: Event) -> str:
        return "\t".join(
            (str(number), str(template), str(event.timestamp), *[word(column(event)) for column in columns])
        )

    return line
