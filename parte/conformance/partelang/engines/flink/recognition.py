"""A rule as MATCH_RECOGNIZE over the rows of a trace: `PATTERN (a X*? b)`, for each possible order of its events.

Between two events any rows may come (`X*?`), except those that defeat the match. An absence after the last event cannot
be expressed: a pattern that ends with an absence would need a row to end it.
"""

from __future__ import annotations

from collections.abc import Sequence

from parte.conformance.engines.foreign import Inexpressible
from parte.conformance.partelang.engines.flink.expressions import (
    MOST_ROWS,
    OWN_COLUMNS,
    ROWTIME,
    TIMESTAMP,
    Expressions,
    column,
    literal,
)
from parte.conformance.partelang.engines.flink.intervals import LONGEST_LITERAL, interval
from parte.conformance.partelang.engines.flink.level_2 import text
from parte.conformance.partelang.engines.flink.queries import Query, projected
from parte.conformance.partelang.engines.flink.trace import TEMPLATE, TRACE, attribute_column
from parte.conformance.partelang.engines.orders import Absence, Order, absences, itself, orders
from parte.semantics.partelang.syntax import core


def recognition_query(rule: core.Rule, _: core.Program, expressions: Expressions) -> Query:
    """Return the query of a rule. Inexpressible names the part of the rule that MATCH_RECOGNIZE cannot express."""
    for condition in (condition for pattern in rule.patterns for condition in pattern.conditions):
        if expressions.looked_up(condition):
            raise Inexpressible(f"a domain table of over {MOST_ROWS} rows: a condition of DEFINE looks up no table")
    parts = [_Sequence(rule, order, expressions).sql() for order in orders(rule)]
    return Query(rule, "\nUNION ALL\n".join(parts))


class _Sequence:
    """The query for the matches whose events come in one order."""

    def __init__(self, rule: core.Rule, order: Order, expressions: Expressions) -> None:
        self._rule, self._order = rule, order
        self._templates = {pattern.variable: pattern.template for pattern in rule.patterns}
        self._names = {variable: place[0] for place in order.places for variable in place}
        self._expressions = expressions

    def sql(self) -> str:
        """Return the query: MATCH_RECOGNIZE, with a measure for each selected column."""
        rule, places = self._rule, self._order.places
        measures = projected(rule, self._row_expressions(self._names))
        names = ", ".join(f"`c{number}`" for number in range(1, len(measures) + 1))
        between: dict[int, list[Absence]] = {}
        for pattern in (pattern for pattern in rule.patterns if pattern.negated):
            for absence in absences(rule, self._order, pattern):
                if absence.after < len(places) - 1:
                    between.setdefault(absence.after, []).append(absence)
                elif not absence.tied:
                    raise Inexpressible("an absence after the last event of a match: a pattern ends with a row that is")
        sequence = column_name(places[0][0])
        define = [f"{column_name(places[0][0])} AS {self._defined(0)}"]
        for number, place in enumerate(places[1:], 1):
            gap = f"between${number}"
            sequence += f" {column_name(gap)}*? {column_name(place[0])}"
            if number - 1 in between:
                absent = [f"NOT {self._absent(absence, gap)}" for absence in between[number - 1]]
                define.append(f"{column_name(gap)} AS {' AND '.join(absent)}")
            define.append(f"{column_name(place[0])} AS {self._defined(number)}")
        bounded = len(places) > 1 and self._order.span + 1 < LONGEST_LITERAL
        within = f" WITHIN {interval(self._order.span + 1)}" if bounded else ""
        return (
            f"SELECT {names} FROM `{TRACE}` MATCH_RECOGNIZE (\n"
            f"  ORDER BY `{ROWTIME}`\n"
            f"  MEASURES {', '.join(measures)}\n"
            "  ONE ROW PER MATCH\n  AFTER MATCH SKIP TO NEXT ROW\n"
            f"  PATTERN ({sequence}){within}\n"
            f"  DEFINE {', '.join(define)}\n)"
        )

    def _row_expressions(self, names: dict[str, str]) -> Expressions:
        """Return expressions over the rows of the pattern: the event of a variable is the row of its place."""

        def named(variable: str, name: str) -> str:
            column_of_name = name if name in OWN_COLUMNS else attribute_column(self._templates[variable], name)
            return column(names[variable], column_of_name)

        return self._expressions.with_columns(named)

    def _defined(self, number: int) -> str:
        """Return the condition for the row of a place: its template, and all conditions on it and on earlier rows."""
        rule, place = self._rule, self._order.places[number]
        past = {variable for earlier in self._order.places[: number + 1] for variable in earlier}
        expressions = self._row_expressions(self._names)
        parts = [f"{column(place[0], TEMPLATE)} = {text(self._templates[place[0]])}"]
        for pattern in rule.positive:
            for condition in pattern.conditions:
                variables = core.variables_of(condition) or {pattern.variable}
                if variables <= past and variables & set(place):
                    parts.append(expressions.value(condition))
        parts += [
            _within(expressions, constraint)
            for constraint in rule.constraints
            if not constraint.negated
            and {constraint.subject, constraint.reference} <= past
            and {constraint.subject, constraint.reference} & set(place)
            and self._names[constraint.subject] != self._names[constraint.reference]
        ]
        if number == len(self._order.places) - 1:
            for pattern in (pattern for pattern in rule.patterns if pattern.negated):
                own = tuple(c for c in rule.constraints if c.subject == pattern.variable)
                for at in itself(rule, self._order, pattern):
                    name = self._order.places[at][0]
                    parts.append(f"NOT {self._filled(pattern, own, name)}")
        return " AND ".join(parts)

    def _absent(self, absence: Absence, gap: str) -> str:
        return self._filled(absence.pattern, absence.windows, gap)

    def _filled(self, pattern: core.Pattern, windows: Sequence[core.Constraint], name: str) -> str:
        """Return the condition under which the row of a pattern variable fills a negated pattern."""
        expressions = self._row_expressions(self._names | {pattern.variable: name})
        parts = [f"{column(name, TEMPLATE)} = {text(pattern.template)}"]
        parts += [expressions.value(condition) for condition in pattern.conditions]
        parts += [_within(expressions, window) for window in windows]
        return f"(({' AND '.join(parts)}) IS TRUE)"


def column_name(name: str) -> str:
    """Return a quoted name."""
    return f"`{name}`"


def _within(expressions: Expressions, window: core.Constraint) -> str:
    subject, reference = expressions.column(window.subject, TIMESTAMP), expressions.column(window.reference, TIMESTAMP)
    lower, upper = (f"{reference} + {literal(end)}" for end in (window.begins, window.upper))
    return f"{subject} BETWEEN {lower} AND {upper}"
